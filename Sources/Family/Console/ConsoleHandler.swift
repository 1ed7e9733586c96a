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
        return .work { recorded(request) }
    }

    /// A response with what the log and the trace of its request say.
    private struct Answer {
        let response: Response
        /// Pattern of the route, never the path itself.
        let route: String
        /// The reason of a refusal or a failure; nil for a success, and for a refusal without a
        /// code.
        var code: String?
    }

    /// Answers a request, and counts, logs and traces it.
    private func recorded(_ request: Request) -> Response {
        let start = request.receivedAt ?? MonotonicClock.nanoseconds()
        let caller = request.headers["traceparent"].flatMap { TraceContext(traceparent: $0) }
        let recording = services.tracer?.begin(for: caller?.spanParent)
        let answer = TraceScope.within(recording) { respond(request) }
        let nanoseconds = MonotonicClock.nanoseconds() - start
        let (status, method) = (answer.response.status, request.method.logged)
        services.meters.count(status)
        if let recording {
            var attributes: [TraceSpan.Attribute] = [
                .init("http.request.method", .literal(method)),
                .init("http.route", .name(answer.route)),
                .init("http.response.status_code", .integer(status)),
            ]
            if let code = answer.code { attributes.append(.init("hearth.code", .name(code))) }
            recording.end(
                "\(method) \(answer.route)", .server, start: start, end: start + nanoseconds,
                attributes, failure: status >= 500 ? answer.code ?? "\(status)" : nil)
        }
        services.log.info("request") { line in
            line.add(.method(method))
            line.add(.route(composed: answer.route))
            line.add(.status(status))
            if let code = answer.code { line.add(.code(code)) }
            line.add(.duration(microseconds: nanoseconds / 1_000))
            if let context = recording.map({ TraceContext($0) }) ?? caller {
                for field in LogField.trace(context) { line.add(field) }
            }
        }
        return answer.response
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

    /// Route of a request whose address or method is unknown, in the log and in traces.
    private static let unknownRoute = "unknown"

    private func respond(_ request: Request) -> Answer {
        switch router.match(request.method, request.segments) {
        case .notFound:
            return answer(request, of: Self.unknownRoute) { visit in
                try visit.notFound("There is no such page.")
            }
        case .methodNotAllowed(let allow):
            var reply = ConsoleReply.text("This address has no such method.", status: 405)
            reply.headers.add("Allow", allow.map(\.name).joined(separator: ", "))
            return Answer(response: reply, route: Self.unknownRoute)
        case .found(let route, let parameters):
            return answer(request, of: route.pattern, parameters) { visit in
                try run(route.endpoint, visit)
            }
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
        _ request: Request, of route: String, _ parameters: PathParameters = PathParameters(),
        _ body: (ConsoleVisit) throws -> Response
    ) -> Answer {
        do {
            let visit = try ConsoleVisit(services, request, parameters)
            do {
                let page = try body(visit)
                return Answer(response: page, route: route, code: visit.shownCode)
            } catch let refusal as OperatorRefusal {
                if refusal.isEndOfSession {
                    return Answer(
                        response: visit.redirectToSignIn(), route: route, code: refusal.reason)
                }
                let isAbsent = refusal.reason.hasSuffix("_not_found")
                let page = try visit.refused(
                    refusal.advisedSentence(), details: refusal.details, code: refusal.reason,
                    status: isAbsent ? 404 : refusal.isProhibition ? 403 : 409)
                return Answer(response: page, route: route, code: refusal.reason)
            } catch let absence as ConsoleAbsence {
                return Answer(response: try visit.notFound(absence.sentence), route: route)
            } catch let prohibition as ConsoleProhibition {
                let page = try visit.refused(prohibition.sentence, status: 403)
                return Answer(response: page, route: route)
            } catch let conflict as ConsoleConflict {
                let page = try visit.refused(conflict.sentence, status: 409)
                return Answer(response: page, route: route)
            } catch let delay as ConsoleDelay {
                let page = try visit.refused(delay.sentence, status: 503)
                return Answer(response: page, route: route)
            } catch let mistake as ConsoleMistake {
                let page = try visit.refused(mistake.sentence, status: 400)
                return Answer(response: page, route: route)
            }
        } catch {
            services.log.error("the console could not serve a page", [.error(error)])
            let isOutage = error is PostgresError || error is ConsoleBusy
            let page = ConsoleReply.text(
                isOutage
                    ? "The database does not answer. Try again in a moment."
                    : "Something went wrong; the log of hearth-console has the reason.",
                status: isOutage ? 503 : 500)
            return Answer(
                response: page, route: route, code: isOutage ? "unavailable" : "internal")
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
