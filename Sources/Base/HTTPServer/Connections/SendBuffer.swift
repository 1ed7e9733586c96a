import CLinux
import Glibc

/// The unsent output of a connection: a head and a body. The body may be shared with other
/// responses, so it is never copied.
struct SendBuffer: Sendable {
    private var head: ArraySlice<UInt8>
    private(set) var body: ArraySlice<UInt8>
    /// Whether the connection ends after it.
    let isLast: Bool

    /// Nothing.
    static let none = SendBuffer(head: [], body: [])

    init(head: [UInt8], body: [UInt8], isLast: Bool = false) {
        self.head = head[...]
        self.body = body[...]
        self.isLast = isLast
    }

    var isEmpty: Bool { head.isEmpty && body.isEmpty }

    /// Sends as much as the other end takes at once, and forgets that.
    ///
    /// - Returns: As `sendmsg`: the count of bytes, or -1 with `errno` set.
    mutating func send(over socket: Int32) -> Int {
        let count = head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in
                Self.send([iovec(head), iovec(body)], over: socket)
            }
        }
        guard count > 0 else { return count }
        let ofHead = min(count, head.count)
        head = head.dropFirst(ofHead)
        body = body.dropFirst(count - ofHead)
        // Releases sent output while the connection waits for its next request.
        if isEmpty { self = .none }
        return count
    }

    private static func send(_ parts: consuming [iovec], over socket: Int32) -> Int {
        parts.withUnsafeMutableBufferPointer { parts in
            var message = msghdr()
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = parts.count
            return sendmsg(socket, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }
}

extension iovec {
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}
