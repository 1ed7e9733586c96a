package import Domain
import Glibc
package import Postgres

// Mapping of domain values: ids to uuid, timestamps to timestamptz, words to text.

extension ID: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .uuid }
    package static func reads(_ type: PostgresType) -> Bool { type == .uuid }
    package func bind(to bindings: inout Bindings) { rawValue.bind(to: &bindings) }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> ID {
        ID(rawValue: try UInt128.decode(column))
    }
    package static func read(from row: inout RowReader) throws(PostgresError) -> ID {
        ID(rawValue: try row.read())
    }
    package static func readIfPresent(from row: inout RowReader) throws(PostgresError) -> ID? {
        guard let rawValue = try UInt128.readIfPresent(from: &row) else { return nil }
        return ID(rawValue: rawValue)
    }
}

extension Timestamp: PostgresEncodable, PostgresDecodable {
    /// Microseconds from Hearth's epoch, 1970, to PostgreSQL's, 2000.
    private static let epoch: Int64 = 946_684_800_000_000

    package static var postgresType: PostgresType { .timestamptz }
    package static func reads(_ type: PostgresType) -> Bool { type == .timestamptz }
    package func bind(to bindings: inout Bindings) {
        wireForm.bind(to: &bindings)
    }
    /// The timestamp in PostgreSQL's format: `-infinity` for times that PostgreSQL can't express.
    package var wireForm: PostgresTimestamp {
        let (sum, isTooEarly) = microseconds.subtractingReportingOverflow(Self.epoch)
        return PostgresTimestamp(microsecondsSince2000: isTooEarly ? .min : sum)
    }

    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Timestamp {
        try Timestamp(try PostgresTimestamp.decode(column))
    }

    /// Converts a timestamp from PostgreSQL's format.
    init(_ wire: PostgresTimestamp) throws(ColumnError) {
        let (microseconds, overflow) = wire.microsecondsSince2000
            .addingReportingOverflow(Self.epoch)
        guard !overflow else { throw ColumnError("an infinite time where a moment is expected") }
        self.init(microseconds: microseconds)
    }
}

extension ID: PostgresArrayElement {
    package static var arrayType: PostgresType { .uuidArray }
}

extension Timestamp: PostgresArrayElement {
    package static var arrayType: PostgresType { .timestamptzArray }
}

/// A value of an enumeration that is stored as text with a CHECK.
package protocol PostgresWord: PostgresEncodable, PostgresDecodable, RawRepresentable,
    CaseIterable
where RawValue == String {}

extension PostgresWord {
    package static var postgresType: PostgresType { .text }
    package static func reads(_ type: PostgresType) -> Bool { String.reads(type) }
    package func bind(to bindings: inout Bindings) { rawValue.bind(to: &bindings) }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Self {
        // There are few words, all short: comparing bytes is faster than creating a string.
        let bytes = try column.present()
        for word in allCases where word.isWritten(bytes) { return word }
        throw ColumnError("a word that \(Self.self) does not know")
    }

    private func isWritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var word = rawValue
        guard word.utf8.count == bytes.count, let start = bytes.baseAddress else { return false }
        return word.withUTF8 { text in
            text.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? false
        }
    }
}

extension UserKind: PostgresWord {}
extension MemberRole: PostgresWord {}
extension HouseholdRole: PostgresWord {}
extension MembershipStatus: PostgresWord {}
extension SignInMethod: PostgresWord {}
extension IdentityKind: PostgresWord {}
extension JoinedVia: PostgresWord {}
extension InvitationStatus: PostgresWord {}
extension InvitationKind: PostgresWord {}
extension ConsentMethod: PostgresWord {}
extension InvitationDelivery: PostgresWord {}
extension KeyScope: PostgresWord {}
