package import Domain
import Postgres

/// A guardian of a managed member, as the family sees it.
package struct ListedGuardian: Sendable, Equatable {
    package let user: UserID
    /// The guardian's own membership of the family.
    package let member: MemberID
    /// The name to show, which a person without one has too.
    package let name: String
    /// When the guardianship began.
    package let since: Timestamp
    /// Whether it is the child's primary guardian.
    package fileprivate(set) var isPrimary = false

    /// Reads the column `guardians` of `app.members_seen`; of an account it is null.
    static func list(
        _ row: inout RowReader, primary: UserID?
    ) throws(PostgresError) -> [ListedGuardian] {
        guard var guardians = try row.read(List?.self)?.guardians else { return [] }
        for index in guardians.indices where guardians[index].user == primary {
            guardians[index].isPrimary = true
        }
        return guardians
    }

    /// The value of that column.
    private struct List: PostgresDecodable {
        let guardians: [ListedGuardian]

        static func reads(_ type: PostgresType) -> Bool { type == .byteaArray }
        static var specimen: List { List(guardians: []) }
        static func decode(_ column: ColumnValue) throws(ColumnError) -> List {
            List(
                guardians: try column.array { (element) throws(ColumnError) in
                    try ListedGuardian(try element.present())
                })
        }
    }

    /// A guardianship with the guardian's own row.
    init(_ guardianship: RecordedGuardianship, of child: ListedMember, by guardian: ListedMember) {
        user = guardianship.guardian
        member = guardian.id
        name = guardian.displayName
        since = guardianship.since
        isPrimary = user == child.guardian
    }

    /// Reads one element: user, member and time, and behind them the name.
    private init(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) {
        guard bytes.count >= 40 else {
            throw ColumnError("a guardian of \(bytes.count) bytes, not 40 and a name")
        }
        user = UserID(rawValue: bytes.bigEndian(UInt128.self))
        member = MemberID(rawValue: bytes.bigEndian(UInt128.self, at: 16))
        since = try Timestamp(
            PostgresTimestamp(microsecondsSince2000: bytes.bigEndian(Int64.self, at: 32)))
        name = String(decoding: bytes[40...], as: UTF8.self)
    }
}
