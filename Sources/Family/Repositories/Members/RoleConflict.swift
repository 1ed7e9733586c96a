package import Domain
package import Postgres

/// A conflict: two changes of a household role were made without knowledge of each other.
package struct RoleConflict: Sendable {
    /// The change that is in force, from the reader's view.
    package enum WinningChange: String, Sendable, CaseIterable {
        /// The other person's change: the reader's came too late.
        case theirs
        /// The reader's change, which has undone the other person's.
        case yours
    }

    /// The change that is in force; nil for the author of a change that was undone.
    package let winner: WinningChange?
    /// Membership of the author of the other change; nil for an operator.
    package let by: MemberID?
    /// Time of the other change.
    package let at: Timestamp
    /// Household role that the other change assigned.
    package let householdRole: HouseholdRole?
}

extension RoleConflict: RowDecodable {
    package static let row = RowDecoder(Self.init)
}

extension RoleConflict.WinningChange: PostgresWord {}

/// A conflict about a member's household role, for the author of the change that was undone.
package struct UndoneChange: RowDecodable, Sendable {
    /// The member with the household role.
    package let member: MemberID
    /// The family's version in which the change was undone.
    package let version: Int64
    /// The conflict, without ``RoleConflict/winner`` and ``RoleConflict/householdRole``.
    package let conflict: RoleConflict

    package static let row = RowDecoder {
        (member: MemberID, version: Int64, by: MemberID?, at: Timestamp) in
        UndoneChange(
            member: member, version: version,
            conflict: RoleConflict(winner: nil, by: by, at: at, householdRole: nil))
    }
}

/// Statements that change household roles and decide conflicts.
package enum RoleChanges {
    /// Changes a household role, and enqueues the e-mails about it. Parameters: member, new
    /// household role, new guardian of the member's children, time of the change (null: now),
    /// version that the author of the change had seen, whether the change is known to come too
    /// late. A row means a conflict.
    package static let changeHouseholdRole = Statement<
        RoleConflict, MemberID, HouseholdRole, MemberID?, Timestamp?, Int64?, Bool
    >(
        """
        SELECT kept, by_member_id, at, household_role
        FROM app.change_household_role($1, $2, $3, $4, $5, $6)
        """)

    /// Returns whether a member's household role was changed after a time.
    package static let wasChangedLater = Statement<Scalar<Bool>, MemberID, Timestamp?>(
        "SELECT app.role_was_changed_later($1, $2)")

    /// Returns the caller's changes that were undone, except those that the caller has hidden on
    /// the pages.
    package static let unseen = Statement<UndoneChange>(
        "SELECT member_id, version, by_member_id, at FROM app.unseen_role_conflicts()")

    /// Hides the present conflicts from the pages of the caller's session.
    package static let hideConflicts = Statement<NoRow>(
        "SELECT FROM app.hide_role_conflicts() WHERE app.user_id() IS NOT NULL")

    /// Returns the subject's own changes of these members that were undone.
    package static let undone = Statement<UndoneChange, [UInt128]>(
        """
        SELECT member_id, version, by_member_id, at FROM app.role_conflicts
        WHERE member_id = ANY ($1) AND version IS NOT NULL
        """)
}
