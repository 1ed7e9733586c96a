package import Domain
import Glibc
package import Postgres

// How domain values travel: ids as uuid, moments as timestamptz, words as text.

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
    /// Microseconds from 1970, where Hearth counts, to 2000, where PostgreSQL does.
    private static let epoch: Int64 = 946_684_800_000_000

    package static var postgresType: PostgresType { .timestamptz }
    package static func reads(_ type: PostgresType) -> Bool { type == .timestamptz }
    package func bind(to bindings: inout Bindings) {
        wireForm.bind(to: &bindings)
    }
    /// The same moment as PostgreSQL counts it.
    package var wireForm: PostgresTimestamp {
        PostgresTimestamp(microsecondsSince2000: microseconds - Self.epoch)
    }

    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Timestamp {
        try Timestamp(try PostgresTimestamp.decode(column))
    }

    /// The moment as PostgreSQL counts it.
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

/// One of a closed set of words, kept as text with a CHECK.
package protocol PostgresWord: PostgresEncodable, PostgresDecodable, RawRepresentable,
    CaseIterable
where RawValue == String {}

extension PostgresWord {
    package static var postgresType: PostgresType { .text }
    package static func reads(_ type: PostgresType) -> Bool { String.reads(type) }
    package func bind(to bindings: inout Bindings) { rawValue.bind(to: &bindings) }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Self {
        // Words are few and short: comparing bytes is faster than making a text of them.
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
