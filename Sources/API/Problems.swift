import HTTPServer
import Policy
import Postgres

// What failures other than a use case's are to a client: the policy's reasons, the database's and
// the HTTP server's.

extension Problem {
    /// What the policy's reason is to a client.
    static func of(_ reason: Reason) -> Problem {
        switch reason {
        case .notAMember: Problem(404, "family_not_found", "Family not found.")
        case .notSignedIn:
            Problem(403, "account_required", "Sign in with an account of your own to do this.")
        case .notWhileActing:
            Problem(403, reason.rawValue, "This can't be done on behalf of another member.")
        case .seatTaken:
            Problem(409, reason.rawValue, "A Parent Admin already exists for this family.")
        case .oneself:
            Problem(400, reason.rawValue, "You cannot do this to yourself.")
        case .notTheAddressee:
            Problem(
                403, reason.rawValue,
                "This invite was sent to a different email address. "
                    + "Please sign in with the account that received the invite.")
        case .visitorsOnlyRead, .targetIsParentAdmin, .targetIsManaged, .seatReserved,
            .roleTooHigh, .standingTooLow:
            Problem(403, reason.rawValue, "You are not allowed to do this in this family.")
        }
    }

    /// What a failure between Hearth and its database is to a client: an outage that passes, or a
    /// fault of ours, told without its particulars.
    static func of(_ error: PostgresError) -> Problem {
        switch error.code {
        case .connectionFailed, .connectionLost, .deadlineExceeded, .poolExhausted, .poolClosed:
            unavailable
        case .commitUnknown:
            Problem(
                503, "outcome_unknown",
                "It is not known whether this was stored. Look before you try again.",
                headers: [("Retry-After", "1")])
        case .server where error.sqlState == .readOnlyTransaction: unavailable
        case .server where error.isRetriable || error.sqlState == .queryCanceled: unavailable
        case .server, .decoding, .unexpectedRows, .settings: internalFault
        }
    }

    /// What the HTTP server found wrong by itself.
    static func of(_ fault: ServerFault) -> Problem {
        switch fault {
        case .malformed: Problem(400, "malformed_request", fault.detail)
        case .bodyTooLarge: Problem(413, "body_too_large", fault.detail)
        case .headersTooLarge: Problem(431, "headers_too_large", fault.detail)
        case .invalidResponse: internalFault
        }
    }

    static let unavailable = Problem(
        503, "unavailable", "The service is not available at the moment. Please try again.",
        headers: [("Retry-After", "1")])

    static let internalFault = Problem(
        500, "internal", "Something went wrong on our side. Tell us the requestId.")

    static let routeNotFound = Problem(404, "not_found", "There is nothing at this address.")

    static func invalidField(_ name: String, _ expected: String) -> Problem {
        Problem(400, "invalid_field", "`\(name)` must be \(expected).")
    }
}
