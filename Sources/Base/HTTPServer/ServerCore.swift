import Glibc
import Synchronization
import Threads

/// State that a server's threads share: one thread accepts connections and checks timeouts, the
/// others work.
final class ServerCore: Sendable {
    private enum Stage: Int, AtomicRepresentable { case serving, draining, stopped }

    let responder: Responder
    private let onTrouble: @Sendable (ServerError) -> Void
    private let serverSocket: ServerSocket
    private let poller: Poller
    let pool: WorkerPool
    private let registry = Mutex(Registry())
    private let stage = Atomic(Stage.serving)
    /// Signalled when the acceptor must check its state.
    private let acceptorEvent: EventFD
    /// Signalled when the last connection has ended during draining.
    private let emptyEvent: EventFD

    init(
        _ responder: Responder, onTrouble: @escaping @Sendable (ServerError) -> Void
    ) throws(ServerError) {
        self.responder = responder
        self.onTrouble = onTrouble
        pool = WorkerPool(
            size: max(1, responder.settings.threads),
            processors: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        poller = try Poller()
        acceptorEvent = try EventFD()
        emptyEvent = try EventFD()
        serverSocket = try ServerSocket(responder.settings)
    }

    var port: UInt16 { serverSocket.port }

    var connectionCount: Int { registry.withLock { $0.count } }

    // MARK: Workers

    func workUntilStopped() {
        Self.withScratch { scratch in
            while case let connections = nextToServe(), !connections.isEmpty {
                pool.occupy(connections.count) {
                    serve(connections, by: responder.handler, scratch)
                }
            }
        }
    }

    /// The maximum size of one read; nearly every request is smaller.
    private static let scratchBytes = 16 * 1024

    private static func withScratch(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        let scratch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: scratchBytes, alignment: 16)
        defer { scratch.deallocate() }
        body(scratch)
    }

    /// The connections to serve next; none at the end. Several only if no other thread would serve
    /// them sooner.
    private func nextToServe() -> [ClientConnection] {
        if let connection = pool.takeParked() { return [connection] }
        let first = poller.next(waiting: true, atMost: 1)
        // Checked only now, because workers that were busy before the wait may be free.
        guard !first.isEmpty, responder.gatherLimit > 1, pool.isShort else { return first }
        return first + poller.next(waiting: false, atMost: responder.gatherLimit - 1)
    }

    typealias Waiting = (
        connection: ClientConnection, pending: ClientConnection.PendingRequest
    )

    private func serve<Answering: Handler>(
        _ connections: [ClientConnection], by handler: Answering,
        _ scratch: UnsafeMutableRawBufferPointer
    ) {
        var reads: [(waiting: Waiting, read: Answering.Read)] = []
        var works: [Waiting] = []
        for connection in connections {
            switch connection.nextRequest(scratch) {
            case .none(let interest): settle(connection, interest)
            case .partTaken(let pending, let next): park((connection, pending), next)
            case .request(var pending):
                if pending.work != nil {
                    works.append((connection, pending))
                } else if isImmediate(pending) {
                    answerNow((connection, pending), scratch)
                } else {
                    switch handler.prepare(pending.finished.request) {
                    case .response(let response):
                        reply(response, to: (connection, pending), scratch)
                    case .read(let read): reads.append(((connection, pending), read))
                    case .work(let work):
                        pending.work = { .response(work()) }
                        works.append((connection, pending))
                    case .patient(let work):
                        pending.work = work
                        works.append((connection, pending))
                    }
                }
            }
        }
        if reads.count == 1, works.isEmpty {
            return reply(handler.answer(reads[0].read), to: reads[0].waiting, scratch)
        }
        if reads.count == 1 {
            let (waiting, read) = reads.removeFirst()
            works.append(Self.alone(waiting) { handler.answer(read) })
        }
        // Work may take long: the first free worker takes the next one, and none waits for the
        // reads.
        let mine = reads.isEmpty ? works.first : nil
        for waiting in mine == nil ? works[...] : works.dropFirst() { leave(waiting) }
        if let mine { answerNow(mine, scratch) }
        if !reads.isEmpty { answer(reads, by: handler, scratch) }
    }

    private func answer<Answering: Handler>(
        _ reads: [(waiting: Waiting, read: Answering.Read)], by handler: Answering,
        _ scratch: UnsafeMutableRawBufferPointer
    ) {
        var alone: [Waiting] = []
        for ((waiting, read), response) in zip(reads, handler.answer(reads.map(\.read))) {
            if let response {
                reply(response, to: waiting, scratch)
            } else {
                alone.append(Self.alone(waiting) { handler.answer(read) })
            }
        }
        for waiting in alone.dropFirst() { leave(waiting) }
        if let first = alone.first { answerNow(first, scratch) }
    }

    private static func alone(
        _ waiting: Waiting, _ work: @escaping @Sendable () -> Response
    ) -> Waiting {
        var waiting = waiting
        waiting.pending.work = { .response(work()) }
        return waiting
    }

    /// Leaves a request to the next free thread.
    private func leave(_ waiting: Waiting) {
        waiting.connection.keep(waiting.pending)
        settle(waiting.connection, .worker)
    }

    /// Whether the thread that read a request answers it: requests that the server refuses itself,
    /// and urgent ones.
    private func isImmediate(_ pending: ClientConnection.PendingRequest) -> Bool {
        pending.finished.fault != nil || responder.isUrgent(pending.finished.request)
    }

    /// Answers a request on this thread, however long that takes.
    private func answerNow(_ waiting: Waiting, _ scratch: UnsafeMutableRawBufferPointer) {
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
        _ response: Response, to waiting: Waiting, _ scratch: UnsafeMutableRawBufferPointer
    ) {
        let output = responder.output(waiting.pending.finished, response)
        settle(waiting.connection, waiting.connection.reply(output, scratch))
    }

    func settle(_ connection: ClientConnection, _ interest: ClientConnection.Interest) {
        switch interest {
        case .end: end(connection)
        case .worker:
            for left in pool.park(connection) { arm(left, for: .worker) }
        case let interest: arm(connection, for: interest)
        }
    }

    /// Answers requests that wait for nothing; leaves the others to the workers.
    private func serveIfUrgent(
        _ connection: ClientConnection, _ scratch: UnsafeMutableRawBufferPointer
    ) {
        switch connection.nextRequest(scratch) {
        case .none(let interest): settle(connection, interest)
        case .partTaken(let pending, let next): park((connection, pending), next)
        case .request(let pending):
            if pending.work == nil, isImmediate(pending) {
                answerNow((connection, pending), scratch)
            } else {
                leave((connection, pending))
            }
        }
    }

    func arm(_ connection: ClientConnection, for interest: ClientConnection.Interest) {
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
        Self.withScratch { scratch in
            var acceptor = Acceptor(tickSeconds: tickSeconds)
            while let events = waitForEvents(&acceptor) {
                if events.arrivals { acceptAll(&acceptor) }
                if events.requests { serveUrgent(scratch) }
                if acceptor.nextSweep.hasPassed { sweep(&acceptor) }
            }
        }
    }

    /// State of the acceptor's thread only.
    private struct Acceptor {
        let tickSeconds: Double
        var nextSweep: Deadline
        /// Whether there is no room for another connection, or the system has none.
        var isFull = false
        /// Whether all workers wait, so that the acceptor answers what is urgent.
        var isAlone = false
        var finishedCount = 0

        init(tickSeconds: Double) {
            self.tickSeconds = tickSeconds
            nextSweep = .after(seconds: tickSeconds)
        }
    }

    /// The maximum delay of noticing timeouts, and that all workers wait.
    private var tickSeconds: Double {
        let settings = responder.settings
        let shortest = min(settings.idleTimeoutSeconds, settings.requestTimeoutSeconds)
        let most = settings.urgentPaths.isEmpty ? 1.0 : 0.25
        return max(0.01, min(most, shortest / 4))
    }

    /// The next task: a connection to accept, or one that waits for a thread; nil at the end.
    private func waitForEvents(
        _ acceptor: inout Acceptor
    ) -> (arrivals: Bool, requests: Bool)? {
        let stage = stage.load(ordering: .sequentiallyConsistent)
        if stage != .serving { serverSocket.close() }
        if stage == .stopped { return nil }
        let accepts = stage == .serving && !acceptor.isFull
        var items = [
            pollfd(fd: acceptorEvent.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: accepts ? serverSocket.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: acceptor.isAlone ? poller.descriptor : -1, events: Int16(POLLIN), revents: 0),
        ]
        // An interruption counts as an event: everything is checked anyway.
        _ = poll(&items, nfds_t(items.count), acceptor.nextSweep.pollMilliseconds)
        if items[0].revents != 0 {
            acceptorEvent.reset()
            acceptor.isFull = false
        }
        return (items[1].revents != 0, items[2].revents != 0)
    }

    private func sweep(_ acceptor: inout Acceptor) {
        let now = MonotonicClock.nanoseconds()
        for connection in openConnections {
            connection.cutIfDue(now: now, graceSeconds: acceptor.tickSeconds)
            if connection.isParkedInVain(), let resumption = connection.resumption {
                resume(connection, by: resumption)
            }
        }
        if !responder.settings.urgentPaths.isEmpty {
            acceptor.isAlone = pool.isStuck(since: acceptor.finishedCount)
            acceptor.finishedCount = pool.finishedCount
        }
        acceptor.isFull = false
        acceptor.nextSweep = .after(seconds: acceptor.tickSeconds)
    }

    /// Answers requests that can't wait for a worker, and parks the others.
    private func serveUrgent(_ scratch: UnsafeMutableRawBufferPointer) {
        for _ in 0..<responder.settings.connectionLimit {
            guard let connection = poller.next(waiting: false, atMost: 1).first else { return }
            serveIfUrgent(connection, scratch)
        }
    }

    /// Accepts until no connection waits, there is no room, or the system has no resources left.
    private func acceptAll(_ acceptor: inout Acceptor) {
        if connectionCount >= responder.settings.connectionLimit {
            makeRoom()
            // Until a connection has ended, or the next tick.
            acceptor.isFull = true
        }
        while connectionCount < responder.settings.connectionLimit {
            switch serverSocket.accept() {
            case .connection(let socket, let address): admit(socket, PeerAddress(address))
            case .nobody: return
            case .exhausted(let error):
                acceptor.isFull = true
                onTrouble(error)
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
        // From here on the connection is the workers'.
        if !poller.add(connection) { end(connection) }
    }

    private func makeRoom() {
        if let busiest = registry.withLock({ $0.busiest }) { _ = displace(from: busiest) }
    }

    /// Closes the address's connection that has been silent longest; false if all are being
    /// answered.
    private func displace(from peer: PeerAddress) -> Bool {
        let silent = registry.withLock { $0.mostSilent(from: peer) }
        silent?.cut()
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
            connection.dismissIfWaiting()
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
        for connection in openConnections { connection.cut() }
    }

    /// Frees what is left after all threads have ended.
    func endAll() {
        for connection in openConnections { end(connection) }
    }
}
