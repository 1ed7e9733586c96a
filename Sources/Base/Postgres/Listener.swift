import CPostgres
import Glibc
package import Basics

/// Listens on channels with a connection of its own, and reconnects when it breaks.
///
/// One thread waits in ``next(deadline:)``. Notifications sent while the connection was lost are
/// missed, as usual with NOTIFY: after ``Event/connected``, check for changes.
package final class Listener {
    /// Result of ``next(deadline:)``.
    package enum Event: Sendable, Equatable {
        case notification(Notification)
        /// Listening has begun, for the first time or again; earlier notifications may have been
        /// missed.
        case connected
        /// The connection broke or could not be opened; the listener retries by itself.
        case disconnected(reason: String)
    }

    private let settings: ConnectionSettings
    private let channels: [String]
    private var connection: Connection?
    /// Time from which the session counts as stable.
    private var stableFrom = Deadline.never
    private var failures = 0
    private var nextTry = Deadline.after(seconds: 0)

    /// Creates a listener that connects at its first wait.
    package init(_ settings: ConnectionSettings, channels: [String]) {
        self.settings = settings
        self.channels = channels
    }

    /// Waits for the next event; returns nil when the deadline passes first.
    ///
    /// While it connects, it may return after the deadline, by up to the settings' connect timeout
    /// for each host.
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
                // Reconnects with a pause to a server that accepts sessions and drops them.
                if stableFrom.hasPassed { failures = 0 } else { pauseBeforeNextTry() }
                return .disconnected(reason: reason)
            }
        }
    }

    /// Closes the session and opens another at the next wait: for a caller that has found the
    /// server unreachable by other means, since a server that hangs closes nothing.
    package func reconnect() {
        guard let connection else { return }
        connection.close()
        self.connection = nil
        nextTry = .after(seconds: 0)
    }

    /// Waits for the socket, or with -1 only for the deadline; returns whether the socket was ready
    /// first.
    private func hasInput(on socket: Int32, by deadline: Deadline) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&descriptor, 1, deadline.pollMilliseconds) > 0 { return true }
            if deadline.hasPassed { return false }
        }
    }

    /// Tries to listen once the pause is over; returns nil when the deadline passes first.
    private func connect(_ deadline: Deadline) -> Event? {
        _ = hasInput(on: -1, by: min(deadline, nextTry))
        guard nextTry.hasPassed else { return nil }
        do {
            let opened = try Connection(settings)
            for channel in channels {
                try opened.query("LISTEN \(identifier: channel)")
            }
            connection = opened
            stableFrom = .after(seconds: Self.stableSeconds)
            return .connected
        } catch {
            pauseBeforeNextTry()
            return .disconnected(reason: error.message)
        }
    }

    /// Pauses for 0.1 s, doubling to 5 s, so that a database that comes back is found within 5 s.
    private func pauseBeforeNextTry() {
        failures += 1
        nextTry = .after(seconds: min(5, 0.1 * Double(1 << min(failures - 1, 6))))
    }

    /// Seconds that a session has to last for an immediate reconnect.
    private static let stableSeconds = 10.0
}

extension Connection {
    /// Returns the oldest notification that has arrived and was not taken yet.
    func takeNotification() -> Notification? {
        guard let pointer = PQnotifies(handle) else { return nil }
        defer { PQfreemem(pointer) }
        return Notification(
            channel: String(cString: pointer.pointee.relname),
            payload: String(cString: pointer.pointee.extra), processID: pointer.pointee.be_pid)
    }
}
