import CLinux
import Glibc
import Synchronization
import Threads

/// A client's connection. It belongs to no thread: any free thread runs it when it has an event,
/// for one request at most, and no thread ever waits for it.
final class ClientConnection: @unchecked Sendable, Hashable {
    // Sendable: `reader`, `waiting`, `output`, `goesOn` and `discardedBytes` are touched only by
    // the thread that owns the connection: the acceptor until the connection is watched, then the
    // thread that received its event, until that thread arms it again. The poller delivers an event
    // once, a parked connection is taken once, and `handovers` makes what one owner wrote visible
    // to the next. All else is constant or a Mutex.
    let peer: PeerAddress
    /// The watched socket; closed by `end`.
    let socket: Int32
    private let responder: Responder
    private let activity: Mutex<ConnectionActivity>
    private var reader: RequestReader
    /// A whole request that has not been answered yet.
    private var waiting: PendingRequest?
    private var output = SendBuffer.none
    private var goesOn = true
    /// While a part of a stream is sent: its request, and what comes next; nil ends the stream.
    private var afterPart: (PendingRequest, ParkedRequest?)?
    private var discardedBytes = 0
    private let handovers = Atomic(0)
    /// Called if the client of a stream is cut off because it takes nothing.
    private let onStalled = Mutex<(@Sendable () -> Void)?>(nil)
    /// What resumes the request that was parked last.
    private let parking = Mutex<Resumption?>(nil)

    /// Takes over an accepted socket.
    init(socket: Int32, peer: PeerAddress, responder: Responder) {
        self.peer = peer
        self.socket = socket
        self.responder = responder
        reader = RequestReader(responder.settings)
        activity = Mutex(ConnectionActivity(socket: socket, now: MonotonicClock.nanoseconds()))
    }

    /// The last step of an owner before another thread may own the connection.
    func release() { handovers.add(1, ordering: .releasing) }

    /// The first step of a new owner.
    func acquire() { _ = handovers.load(ordering: .acquiring) }

    /// What a connection waits for after its owner is done with it.
    enum Interest: Equatable {
        /// Bytes to read.
        case reading
        /// Room for bytes to write.
        case writing
        /// Its next turn: the next request is here already, and others come first.
        case turn
        /// A thread that may wait: a whole request is here, and it is not urgent.
        case worker
        /// Its end.
        case end
    }

    /// A whole request that was read.
    struct PendingRequest {
        let finished: RequestReader.Finished
        /// What answers it; nil where it has not been prepared yet.
        var work: (@Sendable () -> WorkOutcome)?
    }

    /// An event of a connection for its owner.
    enum Received {
        /// A whole request, to be answered with `reply` or kept with `keep`.
        case request(PendingRequest)
        /// The client has taken a part of a stream: the request is parked until the next one.
        case partTaken(PendingRequest, ParkedRequest)
        /// Nothing to answer.
        case none(Interest)
    }

    /// Does what can be done without waiting for the client, up to the next whole request.
    func nextRequest(_ scratch: Scratch) -> Received {
        if afterPart != nil { return continuePart(scratch) }
        if !output.isEmpty || !goesOn { return .none(write(scratch)) }
        if let waiting {
            self.waiting = nil
            // Nobody waits for the answer to a parked request that was cut off.
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
                reader.giveBack(&scratch.spare)
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
                    // A short read has emptied the socket.
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

    /// Keeps a request until it is resumed. The last act of an owner: the connection is not watched
    /// meanwhile, so nobody but the one who resumes it becomes the next owner.
    func park(_ pending: PendingRequest, _ resumption: Resumption) {
        waiting = pending
        enter(.parked)
        parking.withLock { $0 = resumption }
        release()
    }

    /// Keeps a request that was read for another owner.
    func keep(_ pending: PendingRequest) { waiting = pending }

    /// Closes the socket. For the owner only, as its last act.
    func end() {
        waiting = nil
        afterPart = nil
        parking.withLock { $0 }?.end()
        // No thread may shut down a socket whose number may be another connection's by now.
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

    /// Keeps what the system holds for the client of a stream small, and has it tell when nothing
    /// is left to be sent.
    ///
    /// - Parameter onStalled: Called if the client is cut off because it takes nothing.
    func beginStream(_ onStalled: @escaping @Sendable () -> Void) {
        self.onStalled.withLock { $0 = onStalled }
        SendQueue.limit(of: socket, to: responder.settings.streamBacklogBytes)
    }

    /// Sends a part of a stream, as far as the client takes it. The stream ends with the
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
                activity.withLock { $0.gave(count) }
                continue
            }
            if errno == EAGAIN { return .none(.writing) }
            if errno != EINTR { return .none(.end) }
        }
        if SendQueue.isGone(socket) { return .none(.end) }
        // Changes until the system has sent this come in the next part.
        if SendQueue.unsentBytes(of: socket) > 0 { return .none(.writing) }
        if SendQueue.unacknowledgedBytes(of: socket) > responder.settings.streamBacklogBytes {
            tellOfStall()
            return .none(.end)
        }
        guard let (pending, next) = afterPart else { return .none(.end) }
        afterPart = nil
        if let next { return .partTaken(pending, next) }
        goesOn = false
        return .none(write(scratch))
    }

    /// Sends what answers the request that has arrived, as far as the client takes it.
    func reply(
        _ answer: SendBuffer, _ scratch: Scratch
    ) -> Interest {
        output = answer
        goesOn = !answer.isLast
        enter(.writing)
        return write(scratch)
    }

    /// Sends pending output and continues.
    private func write(_ scratch: Scratch) -> Interest {
        while !output.isEmpty {
            if output.send(over: socket) >= 0 { continue }
            if errno == EAGAIN { return .writing }
            if errno != EINTR { return .end }
        }
        guard goesOn else { return lingeringClose(scratch) }
        if reader.hasHead { return .reading }
        guard reader.isIdle else {
            enter(.reading)
            return .turn
        }
        enter(.waiting)
        return .reading
    }

    /// What a client sends that is not read becomes a reset, which can take the response from it
    /// before it has read that (RFC 9112 section 9.6). So the close lingers: what the client sends
    /// is read until it finishes, for two seconds and a megabyte at most, whatever made this
    /// response the last.
    private func lingeringClose(_ scratch: Scratch) -> Interest {
        if discardedBytes == 0 {
            discardedBytes = 1
            enter(.lingering)
            guard shutdown(socket, Int32(SHUT_WR)) == 0 else { return .end }
        }
        while discardedBytes <= Self.patienceBytes {
            guard let bytes = receive(scratch) else { return .reading }
            if bytes.isEmpty { return .end }
            discardedBytes += bytes.count
        }
        return .end
    }

    private static let patienceBytes = 1 << 20

    /// The received bytes, as far as they fit; empty at the end of the stream or after a failure,
    /// nil if there are none.
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

// Operations for other threads.
extension ClientConnection {
    /// Closes the connection if it exceeds a timeout, or if it is idle while the server drains. Any
    /// thread may call it regularly; `now` in nanoseconds of ``MonotonicClock``.
    ///
    /// A request that has arrived and waits for a free thread is not the client's delay: it will be
    /// answered, so the connection stays.
    func cutIfDue(now: Int, graceSeconds: Double) {
        let isDraining = responder.isDraining
        let isStalled = activity.withLock { activity in
            let isOver = activity.stage == .waiting && isDraining
            let isStalled = activity.isStalled(now: now, responder.settings)
            let isDue =
                isStalled || activity.isOverdue(now: now, responder.settings)
                || isOver && Double(now - activity.since) >= graceSeconds * 1e9
            if isDue, !activity.hasUnansweredRequest { activity.shutDown(readingOnly: false) }
            return isStalled
        }
        if isStalled { tellOfStall() }
    }

    private func tellOfStall() {
        let tell = onStalled.withLock { onStalled in
            defer { onStalled = nil }
            return onStalled
        }
        tell?()
    }

    /// Lets a connection without a request read no more; what has arrived is still answered.
    func dismissIfWaiting() {
        activity.withLock { if $0.stage == .waiting { $0.shutDown(readingOnly: true) } }
    }

    /// Since when the connection has been silent; nil if it is being served or closed.
    var silentSince: Int? { activity.withLock { $0.silentSince } }

    /// Whether its parked request must be resumed, because nobody waits for the answer.
    func isParkedInVain() -> Bool {
        activity.withLock { activity in
            guard activity.hasLostParkedClient else { return false }
            activity.shutDown(readingOnly: false)
            return true
        }
    }

    /// What resumes its parked request; nil if none is parked.
    var resumption: Resumption? {
        activity.withLock { $0.stage == .parked } ? parking.withLock { $0 } : nil
    }

    /// Closes the connection.
    func cut() {
        activity.withLock { $0.shutDown(readingOnly: false) }
    }
}

/// The progress of a stream's client in taking what was sent.
struct StreamProgress: Sendable, Equatable {
    private var given = 0
    private var acknowledged = 0
    /// When the client took something last, or when there was something for it to take again, in
    /// nanoseconds of ``MonotonicClock``.
    private(set) var since = 0

    /// Whether something is on its way, as far as is known.
    var isPending: Bool { given > acknowledged }

    /// A part is to be sent.
    mutating func begin(now: Int) {
        if !isPending { since = now }
    }

    /// The system was given bytes.
    mutating func gave(_ count: Int) { given += count }

    /// Takes how many bytes of those that the system was given the client has not acknowledged.
    mutating func note(unacknowledged: Int, now: Int) {
        guard given - unacknowledged > acknowledged else { return }
        acknowledged = given - unacknowledged
        since = now
    }
}

/// The bytes sent over a TCP socket that the system still holds.
enum SendQueue {
    /// Has the system hold so many bytes at most, and tell that there is room only when it has sent
    /// all of them. Both may fail where the connection is gone.
    static func limit(of socket: Int32, to bytes: Int) {
        var (size, least) = (Int32(bytes), Int32(1))
        let length = socklen_t(MemoryLayout<Int32>.size)
        _ = setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, length)
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &least, length)
    }

    /// Whether nothing can be sent any more: the connection was shut down, or lost.
    static func isGone(_ socket: Int32) -> Bool {
        var events = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&events, 1, 0) != 0
    }

    /// Bytes that the client has not acknowledged, sent or not.
    static func unacknowledgedBytes(of socket: Int32) -> Int { count(UInt(TIOCOUTQ), socket) }

    /// Bytes that were not sent yet, because the client has no room for them.
    static func unsentBytes(of socket: Int32) -> Int { count(outQueueNotSent, socket) }

    /// SIOCOUTQNSD (linux/sockios.h).
    private static let outQueueNotSent: UInt = 0x894B

    private static func count(_ request: UInt, _ socket: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(socket, request, &count) == 0 ? Int(count) : 0
    }
}

/// What a connection is doing and since when, for timeouts.
struct ConnectionActivity: Sendable, Equatable {
    /// The stages of a connection, the first four of which it goes through once a request.
    enum Stage: Sendable, Equatable {
        /// Nothing of a request has arrived.
        case waiting
        /// A request is arriving.
        case reading
        /// The handler is at work, or about to be; its time is its own business.
        case handling
        /// The request is parked until there is something to answer; its time is the handler's
        /// business.
        case parked
        /// The response is being fetched.
        case writing
        /// A part of a stream is being fetched.
        case streaming
        /// The last response is sent; what the client still sends is read and dropped.
        case lingering
    }

    private static let lingerSeconds = 2.0

    private(set) var stage = Stage.waiting
    /// When it began, in nanoseconds of ``MonotonicClock``.
    private(set) var since: Int
    /// The socket, or nil once it is about to be closed: after that its number may be another's.
    private(set) var socket: Int32?
    private var isCut = false
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

    /// The system was given bytes of a part of a stream.
    mutating func gave(_ count: Int) { progress.gave(count) }

    /// Whether the client of a stream has taken nothing for too long, whether a part of it is being
    /// sent or the next one is waited for.
    mutating func isStalled(now: Int, _ limits: ServerSettings) -> Bool {
        guard let socket, stage == .streaming || stage == .parked && progress.isPending else {
            return false
        }
        progress.note(unacknowledged: SendQueue.unacknowledgedBytes(of: socket), now: now)
        return (stage == .streaming || progress.isPending)
            && Double(now - progress.since) > limits.streamTimeoutSeconds * 1e9
    }

    /// Begins to handle a request; false if the connection has been cut off already.
    ///
    /// What was received before that can still be read, but the client gets no response: it may
    /// have sent the request again elsewhere, so it must not take effect here.
    mutating func beginHandling(now: Int) -> Bool {
        if isCut { return false }
        enter(.handling, now: now)
        return true
    }

    mutating func forgetSocket() {
        socket = nil
    }

    /// Whether this has taken longer than it may.
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

    /// Since when the handler has had nothing to do; nil if it has, or if the connection is being
    /// closed.
    var silentSince: Int? {
        stage == .handling || isCut || hasUnansweredRequest ? nil : since
    }

    /// Whether the client of a parked request has closed its end, or lost the connection.
    var hasLostParkedClient: Bool {
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

    /// Shuts the socket down, in both directions or for reading only; the thread that runs the
    /// connection notices.
    mutating func shutDown(readingOnly: Bool) {
        guard let socket else { return }
        if !readingOnly { isCut = true }
        // Fails only if the peer was faster.
        _ = shutdown(socket, Int32(readingOnly ? SHUT_RD : SHUT_RDWR))
    }
}
