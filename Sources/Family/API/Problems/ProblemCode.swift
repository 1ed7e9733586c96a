import Domain

/// Codes for malformed HTTP requests and for errors of the server: returned before a use case runs,
/// or instead of its response. A code never changes its meaning or status.
///
/// They are separate from the codes of refusals because no layer below the API knows them.
enum FaultCode: String, CaseIterable, Sendable {
    // Errors in the form of the request.
    case malformedRequest = "malformed_request"
    case malformedActingAs = "malformed_acting_as"
    case invalidBody = "invalid_body"
    case notAcceptable = "not_acceptable"
    case unsupportedMediaType = "unsupported_media_type"
    case bodyTooLarge = "body_too_large"
    case headersTooLarge = "headers_too_large"
    case notFound = "not_found"
    case preconditionFailed = "precondition_failed"
    case methodNotAllowed = "method_not_allowed"

    // Errors about the caller.
    case notSignedIn = "not_signed_in"
    case invalidToken = "invalid_token"

    // Errors of the server.
    case `internal` = "internal"
    case unavailable = "unavailable"
    case keysPending = "keys_pending"
    case outcomeUnknown = "outcome_unknown"
    case draining = "draining"
    case databaseAway = "database_away"
    case databaseBusy = "database_busy"
    case databaseRestartNeeded = "database_restart_needed"
    case schemaBehind = "schema_behind"
    case poolerUnfit = "pooler_unfit"
    case secretKeyDiffers = "secret_key_differs"

    var status: Int {
        switch self {
        case .malformedRequest, .malformedActingAs, .invalidBody: 400
        case .notSignedIn, .invalidToken: 401
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .preconditionFailed: 412
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .headersTooLarge: 431
        case .internal: 500
        case .unavailable, .keysPending, .outcomeUnknown, .draining, .databaseAway, .databaseBusy,
            .databaseRestartNeeded, .schemaBehind, .poolerUnfit, .secretKeyDiffers:
            503
        }
    }
}

/// Machine-readable code of a problem.
enum ProblemCode: Hashable, Sendable {
    case fault(FaultCode)
    case refusal(RefusalCode)

    /// All codes, in the order of the API's description.
    static let allCases =
        FaultCode.allCases.map(ProblemCode.fault) + RefusalCode.allCases.map(ProblemCode.refusal)

    /// Returns nil for a code that only another release knows.
    init?(rawValue: String) {
        if let code = FaultCode(rawValue: rawValue) {
            self = .fault(code)
        } else if let code = RefusalCode(rawValue: rawValue) {
            self = .refusal(code)
        } else {
            return nil
        }
    }

    /// The `code` member of the response.
    var rawValue: String {
        switch self {
        case .fault(let code): code.rawValue
        case .refusal(let code): code.rawValue
        }
    }

    var status: Int {
        switch self {
        case .fault(let code): code.status
        case .refusal(let code): code.response.status
        }
    }

    /// Message of a refusal without details, or the situation in which a client gets a fault.
    var text: String {
        switch self {
        case .fault(let code): code.meaning
        case .refusal(let code): code.response.message
        }
    }

    /// Remedy for the problem, for a client's programmer.
    var advice: String {
        switch self {
        case .fault(let code): code.advice
        case .refusal(let code): code.advice
        }
    }
}
