import CLinux
import Glibc
import Synchronization
import Basics

/// A client's connection. It belongs to no thread: any free thread serves it when it has an event,
/// for one request at most, and no thread ever waits for it.
final class ClientConnection: @unchecked Sendable, Hashable {
    // Sendable: only the thread that owns the connection uses `reader`, `waiting`, `output`,
    // `keepsAlive` and `discardedBytes`: the acceptor until the connection is watched, then the
    // thread that received its event, until it arms the connection again. The poller delivers an
    // event once, a parked connection is resumed once, and `handovers` makes one owner's writes
    // visible to the next. Everything else is constant or a Mutex.
    let peer: PeerAddress
    /// The watched socket, closed by `end`.
    let socket: Int32
    private let responder: Responder
    private let activity: Mutex<ConnectionActivity>
    private var reader: RequestReader
    /// A complete request that has not been answered yet.
    private var waiting: PendingRequest?
    private var output = SendBuffer.none
    private var keepsAlive = true
    /// The stream's request and the next part while a part is being sent; a nil part ends the
    /// stream.
    private var afterPart: (PendingRequest, ParkedRequest?)?
    private var discardedBytes = 0
    private let handovers = Atomic(0)
    /// Called if the client of a stream is cut off because it stopped reading.
    private let onStalled = Mutex<(@Sendable () -> Void)?>(nil)
    /// Resumes the request that was parked last.
    private let parking = Mutex<Resumption?>(nil)

    /// Takes ownership of an accepted socket.
    init(socket: Int32, peer: PeerAddress, responder: Responder) {
        self.peer = peer
        self.socket = socket
        self.responder = responder
        reader = RequestReader(responder.settings)
        activity = Mutex(ConnectionActivity(socket: socket, now: MonotonicClock.nanoseconds()))
    }

    /// Called last by an owner before another thread may own the connection.
    func release() { handovers.add(1, ordering: .releasing) }

    /// Called first by a new owner.
    func acquire() { _ = handovers.load(ordering: .acquiring) }

    /// The event that a connection waits for when its owner is done with it.
    enum AwaitedEvent: Equatable {
        /// Bytes to read arrive.
        case reading
        /// The socket has room for bytes to write.
        case writing
        /// Other connections are served first; the next request has already arrived.
        case turn
        /// A thread that may block is free; a complete request that is not urgent has arrived.
        case worker
        /// The connection is closed.
        case end
    }

    /// A complete request.
    struct PendingRequest {
        let finished: RequestReader.Finished
        /// The work that answers the request; nil if the request has not been prepared yet.
        var work: (@Sendable () -> WorkOutcome)?
    }

    /// The result of reading for the connection's owner.
    enum Received {
        /// A complete request, to be answered with `reply` or stored with `store`.
        case request(PendingRequest)
        /// The client has received a part of a stream, so the request is parked until the next one.
        case partSent(PendingRequest, ParkedRequest)
        /// The event leaves no request to answer.
        case none(AwaitedEvent)
    }

    /// Reads and writes without waiting for the client, up to the next complete request.
    func nextRequest(_ scratch: Scratch) -> Received {
        if afterPart != nil { return continuePart(scratch) }
        if !output.isEmpty || !keepsAlive { return .none(write(scratch)) }
        if let waiting {
            self.waiting = nil
            // The parked request was cut off, so no client waits for its response.
            let now = MonotonicClock.nanoseconds()
            guard activity.withLock({ $0.beginHandling(now: now) }) else { return .none(.end) }
            return .request(waiting)
        }
        var mayHaveMore = true
        while true {
            switch reader.advance() {
            case .complete:
                let now = MonotonicClock.nanoseconds()
                guard activity.withLock({ $0.beginHandling(now: now) }) else { return .none(.end) }
                let finished = reader.finish(from: peer, at: now)
                reader.returnBuffer(&scratch.spare)
                return .request(PendingRequest(finished: finished))
            case .continueAwaited:
                output = SendBuffer(head: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), body: [])
                let interest = write(scratch)
                guard interest == .reading else { return .none(interest) }
            case .unfinished:
                guard mayHaveMore else { return .none(.reading) }
                let wasIdle = reader.isIdle
                switch receive(scratch) {
                case .some(let bytes) where !bytes.isEmpty:
                    // A short read means that the socket is empty.
                    mayHaveMore = bytes.count == scratch.bytes.count
                    if wasIdle {
                        enter(.reading)
                        reader.borrow(&scratch.spare)
                    }
                    reader.append(bytes)
                case .some: return .none(.end)
                case .none: return .none(.reading)
                }
            }
        }
    }

    /// Stores a request until it is resumed. Called last by an owner: the connection is not watched
    /// meanwhile, so only the thread that resumes the request becomes the next owner.
    func park(_ pending: PendingRequest, _ resumption: Resumption) {
        waiting = pending
        enter(.parked)
        parking.withLock { $0 = resumption }
        release()
    }

    /// Stores a request for the next owner.
    func store(_ pending: PendingRequest) { waiting = pending }

    /// Closes the socket. Called last by the owner.
    func end() {
        waiting = nil
        afterPart = nil
        parking.withLock { $0 }?.end()
        // The socket's number may soon be another connection's, so other threads must not shut it
        // down.
        activity.withLock { $0.forgetSocket() }
        close(socket)
    }

    static func == (left: ClientConnection, right: ClientConnection) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    private func enter(_ stage: ConnectionActivity.Stage) {
        activity.withLock { $0.enter(stage, now: MonotonicClock.nanoseconds()) }
    }

    // MARK: Answering

    /// Limits the system's send buffer for the client of a stream, and makes the socket writable
    /// only when the buffer is empty.
    ///
    /// - Parameter onStalled: Called if the client is cut off because it stopped reading.
    func beginStream(_ onStalled: @escaping @Sendable () -> Void) {
        self.onStalled.withLock { $0 = onStalled }
        SendQueue.limit(of: socket, to: responder.settings.streamBacklogBytes)
    }

    /// Sends a part of a stream, as far as the client accepts it. The stream ends with the
    /// connection.
    func send(
        _ bytes: [UInt8], of pending: PendingRequest, before next: ParkedRequest?,
        _ scratch: Scratch
    ) -> Received {
        output = SendBuffer(head: bytes, body: [])
        afterPart = (pending, next)
        enter(.streaming)
        return continuePart(scratch)
    }

    private func continuePart(_ scratch: Scratch) -> Received {
        while !output.isEmpty {
            let count = output.send(over: socket)
            if count >= 0 {
                activity.withLock { $0.recordSent(count) }
                continue
            }
            if errno == EAGAIN { return .none(.writing) }
            if errno != EINTR { return .none(.end) }
        }
        if SendQueue.isClosed(socket) { return .none(.end) }
        // Changes that occur until the system has sent this are part of the next part.
        if SendQueue.unsentBytes(of: socket) > 0 { return .none(.writing) }
        if SendQueue.unacknowledgedBytes(of: socket) > responder.settings.streamBacklogBytes {
            notifyStalled()
            return .none(.end)
        }
        guard let (pending, next) = afterPart else { return .none(.end) }
        afterPart = nil
        if let next { return .partSent(pending, next) }
        keepsAlive = false
        return .none(write(scratch))
    }

    /// Sends the response to the request that has arrived, as far as the client accepts it.
    func reply(
        _ response: SendBuffer, _ scratch: Scratch
    ) -> AwaitedEvent {
        output = response
        keepsAlive = !response.isLast
        enter(.writing)
        return write(scratch)
    }

    /// Sends pending output, then continues with the connection.
    private func write(_ scratch: Scratch) -> AwaitedEvent {
        while !output.isEmpty {
            if output.send(over: socket) >= 0 { continue }
            if errno == EAGAIN { return .writing }
            if errno != EINTR { return .end }
        }
        guard keepsAlive else { return lingeringClose(scratch) }
        if reader.hasHead { return .reading }
        guard reader.isIdle else {
            enter(.reading)
            return .turn
        }
        enter(.waiting)
        return .reading
    }

    /// Unread bytes from the client would cause a reset, which can discard the response before the
    /// client has read it (RFC 9112 section 9.6). So the close lingers: incoming bytes are read
    /// until the client finishes, for at most two seconds and eight megabytes, whatever made this
    /// response the last. Browsers send the whole form before they read, so a megabyte was too
    /// little.
    private func lingeringClose(_ scratch: Scratch) -> AwaitedEvent {
        if discardedBytes == 0 {
            discardedBytes = 1
            enter(.lingering)
            guard shutdown(socket, Int32(SHUT_WR)) == 0 else { return .end }
        }
        while discardedBytes <= Self.lingerLimitBytes {
            guard let bytes = receive(scratch) else { return .reading }
            if bytes.isEmpty { return .end }
            discardedBytes += bytes.count
        }
        return .end
    }

    private static let lingerLimitBytes = 8 << 20

    /// Returns received bytes, as many as fit; empty at the end of the stream or after a failure,
    /// nil if none have arrived.
    private func receive(_ scratch: Scratch) -> UnsafeRawBufferPointer? {
        while true {
            let memory = scratch.bytes
            let count = recv(socket, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return UnsafeRawBufferPointer(rebasing: memory[..<count]) }
            if errno == EAGAIN { return nil }
            if errno != EINTR { return UnsafeRawBufferPointer(rebasing: memory[..<0]) }
        }
    }
}

// Operations called by other threads.
extension ClientConnection {
    /// Closes the connection if it exceeds a timeout, or if it is idle while the server drains. Any
    /// thread may call it; `now` is in nanoseconds of ``MonotonicClock``.
    ///
    /// If a request has arrived and is waiting for a free thread, the delay is not the client's:
    /// the request will be answered, so the connection stays open.
    func closeIfOverdue(now: Int, graceSeconds: Double) {
        let isDraining = responder.isDraining
        let isStalled = activity.withLock { activity in
            let isFinished = activity.stage == .waiting && isDraining
            let isStalled = activity.isStalled(now: now, responder.settings)
            let isDue =
                isStalled || activity.isOverdue(now: now, responder.settings)
                || isFinished && Double(now - activity.since) >= graceSeconds * 1e9
            if isDue, !activity.hasUnansweredRequest { activity.shutDown(readingOnly: false) }
            return isStalled
        }
        if isStalled { notifyStalled() }
    }

    private func notifyStalled() {
        let callback = onStalled.withLock { onStalled in
            defer { onStalled = nil }
            return onStalled
        }
        callback?()
    }

    /// Stops reading if no request is in progress. A request whose bytes have already arrived still
    /// gets its response.
    func stopReadingIfIdle() {
        activity.withLock { if $0.stage == .waiting { $0.shutDown(readingOnly: true) } }
    }

    /// Time since which there has been nothing to handle; nil while a request is handled or waits
    /// to be read, or once the connection is closed.
    var idleSince: Int? { activity.withLock { $0.idleSince } }

    /// Whether the connection's parked request must be resumed because the client is gone.
    func needsResume() -> Bool {
        activity.withLock { activity in
            guard activity.isParkedClientGone else { return false }
            activity.shutDown(readingOnly: false)
            return true
        }
    }

    /// The object that resumes the connection's parked request; nil if none is parked.
    var resumption: Resumption? {
        activity.withLock { $0.stage == .parked } ? parking.withLock { $0 } : nil
    }

    /// Shuts the connection down.
    func shutDown() {
        activity.withLock { $0.shutDown(readingOnly: false) }
    }
}

/// A client's progress in acknowledging the bytes of a stream.
struct StreamProgress: Sendable, Equatable {
    private var sent = 0
    private var acknowledged = 0
    /// Time at which the client last acknowledged bytes, or at which there were bytes to
    /// acknowledge again, in nanoseconds of ``MonotonicClock``.
    private(set) var since = 0

    /// Whether bytes are known to be unacknowledged.
    var isPending: Bool { sent > acknowledged }

    /// Records that a part is about to be sent.
    mutating func begin(now: Int) {
        if !isPending { since = now }
    }

    /// Records that bytes were handed to the system.
    mutating func recordSent(_ count: Int) { sent += count }

    /// Records how many bytes that were handed to the system are not yet acknowledged by the
    /// client.
    mutating func record(unacknowledged: Int, now: Int) {
        guard sent - unacknowledged > acknowledged else { return }
        acknowledged = sent - unacknowledged
        since = now
    }
}

/// The bytes of a TCP socket that the system still holds.
enum SendQueue {
    /// Limits the send buffer, and makes the socket writable only when everything has been sent.
    /// Both may fail if the connection is gone.
    static func limit(of socket: Int32, to bytes: Int) {
        var (size, lowWaterMark) = (Int32(bytes), Int32(1))
        let length = socklen_t(MemoryLayout<Int32>.size)
        _ = setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, length)
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &lowWaterMark, length)
    }

    /// Whether nothing more can be sent, because the connection was shut down or lost.
    static func isClosed(_ socket: Int32) -> Bool {
        var events = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&events, 1, 0) != 0
    }

    /// Number of bytes that the client has not acknowledged, sent or not.
    static func unacknowledgedBytes(of socket: Int32) -> Int { count(UInt(TIOCOUTQ), socket) }

    /// Number of bytes not sent yet, because the client has no room for them.
    static func unsentBytes(of socket: Int32) -> Int { count(outQueueNotSent, socket) }

    /// The value of SIOCOUTQNSD (linux/sockios.h).
    private static let outQueueNotSent: UInt = 0x894B

    private static func count(_ request: UInt, _ socket: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(socket, request, &count) == 0 ? Int(count) : 0
    }
}

/// The stage of a connection and its beginning, for timeouts.
struct ConnectionActivity: Sendable, Equatable {
    /// The stages of a connection; a request passes through the first three and `writing`.
    enum Stage: Sendable, Equatable {
        /// The connection is idle: no byte of a request has arrived.
        case waiting
        /// A request is arriving.
        case reading
        /// The handler is working, or about to; it has no time limit.
        case handling
        /// The request is parked until there is something to answer; the handler decides how long.
        case parked
        /// The client is reading the response.
        case writing
        /// The client is reading a part of a stream.
        case streaming
        /// The last response has been sent; further bytes from the client are read and dropped.
        case lingering
    }

    private static let lingerSeconds = 2.0

    private(set) var stage = Stage.waiting
    /// Time at which the stage began, in nanoseconds of ``MonotonicClock``.
    private(set) var since: Int
    /// The socket, or nil once it is about to be closed, because its number may then be reused.
    private(set) var socket: Int32?
    private var isShutDown = false
    private var progress = StreamProgress()

    init(socket: Int32, now: Int) {
        self.socket = socket
        since = now
    }

    mutating func enter(_ stage: Stage, now: Int) {
        self.stage = stage
        since = now
        if stage == .streaming { progress.begin(now: now) }
    }

    /// Records that bytes of a stream were handed to the system.
    mutating func recordSent(_ count: Int) { progress.recordSent(count) }

    /// Whether the client of a stream has read nothing for too long, while a part is being sent or
    /// the stream waits for the next one.
    mutating func isStalled(now: Int, _ limits: ServerSettings) -> Bool {
        guard let socket, stage == .streaming || stage == .parked && progress.isPending else {
            return false
        }
        progress.record(unacknowledged: SendQueue.unacknowledgedBytes(of: socket), now: now)
        return (stage == .streaming || progress.isPending)
            && Double(now - progress.since) > limits.streamTimeoutSeconds * 1e9
    }

    /// Begins to handle a request; returns false if the connection has been cut off.
    ///
    /// Bytes received before that can still be read, but the client gets no response. It may have
    /// sent the request again elsewhere, so the request must not take effect here.
    mutating func beginHandling(now: Int) -> Bool {
        if isShutDown { return false }
        enter(.handling, now: now)
        return true
    }

    mutating func forgetSocket() {
        socket = nil
    }

    /// Whether the stage has exceeded its time limit.
    func isOverdue(now: Int, _ limits: ServerSettings) -> Bool {
        let limitSeconds: Double
        switch stage {
        case .handling, .parked, .streaming: return false
        case .waiting: limitSeconds = limits.idleTimeoutSeconds
        case .reading, .writing: limitSeconds = limits.requestTimeoutSeconds
        case .lingering: limitSeconds = Self.lingerSeconds
        }
        return Double(now - since) > limitSeconds * 1e9
    }

    /// Time since which there has been nothing to handle; nil while a request is handled or waits
    /// to be read, or once the connection is shut down.
    var idleSince: Int? {
        stage == .handling || isShutDown || hasUnansweredRequest ? nil : since
    }

    /// Whether the client of a parked request has closed or lost the connection.
    var isParkedClientGone: Bool {
        guard stage == .parked, let socket else { return false }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }

    /// Whether a request has begun to arrive that no thread has read yet.
    var hasUnansweredRequest: Bool {
        guard stage == .waiting, let socket else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Shuts the socket down, in both directions or for reading only. The thread that serves the
    /// connection notices.
    mutating func shutDown(readingOnly: Bool) {
        guard let socket else { return }
        if !readingOnly { isShutDown = true }
        // Fails only if the peer has already closed.
        _ = shutdown(socket, Int32(readingOnly ? SHUT_RD : SHUT_RDWR))
    }
}
