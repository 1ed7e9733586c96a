package import Domain
package import Postgres

/// Statements that change memberships. Each function checks its rule again under the family's lock.
package enum Memberships {
    /// Removes a member and enqueues the e-mails to the person. Parameters: member, new guardian of
    /// the member's children, whether the family gets a new code, whether only a request to join
    /// may be ended.
    package static let remove = Statement<NoRow, MemberID, MemberID?, Bool, Bool>(
        "SELECT FROM app.remove_member($1, $2, $3, $4)")

    /// Ends the caller's own membership or request to join. Parameters: family, member who becomes
    /// guardian of the caller's managed members.
    package static let leave = Statement<NoRow, FamilyID, MemberID?>(
        "SELECT FROM app.leave_family($1, $2)")

    /// Ends the account's request to join; refused for a member.
    package static let withdraw = Statement<NoRow, FamilyID>("SELECT FROM app.withdraw_request($1)")

    /// Returns whether the subject waits for approval to join a family.
    package static let isWaiting = Statement<Scalar<Bool>, FamilyID>(
        """
        SELECT EXISTS (SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = $1 AND m.user_id = app.user_id() AND m.status = 'invited')
        """)

    /// Approves a request to join, or returns the obstacle. A player who is the only member of
    /// another family leaves that family.
    package static let approve = Statement<Scalar<ApprovalOutcome>, MemberID>(
        "SELECT app.approve_member($1)")

    /// Transfers the caller's seat as Parent Admin to another member, and enqueues the e-mails to
    /// the adults. Parameters: family, member.
    package static let transferAdmin = Statement<NoRow, FamilyID, MemberID>(
        "SELECT FROM app.transfer_admin($1, $2)")

    /// Adds a child with the caller as guardian. Parameters: family, name, avatar key.
    package static let addManaged = Statement<Scalar<MemberID>, FamilyID, String, String?>(
        "SELECT id FROM app.add_managed_member($1, $2, $3) AS id")

    /// Changes a child. Parameters: child, name, avatar key (empty: remove it). Null keeps a value.
    package static let updateManaged = Statement<NoRow, MemberID, String?, String?>(
        "SELECT FROM app.update_managed_member($1, $2, $3)")

    /// Assigns a child to another guardian. Parameters: child, guardian.
    package static let reassignManaged = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.reassign_managed_member($1, $2)")
}
