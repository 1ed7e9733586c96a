/// The reason why an authenticator's response is refused.
///
/// `description` is safe for clients: it names the fault and the expected form, and repeats nothing
/// of the response.
package enum WebAuthnRefusal: Error, Sendable, Equatable {
    /// A part is malformed or too long: its name, and the expected form.
    case malformed(String, expected: String)
    /// The client data are from the other ceremony: from a registration instead of an assertion, or
    /// the reverse.
    case wrongCeremony
    /// The response is to another challenge.
    case wrongChallenge
    /// The response was given to another web site or app.
    case wrongOrigin
    /// The response was given in a frame of another web site.
    case crossOrigin
    /// The response is for another relying party.
    case wrongRelyingParty
    /// The user did not touch the authenticator.
    case userAbsent
    /// The user did not unlock the authenticator, although that was required.
    case userUnverified
    /// The response is from a credential other than the one that it names.
    case wrongCredential
    /// The key's algorithm was not offered.
    case unknownAlgorithm
    /// The key is invalid or weak: the reason.
    case unsoundKey(String)
    case wrongSignature
    /// The signature counter is not higher than before: the authenticator has been copied.
    case counterWentBack
    /// The library could not verify the response: its error code.
    case unverifiable(Int32)

    /// A stable word for logs.
    package var code: String {
        switch self {
        case .malformed: "malformed"
        case .wrongCeremony: "wrong_ceremony"
        case .wrongChallenge: "wrong_challenge"
        case .wrongOrigin: "wrong_origin"
        case .crossOrigin: "cross_origin"
        case .wrongRelyingParty: "wrong_relying_party"
        case .userAbsent: "user_absent"
        case .userUnverified: "user_unverified"
        case .wrongCredential: "wrong_credential"
        case .unknownAlgorithm: "unknown_algorithm"
        case .unsoundKey: "unsound_key"
        case .wrongSignature: "wrong_signature"
        case .counterWentBack: "counter_went_back"
        case .unverifiable: "unverifiable"
        }
    }
}

extension WebAuthnRefusal: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let part, let expected): "`\(part)` must be \(expected)."
        case .wrongCeremony:
            "`clientDataJSON.type` must be webauthn.create for registering, webauthn.get for "
                + "signing in."
        case .wrongChallenge: "The response is to a challenge that is not valid."
        case .wrongOrigin: "The response was given to an origin that is not accepted here."
        case .crossOrigin: "The response was given in a frame of another web site."
        case .wrongRelyingParty: "The response is for another relying party."
        case .userAbsent: "The authenticator must ask for the user's presence."
        case .userUnverified: "The authenticator must verify the user."
        case .wrongCredential: "The response is not from the credential that it names."
        case .unknownAlgorithm: "The credential's key must be for ES256, EdDSA or RS256."
        case .unsoundKey(let fault): "The credential's key is not accepted: \(fault)."
        case .wrongSignature: "The signature is not valid."
        case .counterWentBack:
            "The signature counter has gone back: there is a copy of this credential."
        case .unverifiable: "The response could not be verified."
        }
    }

    package var debugDescription: String {
        switch self {
        case .malformed(let part, _): "\(code): \(part)"
        case .unsoundKey(let fault): "\(code): \(fault)"
        case .unverifiable(let number): "\(code): \(number)"
        default: code
        }
    }
}
