import Glibc
import Postgres
import TestSupport
import Testing

@Suite("Policy and database")
struct AgreementTests {
    @Test("client roles hold exactly the listed privileges")
    func catalogue() throws {
        let differences = try explaining {
            try TestDatabase.with(.migrated) {
                try Catalogue.differences(Connection($0.settings()))
            }
        }
        #expect(differences == [])
    }

    @Test("the written table, decide() and PostgreSQL agree on every cell")
    func agreement() async throws {
        let tally = try await onOwnThread {
            try explaining { try Agreement.run() }
        }
        print(tally)
        for (what, seen) in tally.mismatches.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(seen.count) x \(what) [\(seen.example)]")
        }
        #expect(tally.mismatchCount == 0)
    }
}

/// Runs `body`. Replaces a database error by one whose description has all details.
func explaining<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as PostgresError {
        throw Explained(description: error.debugDescription)
    }
}

struct Explained: Error, CustomStringConvertible { let description: String }
