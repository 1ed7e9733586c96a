package import JSON

/// An authenticator's response for signing in, parsed but not verified.
package struct AssertionResponse: Sendable {
    package let clientData: ClientData
    /// The credential that the response claims to be from.
    package let credentialID: [UInt8]
    /// The user's id, as stored by the authenticator when the credential was created; nil if
    /// missing or empty.
    package let userHandle: [UInt8]?
    let data: AuthenticatorData
    let signature: [UInt8]

    /// Parses the JSON of the credential (`AuthenticationResponseJSON`).
    package init(_ credential: JSONField) throws(WebAuthnRefusal) {
        let response = try CredentialResponse(credential)
        clientData = response.clientData
        credentialID = response.id
        let bytes = try response.bytes("authenticatorData", 37...AuthenticatorData.limitBytes)
        data = try AuthenticatorData(bytes)
        guard data.attested == nil else {
            throw .malformed("authenticatorData", expected: "without a new credential")
        }
        signature = try response.bytes("signature", 1...512)
        let handle = try response.bytesIfPresent("userHandle", 0...64)
        userHandle = handle?.isEmpty == true ? nil : handle
    }
}

/// A registered credential.
package struct RegisteredCredential: Sendable {
    /// The credential's id, chosen by the authenticator, 1 to 1,023 bytes.
    package let id: [UInt8]
    package let key: CredentialKey
    /// Signature counter at the last use; 0 if the authenticator does not count.
    package let counter: UInt32
    /// Whether other devices of the person may have the credential too.
    package let isBackupEligible: Bool

    package init(id: [UInt8], key: CredentialKey, counter: UInt32, isBackupEligible: Bool) {
        self.id = id
        self.key = key
        self.counter = counter
        self.isBackupEligible = isBackupEligible
    }
}

/// The result of a verified assertion.
package struct VerifiedAssertion: Sendable {
    /// The new counter, to be stored; 0 if the authenticator does not count.
    package let counter: UInt32
    /// Whether other devices of the person may have the credential from now on, to be stored.
    package let isBackupEligible: Bool
    /// Whether the credential has been copied to another device or to a backup.
    package let isBackedUp: Bool
    /// Whether the authenticator was unlocked, with a PIN or a fingerprint, for this response.
    package let isUserVerified: Bool
}

extension RelyingParty {
    /// Verifies a credential's response to this challenge (WebAuthn level 3 section 7.2).
    ///
    /// A deliberate departure from its step 18: a credential that could not be backed up may become
    /// one that can. Phones do this when their owner turns on backups, and the standard would lock
    /// the owner out. The reverse is refused.
    package func verify(
        _ response: AssertionResponse, of credential: RegisteredCredential, to challenge: [UInt8],
        userVerification isRequired: Bool = false
    ) throws(WebAuthnRefusal) -> VerifiedAssertion {
        guard response.credentialID == credential.id else { throw .wrongCredential }
        try response.clientData.require(.get, challenge, self)
        let data = response.data
        try data.require(self, userVerification: isRequired)
        let isBackupEligible = data.flags.contains(.backupEligible)
        guard isBackupEligible || !credential.isBackupEligible else {
            throw .malformed(
                "authenticatorData", expected: "from a credential that may be backed up as before")
        }
        try AssertionSignature.require(
            response.signature, over: data, response.clientData, by: credential.key, for: self)
        let isCounted = data.counter != 0 || credential.counter != 0
        if isCounted, data.counter <= credential.counter { throw .counterWentBack }
        return VerifiedAssertion(
            counter: data.counter, isBackupEligible: isBackupEligible,
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified))
    }
}
