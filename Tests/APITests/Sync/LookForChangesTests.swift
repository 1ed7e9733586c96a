import Domain
import Postgres
import Repositories
import TestSupport
import Testing
import UseCases

@Suite("A look for changes")
struct LookForChangesTests {
    @Test(
        "reads what is new by an index, however much is kept",
        arguments: [
            "app.changed_since('-infinity', 30)", "app.changed_since(now(), 0.6)",
        ])
    func usesIndex(_ look: String) throws {
        let connection = try Connection(TestDatabase(.migrated).settings())
        // As few rows as there are, no plan would use an index of its own accord.
        let scans: Int = try connection.transaction { transaction in
            try transaction.query("SELECT count(*) FROM \(unsafe: look)")
            return try transaction.query(
                """
                SELECT sum(seq_scan)::bigint FROM pg_stat_xact_user_tables
                WHERE schemaname = 'app' AND relname IN ('family_changes', 'user_changes')
                """
            ).scalar()
        }
        #expect(scans == 0)
    }

    @Test("goes back to the look before which all is seen, however long a commit takes")
    func goesBack() {
        var past = LookBack()
        #expect(past.since == nil)
        past.add(look(at: 1, firstUnderWay: 100, next: 100))
        // Nothing was under way, so nothing from before can come.
        #expect(past.since == moment(1))
        past.add(look(at: 2, firstUnderWay: 105, next: 110))
        #expect(past.since == moment(1))
        // The one that was under way still is.
        past.add(look(at: 3, firstUnderWay: 105, next: 120))
        past.add(look(at: 4, firstUnderWay: 105, next: 130))
        #expect(past.since == moment(1))
        past.add(look(at: 5, firstUnderWay: 125, next: 140))
        #expect(past.since == moment(3))
        past.add(look(at: 6, firstUnderWay: 140, next: 140))
        #expect(past.since == moment(6))
    }

    @Test("goes back to no look that was too late")
    func beginsLate() {
        var past = LookBack()
        // What was under way then may have begun at any time.
        past.add(look(at: 1, firstUnderWay: 90, next: 100))
        #expect(past.since == nil)
        past.add(look(at: 2, firstUnderWay: 99, next: 110))
        #expect(past.since == nil)
        past.add(look(at: 3, firstUnderWay: 100, next: 120))
        #expect(past.since == moment(1))
    }

    @Test("begins anew on a server whose moments or transactions are earlier")
    func otherServer() {
        let others = [
            look(at: 4, firstUnderWay: 50, next: 60), look(at: 2, firstUnderWay: 190, next: 210),
        ]
        for other in others {
            var past = LookBack()
            past.add(look(at: 3, firstUnderWay: 100, next: 100))
            past.add(other)
            #expect(past.since == nil)
        }
    }

    private func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: seconds * 1_000_000)
    }

    private func look(at seconds: Int64, firstUnderWay: Int64, next: Int64) -> ChangeHorizon {
        ChangeHorizon(moment: moment(seconds), firstUnderWay: firstUnderWay, next: next)
    }
}
