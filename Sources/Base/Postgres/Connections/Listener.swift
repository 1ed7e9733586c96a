import CPostgres
import Glibc
package import Threads

/// Listens on channels with a connection of its own, and takes it up again when it breaks.
///
/// One thread waits in ``next(deadline:)``; any thread may ``wake()`` it. Notifications sent while
/// the connection was lost are missed, as usual with NOTIFY: after ``Event/connected``, check for
/// changes.
package final class Listener {
    package enum Event: Sendable, Equatable {
        case notification(Notification)
        /// Listening has begun, for the first time or again; earlier notifications are unknown.
        case connected
        /// The connection broke or could not be made; another try follows by itself.
        case disconnected(reason: String)
        /// Somebody called ``Waker/wake()``.
        case woken
    }

    /// Ends a listener's wait from another thread.
    package final class Waker: Sendable {
        fileprivate let descriptor: Int32

        /// - Throws: `PostgresError` with code `connectionFailed` when the process has no file
        ///   descriptor left.
        init() throws(PostgresError) {
            descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard descriptor >= 0 else {
                throw PostgresError(.connectionFailed, "eventfd: errno \(errno)")
            }
        }

        deinit { close(descriptor) }

        /// Makes the listener's wait, or its next one, return `woken`.
        package func wake() {
            // Fails only when the count is full, and then the listener is woken already.
            _ = eventfd_write(descriptor, 1)
        }

        fileprivate func reset() {
            var count: eventfd_t = 0
            _ = eventfd_read(descriptor, &count)
        }
    }

    private let settings: ConnectionSettings
    private let channels: [String]
    package let waker: Waker
    private var connection: Connection?
    /// From when on the session counts as one that lasts.
    private var steadyFrom = Deadline.never
    private var failures = 0
    private var nextTry = Deadline.after(seconds: 0)

    /// A listener that connects at its first wait.
    package init(_ settings: ConnectionSettings, channels: [String]) throws(PostgresError) {
        self.settings = settings
        self.channels = channels
        waker = try Waker()
    }

    /// Waits for the next event; nil when the deadline comes first.
    ///
    /// While it connects it can't be woken, and returns up to the settings' connect timeout, for
    /// each host, after the deadline.
    package func next(deadline: Deadline) -> Event? {
        while true {
            guard let connection else {
                if let event = connect(deadline) { return event }
                if deadline.hasPassed { return nil }
                continue
            }
            if let notification = connection.takeNotification() {
                return .notification(notification)
            }
            switch waitForInput(on: PQsocket(connection.handle), until: deadline) {
            case .deadline: return nil
            case .waker: return .woken
            case .socket:
                if PQconsumeInput(connection.handle) != 1
                    || PQstatus(connection.handle) != CONNECTION_OK
                {
                    let reason = connection.lost(nil).message
                    self.connection = nil
                    // A server that takes sessions and drops them is not asked without pause.
                    if steadyFrom.hasPassed { failures = 0 } else { pauseBeforeNextTry() }
                    return .disconnected(reason: reason)
                }
            }
        }
    }

    /// Gives the session up and begins another at the next wait: for when the server was found away
    /// by other means, since one that hangs closes nothing.
    package func reconnect() {
        guard let connection else { return }
        connection.close()
        self.connection = nil
        nextTry = .after(seconds: 0)
    }

    private enum Ready { case deadline, waker, socket }

    /// Waits for the socket (none while disconnected), the waker or the deadline.
    private func waitForInput(on socket: Int32, until deadline: Deadline) -> Ready {
        var descriptors = [
            pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let ready = poll(&descriptors, 2, deadline.pollMilliseconds)
            if ready > 0, descriptors[0].revents != 0 {
                waker.reset()
                return .waker
            }
            if ready > 0 { return .socket }
            if deadline.hasPassed { return .deadline }
        }
    }

    /// Tries to listen, when its turn has come; nil when the wait ended before.
    private func connect(_ deadline: Deadline) -> Event? {
        switch waitForInput(on: -1, until: min(deadline, nextTry)) {
        case .waker: return .woken
        case .deadline, .socket: break
        }
        guard nextTry.hasPassed else { return nil }
        do {
            let opened = try Connection(settings)
            for channel in channels {
                try opened.query("LISTEN \(identifier: channel)")
            }
            connection = opened
            steadyFrom = .after(seconds: Self.steadySeconds)
            return .connected
        } catch {
            pauseBeforeNextTry()
            return .disconnected(reason: error.message)
        }
    }

    /// 0.1 s, doubling to 5 s, so that a database that comes back is found within 5 s.
    private func pauseBeforeNextTry() {
        failures += 1
        nextTry = .after(seconds: min(5, 0.1 * Double(1 << min(failures - 1, 6))))
    }

    /// How long a session has to last for the next one to be tried at once.
    private static let steadySeconds = 10.0
}

extension Connection {
    /// The oldest notification that has arrived and was not taken yet.
    func takeNotification() -> Notification? {
        guard let pointer = PQnotifies(handle) else { return nil }
        defer { PQfreemem(pointer) }
        return Notification(
            channel: String(cString: pointer.pointee.relname),
            payload: String(cString: pointer.pointee.extra), processID: pointer.pointee.be_pid)
    }
}
