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
