import Basics

/// Handles a server's requests. Its functions are called from all of the server's threads at once.
package protocol Handler: Sendable {
    /// A read-only request that can be answered in a batch with others.
    associatedtype Read: Sendable = Never

    /// Examines a request once, and returns its response, a read or work.
    ///
    /// Several requests that arrived together are prepared one after another, so this must not
    /// block.
    func prepare(_ request: Request) -> PreparedRequest<Read>

    /// Answers a single read. May block.
    func answer(_ read: Read) -> Response

    /// Answers a batch of reads, in their order; nil for each one that must be answered alone. All
    /// of them wait for the slowest, so this must be fast.
    func answer(_ reads: [Read]) -> [Response?]

    /// Creates the response to a request that the server itself refuses.
    func respond(to fault: ServerFault, in request: Request) -> Response
}

/// The work needed to answer a request.
package enum PreparedRequest<Read: Sendable>: Sendable {
    /// The response itself; no more work is needed.
    case response(Response)
    /// A read, answered alone or in a batch.
    case read(Read)
    /// Work that may block, for example on a database.
    case work(@Sendable () -> Response)
    /// Work of a long poll: it may find nothing to answer yet, and then holds no thread.
    case longPoll(@Sendable () -> WorkOutcome)
}

extension Handler {
    /// Answers a single request. May block.
    package func respond(to request: Request) -> Response {
        switch prepare(request) {
        case .response(let response): response
        case .read(let read): answer(read)
        case .work(let work): work()
        // Without a server nothing can park the request.
        case .longPoll(let work): Self.outcome(of: work)
        }
    }
}

extension Handler {
    /// Runs a long poll's work on a thread that blocks until there is a response.
    private static func outcome(of work: () -> WorkOutcome) -> Response {
        var outcome = work()
        var whole: Response?
        while true {
            let parked: ParkedRequest
            switch outcome {
            case .response(let response): return response
            case .parked(let request): parked = request
            case .part(let part):
                if let head = part.head { whole = head }
                whole?.body += part.bytes
                guard let next = part.next else {
                    return whole ?? Response(status: ServerFault.invalidResponse.status)
                }
                parked = next
            }
            let resumed = Monitor(false)
            parked.onParked { resumed.change { $0 = true } }
            _ = resumed.wait { ($0 ? true : nil, .never) }
            outcome = parked.retry()
        }
    }
}

extension Handler where Read == Never {
    /// Unused: this handler has no reads.
    package func answer(_ read: Never) -> Response {}

    /// Unused: this handler has no reads.
    package func answer(_ reads: [Never]) -> [Response?] { [] }
}

/// A handler built from functions.
package struct FunctionHandler: Handler {
    private let work: @Sendable (Request) -> Response
    private let refusal: @Sendable (ServerFault, Request) -> Response

    /// - Parameters:
    ///   - refusal: Creates the response to a request that the server itself refuses.
    ///   - work: Answers a request; may block.
    package init(
        refusal: @escaping @Sendable (ServerFault, Request) -> Response = { fault, _ in
            Response(status: fault.status)
        },
        work: @escaping @Sendable (Request) -> Response
    ) {
        self.work = work
        self.refusal = refusal
    }

    package func prepare(_ request: Request) -> PreparedRequest<Never> {
        .work { work(request) }
    }

    package func respond(to fault: ServerFault, in request: Request) -> Response {
        refusal(fault, request)
    }
}
