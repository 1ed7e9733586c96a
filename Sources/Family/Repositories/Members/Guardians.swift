package import Domain
package import Postgres

/// A guardian of a managed member, as the family sees it.
package struct ListedGuardian: Sendable, Equatable {
    package let user: UserID
    /// The guardian's own membership in the family.
    package let member: MemberID
    /// Display name, even for a person without a name.
    package let name: String
    /// Time at which the guardianship began.
    package let since: Timestamp
    /// Whether this guardian is the child's primary guardian.
    package fileprivate(set) var isPrimary = false

    /// Returns the guardians in the column `guardians` of the views of members, which is null for a
    /// member with an account.
    static func list(_ column: [ListedGuardian]?, primary: UserID?) -> [ListedGuardian] {
        guard var guardians = column else { return [] }
        for index in guardians.indices where guardians[index].user == primary {
            guardians[index].isPrimary = true
        }
        return guardians
    }
}

extension ListedGuardian: PostgresArrayElement {
    package static var arrayType: PostgresType { .byteaArray }
    package static func reads(_ type: PostgresType) -> Bool { type == .bytea }

    /// Decodes user, member and time, followed by the name.
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> ListedGuardian {
        let bytes = try column.present()
        guard bytes.count >= 40 else {
            throw ColumnError("a guardian of \(bytes.count) bytes, not 40 and a name")
        }
        return ListedGuardian(
            user: UserID(rawValue: bytes.bigEndian(UInt128.self)),
            member: MemberID(rawValue: bytes.bigEndian(UInt128.self, at: 16)),
            name: String(decoding: bytes[40...], as: UTF8.self),
            since: try Timestamp(
                PostgresTimestamp(microsecondsSince2000: bytes.bigEndian(Int64.self, at: 32))))
    }
}

/// A guardian of a managed member, as stored.
package struct RecordedGuardianship: Sendable, Equatable {
    package let guardian: UserID
    /// Time at which the guardianship began.
    package let since: Timestamp
    /// Slot among the child's guardians. It decides the order of guardians who began at the same
    /// time.
    let slot: Int16

    /// Whether this guardian's guardianship began earlier than another one's.
    package func hasServedLonger(than other: RecordedGuardianship) -> Bool {
        (since.microseconds, slot) < (other.since.microseconds, other.slot)
    }

    /// Whether this guardian precedes another one in lists of the child's guardians.
    func isListed(before other: RecordedGuardianship, primary: UserID?) -> Bool {
        let isPrimary = guardian == primary
        if isPrimary != (other.guardian == primary) { return isPrimary }
        return hasServedLonger(than: other)
    }
}

extension RecordedGuardianship: PostgresArrayElement {
    package static var arrayType: PostgresType { .byteaArray }
    package static func reads(_ type: PostgresType) -> Bool { type == .bytea }

    /// Decodes user, time and slot.
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> RecordedGuardianship {
        let bytes = try column.fixed(26)
        return RecordedGuardianship(
            guardian: UserID(rawValue: bytes.bigEndian(UInt128.self)),
            since: try Timestamp(
                PostgresTimestamp(microsecondsSince2000: bytes.bigEndian(Int64.self, at: 16))),
            slot: bytes.bigEndian(Int16.self, at: 24))
    }
}

/// Statements that change the guardians of a child. Each function checks its rule again under the
/// family's lock.
package enum Guardianships {
    /// Adds a guardian, and enqueues the e-mail to the adult. Parameters: child, guardian.
    package static let add = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.add_guardian($1, $2)")

    /// Ends a guardianship, and enqueues the e-mail to a former guardian other than the caller.
    /// Parameters: child, guardian.
    package static let remove = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.remove_guardian($1, $2)")

    /// Makes a guardian the primary one. Parameters: child, guardian.
    package static let makePrimary = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.make_primary_guardian($1, $2)")
}
