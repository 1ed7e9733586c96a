import Domain
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Moving a child to an account of its own")
struct GraduationTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private typealias Family = FullFamilyFixture<UseCaseDatabase>

    private func start(
        _ family: Family, by guardian: RequestContext? = nil,
        to recipient: InvitationService.Recipient = .link, role: MemberRole = .player,
        _ householdRole: HouseholdRole = .kid
    ) throws -> SentInvitation {
        try InvitationService(entry.database, testKeys()).startGraduation(
            by: guardian ?? family.adult, member: family.child, to: recipient, role: role,
            householdRole: householdRole)
    }

    private func token(_ sent: SentInvitation) throws -> String { try #require(sent.token).text }

    @Test("accepting keeps the member's row, slot, preferences and history under another user")
    func becoming() throws {
        let family = try entry.family()
        let database = try entry.database
        let service = MemberService(database)
        _ = try service.writePreferences(
            by: family.actingForChild, family: family.id, member: nil,
            document: Array(#"{"genres": ["comedy"]}"#.utf8))
        let before = try entry.count(
            """
            SELECT slot FROM app.family_members WHERE id = \(family.child.rawValue)
            """)
        let person = RequestContext.person(.parent, name: nil)
        try entry.accept(person, try token(try start(family)))
        let members = try entry.members(person, family.id)
        let me = try #require(members.first { $0.id == family.child })
        #expect(me.user == person.adoptedID && !me.isManaged && me.guardian == nil)
        #expect(me.role == .player && me.householdRole == .kid && me.guardians.isEmpty)
        #expect(me.fullName == "Robin" && members.count == 5)
        #expect(
            try entry.count(
                "SELECT slot FROM app.family_members WHERE id = \(family.child.rawValue)")
                == before)
        let kept = try MemberService(database).readPreferences(
            by: person, family: family.id, member: nil)
        #expect(String(decoding: kept.document, as: UTF8.self) == #"{"genres": ["comedy"]}"#)
        let signed = try entry.count(
            """
            SELECT count(*) FROM app.member_preferences
            WHERE user_id = \(try #require(person.adoptedID).rawValue)
                AND updated_by = \(try #require(family.adult.adoptedID).rawValue)
            """)
        #expect(signed == 1)
        #expect(
            try entry.count(
                """
                SELECT count(*) FROM app.guardianships
                WHERE member_id = \(family.child.rawValue)
                """) == 0)
        let acting = try refusal {
            _ = try entry.members(family.actingForChild, family.id)
        }
        #expect(acting == .actingRefused)
        let read = try refusal {
            try MemberService(database).readPreferences(
                by: family.adult, family: family.id, member: family.child)
        }
        #expect(read == .standingTooLow)
        #expect(try entry.auditCount(family.id, "managed.graduate") == 1)
        #expect(try entry.auditCount(family.id, "invitation.accept") == 1)
        // Nothing is left of the managed user except its alias of the account.
        #expect(
            try entry.count(
                """
                SELECT count(*) FROM app.users AS u
                JOIN app.user_aliases AS a ON a.alias_id = u.id
                WHERE u.id = \(family.child.rawValue) AND u.full_name IS NULL
                    AND u.deleted_at IS NOT NULL
                    AND a.account_id = \(try #require(person.adoptedID).rawValue)
                """) == 1)
    }

    @Test("no guardian but the primary one can start a graduation; a second start renews the first")
    func starting() throws {
        let family = try entry.family()
        let database = try entry.database
        let admin = try family.member(family.admin)
        _ = try GuardianService(database).add(
            by: family.adult, member: family.child, guardian: admin)
        let further = try refusal { try start(family, by: family.admin) }
        #expect(further == .standingTooLow)
        let first = try start(family)
        let second = try start(family, role: .parent, .adult)
        #expect(second.id == first.id && second.isRenewed && !first.isRenewed)
        let dead = try refusal { try entry.accept(.person(), try token(first)) }
        #expect(dead == .invitationNotFound)
        let listed = try database.run(
            InvitationService.list(by: family.player, family: family.id))
        #expect(listed.items.map(\.kind) == [.graduation])
        #expect(listed.items.first?.graduate == family.child)
        let person = RequestContext.person(.player)
        try entry.accept(person, try token(second))
        let me = try #require(
            try entry.members(person, family.id).first { $0.id == family.child })
        #expect(me.role == .parent && me.householdRole == .adult)
        // The same account opens the same link again.
        try entry.accept(person, try token(second))
        let late = try refusal { try entry.accept(.person(), try token(second)) }
        #expect(late == .invitationAnswered)
        let gone = try refusal { try start(family) }
        #expect(gone == .memberNotFound)
    }

    @Test("graduation is refused for incompatible roles, taken addresses and existing members")
    func refusals() throws {
        let family = try entry.family()
        for (role, householdRole) in [(MemberRole.player, HouseholdRole.adult), (.parent, .kid)] {
            let told = try ending { try start(family, role: role, householdRole) }
            #expect(told?.code == .invalidField)
        }
        let taken = try ending { try start(family, to: .email(#require(family.admin.email))) }
        #expect(taken?.code == .personAlreadyMember)
        let other = try #require(EmailAddress("other@example.org"))
        _ = try entry.invite(.email(other), by: family.admin)
        let invited = try ending { try start(family, to: .email(other)) }
        #expect(invited?.code == .alreadyInvited)
        let sent = try start(family)
        for member in [family.adult, family.player, family.visitor] {
            let told = try ending { try entry.accept(member, try token(sent)) }
            #expect(told?.code == .notTheGraduate)
        }
        let elsewhere = try entry.family()
        let player = try ending { try entry.accept(elsewhere.player, try token(sent)) }
        #expect(player?.code == .playerHasFamily)
        let parent = try ending { try entry.accept(elsewhere.adult, try token(sent)) }
        #expect(parent?.code == .notTheGraduate)
        // An invitation of the address to become a member doesn't take this one over.
        let address = try #require(EmailAddress("robin@example.org"))
        _ = try start(family, to: .email(address))
        let renewal = try ending { try entry.invite(.email(address), by: family.adult) }
        #expect(renewal?.code == .alreadyInvited)
    }

    @Test("a graduate's own family without other members ends, and so does a former membership")
    func givingWay() throws {
        for role in [MemberRole.player, .parent] {
            let family = try entry.family()
            let person = RequestContext.person(role)
            let own = try entry.create(person)
            try entry.accept(person, try token(try start(family)))
            let members = try entry.members(person, nil)
            #expect(members.contains { $0.id == family.child && $0.user == person.adoptedID })
            #expect(try entry.auditCount(own.id, "member.leave") == 1)
        }
        let family = try entry.family()
        let (former, membership) = try family.joiner()
        try MemberService(try entry.database).remove(by: family.admin, member: membership)
        // The guardian joined by code alone, so its invitations can't readmit removed people.
        let told = try ending { try entry.accept(former, try token(try start(family))) }
        #expect(told?.code == .removedFromFamily)
        let admin = try family.member(family.admin)
        _ = try ChildService(try entry.database).reassign(
            by: family.adult, member: family.child, to: admin)
        try entry.accept(former, try token(try start(family, by: family.admin)))
        let rows = try entry.count(
            """
            SELECT count(*) FROM app.family_members
            WHERE family_unit_id = \(family.id.rawValue)
                AND user_id = \(try #require(former.adoptedID).rawValue)
            """)
        #expect(rows == 1)
    }

    @Test(
        "the invitation is resent only by the primary guardian, and ends when the child is removed"
    )
    func handling() throws {
        let family = try entry.family()
        let database = try entry.database
        let address = try #require(EmailAddress("kid@example.org"))
        let sent = try start(family, to: .email(address))
        try entry.passResendMinute(sent.id)
        let invitations = InvitationService(database, try testKeys())
        let byAdmin = try refusal { try invitations.resend(by: family.admin, invitation: sent.id) }
        #expect(byAdmin == .standingTooLow)
        _ = try invitations.resend(by: family.adult, invitation: sent.id)
        try ChildService(database).remove(by: family.adult, member: family.child)
        let dead = try refusal {
            try entry.accept(.person(), try entry.mailedToken(sent.id, generation: 2))
        }
        #expect(dead == .invitationNotFound)
    }

    @Test(
        "fifty concurrent acceptances make one account the child, without traces of the others")
    func fifty() throws {
        let entry = try entry
        for _ in 0..<2 {
            let family = try entry.family()
            let link = try token(try start(family))
            let people = (0..<50).map { _ in RequestContext.person(.player) }
            for (index, person) in people.enumerated() where index.isMultiple(of: 5) {
                _ = try entry.create(person)
            }
            let outcomes = try onThreads(50) { index in
                try ending { try entry.accept(people[index], link) }?.code
            }.map { try $0.get() }
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.allSatisfy { $0 == nil || $0 == .invitationAnswered })
            let winner = try #require(outcomes.firstIndex { $0 == nil })
            let members = try entry.members(family.admin, family.id)
            #expect(members.count == 5)
            #expect(
                members.first { $0.id == family.child }?.user == people[winner].adoptedID)
            #expect(
                try entry.count(
                    """
                    SELECT count(*) FROM app.user_aliases
                    WHERE alias_id = \(family.child.rawValue)
                    """) == 1)
        }
    }
}
