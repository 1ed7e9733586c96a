import Basics
import HTTPServer

/// A document that is the same for every reader and contains no secret. It is generated and
/// compressed once, and sent to all readers without copying.
///
/// Must not be used for a document that contains both a secret and text that a stranger can choose,
/// because its compressed length would reveal the secret.
struct PreparedDocument: Sendable {
    /// Size up to which compression saves nothing: the bytes fit into one packet.
    private static let longestPlain = 1_024

    private let mediaType: String
    private let bytes: [UInt8]
    private let gzipped: [UInt8]?
    private let headers: [(name: String, value: String)]
    private let cacheSeconds: Int?

    /// - Parameter cacheSeconds: Seconds for which anybody may store the document; nil if nobody
    ///   may.
    init(
        mediaType: String, bytes: [UInt8], cacheSeconds: Int? = nil,
        headers: [(name: String, value: String)] = []
    ) {
        self.mediaType = mediaType
        self.bytes = bytes
        self.cacheSeconds = cacheSeconds
        self.headers = headers
        // The document is sent uncompressed if memory runs out, if it is short, or if compression
        // saves nothing.
        let packed = bytes.count > Self.longestPlain ? try? Gzip.compress(bytes) : nil
        gzipped = packed.flatMap { $0.count < bytes.count ? $0 : nil }
    }

    /// Returns the response to a request, in the content coding that the client prefers.
    func reply(to request: Request) throws(Problem) -> Reply {
        let vary = (name: "Vary", value: "Accept-Encoding")
        guard let coding = ContentCoding.preferred(by: request) else {
            throw Problem(
                .notAcceptable, "This address responds only in the codings gzip and identity.",
                headers: [vary])
        }
        var reply = Reply(
            status: 200, mediaType: mediaType, body: bytes, headers: [vary] + headers)
        reply.cacheSeconds = cacheSeconds
        if coding == .gzip, let gzipped {
            reply.body = gzipped
            reply.headers.append(("Content-Encoding", coding.rawValue))
        }
        return reply
    }
}

/// Content coding of a response (RFC 9110 section 8.4).
enum ContentCoding: String, Sendable {
    /// Uncompressed bytes.
    case identity
    case gzip

    /// Returns the content coding that the client prefers; nil if it accepts none (RFC 9110 section
    /// 12.5.3). Of two codings with the same weight, it returns the one with the smaller result.
    static func preferred(by request: Request) -> ContentCoding? {
        let values = request.headers.values("Accept-Encoding")
        if values.isEmpty { return .identity }
        var weights: [String: Double] = [:]
        for entry in values.flatMap({ $0.split(separator: ",") }) {
            guard let (name, weight) = weighed(entry) else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = weight
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        // A coding that is not named is less preferred than a named one, unless all others are
        // refused.
        let identity = weights["identity"] ?? (weights["*"] == 0 ? 0 : .leastNonzeroMagnitude)
        if gzip == 0, identity == 0 { return nil }
        return gzip >= identity ? .gzip : .identity
    }

    /// Parses a coding, in lower case, and its weight; returns nil for a malformed entry.
    private static func weighed(_ entry: Substring) -> (String, Double)? {
        let parts = entry.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        guard parts.count <= 2, !parts[0].isEmpty else { return nil }
        guard parts.count == 2 else { return (parts[0], 1) }
        guard parts[1].hasPrefix("q="), let weight = Double(parts[1].dropFirst(2)),
            (0...1).contains(weight)
        else { return nil }
        return (parts[0], weight)
    }
}

/// The headers of pages for people: they run no scripts, load nothing from other sites and send
/// nothing to them.
enum PageHeaders {
    static let all: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
        ("X-Robots-Tag", "noindex"),
    ]
}
