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
        /// It joins by a code: `joined` means at once, `waiting` that the policy refused that, and
        /// other words that it is in the way of the present state.
        case entry
        /// It begins a request: `known`, or refused.
        case delegation
    }

    var name: String
    var sql: String
    var kind = Kind.change
    /// All have to be allowed. None at all: it is refused to everybody.
    var questions: [Question]
    /// What is asked besides, in some worlds.
    var alsoAsked: @Sendable (Asker) -> [Question] = { _ in [] }
    /// The question in place of those where the subject is this person.
    var whenOneself: (person: SamplePerson, question: Question)?
    /// The row may be read: the check on the changed one refuses, by an error.
    var isByCheck = false
    /// It changes or deletes rows that somebody may: the rows decide, not a privilege.
    var isByRow: Bool {
        !questions.isEmpty && !isByCheck && (sql.hasPrefix("UPDATE") || sql.hasPrefix("DELETE"))
    }
    /// It writes a column that a view computes: nobody can, whatever the row.
    var isComputed = false
    /// Asked of the account itself, for whomever it acts.
    var asksAccount = false
    /// Whether the present state stands in the way of what the policy allows.
    var obstacle: @Sendable (Asker) -> Bool = { _ in false }
    /// The same, with the code that has to be told; nil if nothing stands in the way.
    var reason: @Sendable (Asker) -> RefusalCode? = { _ in nil }
    /// Constraints and codes that are told ahead of the policy's refusal.
    var toldFirst: Set<String> = []

    /// What is asked, and on whose behalf.
    func asked(by asker: Asker) -> (asker: Asker, questions: [Question]) {
        let asker = asksAccount ? Asker(asker.played.itself) : asker
        if let whenOneself, whenOneself.person == asker.subject {
            return (asker, [whenOneself.question])
        }
        return (asker, questions.isEmpty ? [] : questions + alsoAsked(asker))
    }

    /// What has to become of it.
    struct Expectation {
        var outcome: Outcome
        /// What the policy and the written table don't agree about.
        var disagreement: String?
        /// The code of an invariant's refusal; nil if any will do.
        var code: RefusalCode?
    }

    /// What the policy and the invariants make of it.
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

/// How PostgreSQL answered one statement.
struct Answer: Sendable, Equatable {
    /// `00000`, or the error's SQLSTATE.
    let state: String
    /// The violated constraint, or the code that a function gave.
    let constraint: String
    /// How many rows it changed; for a call its first column.
    let value: String

    /// Codes that have a state of their own and yet are the policy's refusals.
    private static let refusals: Set<RefusalCode> = [
        .oneself, .parentAdminExists, .adminNotAdult, .guardianNotAdult, .alreadyInvited,
    ]

    /// Codes that tell of the present state, by the policy's own.
    private static let invariants: Set<RefusalCode> = [.removedFromFamily]

    private var code: RefusalCode? { RefusalCode(rawValue: constraint) }

    /// The code that was told: as an error, or as the answer's first column.
    var toldCode: RefusalCode? { state == "00000" ? RefusalCode(rawValue: value) : code }

    /// Which outcome this is; nil when it is none that may be.
    ///
    /// - Parameter touchesNothing: Who is refused by row must be so by finding no row: an error
    ///   would come from another rule than the one that ought to refuse.
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
