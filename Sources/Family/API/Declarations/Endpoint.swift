import HTTPServer

/// A route's endpoint.
final class Endpoint: Sendable {
    let method: Method
    /// Path pattern of the route table, for logs and metrics.
    let pattern: StaticString
    let operation: Operation
    let access: RouteAccess
    /// Rate limits that count the endpoint's requests as attempts.
    let limits: [RouteLimit]
    /// Media types of its responses.
    let mediaTypes: [String]
    /// The stages that requests of this endpoint pass, in addition to those of every request.
    let stages: StageSet

    /// Traps if a trait contradicts the operation.
    init(
        _ method: Method, _ pattern: StaticString, _ operation: Operation,
        _ access: RouteAccess = .anyone, _ traits: [RouteTrait] = []
    ) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.access = access
        var stages = operation.stages
        var isBatched = false
        var limits: [RouteLimit] = []
        for trait in traits {
            switch trait {
            case .key: stages.insert(.idempotency)
            case .batched: isBatched = true
            case .limits(let more): limits += more
            }
        }
        if access == .server { limits.append(.keyUses) }
        self.limits = limits
        self.stages = method == .get ? stages.subtracting(.ofChanges) : stages
        precondition(
            access == .user || !operation.takesCaller, "\(operation.name) needs a caller")
        precondition(
            (access == .server) == operation.takesKey, "\(operation.name) is about API keys")
        precondition(
            isBatched == operation.isRead, "\(operation.name): exactly reads are marked as batched")
        precondition(
            !stages.contains(.idempotency) || method != .get && operation.canBeKeyed,
            "\(operation.name) can't have an idempotency key")
        mediaTypes = operation.responses.flatMap { [$0.mediaType] + $0.alternatives }
            .filter { !$0.isEmpty }
    }

    /// Placeholder until a request is routed.
    static let unknown = Endpoint(
        .get, "unknown",
        .open("unknown", "None.", responses: []) { _, _ in throw Problem.routeNotFound })

    /// Whether the endpoint requires a signed-in caller.
    var needsCaller: Bool { access == .user }
    /// Whether the endpoint requires an API key.
    var needsKey: Bool { access == .server }
    /// Whether requests of this endpoint may have effects.
    var isMutation: Bool { method != .get }
    /// Whether responses of this endpoint are stored under idempotency keys.
    var takesKey: Bool { stages.contains(.idempotency) }
    /// Whether its requests can have a body.
    var takesBody: Bool { !operation.ignoresBody && [.post, .put, .patch].contains(method) }
}
