package import Domain
package import Postgres

/// A member as its family sees it.
package struct ListedMember: RowDecodable, Sendable {
    package let id: MemberID
    package let family: FamilyID
    package let user: UserID
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let status: MembershipStatus
    package let addedAt: Timestamp
    package let isManaged: Bool
    /// The primary guardian of a managed member.
    package let guardian: UserID?
    /// All guardians of a managed member, the primary one first; none of an account.
    package let guardians: [ListedGuardian]
    package let joinedVia: JoinedVia
    package let avatarKey: String?
    package let fullName: String?
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
    /// What became of a change of its household role, for who is told.
    package var conflict: RoleConflict?

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
        guardians = try ListedGuardian.list(&row)
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

package enum Members {
    static let columns = """
        id, family_unit_id, user_id, role, household_role, status, added_at, is_managed,
        parent_user_id, guardian_user_ids, guardian_member_ids, guardian_names, guardians_since,
        joined_via, avatar_key, full_name, account_role, email, vouched, is_creator,
        household_ceiling, display_name, avatar_url, created_at, updated_at
        """

    /// The members of one of the subject's families, waiting people last; no row if the subject is
    /// not in it.
    package static let ofFamily = Statement<ListedMember, FamilyID>(
        """
        SELECT \(columns) FROM app.member_list
        WHERE family_unit_id = $1 ORDER BY status, added_at, id LIMIT 100
        """)

    /// The members of all the subject's families, family by family; enough to see whether there is
    /// more than one.
    package static let ofMyFamilies = Statement<ListedMember>(
        """
        SELECT \(columns) FROM app.member_list
        ORDER BY family_unit_id, status, added_at, id LIMIT \(limitOfMine)
        """)

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

    /// Reads four columns, an array each: users, members, names, times. All are null of an account.
    static func list(_ row: inout RowReader) throws(PostgresError) -> [ListedGuardian] {
        let users = try row.read([UserID]?.self) ?? []
        let members = try row.read([MemberID]?.self) ?? []
        let names = try row.read([String]?.self) ?? []
        let since = try row.read([Timestamp]?.self) ?? []
        return zip(zip(users, members), zip(names, since)).map {
            ListedGuardian(user: $0.0, member: $0.1, name: $1.0, since: $1.1)
        }
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
