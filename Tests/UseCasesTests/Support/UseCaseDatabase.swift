import Postgres
import TestSupport
import UseCaseSupport
import UseCases

/// A suite's own migrated database, used through the use cases as the API uses it.
final class UseCaseDatabase: UseCaseEntry {
    let test: TestDatabase
    let database: Database

    init(connections: Int = 8) throws {
        test = try TestDatabase(.migrated)
        var pool = Pool.Settings()
        pool.size = connections
        pool.leaseTimeoutSeconds = 30
        database = Database(Pool(test.settings(as: "hearth_api"), pool))
    }

    deinit {
        database.pool.close()
        // A database left behind is removed with its throw-away cluster.
        try? test.drop()
    }

    var invitationKeys: InvitationKeys { get throws { try testKeys() } }

    /// Runs SQL as the cluster's superuser.
    func asSuperuser(_ sql: SQL) throws {
        try Connection(test.settings()).query(sql)
    }

    func count(_ sql: SQL) throws -> Int {
        try Connection(test.settings()).query(sql).scalar(Int.self)
    }
}
