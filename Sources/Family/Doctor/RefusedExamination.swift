import Configuration
import Postgres
import UseCases

/// Refusals by the database that end only one part of an examination.
enum RefusedExamination {
    /// Returns the reason why the database refused a statement, on one line; nil for an error that
    /// ends the whole examination, such as a lost connection.
    static func reason(in error: any Error) -> String? {
        if let refusal = error as? OperatorRefusal { return oneLine(refusal.description) }
        guard let error = error as? PostgresError, !error.breaksConnection else { return nil }
        switch error.code {
        case .server:
            let state = error.sqlState.map { " [\($0)]" } ?? ""
            return oneLine(Redaction.clean(error.message)) + state
        case .decoding, .unexpectedRows:
            return "an unexpected response: " + oneLine(Redaction.clean(error.message))
        default: return nil
        }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
            .joined(separator: "; ")
    }
}
