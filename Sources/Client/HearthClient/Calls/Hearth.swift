public import Foundation

/// The client of a Hearth server: one method for each call that an app makes.
///
/// ```swift
/// let hearth = Hearth(URL(string: "https://family.example.com")!, credentials: provider)
/// let family = try await hearth.createFamily(named: "The Terns")
/// let members = try await hearth.members(of: family.id)
/// ```
///
/// All calls throw `HearthError`, or `CancellationError` if their task was cancelled.
///
/// **Retries.** A request that gets no response, or a temporary error such as 503, is sent again
/// automatically (`RetryPolicy`). Every change carries an idempotency key, so a change that was
/// already made is not made twice: Hearth replays the stored response.
///
/// **Acting for a child.** `acting(through:)` returns a client whose calls are made as the active
/// profile of a `ProfileSession`.
///
/// This is a value type: copies share the connection and the response cache.
public struct Hearth: Sendable {
    let transport: any Transport
    let credentials: any Credentials
    let policy: RetryPolicy
    let cache: ResponseCache
    var profiles: ProfileSession?
    /// Waits between attempts. Tests replace it so that they don't wait.
    var pause: @Sendable (_ seconds: Double) async throws -> Void = { seconds in
        try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
    }

    /// Creates a client that reaches Hearth over HTTP.
    public init(_ url: URL, credentials: any Credentials, policy: RetryPolicy = RetryPolicy()) {
        self.init(HTTPTransport(url), credentials: credentials, policy: policy)
    }

    /// Creates a client that uses any transport, such as an `InMemoryHearth`.
    public init(
        _ transport: any Transport, credentials: any Credentials,
        policy: RetryPolicy = RetryPolicy()
    ) {
        self.transport = transport
        self.credentials = credentials
        self.policy = policy
        cache = ResponseCache()
    }

    /// Returns a copy whose calls are made as the profile that is active in `session` at the moment
    /// of each call.
    public func acting(through session: ProfileSession) -> Hearth {
        var hearth = self
        hearth.profiles = session
        return hearth
    }

    /// Empties the response cache. Call it when the person signs out.
    public func forgetResponses() async { await cache.removeAll() }
}

/// A request of one of the typed calls.
struct Call: Sendable {
    var method: String
    var path: String
    var query: [String: String?] = [:]
    /// Parameters of the query that may occur several times.
    var repeatedQuery: [String: [String]] = [:]
    var body: JSONValue?
    var headers: [String: String] = [:]
    /// If true, the request may be sent again: it is a read, or a change with an idempotency key.
    var isRepeatable = true
    /// If true, the request carries no token, as for signing in.
    var isAnonymous = false
    /// If true, the call is made as the account itself, whatever the active profile.
    var isOwn = false
    var timeoutSeconds = 30.0

    static func get(_ path: String, _ query: [String: String?] = [:]) -> Call {
        Call(method: "GET", path: path, query: query)
    }

    static func post(_ path: String, _ body: JSONValue = [:]) -> Call {
        Call(method: "POST", path: path, body: body)
    }

    static func put(_ path: String, _ body: JSONValue) -> Call {
        Call(method: "PUT", path: path, body: body)
    }

    static func patch(_ path: String, _ body: JSONValue) -> Call {
        Call(method: "PATCH", path: path, body: body)
    }

    static func delete(_ path: String, _ query: [String: String?] = [:]) -> Call {
        Call(method: "DELETE", path: path, query: query)
    }

    /// The request to send.
    var request: APIRequest {
        var request = APIRequest(
            method, path, query: query.compactMapValues { $0 }, headers: headers,
            body: body?.data, timeoutSeconds: timeoutSeconds)
        request.repeatedQuery = repeatedQuery
        if body != nil, headers["Content-Type"] == nil {
            request.headers["Content-Type"] = "application/json"
        }
        if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
        return request
    }
}

extension ID {
    /// The id, percent-encoded for use in a path.
    var inPath: String { APIRequest.encoded(rawValue) }
}

extension Hearth {
    /// Sends a call, retrying as the policy allows, and decodes the response.
    func value<Value: FieldsDecodable>(_ call: Call) async throws -> Value {
        try await read(call) { value throws(DecodingFailure) in try Value(try Fields(value)) }
    }

    /// Sends a call and decodes the list in one member of the response.
    func list<Element: FieldsDecodable>(
        _ name: String, _ call: Call
    ) async throws -> [Element] {
        try await read(call) { value throws(DecodingFailure) in
            try Fields(value).list(name, Element.init)
        }
    }

    /// Sends a call and decodes a page of a list.
    func page<Element: FieldsDecodable>(_ name: String, _ call: Call) async throws -> Page<Element>
    {
        try await read(call) { value throws(DecodingFailure) in
            let fields = try Fields(value)
            return Page(
                elements: try fields.list(name, Element.init),
                nextCursor: fields.optionalText("nextCursor"))
        }
    }

    /// Sends a call and returns the response as JSON.
    func json(_ call: Call) async throws -> JSONValue { try await read(call) { $0 } }

    /// Sends a call and ignores the response body.
    func done(_ call: Call) async throws { _ = try await perform(call) }

    private func read<Value>(
        _ call: Call, _ decode: (JSONValue) throws(DecodingFailure) -> Value
    ) async throws -> Value {
        let response = try await perform(call)
        do {
            return try decode(try JSONValue(parsing: response.body))
        } catch {
            throw HearthError.unexpectedAnswer(status: response.status, detail: "\(error)")
        }
    }

    /// Sends a call, retrying as the policy allows.
    ///
    /// - Returns: A response with a success status.
    func perform(_ call: Call) async throws -> APIResponse {
        var request = call.request
        if call.isRepeatable, !call.isAnonymous, call.method != "GET",
            request.headers["Idempotency-Key"] == nil
        {
            request.headers["Idempotency-Key"] = UUID().uuidString
        }
        // An empty key means none: the operations in the body have keys of their own.
        if request.headers["Idempotency-Key"] == "" { request.headers["Idempotency-Key"] = nil }
        if !call.isOwn, let child = profiles?.actingAs {
            request.headers["X-Acting-As-Member"] = child.rawValue
        }
        var token: String?
        if !call.isAnonymous {
            token = try await HearthError.wrappingSignIn { try await credentials.accessToken() }
        }
        var hasReplacedToken = false
        var attempts = 0
        while true {
            if let token { request.headers["Authorization"] = "Bearer \(token)" }
            attempts += 1
            let outcome = try await attempt(request)
            if case .success(let response) = outcome, response.status == 401, let refused = token,
                !hasReplacedToken
            {
                let other = try await HearthError.wrappingSignIn {
                    try await credentials.replacement(for: refused)
                }
                if let other {
                    token = other
                    hasReplacedToken = true
                    continue
                }
            }
            if let success = Self.success(outcome) { return success }
            guard call.isRepeatable, let asked = Self.pauseAsked(outcome),
                let seconds = policy.delaySeconds(
                    attempts: attempts, retryAfterSeconds: asked.seconds,
                    chance: .random(in: 0...1))
            else { throw Self.error(outcome) }
            try await pause(seconds)
        }
    }

    /// Sends a request once. An unchanged response to a read is taken from the response cache.
    private func attempt(
        _ request: APIRequest
    ) async throws -> Result<APIResponse, HearthError> {
        var request = request
        let isRead = request.method == "GET"
        let key = (request.headers["X-Acting-As-Member"] ?? "") + " " + request.target
        let known = isRead ? await cache.response(for: key) : nil
        if let tag = known?.headers["etag"] { request.headers["If-None-Match"] = tag }
        do {
            let response = try await transport.send(request)
            if response.status == 304, let known { return .success(known) }
            if isRead, response.status == 200 { await cache.store(response, for: key) }
            return .success(response)
        } catch let error as HearthError {
            return .failure(error)
        } catch {
            try Task.checkCancellation()
            return .failure(.unreachable(reason: "\(error)"))
        }
    }

    private static func success(_ outcome: Result<APIResponse, HearthError>) -> APIResponse? {
        guard case .success(let response) = outcome, (200..<300).contains(response.status) else {
            return nil
        }
        return response
    }

    /// Returns nil unless the same request can succeed soon; `seconds` is the pause that the server
    /// asks for, if it names one.
    private static func pauseAsked(
        _ outcome: Result<APIResponse, HearthError>
    ) -> (seconds: Double?, Void)? {
        switch outcome {
        case .failure(.unreachable): return (nil, ())
        case .failure: return nil
        case .success(let response):
            let isInUse = Problem(response)?.code == .idempotencyKeyInUse
            guard isInUse || [429, 502, 503, 504].contains(response.status) else { return nil }
            // A rate limit that doesn't say when it ends is not retried.
            if response.status == 429, response.retryAfterSeconds == nil { return nil }
            return (response.retryAfterSeconds, ())
        }
    }

    private static func error(_ outcome: Result<APIResponse, HearthError>) -> HearthError {
        switch outcome {
        case .failure(let error): return error
        case .success(let response):
            if let problem = Problem(response) { return .refused(problem) }
            return .unexpectedAnswer(
                status: response.status, detail: "a response of \(response.body.count) bytes")
        }
    }
}
