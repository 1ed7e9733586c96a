import Postgres

/// Why an operator's command did nothing, in words for operators.
///
/// Everything that it says may be shown to them; nothing of it is for families.
package struct OperatorRefusal: Error, Sendable, CustomStringConvertible {
    /// Machine-readable, as `hearth-admin` prints it beside the sentence.
    package let reason: String
    package let sentence: String
    /// Lines that help to go on, such as what could have been meant.
    package let details: [String]

    package init(_ reason: String, _ sentence: String, details: [String] = []) {
        self.reason = reason
        self.sentence = sentence
        self.details = details
    }

    /// The sentence with its reason, and the details below it.
    package var description: String {
        (["\(sentence) [\(reason)]"] + details.map { "  \($0)" }).joined(separator: "\n")
    }

    /// The family has no code that anybody could join by.
    package static let codeExpired = OperatorRefusal(
        "code_expired", "The code has expired.",
        details: ["'hearth-admin family code --regenerate' makes a new one."])

    /// Reasons that the database gives to operators alone.
    static let reasons: Set<String> = [
        "not_an_operator", "operator_malformed", "user_not_found", "export_not_begun",
    ]

    /// What to do next, by reason.
    private static let hints = [
        "guardian_has_managed_members": "--reassign-managed-to MEMBER names who takes over.",
        "parent_admin_exists": "'hearth-admin family transfer-admin' moves the seat.",
        "transfer_admin_first": "'hearth-admin family transfer-admin' moves the seat.",
    ]

    /// What the database refuses on purpose; nil for a fault or an outage.
    ///
    /// Errors of class HF bring their sentence with them. A constraint has none: it is met where
    /// the state changed while a command ran.
    init?(_ error: PostgresError) {
        guard let reason = error.constraint else { return nil }
        if error.sqlState?.conditionClass == "HF" {
            self.init(reason, error.message, details: Self.hints[reason].map { [$0] } ?? [])
        } else if DatabaseRefusals.covers(reason) {
            self.init(reason, "The family has changed meanwhile (\(reason)). Try again.")
        } else {
            return nil
        }
    }

    /// Nothing is called so.
    static func nothing(
        _ kind: String, _ word: String, expected: String, details: [String] = []
    ) -> OperatorRefusal {
        OperatorRefusal(
            "\(kind)_not_found", "No \(kind) is called '\(word)': expected \(expected).",
            details: details)
    }

    /// Several are called so.
    static func several(
        _ kind: String, _ word: String, _ found: [String]
    ) -> OperatorRefusal {
        OperatorRefusal(
            "\(kind)_ambiguous", "'\(word)' may mean several: say which by its id.",
            details: Array(found.prefix(5)) + (found.count > 5 ? ["..."] : []))
    }
}
