import Domain
import HTTPServer
import Postgres
import Synchronization
import UseCases

// Header fields that affect the response: conditions, media types, CORS.

/// Conditional requests (RFC 9110 section 13).
///
/// For resources with an entity tag, conditions are evaluated after all other checks of the
/// request: a request that would be refused without them gets the same refusal (section 13.2.1), so
/// a condition reveals nothing that the caller may not see. Changes of a resource that is read at
/// the same address compare tags (``ConditionalChange``), and so do reads (``read(_:for:)``).
///
/// For other resources, `If-Match` with a tag fails. It must not be ignored, because its sender
/// wants to avoid overwriting others' changes. `RequestHandler` compares `If-None-Match` for all
/// reads. Conditions on dates must be ignored where there is no date (sections 13.1.3 and 13.1.4),
/// and ranges may be (section 14.2).
enum Conditions {
    /// Refuses a request with a condition that can't hold, whatever the state of the resource.
    static func check(_ request: Request, of operation: Operation) throws(Problem) {
        if operation.judgesConditions { return }
        if EntityTag.wanted(by: request) != nil {
            throw Problem(
                .preconditionFailed,
                "If-Match names a version, but this resource has none: leave the header out, or "
                    + "send `*`.")
        }
        if requiresAbsence(request) { throw occupied }
    }

    /// Returns true if a change requires that the resource does not exist yet.
    static func requiresAbsence(_ request: Request) -> Bool {
        [.put, .patch, .delete].contains(request.method)
            && request.headers.values("If-None-Match").contains { $0 == "*" }
    }

    static let occupied = Problem(
        .preconditionFailed,
        "If-None-Match requires that nothing exists at this address, but this method changes an "
            + "existing resource.")

    /// Returns the reply to a read, unless the request requires another version.
    static func read(_ reply: Reply, for request: Request) throws -> Reply {
        guard let wanted = EntityTag.wanted(by: request), reply.status < 400 else { return reply }
        guard let tag = reply.tag, wanted.contains(tag) else {
            throw Problem(.preconditionFailed, "The resource's version is not the one in If-Match.")
        }
        return reply
    }
}

extension Operation {
    /// If true, the operation evaluates the conditions of requests itself, after all other checks.
    var judgesConditions: Bool {
        switch work {
        case .read: true
        case .signedIn: isTagged || isGuarded
        case .open, .longPoll, .openLongPoll, .composed, .server: false
        }
    }
}

/// The key under which a request may be repeated.
enum IdempotencyKey {
    /// Returns the key of a request; nil if it has none.
    static func sent(with request: Request) throws(Problem) -> String? {
        switch request.headers.single("Idempotency-Key") {
        case .absent: return nil
        case .once(let key): return key
        case .repeated:
            throw Problem(.malformedRequest, "More than one Idempotency-Key header was sent.")
        }
    }
}

/// A change of a resource that is read at the same address: `If-Match` makes it depend on the
/// version that the client has read, and its response has the new entity tag.
final class ConditionalChange: Sendable {
    /// Problem for a change that another client's change has preceded.
    static let failed = Problem(
        .preconditionFailed,
        "The resource has changed since it was read; `current` is its current state.")

    /// Problem for a change that unrelated concurrent changes kept interrupting: the resource that
    /// the client has read is unchanged.
    static let overtaken = Problem(
        .unavailable, "Other data of the family keeps changing. Please try again.",
        headers: Problem.unavailable.headers)

    /// Thrown if another change commits between the check and the commit of this one.
    /// ``ConditionalChangeRetry`` catches it; clients get ``overtaken``.
    struct Overtaken: Error {}

    private let services: Services
    private let routes: RouteFinder
    /// If true, the commit compares the expected versions with the current ones.
    private let isHeld = Atomic(false)

    init(_ services: Services, _ routes: RouteFinder) {
        self.services = services
        self.routes = routes
    }

    /// Makes the change if the condition of the request holds.
    ///
    /// The tag of the current resource is compared first. The versions of the caller and its
    /// families, which are read before that, are compared again under their locks when the change
    /// gets its own version: if they are equal, the resource has not changed in between. If they
    /// differ, the change is overtaken, even if the other change was about another resource.
    func run(
        _ exchange: Exchange, _ change: (Exchange) throws -> Reply
    ) throws -> Reply {
        isHeld.store(false, ordering: .relaxed)
        let request = exchange.request
        guard let context = exchange.context else { throw Authentication.missing }
        if Conditions.requiresAbsence(request) {
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
        isHeld.store(true, ordering: .relaxed)
        do {
            return try change(held).tagged(at: request, for: context)
        } catch {
            throw overtaken(by: error) ?? error
        }
    }

    /// Reads the current content at the address of a change; returns nil if the caller sees nothing
    /// there. If the request has a key, the read uses the transaction of the key: the request has
    /// one connection and does not wait for another.
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

    /// Returns the refusal that takes precedence over a failed condition, because the caller may
    /// not see the resource or may not change it now. Changes nothing.
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
            return Self.precedingStatuses.contains(Problem(refusal).status) ? refusal : nil
        } catch let problem as Problem {
            return Self.precedingStatuses.contains(problem.status) ? problem : nil
        }
    }

    /// Statuses of refusals about the caller and the address. All others are about the content of
    /// the request or the state of the resource: a client with an outdated copy gets 412 first.
    private static let precedingStatuses: Set<Int> = [401, 403, 404, 410, 429]

    /// Returns the error of an overtaken change if that is why the change failed, otherwise nil.
    /// Versions are compared at the commit: if the commit happens after ``run``, its error is
    /// passed here too.
    func overtaken(by error: any Error) -> Overtaken? {
        if let overtaken = error as? Overtaken { return overtaken }
        guard (error as? PostgresError)?.sqlState == .serializationFailure,
            isHeld.load(ordering: .relaxed)
        else { return nil }
        return Overtaken()
    }

    /// Returns the request that reads the changed resource; nil if its address is malformed.
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
    /// Refuses a request whose `Accept` matches none of these media types.
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

    /// Returns true if the request's `Accept` names a media type itself, not only by a wildcard.
    static func areNamed(_ type: String, by request: Request) -> Bool {
        request.headers.values("Accept").flatMap { $0.split(separator: ",") }
            .compactMap { MediaRange($0) }
            .contains { $0.isWanted && $0.precision == 2 && $0.matches(type) }
    }

    /// Refuses a body that is labelled as something other than JSON.
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
    /// False for a range that `q=0` excludes.
    let isWanted: Bool

    /// Returns nil for a malformed range.
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

/// Web apps that browsers allow to call the API (the Fetch standard, section 3.2).
///
/// Callers are identified by a bearer token, never by a cookie, so credentials are not allowed.
struct CORS: Sendable {
    let origins: Set<String>

    /// Returns the response to a CORS preflight request; nil if it is none, or its origin is not
    /// allowed.
    func preflight(_ request: Request) -> Reply? {
        guard request.method == .options, !ServerAuthentication.takes(request),
            allowedOrigin(of: request) != nil,
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

    /// Adds the headers that let an allowed origin read a response.
    func mark(_ response: inout Response, to request: Request) {
        if origins.isEmpty || ServerAuthentication.takes(request) { return }
        response.headers.add("Vary", "Origin")
        guard let origin = allowedOrigin(of: request) else { return }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add(
            "Access-Control-Expose-Headers",
            "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, ETag, Location, "
                + "Idempotency-Replayed"
                + (RestForwarder.takes(request) ? ", Content-Range, Preference-Applied" : ""))
    }

    /// Additional request headers of Supabase clients.
    private static let restHeaders =
        ", Accept-Profile, Content-Profile, Prefer, Range, Range-Unit, apikey, x-client-info, "
        + "x-retry-count, x-supabase-api-version"

    private func allowedOrigin(of request: Request) -> String? {
        guard case .once(let origin) = request.headers.single("Origin") else { return nil }
        return origins.contains(origin) ? origin : nil
    }
}
