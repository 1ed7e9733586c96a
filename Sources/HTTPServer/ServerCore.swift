import Glibc
import Synchronization

/// What a server's threads share: one accepts and keeps time, the others work.
final class ServerCore: Sendable {
    private enum Stage: Int, AtomicRepresentable { case serving, draining, stopped }

    private let responder: Responder
    private let onTrouble: @Sendable (ServerError) -> Void
    private let listener: Listener
    private let poller: Poller
    private let registry = Mutex(Registry())
    private let stage = Atomic(Stage.serving)
    /// Rung when the acceptor has something new to look at.
    private let acceptorBell: Bell
    /// Rung when the last connection has ended during draining.
    private let emptyBell: Bell

    init(
        _ responder: Responder, onTrouble: @escaping @Sendable (ServerError) -> Void
    ) throws(ServerError) {
        self.responder = responder
        self.onTrouble = onTrouble
        poller = try Poller()
        acceptorBell = try Bell()
        emptyBell = try Bell()
        listener = try Listener(host: responder.settings.host, port: responder.settings.port)
    }

    var port: UInt16 { listener.port }

    var connectionCount: Int { registry.withLock { $0.count } }

    // MARK: Workers

    func workUntilStopped() {
        while let connection = poller.next() {
            if connection.run(), poller.arm(connection) { continue }
            end(connection)
        }
    }

    private func end(_ connection: Connection) {
        connection.end()
        let rest = registry.withLock { registry in
            registry.remove(connection)
            return registry.count
        }
        if rest == responder.settings.connectionLimit - 1 { acceptorBell.ring() }
        if rest == 0, stage.load(ordering: .sequentiallyConsistent) != .serving { emptyBell.ring() }
    }

    // MARK: The acceptor

    func acceptUntilStopped() {
        let tick = tickMilliseconds
        var nextSweep = Clock.milliseconds + tick
        var isExhausted = false
        var isListening = true
        while true {
            let stage = stage.load(ordering: .sequentiallyConsistent)
            if stage != .serving, isListening {
                listener.close()
                isListening = false
            }
            if stage == .stopped { return }
            let mayAccept =
                isListening && !isExhausted
                && connectionCount < responder.settings.connectionLimit
            let isAwaited = waitForEvents(listening: mayAccept, until: nextSweep)
            if isAwaited, case .exhausted(let error) = acceptAll() {
                isExhausted = true
                onTrouble(error)
            }
            if case let now = Clock.milliseconds, now >= nextSweep {
                for connection in openConnections {
                    connection.cutIfDue(now: now, graceMilliseconds: tick)
                }
                nextSweep = now + tick
                isExhausted = false
            }
        }
    }

    /// Timeouts are noticed this late at most.
    private var tickMilliseconds: Int64 {
        let settings = responder.settings
        let shortest = min(settings.idleTimeoutSeconds, settings.requestTimeoutSeconds)
        return max(10, min(1000, Int64(shortest * 250)))
    }

    /// Whether somebody waits to be accepted.
    private func waitForEvents(listening: Bool, until deadline: Int64) -> Bool {
        var items = [
            pollfd(fd: acceptorBell.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listening ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0),
        ]
        let rest = max(0, deadline - Clock.milliseconds)
        // An interruption is as good as an event: the caller looks at everything anyway.
        _ = poll(&items, nfds_t(items.count), Int32(clamping: rest))
        if items[0].revents != 0 { acceptorBell.reset() }
        return items[1].revents != 0
    }

    /// Accepts until nobody waits, the limit is reached, or the system has nothing left.
    private func acceptAll() -> Listener.Arrival {
        while connectionCount < responder.settings.connectionLimit {
            let arrival = listener.accept()
            guard case .connection(let socket, let address, let length) = arrival else {
                return arrival
            }
            admit(socket, address, length)
        }
        return .nobody
    }

    private func admit(_ socket: Int32, _ address: sockaddr_storage, _ length: socklen_t) {
        let peer = PeerAddress(address)
        if let limit = responder.settings.connectionsPerAddress,
            registry.withLock({ $0.count(from: peer) }) >= limit
        {
            close(socket)
            return
        }
        let connection = Connection(
            socket: socket, address: address, length: length, responder: responder)
        guard let connection else {
            onTrouble(.system("Serving a connection", ENOMEM))
            return
        }
        registry.withLock { $0.insert(connection) }
        // From here on the connection is the workers'.
        if !poller.add(connection) { end(connection) }
    }

    private var openConnections: [Connection] { registry.withLock { Array($0.connections) } }

    // MARK: The end

    func drain(deadlineSeconds: Double) -> Bool {
        responder.beginDraining()
        _ = stage.compareExchange(
            expected: .serving, desired: .draining, ordering: .sequentiallyConsistent)
        acceptorBell.ring()
        for connection in openConnections { connection.dismissIfWaiting() }
        if connectionCount == 0 { emptyBell.ring() }
        return emptyBell.isRung(withinSeconds: deadlineSeconds)
    }

    func stop() {
        responder.beginDraining()
        stage.store(.stopped, ordering: .sequentiallyConsistent)
        acceptorBell.ring()
        poller.close()
        for connection in openConnections { connection.cut() }
    }

    /// Frees what is left when no thread runs any more.
    func endAll() {
        for connection in openConnections { end(connection) }
    }
}
