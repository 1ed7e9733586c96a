import Domain
package import HTTPServer
import JSON
package import Telemetry
import Basics
package import UseCases

// The types of a request in progress: its exchange, its route, its endpoint's call and reply.

/// A request that an endpoint processes. `Who` is the type of its context, which is optional if the
/// caller is.
struct EndpointCall<Who: Sendable> {
    let request: Request
    /// Address of the client, by which attempts are counted.
    var client: ClientAddress { ClientAddress(of: request.client) }
    let context: Who
    let endpoint: Endpoint
    var operation: Operation { endpoint.operation }
    let source: InputSource

    /// Returns the value of one of the route's inputs.
    subscript<Value>(_ input: Input<Value>) -> Value {
        get throws(Problem) {
            // A missing input is a bug in the route table, not in a request; the tests' builds
            // check it.
            assert(
                operation.inputs.contains { $0.declaration.name == input.declaration.name },
                "\(operation.name) does not declare its input \(input.declaration.name)")
            return try input.read(source)
        }
    }

    /// Runs `body`. If it finds a wrong field in the request's body, all wrong fields are reported.
    func reportingAllFields<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as Problem where !problem.wrongFields.isEmpty {
            throw problem.with(others: operation.wrongFields(in: source))
        }
    }
}

/// A request of a signed-in caller.
typealias Call = EndpointCall<RequestContext>

extension Call {
    var caller: Caller { context.caller }

    /// The family that the request is about, once it is known.
    var knownFamily: FamilyID? { context.trace?.family }
}

/// A request of any caller; its context is nil if it carries no token.
typealias OpenCall = EndpointCall<RequestContext?>

/// A request with an API key.
typealias ServerCall = EndpointCall<ServerContext>

/// The state of a request that the handler processes.
struct Exchange: Sendable {
    /// The part that is known when the request arrives. It is an object: cheap to pass on, and
    /// captured by a closure without an allocation.
    final class ReceivedRequest: Sendable {
        let request: Request
        let id: RequestID
        let trace = RequestTrace()
        let start: Int
        /// The spans of the request; nil if it is not traced.
        let recording: TraceRecording?
        private let site: PublicSite

        init(_ request: Request, _ site: PublicSite, _ recording: TraceRecording?) {
            self.request = request
            self.site = site
            self.recording = recording
            start = request.receivedAt ?? MonotonicClock.nanoseconds()
            id = Exchange.id(of: request)
        }

        /// Returns the language that the request asks for; nil if it names none that is supported.
        var wantedLanguage: @Sendable () -> LanguageTag? {
            { self.site.language(of: self.request) }
        }
    }

    let received: ReceivedRequest
    var request: Request { received.request }
    var id: RequestID { received.id }
    var trace: RequestTrace { received.trace }
    var start: Int { received.start }
    /// The matched endpoint and the parameters of the path.
    var route = RouteFinder.Match(endpoint: .unknown)
    var endpoint: Endpoint { route.endpoint }
    /// Whether admission may wait: for an issuer's keys that must be fetched first, and for the
    /// database.
    var mayWait = true
    /// The context that use cases need; nil until the caller is known, and if the request carries
    /// no token.
    var context: RequestContext?
    /// The context of a request with an API key; nil for every other request.
    var serverContext: ServerContext?
    /// The parts that inputs are read from; nil before the body has been read.
    var source: InputSource?
    /// Content that identifies a repeated request under its idempotency key, if it is not the body:
    /// a page's form may change stored data, so its body depends on them.
    var repeatableContent: [UInt8]?
    /// The conditional change; nil for any other operation.
    var change: ConditionalChange?
    /// If true, the HTTP server refused the request before it could be routed.
    var isRefusedByServer = false

    init(_ request: Request, _ site: PublicSite, _ recording: TraceRecording? = nil) {
        received = ReceivedRequest(request, site, recording)
    }

    /// The caller's trace, if the request names one.
    static func trace(of request: Request) -> TraceContext? {
        request.headers["traceparent"].flatMap { TraceContext(traceparent: $0) }
    }

    /// Returns the request as a call for operations that take any caller.
    func openCall() throws -> OpenCall { try call(in: context) }

    /// Returns the request as a call for operations that take signed-in callers.
    func call() throws -> Call {
        guard let context else { throw Authentication.missing }
        return try call(in: context)
    }

    /// Returns the request as a call for operations that take API keys.
    func serverCall() throws -> ServerCall {
        guard let serverContext else { throw Problem(.invalidAPIKey) }
        return try call(in: serverContext)
    }

    private func call<Who>(in context: Who) throws -> EndpointCall<Who> {
        EndpointCall(
            request: request, context: context, endpoint: endpoint,
            source: try source ?? route.source(of: request))
    }

    /// Returns the client's own id for the request if it is harmless, otherwise a new one.
    static func id(of request: Request) -> RequestID {
        let given: RequestID? = request.headers["X-Request-Id"].flatMap { RequestID($0) }
        return given ?? RequestID.fresh()
    }
}

extension Exchange {
    /// Adds the fields of a completed request to a line of the log.
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
        if let key = trace.key { line.add(.apiKey(key.rawValue)) }
        if let family = trace.family { line.add(.family(family.rawValue)) }
        let context =
            received.recording.map { TraceContext($0) } ?? Self.trace(of: request)
        if let context { for field in LogField.trace(context) { line.add(field) } }
    }
}

extension Method {
    /// Name for logs, which never contain text of clients: `other` for a method that HTTP does not
    /// define or Hearth does not know.
    package var logged: StaticString {
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
    /// Path of the created resource, sent as `Location`.
    var location: String?
    /// The reason of a refusal or a failure, for the log; nil for a success, and for a refusal by
    /// PostgREST.
    var code: ProblemCode?
    /// The family that the reply is about. A stored reply is not replayed to a caller who is no
    /// longer a member. A reply without a family is replayed only if its ``DeclaredResponse`` is
    /// `outsideFamilies`.
    var family: FamilyID?
    /// The entity tag, sent as `ETag`; nil for responses that must not be stored anywhere.
    var tag: String?
    /// Seconds for which anybody may store the reply, which shows nothing of a person; nil if
    /// nobody may.
    var cacheSeconds: Int?
    /// If true, the reply shows something whose changes leave the tag's versions unchanged.
    var isUntagged = false
    /// New representation of the changed resource, if it is not the body.
    var representation: [UInt8]?
    /// The invitation whose link the reply contains. Links are never stored; they are computed
    /// again.
    var link: SharedLink?

    struct SharedLink: Sendable {
        let invitation: InvitationID
        let url: String

        /// Name of the reply's member with the link.
        static let name = "inviteUrl"
    }

    /// Initial capacity of a body; most are not longer.
    private static let usualBytes = 4_000

    /// Creates a reply with a JSON object.
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

    /// Adds a member to the body, which is a JSON object.
    mutating func add(_ member: JSONObject.Member) throws(JSONError) {
        let members = try JSONField(JSONValue(parsing: body)).object().members
        body = Array(JSONValue.object(JSONObject(members + [member])).text().utf8)
    }

    var response: Response {
        // Capacity for the reply's own headers and those of every response.
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
    /// A matched endpoint with the parameters of the path.
    struct Match: Sendable {
        let endpoint: Endpoint
        private let parameters: PathParameters

        init(endpoint: Endpoint, parameters: PathParameters = PathParameters()) {
            self.endpoint = endpoint
            self.parameters = parameters
        }

        /// Parses the parts of the request that the endpoint's inputs are read from.
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
    /// Endpoints of fixed paths, by the path as sent: a single lookup finds most requests'
    /// endpoint.
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
    func route(of request: Request) throws(Problem) -> Match {
        if let known = exact[request.path]?.first(where: { $0.method == request.method }) {
            return Match(endpoint: known.endpoint)
        }
        switch router.match(request.method, request.segments) {
        case .found(let route, let parameters):
            return Match(endpoint: route.endpoint, parameters: parameters)
        case .methodNotAllowed(let methods): throw .methodNotAllowed(methods)
        case .notFound: throw .routeNotFound
        }
    }
}

extension ClientAddress {
    /// Creates the address from that of the peer. The network is that of one subscriber: /24 of
    /// IPv4, /64 of IPv6.
    package init(of peer: PeerAddress) {
        var network = peer.bytes
        let prefixBytes = network.count == 4 ? 3 : min(8, network.count)
        for index in network.indices.dropFirst(prefixBytes) { network[index] = 0 }
        let suffix = peer.bytes.count == 4 ? "/24" : "/64"
        self.init(
            address: peer.description, network: PeerAddress(network).description + suffix)
    }
}

extension LogField {
    /// A user's id, given as 128 bits.
    package static func user(_ id: UInt128) -> LogField { LogField("userId", id: id) }

    /// An API key's id, given as 128 bits.
    package static func apiKey(_ id: UInt128) -> LogField { LogField("apiKeyId", id: id) }

    /// A family's id, given as 128 bits.
    package static func family(_ id: UInt128) -> LogField { LogField("familyId", id: id) }
}
