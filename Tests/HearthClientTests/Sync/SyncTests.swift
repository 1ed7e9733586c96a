import Foundation
import MailSupport
import Synchronization
import Testing

@testable import HearthClient

@Suite("Sync", .timeLimit(.minutes(10)))
final class SyncTests {
    private let folder: URL

    init() throws { folder = try TemporaryFolder.make() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Creates a device of a person, with its own store.
    private func device(_ hearth: Hearth) async throws -> (store: FamilyStore, engine: SyncEngine) {
        let store = try FamilyStore(
            at: folder.appendingPathComponent(UUID().uuidString),
            of: try await hearth.profile().id)
        return (store, SyncEngine(hearth, store))
    }

    @Test(
        "a sync fetches all that a person may see, and later changes", arguments: Backend.syncing
    )
    func brings(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let hearth = home.parent.hearth
        let (store, engine) = try await device(hearth)
        try await engine.sync()
        try await expectEqual(store, hearth)
        let max = try await hearth.addManagedMember(named: "Max", avatarKey: "fox")
        try await hearth.setPreferences(["genres": ["comedy"]], in: home.family.id, of: max.userID)
        try await hearth.setPreferences(["a": 1], in: home.family.id)
        try await hearth.updatePlayerDetails(PlayerDetailsChange(sport: .set("Sailing")))
        try await home.admin.hearth.invite(.email("aunt@example.com"), as: .parent)
        try await home.admin.hearth.updateFamily(home.family.id, FamilyChange(name: "Gulls"))
        let other = try await ClientFamily(site)
        try await other.admin.hearth.invite(.email(home.parent.email), as: .parent)
        try await engine.sync()
        try await expectEqual(store, hearth)
        #expect(try store.playerDetails(in: home.family.id)?.sport == "Sailing")
        #expect(try store.profile(UserID(max.id.rawValue))?.fullName == "Max")
        #expect(try store.receivedInvitations().count == 1)
        let waiting = try store.cursor()
        try await engine.sync()
        #expect(try store.cursor() == waiting)
    }

    @Test("the family disappears from a removed member's store", arguments: Backend.syncing)
    func removed(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.parent.hearth
        let (store, engine) = try await device(hearth)
        try await engine.sync()
        #expect(try store.members(of: home.family.id).count == 3)
        let pat = try await home.member(home.parent)
        try await home.admin.hearth.removeMember(pat.id)
        try await engine.sync()
        #expect(try store.families() == [] && store.members(of: home.family.id) == [])
        try await expectEqual(store, hearth)
    }

    @Test(
        "queued changes are sent in one request, and the result is fetched",
        arguments: Backend.syncing)
    func batches(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.admin.hearth
        let (store, engine) = try await device(hearth)
        try await engine.sync()
        let family = home.family.id
        for member in try store.members(of: family) where member.role == .parent {
            if member.householdRole == .parentAdmin { continue }
            try store.enqueue(.setHouseholdRole(.visitor, of: member))
        }
        let own = try #require(try store.family(family)?.memberID)
        let admin = try #require(try store.members(of: family).first { $0.id == own })
        // This one is refused: nobody can remove oneself.
        try store.enqueue(.removeMember(admin))
        try store.enqueue(.updateFamily(family, FamilyChange(name: "Gulls")))
        try store.enqueue(.setPreferences(["a": 1], in: family, of: admin.userID))
        try store.enqueue(.addManagedMember(named: "Max", to: family))
        // Without the admin, and with the child that waits to be sent.
        #expect(try store.members(of: family).count == 3)
        try await engine.sync()
        #expect(try store.queuedMutations() == [])
        try await expectEqual(store, hearth)
        #expect(try store.members(of: family).count == 4)
        #expect(try store.family(family)?.name == "Gulls")
        var conflicts = store.conflicts.makeAsyncIterator()
        guard case .refused(let code, _)? = await conflicts.next()?.outcome else {
            Issue.record("nothing was told")
            return
        }
        #expect(code == ErrorCode.oneself.rawValue)
    }

    @Test(
        "a running engine fetches others' changes and sends queued ones",
        arguments: Backend.syncing)
    func running(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.parent.hearth
        let store = try await device(hearth).store
        let settings = SyncSettings(firstPauseSeconds: 0.05, pollSeconds: 0.05)
        let engine = SyncEngine(hearth, store, settings: settings)
        let family = home.family.id
        let changes = store.changes
        let running = Task { await engine.run() }
        func awaitChange(_ holds: () throws -> Bool) async throws {
            if try holds() { return }
            for await _ in changes where try holds() { return }
        }
        try await awaitChange { try store.members(of: family).count == 3 }
        try await home.admin.hearth.updateFamily(family, FamilyChange(name: "Gulls"))
        try await awaitChange { try store.family(family)?.name == "Gulls" }
        let own = try #require(try store.family(family)?.memberID)
        let pat = try #require(try store.members(of: family).first { $0.id == own })
        try store.enqueue(.setPreferences(["a": 2], in: family, of: pat.userID))
        try await awaitChange { try store.queuedMutations().isEmpty }
        #expect(try await hearth.preferences(in: family) == ["a": 2])
        try await home.admin.hearth.removeMember(pat.id)
        try await awaitChange { try store.families().isEmpty }
        running.cancel()
        await running.value
        #expect(await engine.mode == .stopped)
    }

    @Test("a client uses long polls if the server ends every stream immediately")
    func endedStreams() async throws {
        let server = try LiveServer.shared()
        let proxy = try FaultyProxy(to: server.port)
        let url = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
        let token = try server.token(
            id: UUID(), email: "\(UUID())@example.com", name: "A", role: .parent)
        let hearth = Hearth(url, credentials: BearerToken(token))
        let store = try await device(hearth).store
        let settings = SyncSettings(firstPauseSeconds: 0.01, longestPauseSeconds: 0.05)
        let engine = SyncEngine(hearth, store, settings: settings)
        let streams = Mutex(0)
        proxy.faults { target in
            guard target.hasPrefix("/api/live") else { return .none }
            streams.withLock { $0 += 1 }
            return .endStream
        }
        let modes = await engine.modes
        let running = Task { await engine.run() }
        for await mode in modes where mode == .waiting && streams.withLock({ $0 }) >= 3 { break }
        running.cancel()
        await running.value
        #expect(streams.withLock { $0 } >= settings.streamFailureLimit)
    }
}
