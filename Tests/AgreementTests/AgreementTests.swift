import Postgres
import TestSupport
import Testing

@Suite("Policy and database")
struct AgreementTests {
    @Test("agree on every cell: written table, decide, and what PostgreSQL lets each role do")
    func agreement() throws {
        let tally = try explaining { try Agreement.run(Array(Case.all.prefix(64))) }
        print(tally.counts, tally.readCells, tally.cells, Case.all.count)
        for (what, seen) in tally.mismatches.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(seen.count) x \(what) [\(seen.example)]")
        }
        #expect(tally.mismatchCount == 0)
    }
}

/// Runs `body`; an error of the database is told in full.
func explaining<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as PostgresError {
        throw Explained(description: error.debugDescription)
    }
}

struct Explained: Error, CustomStringConvertible { let description: String }
