import Glibc
import Synchronization

/// A statement of the request path: its text, the types of its parameters and the type of its rows.
///
/// Prepared once per connection on first use (or sent with its text each time where prepared
/// statements are switched off). Make it a `static let` beside the type that decodes it:
///
///     static let byCode = Statement<FamilyRow, String>(
///         "SELECT id, family_name FROM app.family_units WHERE family_code = $1")
///
/// A statement must not change the session (no `SET`, `LISTEN`, session locks): leases rely on it.
@usableFromInline
package struct Statement<Row: RowDecodable, each Parameter: PostgresEncodable>: Sendable {
    @usableFromInline let prepared: PreparedText
    /// The same for several calls at once; nil if it can't be shared.
    @usableFromInline package let shared: SharedStatement<Row, repeat each Parameter>?

    /// - Parameter sharedText: The same for one of several callers, with `q.place` for the place of
    ///   the caller and `q.p1`... for the parameters; nil if it can't be shared.
    package init(_ text: String, forEach sharedText: String? = nil) {
        var types: [PostgresType] = []
        for type in repeat (each Parameter).self { types.append(type.postgresType) }
        prepared = PreparedText(text, parameterTypes: types)
        shared = sharedText.map { SharedStatement(forEach: $0) }
    }

    /// The text, with `$1`... for the parameters.
    package var text: String { prepared.text }

    /// The types that the parameters are declared with.
    package var parameterTypes: [PostgresType] { prepared.parameterTypes }
}

/// The part of a statement that a connection needs: text and types, under a process-wide number.
@usableFromInline final class PreparedText: Sendable {
    private static let count = Atomic<Int>(0)

    let text: String
    let parameterTypes: [PostgresType]
    /// Counts up from 0 in this process; the index into the connection's list of prepared
    /// statements.
    let number: Int
    /// The name under which it is prepared, as C wants it: written once, and only read afterwards.
    /// Nil for a text that is never prepared.
    nonisolated(unsafe) let name: UnsafeMutablePointer<CChar>?

    init(_ text: String, parameterTypes: [PostgresType]) {
        self.text = text
        self.parameterTypes = parameterTypes
        number = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        name = strdup("hearth\(number)")
    }

    /// A text that is sent as it is and never prepared.
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

/// A statement without the Swift types of its parameters and rows, to check against a schema.
package struct DeclaredStatement: Sendable {
    /// With `$1`... for the parameters.
    package let text: String
    package let parameterTypes: [PostgresType]
    /// The columns that a row is read from, from left to right.
    package let expectedColumns: [ExpectedColumn]

    package init<Row, each Parameter>(_ statement: Statement<Row, repeat each Parameter>) {
        text = statement.text
        parameterTypes = statement.parameterTypes
        expectedColumns = Row.expectedColumns
    }

    /// With the column that tells calls apart.
    package init<Row, each Parameter>(_ statement: SharedStatement<Row, repeat each Parameter>) {
        text = statement.prepared.text
        parameterTypes = statement.prepared.parameterTypes
        expectedColumns = Int64.expectedColumns + Row.expectedColumns
    }
}

/// Statements that go to the server together, in one round trip.
///
/// Outside a transaction a batch *is* one: the statements between two synchronisation points of
/// the pipeline are one implicit transaction, so all of them take effect or none.
///
///     var batch = Batch()
///     batch.add(Identity.begin, issuer, subject)
///     let members = batch.add(Members.ofFamily, familyID)
///     let rows = try connection.send(batch).rows(members)
@usableFromInline package struct Batch: Sendable {
    /// The place of one statement's answer in the answers of its batch.
    @usableFromInline package struct Place<Row: RowDecodable>: Sendable {
        @usableFromInline let index: Int
        /// Of a shared statement: which call, from 1; otherwise 0.
        @usableFromInline let call: Int

        @inlinable
        init(index: Int, call: Int = 0) {
            self.index = index
            self.call = call
        }
    }

    struct Step: Sendable {
        let statement: PreparedText
        /// The parameters' places in `bindings`.
        var slots: Range<Int>
        let callSite: PostgresError.CallSite
    }

    private(set) var steps: [Step] = []
    @usableFromInline var bindings = Bindings()
    /// What callers share, until sharing ends.
    @usableFromInline var shared = SharedCalls()
    /// Whether statements are added for the last of the callers who share them.
    @usableFromInline private(set) var isSharing = false
    /// Whether all statements of the last of these callers can be shared. If not, the caller has to
    /// be taken away before the next one is added (``removeCaller()``).
    @usableFromInline package internal(set) var isWhollyShared = true
    /// How many steps and parameters there were before the last of these callers.
    private var beforeCaller = (steps: 0, slots: 0)

    package init() {}

    /// How many statements are sent.
    package var statementCount: Int { steps.count }

    /// Adds a statement and returns the place of its result.
    ///
    /// For a caller who shares statements, one that can't be shared is added by itself, and
    /// ``isWhollyShared`` is false from then on.
    @discardableResult @inlinable
    package mutating func add<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Place<Row> {
        let callSite = PostgresError.CallSite(file, line)
        if isSharing {
            if let shared = statement.shared {
                return gather(shared, repeat each values, callSite: callSite)
            }
            isWhollyShared = false
        }
        let start = bindings.slotCount
        repeat (each values).bind(to: &bindings)
        return Place(index: append(statement.prepared, from: start, callSite))
    }

    /// Adds a step whose parameters are the last ones that were bound; its place.
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
    /// Begins with the next caller, whose calls of shared statements are gathered with those of the
    /// callers before. The first statement of each caller is the one that names it.
    ///
    /// - Returns: The place of that statement's answer.
    @inlinable
    package mutating func addCaller<Row, each Parameter>(
        _ naming: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Place<Row> {
        beginCaller()
        return gather(naming, repeat each values, callSite: PostgresError.CallSite(file, line))
    }

    /// Adds a call of a statement that finds its caller by the values themselves, among other calls
    /// of such statements, until sharing ends; the place of its answer. No caller shares statements
    /// meanwhile, and the statement is none for the callers of a batch (`forEach:`).
    @inlinable
    package mutating func addShared<Row, each Parameter>(
        _ statement: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Place<Row> {
        precondition(!isSharing && !statement.namesPlaces, "a statement that needs a caller before")
        return gather(
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

    /// Takes everything of the last caller away: some of its statements can't be shared.
    package mutating func removeCaller() {
        shared.removeCaller()
        // What stays are calls of the callers before, whose statements they added.
        steps.removeLast(steps.count - beforeCaller.steps)
        bindings.keep(first: beforeCaller.slots)
        isWhollyShared = true
    }

    /// A caller that shares only some of its statements would run the others as nobody, or as the
    /// caller before.
    private func requireWhollyShared() {
        precondition(isWhollyShared, "a caller with statements that can't be shared was left")
    }

    /// Ends sharing: statements that are added from now on are run for themselves.
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

    /// Adds a call of the last caller's.
    @inlinable
    mutating func gather<Row, each Parameter>(
        _ statement: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter, callSite: PostgresError.CallSite
    ) -> Place<Row> {
        let start = shared.values.slotCount
        repeat (each values).bind(to: &shared.values)
        let (step, call) = gather(
            statement.prepared, namesPlaces: statement.namesPlaces, from: start, callSite)
        return Place(index: step, call: call)
    }

    /// Adds a call whose values are the last ones that were bound: the step of its statement, and
    /// its number.
    @usableFromInline
    mutating func gather(
        _ statement: PreparedText, namesPlaces: Bool, from start: Int,
        _ callSite: PostgresError.CallSite
    ) -> (step: Int, call: Int) {
        if let found = shared.add(statement.number, from: start) { return found }
        let step = append(statement, from: bindings.slotCount, callSite)
        return (
            step,
            shared.addStatement(
                statement.number, step: step, namesPlaces: namesPlaces, from: start)
        )
    }
}

extension PostgresError {
    /// Where the call stood, as `Module/File.swift:line`.
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
@usableFromInline package struct Answers {
    @usableFromInline let results: [Rows]

    /// The rows of one statement of the batch.
    @inlinable
    package func rows<Row>(_ place: Batch.Place<Row>) throws(PostgresError) -> [Row] {
        let rows = results[place.index]
        let range = try rows.range(of: place.call)
        return try rows.map(in: range, after: place.call > 0 ? 1 : 0, Row.row.read)
    }

    /// The only row of one statement of the batch.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` unless there is exactly one.
    @inlinable
    package func row<Row>(_ place: Batch.Place<Row>) throws(PostgresError) -> Row {
        guard let row = try first(place) else { throw Self.missing }
        return row
    }

    /// The only row of a statement of the batch; nil if there is none.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` when there are several.
    @inlinable
    package func first<Row>(_ place: Batch.Place<Row>) throws(PostgresError) -> Row? {
        let rows = results[place.index]
        let range = try rows.range(of: place.call)
        guard let row = range.first else { return nil }
        guard range.count == 1 else { throw Self.tooMany(range.count) }
        var reader = rows.reader(of: row, after: place.call > 0 ? 1 : 0)
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
/// Meant for statements that run seldom; those of the request path are ``Statement``s.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// With `$1`... where values were interpolated.
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

    /// Gathers the text, and binds what is interpolated as parameters.
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

        /// Inserts a name in double quotes, its own quotes doubled.
        package mutating func appendInterpolation(identifier name: String) {
            text += SQL.quoted(identifier: name)
        }

        /// Inserts trusted text as it is.
        package mutating func appendInterpolation(unsafe trusted: String) { text += trusted }
    }

    /// A name as SQL reads it back: in double quotes, each of its own doubled.
    package static func quoted(identifier name: String) -> String {
        "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    /// A string literal: in single quotes, each of its own doubled; in the `E''` form when it has a
    /// backslash, so that its meaning does not depend on `standard_conforming_strings`.
    package static func quoted(literal value: String) -> String {
        var body = ""
        for character in value.unicodeScalars {
            if character == "'" || character == "\\" { body.unicodeScalars.append(character) }
            body.unicodeScalars.append(character)
        }
        return (value.utf8.contains(UInt8(ascii: "\\")) ? " E'" : "'") + body + "'"
    }
}
