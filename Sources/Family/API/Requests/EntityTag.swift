import Domain
import HTTPServer
import UseCases

/// What tells two states of what is at an address apart (RFC 9110 section 8.8.3). Tags of ours have
/// no comma.
enum EntityTag {
    /// The tag of what has a version: `"12"`.
    static func text(_ version: Int64) -> String { "\"\(version)\"" }

    /// The tag of what an address shows a caller; nil for a caller without an account.
    static func text(of shown: [UInt8], at address: Request, for caller: Caller) -> String? {
        guard let user = caller.trace?.user else { return nil }
        let about = "\(resource(of: address))\n\(user) \(caller.actingAs.map { "\($0)" } ?? "")\n"
        return ReadTag.text(of: Array(about.utf8) + shown)
    }

    /// What tells an address from others: path and query.
    static func resource(of request: Request) -> String {
        let parameters = request.query.parameters.map { "\($0.name)=\($0.value)" }
        return request.segments.joined(separator: "/") + "?\(parameters)"
    }

    /// The versions that a request may change; nil for any, which `*` means too.
    static func expected(by request: Request) -> [Int64]? {
        let tags = tags(of: request, "If-Match")
        if tags.isEmpty || tags == ["*"] { return nil }
        return tags.compactMap { tag in
            Int64(tag.filter { $0 != "\"" }).flatMap { text($0) == tag ? $0 : nil }
        }
    }

    /// The tags that a change may be made to; nil for any, which `*` means too.
    static func wanted(by request: Request) -> Set<String>? {
        let tags = tags(of: request, "If-Match")
        if request.headers["If-Match"] == nil || tags == ["*"] { return nil }
        return Set(tags)
    }

    /// What the client has already, by `If-None-Match`: `*` is anything. Comparison is weak (RFC
    /// 9110 section 13.1.2).
    static func known(to request: Request) -> Set<String> {
        Set(
            tags(of: request, "If-None-Match").map {
                $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0
            })
    }

    private static func tags(of request: Request, _ name: String) -> [String] {
        request.headers.values(name).flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}

extension Reply {
    /// The same with the tag of what it shows at an address.
    func tagged(at address: Request, for caller: Caller) -> Reply {
        var reply = self
        reply.tag = EntityTag.text(of: representation ?? body, at: address, for: caller)
        return reply
    }

    /// The same for a client that may have it already: then it is not sent again.
    func unless(_ known: Set<String>) -> Reply {
        guard status == 200, let tag, known.contains(tag) || known.contains("*") else {
            return self
        }
        return Reply(status: 304, mediaType: "", body: [], family: family, tag: tag)
    }
}
