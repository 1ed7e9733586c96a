import HTTPServer

/// The stages of a request, in the order in which they run.
///
/// A stage without a name is passed by every request. An operation declares which of the others
/// its requests pass (`Operation.stages`).
struct RequestStages: Sendable {
    /// From the request to its endpoint, without waiting for anything.
    let arrival: [any EntryStage]
    /// Whether the endpoint takes the request, and whose it is.
    let admission: [(name: StageSet, stage: any EntryStage)]
    /// Around the operation: the first one is the outermost.
    let effect: [(name: StageSet, stage: any EffectStage)]
    /// From the reply to the response. Failures pass them too, as the replies that tell of them.
    let departure: [any ExitStage]

    /// - Parameter isInBatch: Whether the request is an operation of a batch, which waits for its
    ///   changes once, as a whole.
    init(
        _ services: Services, _ routes: RouteFinder, _ scope: ListenerScope,
        isInBatch: Bool = false
    ) {
        let cors = CORS(origins: services.site.corsOrigins)
        let failures = FailureTable(services)
        arrival = [
            scope,
            CORSPreflight(cors: cors),
            Routing(routes: routes, forwardsToPostgREST: services.rest != nil),
        ]
        admission = [
            ([], TokenVerification(services: services)),
            (.mediaTypes, MediaTypeCheck()),
            (.conditions, ConditionCheck()),
            (.changeTime, ChangeTimeCheck()),
            (.consent, ConsentCheck(services: services)),
        ]
        effect = [
            ([], ReplicationBarrier(reads: isInBatch ? nil : services.reads)),
            (.entityTag, EntityTagComparison()),
            (.conditionalChange, ConditionalChangeRetry(services: services, routes: routes)),
            (.idempotency, Idempotency(services: services, failures: failures)),
            ([], BodyReading()),
            (.conditionalChange, ConditionalChangeCheck(services: services)),
        ]
        departure = [
            ResponseHeaders(site: services.site),
            CORSHeaders(cors: cors),
            RequestRecord(meters: services.meters, log: services.log),
        ]
    }
}

/// Names of the stages that only some requests pass.
struct StageSet: OptionSet, Sendable {
    let rawValue: UInt8

    /// Refuses media types that the operation neither answers with nor reads.
    static let mediaTypes = StageSet(rawValue: 1 << 0)
    /// Refuses conditions that can't hold.
    static let conditions = StageSet(rawValue: 1 << 1)
    /// Refuses a wrong time of a change that was made offline.
    static let changeTime = StageSet(rawValue: 1 << 2)
    /// Refuses a service whose child lacks a consent, and makes the database refuse accounts.
    static let consent = StageSet(rawValue: 1 << 3)
    /// Tags the response, and compares the tag with those that the client has.
    static let entityTag = StageSet(rawValue: 1 << 4)
    /// One effect and one response for all requests with the same `Idempotency-Key`.
    static let idempotency = StageSet(rawValue: 1 << 5)
    /// Compares the tag of what is changed with `If-Match`.
    static let conditionalChange = StageSet(rawValue: 1 << 6)

    /// Those that only changes pass.
    static let ofChanges: StageSet = [.changeTime, .idempotency, .conditionalChange]
}

/// A stage that a request passes on its way in.
protocol EntryStage: Sendable {
    /// Completes what is known of the request.
    ///
    /// - Returns: The reply, if this is all that the request needs; nil: then it goes on.
    func enter(_ exchange: inout Exchange) throws -> Reply?
}

/// A stage around the operation.
protocol EffectStage: Sendable {
    /// - Parameter next: The stages behind this one, and the operation.
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply
}

/// A stage that a reply passes on its way out.
protocol ExitStage: Sendable {
    func leave(_ exchange: Exchange, _ reply: Reply, _ response: inout Response)
}

extension RequestStages {
    /// Passes the stages up to the endpoint.
    ///
    /// - Returns: The reply, if there is one before an endpoint is asked.
    func arrive(_ exchange: inout Exchange) throws -> Reply? {
        for stage in arrival {
            if let reply = try stage.enter(&exchange) { return reply }
        }
        return nil
    }

    /// Passes the stages between the endpoint and its operation.
    func admit(_ exchange: inout Exchange) throws {
        let stages = exchange.endpoint.stages
        for (name, stage) in admission where stages.isSuperset(of: name) {
            if try stage.enter(&exchange) != nil {
                preconditionFailure("a stage of admission only lets pass or refuses")
            }
        }
    }

    /// The exchange behind the stages between the endpoint and its operation.
    func admitted(_ exchange: Exchange) throws -> Exchange {
        var exchange = exchange
        try admit(&exchange)
        return exchange
    }

    /// Runs the operation within the stages around it.
    ///
    /// - Parameter index: The first stage to pass.
    func run(
        _ exchange: Exchange, from index: Int = 0, _ operation: (Exchange) throws -> Reply
    ) throws -> Reply {
        let stages = exchange.endpoint.stages
        guard let found = effect[index...].firstIndex(where: { stages.isSuperset(of: $0.name) })
        else { return try operation(exchange) }
        return try effect[found].stage.run(exchange) {
            try run($0, from: found + 1, operation)
        }
    }

    /// The response that a reply becomes.
    func leave(_ exchange: Exchange, _ reply: Reply) -> Response {
        var response = reply.response
        for stage in departure { stage.leave(exchange, reply, &response) }
        return response
    }
}
