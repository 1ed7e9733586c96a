import Domain
import Foundation
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Erasing an account under load")
struct ErasureUnderLoadTests {
    private static let now = Int64(Date().timeIntervalSince1970)

    private let entry: UseCaseDatabase
    init() throws { entry = try UseCaseDatabase(connections: 24) }

    private func erase(_ caller: RequestContext, _ successors: AccountService.Successors) throws {
        var caller = caller
        caller.tokenIssuedAt = Self.now
        try AccountService(entry.database, entry.invitationKeys.deletionCodes).erase(
            by: caller, successors: successors, now: Self.now)
    }

    /// Concurrent actions of family members during the erasure. Each may be refused; none may fail.
    private func load(
        _ family: FullFamilyFixture<UseCaseDatabase>, _ leaving: RequestContext, _ index: Int
    ) throws {
        let database = entry.database
        let name = try #require(DisplayName("Chick \(index)"))
        switch index % 8 {
        case 0: _ = try ChildService(database).add(by: leaving, family: family.id, name: name)
        case 1: try entry.join(RequestContext.person(), family.code)
        case 2:
            _ = try entry.invite("guest\(index)@example.com", to: family.id, by: leaving)
        case 3:
            _ = try MemberService(database).setHouseholdRole(
                by: family.admin, member: try family.member(leaving), to: .adult)
        case 4: try MemberService(database).leave(by: leaving, family: family.id)
        case 5: _ = try entry.create(leaving, name: "Another \(index)")
        case 6:
            _ = try ProfileService(database).update(
                by: leaving, .init(fullName: PersonName("Back")))
        default: _ = try entry.members(family.player, family.id)
        }
    }

    @Test("fifty concurrent erasures under load erase the account once, without an error")
    func fifty() throws {
        for _ in 0..<4 {
            let family = try entry.family()
            let leaving = family.adult
            let newGuardian = try family.member(family.admin)
            let membership = try family.member(leaving)
            let outcomes = onThreads(100) { index -> RefusalCode? in
                try ending {
                    if index.isMultiple(of: 2) {
                        try erase(leaving, .init(guardians: [newGuardian]))
                    } else {
                        try load(family, leaving, index / 2)
                    }
                }?.code
            }
            // A refusal is a valid outcome; any other error is not.
            let codes = try outcomes.map { try $0.get() }
            // The admin can't demote anybody here, so an erasure is refused only to a person who
            // left before: by then the heir is no longer a member of the same family.
            let erasures = stride(from: 0, to: 100, by: 2).map { codes[$0] }
            #expect(erasures.allSatisfy { [nil, .memberNotFound].contains($0) }, "\(erasures)")
            if erasures.contains(nil) { try checkErased(leaving, membership) }
            try erase(leaving, .init(erasesChildren: true))
            try checkErased(leaving, membership)
            let faults = try entry.count("SELECT count(*) FROM app.find_faults(100)")
            #expect(faults == 0)
        }
    }

    /// Checks that the erased person's membership refers to the anonymous id of erased accounts.
    private func checkErased(_ person: RequestContext, _ membership: MemberID) throws {
        let id = try Connection(entry.test.settings()).query(
            "SELECT user_id FROM app.family_members WHERE id = \(membership.rawValue)"
        ).scalar(UInt128.self)
        #expect(id != person.adoptedID?.rawValue)
        let counts: [(String, SQL, Int)] = [
            (
                "rows of the trail",
                """
                SELECT count(*) FROM app.audit_log
                WHERE action = 'user.erase' AND subject_user_id = \(id)
                """, 1
            ),
            ("sign-ins", "SELECT count(*) FROM app.user_identities WHERE user_id = \(id)", 0),
            (
                "memberships",
                """
                SELECT count(*) FROM app.family_members
                WHERE user_id = \(id) AND status <> 'removed'
                """, 0
            ),
            (
                "children",
                "SELECT count(*) FROM app.family_members WHERE active_guardian_id = \(id)",
                0
            ),
            (
                "invitations",
                """
                SELECT count(*) FROM app.family_invitations
                WHERE invited_by = \(id) AND status = 'pending'
                """, 0
            ),
            (
                "what tells who it was",
                """
                SELECT count(*) FROM app.users WHERE id = \(id)
                    AND (full_name IS NOT NULL OR email IS NOT NULL OR deleted_at IS NULL)
                """, 0
            ),
            (
                "accounts by the former id",
                """
                SELECT count(*) FROM app.users
                WHERE id = \(try #require(person.adoptedID).rawValue)
                """, 0
            ),
            (
                "new accounts of the same tokens",
                """
                SELECT count(*) FROM app.users WHERE email = \(try #require(person.email).text)
                """, 0
            ),
        ]
        for (what, sql, expected) in counts {
            let found = try entry.count(sql)
            #expect(found == expected, "\(what)")
        }
    }
}
