package import HTTPServer
import JSON
import Postgres
import Telemetry
import Threads
import UseCases

/// Answers requests: route, caller, endpoint, and whatever goes wrong on the way.
package struct RequestHandler: Sendable {
    private let services: Services
    private let routes = RouteFinder(Routes.table)
    private var meters: RequestMeters { services.meters }
    private var exposure = Exposure.whole
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

    /// The answer to a request. Never fails: every failure is an answer.
    package func respond(to request: Request) -> Response {
        var exchange = Exchange(request)
        let reply: Reply
        do {
            try exposure.check(request)
            if let preflight = cors.preflight(request) {
                reply = preflight
            } else {
                let found = try routes.route(of: request)
                exchange.endpoint = found.endpoint
                reply = try answer(exchange, found)
            }
        } catch {
            reply = failure(error, exchange)
        }
        return finish(exchange, reply)
    }

    /// Answers requests that come at once: those that are one read share the database's round trip.
    package var batcher: ReadBatcher {
        ReadBatcher(admits: { joins($0) != nil }, answer: { respond(together: $0) })
    }

    /// Where a request leads that is one read; nil for all others.
    private func joins(_ request: Request) -> RouteFinder.Found? {
        guard request.method == .get, (try? exposure.check(request)) != nil,
            let found = try? routes.route(of: request), found.endpoint.operation.reading != nil
        else { return nil }
        return found
    }

    /// The answers to several requests; nil for those that have to be answered alone.
    func respond(together requests: [Request]) -> [Response?] {
        var responses = [Response?](repeating: nil, count: requests.count)
        var places: [(index: Int, exchange: Exchange)] = []
        var reads: [Read<Reply>] = []
        for (index, request) in requests.enumerated() {
            guard let found = joins(request), let reading = found.endpoint.operation.reading else {
                continue
            }
            var exchange = Exchange(request)
            exchange.endpoint = found.endpoint
            // Whatever is wrong with it is told when it is answered alone: that may take long.
            guard let caller = try? caller(exchange, found.endpoint, isPatient: false),
                let call = try? call(exchange, found, caller),
                let read = try? reading(services, call)
            else { continue }
            reads.append(read)
            places.append((index, exchange))
        }
        let outcomes: [Result<Reply, any Error>?]
        do {
            outcomes = reads.isEmpty ? [] : try services.database.run(together: reads)
        } catch {
            outcomes = reads.map { _ in .failure(error) }
        }
        for (place, outcome) in zip(places, outcomes) {
            responses[place.index] = outcome.map { outcome in
                switch outcome {
                case .success(let reply): finish(place.exchange, reply)
                case .failure(let error): finish(place.exchange, failure(error, place.exchange))
                }
            }
        }
        return responses
    }

    /// A request on its way through the handler.
    private struct Exchange {
        let request: Request
        let id: RequestID
        let trace = RequestTrace()
        let start: Int
        /// Nil until it has been found.
        var endpoint: Endpoint?

        init(_ request: Request) {
            self.request = request
            start = request.receivedAt ?? MonotonicClock.nanoseconds()
            id = RequestHandler.id(of: request)
        }
    }

    private func failure(_ error: any Error, _ exchange: Exchange) -> Reply {
        let problem = problem(error, exchange.id)
        return exchange.endpoint?.operation.failurePage.map { $0(services, problem) }
            ?? problem.reply(exchange.id)
    }

    /// The response, counted and logged.
    private func finish(_ exchange: Exchange, _ reply: Reply) -> Response {
        if let family = reply.family { exchange.trace.note(family: family) }
        let response = finished(reply, exchange.request, exchange.id)
        let nanoseconds = MonotonicClock.nanoseconds() - exchange.start
        let label = exchange.endpoint?.pattern ?? "unknown"
        meters.count(exchange.request.method, label, response.status, nanoseconds: nanoseconds)
        log(exchange, label, response.status, nanoseconds / 1_000)
        return response
    }

    /// The answer to what the HTTP server refuses by itself.
    package func respond(to fault: ServerFault, in request: Request) -> Response {
        let id = Self.id(of: request)
        let response = finished(Problem.of(fault).reply(id), request, id)
        meters.count(request.method, "unknown", response.status, nanoseconds: 0)
        services.log.info(
            "request refused", [.requestID(id), .status(response.status)])
        return response
    }

    /// The caller's own id for the request, when it is harmless; else a new one.
    private static func id(of request: Request) -> RequestID {
        let given: RequestID? = request.headers["X-Request-Id"].flatMap { RequestID($0) }
        return given ?? RequestID.fresh()
    }

    private func answer(_ exchange: Exchange, _ found: RouteFinder.Found) throws -> Reply {
        let (request, endpoint, id) = (exchange.request, found.endpoint, exchange.id)
        let caller = try caller(exchange, endpoint)
        guard endpoint.isMutation, let caller,
            let idempotency = try Idempotency(services, caller, endpoint, request, id: id)
        else { return try endpoint.operation.run(services, call(exchange, found, caller)) }
        return try idempotency.answer(
            to: { try self.call(exchange, found, $0) }, problem: { self.problem($0, id) })
    }

    /// Who makes the request, once it is one that the endpoint takes.
    private func caller(
        _ exchange: Exchange, _ endpoint: Endpoint, isPatient: Bool = true
    ) throws -> Caller? {
        let request = exchange.request
        var caller = try Authentication.caller(
            of: request, on: endpoint.access, services.verifier,
            now: Int64(services.clock.now() / 1_000), isPatient: isPatient)
        caller?.trace = exchange.trace
        try MediaTypes.requireAccepted(endpoint.operation.answers.map(\.mediaType), by: request)
        if endpoint.takesBody { try MediaTypes.requireJSON(of: request) }
        try Conditions.check(request)
        return caller
    }

    private func call(
        _ exchange: Exchange, _ found: RouteFinder.Found, _ caller: Caller?
    ) throws -> Call {
        let request = exchange.request
        return Call(
            request: request, client: ClientAddress(of: request.client), caller: caller,
            operation: found.endpoint.operation, source: try found.source(of: request))
    }

    /// What a failure is to the client. Failures of ours are logged here, once.
    private func problem(_ error: any Error, _ id: RequestID) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let refusal as UseCaseError:
            services.codeAlarm.note(refusal, now: services.clock.now())
            meters.count(refusal)
            return Problem.of(refusal)
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

    /// With the headers that every answer has.
    private func finished(_ reply: Reply, _ request: Request, _ id: RequestID) -> Response {
        var response = reply.response
        response.headers.add("X-Request-Id", id.description)
        response.headers.add("Cache-Control", "no-store")
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
