/// Carries requests to a Hearth and its responses back: over HTTP (`HTTPTransport`), or to one in
/// this process (`InMemoryHearth`), which previews and tests use.
public protocol Transport: Sendable {
    /// Sends a request once, and gives its response as it comes.
    ///
    /// The stream begins with `.head` and ends with the response. It throws if the connection
    /// breaks before that. Ending the iteration ends the request.
    func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error>
}

extension Transport {
    /// Sends a request once, and gives its whole response.
    ///
    /// - Throws: What broke the connection; `CancellationError`.
    public func send(_ request: APIRequest) async throws -> APIResponse {
        var response: APIResponse?
        for try await part in exchange(request) {
            switch part {
            case .head(let head): response = head
            case .body(let data):
                response?.body.append(data)
                if let count = response?.body.count, count > maximumBodyBytes {
                    throw HearthError.unexpectedAnswer(
                        status: response?.status ?? 0, detail: "larger than 16 MiB")
                }
            }
        }
        try Task.checkCancellation()
        guard let response else { throw HearthError.unreachable(reason: "no response") }
        return response
    }

    private var maximumBodyBytes: Int { 16 << 20 }
}
