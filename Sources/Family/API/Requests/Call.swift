import Domain
import HTTPServer
import JSON
package import Telemetry
import Threads
import UseCases

// A request on its way: its exchange, its route, its endpoint's call and reply.

/// A request on its way through an endpoint; `Who` is its context, or nil without a caller.
struct EndpointCall<Who: Sendable> {
    let request: Request
    /// Where it came from, for counting attempts.
    var client: ClientAddress { ClientAddress(of: request.client) }
    let context: Who
    let endpoint: Endpoint
    var operation: Operation { endpoint.operation }
    let source: InputSource

    /// The value of one of the route's inputs.
    subscript<Value>(_ input: Input<Value>) -> Value {
        get throws(Problem) {
            // Of the program, not of a request: the tests' builds check it.
            assert(
                operation.inputs.contains { $0.declaration.name == input.declaration.name },
                "\(operation.name) does not declare its input \(input.declaration.name)")
            return try input.read(source)
        }
    }

    /// Runs `body`. Where it finds a field of the request's body wrong, all are reported.
    func reportingAllFields<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as Problem where !problem.wrongFields.isEmpty {
            throw problem.with(others: operation.wrongFields(in: source))
        }
    }
}

/// A request of somebody who is signed in.
typealias Call = EndpointCall<RequestContext>

extension Call {
    var caller: Caller { context.caller }

    /// The family that the request turned out to be about.
    var knownFamily: FamilyID? { context.trace?.family }
}

/// A request that anybody may make; its context is nil where it carries no token.
typealias OpenCall = EndpointCall<RequestContext?>

/// A route's endpoint.
final class Endpoint: Sendable {
    let method: Method
    /// As the route table writes it, for logs and metrics.
    let pattern: StaticString
    let operation: Operation
    let access: RouteAccess
    /// Whether its reads share a round trip with others.
    let isBatched: Bool
    /// The limits by which it counts attempts.
    let limits: [RouteLimit]
    /// What its answers are.
    let mediaTypes: [String]
    /// The stages that its requests pass, besides those of every request.
    let stages: StageSet

    /// Traps for what the operation can't do.
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
        self.isBatched = isBatched
        self.limits = limits
        self.stages = method == .get ? stages.subtracting(.ofChanges) : stages
        precondition(
            access == .user || !operation.takesCaller, "\(operation.name) is for callers only")
        precondition(!isBatched || operation.isRead, "\(operation.name) is no read")
        precondition(
            !stages.contains(.idempotency) || method != .get && operation.canBeKeyed,
            "\(operation.name) can't take a key")
        mediaTypes = operation.answers.flatMap { [$0.mediaType] + $0.alternatives }
            .filter { !$0.isEmpty }
    }

    /// Stands in until a request is routed.
    static let unknown = Endpoint(
        .get, "unknown",
        .open("unknown", "None.", answers: []) { _, _ in throw Problem.routeNotFound })

    /// Whether it is for callers only who are signed in.
    var needsCaller: Bool { access == .user }
    /// Whether it may have effects.
    var isMutation: Bool { method != .get }
    /// Whether its answer is stored under an idempotency key.
    var takesKey: Bool { stages.contains(.idempotency) }
    /// Whether its requests can have a body.
    var takesBody: Bool { !operation.ignoresBody && [.post, .put, .patch].contains(method) }
}

/// A request on its way through the handler.
struct Exchange: Sendable {
    /// What is known when the request comes in. An object, which costs little to hand on and which
    /// a closure keeps without asking for memory.
    final class Arrival: Sendable {
        let request: Request
        let id: RequestID
        let trace = RequestTrace()
        let start: Int
        private let site: PublicSite

        init(_ request: Request, _ site: PublicSite) {
            self.request = request
            self.site = site
            start = request.receivedAt ?? MonotonicClock.nanoseconds()
            id = Exchange.id(of: request)
        }

        /// Finds the language that the request asks for; nil where it names none that there is.
        var wantedLanguage: @Sendable () -> LanguageTag? {
            { self.site.language(of: self.request) }
        }
    }

    let arrival: Arrival
    var request: Request { arrival.request }
    var id: RequestID { arrival.id }
    var trace: RequestTrace { arrival.trace }
    var start: Int { arrival.start }
    /// The endpoint that was found, and what the path said.
    var route = RouteFinder.Found(endpoint: .unknown)
    var endpoint: Endpoint { route.endpoint }
    /// Whether to wait for keys of an issuer that have to be fetched first.
    var waitsForKeys = true
    /// What use cases need of the request; nil until the caller is known, and where the request
    /// carries no token.
    var context: RequestContext?
    /// Where inputs are read from; nil before the body has been read.
    var source: InputSource?
    /// Nil for an operation that is no conditional change.
    var change: ConditionalChange?
    /// Whether the HTTP server has refused the request before it could be routed.
    var isRefusedByServer = false

    init(_ request: Request, _ site: PublicSite) {
        arrival = Arrival(request, site)
    }

    /// The request as an operation for everybody takes it.
    func openCall() throws -> OpenCall { try call(in: context) }

    /// The request as an operation for callers who are signed in takes it.
    func call() throws -> Call {
        guard let context else { throw Authentication.missing }
        return try call(in: context)
    }

    private func call<Who>(in context: Who) throws -> EndpointCall<Who> {
        EndpointCall(
            request: request, context: context, endpoint: endpoint,
            source: try source ?? route.source(of: request))
    }

    /// The caller's own id for the request if it is harmless, otherwise a new one.
    static func id(of request: Request) -> RequestID {
        let given: RequestID? = request.headers["X-Request-Id"].flatMap { RequestID($0) }
        return given ?? RequestID.fresh()
    }
}

extension Exchange {
    /// Adds what the log tells of an answered request.
    ///
    /// - Parameter code: The reason of a refusal or a failure; nil for a success.
    func describe(
        _ status: Int, _ code: ProblemCode?, microseconds: Int, in line: inout LogLine
    ) {
        line.add(.requestID(id))
        line.add(.method(request.method.logged))
        line.add(.route(endpoint.pattern))
        line.add(.status(status))
        if let code { line.add(.code(code.rawValue)) }
        line.add(.duration(microseconds: microseconds))
        if let user = trace.user { line.add(.user(user.rawValue)) }
        if let family = trace.family { line.add(.family(family.rawValue)) }
        let parent = request.headers["traceparent"]
        if let context = parent.flatMap({ TraceContext(traceparent: $0) }) {
            for field in LogField.trace(context) { line.add(field) }
        }
    }
}

extension Method {
    /// The name for logs, which take no text of clients: `other` for a method that HTTP does not
    /// define or Hearth does not know.
    var logged: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        default: "other"
        }
    }
}

/// An endpoint's response.
struct Reply: Sendable {
    var status: Int
    var mediaType: String
    var body: [UInt8]
    var headers: [(name: String, value: String)] = []
    /// The path of what was created, sent as `Location`.
    var location: String?
    /// The reason of a refusal or a failure, for the log; nil for a success, and for a refusal of
    /// PostgREST's.
    var code: ProblemCode?
    /// The family that it is about: it is not replayed to a caller who is no longer a member.
    var family: FamilyID?
    /// The entity tag, sent as `ETag`; nil for what must not be stored anywhere.
    var tag: String?
    /// Whether it shows something whose changes do not change the versions that a tag is made of.
    var isUntagged = false
    /// The answer to a change: what is read at the address from now on, if that is not the body.
    var representation: [UInt8]?
    /// The invitation whose link it contains. Links are never stored, but computed again.
    var link: SharedLink?

    struct SharedLink: Sendable {
        let invitation: InvitationID
        let url: String

        /// The member of the answer that carries it.
        static let name = "inviteUrl"
    }

    /// Most are not longer.
    private static let usualBytes = 4_000

    /// A JSON object.
    static func of<Value>(
        _ shape: Shape<Value>, _ value: Value, status: Int = 200, family: FamilyID? = nil,
        link: SharedLink? = nil, location: String? = nil
    ) -> Reply {
        let body = JSONWriter.document(capacity: usualBytes) { json in
            json.object {
                shape.write(value, to: &$0)
                if let link { $0.member(SharedLink.name, link.url) }
            }
        }
        return Reply(
            status: status, mediaType: "application/json", body: body, location: location,
            family: family, link: link)
    }

    /// Adds a member to its body, a JSON object.
    mutating func add(_ member: JSONObject.Member) throws(JSONError) {
        let members = try JSONField(JSONValue(parsing: body)).object().members
        body = Array(JSONValue.object(JSONObject(members + [member])).text().utf8)
    }

    var response: Response {
        // For its own, and those that every response has.
        var response = Response(
            status: status, headers: Headers(capacity: headers.count + 8), body: body)
        if status != 204, status != 304, !mediaType.isEmpty {
            response.headers.add("Content-Type", mediaType)
        }
        for header in headers { response.headers.add(header.name, header.value) }
        return response
    }
}

/// Finds the endpoint of a request.
struct RouteFinder: Sendable {
    /// An endpoint, and what the path said.
    struct Found: Sendable {
        let endpoint: Endpoint
        private let parameters: PathParameters

        init(endpoint: Endpoint, parameters: PathParameters = PathParameters()) {
            self.endpoint = endpoint
            self.parameters = parameters
        }

        /// Where the endpoint's inputs are read from.
        func source(of request: Request) throws(Problem) -> InputSource {
            let operation = endpoint.operation
            var body = RequestBody.none
            let takesJSON = endpoint.takesBody && !operation.takesForm
            if takesJSON {
                body =
                    if case .composed = operation.work {
                        try BatchBody(request.body).frame
                    } else if operation.takesDocument {
                        try RequestBody.readDocument(request.body)
                    } else {
                        try RequestBody.read(request.body)
                    }
            }
            let source = InputSource(
                parameters: parameters, query: request.query, headers: request.headers, body: body)
            if takesJSON, !operation.takesDocument {
                do {
                    try RequestBody.check(body, allowing: operation.bodyNames)
                } catch {
                    throw error.with(others: operation.wrongFields(in: source))
                }
            }
            return source
        }
    }

    private var router = Router<Endpoint>()
    /// The endpoints of fixed paths, by the path as sent: most requests are found by one lookup.
    private var exact: [String: [(method: Method, endpoint: Endpoint)]] = [:]

    init(_ table: [Endpoint]) {
        for endpoint in table {
            let pattern = "\(endpoint.pattern)"
            router.add(endpoint.method, pattern, endpoint)
            if !pattern.contains(":") {
                exact[pattern, default: []].append((endpoint.method, endpoint))
            }
        }
    }

    /// - Throws: 404 or 405.
    func route(of request: Request) throws(Problem) -> Found {
        if let known = exact[request.path]?.first(where: { $0.method == request.method }) {
            return Found(endpoint: known.endpoint)
        }
        switch router.match(request.method, request.segments) {
        case .found(let route, let parameters):
            return Found(endpoint: route.endpoint, parameters: parameters)
        case .methodNotAllowed(let methods): throw .methodNotAllowed(methods)
        case .notFound: throw .routeNotFound
        }
    }
}

extension ClientAddress {
    /// The peer's address, and the network that one subscriber has: /24 of IPv4, /64 of IPv6.
    init(of peer: PeerAddress) {
        var network = peer.bytes
        let kept = network.count == 4 ? 3 : min(8, network.count)
        for index in network.indices.dropFirst(kept) { network[index] = 0 }
        let suffix = peer.bytes.count == 4 ? "/24" : "/64"
        self.init(
            address: peer.description, network: PeerAddress(network).description + suffix)
    }
}

extension LogField {
    /// A user, by the 128 bits of the id.
    package static func user(_ id: UInt128) -> LogField { LogField("userId", id: id) }

    /// A family, by the 128 bits of the id.
    package static func family(_ id: UInt128) -> LogField { LogField("familyId", id: id) }
}
