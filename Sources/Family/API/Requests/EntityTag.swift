import Domain
import HTTPServer

/// The version of what is at an address, as its `ETag` tells it (RFC 9110 section 8.8.3).
enum EntityTag {
    /// As a header has it: `"12"`.
    static func text(_ version: Int64) -> String { "\"\(version)\"" }

    /// The versions that a request may change; nil for any, which `*` means too.
    static func expected(by request: Request) -> [Int64]? {
        let tags = tags(of: request, "If-Match")
        if tags.isEmpty || tags == ["*"] { return nil }
        return tags.compactMap { tag in
            Int64(tag.filter { $0 != "\"" }).flatMap { text($0) == tag ? $0 : nil }
        }
    }

    /// Whether the client has this version already: then it need not be sent.
    static func isKnown(_ version: Int64, to request: Request) -> Bool {
        let tags = tags(of: request, "If-None-Match")
        return tags.contains { $0 == "*" || $0 == text(version) || $0 == "W/" + text(version) }
    }

    private static func tags(of request: Request, _ name: String) -> [String] {
        request.headers.values(name).flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}

extension Reply {
    /// The same for a client that has this version already.
    var unchanged: Reply {
        Reply(status: 304, mediaType: "", body: [], version: version, family: family)
    }
}
