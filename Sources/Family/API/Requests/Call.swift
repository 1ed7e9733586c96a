import Domain
import HTTPServer
import JSON
import Telemetry
import UseCases

/// A request on its way through an endpoint; `Who` is who makes it.
struct EndpointCall<Who: Sendable> {
    let request: Request
    /// Where it came from, for counting attempts.
    var client: ClientAddress { ClientAddress(of: request.client) }
    let caller: Who
    let operation: Operation
    let source: InputSource

    /// The value of one of the route's inputs.
    subscript<Value>(_ input: Input<Value>) -> Value {
        get throws(Problem) {
            precondition(
                operation.inputs.contains { $0.declaration.name == input.declaration.name },
                "\(operation.name) does not declare its input \(input.declaration.name)")
            return try input.read(source)
        }
    }

    /// Runs `body`. Where it finds a field of the request's body wrong, all wrong fields are told.
    func tellingAllFields<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as Problem where !problem.wrongFields.isEmpty {
            throw problem.with(others: operation.wrongFields(in: source))
        }
    }
}

/// A request of somebody who is signed in.
typealias Call = EndpointCall<Caller>

extension Call {
    /// The family that the request turned out to be about.
    var knownFamily: FamilyID? { caller.trace?.family }
}

/// A request that anybody may make; its caller is nil where it carries no token.
typealias OpenCall = EndpointCall<Caller?>

/// A route's endpoint.
final class Endpoint: Sendable {
    let method: Method
    /// As the route table writes it, for logs and metrics.
    let pattern: StaticString
    let operation: Operation

    init(
        method: Method, pattern: StaticString, operation: Operation
    ) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
    }

    /// Whether it may have effects, so that its requests can carry an idempotency key.
    var isMutation: Bool { method != .get }
    /// Whether its requests can have a body.
    var takesBody: Bool { !operation.ignoresBody && [.post, .put, .patch].contains(method) }
}
