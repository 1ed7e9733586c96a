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
    package final class Read: Sendable {
        let exchange: Exchange
        fileprivate let read: TaggedRead

        fileprivate init(_ exchange: Exchange, _ read: TaggedRead) {
            self.exchange = exchange
            self.read = read
        }
    }

    /// Finds a request's endpoint and caller, once. Never fails: every failure is a response.
    package func prepare(_ request: Request) -> PreparedRequest<Read> {
        var exchange = Exchange(request, services.site)
        do {
            try exposure.check(request)
            if let preflight = cors.preflight(request) {
                return .response(finish(exchange, preflight))
            }
            if let rest = services.rest, RestForwarder.takes(request) {
                exchange.label = RestForwarder.label
                return forward(exchange, to: rest)
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
                            tagged(exchange, found, caller, read), for: exchange.request)
                    }
                }
                let ready = try tagged(exchange, found, caller, read)
                return .read(Read(exchange, ready))
            }
        } catch {
            return .response(finish(exchange, failure(error, exchange)))
        }
    }

    private func forward(_ exchange: Exchange, to rest: RestForwarder) -> PreparedRequest<Read> {
        work(exchange) { exchange in
            // A token that is no good is refused before PostgREST sees it.
            _ = try caller(exchange)
            let isRead = [.get, .head].contains(exchange.request.method)
            return try held(unless: isRead) { try rest.forward(exchange.request) }
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
                        next: part.next.map { parked(exchange, $0, isOpen: true) },
                        onStalled: part.onStalled))
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
        let ending = WaitEnding()
        return ParkedRequest(
            onParked: { resume in
                wait.onParked?(resume)
                services.changes.wait(
                    for: wait.watched, until: wait.deadline, by: wait.follower
                ) {
                    ending.set($0)
                    resume()
                }
            },
            again: { outcome(exchange, isOpen: isOpen) { try wait.again(ending.value) } })
    }

    package func answer(_ read: Read) -> Response {
        do {
            return finish(read.exchange, try run(read.read, for: read.exchange.request))
        } catch {
            return finish(read.exchange, failure(error, read.exchange))
        }
    }

    /// The responses to reads that share the database's round trip; nil for those that must be
    /// answered alone, also because the client's copy has turned out to be an old one.
    package func answer(_ reads: [Read]) -> [Response?] {
        do {
            let outcomes = try services.database.run(
                together: reads.map { try $0.read.first }, preferring: services.standbys)
            return zip(reads, outcomes).map { read, outcome in
                switch outcome {
                case .none, .success(.none): nil
                case .success(.some(let reply)):
                    finish(
                        read.exchange,
                        Result { try Conditions.read(reply, for: read.exchange.request) })
                case .failure(let error as Refusal)
                where error.code == .actingRefused && read.read.asOneself != nil: nil
                case .failure(let error): finish(read.exchange, failure(error, read.exchange))
                }
            }
        } catch {
            return reads.map { finish($0.exchange, failure(error, $0.exchange)) }
        }
    }

    private func failure(_ error: any Error, _ exchange: Exchange) -> Reply {
        var problem = problem(error, exchange.id)
        if problem.code == .fault(.preconditionFailed),
            exchange.endpoint?.operation.isGuarded == true,
            let reading = ConditionalChange.reading(exchange.request)
        {
            let present = respond(to: reading)
            if present.status == 200 { problem.current = present.body }
        }
        let page = exchange.endpoint?.operation.failurePage
        var reply =
            page.map { $0(services, exchange.request, problem) } ?? problem.reply(exchange.id)
        reply.code = problem.code
        return reply
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
        if reply.code == .fault(.keysPending) {
            meters.countKeysPending()
        } else {
            meters.count(exchange, response.status, nanoseconds: nanoseconds)
        }
        services.log.info("request") {
            exchange.describe(
                response.status, reply.code, microseconds: nanoseconds / 1_000, in: &$0)
        }
        return response
    }

    /// The response to a request that the HTTP server refuses.
    package func respond(to fault: ServerFault, in request: Request) -> Response {
        let id = Exchange.id(of: request)
        let problem = Problem.of(fault)
        let response = finished(problem.reply(id), request, id)
        meters.count(request.method, "unknown", response.status, nanoseconds: 0)
        services.log.info(
            "request refused",
            [
                .requestID(id), .method(request.method.logged), .status(response.status),
                .code(problem.code.rawValue),
            ])
        return response
    }

    /// The response to a signed-in caller; with an idempotency key, the stored one.
    private func answer(
        _ exchange: Exchange, _ found: RouteFinder.Found, by caller: Caller,
        _ run: (Services, Call) throws -> Reply
    ) throws -> Reply {
        let (request, endpoint, id) = (exchange.request, found.endpoint, exchange.id)
        var change = ConditionalChange(services.database) { caller in
            try self.present(at: exchange.request, to: caller)
        }
        let key =
            endpoint.isMutation && endpoint.operation.keepsAnswer
            ? try IdempotencyKey.sent(with: request) : nil
        // The database refuses what an account has not consented to.
        if endpoint.isMutation { try services.consents.apply(to: services.database) }
        let idempotency = try key.map {
            // This takes a connection of its own, which a request with a key may not wait for.
            try services.codes.apply(to: services.database)
            return try Idempotency(services, caller, endpoint, request, key: $0, id: id)
        }
        let deadline = Deadline.after(seconds: ConditionalChange.patienceSeconds)
        while true {
            do {
                return try attempt()
            } catch let problem as Problem where change.isOvertaken {
                guard problem.code == ConditionalChange.overtaken.code, !deadline.hasPassed
                else { throw problem }
            }
        }

        func attempt() throws -> Reply {
            guard let idempotency else {
                return try change.run(services, call(exchange, found, caller), run)
            }
            return try idempotency.answer(
                to: { try self.call(exchange, found, $0) },
                running: { try change.run($0, $1, run) },
                problem: { change.overtaken(by: $0) ?? self.problem($0, id) })
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
            caller?.wantedLanguage = { [arrival = exchange.arrival] in arrival.language }
        }
        return caller
    }

    /// - Throws: 406, 415 or 412 if the endpoint does not support the request's headers.
    private func requireTaken(_ request: Request, by endpoint: Endpoint) throws {
        try MediaTypes.requireAccepted(endpoint.mediaTypes, by: request)
        if endpoint.takesBody { try MediaTypes.requireJSON(of: request) }
        try Conditions.check(request, of: endpoint.operation)
    }

    func call<Who: Sendable>(
        _ exchange: Exchange, _ found: RouteFinder.Found, _ caller: Who
    ) throws -> EndpointCall<Who> {
        let request = exchange.request
        return EndpointCall(
            request: request, caller: caller, endpoint: found.endpoint,
            source: try found.source(of: request))
    }

    /// The problem for a failure. Bugs and outages are logged here, once.
    private func problem(_ error: any Error, _ id: RequestID) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case is PasswordsBusy: return .unavailable
        case let failure as LinkKeyMissing:
            services.log.error("a link can't be told again", [.requestID(id), .error(failure)])
            return .unavailable
        case let refusal as Refusal:
            services.codeAlarm.note(refusal, now: services.clock.now())
            meters.count(refusal)
            return Problem(refusal)
        case let failure as RestFailure:
            services.log.warning("PostgREST can't be reached", [.requestID(id), .error(failure)])
            return .unavailable
        case let failure as PostgresError:
            let problem = Problem.of(failure)
            let fields: [LogField] = [.requestID(id), .error(failure)]
            switch problem.code {
            case _ where failure.needsServerRestart:
                services.log.error(
                    "restart PostgreSQL: its files were replaced while it was running", fields)
            case .fault(.internal): services.log.error("the database failed", fields)
            case .fault(.databaseAway): services.log.error("the database's disk is full", fields)
            case .fault(.databaseBusy): services.log.warning("the database is busy", fields)
            case .fault(.outcomeUnknown): services.log.warning("a commit is unconfirmed", fields)
            default: services.log.warning("the database is away", fields)
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
}

extension RequestHandler {
    /// Runs `body`, which may change something, so that its answer rests on what a synchronous
    /// standby has, and holds the answer until the standbys that are read from have the change.
    ///
    /// A refusal is held as well: where the answer to a change was lost, the refusal of the
    /// repeated request is what tells that it was made. A failure of ours tells nothing.
    func held(unless isRead: Bool, _ body: () throws -> Reply) throws -> Reply {
        let answer = Result { try Database.$isAboutChange.withValue(!isRead, operation: body) }
        let isFailure =
            switch answer {
            case .success(let reply): reply.status >= 500
            case .failure(let error): error is PostgresError
            }
        if !isRead, !isFailure, holdsAnswers { services.held.hold() }
        return try answer.get()
    }
}

/// How a wait has ended; until somebody tells, by its time.
private final class WaitEnding: Sendable {
    private let ending = Mutex(ChangeWatch.Ending.time)
    var value: ChangeWatch.Ending { ending.withLock { $0 } }
    func set(_ value: ChangeWatch.Ending) { ending.withLock { $0 = value } }
}
