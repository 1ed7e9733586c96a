import Domain
import HTTPServer
import UseCases

/// What tells two states of what is at an address apart (RFC 9110 section 8.8.3). Tags of ours have
/// no comma.
enum EntityTag {
    /// The tag of what an address shows a caller; nil for a caller without an account.
    static func text(of shown: [UInt8], at address: Request, for context: RequestContext) -> String?
    {
        guard let user = context.trace?.user else { return nil }
        let member = context.caller.actingAs.map { "\($0)" } ?? ""
        let about = "\(resource(of: address))\n\(user) \(member)\n"
        return ReadTag.text(of: Array(about.utf8) + shown)
    }

    /// What tells an address from others: path and query.
    static func resource(of request: Request) -> String {
        let parameters = request.query.parameters
        var room = request.path.utf8.count
        for parameter in parameters {
            room += parameter.name.utf8.count + parameter.value.utf8.count + 2
        }
        var resource = ""
        // Memory is asked for once.
        resource.reserveCapacity(room)
        if request.path.utf8.contains(UInt8(ascii: "%")) {
            resource += "/" + request.segments.joined(separator: "/")
        } else {
            resource += request.path
        }
        for parameter in parameters {
            // Neither has a NUL.
            resource += "\0"
            resource += parameter.name
            resource += "\0"
            resource += parameter.value
        }
        return resource
    }

    /// The tags that a change may be made to; nil for any, which `*` means too.
    static func wanted(by request: Request) -> Set<String>? {
        let tags = tags(of: request, "If-Match")
        if request.headers["If-Match"] == nil || tags == ["*"] { return nil }
        return Set(tags)
    }

    /// What the client has already, by `If-None-Match`.
    static func known(to request: Request) -> KnownTags {
        KnownTags(request.headers.values("If-None-Match"))
    }

    private static func tags(of request: Request, _ name: String) -> [String] {
        request.headers.values(name).flatMap { $0.split(separator: ",") }
            .map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}

/// The entity tags of `If-None-Match`. Comparison is weak (RFC 9110 section 13.1.2): `W/` does not
/// count. Of tags of ours, which have no comma.
struct KnownTags: Sendable {
    /// The values of the fields.
    private let lists: [String]

    init(_ lists: [String]) { self.lists = lists }

    /// Whether there is none.
    var isEmpty: Bool {
        lists.allSatisfy { $0.utf8.allSatisfy { $0 == UInt8(ascii: ",") || $0.isBlank } }
    }

    /// Whether a tag is among them; `*`, which means any, is one of its own.
    func contains(_ tag: String) -> Bool {
        // Nearly always there is one, as it was given.
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
    /// The same with the tag of what it shows at an address.
    func tagged(at address: Request, for context: RequestContext) -> Reply {
        var reply = self
        reply.tag = EntityTag.text(of: representation ?? body, at: address, for: context)
        return reply
    }

    /// The same with a tag of versions, if they tell of all that it shows.
    func with(tag: String?) -> Reply {
        var reply = self
        if !isUntagged { reply.tag = tag }
        return reply
    }

    /// The same for a client that may have it already: then it is not sent again.
    func unless(_ known: KnownTags) -> Reply {
        guard status == 200, let tag, known.contains(tag) || known.contains("*") else {
            return self
        }
        return Reply(status: 304, mediaType: "", body: [], family: family, tag: tag)
    }
}

/// Entity tags of what is read.
extension RequestHandler {
    /// A read, with the entity tag of its response.
    struct TaggedRead: Sendable {
        /// Compares the tag of the versions with those that the client has; nil where it has none,
        /// and where the tag is made of the response. The answer is nil if the client has to be
        /// sent the whole, or refused.
        let comparison: UseCases.Read<Reply?>?
        fileprivate let whole: Whole
        /// The same for the account itself, if it may not act for the member that it names; nil:
        /// then it is refused.
        fileprivate(set) var asOneself: (@Sendable () throws -> TaggedRead)?

        /// A read whose answer is never nil.
        fileprivate enum Whole: Sendable {
            case ready(UseCases.Read<Reply?>)
            /// Made when it is needed, which most comparisons spare.
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

        fileprivate init(_ whole: UseCases.Read<Reply?>) {
            comparison = nil
            self.whole = .ready(whole)
        }

        fileprivate init(
            comparison: UseCases.Read<Reply?>,
            _ whole: @escaping @Sendable () throws -> UseCases.Read<Reply?>
        ) {
            self.comparison = comparison
            self.whole = .later(whole)
        }

        /// What is read first. Nil means that the whole is to be read.
        var first: UseCases.Read<Reply?> {
            get throws { try comparison ?? whole.read }
        }
    }

    /// A read as an endpoint makes it, with the tag that its operation has.
    ///
    /// - Throws: What the endpoint has against the request; with a comparison, only when the whole
    ///   is read. A request that is wrong has no tag.
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
        if known.isEmpty {
            return TaggedRead(
                try reading(call).tagged(in: family, of: resource) { $1.with(tag: $0) })
        }
        let comparison = ReadTag.comparing(by: context, of: resource, in: family) { tag in
            known.contains(tag) ? Reply(status: 304, mediaType: "", body: [], tag: tag) : nil
        }
        return TaggedRead(comparison: comparison) {
            try reading(call).tagged(in: family, of: resource) {
                $1.with(tag: $0).unless(known)
            }
        }
    }

    /// The read of a request, which is answered to the caller or, where the operation allows it, to
    /// the account itself.
    func tagged(
        _ exchange: Exchange, _ reading: @escaping @Sendable (Call) throws -> UseCases.Read<Reply>
    ) throws -> TaggedRead {
        let call = try exchange.call()
        var read = try tagged(call, reading)
        let context = call.context
        if call.operation.answersAsOneself, context.caller.actingAs != nil,
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
        guard let whole = try services.reads.run(read.whole.read) else {
            preconditionFailure("a whole read has a reply")
        }
        return whole
    }
}
