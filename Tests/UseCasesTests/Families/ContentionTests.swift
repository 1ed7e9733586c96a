import Domain
import Policy
import Postgres
import Synchronization
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Families under contention")
struct ContentionTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private typealias Deed = @Sendable () throws -> Void

    /// Runs all actions concurrently and returns the refusal code of each; nil for a success.
    private func atOnce(_ deeds: [Deed]) throws -> [RefusalCode?] {
        try onThreads(deeds.count) { index in try ending { try deeds[index]() }?.code }
            .map { try $0.get() }
    }

    private func orphans(_ family: FamilyID) throws -> Int {
        try entry.count(
            """
            SELECT count(*) FROM app.family_members AS m
            WHERE m.family_unit_id = \(family.rawValue) AND m.user_kind = 'managed'
                AND m.status = 'active' AND NOT EXISTS (
                    SELECT FROM app.family_members AS g
                    JOIN app.guardianships AS w
                        ON w.member_id = m.id AND w.guardian_user_id = g.user_id
                    WHERE g.family_unit_id = m.family_unit_id AND g.user_id = m.parent_user_id
                        AND g.status = 'active')
            """)
    }

    @Test("ten concurrent writes to different fields of the player details all survive")
    func playerDetails() throws {
        let entry = try entry
        let families = FamilyService(entry.database)
        let name = try #require(PersonName("Ada"))
        let day = try #require(CalendarDate("2009-05-31"))
        let label = try #require(Label("Cox"))
        let changes: [FamilyService.PlayerDetailsChange] = [
            .init(name: .value(name)), .init(dateOfBirth: .value(day)),
            .init(graduationYear: .value(2027)), .init(sport: .value(label)),
            .init(position: .null),
        ]
        for _ in 0..<10 {
            let family = try entry.family()
            _ = try families.writePlayerDetails(
                by: family.admin, family: nil, .init(position: .value(label)))
            let outcomes = try atOnce(
                (0..<10).map { index in
                    {
                        _ = try families.writePlayerDetails(
                            by: index < 5 ? family.adult : family.admin, family: nil,
                            changes[index % 5])
                    }
                })
            #expect(outcomes.allSatisfy { $0 == nil })
            let stored = try FamilyService(entry.database).readPlayerDetails(
                by: family.admin, family: nil)
            #expect(
                stored
                    == PlayerDetails(
                        name: name, dateOfBirth: day, graduationYear: 2027, sport: label))
        }
    }

    @Test("concurrent joins by every path admit one person into the last free slot")
    func lastPlace() throws {
        let entry = try entry
        let database = entry.database
        for _ in 0..<6 {
            let family = try entry.family()
            let families = FamilyService(database)
            _ = try families.update(
                by: family.admin, family: family.id, .init(isApprovalRequired: true))
            let waiting = RequestContext.person()
            try entry.join(waiting, family.code)
            _ = try families.update(
                by: family.admin, family: family.id, .init(isApprovalRequired: false))
            let door = try #require(
                try entry.members(family.admin, nil).first { $0.status == .invited }
            ).id
            for _ in 0..<2 { try entry.join(RequestContext.person(), family.code) }
            let token = try entry.link(by: family.admin)
            let name = try #require(DisplayName("Chick"))
            let outcomes = try atOnce([
                { try entry.join(RequestContext.person(), family.code) },
                { try entry.accept(RequestContext.person(), token) },
                { _ = try ChildService(database).add(by: family.adult, family: nil, name: name) },
                { _ = try MemberService(database).approve(by: family.admin, member: door) },
            ])
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(
                outcomes.allSatisfy { [nil, .familyFull].contains($0) })
            let active = try entry.members(family.player, nil).count
            #expect(active == 8)
        }
    }

    @Test("concurrent claims of a vacant seat admit one claimant and refuse the others")
    func claims() throws {
        let entry = try entry
        for _ in 0..<6 {
            let creator = RequestContext.person(.player)
            let family = try entry.create(creator)
            let claimants = (0..<6).map { _ in RequestContext.person() }
            for claimant in claimants { try entry.join(claimant, family.code) }
            let members = try claimants.map { try entry.member($0) }
            try MemberService(entry.database).leave(by: creator, family: nil)
            let outcomes = try atOnce(
                zip(claimants, members).map { claimant, member in
                    {
                        _ = try MemberService(entry.database).setHouseholdRole(
                            by: claimant, member: member, to: .parentAdmin)
                    }
                })
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.count { $0 == .parentAdminExists } == 5)
        }
    }

    @Test("a reader never sees two Parent Admins or none while the seat changes hands repeatedly")
    func transfers() throws {
        let entry = try entry
        let family = try entry.family()
        let adults = [family.admin, family.adult]
        let members = try adults.map { try family.member($0) }
        let isDone = Atomic(false)
        let looks = Atomic(0)
        let watchers = (0..<2).map { index in
            inBackground { () throws -> [Int] in
                let connection = try Connection(entry.test.settings())
                var seen: [Int] = []
                while !isDone.load(ordering: .acquiring) {
                    if index == 0 {
                        seen.append(
                            try connection.query(
                                """
                                SELECT count(*) FROM app.family_members
                                WHERE family_unit_id = \(family.id.rawValue)
                                    AND status = 'active' AND household_role = 'parent_admin'
                                """
                            ).scalar(Int.self))
                    } else {
                        let members = try entry.members(family.player, family.id)
                        seen.append(members.count { $0.householdRole == .parentAdmin })
                    }
                    looks.wrappingAdd(1, ordering: .releasing)
                }
                return seen
            }
        }
        try eventually { looks.load(ordering: .acquiring) > 0 }
        for giver in 0...1 {
            _ = try MemberService(entry.database).transferAdmin(
                by: adults[giver], family: nil, to: members[1 - giver])
        }
        _ = try onThreads(4) { index in
            let giver = index % 2
            for _ in 0..<60 {
                let told = try ending {
                    try MemberService(entry.database).transferAdmin(
                        by: adults[giver], family: nil, to: members[1 - giver])
                }?.code
                #expect([nil, .standingTooLow].contains(told))
            }
        }.map { try $0.get() }
        try eventually { looks.load(ordering: .acquiring) > 10 }
        isDone.store(true, ordering: .releasing)
        let seen = try watchers.flatMap { try $0.wait() }
        #expect(seen.count > 10 && seen.allSatisfy { $0 == 1 })
    }

    @Test("a join that races a code renewal succeeds only with the code that is valid when it runs")
    func regenerateAgainstJoin() throws {
        let entry = try entry
        for _ in 0..<8 {
            let family = try entry.family()
            let codes = Mutex<[String]>([])
            let joining: Deed = { try entry.join(RequestContext.person(), family.code) }
            let renewing: Deed = {
                let new = try CodeService(entry.database).regenerate(
                    by: family.player, family: family.id)
                codes.withLock { $0.append(new.code) }
            }
            let outcomes = try atOnce([joining, renewing, joining, renewing, joining])
            #expect(outcomes[1] == nil && outcomes[3] == nil)
            let joins = [outcomes[0], outcomes[2], outcomes[4]]
            #expect(joins.allSatisfy { $0 == nil || $0 == .codeUnknown })
            #expect(
                try entry.members(family.player, nil).count == 5 + joins.count { $0 == nil })
            let now = try entry.database.run(
                FamilyService.read(by: family.player, family: family.id)
            ).code
            #expect(codes.withLock { $0.contains(now) && Set($0).count == 2 })
            let live = try entry.count(
                """
                SELECT count(*) FROM app.family_codes
                WHERE family_unit_id = \(family.id.rawValue) AND state = 'live'
                """)
            #expect(live == 1)
            let late = try refusal { try joining() }
            #expect(late == .codeUnknown)
        }
    }

    @Test(
        "a guardian's departure or removal and a concurrent addition of a child can't both succeed")
    func goingAgainstAdding() throws {
        let entry = try entry
        let database = entry.database
        let name = try #require(DisplayName("Chick"))
        for round in 0..<16 {
            let family = try entry.family()
            let (guardian, member) = try family.joiner()
            let leaving: Deed = {
                try MemberService(database).leave(by: guardian, family: family.id)
            }
            let removing: Deed = {
                try MemberService(database).remove(by: family.admin, member: member)
            }
            let going = round.isMultiple(of: 2) ? leaving : removing
            let outcomes = try atOnce([
                going,
                {
                    _ = try ChildService(database).add(
                        by: guardian, family: family.id, name: name)
                },
            ])
            let endings: [[RefusalCode?]] = [
                [nil, .familyNotFound], [.guardianHasManagedMembers, nil],
            ]
            #expect(endings.contains(outcomes))
            #expect(try orphans(family.id) == 0)
        }
    }

    @Test("a handover that races the new guardian's leaving never orphans the child")
    func handoverAgainstLeaving() throws {
        let entry = try entry
        let database = entry.database
        for _ in 0..<8 {
            let family = try entry.family()
            let (newGuardian, member) = try family.joiner()
            let outcomes = try atOnce([
                { try MemberService(database).leave(by: newGuardian, family: family.id) },
                {
                    _ = try ChildService(database).reassign(
                        by: family.adult, member: family.child, to: member)
                },
            ])
            let endings: [[RefusalCode?]] = [
                [nil, .memberNotFound], [.guardianHasManagedMembers, nil],
            ]
            #expect(endings.contains(outcomes))
            #expect(try orphans(family.id) == 0)
        }
    }

    @Test("fifty concurrent changes of guardians and roles orphan no child")
    func guardiansComeAndGo() throws {
        let entry = try entry
        let database = entry.database
        let (members, guardians) = (MemberService(database), GuardianService(database))
        for _ in 0..<3 {
            let family = try entry.family()
            let others = try (0..<3).map { _ in try family.joiner() }
            let adults =
                others + [(family.adult, try family.member(family.adult))]
                + [(family.admin, try family.member(family.admin))]
            let child = family.child
            for other in others {
                _ = try GuardianService(database).add(
                    by: family.adult, member: child, guardian: other.member)
            }
            let deeds: [Deed] = (0..<50).map { index in
                let (actor, member) = adults[index % adults.count]
                let next = adults[(index * 3 + 1) % adults.count].member
                return switch index % 6 {
                case 0: { try MemberService(database).leave(by: actor, family: family.id) }
                case 1: { try MemberService(database).remove(by: family.admin, member: member) }
                case 2:
                    { _ = try members.setHouseholdRole(by: family.admin, member: member, to: .kid) }
                case 3:
                    {
                        _ = try GuardianService(database).add(
                            by: actor, member: child, guardian: next)
                    }
                case 4: { _ = try guardians.makePrimary(by: actor, member: child, guardian: next) }
                default: { _ = try GuardianService(database).remove(by: actor, member: child) }
                }
            }
            _ = try atOnce(deeds)
            #expect(try orphans(family.id) == 0)
            let strays = try entry.count(
                """
                SELECT count(*) FROM app.guardianships AS w
                WHERE w.family_unit_id = \(family.id.rawValue) AND NOT EXISTS (
                    SELECT FROM app.family_members AS g
                    WHERE g.family_unit_id = w.family_unit_id
                        AND g.active_adult_user_id = w.guardian_user_id)
                """)
            #expect(strays == 0)
        }
    }

    @Test("a player who joins, accepts and creates concurrently ends up in one family")
    func onePlayer() throws {
        let entry = try entry
        for _ in 0..<8 {
            let families = try (0..<3).map { _ in try entry.create(RequestContext.person()) }
            let inviter = RequestContext.person()
            _ = try entry.create(inviter)
            let token = try entry.link(by: inviter, role: .player)
            let player = RequestContext.person(.player)
            let name = try #require(FamilyName("Own"))
            var deeds: [Deed] = families.map { family in
                { try entry.join(player, family.code) }
            }
            deeds.append { try entry.accept(player, token) }
            deeds.append {
                _ = try FamilyService(entry.database).createAnother(by: player, name: name)
            }
            let outcomes = try atOnce(deeds)
            // One family, or the player's own first, which then gave way.
            let successes = outcomes.count { $0 == nil }
            #expect(successes == 1 || (successes == 2 && outcomes.last == .some(nil)))
            #expect(outcomes.count { $0 == .playerHasFamily } == 5 - successes)
            #expect(try entry.database.run(FamilyService.list(by: player)).count == 1)
        }
    }

    @Test(
        "twenty devices that join, accept and create concurrently leave their player in one family")
    func devicesOfOnePlayer() throws {
        let entry = try entry
        let name = try #require(FamilyName("Own"))
        for _ in 0..<6 {
            let player = RequestContext.person(.player)
            let own = try entry.create(player)
            _ = try entry.link(by: player)
            let families = try (0..<3).map { _ in try entry.create(RequestContext.person()) }
            let inviter = RequestContext.person()
            _ = try entry.create(inviter)
            let token = try entry.link(by: inviter, role: .player)
            let joining: [Deed] = families.map { family in
                { try entry.join(player, family.code) }
            }
            let accepting: Deed = { try entry.accept(player, token) }
            let creating: Deed = { _ = try entry.create(player) }
            let creatingAnother: Deed = {
                _ = try FamilyService(entry.database).createAnother(by: player, name: name)
            }
            let ways = joining + [accepting, creating]
            let outcomes = try atOnce(ways + ways + ways + joining + [accepting, creatingAnother])
            // An account can try five codes concurrently.
            let told: [RefusalCode?] = [
                nil, .playerHasFamily, .alreadyMember, .invitationAnswered, .tooManyAttempts,
            ]
            #expect(outcomes.allSatisfy { told.contains($0) })
            let mine = try entry.database.run(FamilyService.list(by: player))
            #expect(mine.count == 1 && mine[0].id != own.id && mine[0].memberCount == 2)
            let left = try entry.count(
                """
                SELECT (SELECT count(*) FROM app.family_codes
                        WHERE family_unit_id = \(own.id.rawValue) AND state = 'live')
                    + (SELECT count(*) FROM app.family_invitations
                       WHERE family_unit_id = \(own.id.rawValue) AND status = 'pending')
                    + (SELECT count(*) FROM app.family_members
                       WHERE family_unit_id = \(own.id.rawValue) AND status <> 'removed')
                """)
            #expect(left == 0)
            // One move, no matter how many devices asked for it.
            #expect(try entry.auditCount(own.id, "member.leave") == 1)
        }
    }

    @Test("players who concurrently join each other's families end up in one, without a deadlock")
    func movesAcross() throws {
        let entry = try entry
        for _ in 0..<8 {
            let players = (0..<2).map { _ in RequestContext.person(.player) }
            let families = try players.map { try entry.create($0) }
            let outcomes = try atOnce(
                (0..<2).map { index in
                    { try entry.join(players[index], families[1 - index].code) }
                })
            // The later player is no longer alone in its family, or the code has ended.
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(
                outcomes.allSatisfy { [nil, .playerHasFamily, .codeUnknown].contains($0) })
            let counts = try players.map {
                try entry.database.run(FamilyService.list(by: $0)).count
            }
            #expect(counts == [1, 1])
        }
    }

    @Test("fifty concurrent first requests of one caller create one user")
    func firstSight() throws {
        let entry = try entry
        let caller = RequestContext.person()
        let users = onThreads(50) { index in
            try ProfileService(entry.database).profile(by: caller).own?.id
        }
        let ids = try Set(users.map { try $0.get() })
        #expect(ids == [caller.adoptedID])
    }
}
