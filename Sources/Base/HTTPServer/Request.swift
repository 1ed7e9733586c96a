import Glibc

/// A complete request with its body.
package final class Request: Sendable {
    package let method: Method
    private let target: RequestTarget
    package let headers: Headers
    /// The body, at most as long as the server's limit; empty if there was none.
    package let body: [UInt8]
    /// The address at the other end of the connection: the proxy's, if there is one.
    package let peer: PeerAddress
    /// The client's address: the peer, or the address that a trusted proxy forwards for.
    package let client: PeerAddress
    /// Time at which the complete request had arrived, in nanoseconds of `MonotonicClock`; nil if
    /// it did not arrive over a connection.
    package let receivedAt: Int?

    /// The path as sent, without the query: for logs, and for routes without parameters.
    package var path: String { target.path }
    /// The path's segments, percent-decoded: `/a/b%20c` is `["a", "b c"]`.
    package var segments: [String] { target.segments }
    package var query: Query { target.query }

    /// Creates a request for a test or another front end, from a client that is the peer itself
    /// unless another is named; nil if the target is malformed.
    package convenience init?(
        _ method: Method, _ target: String, headers: Headers = Headers(), body: [UInt8] = [],
        peer: PeerAddress = .loopback, client: PeerAddress? = nil
    ) {
        guard let target = RequestTarget(target) else { return nil }
        self.init(method, target, headers, body, peer, client: client ?? peer, receivedAt: nil)
    }

    /// Creates a request that arrived from `peer`. If the peer is a trusted proxy, its header names
    /// the client.
    convenience init(
        _ method: Method, _ target: RequestTarget, _ headers: Headers, _ body: [UInt8],
        _ peer: PeerAddress, trusting proxies: [AddressRange], receivedAt: Int? = nil
    ) {
        let isProxy = proxies.contains { $0.contains(peer) }
        self.init(
            method, target, headers, body, peer,
            client: isProxy
                ? ForwardedFor(headers).client(behind: peer, trusting: proxies) : peer,
            receivedAt: receivedAt)
    }

    private init(
        _ method: Method, _ target: RequestTarget, _ headers: Headers, _ body: [UInt8],
        _ peer: PeerAddress, client: PeerAddress, receivedAt: Int?
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
        self.client = client
        self.receivedAt = receivedAt
    }
}

/// A request method (RFC 9110 section 9) as written: methods are case-sensitive.
package struct Method: Sendable, Hashable {
    package let name: String

    /// Creates a method, whether or not it is known.
    package init(_ name: String) { self.name = name }

    package static let get = Method("GET")
    package static let head = Method("HEAD")
    package static let post = Method("POST")
    package static let put = Method("PUT")
    package static let patch = Method("PATCH")
    package static let delete = Method("DELETE")
    package static let options = Method("OPTIONS")
}

/// The target of a request: the path in decoded segments, and the query.
struct RequestTarget: Sendable, Equatable {
    /// The path as sent, without the query.
    let path: String
    let query: Query
    /// The decoded segments; nil if the path has no escapes, so the segments are read from it.
    private let decoded: [String]?

    /// The decoded segments without the leading slash: `/a/b%20c` is `["a", "b c"]`, `/` is `[""]`.
    var segments: [String] {
        decoded
            ?? path.utf8.dropFirst().split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
            ).map { String(Substring($0)) }
    }

    /// Parses a path and a query without escapes; nil for any other target.
    init?(plain target: UnsafeRawBufferPointer) {
        guard target.first == UInt8(ascii: "/"),
            target.allSatisfy({
                $0 < 0x80 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") && $0 != 0
            })
        else { return nil }
        let mark = target.position(of: UInt8(ascii: "?"))
        path = target.part(0..<(mark ?? target.count)).text
        decoded = nil
        query =
            mark.map { Query(plain: target.part($0 + 1..<target.count)) } ?? Query()
    }

    /// Parses a target in origin or absolute form (RFC 9112 section 3.2); nil if an escape is
    /// malformed or does not decode to text, or if an absolute target has no host.
    init?(_ target: String) {
        guard let local = Self.withoutAuthority(target) else { return nil }
        // By bytes: the separators are ASCII, and iterating over characters is slow.
        let mark = local.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = mark.map { local[..<$0] } ?? local
        guard path.utf8.first == UInt8(ascii: "/") else {
            // "*" of OPTIONS, and anything else that is not a path, has no route.
            guard path == "*" else { return nil }
            self.path = "*"
            decoded = []
            query = Query()
            return
        }
        var decoded: [String]?
        if !PercentEncoding.isPlain(path, plusIsSpace: false) {
            var segments: [String] = []
            for segment in path.utf8.dropFirst().split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            {
                guard let text = PercentEncoding.decode(Substring(segment), plusIsSpace: false)
                else { return nil }
                segments.append(text)
            }
            decoded = segments
        }
        let rest = mark.map { local[local.utf8.index(after: $0)...] } ?? ""
        guard let query = Query(parsing: rest) else { return nil }
        self.path = String(path)
        self.decoded = decoded
        self.query = query
    }

    /// The placeholder for a malformed target.
    static let none = RequestTarget()

    private init() {
        path = ""
        decoded = []
        query = Query()
    }

    /// Removes `http://host` from an absolute target. The host is ignored, because the proxy has
    /// selected this server. Nil if there is no host, or if there is user information (RFC 9110
    /// section 4.2).
    private static func withoutAuthority(_ target: String) -> Substring? {
        if target.utf8.first == UInt8(ascii: "/") { return target[...] }
        for scheme in ["http://", "https://"]
        where target.prefix(scheme.utf8.count).lowercased() == scheme {
            let rest = target.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            guard Authority.isValid(rest[..<end]) else { return nil }
            if end == rest.endIndex { return "/" }
            return rest[end] == "/" ? rest[end...] : "/" + rest[end...]
        }
        return target[...]
    }
}

/// The query parameters of a target, decoded like a form (`+` is a space).
package struct Query: Sendable, Equatable {
    /// A decoded name with its decoded value.
    package struct Parameter: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// All parameters, in order; one without `=` has an empty value.
    package let parameters: [Parameter]

    init() { parameters = [] }

    /// Parses `a=1&b=2` without escapes.
    init(plain text: UnsafeRawBufferPointer) {
        var parameters: [Parameter] = []
        var start = 0
        while start < text.count {
            let end = text.position(of: UInt8(ascii: "&"), from: start) ?? text.count
            let pair = text.part(start..<end)
            start = end + 1
            if pair.isEmpty { continue }
            let sign = pair.position(of: UInt8(ascii: "=")) ?? pair.count
            parameters.append(
                Parameter(
                    name: pair.part(0..<sign).text,
                    value: pair.part(min(sign + 1, pair.count)..<pair.count).text))
        }
        self.parameters = parameters
    }

    /// Parses `a=1&b=2`; nil if an escape is malformed or does not decode to text.
    package init?(parsing text: Substring) {
        var parameters: [Parameter] = []
        var rest = text.utf8
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[pair.endIndex...].dropFirst()
            if pair.isEmpty { continue }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair[name.endIndex...].dropFirst()
            guard let name = PercentEncoding.decode(Substring(name), plusIsSpace: true),
                let value = PercentEncoding.decode(Substring(value), plusIsSpace: true)
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    /// Returns all values of a name, in order.
    package func values(_ name: String) -> [String] {
        parameters.filter { $0.name == name }.map(\.value)
    }

    /// Returns whether a parameter is absent, occurs once, or is repeated.
    package func single(_ name: String) -> Headers.Occurrence {
        var found: String?
        for parameter in parameters where parameter.name == name {
            guard found == nil else { return .repeated }
            found = parameter.value
        }
        return found.map(Headers.Occurrence.once) ?? .absent
    }
}

/// The values of a pattern's `:name` segments in a path.
package struct PathParameters: Sendable, Equatable {
    private var values: [(name: String, value: String)] = []

    package init() {}

    /// Returns the decoded segment at `:name`, or nil if the pattern has no such name.
    package subscript(name: String) -> String? {
        values.first { $0.name == name }?.value
    }

    mutating func add(_ name: String, _ value: String) { values.append((name, value)) }

    package static func == (left: PathParameters, right: PathParameters) -> Bool {
        left.values.elementsEqual(right.values) { $0 == $1 }
    }
}

/// Decodes percent-encoding (RFC 3986 section 2.1).
enum PercentEncoding {
    /// Decodes a text; nil if an escape is malformed, or the result is not UTF-8 or contains NUL.
    static func decode(_ encoded: Substring, plusIsSpace: Bool) -> String? {
        let bytes = encoded.utf8
        if isPlain(encoded, plusIsSpace: plusIsSpace) { return String(encoded) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(hexDigit),
                    let low = iterator.next().flatMap(hexDigit)
                else { return nil }
                decoded.append(high << 4 | low)
            } else if byte == UInt8(ascii: "+"), plusIsSpace {
                decoded.append(UInt8(ascii: " "))
            } else {
                decoded.append(byte)
            }
        }
        return decoded.contains(0) ? nil : String(validating: decoded, as: UTF8.self)
    }

    /// Whether the text needs no decoding and contains nothing to refuse.
    static func isPlain(_ text: Substring, plusIsSpace: Bool) -> Bool {
        text.withBytes { bytes in
            !bytes.contains {
                $0 == UInt8(ascii: "%") || $0 == 0 || (plusIsSpace && $0 == UInt8(ascii: "+"))
            }
        }
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Checks an authority, as in a `Host` header or an absolute target: a name or an address, and an
/// optional port (RFC 9110 section 7.2, RFC 3986 section 3.2).
enum Authority {
    /// Maximum length of a name, as in DNS.
    private static let nameLimit = 255
    private static let portLimit = 65_535

    /// Refuses user information, because it can be used to disguise the host.
    static func isValid(_ text: some StringProtocol) -> Bool {
        text.withBytes { isValid($0) }
    }

    private static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let end = endOfHost(bytes) else { return false }
        if end == bytes.count { return true }
        return bytes[end] == UInt8(ascii: ":") && isPort(bytes[(end + 1)...])
    }

    /// Returns the end of the host, which has at least one character; nil if there is no host.
    private static func endOfHost(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
                isLiteral(bytes[1..<end])
            else { return nil }
            return end + 1
        }
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
        return (1...nameLimit).contains(end) && isName(bytes[..<end]) ? end : nil
    }

    /// Whether the bytes are a reg-name, which includes IPv4 addresses.
    private static func isName(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex,
                    PercentEncoding.hexDigit(bytes[index + 1]) != nil,
                    PercentEncoding.hexDigit(bytes[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                guard bytes[index].isUnreserved || bytes[index].isSubDelimiter else {
                    return false
                }
                index += 1
            }
        }
        return true
    }

    /// Whether the content of brackets is an IPv6 address without a zone, or an address of a later
    /// version.
    private static func isLiteral(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        if bytes.first == UInt8(ascii: "v") || bytes.first == UInt8(ascii: "V") {
            let parts = bytes.dropFirst().split(
                separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
                && parts[0].allSatisfy { PercentEncoding.hexDigit($0) != nil }
                && parts[1].allSatisfy {
                    $0.isUnreserved || $0.isSubDelimiter || $0 == UInt8(ascii: ":")
                }
        }
        // inet_pton would stop at a NUL.
        guard bytes.allSatisfy({ $0 != 0 }) else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    private static func isPort(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        if bytes.isEmpty { return true }
        guard bytes.count <= 5,
            bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= portLimit
    }
}

extension UInt8 {
    /// Whether the byte is unreserved (RFC 3986 section 2.3).
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether the byte is a sub-delimiter (RFC 3986 section 2.2).
    fileprivate var isSubDelimiter: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
