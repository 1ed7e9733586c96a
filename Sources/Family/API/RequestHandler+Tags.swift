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
        let whole: UseCases.Read<Reply>
    }

    func tagged(
        _ read: UseCases.Read<Reply>, _ exchange: Exchange, _ found: RouteFinder.Found,
        _ caller: Caller
    ) throws -> TaggedRead {
        let request = exchange.request
        let known = EntityTag.known(to: request)
        let family: FamilyID?
        switch found.endpoint.operation.tagging {
        case .none: return TaggedRead(whole: read)
        case .own: return TaggedRead(whole: read.map { $0.unless(known) })
        case .content:
            return TaggedRead(
                whole: read.map { $0.tagged(at: request, for: caller).unless(known) })
        case .versions(let ofFamily): family = try ofFamily(call(exchange, found, caller))
        }
        let tag = ReadTag.reading(by: caller, of: EntityTag.resource(of: request), in: family)
        let whole = tag.with(read).map { tag, reply in
            var reply = reply
            if !reply.isUntagged { reply.tag = tag }
            return reply.unless(known)
        }
        return TaggedRead(tag: tag, known: known, whole: whole)
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
        if !read.known.isEmpty, let reading = read.tag,
            let tag = try services.database.run(reading), read.known.contains(tag)
        {
            return Reply(status: 304, mediaType: "", body: [], tag: tag)
        }
        return try services.database.run(read.whole)
    }

    /// What is read at the address of a change; nil if the caller sees nothing there.
    func present(at address: Request, to caller: Caller) throws -> Reply? {
        guard let request = ConditionalChange.reading(address) else { return nil }
        let found = try routes.route(of: request)
        let call = try self.call(Exchange(request), found, caller)
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
