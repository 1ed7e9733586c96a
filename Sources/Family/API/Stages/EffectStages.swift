import HTTPServer
import Basics
import UseCases

/// Ensures that the response to a change relies only on confirmed commits, and delays it until
/// every read sees the change.
struct ReplicationBarrier: EffectStage {
    /// Router of reads; nil within a batch, whose response waits for all its operations.
    let reads: (any ReadRouter)?

    /// A refusal waits as well: if the response to a change was lost, the refusal of the repeated
    /// request is how the client learns that the change was made. An internal failure reveals
    /// nothing, so it does not wait.
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        let isChange = exchange.endpoint.isMutation
        let outcome = Result {
            try Database.$changingRequest.withValue(isChange ? exchange.id.description : nil) {
                try next(exchange)
            }
        }
        if isChange, Self.status(of: outcome) < 500 { reads?.awaitReplication() }
        return try outcome.get()
    }

    /// Returns the status of the response. Every error that is neither a refusal nor already a
    /// problem is an outage or a bug (``FailureTable``).
    private static func status(of outcome: Result<Reply, any Error>) -> Int {
        switch outcome {
        case .success(let reply): reply.status
        case .failure(let problem as Problem): problem.status
        case .failure(let refusal as Refusal): Problem(refusal).status
        case .failure: FaultCode.internal.status
        }
    }
}

/// Adds an entity tag to responses that are read in several steps, and compares it with the
/// client's.
struct EntityTagComparison: EffectStage {
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        let (reply, request) = (try next(exchange), exchange.request)
        guard let context = exchange.context else { return reply }
        return try Conditions.read(
            reply.tagged(at: request, for: context).unless(EntityTag.known(to: request)),
            for: request)
    }
}

/// Retries a conditional change if another change commits between its check and its own commit.
struct ConditionalChangeRetry: EffectStage {
    /// Maximum time for which a change is retried because of concurrent changes.
    private static let retrySeconds = 2.0
    /// Range of the pause before a retry, in seconds: random, so that changes that interrupt each
    /// other don't meet again.
    private static let pauseSeconds = 0.002...0.02

    let services: Services
    let routes: RouteFinder

    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        var exchange = exchange
        let deadline = Deadline.after(seconds: Self.retrySeconds)
        while true {
            exchange.change = ConditionalChange(services, routes)
            do {
                return try next(exchange)
            } catch is ConditionalChange.Overtaken {
                if deadline.hasPassed { throw ConditionalChange.overtaken }
                MonotonicClock.pause(seconds: .random(in: Self.pauseSeconds))
            }
        }
    }
}

/// Parses the body, and refuses one that is not JSON or has fields that clients may not set.
struct BodyReading: EffectStage {
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        var exchange = exchange
        exchange.source = try exchange.route.source(of: exchange.request)
        return try next(exchange)
    }
}

/// Makes a change only if the condition of the request holds, and tags the resulting state.
struct ConditionalChangeCheck: EffectStage {
    let services: Services

    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        guard let change = exchange.change else {
            preconditionFailure("a conditional change must pass ConditionalChangeRetry first")
        }
        return try change.run(exchange, next)
    }
}
