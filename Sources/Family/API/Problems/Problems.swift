import HTTPServer
import Policy
import Postgres

// What failures other than a use case's are to a client: the policy's reasons, the database's and
// the HTTP server's.

extension Problem {
    /// What the policy's reason is to a client.
    static func of(_ reason: Reason) -> Problem {
        switch reason {
        case .notAMember: absentFamily
        case .notSignedIn:
            Problem(.accountRequired, "Sign in with an account of your own to do this.")
        case .notWhileActing:
            Problem(.notWhileActing, "This can't be done on behalf of another member.")
        case .seatTaken:
            Problem(.parentAdminExists, "A Parent Admin already exists for this family.")
        case .oneself: Problem(.oneself, "You cannot do this to yourself.")
        case .notTheAddressee:
            Problem(
                .notTheAddressee,
                "This invite was sent to a different email address. "
                    + "Please sign in with the account that received the invite.")
        case .visitorsOnlyRead: Problem(.visitorsOnlyRead, "Visitors can only look.")
        case .targetIsParentAdmin:
            Problem(.targetIsParentAdmin, "This can't be done to the Parent Admin.")
        case .targetIsManaged:
            Problem(.targetIsManaged, "This can't be done to a managed member.")
        case .seatReserved:
            Problem(.seatReserved, "While the family's creator is here, only they can allow this.")
        case .roleTooHigh: Problem(.roleTooHigh, "You can't give this role to anyone.")
        case .standingTooLow:
            Problem(.standingTooLow, "You are not allowed to do this in this family.")
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
                .outcomeUnknown,
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
        case .malformed: Problem(.malformedRequest, fault.detail)
        case .bodyTooLarge: Problem(.bodyTooLarge, fault.detail)
        case .headersTooLarge, .tooManyHeaders, .tooManyTrailers, .trailersTooLarge:
            Problem(.headersTooLarge, fault.detail)
        case .invalidResponse: internalFault
        }
    }

    static let unavailable = Problem(
        .unavailable, "The service is not available at the moment. Please try again.",
        headers: [("Retry-After", "1")])

    static let internalFault = Problem(
        .internal, "Something went wrong on our side. Tell us the requestId.")

    static let routeNotFound = Problem(.notFound, "There is nothing at this address.")

    static func methodNotAllowed(_ allowed: [Method]) -> Problem {
        let names = allowed.map(\.name).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "This address answers to \(names) only.",
            headers: [("Allow", names)])
    }

    static func invalidField(_ name: String, _ expected: String) -> Problem {
        Problem(.invalidField, "`\(name)` must be \(expected).")
    }
}
