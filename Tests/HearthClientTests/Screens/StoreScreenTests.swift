import Foundation
import MailSupport
import Observation
import Testing

@testable import HearthClient

@Suite("Screens with a store", .timeLimit(.minutes(10)))
@MainActor
final class StoreScreenTests {
    private let folder: URL
    private let memory = InMemoryHearth()

    init() throws { folder = try TemporaryFolder.make() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A person's store after a sync, a client without a network, and an engine with one.
    private func device(_ person: ClientPerson) async throws -> (
        store: FamilyStore, offline: Hearth, engine: SyncEngine
    ) {
        let store = try FamilyStore(
            at: folder.appendingPathComponent(UUID().uuidString),
            of: try await person.hearth.profile().id)
        let engine = SyncEngine(person.hearth, store)
        try await engine.sync()
        let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
        return (store, Hearth(nowhere, credentials: BearerToken("t"), policy: .never), engine)
    }

    @Test("families can be created and left without a network, and joining waits")
    func families() async throws {
        let home = try await ClientFamily(memory)
        let (store, offline, engine) = try await device(try memory.person(.parent, "Aunt"))
        let screen = FamilyScreen(offline, store: store)
        await screen.load()
        #expect(!screen.state.isLoading && screen.state.families.isEmpty)
        screen.typeName("Gulls")
        await screen.create()
        #expect(screen.state.families.map(\.name) == ["Gulls"] && screen.state.pending.count == 1)
        #expect(screen.state.notice == nil && screen.state.nameInput.isEmpty)
        screen.type(try home.code.text)
        await screen.join()
        #expect(screen.state.isJoinQueued && screen.state.codeInput.isEmpty)
        try await engine.sync()
        await screen.load()
        #expect(screen.state.families.map(\.name) == ["Gulls", "The Terns"])
        #expect(screen.state.pending.isEmpty && !screen.state.isJoinQueued)
        let gulls = try #require(screen.state.families.first { $0.name == "Gulls" })
        await screen.leave(gulls)
        #expect(screen.state.families.map(\.name) == ["The Terns"])
        await screen.drawCode(of: gulls)
        #expect(screen.state.notice?.isFailure == true, "a QR code needs the network")
    }

    @Test("invitations can be sent, revoked and declined without a network")
    func invitations() async throws {
        let home = try await ClientFamily(memory)
        let other = try await ClientFamily(memory)
        try await other.admin.hearth.invite(.email(home.admin.email), as: .parent)
        let (store, offline, engine) = try await device(home.admin)
        let screen = InvitationsScreen(offline, family: home.family.id, store: store)
        await screen.load()
        screen.type("aunt@example.com")
        await screen.invite(as: .parent)
        #expect(screen.state.pending.map(\.email) == ["aunt@example.com"])
        #expect(screen.state.queued.count == 1 && screen.state.notice?.isFailure == false)
        let received = try #require(screen.state.received.first)
        await screen.decline(received)
        #expect(screen.state.received.isEmpty)
        try await engine.sync()
        await screen.load()
        #expect(screen.state.queued.isEmpty && screen.state.pending.count == 1)
        await screen.revoke(screen.state.pending[0])
        #expect(screen.state.pending.isEmpty)
        try await engine.sync()
        #expect(try await home.admin.hearth.invitations(of: home.family.id).elements.isEmpty)
    }

    @Test("children can be added and profiles switched without a network")
    func profiles() async throws {
        let home = try await ClientFamily(memory)
        try await home.parent.hearth.addManagedMember(named: "Max")
        let (store, offline, engine) = try await device(home.parent)
        let session = ProfileSession()
        let screen = ProfileSwitcherScreen(
            offline, session: session, family: home.family.id, store: store)
        await screen.load()
        #expect(screen.state.rows.map(\.displayName) == ["Pat", "Max"])
        try await screen.add(named: "Mia")
        #expect(screen.state.managed.map(\.displayName) == ["Max", "Mia"])
        screen.choose(screen.state.managed[0])
        #expect(session.isActingAsManaged)
        try await engine.sync()
        await screen.load()
        #expect(screen.state.managed.map(\.displayName) == ["Max", "Mia"])
        #expect(session.isActingAsManaged && session.activeProfile.displayName == "Max")
    }

    @Test("if a change that waited is refused, the screen shows the refusal")
    func refused() async throws {
        let home = try await ClientFamily(memory)
        let (store, offline, engine) = try await device(home.admin)
        let screen = FamilyScreen(offline, store: store)
        let following = Task { await screen.follow() }
        await screen.load()
        await screen.leave(screen.state.families[0])
        #expect(screen.state.families.isEmpty)
        try await engine.sync()
        let shown = AsyncStream<FamilyScreenState> { values in
            values.yield(screen.state)
            screen.onChange = { values.yield($0) }
        }
        for await state in shown where state.families.count == 1 && state.notice != nil {
            #expect(state.notice?.isFailure == true)
            break
        }
        following.cancel()
    }

    /// Follows a screen until its state meets a condition.
    private func follow<Logic: HearthClient.Screen>(
        _ screen: Logic, _ following: @escaping @MainActor () async -> Void,
        until isMet: (Logic.State) -> Bool
    ) async {
        let shown = AsyncStream<Logic.State> { values in
            values.yield(screen.state)
            screen.onChange = { values.yield($0) }
        }
        let task = Task { await following() }
        for await state in shown where isMet(state) { break }
        task.cancel()
        await task.value
    }

    @Test("a screen shows a refusal once, and not again after the store is reopened")
    func shownOnce() async throws {
        let home = try await ClientFamily(memory)
        let other = try await ClientFamily(memory)
        let sent = try await other.admin.hearth.invite(.email(home.admin.email), as: .parent)
        let person = try await home.admin.hearth.profile().id
        let file = folder.appendingPathComponent("reopened")
        let store = try FamilyStore(at: file, of: person)
        let engine = SyncEngine(home.admin.hearth, store)
        try await engine.sync()
        let families = FamilyScreen(home.admin.hearth, store: store)
        await families.load()
        await families.leave(families.state.families[0])
        let invitations = InvitationsScreen(home.admin.hearth, store: store)
        await invitations.load()
        try await other.admin.hearth.revokeInvitation(sent.id)
        await invitations.accept(try #require(invitations.state.received.first))
        try await engine.sync()
        let refused = try store.read { try $0.conflicts() }
        #expect(refused.map(\.mutation) == [.leaveFamily, .acceptInvitation])

        await follow(families, { await families.follow() }) { $0.notice?.isFailure == true }
        await follow(invitations, { await invitations.follow() }) { $0.notice?.isFailure == true }
        let reopened = try FamilyStore(at: file, of: person)
        #expect(try reopened.read { try $0.conflicts() }.isEmpty)
    }

    @Test("a change that waits is announced as waiting, and the banner ends when it has been sent")
    func waiting() async throws {
        let home = try await ClientFamily(memory)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let code = try home.code
        for name in ["Aunt", "Uncle"] {
            try await memory.person(.parent, name).hearth.joinFamily(by: code)
        }
        let (store, offline, engine) = try await device(home.admin)
        let members = MembersScreen(offline, family: home.family.id, store: store)
        await members.load()
        let aunt = try #require(members.state.waiting.first { $0.displayName == "Aunt" })
        let uncle = try #require(members.state.waiting.first { $0.displayName == "Uncle" })
        await members.approve(aunt)
        #expect(members.state.notice?.text == "Aunt will be let in when you're online.")
        await members.reject(uncle)
        #expect(members.state.notice?.text == "Uncle will be rejected when you're online.")
        guard case .waiting(_, let queued)? = members.state.notice else {
            Issue.record("\(String(describing: members.state.notice))")
            return
        }
        #expect(queued.mutation.kind == .rejectMember)
        #expect(members.state.waiting.isEmpty && members.state.members.count == 4)
        let invitations = InvitationsScreen(offline, family: home.family.id, store: store)
        invitations.type("mum@example.com")
        await invitations.invite(as: .parent)
        #expect(
            invitations.state.notice?.text
                == "The invite to mum@example.com will be sent when you're online.")

        try await engine.sync()
        await members.load()
        await invitations.load()
        #expect(members.state.notice == nil && invitations.state.notice == nil)
        #expect(members.state.pending.isEmpty && members.state.waiting.isEmpty)
        #expect(
            Set(members.state.members.map(\.displayName)) == ["Ada", "Pat", "Kim", "Aunt"])
        let families = FamilyScreen(offline, store: store)
        await families.load()
        await families.leave(try #require(families.state.families.first))
        #expect(
            families.state.notice?.text == "You will leave The Terns when you're online.")
    }

    @Test("a person who waits for approval can be rejected without a store")
    func rejected() async throws {
        let home = try await ClientFamily(memory)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let code = try home.code
        try await memory.person(.parent, "Aunt").hearth.joinFamily(by: code)
        let screen = MembersScreen(home.admin.hearth, family: home.family.id)
        await screen.load()
        await screen.reject(try #require(screen.state.waiting.first))
        #expect(screen.state.waiting.isEmpty && screen.state.members.count == 3)
        #expect(screen.state.notice == .success("Aunt was rejected."))
    }

    @Test("banners about errors and refusals are in the person's language")
    func language() {
        let error = HearthError.unreachable(reason: "x")
        #expect(
            ScreenNotice(error, in: "es-MX")
                == .failure("No hay conexión. Inténtalo de nuevo.", .retry))
        #expect(ScreenNotice(error)?.text == error.errorDescription)
        let conflict = Conflict(
            id: 1, outcome: .refused(code: "family_full", message: "Full up."), kind: .family,
            thingID: "f", familyID: nil, by: nil, at: nil, mutation: .joinFamily, details: .null)
        let spanish = ScreenNotice(conflict, of: [.joinFamily], in: "es")
        #expect(spanish == .failure("Esta familia está completa.", .resolve))
        let english = ScreenNotice(conflict, of: [.joinFamily], in: "en")
        #expect(english == .failure("Full up.", .resolve))
        #expect(ScreenNotice(conflict, of: [.leaveFamily]) == nil)
    }

    @Test("a profile session and a screen can be observed with the Observation framework")
    func observed() async throws {
        let own = SwitchableProfile(
            memberID: MemberID("a"), displayName: "Ada", isManaged: false)
        let child = SwitchableProfile(
            memberID: MemberID("managed_b"), displayName: "Max", isManaged: true)
        let session = ProfileSession(authenticatedUser: own)
        session.updateProfiles(authenticatedUser: own, managedMembers: [child])
        await confirmation(expectedCount: 1) { changed in
            withObservationTracking {
                _ = session.activeProfile
            } onChange: {
                changed()
            }
            session.switchProfile(to: child)
        }
        let home = try await ClientFamily(memory)
        let screen = FamilyScreen(home.admin.hearth)
        let observed = ObservableScreen(screen)
        await confirmation(expectedCount: 1) { changed in
            withObservationTracking {
                _ = observed.state
            } onChange: {
                changed()
            }
            await screen.load()
        }
        #expect(observed.state.families.map(\.name) == ["The Terns"])
    }
}
