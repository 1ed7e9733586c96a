package import Policy
package import Postgres

/// Why a use case did not do what was asked.
///
/// The API's error table gives each its status and message; nothing here is secret.
package struct UseCaseError: Error, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    package enum Code: Sendable, Hashable {
        /// The policy says no.
        case refused(Reason)
        /// The delegation is not honoured, whatever the reason.
        case actingRefused
        case familyNotFound
        /// The caller has none or several families and named none.
        case familyRequired
        case codeMalformed
        case codeUnknown
        case codeExpired
        case alreadyMember
        case removedFromFamily
        case playerHasFamily
        /// Nil when another member took the last place at the same moment.
        case familyFull(limit: Int?)
        case tooManyFamilies
        case tooManyAttempts(retryAfterSeconds: Int)
    }

    package let code: Code
    package let underlying: PostgresError?

    package init(_ code: Code, underlying: PostgresError? = nil) {
        self.code = code
        self.underlying = underlying
    }

    package var description: String { "\(code)" }

    package var debugDescription: String {
        underlying.map { "\(code), from \($0.debugDescription)" } ?? "\(code)"
    }
}
