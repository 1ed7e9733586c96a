/// A statement without the types of its parameters and rows, to check against a schema.
package struct DeclaredStatement: Sendable {
    package let text: String
    package let parameterTypes: [PostgresType]
    package let expectedColumns: @Sendable () throws -> [RowReader.Expectation]

    package init<Row, each Parameter>(_ statement: Statement<Row, repeat each Parameter>) {
        text = statement.text
        parameterTypes = statement.parameterTypes
        expectedColumns = { try statement.expectedColumns }
    }
}
