import Crypto
import Domain
import Jobs
import Postgres
import Repositories

/// Continues a session: takes its refresh token and gives the next one.
///
/// A token that was taken up to 30 seconds ago gives the same next token again, because the answer
/// may have been lost. One that was taken before that may be in somebody else's hands: the session
/// ends, and its owner is told by e-mail.
package struct RefreshSession: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let onReuse: @Sendable () -> Void

    /// - Parameter onReuse: Called when a session has ended because its token was used again.
    package init(
        _ database: Database, _ keys: SignInKeys, onReuse: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.keys = keys
        self.onReuse = onReuse
    }

    /// - Throws: ``Refusal``: `invalidRefreshToken`, `sessionEnded`.
    package func callAsFunction(_ text: String) throws -> SignedIn {
        guard let token = RefreshToken(text) else { throw Refusal(.invalidRefreshToken) }
        let isAuthentic = try token.isAuthentic(keys)
        let successors = try token.successors(keys)
        // The database, which knows the account, names the recipient.
        let mail = MailJob(.sessionReused(recipient: UserID(rawValue: 0))).job(in: nil).payload
        return try database.leased { connection in
            var batch = Batch()
            let place = batch.add(
                Sessions.refresh, token.session, token.generation,
                PostgresBytes(token.hash.bytes), isAuthentic,
                successors.map { PostgresBytes($0.hash.bytes) }, mail)
            let profile = ReadProfile.reading(in: &batch)
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
            guard let number = row.place, successors.indices.contains(number - 1),
                let user = row.user, let method = row.method, let startedAt = row.startedAt,
                let seconds = row.lastsSeconds
            else { throw PostgresError(.unexpectedRows, "a refreshed session that is not whole") }
            return SignedIn(
                session: token.session, user: user, method: method, startedAt: startedAt,
                refreshToken: successors[number - 1].text, refreshSeconds: seconds,
                profile: try profile(answers, Subject(signedIn: user)), isNew: false)
        }
    }
}
