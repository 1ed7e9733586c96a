import Synchronization

/// A request that can't be answered yet, and needs no thread until it can.
package struct ParkedRequest: Sendable {
    /// Called once when the request is parked. Its argument resumes the request, from any thread,
    /// at most once; it may be called before this returns. The server resumes the request itself
    /// when its client has disconnected, and when the server stops.
    let onParked: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Runs on a thread of the server after the request was resumed.
    let retry: @Sendable () -> WorkOutcome

    /// - Parameters:
    ///   - onParked: Makes sure that the request is resumed by its deadline.
    ///   - again: Answers the request, or parks it again.
    package init(
        onParked: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        retry: @escaping @Sendable () -> WorkOutcome
    ) {
        self.onParked = onParked
        self.retry = retry
    }
}

/// The outcome of work on a request.
package enum WorkOutcome: Sendable {
    case response(Response)
    case parked(ParkedRequest)
    /// A part of a stream: for `HTTP/1.1` without a length, until the connection closes.
    case part(StreamPart)
}

/// A part of a response without an end of its own: the stream continues until the server or the
/// client ends it.
package struct StreamPart: Sendable {
    /// The head of the response; its body is not sent. Set only in the first part.
    let head: Response?
    let bytes: [UInt8]
    /// Parked to wait for the next part, once this part is on its way to the client and no earlier
    /// one is waiting; nil at the end of the stream.
    let next: ParkedRequest?
    /// Called if the client is cut off because it stopped reading. Set only in the first part.
    let onStalled: (@Sendable () -> Void)?

    package init(
        head: Response? = nil, bytes: [UInt8], next: ParkedRequest?,
        onStalled: (@Sendable () -> Void)? = nil
    ) {
        self.head = head
        self.bytes = bytes
        self.next = next
        self.onStalled = onStalled
    }
}

/// Resumes a parked connection at most once, and never after it has ended.
final class Resumption: Sendable {
    private let isUsed = Mutex(false)

    /// Runs `resume` unless this was used or ended before.
    func use(_ resume: () -> Void) {
        // Under the lock, so that the connection can't end while it is handed to a thread.
        isUsed.withLock { isUsed in
            if isUsed { return }
            isUsed = true
            resume()
        }
    }

    /// Makes further calls of ``use(_:)`` do nothing.
    func end() { isUsed.withLock { $0 = true } }
}

// Requests that hold no thread because they wait for data to send, or for their client.

extension ServerCore {
    func send(
        _ part: StreamPart, to waiting: WaitingRequest, _ scratch: Scratch
    ) {
        let connection = waiting.connection
        guard let head = part.head.map({ responder.streamHead($0) }) ?? [] else {
            let fault = responder.handler.respond(
                to: .invalidResponse, in: waiting.pending.finished.request)
            return reply(fault, to: waiting, scratch)
        }
        if let onStalled = part.onStalled { connection.beginStream(onStalled) }
        switch connection.send(head + part.bytes, of: waiting.pending, before: part.next, scratch) {
        case .partSent(let pending, let next): park((connection, pending), next)
        case .none(let interest): handleEvent(connection, interest)
        case .request: preconditionFailure("no request follows a stream on its connection")
        }
    }

    /// Stores a request, without a thread, until it is resumed.
    func park(_ waiting: WaitingRequest, _ parked: ParkedRequest) {
        let (connection, resumption) = (waiting.connection, Resumption())
        var pending = waiting.pending
        pending.work = parked.retry
        connection.park(pending, resumption)
        parked.onParked { [weak self] in self?.resume(connection, by: resumption) }
        // The request may have been parked after draining looked for parked requests.
        if responder.isDraining { resume(connection, by: resumption) }
    }

    /// Hands a parked request to the next free thread.
    func resume(_ connection: ClientConnection, by resumption: Resumption) {
        var isHandedOver = true
        resumption.use { isHandedOver = workers.handOver(connection) }
        if !isHandedOver { arm(connection, for: .worker) }
    }
}
