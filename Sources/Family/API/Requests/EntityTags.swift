import Domain
import HTTPServer
import UseCases

/// Entity tags, which distinguish the states of a resource (RFC 9110 section 8.8.3). Hearth's tags
/// contain no comma.
enum EntityTag {
    /// Returns the tag of the content that an address shows a caller; nil for a caller without an
    /// account.
    static func text(of shown: [UInt8], at address: Request, for context: RequestContext) -> String?
    {
        guard let user = context.trace?.user else { return nil }
        let member = context.caller.actingAs.map { "\($0)" } ?? ""
        let about = "\(resource(of: address))\n\(user) \(member)\n"
        return ReadTag.text(of: Array(about.utf8) + shown)
    }

    /// Returns the text that identifies an address: its path and query.
    static func resource(of request: Request) -> String {
        let parameters = request.query.parameters
        var room = request.path.utf8.count
        for parameter in parameters {
            room += parameter.name.utf8.count + parameter.value.utf8.count + 2
        }
        var resource = ""
        // One allocation for the whole text.
        resource.reserveCapacity(room)
        if request.path.utf8.contains(UInt8(ascii: "%")) {
            resource += "/" + request.segments.joined(separator: "/")
        } else {
            resource += request.path
        }
        for parameter in parameters {
            // Neither the name nor the value contains a NUL.
            resource += "\0"
            resource += parameter.name
            resource += "\0"
            resource += parameter.value
        }
        return resource
    }

    /// Returns the tags of `If-Match`; nil if the header is missing or is `*`, which any version
    /// satisfies.
    static func wanted(by request: Request) -> Set<String>? {
        let tags = tags(of: request, "If-Match")
        if request.headers["If-Match"] == nil || tags == ["*"] { return nil }
        return Set(tags)
    }

    /// Returns the tags of `If-None-Match`, whose content the client already has.
    static func known(to request: Request) -> KnownTags {
        KnownTags(request.headers.values("If-None-Match"))
    }

    private static func tags(of request: Request, _ name: String) -> [String] {
        request.headers.values(name).flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}

/// The entity tags of `If-None-Match`. Comparison is weak (RFC 9110 section 13.1.2): `W/` is
/// ignored. The header is split at commas, which Hearth's tags don't contain.
struct KnownTags: Sendable {
    /// The values of the header fields.
    private let lists: [String]

    init(_ lists: [String]) { self.lists = lists }

    /// Whether the header has no tag.
    var isEmpty: Bool {
        lists.allSatisfy { $0.utf8.allSatisfy { $0 == UInt8(ascii: ",") || $0.isBlank } }
    }

    /// Returns true if the tag is listed. `*` has no special meaning here.
    func contains(_ tag: String) -> Bool {
        // Usually the client sends a single tag, exactly as it received it.
        lists.contains { $0 == tag || Self.names(tag, $0) }
    }

    private static func names(_ tag: String, _ list: String) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { part in
            var known = part.drop(while: \.isBlank)
            while known.last?.isBlank == true { known.removeLast() }
            if known.starts(with: "W/".utf8) { known = known.dropFirst(2) }
            return known.elementsEqual(tag.utf8)
        }
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Reply {
    /// Returns the reply with the tag of its content at an address.
    func tagged(at address: Request, for context: RequestContext) -> Reply {
        var reply = self
        reply.tag = EntityTag.text(of: representation ?? body, at: address, for: context)
        return reply
    }

    /// Returns the reply with a tag that was computed from versions; unchanged if it shows anything
    /// that these versions don't cover.
    func with(tag: String?) -> Reply {
        var reply = self
        if !isUntagged { reply.tag = tag }
        return reply
    }

    /// Returns the reply, or a 304 without a body if the client already has this tag.
    func unless(_ known: KnownTags) -> Reply {
        guard status == 200, let tag, known.contains(tag) || known.contains("*") else {
            return self
        }
        return Reply(status: 304, mediaType: "", body: [], family: family, tag: tag)
    }
}

/// Entity tags of reads.
extension RequestHandler {
    /// A read with the entity tag of its response.
    struct TaggedRead: Sendable {
        /// Compares the tag of the current versions with the client's and the cache's. There is no
        /// comparison (nil) if neither has a tag, or if the tag is not made from versions. The
        /// result of a comparison is nil if the full read has to run.
        let comparison: UseCases.Read<Reply?>?
        fileprivate let full: FullRead
        /// The read for the caller's own account, used if it may not act for the named member; if
        /// nil, the caller is refused.
        fileprivate(set) var asOneself: (@Sendable () throws -> TaggedRead)?

        /// A read whose result is never nil.
        fileprivate enum FullRead: Sendable {
            case ready(UseCases.Read<Reply?>)
            /// A full read that is created only if the comparison of tags needs it.
            case later(@Sendable () throws -> UseCases.Read<Reply?>)

            var read: UseCases.Read<Reply?> {
                get throws {
                    switch self {
                    case .ready(let read): read
                    case .later(let make): try make()
                    }
                }
            }
        }

        fileprivate init(_ full: UseCases.Read<Reply?>) {
            comparison = nil
            self.full = .ready(full)
        }

        fileprivate init(
            comparison: UseCases.Read<Reply?>,
            _ full: @escaping @Sendable () throws -> UseCases.Read<Reply?>
        ) {
            self.comparison = comparison
            self.full = .later(full)
        }

        /// The read to run first. If its result is nil, the full read runs next.
        var first: UseCases.Read<Reply?> {
            get throws { try comparison ?? full.read }
        }
    }

    /// Returns an endpoint's read, with the entity tag that its operation declares.
    ///
    /// - Throws: The endpoint's refusal of the request; with a comparison, only when the full read
    ///   runs. An invalid request has no tag.
    func tagged(
        _ call: Call, _ reading: @escaping @Sendable (Call) throws -> UseCases.Read<Reply>
    ) throws -> TaggedRead {
        let (request, context) = (call.request, call.context)
        let known = EntityTag.known(to: request)
        let family: FamilyID?
        switch call.endpoint.operation.tagging {
        case .none: return TaggedRead(try reading(call).map { $0 })
        case .content:
            return TaggedRead(
                try reading(call).map { $0.tagged(at: request, for: context).unless(known) })
        case .versions(let ofFamily): family = try ofFamily(call)
        }
        let resource = EntityTag.resource(of: request)
        let cache = services.readCache
        let key = ReadCache.Key(context.caller, resource)
        let cached = cache?.reply(for: key)
        let full = { @Sendable () throws -> UseCases.Read<Reply?> in
            try reading(call).tagged(in: family, of: resource) { tag, reply in
                let tagged = reply.with(tag: tag)
                if let account = context.trace?.user {
                    cache?.store(tagged, for: key, of: account, context.caller.session?.id)
                }
                return tagged.unless(known)
            }
        }
        if known.isEmpty, cached == nil { return TaggedRead(try full()) }
        let comparison = ReadTag.comparing(by: context, of: resource, in: family) { tag in
            if known.contains(tag) {
                return Reply(status: 304, mediaType: "", body: [], tag: tag)
            }
            guard let cache, let cached else { return nil }
            let isConfirmed = cached.tag == tag
            cache.count(key, isConfirmed: isConfirmed)
            return isConfirmed ? cached.unless(known) : nil
        }
        return TaggedRead(comparison: comparison, full)
    }

    /// Returns the read of a request, for the caller or, if the operation allows it, for the
    /// caller's own account.
    func tagged(
        _ exchange: Exchange, _ reading: @escaping @Sendable (Call) throws -> UseCases.Read<Reply>
    ) throws -> TaggedRead {
        let call = try exchange.call()
        var read = try tagged(call, reading)
        let context = call.context
        if call.operation.ignoresRefusedDelegation, context.caller.actingAs != nil,
            !context.caller.isDelegated
        {
            var account = exchange
            account.context?.caller.actingAs = nil
            let own = try account.call()
            read.asOneself = { try tagged(own, reading) }
        }
        return read
    }

    func run(_ read: TaggedRead, for request: Request) throws -> Reply {
        try Conditions.read(run(read), for: request)
    }

    private func run(_ read: TaggedRead) throws -> Reply {
        guard let asOneself = read.asOneself else { return try runAsSent(read) }
        do {
            return try runAsSent(read)
        } catch let refusal as Refusal where refusal.code == .actingRefused {
            return try runAsSent(try asOneself())
        }
    }

    private func runAsSent(_ read: TaggedRead) throws -> Reply {
        if let comparison = read.comparison, let same = try services.reads.run(comparison) {
            return same
        }
        guard let full = try services.reads.run(read.full.read) else {
            preconditionFailure("an unconditional read always has a reply")
        }
        return full
    }
}
