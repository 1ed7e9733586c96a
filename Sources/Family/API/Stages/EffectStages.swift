import HTTPServer
import Postgres
import Threads
import UseCases

/// Makes the response to a change rest on confirmed commits, and delays it until every read finds
/// the change.
struct ReplicationBarrier: EffectStage {
    /// Nil within a batch, whose response waits for all its operations.
    let reads: (any ReadRouter)?

    /// A refusal waits as well: where the response to a change was lost, the refusal of the
    /// repeated request is what tells that it was made. A failure of ours tells nothing.
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        let isChange = exchange.endpoint.isMutation
        let outcome = Result {
            try Database.$isAboutChange.withValue(isChange) { try next(exchange) }
        }
        let isFailure =
            switch outcome {
            case .success(let reply): reply.status >= 500
            case .failure(let error): error is PostgresError
            }
        if isChange, !isFailure { reads?.awaitReplication() }
        return try outcome.get()
    }
}

/// Tags what is read in several steps, and compares the tag with those that the client has.
struct EntityTagComparison: EffectStage {
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        let (reply, request) = (try next(exchange), exchange.request)
        guard let context = exchange.context else { return reply }
        return try Conditions.read(
            reply.tagged(at: request, for: context).unless(EntityTag.known(to: request)),
            for: request)
    }
}

/// Begins a conditional change again while other changes come between its look at what is there and
/// its commit.
struct ConditionalChangeRetry: EffectStage {
    /// How long a change begins again because something else changed meanwhile.
    private static let patienceSeconds = 2.0

    let services: Services
    let routes: RouteFinder

    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        let change = ConditionalChange(services, routes)
        var exchange = exchange
        exchange.change = change
        let deadline = Deadline.after(seconds: Self.patienceSeconds)
        while true {
            do {
                return try next(exchange)
            } catch let problem as Problem where change.isOvertaken {
                guard problem.code == ConditionalChange.overtaken.code, !deadline.hasPassed
                else { throw problem }
            }
        }
    }
}

/// Reads the body, and refuses one that is no JSON or has fields that nobody may set.
struct BodyReading: EffectStage {
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        var exchange = exchange
        exchange.source = try exchange.route.source(of: exchange.request)
        return try next(exchange)
    }
}

/// Makes a change only if the condition of the request holds, and tags what there is afterwards.
struct ConditionalChangeCheck: EffectStage {
    let services: Services

    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        guard let change = exchange.change else {
            preconditionFailure("a conditional change begins with ConditionalChangeRetry")
        }
        return try change.run(exchange, next)
    }
}
