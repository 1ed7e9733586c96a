import Foundation
import Postgres
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

@Suite("Making of mutants")
struct MutantTests {
    @Test("each condition of a rule is replaced, in whatever language the rule is written")
    func conditions() throws {
        try TestDatabase.with(.migrated) { database in
            let names = Set(try Mutants.all(Connection(database.settings())).map(\.name))
            for name in [
                "app.is_guardian: true for WHERE w.member_id = (p_child).id",
                "app.is_guardian: false for AND w.guardian_user_id = (p_caller).user_id",
                "app.approval_is_automatic: false for EXISTS ( SELECT FROM "
                    + "app.automatic_approval AS a WHERE app.is_lasting(a.lasts_until, "
                    + "app.automatic_approval_time()))",
                "app.may_send_invitation: true for IF (p_invitation).kind = 'graduation'",
                "app.outcome_of_joining: false for IF (p_former).status = 'active'",
                "app.household_role_of_returning: true for WHEN (p_former).id IS NULL",
            ] {
                #expect(names.contains(name), "\(name)")
            }
        }
    }
}
