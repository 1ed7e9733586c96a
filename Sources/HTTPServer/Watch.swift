import Glibc

/// What a connection is doing and since when: what timeouts are decided by.
struct Watch: Sendable, Equatable {
    /// The stages of a connection, which it goes through once a request.
    enum Stage: Sendable, Equatable {
        /// No whole first line of a request has arrived.
        case waiting
        /// The rest of a request is arriving.
        case reading
        /// The handler is at work; its time is its own business.
        case handling
        /// The response is being fetched.
        case writing
    }

    private(set) var stage = Stage.waiting
    private(set) var sinceMilliseconds: Int64
    /// The socket, or nil once it is about to be closed: after that its number may be another's.
    private(set) var socket: Int32?

    init(socket: Int32, now: Int64) {
        self.socket = socket
        sinceMilliseconds = now
    }

    mutating func enter(_ stage: Stage, now: Int64) {
        self.stage = stage
        sinceMilliseconds = now
    }

    mutating func forgetSocket() {
        socket = nil
    }

    /// Whether this has taken longer than it may.
    func isOverdue(now: Int64, _ limits: ServerSettings) -> Bool {
        let limitSeconds: Double
        switch stage {
        case .handling: return false
        case .waiting: limitSeconds = limits.idleTimeoutSeconds
        case .reading, .writing: limitSeconds = limits.requestTimeoutSeconds
        }
        return Double(now - sinceMilliseconds) > limitSeconds * 1000
    }

    /// Whether the connection waits for a peer that will never speak again.
    ///
    /// libmicrohttpd, told of data and their end by one event, reads the data only, and would hear
    /// of the end no more.
    func isAbandoned(now: Int64, afterMilliseconds grace: Int64) -> Bool {
        guard let socket, stage == .waiting || stage == .reading, now - sinceMilliseconds >= grace
        else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Ends the conversation, in both directions or in the reading one only; whoever runs the
    /// connection notices.
    func shutDown(readingOnly: Bool) {
        guard let socket else { return }
        // Fails only if the peer was faster.
        _ = shutdown(socket, Int32(readingOnly ? SHUT_RD : SHUT_RDWR))
    }
}
