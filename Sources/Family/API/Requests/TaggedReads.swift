import Domain
import HTTPServer
import UseCases

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
