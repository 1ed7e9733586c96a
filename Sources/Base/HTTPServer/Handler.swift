import Threads

/// Answers a server's requests. Its functions are called from all of the server's threads at once.
package protocol Handler: Sendable {
    /// A request that only reads, and can be answered together with others.
    associatedtype Read: Sendable = Never

    /// Examines a request once, and returns its response, a read or work.
    ///
    /// Several requests that came at once are prepared one after the other, so this must not wait
    /// for anything.
    func prepare(_ request: Request) -> PreparedRequest<Read>

    /// The response to one read. May wait.
    func answer(_ read: Read) -> Response

    /// The responses to reads that came at once, in their order; nil for each that must be answered
    /// alone. All of them wait for the slowest, so nothing here may take long.
    func answer(_ reads: [Read]) -> [Response?]

    /// The response to a request that the server itself refuses.
    func respond(to fault: ServerFault, in request: Request) -> Response
}

/// What it takes to answer a request.
package enum PreparedRequest<Read: Sendable>: Sendable {
    /// Nothing more: this is the response.
    case response(Response)
    /// A read, alone or together with others.
    case read(Read)
    /// Work that may wait, such as for a database.
    case work(@Sendable () -> Response)
    /// Work that may find that there is nothing to answer yet, and then holds no thread.
    case patient(@Sendable () -> WorkOutcome)
}

extension Handler {
    /// The response to one request. May wait.
    package func respond(to request: Request) -> Response {
        switch prepare(request) {
        case .response(let response): response
        case .read(let read): answer(read)
        case .work(let work): work()
        // Without a server there is nobody who parks it.
        case .patient(let work): Self.outcome(of: work)
        }
    }
}

extension Handler {
    /// The response of patient work, on a thread that waits for it.
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
            outcome = parked.again()
        }
    }
}

extension Handler where Read == Never {
    /// There are none.
    package func answer(_ read: Never) -> Response {}

    /// There are none.
    package func answer(_ reads: [Never]) -> [Response?] { [] }
}

/// A handler made of functions.
package struct FunctionHandler: Handler {
    private let work: @Sendable (Request) -> Response
    private let refusal: @Sendable (ServerFault, Request) -> Response

    /// - Parameters:
    ///   - refusal: Makes the response to a request that the server itself refuses.
    ///   - work: Answers a request; may wait.
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
