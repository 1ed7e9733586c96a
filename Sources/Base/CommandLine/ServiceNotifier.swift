import Basics
import Glibc
package import Telemetry

/// Notifications to the service manager that started this process, in systemd's protocol: text in
/// datagrams to the socket that `NOTIFY_SOCKET` names.
///
/// A unit with `Type=notify` counts as started once the process has sent `READY=1`. A unit with
/// `WatchdogSec=` is ended and restarted if `WATCHDOG=1` does not arrive in time.
package final class ServiceNotifier: Sendable {
    /// Seconds between two checks of whether the process is ready.
    private static let readinessSeconds = 0.5

    private let socket: DatagramAddress
    private let watchdogSeconds: Double?
    private let isStopping = Monitor(false)

    /// Reads the variables that the service manager sets; nil if no service manager expects
    /// notifications.
    init?(_ environment: [String: String]) throws(ServiceNotifierError) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        socket = try DatagramAddress(name)
        watchdogSeconds = try Self.watchdogSeconds(environment)
    }

    private static func watchdogSeconds(
        _ environment: [String: String]
    ) throws(ServiceNotifierError) -> Double? {
        // The variables of a parent process are not meant for this one.
        if let pid = environment["WATCHDOG_PID"], pid != String(getpid()) { return nil }
        guard let word = environment["WATCHDOG_USEC"] else { return nil }
        guard let microseconds = Int(word), microseconds > 0 else {
            throw ServiceNotifierError("WATCHDOG_USEC: expected a number of microseconds above 0")
        }
        return Double(microseconds) / 1e6
    }

    /// Starts to notify the service manager, if there is one, from a separate thread.
    ///
    /// - Parameters:
    ///   - obstacle: Returns why the process can't serve yet; nil once it can.
    ///   - isAlive: Whether the process makes progress. If not, the watchdog is not notified.
    package static func start(
        _ log: Log, environment: [String: String] = Environment.variables,
        obstacle: @escaping @Sendable () -> String?, isAlive: @escaping @Sendable () -> Bool
    ) -> ServiceNotifier? {
        do throws(ServiceNotifierError) {
            guard let notifier = try ServiceNotifier(environment) else { return nil }
            let isStarted = SystemThread.startDetached {
                notifier.run(obstacle: obstacle, isAlive: isAlive) { error in
                    log.warning("could not notify the service manager", [.error(error)])
                }
            }
            guard isStarted else {
                throw ServiceNotifierError("the system can't create another thread")
            }
            return notifier
        } catch {
            log.warning("could not notify the service manager", [.error(error)])
            return nil
        }
    }

    /// Notifies the service manager that the process shuts down. Nothing is sent after that.
    package func beginStopping() {
        isStopping.change { isStopping in
            // A failure is ignored: the service manager usually requested the shutdown itself.
            if !isStopping { try? socket.send("STOPPING=1\nSTATUS=stopping") }
            isStopping = true
        }
    }

    /// Notifies until the process stops, or until nothing is left to be sent.
    private func run(
        obstacle: () -> String?, isAlive: () -> Bool, onError: (ServiceNotifierError) -> Void
    ) {
        var isReady = false
        var status = ""
        var hasFailed = false
        while true {
            var lines: [String] = []
            if !isReady {
                let found = obstacle()
                isReady = found == nil
                let new = found.map { "STATUS=waiting: \($0)" } ?? "READY=1\nSTATUS=serving"
                if new != status { lines.append(new) }
                status = new
            }
            if isReady, watchdogSeconds != nil, isAlive() { lines.append("WATCHDOG=1") }
            do throws(ServiceNotifierError) {
                guard try send(lines) else { return }
                hasFailed = false
            } catch {
                // Sent again at the next turn; logged once.
                (isReady, status) = (false, "")
                if !hasFailed { onError(error) }
                hasFailed = true
            }
            if isReady, watchdogSeconds == nil { return }
            pause(seconds: isReady ? (watchdogSeconds ?? 0) / 3 : Self.readinessSeconds)
        }
    }

    /// Sends lines in one datagram; returns false if the process is stopping.
    private func send(_ lines: [String]) throws(ServiceNotifierError) -> Bool {
        let sent = isStopping.withLock { isStopping -> Result<Bool, ServiceNotifierError> in
            if isStopping { return .success(false) }
            do throws(ServiceNotifierError) {
                if !lines.isEmpty { try socket.send(lines.joined(separator: "\n")) }
                return .success(true)
            } catch {
                return .failure(error)
            }
        }
        return try sent.get()
    }

    private func pause(seconds: Double) {
        let end = Deadline.after(seconds: seconds)
        _ = isStopping.wait { ($0 ? true : nil, end) }
    }
}

/// The reason why the service manager could not be notified.
package struct ServiceNotifierError: Error, Equatable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    package let description: String
    package var debugDescription: String { description }

    init(_ description: String) { self.description = description }
}

/// The address of a local socket that takes datagrams: a path, or `@` and an abstract name.
private struct DatagramAddress: Sendable {
    private let bytes: [UInt8]

    init(_ name: String) throws(ServiceNotifierError) {
        let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        guard name.hasPrefix("/") || name.hasPrefix("@"), name.utf8.count > 1,
            name.utf8.count < limit
        else {
            throw ServiceNotifierError(
                "NOTIFY_SOCKET: expected an absolute path, or '@' and a name, of less than "
                    + "\(limit) bytes")
        }
        bytes = Array(name.utf8)
    }

    func send(_ text: String) throws(ServiceNotifierError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            // An abstract name begins with a zero byte.
            if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        let length = socklen_t(start + bytes.count)
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Self.failure("opening a socket") }
        defer { close(socket) }
        let content = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    socket, content, content.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, length)
            }
        }
        guard sent == content.count else { throw Self.failure("sending to NOTIFY_SOCKET") }
    }

    private static func failure(_ context: String) -> ServiceNotifierError {
        ServiceNotifierError("\(context): \(String(cString: strerror(errno)))")
    }
}
