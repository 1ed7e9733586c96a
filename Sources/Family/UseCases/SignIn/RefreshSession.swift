import Crypto
import Domain
import Jobs
import Postgres
import Repositories

/// Continues a session: takes its refresh token and gives the next one.
///
/// A token that was taken gives the newest token again while the next one has not been taken,
/// because the answer may have been lost, or been 503: for as long as an access token lives. If the
/// next one has been taken as well, it does so for 30 seconds, for devices and tabs whose requests
/// overlap. Any other token that was taken may be in somebody else's hands: the session ends, and
/// its owner is told by e-mail.
package struct RefreshSession: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let ask: AskProvider?
    private let onReuse: @Sendable () -> Void

    /// - Parameters:
    ///   - ask: Asks a provider, at most daily, whether it still lets the app sign the person in.
    ///   - onReuse: Called when a session has ended because its token was used again.
    package init(
        _ database: Database, _ keys: SignInKeys, asking ask: AskProvider? = nil,
        onReuse: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.keys = keys
        self.ask = ask
        self.onReuse = onReuse
    }

    /// - Throws: ``Refusal``: `invalidRefreshToken`, `sessionEnded`.
    package func callAsFunction(_ text: String) throws -> SignedIn {
        guard let token = RefreshToken(text) else { throw Refusal(.invalidRefreshToken) }
        let (signedIn, due) = try rotate(token)
        if let due, let ask, let refreshToken = try keys.open(due.token) {
            // No connection to the database is held meanwhile.
            let isGood = try ask(due.token.issuer, due.token.client, refreshToken)
            if let isGood {
                try note(isGood, of: due, .init(id: token.session, account: signedIn.user))
            }
            if isGood == false { throw Refusal(.sessionEnded) }
        }
        return signedIn
    }

    /// As the session's account, which may have ended the session meanwhile.
    private func note(
        _ isGood: Bool, of checked: ProviderTokenToCheck, _ session: Caller.Session
    ) throws {
        let context = RequestContext(
            Caller(session, issuer: checked.token.issuer, signedInAt: 0))
        try database.request(by: context, writes: true) { batch in
            batch.add(ProviderTokens.noteCheck, checked.id, isGood)
            return { _, _ in }
        }
    }

    private func rotate(
        _ token: RefreshToken
    ) throws -> (signedIn: SignedIn, due: ProviderTokenToCheck?) {
        let isAuthentic = try token.isAuthentic(keys)
        let descendants = try token.descendants(keys)
        // The database, which knows the account, names the recipient.
        let mail = MailJob.payload { .account(.sessionReused, recipient: $0) }
        return try database.leased { connection in
            var batch = Batch()
            let place = batch.add(
                Sessions.refresh, token.session, token.generation,
                PostgresBytes(token.hash.bytes), isAuthentic,
                descendants.map { PostgresBytes($0.hash.bytes) }, mail)
            let checks = ask == nil ? nil : batch.add(ProviderTokens.claimCheck, token.session)
            let profile = ReadProfile.reading(isActing: false, in: &batch)
            let answers = try connection.send(batch, writes: true)
            let row = try answers.row(place)
            switch row.outcome {
            case .unknown: throw Refusal(.invalidRefreshToken)
            case .ended: throw Refusal(.sessionEnded)
            case .reused:
                onReuse()
                database.wakeUps.wake(MailJob.queue)
                throw Refusal(.sessionEnded)
            case .rotated, .repeated: break
            }
            guard let number = row.place, descendants.indices.contains(number - 1),
                let user = row.user, let method = row.method, let startedAt = row.startedAt,
                let seconds = row.lastsSeconds
            else { throw PostgresError(.unexpectedRows, "a refreshed session that is not whole") }
            let due = try checks.flatMap { try answers.first($0) }
            let signedIn = SignedIn(
                session: token.session, user: user, method: method, startedAt: startedAt,
                refreshToken: descendants[number - 1].text, refreshSeconds: seconds,
                profile: try profile(answers, Subject(signedIn: user)), isNew: false)
            return (signedIn, due)
        }
    }
}
