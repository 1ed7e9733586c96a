package import Domain
import Postgres

/// The refusal of an operator's command, in words for operators.
///
/// All of it may be shown to operators, and none of it to families.
package struct OperatorRefusal: Error, Sendable, CustomStringConvertible {
    /// The code's name: machine-readable, as `hearth-admin` prints it after the sentence.
    package let reason: String
    package let sentence: String
    /// Additional lines, such as the candidates of an ambiguous name.
    package let details: [String]

    package init(_ code: RefusalCode, _ sentence: String, details: [String] = []) {
        self.init(reason: code.rawValue, sentence, details)
    }

    package init(_ code: OperatorRefusalCode, _ sentence: String, details: [String] = []) {
        self.init(reason: code.rawValue, sentence, details)
    }

    private init(reason: String, _ sentence: String, _ details: [String]) {
        self.reason = reason
        self.sentence = sentence
        self.details = details
    }

    /// The sentence with its reason, and the details below it.
    package var description: String {
        (["\(sentence) [\(reason)]"] + details.map { "  \($0)" }).joined(separator: "\n")
    }

    /// The family has no valid code.
    package static let codeExpired = OperatorRefusal(.codeExpired, "The code has expired.")

    /// Returns the refusal with another line below the sentence.
    package func adding(_ line: String) -> OperatorRefusal {
        OperatorRefusal(reason: reason, sentence, details + [line])
    }

    /// A refusal by the database; nil for a bug or an outage.
    ///
    /// Errors of class HF contain the sentence. The violation of a constraint contains none; it
    /// occurs only if the state changed while a command ran.
    init?(_ error: PostgresError) {
        guard let name = error.constraint else { return nil }
        if let meaning = DatabaseRefusals.meaning(of: error) {
            if error.sqlState?.conditionClass == "HF" {
                self.init(meaning.code, error.message)
            } else {
                self.init(meaning.code, "The family has changed meanwhile (\(name)). Try again.")
            }
        } else if let code = OperatorRefusalCode(rawValue: name) {
            self.init(code, error.message)
        } else {
            return nil
        }
    }

    /// The kind of object that a word of a command names.
    enum Kind {
        case family, member, user
    }

    /// Returns the refusal for a word that matches nothing.
    static func notFound(
        _ kind: Kind, _ word: String, expected: String, details: [String] = []
    ) -> OperatorRefusal {
        let sentence = "No \(kind) is called '\(word)': expected \(expected)."
        return switch kind {
        case .family: OperatorRefusal(.familyNotFound, sentence, details: details)
        case .member: OperatorRefusal(.memberNotFound, sentence, details: details)
        case .user: OperatorRefusal(.userNotFound, sentence, details: details)
        }
    }

    /// Returns the refusal for a word that matches several objects.
    static func ambiguous(_ kind: Kind, _ word: String, _ found: [String]) -> OperatorRefusal {
        let code: OperatorRefusalCode =
            switch kind {
            case .family: .familyAmbiguous
            case .member: .memberAmbiguous
            case .user: .userAmbiguous
            }
        return OperatorRefusal(
            code, "'\(word)' is ambiguous: use the id.",
            details: Array(found.prefix(5)) + (found.count > 5 ? ["..."] : []))
    }
}
