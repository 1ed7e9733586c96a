import Domain
import Policy

/// What became of a cell.
enum Outcome: String, Sendable, CaseIterable {
    case allowed
    case refusedByPolicy = "refused by policy"
    case refusedByInvariant = "refused by invariant"
}

/// One statement that everybody tries, and what the policy has to say to it.
struct Operation: Sendable {
    /// How its answer is read.
    enum Kind: Sendable {
        /// It changes rows: none is a refusal.
        case change
        /// It raises an error, or it is allowed.
        case call
        /// It answers a word; these mean that it is allowed, the others that it is in the way of
        /// the present state.
        case answer(Set<String>)
        /// It begins a request: `known`, or refused.
        case delegation
    }

    var name: String
    var sql: String
    var kind = Kind.change
    /// All have to be allowed. None at all: it is refused to everybody.
    var questions: [Question]
    /// The question in place of those where the subject is this person.
    var whenOneself: (person: Person, question: Question)?
    /// It writes a column that a view computes: nobody can, whatever the row.
    var isComputed = false
    /// Asked of the account itself, for whomever it acts.
    var asksAccount = false
    /// Whether the present state stands in the way of what the policy allows.
    var obstacle: @Sendable (Asker) -> Bool = { _ in false }
    /// Constraints and reasons that are told ahead of the policy's refusal.
    var toldFirst: Set<String> = []

    /// What the policy and the invariants make of it.
    func expectation(_ asker: Asker) -> (outcome: Outcome, disagreement: String?) {
        var asker = asker
        if asksAccount { asker = Asker(asker.played.itself) }
        var asked = questions
        if let whenOneself, whenOneself.person == asker.subject { asked = [whenOneself.question] }
        var isAllowed = !asked.isEmpty
        for question in asked {
            let answer = question.answers(asker)
            if (answer.decided == .allowed) != answer.written {
                return (
                    .refusedByPolicy,
                    "table says \(answer.written) in row "
                        + "'\(answer.row)', decide says \(answer.decided)"
                )
            }
            isAllowed = isAllowed && answer.written
        }
        if !isAllowed { return (.refusedByPolicy, nil) }
        return (obstacle(asker) ? .refusedByInvariant : .allowed, nil)
    }
}

/// How PostgreSQL answered one statement.
struct Answer: Sendable, Equatable {
    /// `00000`, or the error's SQLSTATE.
    let state: String
    /// The violated constraint, or the reason that a function gave.
    let constraint: String
    /// How many rows it changed; for a call its first column.
    let value: String

    /// Reasons that have a state of their own and yet are the policy's refusals.
    private static let refusals: Set<String> = [
        "cannot_remove_self", "parent_admin_exists", "admin_not_adult", "guardian_not_adult",
        "household_role_not_invitable",
    ]

    /// Which outcome this is; nil when it is none that may be.
    func outcome(of operation: Operation) -> Outcome? {
        switch state {
        case "00000":
            switch operation.kind {
            case .change: return value == "0" ? .refusedByPolicy : .allowed
            case .call: return .allowed
            case .delegation: return value == "known" ? .allowed : .refusedByPolicy
            case .answer(let good):
                return good.contains(value) ? .allowed : .refusedByInvariant
            }
        case "0A000" where operation.isComputed: return .refusedByPolicy
        case "42501", "HF401", "HF403", "HF404", "PT401", "PT403": return .refusedByPolicy
        case _ where Self.refusals.contains(constraint): return .refusedByPolicy
        case _ where state.hasPrefix("23"), "HF400", "HF409", "HF410", "HF429":
            return .refusedByInvariant
        default: return nil
        }
    }
}
