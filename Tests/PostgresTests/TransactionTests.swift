import Postgres
import TestSupport
import Testing

@Suite("Transactions")
struct TransactionTests {
    private static let insert = Statement<NoRow, Int>("INSERT INTO numbers VALUES ($1)")
    private static let count = Statement<Scalar<Int>>("SELECT count(*) FROM numbers")
    private static let fail = Statement<Scalar<Int32>>("SELECT 1/0")

    private func withNumbers(_ body: (TestDatabase, Connection) throws -> Void) throws {
        try TestDatabase.with(.empty) { database in
            let connection = try Connection(database.settings())
            try connection.execute(script: "CREATE TABLE numbers (n int8 PRIMARY KEY)")
            try body(database, connection)
        }
    }

    private func stored(_ connection: Connection) throws -> Int? {
        try connection.run(Self.count).first?.value
    }

    @Test("the statements of one batch take effect together or not at all")
    func batchIsAtomic() throws {
        try withNumbers { _, connection in
            var batch = Batch()
            batch.add(Self.insert, 1)
            batch.add(Self.fail)
            batch.add(Self.insert, 2)
            let error = #expect(throws: PostgresError.self) { try connection.send(batch) }
            #expect(error?.sqlState == "22012")
            #expect(error?.query == "SELECT 1/0")
            let left = try stored(connection)
            #expect(left == 0)
            #expect(!connection.isInTransaction && !connection.isBroken)
        }
    }

    @Test("a statement that failed in a batch can be prepared and run afterwards")
    func preparedAfterFailure() throws {
        try withNumbers { _, connection in
            var batch = Batch()
            batch.add(Self.fail)
            batch.add(Self.insert, 7)
            #expect(throws: PostgresError.self) { try connection.send(batch) }
            try connection.run(Self.insert, 7)
            let left = try stored(connection)
            #expect(left == 1)
        }
    }

    @Test("each result of a batch is found by its key")
    func results() throws {
        try withNumbers { _, connection in
            var batch = Batch()
            batch.add(Self.insert, 1)
            let counted = batch.add(Self.count)
            batch.add(Self.insert, 2)
            let again = batch.add(Self.count)
            let results = try connection.send(batch)
            #expect(try results.row(counted).value == 1)
            #expect(try results.row(again).value == 2)
        }
    }

    @Test("an error thrown by the body rolls everything back and reaches the caller")
    func rollback() throws {
        struct Stop: Error {}
        try withNumbers { _, connection in
            #expect(throws: Stop.self) {
                try connection.transaction { transaction in
                    try transaction.run(Self.insert, 1)
                    throw Stop()
                }
            }
            let left = try stored(connection)
            #expect(left == 0)
        }
    }

    @Test("sendAndCommit commits with the last statements")
    func commitWithLast() throws {
        try withNumbers { database, connection in
            let other = try Connection(database.settings())
            try connection.transaction { transaction in
                try transaction.run(Self.insert, 1)
                var last = Batch()
                last.add(Self.insert, 2)
                _ = try transaction.sendAndCommit(last)
                #expect(try other.run(Self.count).first?.value == 2)
            }
        }
    }

    @Test("a failed statement prevents the commit even if the body catches the error")
    func swallowedFailure() throws {
        try withNumbers { _, connection in
            let error = #expect(throws: PostgresError.self) {
                try connection.transaction { transaction in
                    try transaction.run(Self.insert, 1)
                    _ = try? transaction.run(Self.fail)
                }
            }
            #expect(error?.sqlState == .failedTransaction)
            let left = try stored(connection)
            #expect(left == 0)
        }
    }

    @Test("a read-only transaction refuses writes, and the connection stays usable")
    func readOnly() throws {
        try withNumbers { _, connection in
            #expect(throws: PostgresError.self) {
                try connection.transaction(.init(isReadOnly: true)) {
                    try $0.run(Self.insert, 1)
                }
            }
            #expect(!connection.isBroken)
        }
    }

    @Test("a write refused because the server is now read-only breaks the connection")
    func readOnlyServer() throws {
        try withNumbers { _, connection in
            try connection.execute(script: "SET default_transaction_read_only = on")
            #expect(throws: PostgresError.self) {
                try connection.transaction { try $0.run(Self.insert, 1) }
            }
            #expect(connection.isBroken)
        }
    }

    @Test("both of two deadlocking transactions succeed, one of them retried")
    func deadlock() throws {
        try withNumbers { database, connection in
            try connection.execute(
                script: "INSERT INTO numbers VALUES (1), (2); ALTER TABLE numbers ADD hits int8")
            try connection.execute(script: "UPDATE numbers SET hits = 0")
            let update = Statement<NoRow, Int>("UPDATE numbers SET hits = hits + 1 WHERE n = $1")
            let settings = database.settings()
            let gate = Gate(2)
            let attempts = onThreads(2) { index in
                let connection = try Connection(settings)
                try connection.execute(script: "SET deadlock_timeout = '20ms'")
                var attempts = 0
                // The loser may lose again if it retries before the other continues.
                try connection.transaction(.init(attempts: 50)) { transaction in
                    attempts += 1
                    try transaction.run(update, index == 0 ? 1 : 2)
                    if attempts == 1 { gate.arriveAndWait() }
                    try transaction.run(update, index == 0 ? 2 : 1)
                }
                return attempts
            }
            #expect(try attempts.map { try $0.get() }.contains { $0 > 1 })
            #expect(
                try connection.query("SELECT sum(hits)::int8 FROM numbers").scalar(Int.self) == 4)
        }
    }

    @Test(
        "a batch that PostgreSQL aborts because of a conflict is sent up to three times",
        arguments: ["40P01", "40001"], [1, 2, 3])
    func batchGivenUp(sqlState: String, losses: Int) throws {
        try withNumbers { _, connection in
            // Sequences are not rolled back, so this one counts attempts.
            try connection.execute(
                script: """
                    CREATE SEQUENCE attempts;
                    CREATE FUNCTION lose() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                        IF nextval('attempts') <= \(losses) THEN
                            RAISE SQLSTATE '\(sqlState)';
                        END IF;
                    END $$;
                    """)
            var batch = Batch()
            _ = batch.add(Self.insert, 1)
            _ = batch.add(Statement<NoRow>("SELECT FROM lose()"))
            let isLost = losses == 3
            do {
                _ = try connection.send(batch, writes: true)
                #expect(!isLost)
            } catch let error as PostgresError {
                #expect(isLost && error.isRetriable, "\(error)")
            }
            let attempts = try connection.query("SELECT last_value FROM attempts")
            #expect(try attempts.scalar(Int.self) == min(losses + 1, 3))
            let rows = try connection.query("SELECT count(*) FROM numbers").scalar(Int.self)
            #expect(rows == (isLost ? 0 : 1))
        }
    }

    @Test("a serialization failure is returned after the allowed number of attempts")
    func serialization() throws {
        try withNumbers { _, connection in
            var attempts = 0
            let error = #expect(throws: PostgresError.self) {
                try connection.transaction(.init(isolation: .serializable, attempts: 4)) {
                    attempts += 1
                    try $0.query("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
                }
            }
            #expect(error?.sqlState == .serializationFailure && attempts == 4)
        }
    }

    @Test("a backend killed during a transaction leaves no changes")
    func killed() throws {
        try withNumbers { database, connection in
            let victim = try Connection(database.settings())
            let error = #expect(throws: PostgresError.self) {
                try victim.transaction { transaction in
                    try transaction.run(Self.insert, 1)
                    let id = Int(victim.backendProcessID)
                    try connection.query("SELECT pg_terminate_backend(\(Int32(id)))")
                    try eventually {
                        try connection.query(
                            "SELECT count(*) FROM pg_stat_activity WHERE pid = \(id)"
                        ).scalar(Int.self) == 0
                    }
                    try transaction.run(Self.insert, 2)
                }
            }
            #expect(error?.code == .connectionLost)
            let left = try stored(connection)
            #expect(left == 0)
        }
    }

    @Test("a backend killed before it answers a COMMIT leaves the outcome unknown")
    func killedAtCommit() throws {
        try withNumbers { _, connection in
            try connection.execute(
                script: """
                    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER die AFTER INSERT ON numbers
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die();
                    """)
            let error = #expect(throws: PostgresError.self) {
                try connection.transaction { try $0.run(Self.insert, 1) }
            }
            #expect(error?.code == .commitUnknown)
        }
    }

    @Test("a deferred constraint fails only its batch, and the error names the constraint")
    func deferredConstraint() throws {
        try withNumbers { _, connection in
            try connection.execute(
                script: """
                    ALTER TABLE numbers DROP CONSTRAINT numbers_pkey,
                        ADD CONSTRAINT numbers_once UNIQUE (n)
                    DEFERRABLE INITIALLY DEFERRED
                    """)
            var batch = Batch()
            for _ in 0..<2 { batch.add(Self.insert, 7) }
            let error = #expect(throws: PostgresError.self) { try connection.send(batch) }
            #expect(error?.code == .server && error?.constraint == "numbers_once")
            #expect(try connection.query("SELECT 1").scalar(Int.self) == 1)
            #expect(try stored(connection) == 0)
        }
    }

    @Test("a plan outdated by a schema change is prepared anew automatically")
    func outdatedPlan() throws {
        try withNumbers { _, connection in
            let all = Statement<NoRow>("SELECT * FROM numbers")
            try connection.run(all)
            try connection.execute(script: "ALTER TABLE numbers ADD COLUMN more text")
            try connection.run(all)
            try connection.execute(script: "DEALLOCATE ALL")
            try connection.run(all)
        }
    }

}

@Suite("Unknown outcomes of commits")
struct OutcomeTests {
    private static let one = Statement<NoRow>("DO $$ BEGIN RAISE WARNING 'x'; END $$")
    private static let sleep = Statement<NoRow>("SELECT pg_sleep(600)")

    @Test("an unanswered batch has an unknown outcome if it writes, otherwise a missed deadline")
    func unanswered() throws {
        for (writes, code) in [
            (true, PostgresError.Code.commitUnknown), (false, .deadlineExceeded),
        ] {
            let connection = try Connection(try TestDatabase.cluster())
            var batch = Batch()
            batch.add(Self.sleep)
            let error = #expect(throws: PostgresError.self) {
                try connection.send(batch, deadline: .after(seconds: 0.05), writes: writes)
            }
            #expect(error?.code == code)
            let next = #expect(throws: PostgresError.self) {
                try connection.send(batch, writes: writes)
            }
            #expect(next?.code == .connectionLost)
            #expect(throws: PostgresError.self) { try connection.transaction { _ in } }
        }
    }

    @Test("a COMMIT past its deadline has an unknown outcome, and no backend keeps waiting")
    func commitDeadline() throws {
        let server = try PrivateServer()
        let standby = AwayStandby(of: try server.settings)
        try Connection(server.settings).execute(script: "CREATE TABLE numbers (n int)")
        var settings = try server.settings
        settings.commitTimeoutSeconds = 0.2
        try standby.set(away: true, givesUp: false)
        var batch = Batch()
        batch.add(Statement<NoRow>("INSERT INTO numbers VALUES (1)"))
        let error = #expect(throws: PostgresError.self) {
            try Connection(settings).send(batch, writes: true)
        }
        #expect(error?.code == .commitUnknown)
        try standby.awaitNoWaiter()
        let read = try Connection(settings)
        #expect(try read.query("SELECT count(*) FROM numbers").scalar(Int.self) == 1)
    }

    @Test("a transaction without writes waits for the standby only if commits are to be confirmed")
    func confirming() throws {
        let server = try PrivateServer()
        let standby = AwayStandby(of: try server.settings)
        try standby.set(away: true)
        let connection = try Connection(server.settings)
        let one = Statement<Scalar<Int32>>("SELECT 1")
        #expect(try connection.run(one).map(\.value) == [1])
        connection.confirmsCommits = true
        let batched = #expect(throws: PostgresError.self) { try connection.run(one) }
        #expect(batched?.code == .commitUnknown)
        let stepwise = #expect(throws: PostgresError.self) {
            try connection.transaction { _ = try $0.run(one) }
        }
        #expect(stepwise?.code == .commitUnknown)
        let options = TransactionOptions(isReadOnly: true)
        #expect(try connection.transaction(options) { try $0.run(one).map(\.value) } == [1])
        try standby.set(away: false)
        #expect(try connection.run(one).map(\.value) == [1])
    }

    @Test("a warning raised by a statement does not count as an unconfirmed commit")
    func warning() throws {
        try Connection(try TestDatabase.cluster()).run(Self.one)
    }
}
