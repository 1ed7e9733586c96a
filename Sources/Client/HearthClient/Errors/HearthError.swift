/// Why a call to Hearth failed. A call that was cancelled throws `CancellationError` instead.
public enum HearthError: Error, Sendable {
    /// Hearth refused. `Problem.code` says why.
    case refused(Problem)
    /// No answer came, however often the request was sent. Whether it was done is not known; the
    /// reason is for logs.
    case unreachable(reason: String)
    /// What came is no answer of Hearth's: a proxy's page, say. The detail is for logs.
    case unexpectedAnswer(status: Int, detail: String)
    /// Nobody is signed in.
    case signedOut
    /// The session can't be kept on this device. The reason is for logs.
    case storage(reason: String)

    /// The code, if Hearth refused.
    public var code: ErrorCode? {
        if case .refused(let problem) = self { problem.code } else { nil }
    }

    /// What an app does next.
    public var nextStep: NextStep {
        switch self {
        case .refused(let problem): problem.nextStep
        case .unreachable: .retry
        case .unexpectedAnswer(let status, _): status >= 500 ? .retry : .report
        case .signedOut: .signIn
        case .storage: .report
        }
    }

    /// What can be shown: Hearth's own words, or a sentence in English.
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
    /// For logs; names no token.
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

/// What an app does next after an error.
public enum NextStep: Sendable, Hashable, CaseIterable {
    /// Show the message beside what the person typed or chose, and let it be corrected.
    case correctInput
    /// Ask the person to sign in.
    case signIn
    /// Act as oneself: the child is gone, or this is not to be done on behalf of another.
    case switchProfile
    /// Read again what is on the screen: it is not, or no longer, as it was shown.
    case refresh
    /// Show the message. Somebody else of the family has to do it, or allow it.
    case askFamily
    /// Show the message: something has to be done first, and it says what.
    case resolve
    /// Show the message. The same can be tried again later; `Problem.retryAfter` says when.
    case wait
    /// Offer to try again. The library did so for a while.
    case retry
    /// Show that something went wrong, with `Problem.requestID`: the app or the server has a
    /// mistake, and trying again does not help.
    case report
}
