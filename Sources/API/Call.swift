import Domain
import HTTPServer
import JSON
import Service
import UseCases

/// A request on its way through an endpoint.
struct Call {
    let request: Request
    let parameters: PathParameters
    let id: RequestID
    /// Where it came from, for counting attempts.
    let client: ClientAddress
    /// Who makes it; nil on routes that ask for nobody.
    let caller: Caller?

    /// Who makes it, on a route that asks.
    func requireCaller() throws(Problem) -> Caller {
        guard let caller else { throw Problem.internalFault }
        return caller
    }

    /// The family that the query names, nil when it names none.
    func familyInQuery() throws(Problem) -> FamilyID? {
        let given = request.query.values("familyId")
        guard let text = given.first else { return nil }
        guard given.count == 1, let id = FamilyID(text) else {
            throw Problem.invalidField("familyId", "one UUID")
        }
        return id
    }
}

/// What answers the requests of one route.
struct Endpoint: Sendable {
    enum Authentication: Sendable {
        /// Anyone; a token that is sent must still be a good one.
        case open
        case required
    }

    /// As the route table writes it, for logs and metrics.
    let label: StaticString
    let authentication: Authentication
    let answer: @Sendable (Services, Call) throws -> Response
}

extension Response {
    /// A JSON object.
    static func json(
        _ status: Int = 200, _ body: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var json = JSONWriter()
        try json.object { (writer) throws in try body(&writer) }
        return Response(
            status: status,
            headers: Headers([.init(name: "Content-Type", value: "application/json")]),
            body: json.bytes)
    }
}
