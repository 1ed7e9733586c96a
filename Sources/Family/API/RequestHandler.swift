package import HTTPServer
import JSON
import Postgres
import Synchronization
import Telemetry
import Threads
import UseCases

/// Answers requests: route, caller, endpoint, and errors.
package struct RequestHandler: Handler {
    let services: Services
    let routes = RouteFinder(Routes.table + PageRoutes.table)
    private var meters: RequestMeters { services.meters }
    private var exposure = Exposure.whole
    /// Off within a batch, whose answer is held as a whole.
    var holdsAnswers = true
    private let cors: CORS

    package init(_ services: Services) {
        self.services = services
        cors = CORS(origins: services.site.corsOrigins)
    }

    /// The same handler at another address, where other routes are served.
    package func at(_ exposure: Exposure) -> RequestHandler {
        var handler = self
        handler.exposure = exposure
        return handler
    }

    /// A read, ready to be sent to the database.
    package struct Read: Sendable {
        let exchange: Exchange
        fileprivate let read: UseCases.Read<Reply>
    }

    /// Finds a request's endpoint and caller, once. Never fails: every failure is a response.
    package func prepare(_ request: Request) -> PreparedRequest<Read> {
        var exchange = Exchange(request)
        do {
            try exposure.check(request)
            if let preflight = cors.preflight(request) {
                return .response(finish(exchange, preflight))
            }
            if let rest = services.rest, RestForwarder.takes(request) {
                exchange.label = RestForwarder.label
                return work(exchange) { exchange in
                    // A token that is no good is refused before PostgREST sees it.
                    _ = try caller(exchange)
                    return try held(unless: [.get, .head].contains(request.method)) {
                        try rest.forward(request)
                    }
                }
            }
            let found = try routes.route(of: request)
            exchange.label = found.endpoint.pattern
            exchange.endpoint = found.endpoint
            switch found.endpoint.operation.work {
            case .open(let run):
                return work(exchange) { exchange in
                    let caller = try self.caller(exchange)
                    try requireTaken(request, by: found.endpoint)
                    return try held(unless: !found.endpoint.isMutation) {
                        try run(services, call(exchange, found, caller))
                    }
                }
            case .signedIn(let run):
                return work(exchange) { exchange in
                    let caller = try self.signedIn(exchange, found)
                    return try held(unless: !found.endpoint.isMutation) {
                        try tagged(exchange, caller) {
                            try answer(exchange, found, by: caller, run)
                        }
                    }
                }
            case .composed(let run):
                return work(exchange) { exchange in
                    let caller = try self.signedIn(exchange, found)
                    var inner = self
                    inner.holdsAnswers = false
                    return try held(unless: false) {
                        try run(call(exchange, found, caller)) { inner.respond(to: $0) }
                    }
                }
            case .patient(let run):
                return .patient { [exchange] in
                    outcome(exchange) {
                        let caller = try self.signedIn(exchange, found)
                        return try run(services, call(exchange, found, caller))
                    }
                }
            case .read(let read):
                let caller: Caller
                do {
                    caller = try signedIn(exchange, found, waitsForKeys: false)
                } catch is Authentication.KeysAwaited {
                    return work(exchange) { exchange in
                        let caller = try self.signedIn(exchange, found)
                        return try run(
                            tagged(read(call(exchange, found, caller)), exchange, found, caller))
                    }
                }
                let ready = try tagged(
                    read(call(exchange, found, caller)), exchange, found, caller)
                return ready.known.isEmpty
                    ? .read(Read(exchange: exchange, read: ready.whole))
                    : work(exchange) { _ in try run(ready) }
            }
        } catch {
            return .response(finish(exchange, failure(error, exchange)))
        }
    }

    private func work(
        _ exchange: Exchange, _ reply: @escaping @Sendable (Exchange) throws -> Reply
    ) -> PreparedRequest<Read> {
        .work { finish(exchange, Result { try reply(exchange) }) }
    }

    /// A step of work that may wait for changes: a response, or a request that is parked until one
    /// of them comes.
    ///
    /// - Parameter isOpen: Whether the response has begun: then a failure ends it.
    private func outcome(
        _ exchange: Exchange, isOpen: Bool = false, _ step: () throws -> PatientReply
    ) -> WorkOutcome {
        do {
            switch try step() {
            case .reply(let reply): return .response(finish(exchange, reply))
            case .wait(let wait): return .parked(parked(exchange, wait, isOpen: isOpen))
            case .part(let part):
                return .part(
                    StreamPart(
                        head: part.head.map { finish(exchange, $0) }, bytes: Array(part.text.utf8),
                        next: part.next.map { parked(exchange, $0, isOpen: true) }))
            }
        } catch {
            if isOpen {
                _ = problem(error, exchange.id)
                return .part(StreamPart(bytes: [], next: nil))
            }
            return .response(finish(exchange, failure(error, exchange)))
        }
    }

    private func parked(
        _ exchange: Exchange, _ wait: PatientReply.Wait, isOpen: Bool
    ) -> ParkedRequest {
        let hasChanged = Flag()
        return ParkedRequest(
            onParked: { resume in
                wait.onParked?(resume)
                services.changes.wait(for: wait.watched, until: wait.deadline) { isChange in
                    if isChange { hasChanged.set() }
                    resume()
                }
            },
            again: { outcome(exchange, isOpen: isOpen) { try wait.again(hasChanged.isSet) } })
    }

    package func answer(_ read: Read) -> Response {
        do {
            return finish(read.exchange, try services.run(read.read))
        } catch {
            return finish(read.exchange, failure(error, read.exchange))
        }
    }

    /// The responses to reads that share the database's round trip.
    package func answer(_ reads: [Read]) -> [Response?] {
        do {
            let outcomes = try services.run(together: reads.map(\.read))
            return zip(reads, outcomes).map { read, outcome in
                outcome.map { finish(read.exchange, $0) }
            }
        } catch {
            return reads.map { finish($0.exchange, failure(error, $0.exchange)) }
        }
    }

    private func failure(_ error: any Error, _ exchange: Exchange) -> Reply {
        var problem = problem(error, exchange.id)
        if problem.code == .fault(.preconditionFailed),
            exchange.endpoint?.operation.comparesTag == true,
            let reading = ConditionalChange.reading(exchange.request)
        {
            let present = respond(to: reading)
            if present.status == 200 { problem.current = present.body }
        }
        let page = exchange.endpoint?.operation.failurePage
        return page.map { $0(services, exchange.request, problem) } ?? problem.reply(exchange.id)
    }

    private func finish(_ exchange: Exchange, _ outcome: Result<Reply, any Error>) -> Response {
        switch outcome {
        case .success(let reply): finish(exchange, reply)
        case .failure(let error): finish(exchange, failure(error, exchange))
        }
    }

    /// The response, counted and logged.
    private func finish(_ exchange: Exchange, _ reply: Reply) -> Response {
        if let family = reply.family { exchange.trace.note(family: family) }
        let response = finished(reply, exchange.request, exchange.id)
        let nanoseconds = MonotonicClock.nanoseconds() - exchange.start
        meters.count(
            exchange.request.method, exchange.label, response.status, nanoseconds: nanoseconds)
        log(exchange, exchange.label, response.status, nanoseconds / 1_000)
        return response
    }

    /// The response to a request that the HTTP server refuses.
    package func respond(to fault: ServerFault, in request: Request) -> Response {
        let id = Exchange.id(of: request)
        let response = finished(Problem.of(fault).reply(id), request, id)
        meters.count(request.method, "unknown", response.status, nanoseconds: 0)
        services.log.info(
            "request refused", [.requestID(id), .status(response.status)])
        return response
    }

    /// The response to a signed-in caller; with an idempotency key, the stored one.
    private func answer(
        _ exchange: Exchange, _ found: RouteFinder.Found, by caller: Caller,
        _ run: (Services, Call) throws -> Reply
    ) throws -> Reply {
        let (request, endpoint, id) = (exchange.request, found.endpoint, exchange.id)
        var change = ConditionalChange(services.database) {
            try self.present(at: exchange.request, to: caller)
        }
        let idempotency =
            endpoint.isMutation && endpoint.operation.keepsAnswer
            ? try Idempotency(services, caller, endpoint, request, id: id) : nil
        for _ in 1..<ConditionalChange.attempts {
            do {
                return try attempt()
            } catch let problem as Problem where change.isOvertaken {
                // By something else, perhaps.
                guard problem.code == .fault(.preconditionFailed) else { throw problem }
            }
        }
        return try attempt()

        func attempt() throws -> Reply {
            guard let idempotency else {
                return try change.run(services, call(exchange, found, caller), run)
            }
            return try idempotency.answer(
                to: { try self.call(exchange, found, $0) },
                running: { try change.run($0, $1, run) },
                problem: { self.problem($0, id) })
        }
    }

    /// The caller of a request for signed-in callers, if the endpoint accepts the request.
    private func signedIn(
        _ exchange: Exchange, _ found: RouteFinder.Found, waitsForKeys: Bool = true
    ) throws -> Caller {
        guard let caller = try caller(exchange, waitsForKeys: waitsForKeys) else {
            throw Authentication.missing
        }
        try requireTaken(exchange.request, by: found.endpoint)
        if found.endpoint.isMutation {
            try Inputs.checkStamp(exchange.request)
        }
        if caller.isDelegated {
            try RequireConsent(services.database, services.consents)(by: caller)
        }
        return caller
    }

    /// The caller; nil without a token.
    private func caller(_ exchange: Exchange, waitsForKeys: Bool = true) throws -> Caller? {
        var caller = try Authentication.caller(
            of: exchange.request, services.verifier, now: Int64(services.clock.now() / 1_000),
            waitsForKeys: waitsForKeys)
        caller?.trace = exchange.trace
        // Whoever has a session of Hearth's own was asked when it began.
        if let found = caller, found.session == nil {
            let (site, request) = (services.site, exchange.request)
            caller?.wantedLanguage = { site.language(of: request) }
        }
        return caller
    }

    /// - Throws: 406, 415 or 412 if the endpoint does not support the request's headers.
    private func requireTaken(_ request: Request, by endpoint: Endpoint) throws {
        let offered = endpoint.operation.answers.map(\.mediaType).filter { !$0.isEmpty }
        try MediaTypes.requireAccepted(offered, by: request)
        if endpoint.takesBody { try MediaTypes.requireJSON(of: request) }
        try Conditions.check(request, comparesTag: endpoint.operation.comparesTag)
    }

    func call<Who: Sendable>(
        _ exchange: Exchange, _ found: RouteFinder.Found, _ caller: Who
    ) throws -> EndpointCall<Who> {
        let request = exchange.request
        return EndpointCall(
            request: request, caller: caller, operation: found.endpoint.operation,
            source: try found.source(of: request))
    }

    /// The problem for a failure. Bugs and outages are logged here, once.
    private func problem(_ error: any Error, _ id: RequestID) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case is PasswordsBusy: return .unavailable
        case let refusal as Refusal:
            services.codeAlarm.note(refusal, now: services.clock.now())
            meters.count(refusal)
            return Problem(refusal)
        case let failure as RestFailure:
            services.log.warning("PostgREST is away", [.requestID(id), .error(failure)])
            return .unavailable
        case let failure as PostgresError:
            let problem = Problem.of(failure)
            if problem.status == 500 {
                services.log.error("the database failed", [.requestID(id), .error(failure)])
            } else {
                services.log.warning("the database is away", [.requestID(id), .error(failure)])
            }
            return problem
        default:
            services.log.error("a request failed", [.requestID(id), .error(error)])
            return .internalFault
        }
    }

    /// Adds the headers of every response.
    private func finished(_ reply: Reply, _ request: Request, _ id: RequestID) -> Response {
        var response = reply.response
        if let location = reply.location {
            response.headers.add("Location", services.site.baseURL + location)
        }
        response.headers.add("X-Request-Id", id.description)
        if let tag = reply.tag {
            response.headers.add("ETag", tag)
            response.headers.add("Cache-Control", "private, no-cache")
        } else {
            response.headers.add("Cache-Control", "no-store")
        }
        response.headers.add("X-Content-Type-Options", "nosniff")
        cors.mark(&response, to: request)
        return response
    }

    private func log(
        _ exchange: Exchange, _ label: StaticString, _ status: Int, _ microseconds: Int
    ) {
        var fields: [LogField] = [
            .requestID(exchange.id), .route(label), .status(status),
            .duration(microseconds: microseconds),
        ]
        let known = exchange.trace
        if let user = known.user { fields.append(.user(user.rawValue)) }
        if let family = known.family { fields.append(.family(family.rawValue)) }
        let parent = exchange.request.headers["traceparent"]
        if let context = parent.flatMap({ TraceContext(traceparent: $0) }) {
            fields += LogField.trace(context)
        }
        services.log.info("request", fields)
    }
}

/// Whether something has happened.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// What an address serves.
package enum Exposure: Sendable {
    /// Everything.
    case whole
    /// All but what is served to operators at an address of their own.
    case clients
    /// Only health and metrics.
    case operators

    /// Paths that must respond even while every thread waits for the database; they don't need it.
    package static let urgentPaths: Set<String> = ["/healthz", "/metrics"]

    private static let operations = ["healthz", "readyz", "metrics"]
    private static let operatorsOnly = ["readyz", "metrics"]

    /// - Throws: 404 for what is not served here.
    func check(_ request: Request) throws(Problem) {
        let name = request.segments.count == 1 ? request.segments[0] : ""
        switch self {
        case .whole: return
        case .clients: if Self.operatorsOnly.contains(name) { throw .routeNotFound }
        case .operators: if !Self.operations.contains(name) { throw .routeNotFound }
        }
    }
}
