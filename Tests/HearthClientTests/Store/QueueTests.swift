import Foundation
import HearthClient
import MailSupport
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Mutation queue, against a real server", .timeLimit(.minutes(10)))
final class QueueTests {
    private let folder: URL
    private let server: LiveServer
    private let proxy: FaultyProxy

    init() throws {
        folder = try TemporaryFolder.make()
        server = try LiveServer()
        proxy = try FaultyProxy(to: server.port)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var proxyURL: URL {
        get throws { try #require(URL(string: "http://127.0.0.1:\(proxy.port)")) }
    }

    private func store(of person: Hearth) async throws -> FamilyStore {
        try FamilyStore(
            at: folder.appendingPathComponent(UUID().uuidString),
            of: try await person.profile().id)
    }

    @Test("changes made offline are made once and in order when the server is back")
    func offline() async throws {
        let token = try server.token(id: UUID(), email: "a@example.com", name: "A", role: .parent)
        let online = Hearth(server.url, credentials: BearerToken(token))
        let family = try await online.createFamily(named: "Terns").id
        let store = try await store(of: online)
        let hearth = Hearth(try proxyURL, credentials: BearerToken(token), policy: .never)
        let engine = SyncEngine(hearth, store)
        server.kill()
        for name in ["One", "Two", "Three"] {
            try store.enqueue(.updateFamily(family, FamilyChange(name: name)))
        }
        await #expect(throws: HearthError.self) { try await engine.sendQueued() }
        #expect(try store.queuedMutations().count == 3)
        try server.restart()
        proxy.next(.none, .dropAnswer, .repeatRequest, .dropRequest)
        for _ in 0..<10 where try !store.queuedMutations().isEmpty {
            do { try await engine.sendQueued() } catch let error as HearthError {
                #expect(error.nextStep == .retry)
            }
        }
        #expect(try store.queuedMutations() == [])
        #expect(try await online.family(family).name == "Three")
        let trail = try await online.auditTrail(of: family).elements
        #expect(trail.filter { $0.action == "family.update" }.count == 3)
    }

    @Test("a refused change reports a conflict, and later changes are still sent")
    func refused() async throws {
        let home = try await ClientFamily(server)
        let store = try await store(of: home.parent.hearth)
        let engine = SyncEngine(home.parent.hearth, store)
        let pat = try await home.member(home.parent)
        try store.enqueue(.updateFamily(home.family.id, FamilyChange(name: "Gulls")))
        try store.enqueue(.setPreferences(["a": 1], in: home.family.id, of: pat.userID))
        try await engine.sendQueued()
        #expect(try store.queuedMutations() == [])
        #expect(try await home.parent.hearth.preferences(in: home.family.id) == ["a": 1])
        #expect(try await home.admin.hearth.family(home.family.id).name == "The Terns")
        var conflicts = store.conflicts.makeAsyncIterator()
        guard case .refused(let code, _)? = await conflicts.next()?.outcome else {
            Issue.record("nothing was told")
            return
        }
        #expect(code == ErrorCode.standingTooLow.rawValue)
    }

    @Test("an invitation that was just sent is sent again once its minute is over, and once only")
    func resent() async throws {
        let home = try await ClientFamily(server)
        let sent = try await home.admin.hearth.invite(.email("aunt@example.com"), as: .parent)
        let store = try await store(of: home.admin.hearth)
        let engine = SyncEngine(home.admin.hearth, store)
        try await engine.sync()
        let invitation = try #require(try store.invitations(of: home.family.id).first)
        #expect(invitation.id == sent.id)
        try store.enqueue(.resendInvitation(invitation))
        await #expect(throws: HearthError.self) { try await engine.sendQueued() }
        #expect(try store.queuedMutations().count == 1)
        try server.execute(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'")
        try await engine.sendQueued()
        #expect(try store.queuedMutations() == [])
        let trail = try await home.admin.hearth.auditTrail(of: home.family.id).elements
        #expect(trail.filter { $0.action == "invitation.resend" }.count == 1)
        #expect(try await home.admin.hearth.invitations().elements.map(\.id) == [sent.id])
    }

    @Test("an app killed at any moment loses no change and makes no change twice")
    func killed() async throws {
        let id = UUID()
        let token = try server.token(id: id, email: "k@example.com", name: "K", role: .parent)
        let hearth = Hearth(server.url, credentials: BearerToken(token))
        let family = try await hearth.createFamily(named: "Terns").id
        let account = try await hearth.profile().id
        _ = try names(record: true)
        proxy.faults { _ in
            switch Int.random(in: 0..<8) {
            case 0: .dropRequest
            case 1: .dropAnswer
            case 2: .truncateAnswer
            case 3: .repeatRequest
            default: .none
            }
        }
        let url = try proxyURL.absoluteString
        let file = folder.appendingPathComponent("killed").path
        func device(_ changes: Int) throws -> ChildProgram {
            try ChildProgram(
                BuiltProgram.path("client-device"),
                [file, account.rawValue, family.rawValue, url, "\(changes)"],
                environment: ["HEARTH_TOKEN": token])
        }
        var queued: [String] = []
        for round in 0..<Self.rounds {
            let device = try device(100)
            for _ in 0..<Int.random(in: 1...5) { queued.append(try device.firstLine()) }
            device.kill()
            // Include names that were printed just before the end.
            queued += String(decoding: try device.wholeOutput(), as: UTF8.self)
                .split(separator: "\n").map(String.init)
            if round % 3 == 1 {
                server.kill()
                try server.restart()
            }
        }
        proxy.faults { _ in .none }
        let last = try device(0)
        try last.awaitEnd(within: 120)
        #expect(last.exitCode == 0)

        let done = try names()
        #expect(Set(done).count == done.count, "a change was made twice")
        // A change that was on disk but not printed yet may also have been made.
        let printed = Set(queued)
        #expect(done.filter(printed.contains) == queued, "a change was lost, or out of order")
        #expect(queued.count >= Self.rounds)
    }

    private static let rounds =
        ProcessInfo.processInfo.environment["HEARTH_TEST_KILLS"].flatMap(Int.init) ?? 4

    /// Returns all names that families were given, in order.
    private func names(record: Bool = false) throws -> [String] {
        let connection = try Connection(server.test.settings())
        if record {
            try connection.execute(
                script: """
                    CREATE TABLE public.names (number bigserial, name text);
                    CREATE FUNCTION public.note_name() RETURNS trigger LANGUAGE plpgsql
                        SECURITY DEFINER AS $$
                        BEGIN
                            INSERT INTO public.names (name) VALUES (NEW.family_name);
                            RETURN NEW;
                        END $$;
                    CREATE TRIGGER note_name AFTER UPDATE OF family_name ON app.family_units
                        FOR EACH ROW EXECUTE FUNCTION public.note_name();
                    """)
            return []
        }
        return try connection.query(
            "SELECT coalesce(string_agg(name, chr(10) ORDER BY number), '') FROM public.names"
        ).scalar(String.self).split(separator: "\n").map(String.init)
    }
}
