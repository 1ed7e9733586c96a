package import Domain
package import Postgres

/// An invitation as the family that made it sees it.
package struct ListedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    package let family: FamilyID
    /// Who invites, or renewed it last.
    package let invitedBy: UserID
    /// Empty for a link, and for callers who may not see addresses.
    package let email: String
    /// The side of the family that it is for.
    package let role: MemberRole
    /// The one that whoever accepts gets.
    package let householdRole: HouseholdRole
    /// `expired` from its last moment on.
    package let status: InvitationStatus
    package let delivery: InvitationDelivery
    package let expiresAt: Timestamp
    package let createdAt: Timestamp
    /// Nil unless it was accepted.
    package let acceptedAt: Timestamp?
    /// `queued`, `sent` or `failed`; nil for a link, which is not e-mailed.
    package let deliveryStatus: String?
    /// Whether it makes a new member, or gives a child an account.
    package let kind: InvitationKind
    /// Of a graduation: the child that whoever accepts becomes.
    package let graduate: MemberID?

    package static let row = RowDecoder(Self.init)
}

/// An invitation that was made or renewed, before its secret is kept.
package struct IssuedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    /// Which of its links is the present one: each renewal has the next number.
    package let generation: Int32
    package let expiresAt: Timestamp
    package let delivery: InvitationDelivery
    /// There was one already for the same address: this is it, with a new link.
    package let isRenewed: Bool

    package static let row = RowDecoder(Self.init)
}

/// Invitations from the inviting side.
package enum Invitations {
    static let columns = """
        id, family_unit_id, invited_by, invited_email, role, household_role, status, delivery,
        expires_at, created_at, accepted_at, delivery_status, kind, graduate_id
        """

    /// A family's pending ones (null: those of all the account's families), newest first, from
    /// after the one of a moment and id (null: from the newest), so many.
    package static let pending = Statement<
        ListedInvitation, FamilyID?, Timestamp?, InvitationID?, Int32
    >(
        selectPending("app.invitation_list WHERE", "$1", "$2", "$3", "$4"),
        forEach: selectPending(
            "app.invitations_of_batch WHERE place = q.place AND", "q.p1", "q.p2", "q.p3", "q.p4"))

    private static func selectPending(
        _ seen: String, _ family: String, _ at: String, _ id: String, _ count: String
    ) -> String {
        """
        SELECT \(columns) FROM \(seen)
            (\(family)::uuid IS NULL OR family_unit_id = \(family)) AND status = 'pending'
            AND (\(at)::timestamptz IS NULL OR (created_at, id) < (\(at), \(id)))
        ORDER BY created_at DESC, id DESC LIMIT \(count)
        """
    }

    /// The invitations pending for a mailbox in the account's families where it may see addresses.
    /// The function that renews one checks again.
    package static let pendingFor = Statement<ListedInvitation, String>(
        """
        SELECT \(columns) FROM app.invitation_list
        WHERE mailbox = $1 AND status = 'pending' LIMIT 100
        """)

    /// One of a family of the account's, whatever its status.
    package static let one = Statement<ListedInvitation, InvitationID>(
        "SELECT \(columns) FROM app.invitation_list WHERE id = $1")

    /// Which link of an invitation is the present one.
    package static let generation = Statement<Scalar<Int32>, InvitationID>(
        "SELECT generation FROM app.family_invitations WHERE id = $1")

    /// Creates one, or renews the one pending for the address: family, address, role, household
    /// role, delivery. `keepSecret` must follow in the same transaction.
    package static let create = Statement<
        IssuedInvitation, FamilyID, String?, MemberRole, HouseholdRole?, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.create_invitation($1, $2, $3, $4, $5)
        """)

    /// Invites a child to have an account, or renews its invitation: child, address, role,
    /// household role, delivery. `keepSecret` must follow in the same transaction.
    package static let startGraduation = Statement<
        IssuedInvitation, MemberID, String?, MemberRole, HouseholdRole, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.start_graduation($1, $2, $3, $4, $5)
        """)

    /// Renews one. `keepSecret` has to follow in the same transaction.
    package static let resend = Statement<IssuedInvitation, InvitationID>(
        "SELECT $1, generation, expires_at, delivery, true FROM app.resend_invitation($1)")

    /// Keeps SHA-256 of the token that belongs to a generation.
    package static let keepSecret = Statement<NoRow, InvitationID, Int32, PostgresBytes>(
        "SELECT FROM app.keep_invitation_secret($1, $2, $3)")

    /// Ends a pending one; its link stops working. Refused if it is not pending or not the caller's
    /// to end.
    package static let revoke = Statement<NoRow, InvitationID>(
        "SELECT FROM app.revoke_invitation($1)")
}
