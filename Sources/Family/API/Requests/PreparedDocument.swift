import Compression
import HTTPServer

/// A document that is the same for everybody and contains no secret. It is made and compressed
/// once, and sent to all readers without copying.
///
/// A document with a secret beside text that a stranger can choose must not be one: its compressed
/// length would reveal the secret.
struct PreparedDocument: Sendable {
    /// Bytes up to which packing saves nothing: they fit into one packet.
    private static let longestPlain = 1_024

    private let mediaType: String
    private let bytes: [UInt8]
    private let gzipped: [UInt8]?
    private let headers: [(name: String, value: String)]

    init(
        mediaType: String, bytes: [UInt8], headers: [(name: String, value: String)] = []
    ) {
        self.mediaType = mediaType
        self.bytes = bytes
        self.headers = headers
        // Without memory for that it is sent as it is; what is as long, or short, is sent so as
        // well.
        let packed = bytes.count > Self.longestPlain ? try? Gzip.compress(bytes) : nil
        gzipped = packed.flatMap { $0.count < bytes.count ? $0 : nil }
    }

    /// The answer to a request, in the form that the client likes best.
    func reply(to request: Request) throws(Problem) -> Reply {
        let vary = (name: "Vary", value: "Accept-Encoding")
        guard let coding = ContentCoding.preferred(by: request) else {
            throw Problem(
                .notAcceptable, "This address answers in the codings gzip and identity only.",
                headers: [vary])
        }
        guard coding == .gzip, let gzipped else {
            return Reply(status: 200, mediaType: mediaType, body: bytes, headers: [vary] + headers)
        }
        return Reply(
            status: 200, mediaType: mediaType, body: gzipped,
            headers: [vary, ("Content-Encoding", coding.rawValue)] + headers)
    }
}
