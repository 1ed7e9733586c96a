import API
import Basics
package import HTTPServer
import Policy
import Postgres
import Repositories
import Telemetry
import UseCases

/// Answers the requests of operators' browsers.
///
/// Each page is complete without a script, except for passkeys. A request finds its route, then its
/// session, then the right that the route needs; a form is accepted only from a page of the same
/// session.
package struct ConsoleHandler: Handler {
    private let services: ConsoleServices
    private let router: Router<ConsoleRoute>

    package init(_ services: ConsoleServices) {
        self.services = services
        var router = Router<ConsoleRoute>()
        for route in ConsoleRoute.all { router.add(route.method, route.pattern, route) }
        self.router = router
    }

    package func prepare(_ request: Request) -> PreparedRequest<Never> {
        if let reply = ConsoleFiles.reply(to: request) { return .response(reply) }
        return .work { respond(request) }
    }

    package func respond(to fault: ServerFault, in request: Request) -> Response {
        ConsoleReply.text("The request can't be served: \(fault.status).", status: fault.status)
    }

    private func respond(_ request: Request) -> Response {
        switch router.match(request.method, request.segments) {
        case .notFound:
            return answer(request) { visit in try visit.notFound("There is no such page.") }
        case .methodNotAllowed(let allow):
            var reply = ConsoleReply.text("This address has no such method.", status: 405)
            reply.headers.add("Allow", allow.map(\.name).joined(separator: ", "))
            return reply
        case .found(let route, let parameters):
            return answer(request, parameters) { visit in try run(route.endpoint, visit) }
        }
    }

    private func run(_ route: ConsoleRoute, _ visit: ConsoleVisit) throws -> Response {
        var visit = visit
        if let action = route.action {
            guard let current = visit.operator else { return visit.redirectToSignIn() }
            guard decide(action, current.role) else {
                return try visit.refused(
                    "Your role, \(current.role.rawValue), does not allow this.", status: 403)
            }
        }
        if route.method == .post {
            guard let form = visit.acceptedForm(needsSession: route.action != nil) else {
                return try visit.refused(
                    "This form was not sent by a page of this console. Open the page again.",
                    status: 403)
            }
            visit.form = form
        }
        return try route.run(visit)
    }

    /// Runs `body` for a visit, and turns each error into a page.
    private func answer(
        _ request: Request, _ parameters: PathParameters = PathParameters(),
        _ body: (ConsoleVisit) throws -> Response
    ) -> Response {
        do {
            let visit = try ConsoleVisit(services, request, parameters)
            do {
                return try body(visit)
            } catch let refusal as OperatorRefusal {
                let isAbsent = refusal.reason.hasSuffix("_not_found")
                return try visit.refused(
                    refusal.sentence, details: refusal.details, code: refusal.reason,
                    status: isAbsent ? 404 : 409)
            } catch let absence as ConsoleAbsence {
                return try visit.notFound(absence.sentence)
            } catch let mistake as ConsoleMistake {
                return try visit.refused(mistake.sentence, status: 400)
            }
        } catch {
            services.log.error("the console could not serve a page", [.error(error)])
            let isOutage = error is PostgresError
            return ConsoleReply.text(
                isOutage
                    ? "The database does not answer. Try again in a moment."
                    : "Something went wrong; the log of hearth-console has the reason.",
                status: isOutage ? 503 : 500)
        }
    }
}

/// A page or an action of the console.
struct ConsoleRoute: Sendable {
    let method: Method
    let pattern: String
    /// The right that it needs; nil for what is open before signing in.
    let action: OperatorAction?
    let run: @Sendable (ConsoleVisit) throws -> Response

    /// A page for every operator.
    static func page(
        _ pattern: String, _ run: @escaping @Sendable (ConsoleVisit) throws -> Response
    ) -> ConsoleRoute {
        ConsoleRoute(method: .get, pattern: pattern, action: .read, run: run)
    }

    /// A form that every operator may send; what it does checks further rights.
    static func form(
        _ pattern: String, _ run: @escaping @Sendable (ConsoleVisit) throws -> Response
    ) -> ConsoleRoute {
        ConsoleRoute(method: .post, pattern: pattern, action: .read, run: run)
    }

    static let all: [ConsoleRoute] =
        SignInScreens.routes + CodeScreens.routes + PasskeyScreens.routes + OverviewScreen.routes
        + SearchScreen.routes + FamilyScreens.routes + PeopleScreens.routes + JobScreens.routes
        + AuditScreen.routes + OperationScreens.routes
}

/// Error for an object that does not exist.
struct ConsoleAbsence: Error {
    let sentence: String
}

/// Error for a value that a person can't have meant, such as a date that does not exist.
struct ConsoleMistake: Error {
    let sentence: String
}
