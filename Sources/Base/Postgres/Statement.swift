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
package struct Statement<Row: RowDecodable, each Parameter: PostgresEncodable>: Sendable {
    let prepared: PreparedText
    /// The same for several calls at once; nil if it can't be shared.
    package let shared: SharedStatement<Row, repeat each Parameter>?

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

    /// The columns that the decoder of `Row` expects, found by running it without a row.
    package var expectedColumns: [RowReader.Expectation] {
        get throws(PostgresError) {
            var reader = RowReader()
            _ = try Row(row: &reader)
            return reader.expectations
        }
    }
}

/// The part of a statement that a connection needs: text and types, under a process-wide number.
final class PreparedText: Sendable {
    private static let count = Atomic<Int>(0)

    let text: String
    let parameterTypes: [PostgresType]
    /// Counts up from 0 in this process; the index into the connection's list of prepared
    /// statements.
    let number: Int
    let name: String

    init(_ text: String, parameterTypes: [PostgresType]) {
        self.text = text
        self.parameterTypes = parameterTypes
        number = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        name = "hearth\(number)"
    }

    /// A text that is sent as it is and never prepared.
    init(adHoc text: String) {
        self.text = text
        parameterTypes = []
        number = -1
        name = ""
    }

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

    /// With the column that tells calls apart.
    package init<Row, each Parameter>(_ statement: SharedStatement<Row, repeat each Parameter>) {
        text = statement.prepared.text
        parameterTypes = statement.prepared.parameterTypes
        expectedColumns = {
            var reader = RowReader()
            _ = try reader.read(Int64.self)
            _ = try Row(row: &reader)
            return reader.expectations
        }
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
package struct Batch: Sendable {
    /// The place of one statement's answer in the answers of its batch.
    package struct Place<Row: RowDecodable>: Sendable {
        let index: Int
        /// Of a shared statement: which call, from 1; otherwise 0.
        var call = 0
    }

    struct Step: Sendable {
        let statement: PreparedText
        /// The parameters' places in `bindings`.
        var slots: Range<Int>
        let callSite: PostgresError.CallSite
    }

    var steps: [Step] = []
    var bindings = Bindings()
    /// Calls of shared statements, until sharing ends.
    var gathered: [GatheredCalls] = []
    /// How many callers share statements.
    var callers: Int32 = 0
    /// Whether statements are added for the last of these callers.
    var isSharing = false
    /// Whether all statements of the last of these callers can be shared. Those that can't are not
    /// added.
    package internal(set) var isWhollyShared = true

    package init() {}

    /// How many statements are sent.
    package var statementCount: Int { steps.count }

    /// Adds a statement and returns the place of its result.
    @discardableResult
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
            return Place(index: -1)
        }
        let start = bindings.slots.count
        repeat (each values).bind(to: &bindings)
        return append(statement.prepared, start..<bindings.slots.count, callSite)
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
        let rows = results[place.index]
        return try rows.decode(in: rows.range(of: place.call), after: place.call > 0 ? 1 : 0)
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
        let rows = try rows(place)
        guard rows.count <= 1 else {
            throw PostgresError(
                .unexpectedRows, "\(rows.count) rows where at most one is expected")
        }
        return rows.first
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
    package private(set) var text: String
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
            text += "$\(bindings.slots.count)"
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

/// A value that can be bound to a statement's parameter, in PostgreSQL's binary format.
package protocol PostgresEncodable: SendableMetatype {
    /// The type that the parameter is declared with.
    static var postgresType: PostgresType { get }

    /// Appends the value as one parameter.
    ///
    /// - Important: Appends exactly one, by one call of `Bindings.bind` or `Bindings.bindNull`.
    func bind(to bindings: inout Bindings)
}

/// The parameters of one or more statements, in one run of bytes.
package struct Bindings: Sendable {
    struct Slot: Sendable {
        let type: PostgresType
        let offset: Int32
        /// -1 means NULL.
        let length: Int32
    }

    private(set) var bytes: [UInt8] = []
    private(set) var slots: [Slot] = []

    package init() {}

    /// Appends a parameter whose binary form `body` writes.
    package mutating func bind(_ type: PostgresType, _ body: (inout [UInt8]) -> Void) {
        let start = bytes.count
        body(&bytes)
        slots.append(
            Slot(type: type, offset: Int32(start), length: Int32(bytes.count - start)))
    }

    /// Appends an array of parameters of others; nulls may be among them.
    mutating func bindArray(of indices: some Sequence<Int>, in others: Bindings) {
        let elements = indices.map { others.slots[$0] }
        guard let type = elements.first?.type else { preconditionFailure("an array of nothing") }
        bind(type.array) { bytes in
            bytes.appendBigEndian(Int32(1))
            bytes.appendBigEndian(Int32(elements.contains { $0.length < 0 } ? 1 : 0))
            bytes.appendBigEndian(type.oid)
            bytes.appendBigEndian(Int32(elements.count))
            bytes.appendBigEndian(Int32(1))
            for element in elements {
                bytes.appendBigEndian(element.length)
                guard element.length > 0 else { continue }
                let start = Int(element.offset)
                bytes.append(contentsOf: others.bytes[start..<start + Int(element.length)])
            }
        }
    }

    /// Takes the last parameters away.
    mutating func removeLast(_ count: Int) {
        guard count > 0 else { return }
        bytes.removeLast(bytes.count - Int(slots[slots.count - count].offset))
        slots.removeLast(count)
    }

    /// Appends NULL.
    package mutating func bindNull(_ type: PostgresType) {
        slots.append(Slot(type: type, offset: Int32(bytes.count), length: -1))
    }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    @inline(__always)
    package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { self.append(contentsOf: $0) }
    }
}
