package import Domain
package import Postgres

/// That two changes of a household role were made without knowing of each other.
package struct RoleConflict: Sendable {
    /// Whose change was kept, as the reader sees it.
    package enum Kept: String, Sendable, CaseIterable {
        /// The other person's: the reader's change came too late.
        case theirs
        /// The reader's, which has undone the other person's.
        case yours
    }

    /// Nil for the author of a change that was undone.
    package let kept: Kept?
    /// The membership of who made the other change; nil for an operator.
    package let by: MemberID?
    /// When the other change was made.
    package let at: Timestamp
    /// What the other change gave.
    package let householdRole: HouseholdRole?
}

extension RoleConflict: RowDecodable {
    package static let row = RowDecoder(Self.init)
}

extension RoleConflict.Kept: PostgresWord {}

/// A conflict of a member's household role, for the author of the change that was undone.
package struct UndoneChange: RowDecodable, Sendable {
    /// Whose household role it is.
    package let member: MemberID
    /// The family's version in which it was undone.
    package let version: Int64
    /// Without ``RoleConflict/kept`` and ``RoleConflict/householdRole``.
    package let conflict: RoleConflict

    package static let row = RowDecoder {
        (member: MemberID, version: Int64, by: MemberID?, at: Timestamp) in
        UndoneChange(
            member: member, version: version,
            conflict: RoleConflict(kept: nil, by: by, at: at, householdRole: nil))
    }
}

/// Which of two changes of a household role counts.
package enum RoleChanges {
    /// Changes a household role: member, new household role, new guardian of its children, when it
    /// was changed (null: now), the version that its author had seen, whether it is known to come
    /// too late. A row means a conflict.
    package static let make = Statement<
        RoleConflict, MemberID, HouseholdRole, MemberID?, Timestamp?, Int64?, Bool
    >(
        """
        SELECT kept, by_member_id, at, household_role
        FROM app.change_household_role($1, $2, $3, $4, $5, $6)
        """)

    /// Whether a member's household role was changed after a moment.
    package static let isLate = Statement<Scalar<Bool>, MemberID, Timestamp?>(
        "SELECT app.role_was_changed_later($1, $2)")

    /// Changes of the subject's own that were undone, of these members.
    package static let undone = Statement<UndoneChange, [UInt128]>(
        """
        SELECT member_id, version, by_member_id, at FROM app.role_conflicts
        WHERE member_id = ANY ($1) AND version IS NOT NULL
        """)
}
