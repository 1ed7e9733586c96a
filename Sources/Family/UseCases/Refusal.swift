package import Domain
package import Postgres

/// The reason for which a use case refused a request: a code, and a parameter of some codes.
///
/// The API's error table has the status and message of each code; nothing here is secret.
package struct Refusal: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Additional data of a code.
    package enum Parameter: Sendable, Equatable {
        /// `invalidField`: the API's name of the value, and what it must be.
        case field(String, expected: String? = nil)
        /// `oneself`: members remove themselves by leaving.
        case removal
        /// `playerHasFamily`: the caller's own family.
        case family(FamilyID, name: String)
        /// `roleMismatch`: the role that the invitation is for.
        case invited(MemberRole)
        /// `roleMismatch`: the role in which a person asked to join.
        case waiting(MemberRole)
        /// `invitationAnswered`: the invitation was declined.
        case declined
        /// `familyFull`: the family's maximum number of members.
        case memberLimit(Int)
        /// `accountRequired`: the account was erased after the token was issued.
        case signInEnded
        /// `erasureBlocked`: the obstacles.
        case blockers([ErasureBlocker])
        /// `codeExpired` and `codeMalformed`: the code was mailed, or is a mailed link's.
        case mailedCode
        /// `codeExpired`: the family has no code to show; nobody has tried one.
        case noCode
        /// `codeWrong`: the number of attempts left for the e-mail token's code.
        case attemptsLeft(Int)
        /// `passwordTooWeak`: the weakness.
        case weakness(PasswordWeakness)
        /// `passkeyInvalid`: the fault of the response, and the expected value.
        case fault(String)
        /// Exceeded limits: the limit's name in headers and metrics, and the time until it allows
        /// more.
        case limit(String, Allowance, retryAfterSeconds: Int)
    }

    package let code: RefusalCode
    /// The parameter; nil for most codes.
    package let parameter: Parameter?
    /// The database's error, if it was the database that refused.
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
    /// Returns the caller's own family as a parameter; nil if the database returned no family.
    static func family(_ id: FamilyID?, name: String?) -> Refusal.Parameter? {
        guard let id, let name else { return nil }
        return .family(id, name: name)
    }
}
