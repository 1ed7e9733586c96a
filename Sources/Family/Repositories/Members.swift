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
    }
}

package enum Members {
    private static let columns = """
        id, family_unit_id, user_id, role, household_role, status, added_at, is_managed,
        parent_user_id, guardian_user_ids, guardian_member_ids, guardian_names, guardians_since,
        joined_via, avatar_key, full_name, account_role, email, vouched, is_creator,
        household_ceiling
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

    /// A family has at most 64 slots and 30 waiting people. If there are as many rows as this
    /// limit, rows may be missing.
    package static let limitOfMine = 101

    /// One member of a family of the subject's.
    package static let one = Statement<ListedMember, MemberID>(
        "SELECT \(columns) FROM app.member_list WHERE id = $1")
}
