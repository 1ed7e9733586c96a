import Foundation
import TestSupport
import Testing

/// Takes long, and tells of the tests rather than of Hearth: run by `scripts/proofs/agreement`.
@Suite("Faults", .enabled(if: getenv("HEARTH_AGREEMENT_MUTANTS") != nil))
struct MutationTests {
    @Test("in policies, views, functions and grants are all noticed")
    func mutants() async throws {
        let score = try await onOwnThread { try explaining { try Mutation.run() } }
        print(score)
        for name in score.survivors { Issue.record("not noticed: \(name)") }
        #expect(score.survivors.isEmpty)
    }
}
