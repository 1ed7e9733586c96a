import HTTPServer

/// The stages of a request, in the order in which they run.
///
/// Every request passes the stages without a name. An operation declares which of the others its
/// requests pass (`Operation.stages`); `Endpoint` adds `idempotency` for a route with the trait
/// `.key`, and removes the stages of changes from GET. Reads (`Operation.read`) and long polls pass
/// none of the stages around the operation.
struct RequestStages: Sendable {
    /// Stages from the request to its endpoint; none of them waits.
    let arrival: [any ArrivalStage]
    /// Stages that decide whether the endpoint accepts the request, and for which caller.
    let admission: [(name: StageSet, stage: any AdmissionStage)]
    /// Stages around the operation; the first one is the outermost.
    let effect: [(name: StageSet, stage: any EffectStage)]
    /// Stages from the reply to the response. Failures pass them too, as the replies that report
    /// them.
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
            Routing(
                routes: routes, forwardsToPostgREST: services.rest != nil,
                servesKeys: services.serverAccess != nil),
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
            // The retry is outside idempotency, because each attempt claims the key again. The
            // check is inside, because a replay compares nothing.
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

    /// Refuses media types that the operation neither returns nor reads.
    static let mediaTypes = StageSet(rawValue: 1 << 0)
    /// Refuses conditions that can't hold.
    static let conditions = StageSet(rawValue: 1 << 1)
    /// Refuses an invalid time of a change that was made offline.
    static let changeTime = StageSet(rawValue: 1 << 2)
    /// Refuses a service whose child lacks a consent, and makes the database check accounts'
    /// consents.
    static let consent = StageSet(rawValue: 1 << 3)
    /// Adds an entity tag to the response, and compares it with the client's.
    static let entityTag = StageSet(rawValue: 1 << 4)
    /// Gives all requests with the same `Idempotency-Key` one effect and one response.
    static let idempotency = StageSet(rawValue: 1 << 5)
    /// Compares the tag of the changed resource with `If-Match`.
    static let conditionalChange = StageSet(rawValue: 1 << 6)

    /// Stages that only changes pass.
    static let ofChanges: StageSet = [.changeTime, .idempotency, .conditionalChange]
}

/// A stage between the arrival of a request and its endpoint.
protocol ArrivalStage: Sendable {
    /// Adds the stage's results to the exchange.
    ///
    /// - Returns: The reply, if the request is complete; nil if it continues to the next stage.
    func enter(_ exchange: inout Exchange) throws -> Reply?
}

/// A stage between the endpoint and its operation. It throws if it refuses the request.
protocol AdmissionStage: Sendable {
    /// Adds the stage's results to the exchange.
    func admit(_ exchange: inout Exchange) throws
}

/// A stage around the operation.
protocol EffectStage: Sendable {
    /// - Parameter next: The stages after this one, and the operation.
    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply
}

/// A stage that a reply passes on its way out.
protocol ExitStage: Sendable {
    func leave(_ exchange: Exchange, _ reply: Reply, _ response: inout Response)
}

extension RequestStages {
    /// Runs the stages up to the endpoint.
    ///
    /// - Returns: The reply, if a stage replied before the endpoint.
    func arrive(_ exchange: inout Exchange) throws -> Reply? {
        for stage in arrival {
            if let reply = try stage.enter(&exchange) { return reply }
        }
        return nil
    }

    /// Returns the exchange after the stages between the endpoint and its operation.
    func admitted(_ exchange: Exchange) throws -> Exchange {
        var exchange = exchange
        let stages = exchange.endpoint.stages
        for (name, stage) in admission where stages.isSuperset(of: name) {
            try stage.admit(&exchange)
        }
        return exchange
    }

    /// Runs the operation within the stages around it.
    ///
    /// - Parameter index: Index of the first stage to run.
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

    /// Converts a reply into the response.
    func leave(_ exchange: Exchange, _ reply: Reply) -> Response {
        var response = reply.response
        for stage in departure { stage.leave(exchange, reply, &response) }
        return response
    }
}
