package import Domain
package import Postgres

/// A member's row among those of its whole family. It says who guards a child, not how the guardian
/// is called: that the guardian's own row tells.
package struct MemberOfList: RowDecodable, Sendable {
    /// Without its guardians.
    fileprivate let member: ListedMember
    /// As they are listed.
    fileprivate let guardianships: [RecordedGuardianship]
    /// The family's version, in the reader's own row; nil in all others.
    package let version: DatedVersion?
    /// Whether it is the family's creator, and has stepped down by itself.
    package let isRestingCreator: Bool

    package init(row: inout RowReader) throws(PostgresError) {
        let member = try ListedMember(&row, withGuardians: false)
        var guardianships = try RecordedGuardianship.list(&row)
        if guardianships.count > 1 {
            guardianships.sort { $0.isListed(before: $1, of: member) }
        }
        self.member = member
        self.guardianships = guardianships
        version = try DatedVersion(row: &row)
        isRestingCreator = try row.read()
    }

    /// The family that the row is of.
    package var family: FamilyID { member.family }
}

extension ListedMember {
    /// The members of a family from all their rows, each with its guardians: in the order in which
    /// they came, waiting people last.
    ///
    /// A guardian without a row is none: only an active member guards a child, and whoever sees a
    /// child sees all active members.
    package static func list(_ rows: [MemberOfList]) -> [ListedMember] {
        var members: [ListedMember] = []
        members.reserveCapacity(rows.count)
        for row in rows {
            members.append(
                row.guardianships.isEmpty ? row.member : row.member.withGuardians(among: rows, row))
        }
        members.sort { $0.isListed(before: $1) }
        return members
    }

    private func withGuardians(among rows: [MemberOfList], _ row: MemberOfList) -> ListedMember {
        var guardians: [ListedGuardian] = []
        guardians.reserveCapacity(row.guardianships.count)
        for guardianship in row.guardianships {
            for other in rows where other.member.user == guardianship.guardian {
                guardians.append(ListedGuardian(guardianship, of: self, by: other.member))
            }
        }
        return ListedMember(self, guardians: guardians, conflict: conflict)
    }

    private func isListed(before other: ListedMember) -> Bool {
        if status != other.status { return status.rawValue < other.status.rawValue }
        return (addedAt.microseconds, id.rawValue) < (other.addedAt.microseconds, other.id.rawValue)
    }
}

/// Who guards a child, as it is recorded.
struct RecordedGuardianship: Sendable {
    let guardian: UserID
    let since: Timestamp
    let slot: Int16

    /// Whether it comes first in the lists of the child's guardians.
    fileprivate func isListed(before other: RecordedGuardianship, of child: ListedMember) -> Bool {
        let isPrimary = guardian == child.guardian
        if isPrimary != (other.guardian == child.guardian) { return isPrimary }
        return (since.microseconds, slot) < (other.since.microseconds, other.slot)
    }

    /// Reads the column `guardianships` of `app.members_seen`; of an account it is null.
    fileprivate static func list(_ row: inout RowReader) throws(PostgresError) -> [Self] {
        try row.read(List?.self)?.guardianships ?? []
    }

    /// The value of that column.
    private struct List: PostgresDecodable {
        let guardianships: [RecordedGuardianship]

        static func reads(_ type: PostgresType) -> Bool { type == .byteaArray }
        static var specimen: List { List(guardianships: []) }
        static func decode(_ column: ColumnValue) throws(ColumnError) -> List {
            List(
                guardianships: try column.array { (element) throws(ColumnError) in
                    try RecordedGuardianship(try element.present())
                })
        }
    }

    /// Reads one element: user, time and slot.
    private init(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) {
        guard bytes.count == 26 else {
            throw ColumnError("a guardianship of \(bytes.count) bytes, not 26")
        }
        guardian = UserID(rawValue: bytes.bigEndian(UInt128.self))
        since = try Timestamp(
            PostgresTimestamp(microsecondsSince2000: bytes.bigEndian(Int64.self, at: 16)))
        slot = bytes.bigEndian(Int16.self, at: 24)
    }
}
