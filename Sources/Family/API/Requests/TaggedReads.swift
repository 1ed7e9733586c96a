import Domain
import HTTPServer
import UseCases

/// Entity tags of what is read.
extension RequestHandler {
    /// A read, with the entity tag of its response.
    struct TaggedRead: Sendable {
        /// The tag of the versions, by one statement; nil where it is made of the response.
        var tag: UseCases.Read<String?>?
        /// The tags that the client has, if `tag` is to be compared with them before anything else.
        var known: Set<String> = []
        /// Never nil, but what is read first may be.
        let whole: UseCases.Read<Reply?>

        /// What is read first: whether the client has what is there, if it has something. Then nil
        /// means that it is to be read whole.
        var first: UseCases.Read<Reply?> {
            guard !known.isEmpty, let tag else { return whole }
            return tag.map { [known] tag in
                tag.flatMap {
                    known.contains($0) ? Reply(status: 304, mediaType: "", body: [], tag: $0) : nil
                }
            }
        }
    }

    /// A read as an endpoint makes it, with the tag that its operation has.
    func tagged(
        _ call: Call, _ reading: (Call) throws -> UseCases.Read<Reply>
    ) throws -> TaggedRead {
        let (request, caller) = (call.request, call.caller)
        let read = try reading(call)
        let known = EntityTag.known(to: request)
        let family: FamilyID?
        switch call.endpoint.operation.tagging {
        case .none: return TaggedRead(whole: read.map { $0 })
        case .own: return TaggedRead(whole: read.map { $0.unless(known) })
        case .content:
            return TaggedRead(
                whole: read.map { $0.tagged(at: request, for: caller).unless(known) })
        case .versions(let ofFamily): family = try ofFamily(call)
        }
        let resource: @Sendable (inout [UInt8]) -> Void = {
            EntityTag.append(resourceOf: request, to: &$0)
        }
        if known.isEmpty {
            return TaggedRead(whole: read.tagged(in: family, of: resource) { $1.with(tag: $0) })
        }
        return TaggedRead(
            tag: ReadTag.reading(by: caller, in: family, of: resource), known: known,
            whole: read.tagged(in: family, of: resource) { $1.with(tag: $0).unless(known) })
    }

    /// The same for reads of several steps.
    func tagged(
        _ exchange: Exchange, _ caller: Caller, _ read: () throws -> Reply
    ) throws -> Reply {
        guard exchange.endpoint?.operation.isTagged == true else { return try read() }
        let known = EntityTag.known(to: exchange.request)
        return try read().tagged(at: exchange.request, for: caller).unless(known)
    }

    func run(_ read: TaggedRead) throws -> Reply {
        let (database, standbys) = (services.database, services.standbys)
        if !read.known.isEmpty, read.tag != nil {
            let same = try database.run(read.first, preferring: standbys)
            if let same { return same }
        }
        guard let whole = try database.run(read.whole, preferring: standbys) else {
            preconditionFailure("a whole read has a reply")
        }
        return whole
    }

    /// What is read at the address of a change; nil if the caller sees nothing there.
    func present(at address: Request, to caller: Caller) throws -> Reply? {
        guard let request = ConditionalChange.reading(address) else { return nil }
        let found = try routes.route(of: request)
        let call = try self.call(Exchange(request, services.site), found, caller)
        do {
            switch found.endpoint.operation.work {
            case .read(let read): return try services.database.run(read(call))
            case .signedIn(let run): return try run(services, call)
            default: return nil
            }
        } catch is Refusal {
            return nil
        }
    }
}
