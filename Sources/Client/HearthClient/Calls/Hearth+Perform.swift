import Foundation

extension Hearth {
    /// Sends a call until it is answered, as the policy allows, and reads the answer.
    func value<Value: FieldsDecodable>(_ call: Call) async throws -> Value {
        try await read(call) { value throws(DecodingFailure) in try Value(try Fields(value)) }
    }

    /// The same for a member of the answer that is a list.
    func list<Element: FieldsDecodable>(
        _ name: String, _ call: Call
    ) async throws -> [Element] {
        try await read(call) { value throws(DecodingFailure) in
            try Fields(value).list(name, Element.init)
        }
    }

    /// The same for a page of a list.
    func page<Element: FieldsDecodable>(_ name: String, _ call: Call) async throws -> Page<Element>
    {
        try await read(call) { value throws(DecodingFailure) in
            let fields = try Fields(value)
            return Page(
                elements: try fields.list(name, Element.init),
                nextCursor: fields.textIfThere("nextCursor"))
        }
    }

    /// The same for an answer that is JSON of any shape.
    func json(_ call: Call) async throws -> JSONValue { try await read(call) { $0 } }

    /// The same for an answer of which nothing is needed.
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

    /// Sends a call until it is answered, as the policy allows.
    ///
    /// - Returns: A response that says success.
    func perform(_ call: Call) async throws -> APIResponse {
        var request = call.request
        if call.isRepeatable, !call.isAnonymous, call.method != "GET",
            request.headers["Idempotency-Key"] == nil
        {
            request.headers["Idempotency-Key"] = UUID().uuidString
        }
        // Named as empty: the parts of the body have keys of their own.
        if request.headers["Idempotency-Key"] == "" { request.headers["Idempotency-Key"] = nil }
        if !call.isOwn, let child = profiles?.actingAsMemberID {
            request.headers["X-Acting-As-Member"] = child.rawValue
        }
        var token = call.isAnonymous ? nil : try await credentials.accessToken()
        var hasReplacedToken = false
        var attempts = 0
        while true {
            if let token { request.headers["Authorization"] = "Bearer \(token)" }
            attempts += 1
            let outcome = try await attempt(request)
            if case .success(let response) = outcome, response.status == 401, let refused = token,
                !hasReplacedToken, let other = try await credentials.replacement(for: refused)
            {
                token = other
                hasReplacedToken = true
                continue
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

    /// Sends a request once. A read that has not changed is answered from what was read before.
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
            if isRead, response.status == 200 { await cache.keep(response, for: key) }
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

    /// Whether the same request can succeed soon, and after how many seconds as the server says.
    private static func pauseAsked(
        _ outcome: Result<APIResponse, HearthError>
    ) -> (seconds: Double?, Void)? {
        switch outcome {
        case .failure(.unreachable): return (nil, ())
        case .failure: return nil
        case .success(let response):
            let isInUse = Problem(response)?.code == .idempotencyKeyInUse
            guard isInUse || [429, 502, 503, 504].contains(response.status) else { return nil }
            // A limit that doesn't say when it ends is not tried again.
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
