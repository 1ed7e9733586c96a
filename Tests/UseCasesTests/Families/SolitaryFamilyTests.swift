import Domain
import Policy
import Repositories
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("A player's family without other members")
struct SolitaryFamilyTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private func families(_ caller: RequestContext) throws -> [FamilyID] {
        try entry.database.run(FamilyService.list(by: caller)).map(\.id)
    }

    private func approving(_ person: RequestContext, _ family: FamilyID, _ flag: Bool = true) throws
    {
        _ = try FamilyService(entry.database).update(
            by: person, family: family, .init(isApprovalRequired: flag))
    }

    private func accept(_ caller: RequestContext, _ token: String) throws -> Acceptance {
        try ReceivedInvitationService(entry.database).accept(
            by: caller, .token(token), from: .somewhere())
    }

    @Test("a player's family without other members ends when the player joins another by code")
    func byCode() throws {
        let entry = try entry
        let family = try entry.family()
        let player = RequestContext.person(.player)
        let own = try entry.create(player)
        let link = try entry.link(by: player)
        let joined = try entry.join(player, family.code)
        #expect(joined.leftFamily == own.id && joined.family == family.id && !joined.isWaiting)
        #expect(try families(player) == [family.id])
        // Nothing leads into the old family any more.
        let byCode = try refusal { try entry.join(RequestContext.person(), own.code) }
        #expect(byCode == .codeUnknown)
        let byLink = try refusal { try entry.accept(RequestContext.person(), link) }
        #expect(byLink == .invitationNotFound)
        #expect(try entry.auditCount(own.id, "member.leave") == 1)
        #expect(try entry.auditCount(family.id, "code.join") == 4)
        // The same player can't join a second family.
        let another = try entry.family()
        let told = try refused { try entry.join(player, another.code) }
        #expect(told?.code == .playerHasFamily)
        #expect(told?.parameter == .family(family.id, name: "The Terns"))
    }

    @Test(
        "a player's family without other members ends when the player accepts an invitation",
        arguments: [
            (MemberRole.player, MemberRole.player), (.player, .parent), (.parent, .player),
        ])
    func byInvitation(own: MemberRole, invited: MemberRole) throws {
        let entry = try entry
        let family = try entry.family()
        let person = RequestContext.person(own)
        let left = try entry.create(person)
        let accepted = try accept(person, entry.link(by: family.adult, role: invited))
        #expect(accepted.outcome == .joined && accepted.leftFamily == left.id)
        #expect(try families(person) == [family.id])
        let me = try entry.members(person, family.id).first { $0.user == person.adoptedID }
        #expect(me?.role == invited && me?.accountRole == invited)
    }

    @Test("details about the player move to the new family, unless that family has some")
    func details() throws {
        let entry = try entry
        for isTaken in [false, true] {
            let family = try entry.family()
            let player = RequestContext.person(.player)
            let own = try entry.create(player)
            try entry.asSuperuser(
                """
                UPDATE app.family_units SET player_details = '{"sport": "rowing"}'
                WHERE id = \(own.id.rawValue)
                """)
            if isTaken {
                _ = try FamilyService(entry.database).writePlayerDetails(
                    by: family.adult, family: nil, .init(position: .value(Label("Cox")!)))
            }
            try entry.join(player, family.code)
            let read = try FamilyService(entry.database).readPlayerDetails(by: player, family: nil)
            #expect(read.sport?.text == (isTaken ? nil : "rowing"))
        }
    }

    @Test("a parent's family keeps its player details, which describe somebody else")
    func detailsOfParent() throws {
        let entry = try entry
        let family = try entry.family()
        let parent = RequestContext.person()
        let own = try entry.create(parent)
        _ = try FamilyService(entry.database).writePlayerDetails(
            by: parent, family: nil, .init(position: .value(Label("Cox")!)))
        let accepted = try accept(parent, entry.link(by: family.adult, role: .player))
        #expect(accepted.leftFamily == own.id)
        let read = try FamilyService(entry.database).readPlayerDetails(
            by: family.adult, family: nil)
        #expect(read.position == nil)
    }

    @Test("pending join requests end with the family, and their senders are notified by e-mail")
    func waiting() throws {
        let entry = try entry
        let player = RequestContext.person(.player)
        let own = try entry.create(player)
        try approving(player, own.id)
        let waiting = RequestContext.person()
        #expect(try entry.join(waiting, own.code).isWaiting)
        try entry.join(player, entry.family().code)
        let user = try #require(waiting.adoptedID)
        #expect(
            try entry.count(
                """
                SELECT count(*) FROM app.family_members WHERE user_id = \(user.rawValue)
                    AND family_unit_id = \(own.id.rawValue) AND status = 'removed'
                """) == 1)
        #expect(
            try entry.count(
                """
                SELECT count(*) FROM jobs.live WHERE kind = 'mail.waiting_ended'
                    AND payload ->> 'recipient' = \(user.description)
                """) == 1)
        #expect(try entry.auditCount(own.id, "member.remove") == 1)
    }

    @Test("a family that requires approval replaces the player's own only once it approves")
    func approval() throws {
        let entry = try entry
        let family = try entry.family()
        try approving(family.admin, family.id)
        let (player, other) = (RequestContext.person(.player), RequestContext.person(.player))
        let (own, others) = (try entry.create(player), try entry.create(other))
        for person in [player, other] {
            let joined = try entry.join(person, family.code)
            #expect(joined.isWaiting && joined.leftFamily == nil)
        }
        #expect(try families(player) == [own.id])
        // Somebody has joined in the meantime.
        try entry.join(RequestContext.person(), others.code)
        let waiting = try entry.members(family.admin, nil).filter { $0.status == .invited }
        let members = MemberService(entry.database)
        let ids = try [player, other].map { person in
            try #require(waiting.first { $0.user == person.adoptedID }).id
        }
        #expect(try members.approve(by: family.admin, member: ids[0]).status == .active)
        #expect(try families(player) == [family.id])
        let late = try refusal { try members.approve(by: family.admin, member: ids[1]) }
        #expect(late == .playerHasFamily)
        #expect(try families(other) == [others.id])
        // The player left by itself: nobody has removed it.
        #expect(
            try entry.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE family_unit_id = \(own.id.rawValue) AND removed_by = user_id
                """) == 1)
    }

    @Test("an account can't accept an invitation in the other role, and nothing changes")
    func sides() throws {
        let entry = try entry
        let family = try entry.family()
        let (parent, player) = (RequestContext.person(), RequestContext.person(.player))
        let own = try entry.create(parent)
        try entry.join(RequestContext.person(), own.code)
        let lived = try entry.create(player)
        try entry.join(RequestContext.person(), lived.code)
        let forPlayer = try entry.link(by: family.adult, role: .player)
        let forParent = try entry.link(by: family.adult, role: .parent)
        let asPlayer = try refused { try entry.accept(parent, forPlayer) }
        #expect(asPlayer?.code == .roleMismatch && asPlayer?.parameter == .invited(.player))
        let asParent = try refused { try entry.accept(player, forParent) }
        #expect(asParent?.code == .roleMismatch && asParent?.parameter == .invited(.parent))
        let busy = try refused { try entry.accept(player, forPlayer) }
        #expect(busy?.code == .playerHasFamily)
        #expect(busy?.parameter == .family(lived.id, name: "My Family"))
        #expect(try families(parent) == [own.id] && families(player) == [lived.id])
        // The invitations are still open to people who can accept them.
        #expect(try accept(parent, forParent).outcome == .joined)
        #expect(try accept(RequestContext.person(), forPlayer).outcome == .joined)
    }

    @Test("a parent keeps its own family, even without other members, when it joins another")
    func parents() throws {
        let entry = try entry
        let parent = RequestContext.person()
        let own = try entry.create(parent)
        let joined = try entry.join(parent, entry.family().code)
        #expect(joined.leftFamily == nil)
        #expect(try families(parent) == [own.id, joined.family])
    }

    @Test(
        "create returns the oldest family with other members, else one's own, else the oldest")
    func created() throws {
        let entry = try entry
        let parent = RequestContext.person()
        let own = try entry.create(parent)
        #expect(try entry.create(parent).id == own.id)
        let homes = try (0..<2).map { _ in try entry.create(RequestContext.person()) }
        for home in homes { try entry.join(parent, home.code) }
        #expect(try entry.create(parent).id == homes[0].id)
        for home in homes {
            let owner = try entry.members(parent, home.id).first { $0.user != parent.adoptedID }
            try entry.asSuperuser(
                """
                UPDATE app.family_members SET status = 'removed', removed_at = now()
                WHERE id = \(try #require(owner).id.rawValue)
                """)
        }
        #expect(try entry.create(parent).id == own.id)
        try MemberService(entry.database).leave(by: parent, family: own.id)
        #expect(try entry.create(parent).id == homes[0].id)
    }
}
