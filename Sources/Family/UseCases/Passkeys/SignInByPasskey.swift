package import Domain
package import JSON
import Postgres
import Repositories
package import WebAuthn

/// Signs in whoever holds a passkey of an account.
///
/// The attempt is counted before the answer is verified, in a transaction of its own, and taken
/// back if it was right. The challenge is used up together with the session that it leads to.
package struct SignInByPasskey: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let party: RelyingParty
    private let noteCopy: @Sendable () -> Void

    /// - Parameter noteCopy: Called when a counter has gone back, so that there is a copy of the
    ///   passkey.
    package init(
        _ database: Database, _ keys: SignInKeys, _ party: RelyingParty,
        noteCopy: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.keys = keys
        self.party = party
        self.noteCopy = noteCopy
    }

    /// - Parameter credential: The JSON of the credential, as the browser gives it.
    /// - Throws: ``Refusal``: `passkeyInvalid`, `challengeExpired`, `passkeyRefused`,
    ///   `tooManyAttempts`.
    package func callAsFunction(
        _ credential: JSONField, device: Label?, from client: ClientAddress, now: Int64,
        language: LanguageTag? = nil
    ) throws -> SignedIn {
        let answer: AssertionAnswer
        do {
            answer = try AssertionAnswer(credential)
        } catch {
            throw error.refusal
        }
        guard
            let challenge = try PasskeyChallenge(
                answered: answer.clientData.challenge, .assert, for: nil, now: now, keys)
        else { throw Refusal(.challengeExpired) }
        let limit = try database.query(Passkeys.reserve, client.address, client.network).first
        if let limit { throw limit.refusal }
        let stored = try database.query(
            Passkeys.ofCredential, PostgresBytes(answer.credentialID),
            PostgresBytes(challenge.hash.bytes)
        ).first
        // Authenticators need not tell for whom they answer.
        guard let stored, (answer.userHandle ?? stored.handle.handle) == stored.handle.handle
        else { throw Refusal(.passkeyRefused) }
        // Before its counter is looked at: an answer that is repeated is no copy of the passkey.
        guard !stored.isAnswered else { throw Refusal(.challengeExpired) }
        let verified = try verify(answer, of: stored, to: challenge)
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        defer {
            // An e-mail may be enqueued.
            if verified.isBackupEligible != stored.isBackupEligible {
                database.wakeUps.wake(MailJob.queue)
            }
        }
        return try database.leased { connection in
            var batch = Batch()
            let place = batch.add(
                Passkeys.signIn, stored.id, stored.user, Int64(verified.counter),
                verified.isBackupEligible, verified.isBackedUp,
                PostgresBytes(challenge.hash.bytes), challenge.expires,
                client.address, client.network, session, device?.text,
                PostgresBytes(token.hash.bytes),
                MailJob.payload(of: { .account(.passkeySynced, recipient: $0) }))
            if let language { batch.add(Locales.take, language.text) }
            let profile = ReadProfile.reading(isActing: false, in: &batch)
            let answers = try connection.send(batch, writes: true)
            guard let row = try answers.first(place) else { throw Refusal(.passkeyRefused) }
            return SignedIn(
                row, session, .passkey, token,
                profile: try profile(answers, Subject(signedIn: row.user)), isNew: false)
        }
    }

    private func verify(
        _ answer: AssertionAnswer, of stored: StoredPasskey, to challenge: PasskeyChallenge
    ) throws -> VerifiedAssertion {
        do throws(WebAuthnRefusal) {
            return try party.verify(
                answer,
                of: KnownCredential(
                    id: answer.credentialID, key: try CredentialKey(stored.publicKey.bytes),
                    counter: UInt32(clamping: stored.counter),
                    isBackupEligible: stored.isBackupEligible),
                to: challenge.bytes)
        } catch {
            if error == .counterWentBack { noteCopy() }
            throw error.refusal
        }
    }
}

extension UserID {
    /// What authenticators keep of an account: its id's bytes.
    package var handle: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: rawValue >> (120 - $0 * 8)) }
    }
}
