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
