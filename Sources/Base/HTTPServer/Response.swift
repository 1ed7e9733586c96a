import Basics
import CLinux
import Glibc
import Synchronization

/// An HTTP response.
///
/// The server adds `Date`, `Content-Length` and `Connection`. A header that can't be sent (an empty
/// name, line breaks or NUL in name or value) is a bug of the handler, and the client gets 500
/// instead.
package struct Response: Sendable, Equatable {
    /// Status from 200 to 599.
    package var status: Int
    /// Headers other than those that the server adds.
    package var headers: Headers
    /// The body; not sent in response to `HEAD`, nor with 204 and 304.
    package var body: [UInt8]

    /// Creates a response from its parts.
    package init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Reason phrases of status codes (RFC 9110, section 15; RFC 6585).
package enum ReasonPhrase {
    /// Returns the reason phrase of a status; nil if it has none here.
    package static func of(_ status: Int) -> String? { phrases[status] }

    private static let phrases = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently",
        302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed",
        413: "Content Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Content",
        428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]
}

/// Writes a response's first line and header fields (RFC 9112 sections 4 and 5).
enum ResponseHead {
    /// The `Connection` header of a response.
    enum Persistence: Sendable {
        /// The default of HTTP/1.1, without a header: the connection stays open.
        case implicit
        /// The value `keep-alive`, which HTTP/1.0 needs.
        case keepAlive
        /// The value `close`: the connection ends with this response.
        case close
    }

    /// Returns the head with its empty line; nil if the response can't be sent as HTTP.
    static func bytes(
        _ response: Response, _ persistence: Persistence, unixSeconds: Int, hasLength: Bool = true
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        let isWritten = write(
            response, persistence, unixSeconds: unixSeconds, hasLength: hasLength, to: &bytes)
        return isWritten ? bytes : nil
    }

    /// Writes the head into an array, replacing its content; false if the response can't be sent as
    /// HTTP.
    static func write(
        _ response: Response, _ persistence: Persistence, unixSeconds: Int, hasLength: Bool = true,
        to bytes: inout [UInt8]
    ) -> Bool {
        guard (200...599).contains(response.status) else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1_024) { memory in
            var head = ByteWriter(in: memory)
            head.append("HTTP/1.1 ")
            head.append(decimal: Int64(response.status))
            head.append(" ")
            head.append(ReasonPhrase.of(response.status) ?? "")
            head.append("\r\n")
            for field in response.headers.fields {
                guard append(field, to: &head) else { return false }
            }
            head.append("Date: ")
            HTTPDate(unixSeconds: unixSeconds).append(to: &head)
            // Responses with these statuses have no body (RFC 9110 sections 15.3.5 and 15.4.5).
            if hasLength, response.status != 204, response.status != 304 {
                head.append("\r\nContent-Length: ")
                head.append(decimal: Int64(response.body.count))
            }
            switch persistence {
            case .implicit: break
            case .keepAlive: head.append("\r\nConnection: keep-alive")
            case .close: head.append("\r\nConnection: close")
            }
            head.append("\r\n\r\n")
            bytes.removeAll(keepingCapacity: true)
            head.withBytes { bytes.append(contentsOf: $0) }
            return true
        }
    }

    /// Appends a field; false if it can't be sent, or is reserved for the server.
    private static func append(_ field: Headers.Field, to head: inout ByteWriter) -> Bool {
        let isSendable = field.name.withBytes { name in
            head.append(name)
            return !name.isEmpty && name.allSatisfy { $0.isTokenCharacter } && !isReserved(name)
        }
        head.append(": ")
        let isValue = field.value.withBytes { value in
            head.append(value)
            return UnsafeRawBufferPointer(value).isFieldValue
        }
        head.append("\r\n")
        return isSendable && isValue
    }

    /// Whether a name is reserved for the server's own fields.
    private static func isReserved(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        for reserved in [
            "Content-Length", "Transfer-Encoding", "Connection", "Date",
        ] as [StaticString] where reserved.utf8CodeUnitCount == name.count {
            if reserved.withUTF8Buffer({ UnsafeRawBufferPointer($0).isSameToken(as: name) }) {
                return true
            }
        }
        return false
    }
}

/// A date in HTTP's format: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
struct HTTPDate: Sendable {
    /// Seconds since 1970; not negative.
    let unixSeconds: Int

    private static let days: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Appends the 29 characters of the date.
    func append(to text: inout ByteWriter) {
        let day = unixSeconds / 86_400
        let second = unixSeconds % 86_400
        let date = Self.civil(day)
        text.append(Self.days[day % 7])
        text.append(", ")
        text.append(digits: UInt64(date.day), width: 2)
        text.append(" ")
        text.append(Self.months[date.month - 1])
        text.append(" ")
        text.append(digits: UInt64(date.year), width: 4)
        text.append(" ")
        text.append(digits: UInt64(second / 3600), width: 2)
        text.append(":")
        text.append(digits: UInt64(second / 60 % 60), width: 2)
        text.append(":")
        text.append(digits: UInt64(second % 60), width: 2)
        text.append(" GMT")
    }

    /// Returns the date this many days after 1 January 1970 (proleptic Gregorian; eras of 400 years
    /// that begin in March). The C library would take a lock for it, at every response.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}

/// State shared by all connections of a server: the handler, and the server's own responses.
final class Responder: Sendable {
    let settings: ServerSettings
    let handler: any Handler
    /// Maximum number of requests that a thread takes at once.
    let batchLimit: Int
    private let draining = Atomic(false)

    init<Answering: Handler>(_ settings: ServerSettings, _ handler: Answering) {
        self.settings = settings
        self.handler = handler
        batchLimit = Answering.Read.self == Never.self ? 1 : max(1, settings.batchLimit)
    }

    /// Makes every connection close after its next response.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// Returns the bytes of a response; the head is written into the thread's memory.
    func output(
        _ finished: RequestReader.Finished, _ response: Response, _ scratch: Scratch
    ) -> SendBuffer {
        let request = finished.request
        var response = response
        let keepsAlive = finished.keepsAlive && !isDraining
        let persistence: ResponseHead.Persistence =
            keepsAlive ? finished.isVersion10 ? .keepAlive : .implicit : .close
        let now = time(nil)
        var isWritten = scratch.write(response, persistence, unixSeconds: now)
        if !isWritten {
            response = handler.respond(to: .invalidResponse, in: request)
            isWritten = scratch.write(response, persistence, unixSeconds: now)
        }
        if !isWritten {
            response = Response(status: ServerFault.invalidResponse.status)
            isWritten = scratch.write(response, persistence, unixSeconds: now)
        }
        guard isWritten else { return SendBuffer(head: [], body: [], isLast: true) }
        let hasBody = request.method != .head && response.status != 204 && response.status != 304
        return SendBuffer(
            head: scratch.head, body: hasBody ? response.body : [], isLast: !keepsAlive)
    }

    /// Returns the head of a response without a length; nil if it can't be sent.
    func streamHead(_ response: Response) -> [UInt8]? {
        ResponseHead.bytes(response, .close, unixSeconds: time(nil), hasLength: false)
    }

    /// Whether a request is answered even while all threads wait.
    func isUrgent(_ request: Request) -> Bool { settings.urgentPaths.contains(request.path) }
}

/// The unsent output of a connection: a head and a body. The body may be shared with other
/// responses, so it is never copied.
struct SendBuffer: Sendable {
    private var head: ArraySlice<UInt8>
    private(set) var body: ArraySlice<UInt8>
    /// Whether the connection closes after this output.
    let isLast: Bool

    /// Empty output.
    static let none = SendBuffer(head: [], body: [])

    init(head: [UInt8], body: [UInt8], isLast: Bool = false) {
        self.head = head[...]
        self.body = body[...]
        self.isLast = isLast
    }

    var isEmpty: Bool { head.isEmpty && body.isEmpty }

    /// Sends as much as the other end accepts now, and removes the sent bytes.
    ///
    /// - Returns: The result of `sendmsg`: the number of bytes, or -1 with `errno` set.
    mutating func send(over socket: Int32) -> Int {
        let count = head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in
                Self.send(iovec(head), iovec(body), over: socket)
            }
        }
        guard count > 0 else { return count }
        let headCount = min(count, head.count)
        head = head.dropFirst(headCount)
        body = body.dropFirst(count - headCount)
        // Releases sent output while the connection waits for its next request.
        if isEmpty { self = .none }
        return count
    }

    private static func send(_ head: iovec, _ body: iovec, over socket: Int32) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts.initializeElement(at: 0, to: head)
            parts.initializeElement(at: 1, to: body)
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
