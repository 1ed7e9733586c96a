import Domain
import HTTPServer
import Postgres
import Synchronization
import UseCases

// What header fields ask for: conditions, media types, CORS.

/// Conditional requests (RFC 9110 section 13).
///
/// Where something has an entity tag, conditions are judged behind the checks of the request: what
/// would be refused without them is refused as then (section 13.2.1), so nobody learns from a
/// condition what it may not see. Changes of what is read at the same address compare tags
/// (``ConditionalChange``), and so do reads (``read(_:for:)``).
///
/// Elsewhere `If-Match` with a tag fails. It must not be ignored, because its sender wants to avoid
/// overwriting others' changes. `If-None-Match` of reads is compared for all of them by
/// `RequestHandler`. Conditions on dates are to be ignored where there is no date (sections 13.1.3
/// and 13.1.4), and ranges may be (section 14.2).
enum Conditions {
    /// Refuses a request with a condition that can't hold, whatever is there.
    static func check(_ request: Request, of operation: Operation) throws(Problem) {
        if operation.judgesConditions { return }
        if EntityTag.wanted(by: request) != nil {
            throw Problem(
                .preconditionFailed,
                "If-Match names a version, and what this changes has none: "
                    + "leave the header out, or send `*`.")
        }
        if wantsNothing(request) { throw occupied }
    }

    /// Whether a change is to be made only where there is nothing.
    static func wantsNothing(_ request: Request) -> Bool {
        [.put, .patch, .delete].contains(request.method)
            && request.headers.values("If-None-Match").contains { $0 == "*" }
    }

    static let occupied = Problem(
        .preconditionFailed,
        "If-None-Match asks that there be nothing at this address, "
            + "but this method changes what is there.")

    /// The answer to a read, unless the request wants another version.
    static func read(_ reply: Reply, for request: Request) throws -> Reply {
        guard let wanted = EntityTag.wanted(by: request), reply.status < 400 else { return reply }
        guard let tag = reply.tag, wanted.contains(tag) else {
            throw Problem(.preconditionFailed, "There is another version than If-Match names.")
        }
        return reply
    }
}

extension Operation {
    /// Whether it judges the conditions of requests itself, behind all other checks.
    var judgesConditions: Bool {
        switch work {
        case .read: true
        case .signedIn: isTagged || isGuarded
        case .open, .patient, .composed: false
        }
    }
}

/// The key under which a request may be sent again.
enum IdempotencyKey {
    /// Nil when the request has none.
    static func sent(with request: Request) throws(Problem) -> String? {
        switch request.headers.single("Idempotency-Key") {
        case .absent: return nil
        case .once(let key): return key
        case .repeated:
            throw Problem(.malformedRequest, "More than one Idempotency-Key header was sent.")
        }
    }
}

/// A change of what is read at the same address: `If-Match` holds it to what the client has read,
/// and its answer has the new entity tag.
final class ConditionalChange: Sendable {
    /// Someone else's change came first.
    static let failed = Problem(
        .preconditionFailed, "It has changed since it was read; `current` is what is there now.")

    /// Something else changed at the same moment, again and again: nobody has changed what the
    /// client has read.
    static let overtaken = Problem(
        .unavailable, "Other data of the family keeps changing. Please try again.",
        headers: Problem.unavailable.headers)

    private struct State {
        /// Whether the change is held to versions.
        var isHeld = false
        var isOvertaken = false
    }

    private let services: Services
    private let routes: RouteFinder
    private let state = Mutex(State())

    init(_ services: Services, _ routes: RouteFinder) {
        self.services = services
        self.routes = routes
    }

    /// Whether something has changed between the look at the address and the change.
    var isOvertaken: Bool { state.withLock { $0.isOvertaken } }

    /// Makes the change if the condition of the request holds.
    ///
    /// The tag of what is there is compared before. The versions of the caller and its families
    /// that were read before that are compared again when the change gets its own, under their
    /// locks: then what is there has not changed in between. If they have changed this is
    /// overtaken, whether by a change of the same thing or not.
    func run(
        _ exchange: Exchange, _ change: (Exchange) throws -> Reply
    ) throws -> Reply {
        state.withLock { $0 = State() }
        let request = exchange.request
        guard let context = exchange.context else { throw Authentication.missing }
        if Conditions.wantsNothing(request) {
            throw try refusal(exchange, change) ?? Conditions.occupied
        }
        guard let wanted = EntityTag.wanted(by: request) else {
            return try change(exchange).tagged(at: request, for: context)
        }
        let versions = try services.database.run(ReadTag.versions(by: context))
        let shown = try present(at: request, to: context)?.tagged(at: request, for: context)
        guard let versions, let tag = shown?.tag, wanted.contains(tag) else {
            throw try refusal(exchange, change) ?? Self.failed
        }
        var held = exchange
        held.context?.expectedVersions = versions
        state.withLock { $0.isHeld = true }
        do {
            return try change(held).tagged(at: request, for: context)
        } catch {
            throw overtaken(by: error) ?? error
        }
    }

    /// Reads what the address of a change shows now; nil if the caller sees nothing there. A caller
    /// whose request has a key reads in the transaction of the key: it has one connection and waits
    /// for no other.
    private func present(at address: Request, to context: RequestContext) throws -> Reply? {
        guard let request = Self.reading(address) else { return nil }
        var exchange = Exchange(request, services.site)
        exchange.route = try routes.route(of: request)
        exchange.context = context
        let call = try exchange.call()
        do {
            switch exchange.endpoint.operation.work {
            case .read(let read): return try services.database.run(read(call))
            case .signedIn(let run): return try run(services, call)
            default: return nil
            }
        } catch is Refusal {
            return nil
        }
    }

    /// The refusal that comes before a condition that does not hold: of what the caller may not
    /// change, or not see, or not now. Nothing is changed.
    private func refusal(
        _ exchange: Exchange, _ change: (Exchange) throws -> Reply
    ) throws -> (any Error)? {
        var exchange = exchange
        exchange.context?.changesNothing = true
        do {
            _ = try change(exchange)
            return nil
        } catch is ConditionFailed {
            return nil
        } catch let refusal as Refusal {
            return Self.comeFirst.contains(Problem(refusal).status) ? refusal : nil
        } catch let problem as Problem {
            return Self.comeFirst.contains(problem.status) ? problem : nil
        }
    }

    /// The statuses of refusals that are about the caller and the address. All others are about
    /// what the request says, or what is there: a client that has an old copy is told so first.
    private static let comeFirst: Set<Int> = [401, 403, 404, 410, 429]

    /// The problem for a change that failed because something else has changed meanwhile, which is
    /// noted; nil for other errors. Versions are compared at the commit: where that comes after
    /// ``run``, its error is for this too.
    func overtaken(by error: any Error) -> Problem? {
        guard (error as? PostgresError)?.sqlState == .serializationFailure else { return nil }
        return state.withLock { state in
            guard state.isHeld else { return nil }
            state.isOvertaken = true
            return Self.overtaken
        }
    }

    /// The request that reads what a change is about; nil for an address that is none of its own.
    static func reading(_ request: Request) -> Request? {
        let known = request.query.parameters.filter { parameter in
            (parameter.name + parameter.value).utf8.allSatisfy {
                ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0)
                    || $0 == 0x2D || $0 == 0x5F
            }
        }
        let query = known.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let headers = request.headers.fields.filter {
            ["authorization", "x-acting-as-member"].contains($0.name.lowercased())
        }
        return Request(
            .get, request.path + (query.isEmpty ? "" : "?" + query), headers: Headers(headers),
            peer: request.peer, client: request.client)
    }
}

/// Content types that a client accepts and sends (RFC 9110, sections 8.3 and 12.5.1).
enum MediaTypes {
    /// Refuses a request whose `Accept` has no place for any of these media types.
    static func requireAccepted(_ offered: [String], by request: Request) throws(Problem) {
        if request.headers["Accept"] == nil { return }
        let ranges = request.headers.values("Accept").flatMap { $0.split(separator: ",") }
            .compactMap { MediaRange($0) }
        if ranges.isEmpty || offered.isEmpty { return }
        for type in offered {
            let best = ranges.filter { $0.matches(type) }.max { $0.precision < $1.precision }
            if let best, best.isWanted { return }
        }
        throw Problem(
            .notAcceptable, "This address answers \(offered.joined(separator: " or ")) only.")
    }

    /// Refuses a body that says it is something else than JSON.
    ///
    /// Apple's URLSession labels every body as a form unless the app sets a type, and not all apps
    /// do. A body labelled as a form is therefore read as JSON.
    static func requireJSON(of request: Request) throws(Problem) {
        if request.body.isEmpty { return }
        switch request.headers.single("Content-Type") {
        case .absent: return
        case .once(let value):
            let type = value.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
            if ["application/json", "application/x-www-form-urlencoded"].contains(type) { return }
            if type.hasPrefix("application/"), type.hasSuffix("+json") { return }
        case .repeated: break
        }
        throw Problem(.unsupportedMediaType, "The body must be application/json.")
    }
}

/// One of the ranges of an `Accept` header.
private struct MediaRange {
    private let type: Substring
    private let subtype: Substring
    /// False for what is excluded by `q=0`.
    let isWanted: Bool

    /// Nil for what is no range.
    init?(_ text: Substring) {
        let parts = text.split(separator: ";").map { part in
            part.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        guard let names = parts.first?.split(separator: "/", omittingEmptySubsequences: false),
            names.count == 2, !names[0].isEmpty, !names[1].isEmpty,
            names[0] != "*" || names[1] == "*"
        else { return nil }
        (type, subtype) = (names[0], names[1])
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
        isWanted = quality.flatMap { Double($0) } != 0
    }

    func matches(_ mediaType: String) -> Bool {
        let names = mediaType.prefix { $0 != ";" }.split(separator: "/")
        return (type == "*" || type == names.first) && (subtype == "*" || subtype == names.last)
    }

    var precision: Int { type == "*" ? 0 : subtype == "*" ? 1 : 2 }
}

/// Which web apps browsers let in (the Fetch standard, section 3.2).
///
/// Callers are known by a bearer token, never by a cookie: so no credentials are allowed for.
struct CORS: Sendable {
    let origins: Set<String>

    /// The response to a CORS preflight request; nil if it is none, or its origin is not allowed.
    func preflight(_ request: Request) -> Reply? {
        guard request.method == .options, allowedOrigin(of: request) != nil,
            request.headers["Access-Control-Request-Method"] != nil
        else { return nil }
        return Reply(
            status: 204, mediaType: "", body: [],
            headers: [
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, X-Acting-As-Member, "
                        + "X-Changed-At, X-Base-Version, X-Confirmation-Code, X-Request-Id, "
                        + "If-Match, If-None-Match, Last-Event-ID, traceparent"
                        + (RestForwarder.takes(request) ? Self.restHeaders : "")
                ),
                ("Access-Control-Max-Age", "600"),
            ])
    }

    /// Adds what lets an allowed origin read an answer.
    func mark(_ response: inout Response, to request: Request) {
        if origins.isEmpty { return }
        response.headers.add("Vary", "Origin")
        guard let origin = allowedOrigin(of: request) else { return }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add(
            "Access-Control-Expose-Headers",
            "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag, Location, "
                + "Idempotency-Replayed"
                + (RestForwarder.takes(request) ? ", Content-Range, Preference-Applied" : ""))
    }

    /// What clients of Supabase send besides.
    private static let restHeaders =
        ", Accept-Profile, Content-Profile, Prefer, Range, Range-Unit, apikey, x-client-info, "
        + "x-retry-count, x-supabase-api-version"

    private func allowedOrigin(of request: Request) -> String? {
        guard case .once(let origin) = request.headers.single("Origin") else { return nil }
        return origins.contains(origin) ? origin : nil
    }
}
