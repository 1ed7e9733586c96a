import API
import Basics
import Domain
package import HTTPServer
import Policy
import Postgres
import Repositories
import Telemetry
import UseCases

/// Handles the requests of operators' browsers.
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
        if request.path == "/live", request.method == .get {
            return .longPoll { openStream(request) }
        }
        if request.path == "/readyz", [.get, .head].contains(request.method) {
            return .work { readiness() }
        }
        return .work {
            let reply = respond(request)
            services.meters.count(reply.status)
            return reply
        }
    }

    private func readiness() -> Response {
        if services.board.isStopped { return ConsoleReply.text("draining", status: 503) }
        let state = services.readiness.check()
        return ConsoleReply.text("\(state.reason)", status: state == .ready ? 200 : 503)
    }

    /// Opens the stream of changes of a page. It has no effect, so no form token is needed.
    private func openStream(_ request: Request) -> WorkOutcome {
        do {
            let visit = try ConsoleVisit(services, request, PathParameters())
            guard let token = visit.token, let current = visit.operator else {
                return .response(ConsoleReply.text("Sign in first.", status: 401))
            }
            let account = current.account.rawValue
            guard let part = visit.parameter("part").flatMap({ ConsoleBoard.Part(rawValue: $0) })
            else {
                let parts = ConsoleBoard.Part.allCases.map(\.rawValue).joined(separator: ", ")
                return .response(
                    ConsoleReply.text("part: expected one of \(parts).", status: 400))
            }
            guard let stream = ConsoleStream(services, token, of: account, part) else {
                return .response(ConsoleReply.text("Too many pages are renewed.", status: 503))
            }
            return stream.open()
        } catch {
            services.log.error("the console could not open a stream", [.error(error)])
            return .response(ConsoleReply.text("The database does not answer.", status: 503))
        }
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
                throw ConsoleProhibition(action, by: current.role)
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
            } catch let prohibition as ConsoleProhibition {
                return try visit.refused(prohibition.sentence, status: 403)
            } catch let conflict as ConsoleConflict {
                return try visit.refused(conflict.sentence, status: 409)
            } catch let delay as ConsoleDelay {
                return try visit.refused(delay.sentence, status: 503)
            } catch let mistake as ConsoleMistake {
                return try visit.refused(mistake.sentence, status: 400)
            }
        } catch {
            services.log.error("the console could not serve a page", [.error(error)])
            let isOutage = error is PostgresError || error is ConsoleBusy
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
    /// The right that the route needs; nil if it needs no session.
    let action: OperatorAction?
    let run: @Sendable (ConsoleVisit) throws -> Response

    /// Creates the route of a page that every operator may open.
    static func page(
        _ pattern: String, _ run: @escaping @Sendable (ConsoleVisit) throws -> Response
    ) -> ConsoleRoute {
        ConsoleRoute(method: .get, pattern: pattern, action: .read, run: run)
    }

    /// Creates the route of a form that every operator may send. `run` checks further rights.
    static func form(
        _ pattern: String, _ run: @escaping @Sendable (ConsoleVisit) throws -> Response
    ) -> ConsoleRoute {
        ConsoleRoute(method: .post, pattern: pattern, action: .read, run: run)
    }

    static let all: [ConsoleRoute] =
        SignInScreens.routes + ProxyScreens.routes + CodeScreens.routes + PasskeyScreens.routes
        + OverviewScreen.routes
        + SearchScreen.routes + FamilyScreens.routes + PeopleScreens.routes + JobScreens.routes
        + AuditScreen.routes + MailScreens.routes + WebhookScreens.routes + DoctorScreen.routes
        + SystemScreens.routes + OperationScreens.routes
}

/// Error for an object that does not exist.
struct ConsoleAbsence: Error {
    let sentence: String
}

/// Error for an action that the operator may not take, or not on this account.
struct ConsoleProhibition: Error {
    let sentence: String

    init(_ action: OperatorAction, by role: OperatorRole, on target: OperatorTarget = .person) {
        sentence =
            switch target {
            case .oneself: "This is your own account: another admin has to do it."
            case .otherOperator where decide(action, role):
                "This account is an operator's: only an admin may do this."
            default: "Your role, \(role.rawValue), does not allow this."
            }
    }
}

/// Error for an operation that has no effect in the present state.
struct ConsoleConflict: Error {
    let sentence: String
}

/// Error for an operation that was cancelled because it took too long.
struct ConsoleDelay: Error {
    let sentence: String
}

/// Error for an invalid value in a form or URL, such as a date that does not exist.
struct ConsoleMistake: Error {
    let sentence: String

    /// The parameter `after` is not one that a page links to.
    static let cursor = ConsoleMistake(
        sentence: "after: expected what the previous page links to.")
}
