package import Postgres

/// All statements of the repositories, for the test that holds them against the schema.
package enum Catalogue {
    /// A statement without the types of its parameters and rows.
    package struct Entry: Sendable {
        package let text: String
        package let parameterTypes: [PostgresType]
        package let expectedColumns: @Sendable () throws -> [RowReader.Expectation]

        init<Row, each Parameter>(_ statement: Statement<Row, repeat each Parameter>) {
            text = statement.text
            parameterTypes = statement.parameterTypes
            expectedColumns = { try statement.expectedColumns }
        }
    }

    package static let statements: [Entry] = [
        Entry(RequestIdentities.begin), Entry(RequestIdentities.see),
        Entry(Families.create),
        Entry(Members.ofFamily), Entry(Members.ofMyFamilies),
        Entry(CodeAttempts.reserve), Entry(CodeAttempts.join),
    ]
}
