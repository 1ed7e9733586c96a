package import Domain
package import Postgres

/// Changes of memberships. Each function checks its rule again under the family's lock.
package enum Memberships {
    /// Removes a member: member, new guardian of its children, whether the family gets a new code,
    /// whether only a request to join is turned down. Enqueues the e-mail to the person.
    package static let remove = Statement<NoRow, MemberID, MemberID?, Bool, Bool>(
        "SELECT FROM app.remove_member($1, $2, $3, $4)")

    /// Ends the caller's own membership, or its waiting for one: family, which member takes its
    /// managed members over.
    package static let leave = Statement<NoRow, FamilyID, MemberID?>(
        "SELECT FROM app.leave_family($1, $2)")

    /// Ends the account's request to join; refuses a member's.
    package static let withdraw = Statement<NoRow, FamilyID>("SELECT FROM app.withdraw_request($1)")

    /// Whether the subject waits for a family's approval.
    package static let isWaiting = Statement<Scalar<Bool>, FamilyID>(
        """
        SELECT EXISTS (SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = $1 AND m.user_id = app.user_id() AND m.status = 'invited')
        """)

    /// Lets in who waits for approval, or says why not. A player who lives alone in its family
    /// leaves that one.
    package static let approve = Statement<Scalar<ApprovalOutcome>, MemberID>(
        "SELECT app.approve_member($1)")

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
