import CLinux
import Glibc

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

    init(socket: Int32, now: Int) {
        self.socket = socket
        since = now
    }

    mutating func enter(_ stage: Stage, now: Int) {
        self.stage = stage
        since = now
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
        case .handling, .parked: return false
        case .waiting: limitSeconds = limits.idleTimeoutSeconds
        case .reading, .writing: limitSeconds = limits.requestTimeoutSeconds
        case .streaming: limitSeconds = limits.streamTimeoutSeconds
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
