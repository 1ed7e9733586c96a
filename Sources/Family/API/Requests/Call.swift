import Domain
import HTTPServer
import JSON
import Telemetry
import UseCases

/// A request on its way through an endpoint.
struct Call {
    let request: Request
    /// Where it came from, for counting attempts.
    let client: ClientAddress
    /// Who makes it; nil on routes that ask for nobody.
    let caller: Caller?
    let operation: Operation
    let source: InputSource

    /// Who makes it, on a route that asks.
    func requireCaller() throws(Problem) -> Caller {
        guard let caller else { throw Problem.internalFault }
        return caller
    }

    /// The family that the request turned out to be about.
    var knownFamily: FamilyID? { caller?.trace?.family }

    /// The value of one of the route's inputs.
    subscript<Value>(_ input: Input<Value>) -> Value {
        get throws(Problem) {
            precondition(
                operation.inputs.contains { $0.declaration.name == input.declaration.name },
                "\(operation.name) does not declare its input \(input.declaration.name)")
            return try input.read(source)
        }
    }
}

/// A route's endpoint: the operation, and who may call it.
final class Endpoint: Sendable {
    enum Access: Sendable {
        /// Anyone; a token that is sent must still be a good one.
        case open
        case signedIn
    }

    let method: Method
    /// As the route table writes it, for logs and metrics.
    let pattern: StaticString
    let access: Access
    let operation: Operation

    init(
        method: Method, pattern: StaticString, access: Access, operation: Operation
    ) {
        self.method = method
        self.pattern = pattern
        self.access = access
        self.operation = operation
    }

    /// Whether it may have effects, so that its requests can carry an idempotency key.
    var isMutation: Bool { method != .get }
    /// Whether its requests can have a body.
    var takesBody: Bool { [.post, .put, .patch].contains(method) }
}
