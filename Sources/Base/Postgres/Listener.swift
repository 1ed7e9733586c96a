import CPostgres
import Glibc
package import Threads

/// Listens on channels with a connection of its own, and takes it up again when it breaks.
///
/// One thread waits in ``next(deadline:)``. Notifications sent while the connection was lost are
/// missed, as usual with NOTIFY: after ``Event/connected``, check for changes.
package final class Listener {
    /// What ``next(deadline:)`` returns.
    package enum Event: Sendable, Equatable {
        case notification(Notification)
        /// Listening has begun, for the first time or again; earlier notifications are unknown.
        case connected
        /// The connection broke or could not be made; another try follows by itself.
        case disconnected(reason: String)
    }

    private let settings: ConnectionSettings
    private let channels: [String]
    private var connection: Connection?
    /// From when on the session counts as one that lasts.
    private var steadyFrom = Deadline.never
    private var failures = 0
    private var nextTry = Deadline.after(seconds: 0)

    /// A listener that connects at its first wait.
    package init(_ settings: ConnectionSettings, channels: [String]) {
        self.settings = settings
        self.channels = channels
    }

    /// Waits for the next event; nil when the deadline comes first.
    ///
    /// While it connects it returns up to the settings' connect timeout, for each host, after the
    /// deadline.
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
            guard hasInput(on: PQsocket(connection.handle), by: deadline) else { return nil }
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

    /// Gives the session up and begins another at the next wait: for when the server was found away
    /// by other means, since one that hangs closes nothing.
    package func reconnect() {
        guard let connection else { return }
        connection.close()
        self.connection = nil
        nextTry = .after(seconds: 0)
    }

    /// Waits for the socket, or with -1 only for the deadline; whether the socket came first.
    private func hasInput(on socket: Int32, by deadline: Deadline) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&descriptor, 1, deadline.pollMilliseconds) > 0 { return true }
            if deadline.hasPassed { return false }
        }
    }

    /// Tries to listen, when its turn has come; nil when the wait ended before.
    private func connect(_ deadline: Deadline) -> Event? {
        _ = hasInput(on: -1, by: min(deadline, nextTry))
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
