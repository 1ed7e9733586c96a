package import HTTPServer
import JSON
import Postgres
import Service
import UseCases

/// Answers requests: route, caller, endpoint, and whatever goes wrong on the way.
package struct RequestHandler: Sendable {
    private let services: Services
    private let routes = RouteFinder(Routes.table)
    private var meters: RequestMeters { services.meters }
    private var door = Door.whole
    private let cors: CORS

    package init(_ services: Services) {
        self.services = services
        cors = CORS(origins: services.site.corsOrigins)
    }

    /// The same handler behind another door.
    package func at(_ door: Door) -> RequestHandler {
        var handler = self
        handler.door = door
        return handler
    }

    /// The answer to a request. Never fails: every failure is an answer.
    package func respond(to request: Request) -> Response {
        let start = Monotonic.nanoseconds()
        let id = Self.id(of: request)
        let trace = RequestTrace()
        var endpoint: Endpoint?
        let reply: Reply
        do {
            try door.check(request)
            if let preflight = cors.preflight(request) {
                reply = preflight
            } else {
                let found = try routes.route(of: request)
                endpoint = found.endpoint
                reply = try answer(request, found, id, trace)
                if let family = reply.family { trace.note(family: family) }
            }
        } catch {
            let problem = problem(error, id)
            reply =
                endpoint?.operation.failurePage.map { $0(services, problem) } ?? problem.reply(id)
        }
        let response = finished(reply, request, id)
        let label = endpoint?.pattern ?? "unknown"
        let nanoseconds = Monotonic.nanoseconds() - start
        meters.count(request.method, label, response.status, nanoseconds: nanoseconds)
        log(request, label, response.status, id, trace, nanoseconds / 1_000)
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

    private func answer(
        _ request: Request, _ found: RouteFinder.Found, _ id: RequestID, _ trace: RequestTrace
    ) throws -> Reply {
        let endpoint = found.endpoint
        let operation = endpoint.operation
        var caller = try Authentication.caller(
            of: request, on: endpoint.access, services.verifier,
            now: Int64(services.clock.now() / 1_000))
        caller?.trace = trace
        try MediaTypes.requireAccepted(operation.answers.map(\.mediaType), by: request)
        if endpoint.takesBody { try MediaTypes.requireJSON(of: request) }
        let call = { [caller] in
            Call(
                request: request, client: ClientAddress(of: request.client), caller: caller,
                operation: operation, source: try found.source(of: request))
        }
        guard endpoint.isMutation, let caller,
            let idempotency = try Idempotency(services, caller, endpoint, request, id: id)
        else { return try operation.run(services, call()) }
        return try idempotency.answer(to: call, problem: { self.problem($0, id) })
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
        _ request: Request, _ label: StaticString, _ status: Int, _ id: RequestID,
        _ trace: RequestTrace, _ microseconds: Int
    ) {
        var fields: [Field] = [
            .requestID(id), .route(label), .status(status), .duration(microseconds: microseconds),
        ]
        if let user = trace.user { fields.append(.user(user.rawValue)) }
        if let family = trace.family { fields.append(.family(family.rawValue)) }
        if let context = request.headers["traceparent"].flatMap({ TraceContext(traceparent: $0) }) {
            fields += Field.trace(context)
        }
        services.log.info("request", fields)
    }
}
