package import Domain
package import Postgres

/// A membership as operators see it.
package struct AdminMember: RowDecodable, Sendable {
    package let id: MemberID
    package let family: FamilyID
    package let familyName: String
    package let user: UserID
    /// The person's name; nil if there is none.
    package let fullName: String?
    /// E-mail address; nil if there is none, as for every managed member.
    package let email: String?
    /// Whether the member is a player or a parent in this family.
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let status: MembershipStatus
    /// Whether the member is a child without an account.
    package let isManaged: Bool
    /// The primary guardian of a managed member.
    package let guardian: UserID?
    /// The way in which the person joined the last time.
    package let joinedVia: JoinedVia
    /// Whether the creator, the admin, an operator or a vouched inviter vouches for the person.
    package let isVouched: Bool
    /// Time at which the membership began; if the person left and came back, when it came back.
    package let addedAt: Timestamp
    /// Time at which the membership ended; nil while it lasts.
    package let removedAt: Timestamp?
    /// Name of ``guardian``; nil if there is no guardian or no name.
    package let guardianName: String?
    /// Whether the person's account is blocked.
    package let isBlocked: Bool

    package static let row = RowDecoder(Self.init)
}

/// Statements that read and change memberships for operators. `OperatorSessions.begin` goes first.
package enum AdminMembers {
    private static let columns = """
        m.id, m.family_unit_id, f.family_name, m.user_id, u.full_name, u.email, m.role,
        m.household_role, m.status, m.user_kind = 'managed', m.parent_user_id, m.joined_via,
        m.vouched, m.added_at, m.removed_at,
        (SELECT g.full_name FROM app.users AS g WHERE g.id = m.parent_user_id),
        u.blocked_at IS NOT NULL
        """
    private static let tables = """
        app.family_members AS m
        JOIN app.family_units AS f ON f.id = m.family_unit_id
        JOIN app.users AS u ON u.id = m.user_id
        """

    /// Returns a family's members: active ones, then waiting ones, then (if requested) removed
    /// ones.
    package static let ofFamily = Statement<AdminMember, FamilyID, Bool>(
        """
        SELECT \(columns) FROM \(tables)
        WHERE m.family_unit_id = $1 AND ($2 OR m.status <> 'removed')
        ORDER BY array_position(ARRAY['active', 'invited', 'removed'], m.status), m.added_at, m.id
        LIMIT 1000
        """)

    /// Returns a user's memberships in any status, oldest first.
    package static let ofUser = Statement<AdminMember, UserID>(
        """
        SELECT \(columns) FROM \(tables) WHERE m.user_id = $1 ORDER BY m.added_at, m.id LIMIT 1000
        """)

    /// Returns the guardians of a managed member, the primary one first.
    package static let guardians = Statement<AdminMember, MemberID>(
        """
        SELECT \(columns) FROM \(tables)
        JOIN app.guardianships AS w
            ON w.family_unit_id = m.family_unit_id AND w.guardian_user_id = m.user_id
        JOIN app.family_members AS c ON c.id = w.member_id
        WHERE w.member_id = $1
        ORDER BY w.guardian_user_id <> c.parent_user_id, w.since, w.slot
        """)

    /// Returns one membership.
    package static let one = Statement<AdminMember, MemberID>(
        "SELECT \(columns) FROM \(tables) WHERE m.id = $1")

    /// Adds a member. Parameters: family, user, role and household role (null: the defaults of the
    /// account and the role), whether only a person who waits with these roles is added.
    package static let add = Statement<
        Scalar<MemberID>, FamilyID, UserID, MemberRole?, HouseholdRole?, Bool
    >("SELECT app.operator_add_member($1, $2, $3, $4, $5)")

    /// Removes a member and enqueues the e-mails to the person. Parameters: member, new guardian of
    /// the member's children, whether the family gets a new code, status that the operator has
    /// seen.
    package static let remove = Statement<NoRow, MemberID, MemberID?, Bool, MembershipStatus>(
        "SELECT FROM app.operator_remove_member($1, $2, $3, $4)")

    /// Changes a household role, and enqueues the e-mails about it. Parameters: member, household
    /// role, new guardian of the member's children.
    package static let setHouseholdRole = Statement<NoRow, MemberID, HouseholdRole, MemberID?>(
        "SELECT FROM app.operator_set_household_role($1, $2, $3)")

    /// Adds a child. Parameters: guardian, the child's name and avatar.
    package static let addManaged = Statement<Scalar<MemberID>, MemberID, String, String?>(
        "SELECT app.operator_add_managed_member($1, $2, $3)")

    /// Adds a guardian, and enqueues the e-mail to the adult. Parameters: child, guardian.
    package static let addGuardian = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.operator_add_guardian($1, $2)")
    /// Ends a guardianship, and enqueues the e-mail to the former guardian. Parameters: child,
    /// guardian.
    package static let removeGuardian = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.operator_remove_guardian($1, $2)")
    /// Makes a guardian the primary one. Parameters: child, guardian.
    package static let promoteGuardian = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.operator_promote_guardian($1, $2)")

    /// Replaces a child's primary guardian, and enqueues the e-mail to the former one. Parameters:
    /// child, guardian, primary guardian whom the operator has seen.
    package static let reassignManaged = Statement<NoRow, MemberID, MemberID, UserID?>(
        "SELECT FROM app.operator_reassign_managed_member($1, $2, $3)")
}
