/// Why the answer of an authenticator is not accepted.
///
/// `description` is safe for clients: it names what is wrong and what is expected, and repeats
/// nothing of the answer.
package enum WebAuthnRefusal: Error, Sendable, Equatable {
    /// A part is not of its form, or too long: which one, and what was expected.
    case malformed(String, expected: String)
    /// The client data are of the other ceremony.
    case wrongCeremony
    /// The answer is to another challenge.
    case wrongChallenge
    /// The answer was given to another web site or app.
    case wrongOrigin
    /// The answer was given in a frame of another web site.
    case crossOrigin
    /// The authenticator has answered for another relying party.
    case wrongRelyingParty
    /// Nobody has touched the authenticator.
    case userAbsent
    /// Nobody has unlocked the authenticator, where that was required.
    case userUnverified
    /// The answer is of another credential than it says.
    case wrongCredential
    /// The key is of no algorithm that was offered.
    case unknownAlgorithm
    /// The key is none, or a weak one: why.
    case unsoundKey(String)
    case wrongSignature
    /// The signature counter is not higher than it was: somebody has copied the authenticator.
    case counterWentBack
    /// The library could not verify the answer: its code.
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
        case .wrongChallenge: "The answer is not to a challenge that counts."
        case .wrongOrigin: "The answer was given to an origin that is not accepted here."
        case .crossOrigin: "The answer was given in a frame of another web site."
        case .wrongRelyingParty: "The answer is for another relying party."
        case .userAbsent: "The authenticator must ask for the user's presence."
        case .userUnverified: "The authenticator must verify the user."
        case .wrongCredential: "The answer is not of the credential that it names."
        case .unknownAlgorithm: "The credential's key must be of ES256, EdDSA or RS256."
        case .unsoundKey(let fault): "The credential's key is not accepted: \(fault)."
        case .wrongSignature: "The signature is not valid."
        case .counterWentBack:
            "The signature counter has gone back: there is a copy of this credential."
        case .unverifiable: "The answer could not be verified."
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
