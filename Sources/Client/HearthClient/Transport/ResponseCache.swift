/// The last response of each read that Hearth gave a version (`ETag`), so that a read of what has
/// not changed costs neither transfer nor decoding at the server. In memory only.
actor ResponseCache {
    private var responses: [String: APIResponse] = [:]
    /// The keys, those used last at the end.
    private var order: [String] = []
    private let limit: Int

    init(limit: Int = 64) { self.limit = limit }

    func response(for key: String) -> APIResponse? { responses[key] }

    func keep(_ response: APIResponse, for key: String) {
        order.removeAll { $0 == key }
        guard response.headers["etag"] != nil else {
            responses[key] = nil
            return
        }
        responses[key] = response
        order.append(key)
        if order.count > limit { responses[order.removeFirst()] = nil }
    }

    func removeAll() {
        responses = [:]
        order = []
    }
}
