package import Policy
package import Postgres

/// Why a use case did not do what was asked.
///
/// The API's error table gives each its status and message; nothing here is secret.
package struct UseCaseError: Error, Sendable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    package enum Code: Sendable, Hashable {
        // Who asks.
        /// The policy says no.
        case refused(Reason)
        /// The delegation is not honoured, whatever the reason.
        case actingRefused

        // What is absent, or not the caller's.
        case familyNotFound
        case memberNotFound
        case invitationNotFound

        // What is asked.
        /// The caller has none or several families and named none.
        case familyRequired
        /// A value that can't be stored; tells which, by the name that it has in the API.
        case malformed(String)
        case codeMalformed
        /// A code lasts from 1 to 365 days.
        case expiryOutOfRange
        case preferencesTooLarge
        /// Removing oneself is leaving.
        case cannotRemoveOneself

        // Codes and joining.
        case codeUnknown
        case codeExpired
        case alreadyMember
        case removedFromFamily
        case playerHasFamily
        /// Nil where the limit is not known.
        case familyFull(limit: Int?)
        case tooManyFamilies
        case tooManyAttempts(AttemptLimit, retryAfterSeconds: Int)

        // What the present state of the family doesn't admit.
        /// Managed members would be left without a guardian; nobody was named to take over.
        case guardianHasManagedMembers
        /// A guardian is another adult of the family with an account.
        case guardianNotAdult
        /// The Parent Admin is an adult with an account.
        case adminNotAdult
        /// The Parent Admin leaves only after another adult has taken the seat.
        case transferAdminFirst
        /// The person waits for approval and has no standing yet.
        case memberIsWaiting
        case memberIsNotWaiting
        /// The side of an account is settled while it belongs to a family.
        case roleFixedInFamily

        // Invitations.
        case personAlreadyMember
        /// The address has a pending invitation that is another's to renew.
        case alreadyInvited
        case invitationExpired
        /// Accepted by another, or declined.
        case invitationAnswered
        case tooManyInvitations(retryAfterSeconds: Int)
        case invitationJustSent(retryAfterSeconds: Int)

        // Requests that are repeated.
        /// The same request is being done at this moment.
        case keyInUse
        /// The idempotency key was used for another request.
        case keyReused
        /// It was done, and its answer kept in a format that only later programs read.
        case answerOfNewerProgram
        /// New idempotency keys beyond a thousand a day.
        case tooManyKeys(retryAfterSeconds: Int)
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
