import HTTPServer
import Postgres
import UseCases

/// A change of what is read at the same address: `If-Match` holds it to what the client has read,
/// and its answer has the new entity tag.
struct ConditionalChange {
    /// Someone else's change came first.
    static let failed = Problem(
        .preconditionFailed, "It has changed since it was read; `current` is what is there now.")

    /// How often a change begins again because something else changed meanwhile.
    static let attempts = 20

    private let database: Database
    /// Reads what the address shows now; nil if it shows the caller nothing.
    private let present: () throws -> Reply?
    /// Something has changed between the look at the address and the change.
    private(set) var isOvertaken = false

    init(_ database: Database, present: @escaping () throws -> Reply?) {
        self.database = database
        self.present = present
    }

    /// What a route does, if the condition of the request holds.
    ///
    /// The tag of what is there is compared before. The versions of the caller and its families that
    /// were read before that are compared again when the change gets its own, under their locks: then
    /// what is there has not changed in between. If they have changed this is overtaken, whether by a
    /// change of the same thing or not.
    mutating func run(
        _ services: Services, _ call: Call, _ change: (Services, Call) throws -> Reply
    ) throws -> Reply {
        guard call.operation.isGuarded else { return try change(services, call) }
        isOvertaken = false
        guard let wanted = EntityTag.wanted(by: call.request) else {
            return try change(services, call).tagged(at: call.request, for: call.caller)
        }
        let versions = try database.run(ReadTag.versions(by: call.caller))
        let shown = try present()?.tagged(at: call.request, for: call.caller)
        guard let versions, let tag = shown?.tag, wanted.contains(tag) else {
            throw Self.failed
        }
        var caller = call.caller
        caller.expectedVersions = versions
        do {
            let reply = try change(
                services,
                Call(
                    request: call.request, caller: caller, operation: call.operation,
                    source: call.source))
            return reply.tagged(at: call.request, for: caller)
        } catch let error as PostgresError where error.sqlState == .serializationFailure {
            isOvertaken = true
            throw Self.failed
        }
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
