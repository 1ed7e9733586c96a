package import JSON

/// An authenticator's response for a new credential, parsed but not verified.
package struct RegistrationResponse: Sendable {
    package let clientData: ClientData
    let credentialID: [UInt8]
    let object: AttestationObject
    let transports: [String]

    /// Parses the JSON of the credential (`RegistrationResponseJSON`).
    package init(_ credential: JSONField) throws(WebAuthnRefusal) {
        let response = try CredentialResponse(credential)
        clientData = response.clientData
        credentialID = response.id
        object = try AttestationObject(
            try response.bytes("attestationObject", 1...AttestationObject.limitBytes))
        transports = try response.words("transports", atMost: 8)
    }
}

/// A new credential, with the properties to be stored.
package struct NewCredential: Sendable {
    /// The credential's id, chosen by the authenticator, 1 to 1,023 bytes.
    package let id: [UInt8]
    package let key: CredentialKey
    /// Signature counter; 0 if the authenticator does not count.
    package let counter: UInt32
    /// The authenticator's model, 16 bytes; zeros if not stated.
    package let model: [UInt8]
    /// Transports of the authenticator, as the browser named them.
    package let transports: [String]
    /// Whether other devices of the person may have the credential too.
    package let isBackupEligible: Bool
    /// Whether the credential has been copied to another device or to a backup.
    package let isBackedUp: Bool
    /// Whether the authenticator was unlocked, with a PIN or a fingerprint, to create it.
    package let isUserVerified: Bool
}

extension RelyingParty {
    /// Verifies that a credential was created here, in response to this challenge (WebAuthn level 3
    /// section 7.1).
    package func newCredential(
        _ response: RegistrationResponse, to challenge: [UInt8],
        userVerification isRequired: Bool = false
    ) throws(WebAuthnRefusal) -> NewCredential {
        try response.clientData.require(.create, challenge, self)
        let data = response.object.data
        try data.require(self, userVerification: isRequired)
        guard let attested = data.attested else {
            throw .malformed("authenticatorData", expected: "with the credential that was made")
        }
        guard attested.credentialID == response.credentialID else { throw .wrongCredential }
        return NewCredential(
            id: attested.credentialID, key: attested.key, counter: data.counter,
            model: attested.model,
            transports: response.transports,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified))
    }
}
