import Foundation
import TestSupport
import Testing

/// Takes long, and tests the tests rather than Hearth: run by `scripts/proofs/agreement`.
@Suite("Mutants of the database", .enabled(if: getenv("HEARTH_AGREEMENT_MUTANTS") != nil))
struct MutationTests {
    @Test("every mutant of policies, views, functions and grants fails a test")
    func mutants() async throws {
        let score = try await onOwnThread { try explaining { try Mutation.run() } }
        print(score)
        for name in score.survivors { Issue.record("not noticed: \(name)") }
        #expect(score.survivors.isEmpty)
    }
}
