import Postgres
import TestSupport
import Testing
import Basics

@Suite("Notification listener")
struct ListenerTests {
    private let soon = Deadline.after(seconds: 60)

    @Test("a listener reports when it is connected and returns notifications of others")
    func hears() throws {
        let channel = "hearth test \(UInt32.random(in: 0 ... .max))"
        let listener = Listener(try TestDatabase.cluster(), channels: [channel])
        #expect(listener.next(deadline: soon) == .connected)
        let sender = try Connection(try TestDatabase.cluster())
        try sender.query("SELECT pg_notify(\(channel), \("hello"))")
        guard case .notification(let notification) = listener.next(deadline: soon) else {
            Issue.record("no notification")
            return
        }
        #expect(notification.channel == channel && notification.payload == "hello")
        #expect(notification.processID == sender.backendProcessID)
        #expect(listener.next(deadline: .after(seconds: 0)) == nil)
    }

    @Test("a listener reconnects after its backend was terminated")
    func reconnects() throws {
        var settings = try TestDatabase.cluster()
        settings.applicationName = "listener \(UInt32.random(in: 0 ... .max))"
        let listener = Listener(settings, channels: ["hearth_test_reconnect"])
        #expect(listener.next(deadline: soon) == .connected)
        let observer = try Connection(try TestDatabase.cluster())
        try observer.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = \(settings.applicationName)
            """)
        guard case .disconnected = listener.next(deadline: soon) else {
            Issue.record("did not notice")
            return
        }
        #expect(listener.next(deadline: soon) == .connected)
    }

    @Test("a listener starts a new session on request")
    func anew() throws {
        let listener = Listener(
            try TestDatabase.cluster(), channels: ["hearth_test_anew"])
        // There is no session yet.
        listener.reconnect()
        #expect(listener.next(deadline: soon) == .connected)
        listener.reconnect()
        #expect(listener.next(deadline: soon) == .connected)
        try Connection(try TestDatabase.cluster()).query("SELECT pg_notify('hearth_test_anew', '')")
        guard case .notification = listener.next(deadline: soon) else {
            Issue.record("no notification")
            return
        }
    }

    @Test("a listener keeps trying while the database is unreachable")
    func away() throws {
        let listener = Listener(
            try ConnectionSettings(url: "host=127.0.0.1 port=1"), channels: ["x"])
        for _ in 0..<3 {
            guard case .disconnected(let reason) = listener.next(deadline: soon) else {
                Issue.record("connected to nothing")
                return
            }
            #expect(!reason.isEmpty)
        }
    }
}
