import Crypto
package import Domain
import Jobs
import Postgres
import Repositories

/// The use cases of signing in and out: with mailed codes, with passwords, and with tokens of
/// another issuer or of Hearth.
///
/// Separate extensions hold the use cases of mailed codes and of passwords; ``PasskeyService``
/// signs in with passkeys.
package struct SignInService: Sendable {
    let database: Database
    let keys: SignInKeys
    let passwords: PasswordHashing
    private let ask: ProviderTokenRequest?
    private let onReuse: @Sendable () -> Void

    /// - Parameters:
    ///   - ask: Asks a provider, at most once a day, whether the person still allows the app to
    ///     sign in there.
    ///   - onReuse: Called when a session has ended because its token was reused.
    package init(
        _ database: Database, _ keys: SignInKeys, _ passwords: PasswordHashing = PasswordHashing(),
        asking ask: ProviderTokenRequest? = nil, onReuse: @escaping @Sendable () -> Void = {}
    ) {
        self.database = database
        self.keys = keys
        self.passwords = passwords
        self.ask = ask
        self.onReuse = onReuse
    }

    /// Starts a session for the caller of another issuer's token.
    ///
    /// - Parameters:
    ///   - context: The context of a verified token that is not Hearth's own.
    ///   - device: The client's name for the device.
    ///   - grant: The provider's refresh token for the sign-in, which is stored.
    /// - Throws: ``Refusal``: `accountRequired` for a token without an account.
    package func exchange(
        by context: RequestContext, device: Label?, grant: ProviderTokenGrant? = nil,
        language: LanguageTag? = nil
    ) throws -> SignedIn {
        try context.caller.facts.require(.accountManage)
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        let sealed = try grant.map { try keys.seal($0, of: context.caller.issuer) }
        var isFirst = false
        return try database.withConnection { connection in
            try Database.upsertingUser(context, on: connection) { comparesClaims -> SignedIn? in
                var batch = Batch()
                let identity = Database.begin(context, comparesClaims, &batch)
                let begun = batch.add(
                    Sessions.exchange, session, context.caller.issuer, device?.text,
                    PostgresBytes(token.hash.bytes), context.caller.tokenIssuedAt)
                if let grant, let sealed {
                    batch.add(
                        ProviderTokens.store, context.caller.issuer,
                        context.caller.subject, grant.client, sealed)
                }
                if let language { batch.add(Locales.setIfUnknown, language.text) }
                let began = batch.add(Identities.beganWithSignIn)
                let profile = ProfileService.read(isActing: false, in: &batch)
                let results = try connection.send(batch, writes: true)
                let account = try results.row(identity)
                if Database.needsUpsert(account, context, comparesClaims) {
                    isFirst = account.outcome == .unknown
                    return nil
                }
                let subject = try Subject(account, context)
                let row = try results.row(begun)
                return SignedIn(
                    session: session, user: row.user, method: .exchange,
                    startedAt: row.startedAt, refreshToken: token.text,
                    refreshSeconds: row.lastsSeconds, profile: try profile(results, subject),
                    isNew: try isFirst && results.row(began).value)
            }
        }
    }

    /// Refreshes a session: uses its refresh token up and returns the next one.
    ///
    /// A token that was used before returns the newest token again in two cases. While the next
    /// token is unused, it does so for the lifetime of an access token, because the response may
    /// have been lost or been a 503. Once the next token has been used as well, but not the token
    /// after that one, it does so for 30 seconds after its own first use, for devices and tabs
    /// whose requests overlap. In any other case the token may be stolen: the session ends, and its
    /// owner is notified by e-mail.
    ///
    /// - Throws: ``Refusal``: `invalidRefreshToken`, `sessionEnded`.
    package func refresh(_ text: String) throws -> SignedIn {
        guard let token = RefreshToken(text) else { throw Refusal(.invalidRefreshToken) }
        let (signedIn, due) = try rotate(token)
        if let due, let ask, let refreshToken = try keys.open(due.token) {
            // No connection to the database is in use meanwhile.
            let isValid = try ask(due.token.issuer, due.token.client, refreshToken)
            if let isValid {
                try recordCheck(isValid, of: due, .init(id: token.session, account: signedIn.user))
            }
            if isValid == false { throw Refusal(.sessionEnded) }
        }
        return signedIn
    }

    /// Stores the provider's response in the name of the session's account, even if the account has
    /// ended the session in the meantime.
    private func recordCheck(
        _ isValid: Bool, of checked: ProviderTokenToCheck, _ session: Caller.Session
    ) throws {
        let context = RequestContext(
            Caller(session, issuer: checked.token.issuer, signedInAt: 0))
        try database.request(by: context, writes: true) { batch in
            batch.add(ProviderTokens.recordCheck, checked.id, isValid)
            return { _, _ in }
        }
    }

    private func rotate(
        _ token: RefreshToken
    ) throws -> (signedIn: SignedIn, due: ProviderTokenToCheck?) {
        let isAuthentic = try token.isAuthentic(keys)
        let descendants = try token.descendants(keys)
        // The database adds the recipient, since it knows the account.
        let mail = MailJob.payload(of: { .account(.sessionReused, recipient: $0) })
        return try database.withConnection { connection in
            var batch = Batch()
            let key = batch.add(
                Sessions.refresh, token.session, token.generation,
                PostgresBytes(token.hash.bytes), isAuthentic,
                descendants.map { PostgresBytes($0.hash.bytes) }, mail)
            let checks = ask == nil ? nil : batch.add(ProviderTokens.claimCheck, token.session)
            let profile = ProfileService.read(isActing: false, in: &batch)
            let results = try connection.send(batch, writes: true)
            let row = try results.row(key)
            switch row.outcome {
            case .unknown: throw Refusal(.invalidRefreshToken)
            case .ended: throw Refusal(.sessionEnded)
            case .blocked: throw Refusal(.accountBlocked)
            case .reused:
                onReuse()
                database.notifier.notifyWorkers(MailJob.queue)
                throw Refusal(.sessionEnded)
            case .rotated, .repeated: break
            }
            guard let number = row.number, descendants.indices.contains(number - 1),
                let user = row.user, let method = row.method, let startedAt = row.startedAt,
                let seconds = row.lastsSeconds
            else { throw PostgresError(.unexpectedRows, "a refreshed session lacks a column") }
            let due = try checks.flatMap { try results.first($0) }
            let signedIn = SignedIn(
                session: token.session, user: user, method: method, startedAt: startedAt,
                refreshToken: descendants[number - 1].text, refreshSeconds: seconds,
                profile: try profile(results, Subject(signedIn: user)), isNew: false)
            return (signedIn, due)
        }
    }

    /// Ends the session of a refresh token. Does nothing if it has ended already.
    ///
    /// - Returns: The session.
    /// - Throws: ``Refusal``: `invalidRefreshToken`.
    @discardableResult
    package func signOut(_ text: String) throws -> SessionID {
        guard let token = RefreshToken(text) else { throw Refusal(.invalidRefreshToken) }
        let isAuthentic = try token.isAuthentic(keys)
        let isKnown = try database.withConnection { connection in
            var batch = Batch()
            let key = batch.add(
                Sessions.endOfToken, token.session, token.generation,
                PostgresBytes(token.hash.bytes), isAuthentic)
            return try connection.send(batch, writes: true).row(key).value
        }
        if !isKnown { throw Refusal(.invalidRefreshToken) }
        return token.session
    }
}

/// The result of a sign-in: a session, and the profile.
///
/// The caller of the use case creates the access token from it. Access tokens are signed, not
/// stored.
package struct SignedIn: Sendable {
    package let session: SessionID
    package let user: UserID
    package let method: SignInMethod
    /// Time of the sign-in. For another issuer's token it is the token's time of issue, so that
    /// exchanging an old one does not count as a recent sign-in.
    package let startedAt: Timestamp
    /// The refresh token, for the client only.
    package let refreshToken: String
    /// Seconds for which the refresh token can be used.
    package let refreshSeconds: Int
    /// The profile, read in the transaction of the sign-in.
    package let profile: ProfileService.Profile
    /// Whether the sign-in created the account.
    package let isNew: Bool
}

extension Database {
    /// Starts a session for a proven owner of an account, and reads the profile in the same
    /// transaction.
    ///
    /// - Parameter add: Adds the statement that starts the session, given its id and the hash of
    ///   its first refresh token. It returns a closure that reads the session and whether the
    ///   account is new; nil if no session was started.
    func beginSession(
        by method: SignInMethod, _ keys: SignInKeys, _ language: LanguageTag?,
        _ add: (SessionID, PostgresBytes, inout Batch) ->
            (BatchResults) throws -> (begun: StartedSession, isNew: Bool)?
    ) throws -> SignedIn? {
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        return try withConnection { connection in
            var batch = Batch()
            let read = add(session, PostgresBytes(token.hash.bytes), &batch)
            if let language { batch.add(Locales.setIfUnknown, language.text) }
            let profile = ProfileService.read(isActing: false, in: &batch)
            let results = try connection.send(batch, writes: true)
            guard let (begun, isNew) = try read(results) else { return nil }
            return SignedIn(
                session: session, user: begun.user, method: method, startedAt: begun.startedAt,
                refreshToken: token.text, refreshSeconds: begun.lastsSeconds,
                profile: try profile(results, Subject(signedIn: begun.user)), isNew: isNew)
        }
    }
}
