import Domain
import Postgres
import Repositories
import TestSupport
import Testing
import UseCases

@Suite("Polling for changes")
struct LookForChangesTests {
    @Test(
        "a poll for changes uses indexes",
        arguments: [
            "'{}', '{}', 0, '-infinity', '-infinity'",
            "'{3}', ARRAY[now()], 3, now() - interval '1 second', now()",
        ])
    func usesIndex(_ unseen: String) throws {
        let connection = try Connection(TestDatabase(.migrated).settings())
        // With so few rows, the planner would choose no index by itself.
        let scans: Int = try connection.transaction { transaction in
            try transaction.query(
                "SELECT count(*) FROM app.changed_since(\(unsafe: unseen), 30)")
            return try transaction.query(
                """
                SELECT sum(seq_scan)::bigint FROM pg_stat_xact_user_tables
                WHERE schemaname = 'app'
                    AND relname IN ('family_changes', 'user_changes', 'sessions')
                """
            ).scalar()
        }
        #expect(scans == 0)
    }

    /// A person whose name changes in a transaction that stays open after raising the versions.
    private struct SlowCommit {
        let database: TestDatabase
        let writer: Connection
        let hash: Int64

        init() throws {
            database = try TestDatabase(.migrated)
            writer = try Connection(database.settings())
            try writer.query(
                """
                INSERT INTO app.users (id, full_name)
                VALUES ('00000000-0000-4000-8000-000000000001', 'Ann')
                """)
            hash = try writer.query(
                "SELECT hashtextextended('00000000-0000-4000-8000-000000000001', 0)"
            ).scalar()
        }

        func change() throws {
            try writer.query("BEGIN")
            try writer.query("UPDATE app.users SET full_name = full_name || '.'")
            try writer.query("SET CONSTRAINTS ALL IMMEDIATE")
        }
    }

    @Test(
        "the first poll after a slow commit finds its change",
        arguments: [false, true])
    func findsLateCommit(othersCommit: Bool) throws {
        let slow = try SlowCommit()
        let others = try Connection(slow.database.settings())
        let watch = try Connection(slow.database.settings(as: "hearth_api"))
        var past = Lookback()
        _ = try past.query(on: watch, atMost: 30)
        // Changes found before are not found again.
        try watch.query("SELECT pg_sleep(0.6)")
        _ = try past.query(on: watch, atMost: 30)
        try slow.change()
        for _ in 1...6 {
            if othersCommit { try others.query("SELECT pg_current_xact_id()") }
            let early = try past.query(on: watch, atMost: 30)
            #expect(!early.contains { $0.idHash == slow.hash })
            try watch.query("SELECT pg_sleep(0.2)")
        }
        try slow.writer.query("COMMIT")
        if othersCommit { try others.query("SELECT pg_current_xact_id()") }
        let found = try past.query(on: watch, atMost: 30)
        #expect(found.contains { $0.idHash == slow.hash })
        try watch.query("SELECT pg_sleep(0.6)")
        _ = try past.query(on: watch, atMost: 30)
        let again = try past.query(on: watch, atMost: 30)
        #expect(again.isEmpty)
    }

    @Test("the next transaction id is beyond an open transaction; the snapshot's end may not be")
    func readsCounter() throws {
        let database = try TestDatabase(.migrated)
        let writer = try Connection(database.settings())
        let watch = try Connection(database.settings(as: "hearth_api"))
        // A transaction of another test that ends between the two reads moves the end of
        // snapshots, so the two follow each other directly, with a new transaction each time.
        try eventually {
            try writer.query("BEGIN")
            defer { _ = try? writer.query("ROLLBACK") }
            let number = try writer.query(
                "SELECT pg_current_xact_id()::text::bigint"
            ).scalar(Int64.self)
            let horizon = try #require(try watch.run(Changes.snapshot).first)
            #expect(horizon.next > number && horizon.next - number < 10_000)
            return horizon.end <= number
        }
    }

    @Test("each poll starts at the last poll before the oldest open transaction")
    func goesBack() {
        var past = Lookback()
        #expect(past.unseen.endSince == Lookback.beginningOfTime)
        past.add(look(at: 1, end: 100, next: 100))
        // No transaction was open, so nothing from before can appear.
        #expect(past.unseen.endSince == moment(1))
        // Transaction 105 is open, and 103 may be.
        past.add(look(at: 2, underWay: [105], end: 106, next: 110))
        #expect(past.unseen.underWay == [105] && past.unseen.since == [moment(1)])
        #expect(past.unseen.endSince == moment(1))
        // Transaction 105 is still covered, and all from 120 on began later.
        past.add(look(at: 3, underWay: [105], end: 120, next: 120))
        past.add(look(at: 4, underWay: [105, 125], end: 130, next: 130))
        past.add(look(at: 40, underWay: [105, 125], end: 140, next: 150))
        #expect(past.unseen.underWay == [105, 125])
        #expect(past.unseen.since == [moment(1), moment(3)])
        #expect(past.unseen.endSince == moment(4))
        past.add(look(at: 41, end: 150, next: 150))
        #expect(past.unseen.underWay.isEmpty && past.unseen.endSince == moment(41))
    }

    @Test("each poll covers the latest transaction too, while no other follows it")
    func followedByNone() {
        var past = Lookback()
        past.add(look(at: 1, end: 100, next: 100))
        // The snapshot ends after the last completed transaction, and so does not include 100.
        for second: Int64 in 2...20 { past.add(look(at: second, end: 100, next: 101)) }
        #expect(past.unseen.end == 100 && past.unseen.endSince == moment(1))
        past.add(look(at: 21, end: 101, next: 101))
        #expect(past.unseen.endSince == moment(21))
    }

    @Test("the first poll assumes that open transactions may have begun at any earlier time")
    func beginsLate() {
        var past = Lookback()
        past.add(look(at: 1, underWay: [90], end: 99, next: 100))
        #expect(past.unseen.since == [Lookback.beginningOfTime])
        #expect(past.unseen.endSince == Lookback.beginningOfTime)
        past.add(look(at: 2, underWay: [90], end: 110, next: 110))
        #expect(past.unseen.since == [Lookback.beginningOfTime])
        #expect(past.unseen.endSince == moment(2))
    }

    @Test("polling starts from the beginning after a server's time or transaction ids went back")
    func otherServer() {
        let others = [look(at: 4, end: 60, next: 60), look(at: 2, end: 210, next: 211)]
        for other in others {
            var past = Lookback()
            past.add(look(at: 3, end: 100, next: 100))
            past.add(other)
            #expect(past.unseen.queriedAt == other.moment)
            past.add(look(at: 5, underWay: [55], end: 220, next: 220))
            #expect(past.unseen.since == [Lookback.beginningOfTime])
        }
    }

    private func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: seconds * 1_000_000)
    }

    private func look(
        at seconds: Int64, underWay: [Int64] = [], end: Int64, next: Int64
    ) -> TransactionSnapshot {
        TransactionSnapshot(moment: moment(seconds), underWay: underWay, end: end, next: next)
    }
}
