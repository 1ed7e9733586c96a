public import Foundation

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
    /// The app's own source of tokens has thrown this error: the closure of a `BearerToken`, the
    /// provider of an `Account`, or other `Credentials`.
    case signInFailed(underlying: any Error)

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
        case .signInFailed(let underlying): underlying is URLError ? .retry : .signIn
        }
    }

    /// Message to show: Hearth's own, or a sentence in English.
    public var message: String { message(in: "en") }

    /// Returns the message to show, in Spanish or, for any other language, in English.
    ///
    /// - Parameter language: A tag such as `es-MX`.
    public func message(in language: String) -> String {
        let isSpanish = SentenceLanguage(language) == .spanish
        return switch self {
        case .refused(let problem): problem.code.message(problem.message, in: language)
        case .unreachable: ErrorCode.unavailable.sentence(in: language)
        case .unexpectedAnswer: ErrorCode.unrecognized.sentence(in: language)
        case .signedOut: ErrorCode.notSignedIn.sentence(in: language)
        case .storage:
            isSpanish
                ? "Este dispositivo no puede guardar el inicio de sesión."
                : "This device can't keep the sign-in."
        case .signInFailed:
            isSpanish
                ? "No se ha podido iniciar sesión. Inténtalo de nuevo."
                : "Signing in failed. Please try again."
        }
    }

    /// Runs code of the app that supplies a token, and wraps the error that it throws.
    static func wrappingSignIn<Token>(
        _ body: () async throws -> Token
    ) async throws -> Token {
        do {
            return try await body()
        } catch let error as HearthError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw HearthError.signInFailed(underlying: error)
        }
    }
}

extension HearthError: LocalizedError {
    /// Message to show, in the person's language: what `localizedDescription` returns.
    public var errorDescription: String? { message(in: SentenceLanguage.current) }
}

extension HearthError: CustomNSError {
    /// Domain of the error as an `NSError`.
    public static let errorDomain = "HearthError"

    /// Code of the error as an `NSError`: the status of a refusal or an unexpected response; 1 to 4
    /// for errors without a response.
    public var errorCode: Int {
        switch self {
        case .refused(let problem): problem.status
        case .unexpectedAnswer(let status, _): status
        case .unreachable: 1
        case .signedOut: 2
        case .storage: 3
        case .signInFailed: 4
        }
    }

    /// The message; for a refusal also its code (`HearthErrorCode`) and the id of the request
    /// (`HearthRequestID`).
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: message(in: SentenceLanguage.current)
        ]
        switch self {
        case .refused(let problem):
            info["HearthErrorCode"] = problem.rawCode
            info["HearthRequestID"] = problem.requestID
        case .signInFailed(let underlying): info[NSUnderlyingErrorKey] = underlying
        default: break
        }
        return info
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
        // The error is the provider's, and may contain a token.
        case .signInFailed(let underlying): "sign-in failed: \(type(of: underlying))"
        }
    }
}

/// A refusal by Hearth, with its reason (RFC 9457).
public struct Problem: Error, Sendable, Hashable, Codable {
    /// The HTTP status.
    public let status: Int
    /// Machine-readable reason.
    public let code: ErrorCode
    /// Reason as Hearth sent it, even if this release does not know it.
    public let rawCode: String
    /// Message that can be shown to the person.
    public let message: String
    /// Id with which to find the request in the server's log.
    public let requestID: String
    /// Seconds after which the same request can succeed; nil if Hearth doesn't say.
    public let retryAfterSeconds: Double?
    /// Complete body of the response, with details such as `attemptsLeft` or `current`.
    public let details: JSONValue

    /// Creates a value, for previews and tests.
    ///
    /// - Parameter rawCode: Code as Hearth sent it; nil for the name of `code`.
    public init(
        status: Int, code: ErrorCode, rawCode: String? = nil, message: String,
        requestID: String = "", retryAfterSeconds: Double? = nil, details: JSONValue = [:]
    ) {
        self.status = status
        self.code = code
        self.rawCode = rawCode ?? code.rawValue
        self.message = message
        self.requestID = requestID
        self.retryAfterSeconds = retryAfterSeconds
        self.details = details
    }

    /// Next step for an app. It depends on the status if this release does not know the code.
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
