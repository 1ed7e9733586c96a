package import Domain
package import Postgres

/// A family's new code.
package struct RegeneratedCode: RowDecodable, Sendable {
    package let code: String
    package let generatedAt: Timestamp
    /// Nil when it is for good.
    package let expiresAt: Timestamp?

    package init(row: inout RowReader) throws(PostgresError) {
        code = try row.read()
        generatedAt = try row.read()
        expiresAt = try row.read()
    }
}

/// The preview of a family by its code, before joining.
package struct CodePreview: RowDecodable, Sendable {
    package enum Success: String, PostgresWord, Sendable {
        case found

        package static var specimen: Success { .found }
    }

    package let outcome: CodeOutcome<Success>
    /// Nil unless found.
    package let familyName: String?
    package let memberCount: Int?

    package init(row: inout RowReader) throws(PostgresError) {
        outcome = try row.read()
        familyName = try row.read()
        memberCount = try row.read()
    }
}

package enum FamilyCodes {
    /// Gives a family a new code that lasts so many days, or (null) for good.
    package static let regenerate = Statement<RegeneratedCode, FamilyID, Int32?>(
        """
        SELECT family_code, code_generated_at, code_expires_at FROM app.regenerate_code($1, $2)
        """)

    /// Looks a code up after `CodeAttempts.reserve`, with the same values. Its transaction has to
    /// be committed whatever the outcome.
    package static let preview = Statement<CodePreview, String, String?, String?>(
        "SELECT outcome, family_name, member_count FROM app.preview_code($1, $2, $3)")
}
