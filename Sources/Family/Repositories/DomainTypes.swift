package import Domain
import Glibc
package import Postgres

// How domain values travel: ids as uuid, moments as timestamptz, words as text.

extension ID: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .uuid }
    package static func reads(_ type: PostgresType) -> Bool { type == .uuid }
    package static var specimen: ID { ID(rawValue: 0) }
    package func bind(to bindings: inout Bindings) { rawValue.bind(to: &bindings) }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> ID {
        ID(rawValue: try UInt128.decode(column))
    }
}

extension Timestamp: PostgresEncodable, PostgresDecodable {
    /// Microseconds from 1970, where Hearth counts, to 2000, where PostgreSQL does.
    private static let epoch: Int64 = 946_684_800_000_000

    package static var postgresType: PostgresType { .timestamptz }
    package static func reads(_ type: PostgresType) -> Bool { type == .timestamptz }
    package static var specimen: Timestamp { Timestamp(microseconds: 0) }
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

extension UserKind: PostgresWord {
    package static var specimen: UserKind { .account }
}
extension MemberRole: PostgresWord {
    package static var specimen: MemberRole { .player }
}
extension HouseholdRole: PostgresWord {
    package static var specimen: HouseholdRole { .kid }
}
extension MembershipStatus: PostgresWord {
    package static var specimen: MembershipStatus { .active }
}
extension SignInMethod: PostgresWord {
    package static var specimen: SignInMethod { .exchange }
}
extension IdentityKind: PostgresWord {
    package static var specimen: IdentityKind { .issuer }
}
extension JoinedVia: PostgresWord {
    package static var specimen: JoinedVia { .created }
}
extension InvitationStatus: PostgresWord {
    package static var specimen: InvitationStatus { .pending }
}
extension InvitationKind: PostgresWord {
    package static var specimen: InvitationKind { .member }
}
extension ConsentMethod: PostgresWord {
    package static var specimen: ConsentMethod { .signedIn }
}
extension InvitationDelivery: PostgresWord {
    package static var specimen: InvitationDelivery { .email }
}
