import Glibc
import Synchronization
import Basics

/// State shared by a server's threads: one thread accepts connections and checks timeouts, the
/// others work.
final class ServerCore: Sendable {
    private enum Stage: Int, AtomicRepresentable { case serving, draining, stopped }

    let responder: Responder
    private let onError: @Sendable (ServerError) -> Void
    private let serverSocket: ServerSocket
    private let poller: Poller
    let workers: WorkerPool
    private let registry = Mutex(Registry())
    private let stage = Atomic(Stage.serving)
    /// Time of the acceptor's last sweep, in nanoseconds of ``MonotonicClock``.
    private let sweptAt = Atomic(MonotonicClock.nanoseconds())
    /// Signalled when the acceptor must check its state.
    private let acceptorEvent: EventFD
    /// Signalled when the acceptor must take permits from threads that hold them for too long.
    private let crowdEvent: EventFD
    /// Signalled when the last connection has ended during draining.
    private let emptyEvent: EventFD

    init(
        _ responder: Responder, onError: @escaping @Sendable (ServerError) -> Void
    ) throws(ServerError) {
        self.responder = responder
        self.onError = onError
        let crowdEvent = try EventFD()
        self.crowdEvent = crowdEvent
        workers = WorkerPool(
            size: max(1, responder.settings.threads), processors: responder.settings.processors,
            permitTimeoutSeconds: responder.settings.permitTimeoutSeconds
        ) { crowdEvent.signal() }
        poller = try Poller()
        acceptorEvent = try EventFD()
        emptyEvent = try EventFD()
        serverSocket = try ServerSocket(responder.settings)
    }

    var port: UInt16 { serverSocket.port }

    var connectionCount: Int { registry.withLock { $0.count } }

    var secondsSinceSweep: Double {
        MonotonicClock.seconds(since: sweptAt.load(ordering: .relaxed))
    }

    // MARK: Workers

    func workUntilStopped() {
        let worker = workers.join()
        let scratch = Scratch()
        var served = 0
        while case let connections = nextToServe(worker, after: served), !connections.isEmpty {
            serve(connections, by: responder.handler, as: worker, scratch)
            served = connections.count
        }
    }

    /// Returns the connections to serve next, none at the end. Returns several only if no other
    /// thread would serve them sooner.
    private func nextToServe(_ worker: WorkerPool.Worker, after served: Int) -> [ClientConnection] {
        let batchLimit = responder.batchLimit
        switch workers.next(worker, after: served) {
        case .end: return []
        case .serve(let connection):
            _ = workers.begin(worker)
            return [connection]
        case .look(let forSeveral):
            let found = poller.next(waiting: false, atMost: forSeveral ? batchLimit : 1)
            if !found.isEmpty {
                _ = workers.begin(worker)
                return found
            }
        }
        if let connection = workers.watch(worker) {
            _ = workers.begin(worker)
            return [connection]
        }
        let first = poller.next(waiting: true, atMost: 1)
        // Checked only now, because threads that were busy before the wait may be free.
        guard !first.isEmpty, workers.begin(worker), batchLimit > 1 else { return first }
        return first + poller.next(waiting: false, atMost: batchLimit - 1)
    }

    typealias WaitingRequest = (
        connection: ClientConnection, pending: ClientConnection.PendingRequest
    )

    private func serve<Answering: Handler>(
        _ connections: [ClientConnection], by handler: Answering, as worker: WorkerPool.Worker,
        _ scratch: Scratch
    ) {
        var reads: [Answering.Read] = []
        // The requests of the reads, in the same order.
        var readers: [WaitingRequest] = []
        var works: [WaitingRequest] = []
        for connection in connections {
            switch connection.nextRequest(scratch) {
            case .none(let interest): handleEvent(connection, interest)
            case .partSent(let pending, let next): park((connection, pending), next)
            case .request(var pending):
                if pending.work != nil {
                    works.append((connection, pending))
                } else if isImmediate(pending) {
                    answerNow((connection, pending), scratch)
                } else {
                    switch handler.prepare(pending.finished.request) {
                    case .response(let response):
                        reply(response, to: (connection, pending), scratch)
                    case .read(let read):
                        reads.append(read)
                        readers.append((connection, pending))
                    case .work(let work):
                        pending.work = { .response(work()) }
                        works.append((connection, pending))
                    case .longPoll(let work):
                        pending.work = work
                        works.append((connection, pending))
                    }
                }
            }
        }
        if reads.count == 1, works.isEmpty {
            return reply(handler.answer(reads[0]), to: readers[0], scratch)
        }
        if reads.count == 1 {
            let read = reads.removeFirst()
            works.append(Self.alone(readers[0]) { handler.answer(read) })
        }
        // Work may take long: the first free worker takes the next request, and no work waits for
        // the reads.
        let ownWork = reads.isEmpty ? works.first : nil
        for waiting in ownWork == nil ? works[...] : works.dropFirst() { handOver(waiting) }
        if let ownWork { work(on: ownWork, as: worker, scratch) }
        if !reads.isEmpty { answer(reads, of: readers, by: handler, as: worker, scratch) }
    }

    private func answer<Answering: Handler>(
        _ reads: [Answering.Read], of readers: [WaitingRequest], by handler: Answering,
        as worker: WorkerPool.Worker, _ scratch: Scratch
    ) {
        var alone: [WaitingRequest] = []
        for (index, response) in handler.answer(reads).enumerated() {
            if let response {
                reply(response, to: readers[index], scratch)
            } else {
                let read = reads[index]
                alone.append(Self.alone(readers[index]) { handler.answer(read) })
            }
        }
        for waiting in alone.dropFirst() { handOver(waiting) }
        if let first = alone.first { work(on: first, as: worker, scratch) }
    }

    private static func alone(
        _ waiting: WaitingRequest, _ work: @escaping @Sendable () -> Response
    ) -> WaitingRequest {
        var waiting = waiting
        waiting.pending.work = { .response(work()) }
        return waiting
    }

    /// Hands a request to the next free thread.
    private func handOver(_ waiting: WaitingRequest) {
        waiting.connection.store(waiting.pending)
        handleEvent(waiting.connection, .worker)
    }

    /// Whether the thread that read a request also responds to it. True for requests that the
    /// server itself refuses, and for urgent requests.
    private func isImmediate(_ pending: ClientConnection.PendingRequest) -> Bool {
        pending.finished.fault != nil || responder.isUrgent(pending.finished.request)
    }

    /// Answers a request on this thread, after giving its permit to another.
    private func work(
        on waiting: WaitingRequest, as worker: WorkerPool.Worker, _ scratch: Scratch
    ) {
        workers.releasePermit(worker)
        answerNow(waiting, scratch)
    }

    /// Answers a request on this thread, however long it takes.
    private func answerNow(_ waiting: WaitingRequest, _ scratch: Scratch) {
        let (finished, handler) = (waiting.pending.finished, responder.handler)
        let outcome =
            finished.fault.map { .response(handler.respond(to: $0, in: finished.request)) }
            ?? waiting.pending.work?() ?? .response(handler.respond(to: finished.request))
        switch outcome {
        case .response(let response): reply(response, to: waiting, scratch)
        case .parked(let parked): park(waiting, parked)
        case .part(let part): send(part, to: waiting, scratch)
        }
    }

    func reply(
        _ response: Response, to waiting: WaitingRequest, _ scratch: Scratch
    ) {
        let output = responder.output(waiting.pending.finished, response, scratch)
        handleEvent(waiting.connection, waiting.connection.reply(output, scratch))
    }

    func handleEvent(_ connection: ClientConnection, _ interest: ClientConnection.AwaitedEvent) {
        switch interest {
        case .end: end(connection)
        case .worker:
            if !workers.handOver(connection) { arm(connection, for: .worker) }
        case let interest: arm(connection, for: interest)
        }
    }

    /// Answers urgent and refused requests, and leaves the others to the workers.
    private func serveIfUrgent(
        _ connection: ClientConnection, _ scratch: Scratch
    ) {
        switch connection.nextRequest(scratch) {
        case .none(let interest): handleEvent(connection, interest)
        case .partSent(let pending, let next): park((connection, pending), next)
        case .request(let pending):
            if pending.work == nil, isImmediate(pending) {
                answerNow((connection, pending), scratch)
            } else {
                handOver((connection, pending))
            }
        }
    }

    func arm(_ connection: ClientConnection, for interest: ClientConnection.AwaitedEvent) {
        if !poller.arm(connection, for: interest) { end(connection) }
    }

    private func end(_ connection: ClientConnection) {
        connection.end()
        let rest = registry.withLock { registry in
            registry.remove(connection)
            return registry.count
        }
        if rest == responder.settings.connectionLimit - 1 { acceptorEvent.signal() }
        if rest == 0, stage.load(ordering: .sequentiallyConsistent) != .serving {
            emptyEvent.signal()
        }
    }

    // MARK: The acceptor

    func acceptUntilStopped() {
        let scratch = Scratch()
        var acceptor = Acceptor(tickSeconds: responder.settings.tickSeconds)
        while let events = waitForEvents(&acceptor) {
            if events.arrivals { acceptAll(&acceptor) }
            if events.requests { serveUrgent(scratch) }
            if events.crowd || acceptor.nextReassignment?.hasPassed == true {
                acceptor.nextReassignment = workers.reassignPermits()
            }
            if acceptor.nextSweep.hasPassed { sweep(&acceptor) }
        }
    }

    /// Waits for the next events: connections to accept, urgent requests to serve, or permits to
    /// move; nil at the end.
    private func waitForEvents(
        _ acceptor: inout Acceptor
    ) -> (arrivals: Bool, requests: Bool, crowd: Bool)? {
        let stage = stage.load(ordering: .sequentiallyConsistent)
        if stage != .serving { serverSocket.close() }
        if stage == .stopped { return nil }
        let accepts = stage == .serving && !acceptor.isFull
        var items = [
            pollfd(fd: acceptorEvent.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: accepts ? serverSocket.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: acceptor.isAlone ? poller.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: crowdEvent.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let next = min(acceptor.nextSweep, acceptor.nextReassignment ?? .never)
        // An interruption is treated as an event: everything is checked anyway.
        _ = poll(&items, nfds_t(items.count), next.pollMilliseconds)
        if items[0].revents != 0 {
            acceptorEvent.reset()
            acceptor.isFull = false
        }
        if items[3].revents != 0 { crowdEvent.reset() }
        return (items[1].revents != 0, items[2].revents != 0, items[3].revents != 0)
    }

    private func sweep(_ acceptor: inout Acceptor) {
        let now = MonotonicClock.nanoseconds()
        let probes = acceptor.nextProbe.hasPassed
        if probes { acceptor.nextProbe = .after(seconds: 4 * acceptor.tickSeconds) }
        for connection in openConnections {
            connection.closeIfOverdue(now: now, graceSeconds: acceptor.tickSeconds)
            if probes, connection.needsResume(), let resumption = connection.resumption {
                resume(connection, by: resumption)
            }
        }
        if !responder.settings.urgentPaths.isEmpty {
            acceptor.isAlone = workers.isStuck(since: acceptor.finishedCount)
            acceptor.finishedCount = workers.finishedCount
        }
        acceptor.isFull = false
        acceptor.nextSweep = .after(seconds: acceptor.tickSeconds)
        sweptAt.store(MonotonicClock.nanoseconds(), ordering: .relaxed)
    }

    /// Answers requests that can't wait for a worker, and leaves the others to the workers.
    private func serveUrgent(_ scratch: Scratch) {
        for _ in 0..<responder.settings.connectionLimit {
            guard let connection = poller.next(waiting: false, atMost: 1).first else { return }
            serveIfUrgent(connection, scratch)
        }
    }

    /// Accepts until no connection is waiting, the limit is reached, or the system has no resources
    /// left.
    private func acceptAll(_ acceptor: inout Acceptor) {
        if connectionCount >= responder.settings.connectionLimit {
            makeRoom()
            // Full until a connection has ended, or the next tick.
            acceptor.isFull = true
        }
        while connectionCount < responder.settings.connectionLimit {
            switch serverSocket.accept() {
            case .connection(let socket, let address): admit(socket, PeerAddress(address))
            case .none: return
            case .exhausted(let error):
                acceptor.isFull = true
                onError(error)
                return
            }
        }
    }

    private func admit(_ socket: Int32, _ peer: PeerAddress) {
        let settings = responder.settings
        if let limit = settings.connectionsPerAddress,
            !settings.trustedProxies.contains(where: { $0.contains(peer) }),
            registry.withLock({ $0.count(from: peer) }) >= limit, !displace(from: peer)
        {
            close(socket)
            return
        }
        let connection = ClientConnection(socket: socket, peer: peer, responder: responder)
        registry.withLock { $0.insert(connection) }
        // From here on the workers own the connection.
        if !poller.add(connection) { end(connection) }
    }

    private func makeRoom() {
        if let busiest = registry.withLock({ $0.busiest }) { _ = displace(from: busiest) }
    }

    /// Closes this address's connection that has been silent longest; false if all of them are
    /// being answered.
    private func displace(from peer: PeerAddress) -> Bool {
        let silent = registry.withLock { $0.longestIdle(from: peer) }
        silent?.shutDown()
        if let silent, let resumption = silent.resumption { resume(silent, by: resumption) }
        return silent != nil
    }

    private var openConnections: [ClientConnection] { registry.withLock { $0.connections } }

    // MARK: The end

    func drain(deadlineSeconds: Double) -> Bool {
        responder.beginDraining()
        _ = stage.compareExchange(
            expected: .serving, desired: .draining, ordering: .sequentiallyConsistent)
        acceptorEvent.signal()
        for connection in openConnections {
            connection.stopReadingIfIdle()
            if let resumption = connection.resumption { resume(connection, by: resumption) }
        }
        if connectionCount == 0 { emptyEvent.signal() }
        return emptyEvent.isSignalled(withinSeconds: deadlineSeconds)
    }

    func stop() {
        responder.beginDraining()
        stage.store(.stopped, ordering: .sequentiallyConsistent)
        acceptorEvent.signal()
        poller.close()
        workers.close()
        for connection in openConnections { connection.shutDown() }
    }

    /// Closes the remaining connections after all threads have ended.
    func endAll() {
        for connection in openConnections { end(connection) }
    }
}
