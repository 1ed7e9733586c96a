import Foundation
import HearthClient
import MailSupport
import Testing

/// Tests of what the screens of the apps in docs/apps.md show, in addition to ``ScreenTests``.
@Suite("Screens of the apps, against a real server", .timeLimit(.minutes(10)))
@MainActor
struct AppScreenTests {
    private let site: LiveServer

    init() throws { site = try LiveServer.shared() }

    // MARK: Recruiting Compass

    @Test("Family Management, player: lists members with badge and date, and removes one")
    func playersMembers() async throws {
        let player = try site.person(.player, "Kim")
        let screen = FamilyScreen(player.hearth, creatingFamily: true)
        await screen.load()
        let family = try #require(screen.state.ownFamily)
        let parent = try site.person(.parent, "Jane Parent")
        let code = try #require(family.code.flatMap(FamilyCode.init(typed:)))
        try await parent.hearth.joinFamily(by: code)
        let members = MembersScreen(player.hearth, family: family.id)
        await members.load()
        #expect(members.state.header == "Family Members (2)" && members.state.emptyText == nil)
        let jane = try #require(members.state.members.first { $0.displayName == "Jane Parent" })
        #expect(jane.role == .parent && jane.addedAt != nil)
        #expect(MembersScreenState.initials(of: jane) == "JP")
        // The creator can remove others without being Parent Admin, but not itself.
        let own = try #require(members.state.members.first { members.state.isOwn($0) })
        #expect(members.state.canRemove(jane) && !members.state.canRemove(own))
        await members.remove(jane)
        #expect(members.state.notice == .success("Jane Parent was removed."))
        #expect(members.state.members.map(\.id) == [own.id])
        let parents = FamilyScreen(parent.hearth)
        await parents.load()
        #expect(parents.state.families.isEmpty && parents.state.emptyText != nil)
    }

    @Test("Family Management, parent: shows several families, and the wait after too many attempts")
    func parentsFamilies() async throws {
        let parent = try site.person(.parent, "Pat")
        let screen = FamilyScreen(parent.hearth)
        for _ in 0..<2 {
            screen.type(try await ClientFamily(site).code.text)
            await screen.join()
            #expect(screen.state.notice == .success("Successfully joined family"))
        }
        #expect(screen.state.families.count == 2)
        for number in 1...5 {
            screen.type("QQQQQ\(number)")
            await screen.join()
        }
        screen.type("QQQQQ7")
        await screen.join()
        #expect(
            screen.state.notice == .failure("Too many attempts. Please wait 5 minutes.", .wait))
        #expect(screen.state.families.count == 2)
    }

    @Test("InviteJoinView: an invitation is found, accepted, answered, expired or another's")
    func inviteJoin() async throws {
        let home = try await ClientFamily(site)
        let parent = try site.person(.parent, "Jo")
        let sender = InvitationsScreen(home.player.hearth, family: home.family.id)
        await sender.makeLink(for: .parent)
        guard let url = sender.state.link, case .invitation(let token)? = HearthLink(url) else {
            Issue.record("no link")
            return
        }
        let screen = InvitationsScreen(parent.hearth)
        await screen.open(token: token)
        #expect(screen.state.opened?.familyName == "The Terns")
        #expect(screen.state.opened?.inviterName == "Kim" && screen.state.opened?.role == .parent)
        await screen.accept(token: token)
        #expect(screen.state.acceptedFamily == home.family.id && screen.state.notice == nil)
        await screen.open(token: token)
        #expect(screen.state.openedError?.title == "Already connected")
        #expect(screen.state.openedError?.text == "You're already connected to this family.")

        // A person who is a player elsewhere is refused, and nothing changes.
        let other = try await ClientFamily(site)
        await sender.makeLink(for: .parent)
        guard let url = sender.state.link, case .invitation(let second)? = HearthLink(url) else {
            Issue.record("no link")
            return
        }
        let player = InvitationsScreen(other.player.hearth)
        await player.accept(token: second)
        #expect(
            player.state.notice?.text
                == "This invitation is for a parent. Your account is a player's.")
        #expect(player.state.acceptedFamily == nil)
        try site.expireInvitations(of: home.family.id)
        await screen.open(token: second)
        #expect(screen.state.openedError == .expired)
        #expect(screen.state.openedError?.title == "This invite has expired")
    }

    @Test("Onboarding, step 5: a player's family invites a parent now or later")
    func onboarding() async throws {
        let player = try site.person(.player, "Kim")
        let without = InvitationsScreen(player.hearth)
        await without.load()
        without.type("mum@example.com")
        await without.invite(as: .parent)
        #expect(without.state.notice?.isFailure == true && without.state.pending.isEmpty)
        let family = FamilyScreen(player.hearth, creatingFamily: true)
        await family.load()
        let screen = InvitationsScreen(player.hearth, family: family.state.ownFamily?.id)
        screen.type("mum@example.com")
        await screen.invite(as: .parent)
        #expect(screen.state.notice == .success("Invite sent to mum@example.com!"))
        #expect(screen.state.pending.map(\.email) == ["mum@example.com"])
        #expect(screen.state.pending.allSatisfy { !$0.isExpired() })
    }

    // MARK: TribeBoard

    @Test("CreateFamily: the button needs a name; the family has a code and a QR code")
    func createFamily() async throws {
        let screen = FamilyScreen(try site.person(.parent, "Ada").hearth)
        await screen.load()
        screen.typeName("   ")
        #expect(!screen.state.canCreate)
        await screen.create()
        #expect(screen.state.created == nil)
        screen.typeName(" Gulls ")
        #expect(screen.state.canCreate)
        await screen.create()
        let created = try #require(screen.state.created)
        #expect(created.name == "Gulls" && created.code?.hasPrefix("FAM-") == true)
        #expect(screen.state.nameInput == "" && screen.state.notice == nil)
        let family = try #require(screen.state.ownFamily)
        #expect(family.id == created.id && family.householdRole == .parentAdmin)
        await screen.drawCode(of: family)
        #expect(screen.state.qrCode?.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
        screen.typeName("Terns")
        await screen.create()
        #expect(Set(screen.state.families.map(\.name)) == ["Gulls", "Terns"])
    }

    @Test("JoinFamily: a scanned code is confirmed by name and number of members, then joined")
    func joinFamily() async throws {
        let home = try await ClientFamily(site)
        let screen = FamilyScreen(try site.person(.parent, "Jo").hearth)
        // The text in the QR code.
        screen.type("\(site.url)/join?code=\(try home.code.text)")
        #expect(screen.state.canJoin)
        await screen.preview()
        #expect(screen.state.preview?.familyName == "The Terns")
        #expect(screen.state.preview?.memberCount == 3)
        #expect(screen.state.families.isEmpty)
        await screen.join()
        #expect(screen.state.joined?.familyID == home.family.id && screen.state.preview == nil)
        #expect(screen.state.families.first?.householdRole == .adult)
    }

    @Test("RoleSelection: a chosen role can be undone, and the vacant seat is offered")
    func roleSelection() async throws {
        let home = try await ClientFamily(site)
        let screen = MembersScreen(home.parent.hearth, family: home.family.id)
        await screen.load()
        func own() throws -> Member {
            try #require(screen.state.members.first { screen.state.isOwn($0) })
        }
        for role in [HouseholdRole.visitor, .adult, .kid, .adult] {
            await screen.setRole(role, of: try own())
            #expect(try screen.state.ownRole == role && own().householdRole == role)
            #expect(try screen.state.roles(for: own()) == [.adult, .kid, .visitor])
        }
        // The Parent Admin steps down, and the seat is offered to that person again.
        let admin = MembersScreen(home.admin.hearth, family: home.family.id)
        await admin.load()
        let ada = try #require(admin.state.members.first { admin.state.isOwn($0) })
        #expect(admin.state.roles(for: ada) == [.adult, .kid, .visitor])
        await admin.setRole(.adult, of: ada)
        #expect(admin.state.roles(for: ada) == [.parentAdmin, .adult, .kid, .visitor])
        // The seat is the creator's, who as an adult may give it to another adult; a kid may not.
        await screen.load()
        #expect(try screen.state.roles(for: own()) == [.adult, .kid, .visitor])
        #expect(try admin.state.roles(for: own()) == [.parentAdmin])
        await admin.setRole(.parentAdmin, of: try own())
        await screen.load()
        #expect(screen.state.isParentAdmin)
        let kim = try #require(screen.state.members.first { $0.displayName == "Kim" })
        #expect(admin.state.roles(for: kim).isEmpty && admin.state.roles(for: ada).count == 3)
    }

    @Test("FamilyDashboard offline: shows stored data, a pending change and a banner")
    func dashboardOffline() async throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let home = try await ClientFamily(site)
        let account = try await home.parent.hearth.profile().id
        let store = try FamilyStore(at: folder.appendingPathComponent("store"), of: account)
        let engine = SyncEngine(home.parent.hearth, store)
        try await engine.sync()
        let closed = try ClosedPort()
        let nowhere = try #require(URL(string: "http://127.0.0.1:\(closed.port)"))
        let screen = MembersScreen(
            Hearth(nowhere, credentials: BearerToken.none, policy: .never),
            family: home.family.id, store: store)
        await screen.load()
        #expect(screen.state.header == "Family Members (3)" && screen.state.notice == nil)
        let kim = try #require(screen.state.members.first { $0.displayName == "Kim" })
        await screen.setRole(.visitor, of: kim)
        #expect(screen.state.pending == [kim.id])
        #expect(screen.state.members.first { $0.id == kim.id }?.householdRole == .visitor)
        // Hearth refuses the change when it is sent: the store reverts it, and the banner says why.
        let told = AsyncStream.makeStream(of: ScreenNotice.self)
        screen.onChange = { if let notice = $0.notice { told.continuation.yield(notice) } }
        let following = Task { await screen.follow() }
        try await engine.sync()
        var notices = told.stream.makeAsyncIterator()
        let notice = await notices.next()
        #expect(notice?.isFailure == true)
        await screen.load()
        #expect(screen.state.pending.isEmpty)
        #expect(screen.state.members.first { $0.id == kim.id }?.householdRole == .kid)
        following.cancel()
        await following.value
    }
}

extension LiveServer {
    /// Makes a family's invitations a week older.
    func expireInvitations(of family: FamilyID) throws {
        try execute(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 second'
            WHERE family_unit_id = '\(family.rawValue)' AND status = 'pending'
            """)
    }
}
