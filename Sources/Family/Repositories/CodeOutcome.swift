package import Domain
package import Postgres

/// What came of an attempt at a family code. Its refusals are answers, not errors: the transaction
/// that tells them counts the attempt.
package enum CodeOutcome<Success: PostgresWord & Sendable>: Sendable {
    case success(Success)
    case refused(RefusalCode)
}

extension CodeOutcome: PostgresDecodable {
    package static func reads(_ type: PostgresType) -> Bool { String.reads(type) }

    package static func decode(_ column: ColumnValue) throws(ColumnError) -> CodeOutcome {
        let word = try String.decode(column)
        if let success = Success(rawValue: word) { return .success(success) }
        guard let code = RefusalCode(rawValue: word) else {
            throw ColumnError("neither a word of \(Success.self) nor the code of a refusal")
        }
        return .refused(code)
    }

    package static var specimen: CodeOutcome { .success(Success.specimen) }
}
