import Basics
import Foundation
import Glibc
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import CommandLine

@Suite("Notifications to the service manager")
struct ServiceNotifierTests {
    /// Reports of a process about itself.
    private final class Health: Sendable {
        let obstacle = Mutex<String?>(nil)
        let isAlive = Mutex(true)
    }

    private static func start(
        _ socket: NotifySocket, _ health: Health, _ more: [String: String] = [:]
    ) -> ServiceNotifier? {
        ServiceNotifier.start(
            Log(level: .error), environment: ["NOTIFY_SOCKET": socket.name].merging(more) { $1 },
            obstacle: { health.obstacle.withLock { $0 } },
            isAlive: { health.isAlive.withLock { $0 } })
    }

    @Test("a process reports that it is ready and that it stops, to a path or an abstract name")
    func ready() throws {
        let folder = FileManager.default.temporaryDirectory
        for socket in try [NotifySocket(), NotifySocket(in: folder)] {
            let notifier = try #require(Self.start(socket, Health()))
            #expect(socket.next() == ["READY=1", "STATUS=serving"])
            notifier.beginStopping()
            #expect(socket.next() == ["STOPPING=1", "STATUS=stopping"])
            if socket.name.hasPrefix("/") { unlink(socket.name) }
        }
    }

    @Test(
        "a process that can't serve yet reports each obstacle once, and is ready after the last one"
    )
    func obstacles() throws {
        let (socket, health) = try (NotifySocket(), Health())
        health.obstacle.withLock { $0 = "database_away" }
        let notifier = try #require(Self.start(socket, health))
        #expect(socket.next() == ["STATUS=waiting: database_away"])
        health.obstacle.withLock { $0 = "schema_behind" }
        #expect(socket.next() == ["STATUS=waiting: schema_behind"])
        health.obstacle.withLock { $0 = nil }
        #expect(socket.next() == ["READY=1", "STATUS=serving"])
        notifier.beginStopping()
    }

    @Test("a process that stops before it is ready never reports that it is ready")
    func stopsEarly() throws {
        let (socket, health) = try (NotifySocket(), Health())
        health.obstacle.withLock { $0 = "database_away" }
        let notifier = try #require(Self.start(socket, health))
        #expect(socket.next() != nil)
        notifier.beginStopping()
        health.obstacle.withLock { $0 = nil }
        #expect(socket.next() == ["STOPPING=1", "STATUS=stopping"])
        // Longer than the pause between two checks.
        #expect(socket.next(within: 1) == nil)
    }

    @Test("the watchdog is notified several times per interval, and not while the process hangs")
    func watchdog() throws {
        let (socket, health) = try (NotifySocket(), Health())
        let notifier = try #require(
            Self.start(
                socket, health, ["WATCHDOG_USEC": "300000", "WATCHDOG_PID": "\(getpid())"]))
        #expect(socket.next() == ["READY=1", "STATUS=serving", "WATCHDOG=1"])
        for _ in 1...3 { #expect(socket.next() == ["WATCHDOG=1"]) }
        health.isAlive.withLock { $0 = false }
        // One notification may be on its way.
        _ = socket.next(within: 0.2)
        #expect(socket.next(within: 0.5) == nil)
        health.isAlive.withLock { $0 = true }
        #expect(socket.next() == ["WATCHDOG=1"])
        notifier.beginStopping()
    }

    @Test("a watchdog of another process is not notified")
    func otherProcess() throws {
        let socket = try NotifySocket()
        let notifier = Self.start(
            socket, Health(), ["WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
        #expect(socket.next() == ["READY=1", "STATUS=serving"])
        #expect(socket.next(within: 0.3) == nil)
        notifier?.beginStopping()
    }

    @Test("a notification that fails is sent again")
    func failure() throws {
        let folder = FileManager.default.temporaryDirectory
        let first = try NotifySocket(in: folder)
        unlink(first.name)
        let calls = Monitor(0)
        let notifier = ServiceNotifier.start(
            Log(level: .error), environment: ["NOTIFY_SOCKET": first.name],
            obstacle: {
                calls.withLock { $0 += 1 }
                return nil
            }, isAlive: { true })
        // The first notification had no receiver when the second check began.
        try eventually { calls.withLock { $0 } >= 2 }
        let second = try NotifySocket(at: first.name)
        #expect(second.next() == ["READY=1", "STATUS=serving"])
        unlink(second.name)
        notifier?.beginStopping()
    }

    @Test("without a service manager nothing is started")
    func none() throws {
        #expect(try ServiceNotifier([:]) == nil)
        #expect(try ServiceNotifier(["NOTIFY_SOCKET": ""]) == nil)
    }

    @Test(
        "malformed variables are refused with a message that names the expected form",
        arguments: [
            (["NOTIFY_SOCKET": "relative"], "NOTIFY_SOCKET: expected an absolute path"),
            (["NOTIFY_SOCKET": "/"], "NOTIFY_SOCKET: expected an absolute path"),
            (["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 120)], "of less than 108 bytes"),
            (["NOTIFY_SOCKET": "@a", "WATCHDOG_USEC": "0"], "WATCHDOG_USEC: expected a number"),
            (["NOTIFY_SOCKET": "@a", "WATCHDOG_USEC": "soon"], "WATCHDOG_USEC: expected a number"),
        ])
    func wrong(environment: [String: String], words: String) {
        do throws(ServiceNotifierError) {
            _ = try ServiceNotifier(environment)
            Issue.record("accepted")
        } catch {
            #expect(error.description.contains(words))
        }
    }
}
