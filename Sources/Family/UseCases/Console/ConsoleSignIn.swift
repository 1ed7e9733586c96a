package import Credentials
import Crypto
package import Domain
package import JSON
package import Postgres
package import Repositories

/// Sign-in of operators to the console: with a one-time link, a passkey of the console, the name
/// that a trusted proxy gives, or a mailed code.
///
/// Runs as `hearth_admin`. A session is valid only while its account is an operator.
package struct ConsoleSignIn: Sendable {
    let pool: Pool
    let keys: SignInKeys
    /// The relying party of the console's passkeys.
    package let relyingParty: RelyingParty
    /// Hours that a session lasts.
    package let sessionHours: Int

    package init(_ pool: Pool, _ keys: SignInKeys, _ relyingParty: RelyingParty, sessionHours: Int)
    {
        self.pool = pool
        self.keys = keys
        self.relyingParty = relyingParty
        self.sessionHours = sessionHours
    }

    // MARK: Links and sessions

    /// Returns the e-mail address of a link's operator; nil if the link can't be used, and an empty
    /// text if the operator has no address.
    package func owner(ofLink token: ConsoleToken) throws -> String? {
        try rows(ConsoleSessions.linkOwner, token.hash).first.map { $0.value ?? "" }
    }

    /// Uses up a link, opens a session and returns its token; nil if the link can't be used.
    package func useLink(_ link: ConsoleToken, browser: Label?) throws -> ConsoleToken? {
        let token = try ConsoleToken.random()
        let isOpen = try rows(
            ConsoleSessions.useLink, link.hash, token.hash, Int32(sessionHours), browser?.text
        ).first?.value
        return isOpen == true ? token : nil
    }

    /// Returns the operator of a session; nil if it has ended.
    package func session(_ token: ConsoleToken) throws -> ConsoleOperator? {
        try rows(ConsoleSessions.current, token.hash).first
    }

    /// Ends a session.
    package func end(_ token: ConsoleToken) throws {
        _ = try rows(ConsoleSessions.end, token.hash)
    }

    // MARK: Passkeys

    /// Creates a challenge for signing in with any passkey, or for re-authenticating an operator.
    ///
    /// - Parameter now: Seconds since 1970.
    package func assertion(of account: UserID?, now: Int64) throws -> PasskeyChallenge {
        try PasskeyChallenge(console: .assert, for: account, now: now, keys)
    }

    /// Creates a challenge for adding a passkey to an operator.
    package func registration(of account: UserID, now: Int64) throws -> PasskeyChallenge {
        try PasskeyChallenge(console: .register, for: account, now: now, keys)
    }

    /// Returns the passkeys of a session's operator, the oldest first.
    package func passkeys(of token: ConsoleToken) throws -> [ConsolePasskey] {
        try rows(ConsoleSessions.passkeys, token.hash)
    }

    /// Adds a new passkey from an authenticator to the operator of a session.
    ///
    /// - Throws: ``Refusal``: `passkeyInvalid`, `challengeExpired`; ``OperatorRefusal`` for
    ///   refusals of the database, such as `sign_in_again` without a fresh sign-in.
    package func add(
        _ credential: JSONField, label: Label?, to account: UserID, _ token: ConsoleToken,
        now: Int64
    ) throws {
        let response: RegistrationResponse
        do {
            response = try RegistrationResponse(credential)
        } catch {
            throw error.refusal
        }
        guard
            let challenge = try PasskeyChallenge(
                answered: response.clientData.challenge, console: .register, for: account,
                now: now, keys)
        else { throw Refusal(.challengeExpired) }
        let made: NewCredential
        do {
            made = try relyingParty.newCredential(response, to: challenge.bytes)
        } catch {
            throw error.refusal
        }
        guard made.isUserVerified else { throw Refusal(.passkeyInvalid) }
        _ = try rows(
            ConsoleSessions.addPasskey, token.hash, PostgresBytes(made.id),
            PostgresBytes(made.key.encoded), Int64(made.counter), label?.text,
            made.isBackupEligible, made.isBackedUp, PostgresBytes(challenge.hash.bytes),
            challenge.expires)
    }

    /// Removes a passkey of a session's operator; false if there is none.
    package func remove(_ passkey: PasskeyID, _ token: ConsoleToken) throws -> Bool {
        try rows(ConsoleSessions.removePasskey, token.hash, passkey).first?.value ?? false
    }

    /// Signs in the operator who has a passkey, and returns the token of the session.
    ///
    /// The attempt is counted before the response is verified; the count is undone if the response
    /// is valid.
    /// - Throws: ``Refusal``: `passkeyInvalid`, `challengeExpired`, `passkeyRefused`,
    ///   `tooManyAttempts`.
    package func signIn(
        _ credential: JSONField, browser: Label?, from client: ClientAddress, now: Int64
    ) throws -> ConsoleToken {
        let proof = try verify(credential, of: nil, from: client, now: now)
        let token = try ConsoleToken.random()
        let isOpen = try rows(
            ConsoleSessions.signIn, proof.passkey, Int64(proof.verified.counter),
            proof.verified.isBackupEligible, proof.verified.isBackedUp,
            PostgresBytes(proof.challenge.hash.bytes), proof.challenge.expires, client.address,
            client.network, token.hash, Int32(sessionHours), browser?.text
        ).first?.value
        guard isOpen == true else { throw Refusal(.passkeyRefused) }
        return token
    }

    /// Re-authenticates the operator of a session with a passkey.
    ///
    /// - Throws: As ``signIn(_:browser:from:now:)``.
    package func prove(
        _ credential: JSONField, account: UserID, _ token: ConsoleToken,
        from client: ClientAddress, now: Int64
    ) throws {
        let proof = try verify(credential, of: account, from: client, now: now)
        let isProved = try rows(
            ConsoleSessions.prove, token.hash, proof.passkey, Int64(proof.verified.counter),
            proof.verified.isBackupEligible, proof.verified.isBackedUp,
            PostgresBytes(proof.challenge.hash.bytes), proof.challenge.expires, client.address,
            client.network
        ).first?.value
        guard isProved == true else { throw Refusal(.passkeyRefused) }
    }

    private struct Proof {
        let passkey: PasskeyID
        let verified: VerifiedAssertion
        let challenge: PasskeyChallenge
    }

    /// Verifies the response of an authenticator.
    ///
    /// - Parameter account: The operator to whom the passkey must belong; nil for any operator.
    private func verify(
        _ credential: JSONField, of account: UserID?, from client: ClientAddress, now: Int64
    ) throws -> Proof {
        let response: AssertionResponse
        do {
            response = try AssertionResponse(credential)
        } catch {
            throw error.refusal
        }
        guard
            let challenge = try PasskeyChallenge(
                answered: response.clientData.challenge, console: .assert, for: account,
                now: now, keys)
        else { throw Refusal(.challengeExpired) }
        let limit = try rows(ConsoleSessions.reserveAttempt, client.address, client.network).first
        if let limit { throw limit.refusal }
        let stored = try rows(
            ConsoleSessions.ofCredential, PostgresBytes(response.credentialID),
            PostgresBytes(challenge.hash.bytes)
        ).first
        guard let stored, account ?? stored.user == stored.user,
            (response.userHandle ?? stored.user.handle) == stored.user.handle
        else { throw Refusal(.passkeyRefused) }
        guard !stored.isAnswered else { throw Refusal(.challengeExpired) }
        let verified: VerifiedAssertion
        do throws(WebAuthnRefusal) {
            verified = try relyingParty.verify(
                response,
                of: RegisteredCredential(
                    id: response.credentialID, key: try CredentialKey(stored.publicKey.bytes),
                    counter: UInt32(clamping: stored.counter),
                    isBackupEligible: stored.isBackupEligible),
                to: challenge.bytes)
        } catch {
            throw error.refusal
        }
        // The device must have asked for its PIN, a finger or a face: somebody other than its owner
        // may be using it.
        guard verified.isUserVerified else { throw Refusal(.passkeyRefused) }
        return Proof(passkey: stored.id, verified: verified, challenge: challenge)
    }

    /// Runs one statement, in a separate transaction.
    func rows<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws -> [Row] {
        try OperatorSession.translatingRefusals {
            try pool.withConnection { connection in
                var batch = Batch()
                let key = batch.add(statement, repeat each values)
                return try connection.send(batch).rows(key)
            }
        }
    }
}
