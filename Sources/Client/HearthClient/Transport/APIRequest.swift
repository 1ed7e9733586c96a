public import Foundation

/// A request to Hearth, below the typed calls: what a `Transport` sends.
public struct APIRequest: Sendable, Hashable {
    /// Such as `GET`.
    public var method: String
    /// Percent-encoded, beginning with a slash; below the address of the server.
    public var path: String
    /// Names and values as they are meant, not percent-encoded.
    public var query: [String: String]
    /// Names as Hearth documents them.
    public var headers: [String: String]
    /// Nil for none.
    public var body: Data?
    /// For how long nothing may arrive before it counts as lost.
    public var timeoutSeconds: Double

    /// A request.
    public init(
        _ method: String, _ path: String, query: [String: String] = [:],
        headers: [String: String] = [:], body: Data? = nil, timeoutSeconds: Double = 30
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }

    /// The path with the query, in an order that does not depend on chance.
    public var target: String {
        if query.isEmpty { return path }
        let pairs = query.sorted { $0.key < $1.key }.map { name, value in
            Self.encoded(name) + "=" + Self.encoded(value)
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    /// The text as a part of a path or query.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }
}
