package import Domain
package import Postgres

/// A member as far as it matters for deciding what somebody may do in the family.
package struct RosterRow: RowDecodable, Sendable {
    package let member: MemberID
    package let family: FamilyID
    package let user: UserID
    /// The side of this membership.
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let status: MembershipStatus
    /// Whether it is a child without an account.
    package let isManaged: Bool
    /// The primary guardian of a managed member.
    package let guardian: UserID?
    /// All guardians of a managed member, the primary one first; none of an account.
    package let guardians: [UserID]
    /// Whether somebody answers for this person.
    package let isVouched: Bool
    /// Whether this is the user who made the family.
    package let isCreator: Bool
    /// How many active members the family may have.
    package let memberLimit: Int
    /// The highest household role that this person may choose for itself; nil for others than the
    /// subject.
    package let ceiling: HouseholdRole?
    /// Whether the member stands in for the creator and the Parent Admin, while both are gone.
    package let isStandIn: Bool
    /// Whether it is the family's creator, and has stepped down by itself.
    package let isRestingCreator: Bool

    package init(row: inout RowReader) throws(PostgresError) {
        member = try row.read()
        family = try row.read()
        user = try row.read()
        role = try row.read()
        householdRole = try row.read()
        status = try row.read()
        isManaged = try row.read()
        guardian = try row.read()
        guardians = try row.read([UserID]?.self) ?? []
        isVouched = try row.read()
        isCreator = try row.read()
        memberLimit = try row.read()
        ceiling = try row.read()
        isStandIn = try row.read()
        isRestingCreator = try row.read()
    }
}

/// The members of a family, for decisions. No rows unless the caller is an active member.
package enum Rosters {
    private static let select = """
        SELECT m.id, m.family_unit_id, m.user_id, m.role, m.household_role, m.status, m.is_managed,
            m.parent_user_id, m.guardian_user_ids, m.vouched, m.is_creator, f.member_limit,
            m.household_ceiling, m.stands_in, m.is_resting_creator
        FROM app.member_list AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        """

    /// The active members of a family.
    package static let ofFamily = Statement<RosterRow, FamilyID>(
        """
        \(select) WHERE m.family_unit_id = $1 AND m.status = 'active' ORDER BY m.id LIMIT 100
        """)

    /// The active members of all the subject's families, family by family.
    package static let ofMyFamilies = Statement<RosterRow>(
        """
        \(select) WHERE m.status = 'active' ORDER BY m.family_unit_id, m.id LIMIT 1000
        """)

    /// The active members of a member's family, and the member itself if it waits for approval.
    package static let ofMember = Statement<RosterRow, MemberID>(
        """
        \(select)
        WHERE m.family_unit_id = (SELECT o.family_unit_id FROM app.member_list AS o WHERE o.id = $1)
            AND (m.status = 'active' OR m.id = $1)
        ORDER BY m.id LIMIT 100
        """)

    /// The active members of the family that an invitation is to.
    package static let ofInvitation = Statement<RosterRow, InvitationID>(
        """
        \(select)
        WHERE m.family_unit_id = (
                SELECT i.family_unit_id FROM app.invitation_list AS i WHERE i.id = $1)
            AND m.status = 'active'
        ORDER BY m.id LIMIT 100
        """)
}
