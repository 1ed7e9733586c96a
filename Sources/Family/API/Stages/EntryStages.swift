import HTTPServer
import UseCases

/// The routes that a listening address serves.
package enum ListenerScope: ArrivalStage {
    /// All routes.
    case whole
    /// All routes except those that operators have at an address of their own.
    case clients
    /// Health and metrics.
    case operators

    /// Paths that must respond even while every thread waits for the database; they don't need it.
    package static let urgentPaths: Set<String> = ["/healthz", "/metrics"]

    /// Paths that machines read again and again, which are not traced.
    static let probePaths = urgentPaths.union(["/readyz"])

    private static let onlyForOperators = paths(of: [.operators], in: Routes.table)
    private static let forOperators = paths(of: [.operators, .anywhere], in: Routes.table)

    /// Returns the segments of the paths of a route table.
    ///
    /// Traps if one has a parameter: paths are compared before they are routed.
    static func paths(of access: Set<RouteAccess>, in table: [Endpoint]) -> Set<[String]> {
        Set(
            table.filter { access.contains($0.access) }.map { endpoint in
                let segments = "\(endpoint.pattern)".split(separator: "/").map(String.init)
                precondition(
                    !segments.contains { $0.hasPrefix(":") },
                    "\(endpoint.operation.name): a path for operators has no parameter")
                return segments
            })
    }

    /// - Throws: 404 for a path that is not served here.
    func enter(_ exchange: inout Exchange) throws -> Reply? {
        let isServed =
            switch self {
            case .whole: true
            case .clients: !Self.onlyForOperators.contains(exchange.request.segments)
            case .operators: Self.forOperators.contains(exchange.request.segments)
            }
        if !isServed { throw Problem.routeNotFound }
        return nil
    }
}

/// Answers the CORS preflight requests of browsers.
struct CORSPreflight: ArrivalStage {
    let cors: CORS

    func enter(_ exchange: inout Exchange) throws -> Reply? { cors.preflight(exchange.request) }
}

/// Finds the endpoint.
struct Routing: ArrivalStage {
    let routes: RouteFinder
    let forwardsToPostgREST: Bool
    /// If false, no route for servers exists, whatever the request's method and key.
    let servesKeys: Bool

    /// - Throws: 404 or 405.
    func enter(_ exchange: inout Exchange) throws -> Reply? {
        // Only browsers have a page at the root.
        if exchange.request.path == "/", !HomePage.isWanted(by: exchange.request) {
            throw Problem(
                .notFound, Problem.routeNotFound.message, headers: [("Vary", "Accept")])
        }
        if !servesKeys, ServerAuthentication.takes(exchange.request) { throw Problem.routeNotFound }
        exchange.route =
            if forwardsToPostgREST, RestForwarder.takes(exchange.request) {
                RouteFinder.Match(endpoint: RestForwarder.endpoint(for: exchange.request.method))
            } else {
                try routes.route(of: exchange.request)
            }
        return nil
    }
}

/// Identifies the caller by the token, if there is one.
struct TokenVerification: AdmissionStage {
    let services: Services

    /// - Throws: 401 for an invalid token, even where none is needed, and for a missing token where
    ///   one is needed. ``Authentication/KeyFetchNeeded``. For routes of servers like
    ///   ``ServerAuthentication/context(of:)``.
    func admit(_ exchange: inout Exchange) throws {
        // A page has identified the browser's session before it runs an operation for a form.
        if exchange.context != nil { return }
        if exchange.endpoint.needsKey {
            exchange.serverContext = try ServerAuthentication.context(of: exchange)
            return
        }
        let caller = try Authentication.caller(
            of: exchange.request, services.verifier, now: Int64(services.clock.now() / 1_000),
            waitsForKeys: exchange.mayWait)
        guard let caller else {
            if exchange.endpoint.needsCaller { throw Authentication.missing }
            return
        }
        exchange.context = RequestContext(
            caller, trace: exchange.trace,
            // For an account with one of Hearth's own sessions, the language was set when the
            // session began.
            wantedLanguage: caller.session == nil ? exchange.received.wantedLanguage : nil)
    }
}

/// Compares the media types that a client accepts and sends with those of the endpoint.
struct MediaTypeCheck: AdmissionStage {
    /// - Throws: A ``Problem`` with status 406 or 415.
    func admit(_ exchange: inout Exchange) throws {
        let endpoint = exchange.endpoint
        try MediaTypes.requireAccepted(endpoint.mediaTypes, by: exchange.request)
        if endpoint.takesBody { try MediaTypes.requireJSON(of: exchange.request) }
    }
}

/// Refuses conditions that can't hold, whatever the state of the resource.
struct ConditionCheck: AdmissionStage {
    /// - Throws: A ``Problem`` with status 412.
    func admit(_ exchange: inout Exchange) throws {
        try Conditions.check(exchange.request, of: exchange.endpoint.operation)
    }
}

/// Refuses a change with a malformed `X-Changed-At` or `X-Base-Version` header.
struct ChangeTimeCheck: AdmissionStage {
    /// - Throws: A ``Problem`` with status 400.
    func admit(_ exchange: inout Exchange) throws {
        try Inputs.checkOfflineEditHeaders(exchange.request)
    }
}

/// Enforces the consents that Hearth asks for.
struct ConsentCheck: AdmissionStage {
    let services: Services

    /// Thrown to callers that don't wait: the consents of a delegation's child are in the database.
    struct DatabaseNeeded: Error {}

    /// - Throws: ``Refusal``: `consentRequired`, `actingRefused`. ``DatabaseNeeded``.
    func admit(_ exchange: inout Exchange) throws {
        if let context = exchange.context, context.caller.isDelegated {
            guard exchange.mayWait else { throw DatabaseNeeded() }
            try services.consents.requireConsents(by: context)
        }
        // The database refuses actions that an account has not consented to.
        if exchange.endpoint.isMutation {
            try services.consentRegister.apply(to: services.database)
        }
    }
}
