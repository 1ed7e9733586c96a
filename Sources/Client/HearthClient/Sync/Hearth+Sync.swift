extension Hearth {
    /// Returns a page of the changes since `cursor`, or of everything if it is nil.
    ///
    /// - Parameter waitSeconds: Seconds to wait for the first change, at most 30.
    func changes(after cursor: String?, waitSeconds: Int = 0) async throws -> SyncPage {
        var call = Call.get(
            "/api/sync",
            ["cursor": cursor, "wait": waitSeconds > 0 ? String(waitSeconds) : nil])
        call.isOwn = true
        call.timeoutSeconds = 30 + Double(waitSeconds)
        return try await value(call)
    }

    /// Sends queued changes in order, up to the first that fails.
    ///
    /// - Returns: A response for each change; those that were not tried have status 424.
    func batch(_ queued: [QueuedMutation]) async throws -> [APIResponse] {
        let operations = queued.map { queued -> JSONValue in
            let request = queued.request
            return .body([
                "method": .string(request.method), "path": .string(request.target),
                "headers": .object(
                    queued.headers.filter { $0.key != "Content-Type" }
                        .mapValues { .string($0) }),
                "body": queued.mutation.body,
            ])
        }
        var call = Call.post(
            "/api/batch", ["operations": .array(operations), "stopOnFailure": true])
        call.isOwn = true
        // An empty key means none: each operation has a key of its own.
        call.headers["Idempotency-Key"] = ""
        let answer = try await json(call)
        return (answer["results"]?.arrayValue ?? []).map { result in
            APIResponse(
                status: result["status"]?.intValue ?? 0,
                headers: result["headers"]?.objectValue?.compactMapValues(\.stringValue) ?? [:],
                body: result["body"]?.data ?? .init())
        }
    }

    /// Sends one queued change, once.
    func single(_ queued: QueuedMutation) async throws -> APIResponse {
        var call = Call(
            method: queued.mutation.method, path: queued.mutation.path,
            query: queued.mutation.query.mapValues { $0 }, body: queued.mutation.body,
            headers: queued.headers)
        call.isOwn = true
        do {
            return try await perform(call)
        } catch HearthError.refused(let problem) {
            return APIResponse(
                status: problem.status,
                headers: problem.retryAfterSeconds.map { ["Retry-After": "\($0)"] } ?? [:],
                body: problem.details.data)
        }
    }
}
