import Domain
import Policy

/// Outcome of a cell.
enum Outcome: String, Sendable, CaseIterable {
    case allowed
    case refusedByPolicy = "refused by policy"
    case refusedByInvariant = "refused by invariant"
}

/// A statement that every actor tries, with the policy's questions about it.
struct Operation: Sendable {
    /// Interpretation of a statement's answer.
    enum Kind: Sendable {
        /// A change of rows: no row means a refusal.
        case change
        /// A call that either raises an error or is allowed.
        case call
        /// A function that returns a word. These words mean allowed, any other refused because of
        /// the current state.
        case answer(Set<String>)
        /// A join by code. `joined` means allowed, `waiting` refused by the policy, and any other
        /// word refused because of the current state.
        case entry
        /// The beginning of a request: `known`, or refused.
        case delegation
    }

    var name: String
    var sql: String
    var kind = Kind.change
    /// Questions to the policy. All must be allowed; if there are none, everybody is refused.
    var questions: [Question]
    /// Additional questions that depend on the case.
    var alsoAsked: @Sendable (Asker) -> [Question] = { _ in [] }
    /// A question that replaces all ``questions`` if the subject of the request is this person.
    var whenOneself: (person: SamplePerson, question: Question)?
    /// Whether a policy's WITH CHECK refuses the changed row with an error, although the row is
    /// readable.
    var isByCheck = false
    /// Whether a refusal shows as a statement that finds no row, and not as an error: true for an
    /// UPDATE or DELETE of rows that some callers may change.
    var isByRow: Bool {
        !questions.isEmpty && !isByCheck && (sql.hasPrefix("UPDATE") || sql.hasPrefix("DELETE"))
    }
    /// Whether the statement writes a column that a view computes, which nobody can write.
    var isComputed = false
    /// Whether the questions are about the account, even if it acts for a member.
    var asksAccount = false
    /// Whether the current state prevents what the policy allows.
    var obstacle: @Sendable (Asker) -> Bool = { _ in false }
    /// The refusal code that is expected because of the current state; nil if the state prevents
    /// nothing.
    var reason: @Sendable (Asker) -> RefusalCode? = { _ in nil }
    /// Constraints and codes reported before the policy's refusal.
    var toldFirst: Set<String> = []

    /// The asker and the questions that apply to it.
    func asked(by asker: Asker) -> (asker: Asker, questions: [Question]) {
        let asker = asksAccount ? Asker(asker.played.itself) : asker
        if let whenOneself, whenOneself.person == asker.subject {
            return (asker, [whenOneself.question])
        }
        return (asker, questions.isEmpty ? [] : questions + alsoAsked(asker))
    }

    /// The expected outcome of a cell.
    struct Expectation {
        var outcome: Outcome
        /// Description of a disagreement between policy and written table.
        var disagreement: String?
        /// The code of an invariant's refusal; nil if any will do.
        var code: RefusalCode?
    }

    /// Derives the expected outcome from the policy and the invariants.
    func expectation(_ asker: Asker) -> Expectation {
        let (asker, asked) = asked(by: asker)
        var isAllowed = !asked.isEmpty
        for question in asked {
            let consultation = question.consultation(asker)
            if let disagreement = consultation?.disagreement {
                return Expectation(outcome: .refusedByPolicy, disagreement: disagreement)
            }
            isAllowed = isAllowed && consultation?.written == .allowed
        }
        if !isAllowed { return Expectation(outcome: .refusedByPolicy) }
        if let code = reason(asker) {
            return Expectation(outcome: .refusedByInvariant, code: code)
        }
        return Expectation(outcome: obstacle(asker) ? .refusedByInvariant : .allowed)
    }
}

/// PostgreSQL's answer to one statement.
struct Answer: Sendable, Equatable {
    /// `00000`, or the error's SQLSTATE.
    let state: String
    /// The violated constraint, or the code that a function raised.
    let constraint: String
    /// The number of changed rows; for a call its first column.
    let value: String

    /// Codes that are treated as refusals by the policy, although their SQLSTATE is that of an
    /// invariant.
    private static let refusals: Set<RefusalCode> = [
        .oneself, .parentAdminExists, .adminNotAdult, .guardianNotAdult, .alreadyInvited,
    ]

    /// Codes that are treated as refusals because of the current state, although their SQLSTATE is
    /// that of the policy.
    private static let invariants: Set<RefusalCode> = [.removedFromFamily]

    private var code: RefusalCode? { RefusalCode(rawValue: constraint) }

    /// The refusal code, from the error or from the first column of the result.
    var toldCode: RefusalCode? { state == "00000" ? RefusalCode(rawValue: value) : code }

    /// The outcome of this answer; nil if it is not an acceptable one.
    ///
    /// - Parameter touchesNothing: Whether a refused UPDATE or DELETE must find no row. An error
    ///   would come from a rule other than the expected one.
    func outcome(of operation: Operation, touchesNothing: Bool = true) -> Outcome? {
        switch state {
        case "42501" where touchesNothing && operation.isByRow: return nil
        case "00000":
            switch operation.kind {
            case .change: return value == "0" ? .refusedByPolicy : .allowed
            case .call: return .allowed
            case .delegation: return value == "known" ? .allowed : .refusedByPolicy
            case .entry:
                return value == "joined"
                    ? .allowed : value == "waiting" ? .refusedByPolicy : .refusedByInvariant
            case .answer(let good):
                return good.contains(value) ? .allowed : .refusedByInvariant
            }
        case "0A000" where operation.isComputed: return .refusedByPolicy
        case _ where code.map(Self.invariants.contains) == true: return .refusedByInvariant
        case _ where code.map(Self.refusals.contains) == true: return .refusedByPolicy
        case "42501", "HF403", "HF404", "PT401", "PT403": return .refusedByPolicy
        case _ where state.hasPrefix("23"), "HF400", "HF409", "HF410", "HF429":
            return .refusedByInvariant
        default: return nil
        }
    }
}
