import Postgres
import TestSupport
import Testing

@Suite("Sessions after a failure")
struct RecoveryTests {
    private static let one = Statement<Scalar<Int>>("SELECT 1::int8")
    private static let fail = Statement<Scalar<Int32>>("SELECT 1/0")
    private static let prepared = Statement<Scalar<Int>>(
        "SELECT count(*) FROM pg_prepared_statements")

    @Test("a session keeps its prepared statements after a rollback")
    func keepsPrepared() throws {
        var settings = Pool.Settings()
        settings.size = 1
        let pool = Pool(try TestDatabase.cluster(), settings)
        let before = try pool.withConnection { connection in
            try connection.run(Self.one)
            return try connection.run(Self.prepared).first?.value
        }
        #expect(throws: PostgresError.self) {
            try pool.withConnection { connection in
                try connection.transaction { transaction in
                    try transaction.run(Self.one)
                    try transaction.run(Self.fail)
                }
            }
        }
        let after = try pool.withConnection { try $0.run(Self.prepared).first?.value }
        // BEGIN and ROLLBACK were prepared in addition; no statement was lost.
        #expect(try #require(after) > #require(before))
    }

    @Test("a statement outdated by a schema change is prepared anew, even inside a transaction")
    func outdatedInTransaction() throws {
        try TestDatabase.with(.empty) { database in
            let connection = try Connection(database.settings())
            try connection.execute(script: "CREATE TABLE numbers (n int8)")
            let all = Statement<NoRow>("SELECT * FROM numbers")
            try connection.run(all)
            try connection.execute(script: "ALTER TABLE numbers ADD COLUMN more text")
            var attempts = 0
            try connection.transaction(.init(attempts: 1)) { transaction in
                attempts += 1
                try transaction.run(all)
            }
            #expect(attempts == 2)
            #expect(!connection.isInTransaction && !connection.isBroken)
        }
    }

    @Test(
        "a connection whose session the server ends is broken, whatever the reported SQLSTATE",
        arguments: [
            "SET idle_in_transaction_session_timeout = '10ms'", "SET idle_session_timeout = '10ms'",
        ])
    func timeouts(setting: String) throws {
        let connection = try Connection(try TestDatabase.cluster())
        let observer = try Connection(try TestDatabase.cluster())
        let id = Int(connection.backendProcessID)
        if setting.contains("transaction") { try connection.execute(script: "BEGIN") }
        try connection.execute(script: setting)
        try eventually {
            try observer.query("SELECT count(*) FROM pg_stat_activity WHERE pid = \(id)")
                .scalar(Int.self) == 0
        }
        let error = #expect(throws: PostgresError.self) { try connection.run(Self.one) }
        #expect(error?.code == .connectionLost)
        #expect(connection.isBroken)
    }

}
