/// Statements that go to the server together, in one round trip.
///
/// Outside a transaction a batch *is* one: the statements between two synchronisation points of
/// the pipeline are one implicit transaction, so all of them take effect or none.
///
///     var batch = Batch()
///     batch.add(Identity.begin, issuer, subject)
///     let members = batch.add(Members.ofFamily, familyID)
///     let rows = try connection.send(batch).rows(members)
package struct Batch: Sendable {
    /// The place of one statement's answer in the answers of its batch.
    package struct Place<Row: RowDecodable>: Sendable {
        let index: Int
    }

    struct Step: Sendable {
        let statement: PreparedText
        /// The parameters' places in `bindings`.
        let slots: Range<Int>
        let callSite: PostgresError.CallSite
    }

    private(set) var steps: [Step] = []
    private(set) var bindings = Bindings()

    package init() {}

    /// Adds a statement and returns the place of its result.
    @discardableResult
    package mutating func add<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Place<Row> {
        let start = bindings.slots.count
        repeat (each values).bind(to: &bindings)
        return append(
            statement.prepared, start..<bindings.slots.count,
            PostgresError.CallSite(file, line))
    }

    mutating func append<Row>(
        _ statement: PreparedText, _ slots: Range<Int>, _ callSite: PostgresError.CallSite
    ) -> Place<Row> {
        steps.append(Step(statement: statement, slots: slots, callSite: callSite))
        return Place(index: steps.count - 1)
    }
}

extension PostgresError {
    /// Where the call stood, as `Module/File.swift:line`.
    package struct CallSite: Sendable, CustomStringConvertible {
        package let file: StaticString
        package let line: UInt
        package init(_ file: StaticString, _ line: UInt) {
            self.file = file
            self.line = line
        }
        package var description: String { "\(file):\(line)" }
    }
}

/// The results of a batch's statements.
package struct Answers {
    let results: [Rows]

    /// The rows of one statement of the batch.
    package func rows<Row>(_ place: Batch.Place<Row>) throws(PostgresError) -> [Row] {
        try results[place.index].decode()
    }

    /// The only row of one statement of the batch.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` unless there is exactly one.
    package func row<Row>(_ place: Batch.Place<Row>) throws(PostgresError) -> Row {
        guard let row = try first(place) else {
            throw PostgresError(.unexpectedRows, "no row where one is expected")
        }
        return row
    }

    /// The only row of a statement of the batch; nil if there is none.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` when there are several.
    package func first<Row>(_ place: Batch.Place<Row>) throws(PostgresError) -> Row? {
        let result = results[place.index]
        guard result.count <= 1 else {
            throw PostgresError(
                .unexpectedRows, "\(result.count) rows where at most one is expected")
        }
        return try result.decode(as: Row.self).first
    }
}
