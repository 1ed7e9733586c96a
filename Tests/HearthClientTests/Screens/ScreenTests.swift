import Foundation
import HearthClient
import MailSupport
import Testing

@Suite("Screens, against a real server", .timeLimit(.minutes(10)))
@MainActor
struct ScreenTests {
    private let site: LiveServer

    init() throws { site = try LiveServer.shared() }

    @Test("a player's first visit creates a family, and shows its code and members")
    func firstVisit() async throws {
        let player = try site.person(.player, "Kim")
        let screen = FamilyScreen(player.hearth, creatingFamily: true)
        #expect(screen.state.isLoading && screen.state.ownFamily == nil)
        await screen.load()
        let family = try #require(screen.state.ownFamily)
        let code = try #require(family.code)
        #expect(!screen.state.isLoading && screen.state.notice == nil)
        #expect(code.hasPrefix("FAM-") && family.codeGeneratedAt != nil)
        #expect(screen.state.codeAccessibilityLabel.hasPrefix("Family code: F A M dash "))
        let members = MembersScreen(player.hearth, family: family.id)
        await members.load()
        #expect(members.state.emptyText == "No family members yet. Share your code!")
        await screen.regenerateCode(of: family)
        #expect(screen.state.ownFamily?.code != code)
        #expect(screen.state.notice == .success("New code generated."))
        await screen.load()
        #expect(screen.state.families.count == 1)
    }

    @Test("a parent joins with a complete code, after confirming the family")
    func joining() async throws {
        let home = try await ClientFamily(site)
        let parent = try site.person(.parent, "Aunt")
        let screen = FamilyScreen(parent.hearth)
        var shown: [FamilyScreenState] = []
        screen.onChange = { shown.append($0) }
        await screen.load()
        #expect(screen.state.emptyText == "No families joined yet. Ask a player for their code.")
        screen.type("fam-abc12")
        #expect(screen.state.codeInput == "FAM-ABC12" && !screen.state.canJoin)
        screen.type("FAM-ABC1!3")
        #expect(screen.state.codeMessage != nil)
        screen.type("fam-abc123456789")
        #expect(screen.state.codeInput == "FAM-ABC12345" && screen.state.canJoin)
        screen.type("QQQQQ2")
        await screen.join()
        #expect(
            screen.state.notice
                == .failure(
                    "Family code not found. Please check and try again.", .correctInput))
        screen.type(try home.code.text.lowercased())
        #expect(screen.state.canJoin && screen.state.codeMessage == nil)
        await screen.preview()
        #expect(screen.state.preview?.familyName == "The Terns")
        await screen.join()
        #expect(screen.state.notice == .success("Successfully joined family"))
        #expect(screen.state.families.map(\.name) == ["The Terns"])
        screen.type(try home.code.text)
        await screen.join()
        #expect(screen.state.notice?.text == "You are already a member of this family.")
        #expect(shown.contains { $0.isWorking } && shown.last == screen.state)
        await screen.leave(screen.state.families[0])
        #expect(screen.state.families.isEmpty)
    }

    @Test("an unreachable Hearth shows an error, and the previous content stays")
    func offline() async throws {
        let proxy = try FaultyProxy(to: site.port)
        let token = try site.token(
            id: UUID(), email: "\(UUID())@example.com", name: "A", role: .parent)
        let url = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
        let screen = FamilyScreen(
            Hearth(url, credentials: BearerToken(token), policy: .never), creatingFamily: true)
        await screen.load()
        #expect(screen.state.families.count == 1)
        proxy.faults { _ in .dropRequest }
        await screen.load()
        #expect(screen.state.families.count == 1)
        #expect(screen.state.notice == .failure("Connection error. Please try again.", .retry))
    }

    @Test("a Parent Admin can change roles and remove members, others can't")
    func members() async throws {
        let home = try await ClientFamily(site)
        let screen = MembersScreen(home.admin.hearth, family: home.family.id)
        await screen.load()
        #expect(screen.state.header == "Family Members (3)" && screen.state.isParentAdmin)
        let pat = try #require(screen.state.members.first { $0.displayName == "Pat" })
        let own = try #require(screen.state.members.first { screen.state.isOwn($0) })
        #expect(screen.state.canRemove(pat) && !screen.state.canRemove(own))
        #expect(screen.state.roles(for: pat) == [.adult, .kid, .visitor])
        #expect(MembersScreenState.initials(of: pat) == "P")
        await screen.setRole(.visitor, of: pat)
        #expect(
            screen.state.members.first { $0.id == pat.id }?.householdRole == .visitor)
        await screen.remove(pat)
        #expect(screen.state.notice == .success("Pat was removed."))
        #expect(screen.state.header == "Family Members (2)")

        let kim = MembersScreen(home.player.hearth, family: home.family.id)
        await kim.load()
        #expect(!kim.state.isParentAdmin)
        #expect(!kim.state.members.contains { kim.state.canRemove($0) })
        let admin = try #require(kim.state.members.first { $0.id == own.id })
        #expect(kim.state.roles(for: admin).isEmpty)
        await kim.setRole(.kid, of: admin)
        #expect(kim.state.notice?.isFailure == true)
    }

    @Test("choosing Parent Admin while the seat is taken shows an error and changes nothing")
    func seat() async throws {
        let home = try await ClientFamily(site)
        let screen = MembersScreen(home.parent.hearth, family: home.family.id)
        await screen.load()
        let own = try #require(screen.state.members.first { screen.state.isOwn($0) })
        await screen.setRole(.parentAdmin, of: own)
        #expect(screen.state.notice?.text == "A Parent Admin already exists for this family.")
        #expect(screen.state.members.first { $0.id == own.id }?.householdRole == .adult)
    }

    @Test("a person who waits for approval can be approved")
    func approval() async throws {
        let home = try await ClientFamily(site)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let aunt = FamilyScreen(try site.person(.parent, "Aunt").hearth)
        aunt.type(try home.code.text)
        await aunt.join()
        #expect(aunt.state.joined?.isAwaitingApproval == true)
        let screen = MembersScreen(home.admin.hearth, family: home.family.id)
        await screen.load()
        let waiting = try #require(screen.state.waiting.first)
        await screen.approve(waiting)
        #expect(screen.state.waiting.isEmpty && screen.state.members.count == 4)
    }

    @Test("an invitation is sent, listed, opened, accepted and revoked")
    func invitations() async throws {
        let home = try await ClientFamily(site)
        let screen = InvitationsScreen(home.player.hearth, family: home.family.id)
        await screen.load()
        screen.type("aunt@")
        #expect(!screen.state.canInvite)
        await screen.invite(as: .parent)
        #expect(screen.state.notice?.text == "Please enter a valid email address")
        let aunt = try site.person(.parent, "Aunt")
        screen.type(" \(aunt.email) ")
        await screen.invite(as: .parent)
        #expect(screen.state.notice == .success("Invite sent to \(aunt.email)!"))
        #expect(screen.state.emailInput == "" && screen.state.pending.count == 1)
        let inbox = InvitationsScreen(aunt.hearth)
        await inbox.load()
        let received = try #require(inbox.state.received.first)
        await inbox.accept(received)
        #expect(inbox.state.acceptedFamily == home.family.id && inbox.state.received.isEmpty)

        await screen.makeLink(for: .parent)
        let link = try #require(screen.state.link)
        guard case .invitation(let token)? = HearthLink(link) else {
            Issue.record("no link")
            return
        }
        let uncle = InvitationsScreen(Hearth(site.url, credentials: BearerToken.none))
        await uncle.open(token: token)
        #expect(uncle.state.opened?.inviterName == "Kim" && uncle.state.openedError == nil)
        await screen.load()
        await screen.revoke(try #require(screen.state.pending.first))
        #expect(screen.state.pending.isEmpty)
        #expect(screen.state.notice == .success("Invite revoked."))
        await uncle.open(token: token)
        #expect(uncle.state.opened == nil && uncle.state.openedError == .notFound)
        #expect(
            uncle.state.openedError?.text
                == "This invite link is invalid or has already been used.")
    }

    @Test("the profile switcher has each state of its specification")
    func switcher() async throws {
        let home = try await ClientFamily(site)
        let session = ProfileSession()
        let screen = ProfileSwitcherScreen(home.parent.hearth, session: session)
        #expect(screen.state.phase == .loading && !screen.state.showsAddButton)
        #expect(screen.state.buttonLabel == "Profile. Double-tap to switch profiles.")
        await screen.load()
        #expect(screen.state.rows.map(\.displayName) == ["Pat"])
        #expect(screen.state.caption != nil && !screen.state.showsFamilyMembersHeader)
        #expect(screen.state.isActive(screen.state.own) && screen.state.showsAddButton)
        #expect(screen.state.buttonLabel == "Profile: Pat. Double-tap to switch profiles.")

        for name in ["Max", "Mia", "Moe"] { try await screen.add(named: name) }
        #expect(screen.state.rows.map(\.displayName) == ["Pat", "Max", "Mia", "Moe"])
        #expect(screen.state.needsLargeSheet && screen.state.caption == nil)
        let max = screen.state.managed[0]
        screen.choose(max)
        #expect(screen.state.isActing && screen.state.isActive(max))
        #expect(screen.state.announcement == "Now viewing as Max")
        #expect(screen.state.banner("Voting as") == "Voting as Max")
        #expect(screen.state.buttonLabel == "Viewing as Max. Double-tap to switch profiles.")
        #expect(ProfileSwitcherState.monogram(of: max) == "M")

        // The child was removed on another device.
        try await home.admin.hearth.removeManagedMember(try #require(max.memberID))
        await screen.load()
        #expect(!screen.state.isActing && screen.state.managed.count == 2)
        #expect(screen.state.banner("Voting as") == nil)
        #expect(screen.state.announcement == "Now viewing as yourself")

        let failing = ProfileSwitcherScreen(
            Hearth(site.url, credentials: BearerToken("bad")), session: ProfileSession())
        await failing.load()
        #expect(failing.state.phase == .failed && failing.state.rows.count == 1)
        #expect(failing.state.errorText != nil && !failing.state.showsAddButton)
    }
}
