import Domain
import Foundation
import Policy
import Postgres
import Synchronization
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Guardians under contention")
struct GuardianContentionTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    /// Children whose primary guardian is not among their guardians, or is no active adult.
    private static let orphans: SQL = """
        SELECT count(*) FROM app.family_members AS m
        WHERE m.user_kind = 'managed' AND m.status = 'active' AND NOT EXISTS (
            SELECT FROM app.guardianships AS w
            JOIN app.family_members AS g ON g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id
            WHERE w.member_id = m.id AND w.guardian_user_id = m.parent_user_id)
        """

    private typealias Adult = (actor: RequestContext, member: MemberID)

    /// Creates twelve adults, each the primary guardian of one child and a further guardian of
    /// three others.
    private func nest(
        _ family: FullFamilyFixture<UseCaseDatabase>
    ) throws -> (adults: [Adult], children: [MemberID]) {
        try entry.asSuperuser(
            "UPDATE app.family_units SET member_limit = 60 WHERE id = \(family.id.rawValue)")
        let adults = try (0..<12).map { _ in try family.joiner() }
        let children = try adults.map { adult in
            try entry.addManagedMember(named: "Chick", of: adult.actor, to: family.id)
        }
        for (index, child) in children.enumerated() {
            for step in 1...3 {
                _ = try GuardianService(entry.database).add(
                    by: adults[index].actor, member: child,
                    guardian: adults[(index + step) % adults.count].member)
            }
        }
        return (adults, children)
    }

    private func erase(_ adult: RequestContext) throws {
        var caller = adult
        let now = Int64(Date().timeIntervalSince1970)
        caller.tokenIssuedAt = now
        try AccountService(entry.database, entry.invitationKeys.deletionCodes).erase(
            by: caller, now: now)
    }

    /// Whether the query for orphans finds an orphan that the test has created.
    private func noticesAnOrphan(in family: FamilyID) throws -> Bool {
        let connection = try Connection(entry.test.settings())
        try connection.execute(
            script: "BEGIN; SET LOCAL session_replication_role = replica")
        // Limited to this family: other tests change theirs at the same time.
        try connection.query(
            "DELETE FROM app.guardianships WHERE family_unit_id = \(family.rawValue)")
        let found = try connection.query(Self.orphans).scalar(Int.self)
        try connection.execute(script: "ROLLBACK")
        return found > 0
    }

    @Test(
        "no snapshot shows a child without a guardian while sixty members leave, change and graduate"
    )
    func snapshots() throws {
        let entry = try entry
        let database = entry.database
        let family = try entry.family()
        let (adults, children) = try nest(family)
        let isDone = Atomic(false)
        let looks = Atomic(0)
        let watchers = (0..<2).map { _ in
            inBackground { () throws -> Int in
                let connection = try Connection(entry.test.settings())
                var most = 0
                while !isDone.load(ordering: .acquiring) {
                    most = max(most, try connection.query(Self.orphans).scalar(Int.self))
                    looks.wrappingAdd(1, ordering: .releasing)
                }
                return most
            }
        }
        try eventually { looks.load(ordering: .acquiring) > 0 }
        let graduations = try children.indices.map { index in
            try #require(
                try InvitationService(database, testKeys()).startGraduation(
                    by: adults[index].actor, member: children[index], to: .link, role: .player,
                    householdRole: .kid
                ).token
            ).text
        }
        // Each adult meets all kinds of change, starting with a different one than its neighbours.
        @Sendable func kind(_ index: Int) -> Int {
            (index / adults.count + index % adults.count) % 5
        }
        let outcomes = try onThreads(60) { index in
            let place = index % adults.count
            let (adult, member) = adults[place]
            let told = try ending {
                switch kind(index) {
                case 0: try MemberService(database).leave(by: adult, family: family.id)
                case 1:
                    _ = try MemberService(database).setHouseholdRole(
                        by: family.admin, member: member, to: .kid)
                case 2: try MemberService(database).remove(by: family.admin, member: member)
                case 3: try erase(adult)
                case 4 where place.isMultiple(of: 2):
                    try entry.accept(RequestContext.person(.player), graduations[place])
                default:
                    _ = try GuardianService(database).remove(by: adult, member: children[place])
                }
            }?.code
            // Three more reads by two watchers: at least one of them began after this change.
            let seen = looks.load(ordering: .acquiring)
            try eventually { looks.load(ordering: .acquiring) >= seen + 3 }
            return told
        }.map { try $0.get() }
        isDone.store(true, ordering: .releasing)
        #expect(try watchers.map { try $0.wait() } == [0, 0])
        #expect(try noticesAnOrphan(in: family.id))
        // Which changes succeed depends on the order; at least one of most kinds does.
        let done = Set(outcomes.indices.filter { outcomes[$0] == nil }.map(kind))
        #expect(done.count >= 3, "\(outcomes)")
        #expect(try entry.count(Self.orphans) == 0)
        let leftOver = try entry.count(
            """
            SELECT count(*) FROM app.guardianships AS w
            JOIN app.family_members AS m ON m.id = w.member_id
            WHERE m.user_kind <> 'managed' OR m.status <> 'active'
            """)
        #expect(leftOver == 0)
    }

    @Test("a former guardian never reads preferences written after its guardianship ended")
    func preferences() throws {
        let entry = try entry
        let database = entry.database
        let family = try entry.family()
        let (second, member) = try family.joiner()
        let guardians = GuardianService(database)
        let members = MemberService(database)
        var acting = second
        acting.actingAs = UserID(rawValue: family.child.rawValue)
        let isDone = Atomic(false)
        let reads = Atomic(0)
        let ways = [(second, MemberID?.some(family.child)), (acting, nil)]
        let readers = (0..<8).map { index in
            let (caller, subject) = ways[index % 2]
            return inBackground { () throws -> Int in
                var secrets = 0
                while !isDone.load(ordering: .acquiring) {
                    let refused = try ending {
                        let read = try MemberService(database).readPreferences(
                            by: caller, family: family.id, member: subject)
                        let text = String(decoding: read.document, as: UTF8.self)
                        if text.contains("secret") { secrets += 1 }
                        reads.wrappingAdd(1, ordering: .releasing)
                    }
                    let expected: [RefusalCode?] = [nil, .standingTooLow, .actingRefused]
                    #expect(expected.contains(refused?.code))
                }
                return secrets
            }
        }
        for round in 0..<25 {
            _ = try guardians.add(by: family.adult, member: family.child, guardian: member)
            let seen = reads.load(ordering: .acquiring)
            try eventually { reads.load(ordering: .acquiring) > seen }
            _ = try guardians.remove(by: family.adult, member: family.child, guardian: member)
            for text in ["secret \(round)", "public"] {
                _ = try members.writePreferences(
                    by: family.adult, family: family.id, member: family.child,
                    document: Array(#"{"text": "\#(text)"}"#.utf8))
            }
        }
        isDone.store(true, ordering: .releasing)
        #expect(try readers.map { try $0.wait() }.allSatisfy { $0 == 0 })
        #expect(reads.load(ordering: .acquiring) >= 25)
    }
}
