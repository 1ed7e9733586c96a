/// Reason why a call to Hearth failed. A cancelled call throws `CancellationError` instead.
public enum HearthError: Error, Sendable {
    /// Hearth refused the request. `Problem.code` says why.
    case refused(Problem)
    /// All attempts ended without a response, so the outcome is unknown. The reason is for logs.
    case unreachable(reason: String)
    /// The response is not one of Hearth's, but a proxy's page, for example. The detail is for
    /// logs.
    case unexpectedAnswer(status: Int, detail: String)
    /// Nobody is signed in.
    case signedOut
    /// The session can't be stored on this device. The reason is for logs.
    case storage(reason: String)

    /// Code of the refusal; nil for other errors.
    public var code: ErrorCode? {
        if case .refused(let problem) = self { problem.code } else { nil }
    }

    /// Next step for an app after this error.
    public var nextStep: NextStep {
        switch self {
        case .refused(let problem): problem.nextStep
        case .unreachable: .retry
        case .unexpectedAnswer(let status, _): status >= 500 ? .retry : .report
        case .signedOut: .signIn
        case .storage: .report
        }
    }

    /// Message to show: Hearth's own, or a sentence in English.
    public var message: String {
        switch self {
        case .refused(let problem): problem.message
        case .unreachable: "Connection error. Please try again."
        case .unexpectedAnswer: "Server error. Please try again."
        case .signedOut: "Please sign in."
        case .storage: "This device can't keep the sign-in."
        }
    }
}

extension HearthError: CustomDebugStringConvertible {
    /// Description for logs; contains no token.
    public var debugDescription: String {
        switch self {
        case .refused(let problem):
            "refused: \(problem.status) \(problem.rawCode) (request \(problem.requestID))"
        case .unreachable(let reason): "unreachable: \(reason)"
        case .unexpectedAnswer(let status, let detail): "unexpected answer \(status): \(detail)"
        case .signedOut: "signed out"
        case .storage(let reason): "storage: \(reason)"
        }
    }
}

/// A refusal by Hearth, with its reason (RFC 9457).
public struct Problem: Error, Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// Machine-readable reason.
    public let code: ErrorCode
    /// Reason as Hearth sent it, even if this release does not know it.
    public let rawCode: String
    /// Message that can be shown to the person.
    public let message: String
    /// Id by which to find the request in the server's log.
    public let requestID: String
    /// Seconds after which the same request can succeed; nil if Hearth doesn't say.
    public let retryAfterSeconds: Double?
    /// Complete body of the response, with details such as `attemptsLeft` or `current`.
    public let details: JSONValue

    /// Next step for an app. If this release does not know the code, it depends on the status.
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
    /// Parses the problem in a response; nil if there is none.
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

/// The step that an app takes after an error.
public enum NextStep: Sendable, Hashable, CaseIterable {
    /// Show the message next to what the person entered, and let the person correct it.
    case correctInput
    /// Ask the person to sign in.
    case signIn
    /// Switch to the person's own profile: the child is gone, or the call can't be made on behalf
    /// of another.
    case switchProfile
    /// Reload the screen: its content is out of date.
    case refresh
    /// Show the message. Another member of the family has to do this, or allow it.
    case askFamily
    /// Show the message. It says what has to be done first.
    case resolve
    /// Show the message. The request can be repeated later; `Problem.retryAfterSeconds` says when.
    case wait
    /// Offer to try again. The library has already retried.
    case retry
    /// Show an error with `Problem.requestID`: the app or the server has a defect, and retrying
    /// does not help.
    case report
}
