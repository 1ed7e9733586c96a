// Requests that hold no thread: they wait for something to tell, or for their client.

extension ServerCore {
    func send(
        _ part: StreamPart, to waiting: Waiting, _ scratch: UnsafeMutableRawBufferPointer
    ) {
        let connection = waiting.connection
        guard let head = part.head.map({ responder.streamHead($0) }) ?? [] else {
            let fault = responder.handler.respond(
                to: .invalidResponse, in: waiting.pending.finished.request)
            return reply(fault, to: waiting, scratch)
        }
        switch connection.send(head + part.bytes, of: waiting.pending, before: part.next, scratch) {
        case .partTaken(let pending, let next): park((connection, pending), next)
        case .none(let interest): settle(connection, interest)
        case .request: preconditionFailure("a stream has one request")
        }
    }

    /// Keeps a request without a thread until it is resumed.
    func park(_ waiting: Waiting, _ parked: ParkedRequest) {
        let (connection, resumption) = (waiting.connection, Resumption())
        var pending = waiting.pending
        pending.work = parked.again
        connection.park(pending, resumption)
        parked.onParked { [weak self] in self?.resume(connection, by: resumption) }
        // It may have been parked after the drain has looked for parked requests.
        if responder.isDraining { resume(connection, by: resumption) }
    }

    /// Gives a parked request to the next free thread.
    func resume(_ connection: ClientConnection, by resumption: Resumption) {
        var missed: [ClientConnection] = []
        resumption.use { missed = pool.park(connection) }
        for connection in missed { arm(connection, for: .worker) }
    }
}
