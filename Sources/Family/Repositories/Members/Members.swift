package import Domain
package import Postgres

/// A member as its family sees it.
///
/// A class, because what is shown of it is read field by field: a value of so many fields would be
/// copied for each.
package final class ListedMember: RowDecodable, Sendable {
    package let id: MemberID
    package let family: FamilyID
    package let user: UserID
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let status: MembershipStatus
    /// When the membership began, for the last time if it has ended in between.
    package let addedAt: Timestamp
    package let isManaged: Bool
    /// The primary guardian of a managed member.
    package let guardian: UserID?
    /// All guardians of a managed member, the primary one first; none of an account.
    package let guardians: [ListedGuardian]
    package let joinedVia: JoinedVia
    package let avatarKey: String?
    package let fullName: String?
    /// The side of the person's account; ``role`` is the side of this membership.
    package let accountRole: MemberRole
    /// Nil if there is none or the caller may not see it.
    package let email: String?
    /// Whether somebody answers for this person.
    package let isVouched: Bool
    /// Whether this is the user who made the family.
    package let isCreator: Bool
    /// The highest household role that this person may choose for itself; nil for others than the
    /// subject.
    package let ceiling: HouseholdRole?
    /// The name to show, which a person without one has too.
    package let displayName: String
    package let avatarURL: String?
    /// When the membership was first made; `addedAt` is when it last began.
    package let createdAt: Timestamp
    /// When the membership or the person behind it last changed.
    package let updatedAt: Timestamp
    /// What became of a change of its household role; nil for readers whom it does not concern.
    package let conflict: RoleConflict?

    package init(row: inout RowReader) throws(PostgresError) {
        id = try row.read()
        family = try row.read()
        user = try row.read()
        role = try row.read()
        householdRole = try row.read()
        status = try row.read()
        addedAt = try row.read()
        isManaged = try row.read()
        guardian = try row.read()
        guardians = try ListedGuardian.list(&row, primary: guardian)
        joinedVia = try row.read()
        avatarKey = try row.read()
        fullName = try row.read()
        accountRole = try row.read()
        email = try row.read()
        isVouched = try row.read()
        isCreator = try row.read()
        ceiling = try row.read()
        displayName = try row.read()
        avatarURL = try row.read()
        createdAt = try row.read()
        updatedAt = try row.read()
        conflict = nil
    }

    /// The same member with another conflict.
    package init(_ other: ListedMember, conflict: RoleConflict?) {
        id = other.id
        family = other.family
        user = other.user
        role = other.role
        householdRole = other.householdRole
        status = other.status
        addedAt = other.addedAt
        isManaged = other.isManaged
        guardian = other.guardian
        guardians = other.guardians
        joinedVia = other.joinedVia
        avatarKey = other.avatarKey
        fullName = other.fullName
        accountRole = other.accountRole
        email = other.email
        isVouched = other.isVouched
        isCreator = other.isCreator
        ceiling = other.ceiling
        displayName = other.displayName
        avatarURL = other.avatarURL
        createdAt = other.createdAt
        updatedAt = other.updatedAt
        self.conflict = conflict
    }
}

/// Who was a member of a family.
package struct FormerMember: RowDecodable, Sendable {
    package let member: ListedMember
    package let removedAt: Timestamp

    package init(row: inout RowReader) throws(PostgresError) {
        member = try ListedMember(row: &row)
        removedAt = try row.read()
    }
}

/// The statements that read and change memberships, as the API's role.
package enum Members {
    static let columns = """
        id, family_unit_id, user_id, role, household_role, status, added_at, is_managed,
        parent_user_id, guardians, joined_via, avatar_key, full_name, account_role, email, vouched,
        is_creator, household_ceiling, display_name, avatar_url, created_at, updated_at
        """

    /// The members of one of the subject's families, waiting people last; no row if the subject is
    /// not in it.
    package static let ofFamily = Statement<ListedMember, FamilyID>(
        selectFamily("app.member_list WHERE", "$1"),
        forEach: selectFamily("app.member_lists WHERE place = q.place AND", "q.p1"))

    private static func selectFamily(_ seen: String, _ family: String) -> String {
        """
        SELECT \(columns) FROM \(seen) family_unit_id = \(family)
        ORDER BY status, added_at, id LIMIT 100
        """
    }

    /// The members of all the subject's families, family by family; enough to see whether there is
    /// more than one.
    package static let ofMyFamilies = Statement<ListedMember>(
        selectMine("app.member_list"), forEach: selectMine("app.member_lists WHERE place = q.place")
    )

    private static func selectMine(_ seen: String) -> String {
        """
        SELECT \(columns) FROM \(seen)
        ORDER BY family_unit_id, status, added_at, id LIMIT \(limitOfMine)
        """
    }

    /// Who was a member, the last who went first: of one family (null: of all that the account
    /// governs), from after the one of a moment and id (null: from the last), so many.
    package static let former = Statement<
        FormerMember, FamilyID?, Timestamp?, MemberID?, Int32
    >(
        """
        SELECT \(columns), removed_at FROM app.former_member_list
        WHERE ($1::uuid IS NULL OR family_unit_id = $1)
            AND ($2::timestamptz IS NULL OR (removed_at, id) < ($2, $3))
        ORDER BY removed_at DESC, id DESC LIMIT $4
        """)

    /// The members of the subject's first family (``Families/first``).
    package static let ofFirstFamily = Statement<ListedMember>(
        """
        SELECT \(columns) FROM app.member_list
        WHERE family_unit_id = (\(Families.selectFirst))
        ORDER BY status, added_at, id LIMIT 100
        """)

    /// A family has at most 64 slots and 30 waiting people. If there are as many rows as this
    /// limit, rows may be missing.
    package static let limitOfMine = 101

    /// One member of a family of the subject's.
    package static let one = Statement<ListedMember, MemberID>(
        "SELECT \(columns) FROM app.member_list WHERE id = $1")
}

/// A guardian of a managed member, as the family sees it.
package struct ListedGuardian: Sendable, Equatable {
    package let user: UserID
    package let member: MemberID
    /// Empty if unknown.
    package let name: String
    package let since: Timestamp
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

/// Changes of memberships. Each function checks its rule again under the family's lock.
package enum Memberships {
    /// Removes a member: member, new guardian of its children, whether the family gets a new code.
    package static let remove = Statement<NoRow, MemberID, MemberID?, Bool>(
        "SELECT FROM app.remove_member($1, $2, $3)")

    /// Ends the caller's own membership, or its waiting for one: family, which member takes its
    /// managed members over.
    package static let leave = Statement<NoRow, FamilyID, MemberID?>(
        "SELECT FROM app.leave_family($1, $2)")

    /// Whether the subject waits for a family's approval.
    package static let isWaiting = Statement<Scalar<Bool>, FamilyID>(
        """
        SELECT EXISTS (SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = $1 AND m.user_id = app.user_id() AND m.status = 'invited')
        """)

    package static let approve = Statement<NoRow, MemberID>("SELECT FROM app.approve_member($1)")

    /// Transfers the caller's seat as Parent Admin to another member.
    package static let transferAdmin = Statement<NoRow, FamilyID, MemberID>(
        "SELECT FROM app.transfer_admin($1, $2)")

    /// Adds a child with the caller as guardian: family, name, avatar key.
    package static let addManaged = Statement<Scalar<MemberID>, FamilyID, String, String?>(
        "SELECT id FROM app.add_managed_member($1, $2, $3) AS id")

    /// Changes a child: name, avatar key (empty to take it away). Null leaves as it is.
    package static let updateManaged = Statement<NoRow, MemberID, String?, String?>(
        "SELECT FROM app.update_managed_member($1, $2, $3)")

    /// Hands a child to another guardian.
    package static let reassignManaged = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.reassign_managed_member($1, $2)")
}

/// Changes of who guards a child. Each function checks its rule again under the family's lock.
package enum Guardianships {
    /// Adds a guardian: child, guardian.
    package static let add = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.add_guardian($1, $2)")

    /// Ends a guardianship: child, guardian.
    package static let remove = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.remove_guardian($1, $2)")

    /// Makes a guardian the primary one: child, guardian.
    package static let promote = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.make_primary_guardian($1, $2)")
}
