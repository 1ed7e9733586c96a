import Glibc
import Synchronization
import TestSupport

/// A loopback port that counts callers and tells each that the server is starting up, which makes
/// libpq try the next host.
final class CurtServer {
    let port: UInt16
    private let listener: Int32
    private let callers = Callers()

    private final class Callers: Sendable {
        let count = Atomic<Int>(0)
    }

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 10) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw TimedOut() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let callers = callers
        _ = inBackground {
            while true {
                let caller = accept(listener, nil, nil)
                if caller < 0 {
                    close(listener)
                    return
                }
                // Counted first, so that a refused caller is always counted.
                callers.count.wrappingAdd(1, ordering: .sequentiallyConsistent)
                Self.sendAway(caller)
                close(caller)
            }
        }
    }

    /// Reads the startup message and answers with an ErrorResponse.
    private static func sendAway(_ caller: Int32) {
        var request = [UInt8](repeating: 0, count: 4_096)
        _ = recv(caller, &request, request.count, 0)
        let fields = Array("SFATAL\0VFATAL\0C57P03\0Mnot yet\0\0".utf8)
        let message = [UInt8(ascii: "E"), 0, 0, 0, UInt8(fields.count + 4)] + fields
        _ = send(caller, message, message.count, Int32(MSG_NOSIGNAL))
    }

    /// Ends the thread's wait. The thread itself closes the socket, so its number can't be reused
    /// while the thread uses it.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Returns the number of callers since the last call.
    func countCallers() -> Int {
        callers.count.exchange(0, ordering: .sequentiallyConsistent)
    }
}
