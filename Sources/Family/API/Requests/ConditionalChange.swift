import HTTPServer
import Postgres
import UseCases

/// A change of what is read at the same address: `If-Match` holds it to what the client has read,
/// and its answer has the new entity tag.
enum ConditionalChange {
    /// Someone else's change came first.
    static let failed = Problem(
        .preconditionFailed, "It has changed since it was read; `current` is what is there now.")

    /// What tells the address from others: path and query.
    static func resource(of request: Request) -> String {
        let parameters = request.query.parameters.map { "\($0.name)=\($0.value)" }
        return request.segments.joined(separator: "/") + "?\(parameters)"
    }

    /// What a route does, if the condition of the request holds.
    ///
    /// The tag is compared before, and the versions that it is made of once more when the change gets
    /// its own, under their locks.
    static func run(
        _ services: Services, _ call: Call, _ change: (Services, Call) throws -> Reply
    ) throws -> Reply {
        guard call.operation.isGuarded else { return try change(services, call) }
        let resource = resource(of: call.request)
        var reply: Reply
        if let wanted = EntityTag.wanted(by: call.request) {
            let view = try services.database.run(ReadTag.viewing(by: call.caller))
            guard let view, wanted.contains(ReadTag.tag(of: resource, view.text)) else {
                throw failed
            }
            var caller = call.caller
            caller.expectedVersions = view.versions
            do {
                reply = try change(
                    services,
                    Call(
                        request: call.request, caller: caller, operation: call.operation,
                        source: call.source))
            } catch let error as PostgresError where error.sqlState == .serializationFailure {
                throw failed
            }
        } else {
            reply = try change(services, call)
        }
        reply.tag = call.caller.trace?.view.map { ReadTag.tag(of: resource, $0) }
        return reply
    }

    /// The request that reads what a change is about; nil for an address that is none of its own.
    static func reading(_ request: Request) -> Request? {
        let known = request.query.parameters.filter { parameter in
            (parameter.name + parameter.value).utf8.allSatisfy {
                ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0)
                    || $0 == 0x2D || $0 == 0x5F
            }
        }
        let query = known.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let headers = request.headers.fields.filter {
            ["authorization", "x-acting-as-member"].contains($0.name.lowercased())
        }
        return Request(
            .get, request.path + (query.isEmpty ? "" : "?" + query), headers: Headers(headers),
            peer: request.peer, client: request.client)
    }
}
