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
