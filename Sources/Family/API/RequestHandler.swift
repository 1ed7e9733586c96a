import Basics
package import HTTPServer
import Synchronization
import UseCases

/// Handles requests: passes each through its stages (``RequestStages``) to the operation of its
/// endpoint.
package struct RequestHandler: Handler {
    let services: Services
    private let routes: RouteFinder
    private let failures: FailureTable
    private let scope: ListenerScope
    private let stages: RequestStages
    /// Chooses the requests that are traced; nil within a batch, whose own trace has the operations
    /// as steps.
    private let tracer: Tracer?

    package init(_ services: Services) {
        self.init(services, RouteFinder(Routes.table + PageRoutes.table), .whole)
    }

    private init(
        _ services: Services, _ routes: RouteFinder, _ scope: ListenerScope,
        isInBatch: Bool = false
    ) {
        self.services = services
        self.routes = routes
        self.scope = scope
        failures = FailureTable(services)
        stages = RequestStages(services, routes, scope, isInBatch: isInBatch)
        tracer = isInBatch ? nil : services.tracer
    }

    /// Returns a handler for another listening address, which serves other routes.
    package func at(_ scope: ListenerScope) -> RequestHandler {
        RequestHandler(services, routes, scope)
    }

    /// Handler for the operations of a batch.
    private var inBatch: RequestHandler {
        RequestHandler(services, routes, scope, isInBatch: true)
    }

    /// Returns the runner of a composed request's parts. There is time for another part until a
    /// deadline, and only while the server is not shutting down.
    private func runner(of exchange: Exchange) -> RequestRunner {
        let inner = inBatch
        let deadline = Deadline.after(seconds: services.batchSeconds)
        return RequestRunner(
            respond: { inner.respond(to: $0) },
            refuse: {
                let refused = Exchange(exchange.request, services.site)
                return inner.finish(refused, inner.reply(to: refused, $0))
            },
            hasTime: { !services.isDraining && !deadline.hasPassed })
    }

    /// A read that is ready to be sent to the database.
    package final class PreparedRead: Sendable {
        fileprivate let exchange: Exchange
        fileprivate let read: TaggedRead

        fileprivate init(_ exchange: Exchange, _ read: TaggedRead) {
            self.exchange = exchange
            self.read = read
        }
    }

    /// Finds a request's endpoint, once. It never throws: every failure becomes a response.
    package func prepare(_ request: Request) -> PreparedRequest<PreparedRead> {
        var exchange = Exchange(request, services.site, recording(of: request))
        do {
            if let reply = try stages.arrive(&exchange) {
                return .response(finish(exchange, reply))
            }
            switch exchange.endpoint.operation.work {
            case .open(let run): return work(exchange) { try run(services, $0.openCall()) }
            case .signedIn(let run): return work(exchange) { try run(services, $0.call()) }
            case .server(let run): return work(exchange) { try run(services, $0.serverCall()) }
            case .composed(let run):
                return work(exchange) { try run($0.call(), runner(of: $0)) }
            case .longPoll(let run):
                return .longPoll { [exchange] in
                    outcome(exchange) { try run(services, stages.admitted(exchange).call()) }
                }
            case .openLongPoll(let run):
                return .longPoll { [exchange] in
                    outcome(exchange) { try run(services, stages.admitted(exchange).openCall()) }
                }
            case .read(let read): return try prepare(exchange, read)
            }
        } catch {
            return .response(finish(exchange, failure(error, exchange)))
        }
    }

    /// Begins the trace of a request; nil if it is not traced.
    private func recording(of request: Request) -> TraceRecording? {
        guard let tracer, !ListenerScope.probePaths.contains(request.path) else { return nil }
        return tracer.begin(for: Exchange.trace(of: request)?.spanParent)
    }

    /// Prepares a read that can be sent without waiting, unless its token names an unknown key or
    /// is a delegation, whose child's consents are checked first.
    private func prepare(
        _ exchange: Exchange, _ reading: @escaping @Sendable (Call) throws -> UseCases.Read<Reply>
    ) throws -> PreparedRequest<PreparedRead> {
        var quick = exchange
        quick.mayWait = false
        do {
            quick = try stages.admitted(quick)
        } catch is Authentication.KeyFetchNeeded {
            return alone(exchange, reading)
        } catch is ConsentCheck.DatabaseNeeded {
            return alone(exchange, reading)
        }
        return .read(PreparedRead(exchange, try tagged(quick, reading)))
    }

    /// Prepares a read that waits before it is sent, and so is not batched with others.
    private func alone(
        _ exchange: Exchange, _ reading: @escaping @Sendable (Call) throws -> UseCases.Read<Reply>
    ) -> PreparedRequest<PreparedRead> {
        .work {
            respond(to: exchange) {
                try run(tagged(stages.admitted(exchange), reading), for: exchange.request)
            }
        }
    }

    /// Prepares work that passes all stages.
    private func work(
        _ exchange: Exchange, _ operation: @escaping @Sendable (Exchange) throws -> Reply
    ) -> PreparedRequest<PreparedRead> {
        .work {
            respond(to: exchange) { try stages.run(stages.admitted(exchange), operation) }
        }
    }

    /// Runs a step of work that may wait for changes, and returns a response, or a request that is
    /// parked until a change.
    ///
    /// - Parameter isOpen: Whether the response has already begun, so that a failure ends it.
    private func outcome(
        _ exchange: Exchange, isOpen: Bool = false, _ step: () throws -> LongPollReply
    ) -> WorkOutcome {
        do {
            switch try TraceScope.within(exchange.received.recording, step) {
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
                _ = failures.problem(error, of: exchange)
                return .part(StreamPart(bytes: [], next: nil))
            }
            return .response(finish(exchange, failure(error, exchange)))
        }
    }

    private func parked(
        _ exchange: Exchange, _ wait: LongPollReply.Wait, isOpen: Bool
    ) -> ParkedRequest {
        let ending = WakeReasonBox()
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
            retry: { outcome(exchange, isOpen: isOpen) { try wait.retry(ending.value) } })
    }

    package func answer(_ read: PreparedRead) -> Response {
        respond(to: read.exchange) { try run(read.read, for: read.exchange.request) }
    }

    /// Returns the responses to reads that share the database's round trip. The response is nil for
    /// a read that must be run alone, for example because the client's copy is outdated.
    package func answer(_ reads: [PreparedRead]) -> [Response?] {
        do {
            let outcomes = try TraceScope.within(
                reads.compactMap(\.exchange.received.recording)
            ) {
                try services.reads.run(batched: reads.map { try $0.read.first })
            }
            return zip(reads, outcomes).map { read, outcome in
                switch outcome {
                case .none, .success(.none): nil
                case .success(.some(let reply)):
                    respond(to: read.exchange) {
                        try Conditions.read(reply, for: read.exchange.request)
                    }
                case .failure(let error as Refusal)
                where error.code == .actingRefused && read.read.asOneself != nil: nil
                case .failure(let error): finish(read.exchange, failure(error, read.exchange))
                }
            }
        } catch {
            return reads.map { finish($0.exchange, failure(error, $0.exchange)) }
        }
    }

    /// Returns the response to a request that the HTTP server refuses.
    package func respond(to fault: ServerFault, in request: Request) -> Response {
        var exchange = Exchange(request, services.site)
        exchange.isRefusedByServer = true
        return finish(exchange, reply(to: exchange, Problem.of(fault)))
    }

    private func respond(to exchange: Exchange, _ body: () throws -> Reply) -> Response {
        do {
            return finish(exchange, try TraceScope.within(exchange.received.recording, body))
        } catch {
            return finish(exchange, failure(error, exchange))
        }
    }

    private func finish(_ exchange: Exchange, _ reply: Reply) -> Response {
        stages.leave(exchange, reply)
    }

    private func failure(_ error: any Error, _ exchange: Exchange) -> Reply {
        var problem = failures.problem(error, of: exchange)
        if problem.code == .fault(.preconditionFailed),
            exchange.endpoint.operation.isGuarded,
            let reading = ConditionalChange.reading(exchange.request)
        {
            problem.current = content(at: reading)
        }
        return reply(to: exchange, problem)
    }

    /// Returns what a caller reads at an address, as a part of another request: it is neither
    /// counted nor logged. Nil if the caller can't read it.
    private func content(at address: Request) -> [UInt8]? {
        var exchange = Exchange(address, services.site)
        do {
            guard try stages.arrive(&exchange) == nil else { return nil }
            let admitted = try stages.admitted(exchange)
            let reply: Reply
            switch exchange.endpoint.operation.work {
            case .read(let reading):
                reply = try run(tagged(admitted, reading), for: address)
            case .signedIn(let operation):
                reply = try stages.run(admitted) { try operation(services, $0.call()) }
            default: return nil
            }
            return reply.status == 200 ? reply.body : nil
        } catch {
            // Logs an outage or a bug.
            _ = failures.problem(error, of: exchange)
            return nil
        }
    }

    private func reply(to exchange: Exchange, _ problem: Problem) -> Reply {
        let page = exchange.endpoint.operation.failurePage
        var reply =
            page.map { $0(services, exchange.request, problem) }
            ?? noPage(exchange, problem) ?? problem.reply(exchange.id)
        reply.code = problem.code
        return reply
    }

    /// Returns the response to a request without an operation, because its address is unknown or
    /// the server has refused it: a page for browsers, otherwise JSON. Nil for any other problem.
    private func noPage(_ exchange: Exchange, _ problem: Problem) -> Reply? {
        let isUnknown = [.fault(.notFound), .fault(.methodNotAllowed)].contains(problem.code)
        guard exchange.isRefusedByServer || isUnknown, exchange.endpoint === Endpoint.unknown,
            scope != .operators
        else { return nil }
        do {
            if let page = try ProblemPage.ofNoPage(services, exchange.request, problem) {
                return page
            }
        } catch {
            services.log.error("could not render the page for a failed request", [.error(error)])
        }
        var reply = problem.reply(exchange.id)
        reply.headers.append(("Vary", "Accept"))
        return reply
    }
}

/// The reason why a wait ended: its deadline, unless another reason is set.
private final class WakeReasonBox: Sendable {
    private let ending = Mutex(ChangeWatch.WakeReason.time)
    var value: ChangeWatch.WakeReason { ending.withLock { $0 } }
    func set(_ value: ChangeWatch.WakeReason) { ending.withLock { $0 = value } }
}
