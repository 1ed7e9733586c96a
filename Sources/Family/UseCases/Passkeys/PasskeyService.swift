import Crypto
package import Domain
import Jobs
package import JSON
import Policy
import Postgres
package import Repositories
package import Credentials

/// The use cases of passkeys.
package struct PasskeyService: Sendable {
    private let database: Database
    private let keys: SignInKeys
    /// The relying party that passkeys are made for.
    package let relyingParty: RelyingParty
    private let onCopiedPasskey: @Sendable () -> Void

    /// - Parameter onCopiedPasskey: Called when a counter has decreased, which means that there is
    ///   a copy of the passkey.
    package init(
        _ database: Database, _ keys: SignInKeys, _ relyingParty: RelyingParty,
        onCopiedPasskey: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.keys = keys
        self.relyingParty = relyingParty
        self.onCopiedPasskey = onCopiedPasskey
    }

    /// Lists the passkeys of the caller's account, the oldest first.
    package static func list(by context: RequestContext) throws -> Read<[ListedPasskey]> {
        try context.caller.facts.require(.accountManage)
        return Read(by: context) { batch in
            let resultKey = batch.add(Passkeys.mine)
            return { results, _ in try results.rows(resultKey) }
        }
    }

    /// The data that an authenticator needs to create a passkey.
    package struct Registration: Sendable {
        /// The challenge that the authenticator signs.
        package let challenge: PasskeyChallenge
        package let account: PasskeyAccount
        /// Passkeys that the account already has: an authenticator that has one of them creates no
        /// second one.
        package let known: [ListedPasskey]
    }

    /// Makes a challenge for signing in with any passkey.
    ///
    /// - Parameter now: Seconds since 1970.
    package func assertion(now: Int64) throws -> PasskeyChallenge {
        try PasskeyChallenge(.assert, for: nil, now: now, keys)
    }

    /// Makes a challenge for adding a passkey to the caller's account, with the other data that a
    /// browser needs.
    ///
    /// - Throws: ``Refusal``: `accountRequired`, `signInAgain`.
    package func registration(by context: RequestContext, now: Int64) throws -> Registration {
        try context.caller.facts.require(.accountManage)
        let (account, known) = try database.request(by: context) { batch in
            let account = batch.add(Passkeys.account, context.caller.tokenIssuedAt)
            let known = batch.add(Passkeys.mine)
            return { results, _ in (try results.first(account), try results.rows(known)) }
        }
        guard let account else { throw Refusal(.accountRequired) }
        guard account.isFresh else { throw Refusal(.signInAgain) }
        return Registration(
            challenge: try PasskeyChallenge(.register, for: account.id, now: now, keys),
            account: account, known: known)
    }

    /// Adds a new passkey from an authenticator to the caller's account.
    ///
    /// - Parameter credential: The JSON of the credential, as returned by the browser.
    /// - Returns: All passkeys of the account.
    /// - Throws: ``Refusal``: `passkeyInvalid`, `challengeExpired`, `passkeyExists`,
    ///   `tooManyPasskeys`, `signInAgain`, `accountRequired`.
    package func add(
        _ credential: JSONField, label: Label?, by context: RequestContext, now: Int64
    ) throws -> [ListedPasskey] {
        try context.caller.facts.require(.accountManage)
        let response: RegistrationResponse
        do {
            response = try RegistrationResponse(credential)
        } catch {
            throw error.refusal
        }
        let account = try database.request(by: context) { batch in
            let account = batch.add(Passkeys.account, context.caller.tokenIssuedAt)
            return { results, _ in try results.first(account) }
        }
        guard let account else { throw Refusal(.accountRequired) }
        guard
            let challenge = try PasskeyChallenge(
                answered: response.clientData.challenge, .register, for: account.id, now: now, keys)
        else { throw Refusal(.challengeExpired) }
        let made: NewCredential
        do {
            made = try relyingParty.newCredential(response, to: challenge.bytes)
        } catch {
            throw error.refusal
        }
        let passkeys = try database.request(by: context, writes: true) { batch in
            batch.add(
                Passkeys.add, context.caller.tokenIssuedAt, PostgresBytes(made.id),
                PostgresBytes(made.key.encoded), Int64(made.counter), label?.text,
                made.model.reduce(0) { $0 << 8 | UInt128($1) }, made.transports,
                made.isBackupEligible, made.isBackedUp, PostgresBytes(challenge.hash.bytes),
                challenge.expires, MailJob.payload(of: { .account(.passkeyAdded, recipient: $0) }))
            let resultKey = batch.add(Passkeys.mine)
            return { results, _ in try results.rows(resultKey) }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return passkeys
    }

    /// Signs in the holder of an account's passkey.
    ///
    /// The attempt is counted before the response is verified, in a separate transaction, and the
    /// count is undone if the response is valid. The transaction that starts the session also marks
    /// the challenge as used.
    ///
    /// - Parameter credential: The JSON of the credential, as returned by the browser.
    /// - Throws: ``Refusal``: `passkeyInvalid`, `challengeExpired`, `passkeyRefused`,
    ///   `tooManyAttempts`.
    package func signIn(
        _ credential: JSONField, device: Label?, from client: ClientAddress, now: Int64,
        language: LanguageTag? = nil
    ) throws -> SignedIn {
        let response: AssertionResponse
        do {
            response = try AssertionResponse(credential)
        } catch {
            throw error.refusal
        }
        guard
            let challenge = try PasskeyChallenge(
                answered: response.clientData.challenge, .assert, for: nil, now: now, keys)
        else { throw Refusal(.challengeExpired) }
        let limit = try database.query(Passkeys.reserveAttempt, client.address, client.network)
            .first
        if let limit { throw limit.refusal }
        let stored = try database.query(
            Passkeys.ofCredential, PostgresBytes(response.credentialID),
            PostgresBytes(challenge.hash.bytes)
        ).first
        // Authenticators may omit the user handle.
        guard let stored, (response.userHandle ?? stored.handle.handle) == stored.handle.handle
        else { throw Refusal(.passkeyRefused) }
        // Checked before the counter: a repeated response does not mean that the passkey was
        // copied.
        guard !stored.isAnswered else { throw Refusal(.challengeExpired) }
        let verified = try verify(response, of: stored, to: challenge)
        defer {
            // The database may have enqueued an e-mail.
            if verified.isBackupEligible != stored.isBackupEligible {
                database.notifier.notifyWorkers(MailJob.queue)
            }
        }
        let signedIn = try database.beginSession(by: .passkey, keys, language) {
            session, tokenHash, batch in
            let resultKey = batch.add(
                Passkeys.signIn, stored.id, stored.user, Int64(verified.counter),
                verified.isBackupEligible, verified.isBackedUp,
                PostgresBytes(challenge.hash.bytes), challenge.expires,
                client.address, client.network, session, device?.text, tokenHash,
                MailJob.payload(of: { .account(.passkeySynced, recipient: $0) }))
            return { try $0.first(resultKey).map { ($0, isNew: false) } }
        }
        guard let signedIn else { throw Refusal(.passkeyRefused) }
        return signedIn
    }

    private func verify(
        _ response: AssertionResponse, of stored: StoredPasskey, to challenge: PasskeyChallenge
    ) throws -> VerifiedAssertion {
        do throws(WebAuthnRefusal) {
            return try relyingParty.verify(
                response,
                of: RegisteredCredential(
                    id: response.credentialID, key: try CredentialKey(stored.publicKey.bytes),
                    counter: UInt32(clamping: stored.counter),
                    isBackupEligible: stored.isBackupEligible),
                to: challenge.bytes)
        } catch {
            if error == .counterWentBack { onCopiedPasskey() }
            throw error.refusal
        }
    }
}

extension UserID {
    /// The user handle that authenticators store for an account: the bytes of its id.
    package var handle: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: rawValue >> (120 - $0 * 8)) }
    }
}

extension WebAuthnRefusal {
    /// The refusal that the client gets. It reveals that a response is malformed or meant for
    /// another site, but not whether a credential is known or why its signature was rejected.
    var refusal: Refusal {
        switch self {
        case .malformed, .wrongCeremony, .wrongOrigin, .crossOrigin, .wrongRelyingParty,
            .userAbsent, .userUnverified, .unknownAlgorithm, .unsoundKey:
            Refusal(.passkeyInvalid, .fault(description))
        case .wrongChallenge: Refusal(.challengeExpired)
        case .wrongCredential, .wrongSignature, .counterWentBack, .unverifiable:
            Refusal(.passkeyRefused)
        }
    }
}
