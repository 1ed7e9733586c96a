package import HTTPServer
import Postgres
import Service
import UseCases

/// Answers requests: route, caller, endpoint, and whatever goes wrong on the way.
package struct RequestHandler: Sendable {
    private let services: Services
    private let router: Router<Endpoint>
    private let meters: RequestMeters
    private var door = Door.whole

    package init(_ services: Services) {
        self.services = services
        router = Routes.router()
        meters = RequestMeters(services.metrics, pool: services.database.pool)
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
        var label: StaticString = "unknown"
        var response: Response
        do {
            try door.check(request)
            let (endpoint, parameters) = try route(request)
            label = endpoint.label
            let call = try authenticated(request, parameters, id, endpoint)
            response = try endpoint.answer(services, call)
        } catch {
            response = problem(error, id).response(id)
        }
        response.headers.add("X-Request-Id", id.description)
        response.headers.add("Cache-Control", "no-store")
        let nanoseconds = Monotonic.nanoseconds() - start
        meters.count(request.method, label, response.status, nanoseconds: nanoseconds)
        log(request, label, response.status, id, nanoseconds / 1_000)
        return response
    }

    /// The answer to what the HTTP server refuses by itself.
    package func respond(to fault: ServerFault, in request: Request) -> Response {
        let id = Self.id(of: request)
        var response = Problem.of(fault).response(id)
        response.headers.add("X-Request-Id", id.description)
        response.headers.add("Cache-Control", "no-store")
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

    private func route(_ request: Request) throws(Problem) -> (Endpoint, PathParameters) {
        switch router.match(request.method, request.segments) {
        case .found(let route, let parameters): return (route.endpoint, parameters)
        case .notFound: throw .routeNotFound
        case .methodNotAllowed(let allowed):
            let names = allowed.map(\.name).joined(separator: ", ")
            throw Problem(
                405, "method_not_allowed", "This address answers to \(names) only.",
                headers: [("Allow", names)])
        }
    }

    private func authenticated(
        _ request: Request, _ parameters: PathParameters, _ id: RequestID, _ endpoint: Endpoint
    ) throws(Problem) -> Call {
        let caller = try Authentication.caller(
            of: request, services.verifier, now: Int64(services.clock.now() / 1_000))
        if endpoint.authentication == .required, caller == nil {
            throw Authentication.missing
        }
        return Call(
            request: request, parameters: parameters, id: id,
            client: ClientAddress(of: request.client), caller: caller)
    }

    private func problem(_ error: any Error, _ id: RequestID) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let refusal as UseCaseError:
            if case .refused(let reason) = refusal.code { meters.count(refusal: reason) }
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

    private func log(
        _ request: Request, _ label: StaticString, _ status: Int, _ id: RequestID,
        _ microseconds: Int
    ) {
        services.log.info(
            "request",
            [
                .requestID(id), .route(label), .status(status),
                .duration(microseconds: microseconds),
            ]
                + (request.headers["traceparent"].flatMap { TraceContext(traceparent: $0) }
                    .map(Field.trace) ?? []))
    }
}
