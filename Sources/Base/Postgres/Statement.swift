import Glibc
import Synchronization

/// A statement of the request path: its text, the types of its parameters and its row type.
///
/// Prepared once per connection on first use, or sent with its text each time where prepared
/// statements are switched off. Declare it as a `static let` beside its row type:
///
///     static let byCode = Statement<FamilyRow, String>(
///         "SELECT id, family_name FROM app.family_units WHERE family_code = $1")
///
/// A statement must not change the session (no `SET`, `LISTEN`, session locks): leases rely on it.
@usableFromInline
package struct Statement<Row: RowDecodable, each Parameter: PostgresEncodable>: Sendable {
    @usableFromInline let prepared: PreparedText
    /// The form for several calls in one statement; nil if it can't be shared.
    @usableFromInline package let shared: SharedStatement<Row, repeat each Parameter>?

    /// - Parameter sharedText: The statement for one of several callers, with `q.caller_index` for
    ///   the number of the caller and `q.p1`... for the parameters; nil if it can't be shared.
    package init(_ text: String, forEach sharedText: String? = nil) {
        var types: [PostgresType] = []
        for type in repeat (each Parameter).self { types.append(type.postgresType) }
        prepared = PreparedText(text, parameterTypes: types)
        shared = sharedText.map { SharedStatement(forEach: $0) }
    }

    /// The text, with `$1`... for the parameters.
    package var text: String { prepared.text }

    /// The declared types of the parameters.
    package var parameterTypes: [PostgresType] { prepared.parameterTypes }
}

/// The part of a statement that a connection needs: text and types, under a process-wide number.
@usableFromInline final class PreparedText: Sendable {
    private static let count = Atomic<Int>(0)

    let text: String
    let parameterTypes: [PostgresType]
    /// Number in this process, counted up from 0; the index into the connection's list of prepared
    /// statements.
    let number: Int
    /// The name of the prepared statement as a C string: written once, and only read afterwards.
    /// Nil for a text that is never prepared.
    nonisolated(unsafe) let name: UnsafeMutablePointer<CChar>?

    init(_ text: String, parameterTypes: [PostgresType]) {
        self.text = text
        self.parameterTypes = parameterTypes
        number = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        name = strdup("hearth\(number)")
    }

    /// Creates a text that is sent as it is and never prepared.
    init(adHoc text: String) {
        self.text = text
        parameterTypes = []
        number = -1
        name = nil
    }

    deinit { free(name) }

    static let begin = PreparedText("BEGIN", parameterTypes: [])
    static let beginReadOnly = PreparedText("BEGIN READ ONLY", parameterTypes: [])
    static let beginRepeatableRead = PreparedText(
        "BEGIN ISOLATION LEVEL REPEATABLE READ", parameterTypes: [])
    static let beginRepeatableReadReadOnly = PreparedText(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", parameterTypes: [])
    static let beginSerializable = PreparedText(
        "BEGIN ISOLATION LEVEL SERIALIZABLE", parameterTypes: [])
    static let beginSerializableReadOnly = PreparedText(
        "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", parameterTypes: [])
    static let commit = PreparedText("COMMIT", parameterTypes: [])
    static let rollback = PreparedText("ROLLBACK", parameterTypes: [])
}

/// A statement without the Swift types of its parameters and rows, for checks against a schema.
package struct DeclaredStatement: Sendable {
    /// The text, with `$1`... for the parameters.
    package let text: String
    package let parameterTypes: [PostgresType]
    /// The Swift types of the parameters, such as `Optional<ID<Family>>`.
    package let swiftParameterTypes: [ObjectIdentifier]
    /// The columns of a row, from left to right.
    package let expectedColumns: [ExpectedColumn]

    package init<Row, each Parameter>(_ statement: Statement<Row, repeat each Parameter>) {
        text = statement.text
        parameterTypes = statement.parameterTypes
        var types: [ObjectIdentifier] = []
        for type in repeat (each Parameter).self { types.append(ObjectIdentifier(type)) }
        swiftParameterTypes = types
        expectedColumns = Row.expectedColumns
    }

    /// Declares a shared statement, with the column that numbers the calls.
    package init<Row, each Parameter>(_ statement: SharedStatement<Row, repeat each Parameter>) {
        text = statement.prepared.text
        parameterTypes = statement.prepared.parameterTypes
        var types: [ObjectIdentifier] = []
        for type in repeat (each Parameter).self { types.append(ObjectIdentifier(type)) }
        swiftParameterTypes = types
        expectedColumns = Int64.expectedColumns + Row.expectedColumns
    }
}

/// Statements that are sent to the server in one round trip.
///
/// Outside a transaction a batch *is* one: the statements between two synchronisation points of
/// the pipeline are one implicit transaction, so all of them take effect or none.
///
///     var batch = Batch()
///     batch.add(Identity.begin, issuer, subject)
///     let members = batch.add(Members.ofFamily, familyID)
///     let rows = try connection.send(batch).rows(members)
@usableFromInline package struct Batch: Sendable {
    /// The index of one statement's result in the results of its batch.
    @usableFromInline package struct ResultKey<Row: RowDecodable>: Sendable {
        @usableFromInline let index: Int
        /// The number of the call of a shared statement, from 1; otherwise 0.
        @usableFromInline let call: Int

        @inlinable
        init(index: Int, call: Int = 0) {
            self.index = index
            self.call = call
        }
    }

    struct Step: Sendable {
        let statement: PreparedText
        /// Indices of the parameters in `bindings`.
        var slots: Range<Int>
        let callSite: PostgresError.CallSite
    }

    private(set) var steps: [Step] = []
    @usableFromInline var bindings = Bindings()
    /// The calls of the statements that callers share, until sharing ends.
    @usableFromInline var shared = SharedCalls()
    /// Whether statements are added for the last of the callers that share them.
    @usableFromInline private(set) var isSharing = false
    /// Whether all statements of the last caller can be shared. If not, the caller has to be
    /// removed before the next one is added (``removeCaller()``).
    @usableFromInline package internal(set) var isWhollyShared = true
    /// Numbers of steps and parameters of all callers before the last one.
    private var beforeCaller = (steps: 0, slots: 0)

    package init() {}

    /// Number of statements that are sent.
    package var statementCount: Int { steps.count }

    /// Adds a statement and returns the index of its result.
    ///
    /// If the last caller shares statements and this one can't be shared, it is added on its own,
    /// and ``isWhollyShared`` is false from then on.
    @discardableResult @inlinable
    package mutating func add<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ResultKey<Row> {
        let callSite = PostgresError.CallSite(file, line)
        if isSharing {
            if let shared = statement.shared {
                return addCall(shared, repeat each values, callSite: callSite)
            }
            isWhollyShared = false
        }
        let start = bindings.slotCount
        repeat (each values).bind(to: &bindings)
        return ResultKey(index: append(statement.prepared, from: start, callSite))
    }

    /// Adds a step whose parameters were bound last and returns its index.
    @usableFromInline
    mutating func append(
        _ statement: PreparedText, from start: Int, _ callSite: PostgresError.CallSite
    ) -> Int {
        if steps.isEmpty { steps.reserveCapacity(8) }
        steps.append(
            Step(statement: statement, slots: start..<bindings.slotCount, callSite: callSite))
        return steps.count - 1
    }
}

extension Batch {
    /// Begins the next caller, whose calls of shared statements are collected with those of the
    /// previous callers. The first statement of each caller sets its identity.
    ///
    /// - Returns: The index of that statement's result.
    @inlinable
    package mutating func addCaller<Row, each Parameter>(
        _ identification: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ResultKey<Row> {
        beginCaller()
        return addCall(
            identification, repeat each values, callSite: PostgresError.CallSite(file, line))
    }

    /// Adds a call of a statement that identifies its caller by its values, among other calls of
    /// such statements, until sharing ends; returns the index of its result. Not while callers
    /// share statements, and not for a statement made with `forEach:`.
    @inlinable
    package mutating func addShared<Row, each Parameter>(
        _ statement: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ResultKey<Row> {
        precondition(
            !isSharing && !statement.takesCallerIndex, "not during sharing, nor with forEach")
        return addCall(
            statement, repeat each values, callSite: PostgresError.CallSite(file, line))
    }

    @usableFromInline
    mutating func beginCaller() {
        requireWhollyShared()
        beforeCaller = (steps.count, bindings.slotCount)
        shared.beginCaller()
        isSharing = true
        isWhollyShared = true
    }

    /// Removes all statements of the last caller, because some of them can't be shared.
    package mutating func removeCaller() {
        shared.removeCaller()
        // The remaining calls belong to earlier callers, who added their statements.
        steps.removeLast(steps.count - beforeCaller.steps)
        bindings.truncate(to: beforeCaller.slots)
        isWhollyShared = true
    }

    /// Stops the process if the last caller shares only some of its statements: the others would
    /// run without a caller, or as the previous caller.
    private func requireWhollyShared() {
        precondition(isWhollyShared, "the last caller shares only some of its statements")
    }

    /// Ends sharing: statements that are added from now on run on their own.
    package mutating func endSharing() {
        requireWhollyShared()
        isSharing = false
        for statement in shared.statements {
            let start = bindings.slotCount
            shared.bind(statement, to: &bindings)
            steps[statement.step].slots = start..<bindings.slotCount
        }
        shared = SharedCalls()
    }

    /// Adds a call for the last caller.
    @inlinable
    mutating func addCall<Row, each Parameter>(
        _ statement: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter, callSite: PostgresError.CallSite
    ) -> ResultKey<Row> {
        let start = shared.values.slotCount
        repeat (each values).bind(to: &shared.values)
        let (step, call) = addCall(
            statement.prepared, takesCallerIndex: statement.takesCallerIndex, from: start, callSite)
        return ResultKey(index: step, call: call)
    }

    /// Adds a call whose values were bound last; returns the step of its statement and the number
    /// of the call.
    @usableFromInline
    mutating func addCall(
        _ statement: PreparedText, takesCallerIndex: Bool, from start: Int,
        _ callSite: PostgresError.CallSite
    ) -> (step: Int, call: Int) {
        if let found = shared.add(statement.number, from: start) { return found }
        let step = append(statement, from: bindings.slotCount, callSite)
        return (
            step,
            shared.addStatement(
                statement.number, step: step, takesCallerIndex: takesCallerIndex, from: start)
        )
    }
}

extension PostgresError {
    /// Position of the call in the source, as `Module/File.swift:line`.
    @usableFromInline package struct CallSite: Sendable, CustomStringConvertible {
        @usableFromInline package let file: StaticString
        @usableFromInline package let line: UInt
        @inlinable package init(_ file: StaticString, _ line: UInt) {
            self.file = file
            self.line = line
        }
        @usableFromInline package var description: String { "\(file):\(line)" }
    }
}

/// The results of a batch's statements.
@usableFromInline package struct BatchResults {
    @usableFromInline let results: [Rows]

    /// Returns the rows of one statement of the batch.
    @inlinable
    package func rows<Row>(_ key: Batch.ResultKey<Row>) throws(PostgresError) -> [Row] {
        let rows = results[key.index]
        let range = try rows.range(of: key.call)
        return try rows.map(in: range, after: key.call > 0 ? 1 : 0, Row.row.read)
    }

    /// Returns the only row of one statement of the batch.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` unless there is exactly one.
    @inlinable
    package func row<Row>(_ key: Batch.ResultKey<Row>) throws(PostgresError) -> Row {
        guard let row = try first(key) else { throw Self.missing }
        return row
    }

    /// Returns the only row of a statement of the batch; nil if there is none.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` when there are several.
    @inlinable
    package func first<Row>(_ key: Batch.ResultKey<Row>) throws(PostgresError) -> Row? {
        let rows = results[key.index]
        let range = try rows.range(of: key.call)
        guard let row = range.first else { return nil }
        guard range.count == 1 else { throw Self.tooMany(range.count) }
        var reader = rows.reader(of: row, after: key.call > 0 ? 1 : 0)
        return try Row.row.read(&reader)
    }

    @usableFromInline static var missing: PostgresError {
        PostgresError(.unexpectedRows, "no row where one is expected")
    }

    @usableFromInline static func tooMany(_ count: Int) -> PostgresError {
        PostgresError(.unexpectedRows, "\(count) rows where at most one is expected")
    }
}

/// A statement's text with its values, written as one string literal.
///
/// Interpolation always binds: `"SELECT 1 FROM t WHERE id = \(id)"` becomes `$1` and a parameter,
/// so a value can't become syntax. For parts that can't be parameters there are `\(identifier:)`,
/// which quotes, and `\(unsafe:)`, for text that the caller trusts.
///
/// Meant for statements that run rarely; those of the request path are ``Statement``s.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text, with `$1`... for the interpolated values.
    package private(set) var text: String
    /// The values, in the order in which they were interpolated.
    package private(set) var bindings: Bindings

    package init(stringLiteral value: String) {
        text = value
        bindings = Bindings()
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        bindings = stringInterpolation.bindings
    }

    /// Collects the text and binds interpolated values as parameters.
    package struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""
        var bindings = Bindings()

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 3)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds `value` as the next parameter.
        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            value.bind(to: &bindings)
            text += "$\(bindings.slotCount)"
        }

        /// Inserts a name in double quotes, with its own quotes doubled.
        package mutating func appendInterpolation(identifier name: String) {
            text += SQL.quoted(identifier: name)
        }

        /// Inserts trusted text as it is.
        package mutating func appendInterpolation(unsafe trusted: String) { text += trusted }
    }

    /// Returns a quoted identifier: in double quotes, with its own quotes doubled.
    package static func quoted(identifier name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    /// Returns a string literal: in single quotes, with its own quotes doubled; in the `E''` form
    /// if it has a backslash, so that its meaning does not depend on `standard_conforming_strings`.
    package static func quoted(literal value: String) -> String {
        var body = ""
        for character in value.unicodeScalars {
            if character == "'" || character == "\\" { body.unicodeScalars.append(character) }
            body.unicodeScalars.append(character)
        }
        return (value.utf8.contains(UInt8(ascii: "\\")) ? " E'" : "'") + body + "'"
    }
}
