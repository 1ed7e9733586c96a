package import Domain
package import Postgres

/// Why a use case did not do what was asked: a code, and what goes with some codes.
///
/// The API's error table gives each its status and message; nothing here is secret.
package struct Refusal: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What is said in addition to the code.
    package enum Parameter: Sendable, Equatable {
        /// Of `invalidField`: the name that the value has in the API, and what it must be.
        case field(String, expected: String? = nil)
        /// Of `oneself`: removing oneself is leaving.
        case removal
        /// Of `playerHasFamily`: the caller's own family.
        case family(FamilyID, name: String)
        /// Of `roleMismatch`: the side that the invitation is for.
        case invited(MemberRole)
        /// Of `roleMismatch`: the role in which a person asked to join.
        case waiting(MemberRole)
        /// Of `invitationAnswered`: it was declined.
        case declined
        /// Of `familyFull`: how many members the family may have.
        case memberLimit(Int)
        /// Of `accountRequired`: the account was erased after the token was issued.
        case signInEnded
        /// Of `erasureBlocked`: what stands in the way.
        case blockers([ErasureBlocker])
        /// Of `codeExpired` and `codeMalformed`: it is one that was mailed, or its link.
        case mailedCode
        /// Of `codeWrong`: how often the ticket's code can be tried still.
        case attemptsLeft(Int)
        /// Of `passwordTooWeak`: what is wrong with it.
        case weakness(PasswordWeakness)
        /// Of `passkeyInvalid`: what is wrong with the answer, and what is expected.
        case fault(String)
        /// Of what came too often: the limit, as headers and metrics call it, and when it opens.
        case limit(String, Allowance, retryAfterSeconds: Int)
    }

    package let code: RefusalCode
    /// Nil where the code says everything.
    package let parameter: Parameter?
    /// What the database said, where it was the database that refused.
    package let underlying: PostgresError?

    package init(
        _ code: RefusalCode, _ parameter: Parameter? = nil, underlying: PostgresError? = nil
    ) {
        self.code = code
        self.parameter = parameter
        self.underlying = underlying
    }

    package var description: String {
        parameter.map { "\(code.rawValue) (\($0))" } ?? code.rawValue
    }

    package var debugDescription: String {
        underlying.map { "\(description), from \($0.debugDescription)" } ?? description
    }
}

extension Refusal.Parameter {
    /// Nil where the database names no family.
    static func family(_ id: FamilyID?, name: String?) -> Refusal.Parameter? {
        guard let id, let name else { return nil }
        return .family(id, name: name)
    }
}
