package import JSON

/// The answer of an authenticator that signs in, taken apart, with nothing in it believed yet.
package struct AssertionAnswer: Sendable {
    package let clientData: ClientData
    /// The credential that it says it is of.
    package let credentialID: [UInt8]
    /// The user's id, as the authenticator has kept it since the credential was made; nil if it
    /// gives none, or an empty one.
    package let userHandle: [UInt8]?
    let data: AuthenticatorData
    let signature: [UInt8]

    /// Reads the JSON of the credential (`AuthenticationResponseJSON`).
    package init(_ credential: JSONField) throws(WebAuthnRefusal) {
        let answer = try CredentialAnswer(credential)
        clientData = answer.clientData
        credentialID = answer.id
        let bytes = try answer.bytes("authenticatorData", 37...AuthenticatorData.limitBytes)
        data = try AuthenticatorData(bytes)
        guard data.attested == nil else {
            throw .malformed("authenticatorData", expected: "without a new credential")
        }
        signature = try answer.bytes("signature", 1...512)
        let handle = try answer.bytesIfPresent("userHandle", 0...64)
        userHandle = handle?.isEmpty == true ? nil : handle
    }
}

/// A credential as it is known from before.
package struct KnownCredential: Sendable {
    /// The authenticator's name for it, 1 to 1,023 bytes.
    package let id: [UInt8]
    package let key: CredentialKey
    /// How often the authenticator had signed when it was last used; 0 if it does not count.
    package let counter: UInt32
    /// Whether other devices of the person may have the credential as well.
    package let isBackupEligible: Bool

    package init(id: [UInt8], key: CredentialKey, counter: UInt32, isBackupEligible: Bool) {
        self.id = id
        self.key = key
        self.counter = counter
        self.isBackupEligible = isBackupEligible
    }
}

/// What a verified answer says.
package struct VerifiedAssertion: Sendable {
    /// To be kept; 0 if the authenticator doesn't count.
    package let counter: UInt32
    /// To be kept: whether other devices of the person may have the credential from now on.
    package let isBackupEligible: Bool
    /// Whether the credential has been copied to another device or to a backup.
    package let isBackedUp: Bool
    /// Whether the authenticator was unlocked, by a PIN or a fingerprint, for this answer.
    package let isUserVerified: Bool
}

extension RelyingParty {
    /// Verifies that the holder of a credential answers here, to this challenge (WebAuthn level 3
    /// section 7.2).
    ///
    /// A deliberate departure from step 18 there: a credential that could not be backed up may
    /// become one that can. Phones do this when their owner turns a backup on, and the standard
    /// would lock the owner out. The reverse is refused.
    package func verify(
        _ answer: AssertionAnswer, of credential: KnownCredential, to challenge: [UInt8],
        userVerification isRequired: Bool = false
    ) throws(WebAuthnRefusal) -> VerifiedAssertion {
        guard answer.credentialID == credential.id else { throw .wrongCredential }
        try answer.clientData.require(.get, challenge, self)
        let data = answer.data
        try data.require(self, userVerification: isRequired)
        let isBackupEligible = data.flags.contains(.backupEligible)
        guard isBackupEligible || !credential.isBackupEligible else {
            throw .malformed(
                "authenticatorData", expected: "of a credential that may be backed up as before")
        }
        try AssertionSignature.require(
            answer.signature, over: data, answer.clientData, by: credential.key, for: self)
        let isCounted = data.counter != 0 || credential.counter != 0
        if isCounted, data.counter <= credential.counter { throw .counterWentBack }
        return VerifiedAssertion(
            counter: data.counter, isBackupEligible: isBackupEligible,
            isBackedUp: data.flags.contains(.backedUp),
            isUserVerified: data.flags.contains(.userVerified))
    }
}
