package import JSON

/// The answer of an authenticator that has made a credential, taken apart, with nothing in it
/// believed yet.
package struct RegistrationAnswer: Sendable {
    package let clientData: ClientData
    let credentialID: [UInt8]
    let object: AttestationObject
    let transports: [String]

    /// Reads the JSON of the credential (`RegistrationResponseJSON`).
    package init(_ credential: JSONField) throws(WebAuthnRefusal) {
        let answer = try CredentialAnswer(credential)
        clientData = answer.clientData
        credentialID = answer.id
        object = try AttestationObject(
            try answer.bytes("attestationObject", 1...AttestationObject.limitBytes))
        transports = try answer.words("transports", atMost: 8)
    }
}

/// A credential that has just been made, and what must be kept of it.
package struct NewCredential: Sendable {
    /// The authenticator's name for it, 1 to 1,023 bytes.
    package let id: [UInt8]
    package let key: CredentialKey
    /// How often the authenticator has signed; 0 if it does not count.
    package let counter: UInt32
    /// The model of the authenticator, 16 bytes; zeros if it does not say.
    package let model: [UInt8]
    /// Ways to reach the authenticator, as the browser named them.
    package let transports: [String]
    /// Whether other devices of the person may have it as well.
    package let isBackupEligible: Bool
    /// Whether the credential has been copied to another device or to a backup.
    package let isBackedUp: Bool
    /// Whether the authenticator was unlocked, by a PIN or a fingerprint, to make it.
    package let isUserVerified: Bool
}

extension RelyingParty {
    /// Verifies that a credential was made here, in answer to this challenge (WebAuthn level 3
    /// section 7.1).
    package func newCredential(
        _ answer: RegistrationAnswer, to challenge: [UInt8],
        userVerification isRequired: Bool = false
    ) throws(WebAuthnRefusal) -> NewCredential {
        try answer.clientData.require(.create, challenge, self)
        let data = answer.object.data
        try data.require(self, userVerification: isRequired)
        guard let made = data.attested else {
            throw .malformed("authenticatorData", expected: "with the credential that was made")
        }
        guard made.credentialID == answer.credentialID else { throw .wrongCredential }
        return NewCredential(
            id: made.credentialID, key: made.key, counter: data.counter, model: made.model,
            transports: answer.transports,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified))
    }
}
