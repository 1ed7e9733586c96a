/// Why Hearth refused a request (RFC 9457).
public struct Problem: Error, Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// What is wrong, for programs.
    public let code: ErrorCode
    /// The same as Hearth wrote it, also if this release does not know it.
    public let rawCode: String
    /// What is wrong, in words that can be shown.
    public let message: String
    /// Finds the request in the server's log.
    public let requestID: String
    /// After how many seconds the same can succeed; nil if Hearth doesn't say.
    public let retryAfterSeconds: Double?
    /// All that Hearth said, such as `attemptsLeft` or `current`.
    public let details: JSONValue

    /// What an app does next. For a code that this release does not know the status decides.
    public var nextStep: NextStep {
        if code != .unrecognized { return code.nextStep }
        return switch status {
        case 401: .signIn
        case 403: .askFamily
        case 404, 410, 412: .refresh
        case 409: .resolve
        case 429: .wait
        case 400, 413, 422: .correctInput
        case 502, 503, 504: .retry
        default: .report
        }
    }
}

extension Problem {
    /// The problem in a response; nil if it holds none.
    init?(_ response: APIResponse) {
        guard let details = try? JSONValue(parsing: response.body),
            let rawCode = details["code"]?.stringValue
        else { return nil }
        self.init(
            status: response.status, code: ErrorCode(rawValue: rawCode) ?? .unrecognized,
            rawCode: rawCode, message: details["message"]?.stringValue ?? "",
            requestID: details["requestId"]?.stringValue ?? "",
            retryAfterSeconds: response.retryAfterSeconds, details: details)
    }
}
