import Domain
import Postgres
import Repositories

/// Ends the session of a refresh token. One that has ended already stays so.
package struct SignOut: Sendable {
    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// - Throws: ``Refusal``: `invalidRefreshToken`.
    package func callAsFunction(_ text: String) throws {
        guard let token = RefreshToken(text) else { throw Refusal(.invalidRefreshToken) }
        let isAuthentic = try token.isAuthentic(keys)
        let isKnown = try database.leased { connection in
            var batch = Batch()
            let place = batch.add(
                Sessions.signOut, token.session, token.generation,
                PostgresBytes(token.hash.bytes), isAuthentic)
            return try connection.send(batch, writes: true).row(place).value
        }
        if !isKnown { throw Refusal(.invalidRefreshToken) }
    }
}
