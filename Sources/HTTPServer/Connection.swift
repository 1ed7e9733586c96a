import CMicroHTTPD
import Glibc
import Synchronization

/// One client's connection: a libmicrohttpd daemon of its own, without threads, that runs on the
/// thread of whoever calls `run`.
///
/// libmicrohttpd ties a connection to one of its threads for life, so a connection waits while
/// another's request keeps that thread busy. With a daemon for each, any free thread can serve any
/// connection that has something to say.
final class Connection: @unchecked Sendable, Hashable {
    // Sendable: `daemon`, `exchange` and `isOpen` are touched only by the thread that owns the
    // connection: the acceptor until it watches it, then the worker that was handed its event,
    // until it arms it again. The poller hands out an event once, and `handovers` makes what one
    // owner wrote visible to the next. All else is constant or a Mutex.
    let peer: PeerAddress
    private let responder: Responder
    private let watch: Mutex<Watch>
    private var daemon: OpaquePointer?
    private var exchange: Exchange?
    private var isOpen = true
    private let handovers = Atomic(0)

    /// Takes over an accepted socket; nil, with the socket closed, if the system has no room.
    init?(
        socket: Int32, address: sockaddr_storage, length: socklen_t, responder: Responder
    ) {
        self.peer = PeerAddress(address)
        self.responder = responder
        watch = Mutex(Watch(socket: socket, now: Clock.milliseconds))
        let started = hearth_start_single(
            responder.settings.headerLimitBytes + Self.workingBytes,
            Unmanaged.passUnretained(self).toOpaque(), Self.onAccess, Self.onBegin,
            Self.onCompleted, Self.onConnection, Self.keepEscapes)
        guard let started else {
            close(socket)
            return nil
        }
        daemon = started
        var address = address
        let added = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                MHD_add_connection(started, socket, $0, length)
            }
        }
        guard added == .YES else {
            // The socket has been closed already.
            end()
            return nil
        }
    }

    deinit {
        precondition(daemon == nil, "a connection is ended by its owner")
    }

    /// What becomes readable when there is something to do.
    var descriptor: Int32 { daemon.map(hearth_epoll_descriptor) ?? -1 }

    /// The last thing an owner does before the poller may hand the connection to another.
    func release() { handovers.add(1, ordering: .releasing) }

    /// The first thing a new owner does.
    func acquire() { _ = handovers.load(ordering: .acquiring) }

    /// Does what there is to do, the handler's work included; false once the connection is closed.
    func run() -> Bool {
        guard let daemon else { return false }
        repeat {
            guard MHD_run(daemon) == .YES else { return false }
        } while isOpen && hearth_has_pending(daemon) != 0
        return isOpen
    }

    /// Gives everything back. For the owner only, as its last act.
    func end() {
        guard let daemon else { return }
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }

    /// Cuts the connection off if what it does takes too long, or if nothing will come of it: its
    /// peer has hung up, or the server drains. For any thread, now and then.
    func cutIfDue(now: Int64, graceMilliseconds grace: Int64) {
        let isDraining = responder.isDraining
        watch.withLock { watch in
            let isOver = watch.stage == .waiting && isDraining
            if watch.isOverdue(now: now, responder.settings)
                || watch.isAbandoned(now: now, afterMilliseconds: grace)
                || isOver && now - watch.sinceMilliseconds >= grace
            {
                watch.shutDown(readingOnly: false)
            }
        }
    }

    /// Lets a connection without a request hear no more; what has arrived is still answered. For
    /// any thread.
    func dismissIfWaiting() {
        watch.withLock { if $0.stage == .waiting { $0.shutDown(readingOnly: true) } }
    }

    /// Cuts the connection off; for any thread.
    func cut() {
        watch.withLock { $0.shutDown(readingOnly: false) }
    }

    static func == (left: Connection, right: Connection) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    private func enter(_ stage: Watch.Stage) {
        watch.withLock { $0.enter(stage, now: Clock.milliseconds) }
    }
}

// What libmicrohttpd calls, always from within `init`, `run` or `end`.
extension Connection {
    /// Beside the header section, a connection's memory holds the parsed fields and the response's
    /// head.
    private static let workingBytes = 16 * 1024

    private static func from(_ context: UnsafeMutableRawPointer?) -> Connection? {
        context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBegin:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { context, target, _ in
            guard let connection = from(context), let target else { return nil }
            connection.exchange = Exchange(
                target: String(cString: target), limits: connection.responder.settings)
            connection.enter(.reading)
            return nil
        }

    private static let onAccess: MHD_AccessHandlerCallback = {
        context, client, _, method, version, bytes, count, _ in
        guard let connection = from(context), let client, let method, let version, let count else {
            return .NO
        }
        let piece = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
        count.pointee = 0
        return connection.advance(client, method, version, piece) ? .YES : .NO
    }

    private static let onCompleted: MHD_RequestCompletedCallback = { context, _, _, _ in
        guard let connection = from(context) else { return }
        connection.exchange = nil
        connection.enter(.waiting)
    }

    private static let onConnection: MHD_NotifyConnectionCallback = { context, _, _, event in
        guard event == .CONNECTION_NOTIFY_CLOSED, let connection = from(context) else { return }
        connection.isOpen = false
        connection.watch.withLock { $0.forgetSocket() }
    }

    /// Targets are decoded here, and only once it is known what they are made of.
    private static let keepEscapes:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in
            text.map { strlen($0) } ?? 0
        }

    /// Called with the head, then with each piece of the body, then once with nothing.
    private func advance(
        _ client: OpaquePointer, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>,
        _ piece: UnsafeRawBufferPointer
    ) -> Bool {
        guard exchange != nil else { return false }
        if exchange?.isHeadComplete == false {
            exchange?.receiveHead(
                String(cString: method), Headers(of: client), version: String(cString: version))
            return exchange?.isBeyondRepair == true ? answer(client) : true
        }
        return piece.isEmpty ? answer(client) : exchange?.receive(piece) ?? false
    }

    private func answer(_ client: OpaquePointer) -> Bool {
        guard let exchange else { return false }
        enter(.handling)
        let sent = responder.respond(to: exchange, from: peer, on: client)
        enter(.writing)
        return sent
    }
}
