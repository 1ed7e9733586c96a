package import Domain
package import Postgres

/// An invitation as the inviting family sees it.
package struct ListedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    package let family: FamilyID
    /// The user who created the invitation or renewed it last; nil if an API key did.
    package let invitedBy: UserID?
    /// The address; empty for a link, and for callers who may not see addresses.
    package let email: String
    /// Whether the invitee joins as a player or a parent.
    package let role: MemberRole
    /// Household role granted on acceptance.
    package let householdRole: HouseholdRole
    /// Status; `expired` from the time of expiry on.
    package let status: InvitationStatus
    package let delivery: InvitationDelivery
    package let expiresAt: Timestamp
    package let createdAt: Timestamp
    /// Time of acceptance; nil unless it was accepted.
    package let acceptedAt: Timestamp?
    /// Status of the e-mail: `queued`, `sent` or `failed`; nil for a link, which is not e-mailed.
    package let deliveryStatus: String?
    /// Whether the invitation adds a new member, or gives a child an account.
    package let kind: InvitationKind
    /// The child whose membership the invitee's account takes over (graduation); nil for other
    /// invitations.
    package let graduate: MemberID?

    package static let row = RowDecoder(Self.init)
}

/// An invitation that was created or renewed, before its secret is stored: the function's result,
/// which contains the number of the link. No view shows this number.
package struct IssuedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    /// Number of its current link, incremented by each renewal.
    package let generation: Int32
    package let expiresAt: Timestamp
    package let delivery: InvitationDelivery
    /// If true, the address had a pending invitation, which was renewed with a new link.
    package let isRenewed: Bool

    package static let row = RowDecoder(Self.init)
}

/// Invitations on the inviting side.
package enum Invitations {
    static let columns = """
        id, family_unit_id, invited_by, invited_email, role, household_role, status, delivery,
        expires_at, created_at, accepted_at, delivery_status, kind, graduate_id
        """

    /// Returns a page of pending invitations, newest first. Parameters: family (null: all of the
    /// account's families), time and id of the invitation after which to begin (null: from the
    /// newest), maximum number.
    package static let pending = Statement<
        ListedInvitation, FamilyID?, Timestamp?, InvitationID?, Int32
    >(
        selectPending("app.invitation_list WHERE", "$1", "$2", "$3", "$4"),
        forEach: selectPending(
            "app.invitations_of_batch WHERE caller_index = q.caller_index AND", "q.p1", "q.p2",
            "q.p3", "q.p4"))

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

    /// Returns the pending invitations to a mailbox from all families in which the account may see
    /// addresses. The function that renews an invitation checks this again.
    package static let pendingFor = Statement<ListedInvitation, String>(
        """
        SELECT \(columns) FROM app.invitation_list
        WHERE mailbox = $1 AND status = 'pending' LIMIT 100
        """)

    /// Returns an invitation into one of the account's families, in any status.
    package static let one = Statement<ListedInvitation, InvitationID>(
        "SELECT \(columns) FROM app.invitation_list WHERE id = $1")

    /// Returns the number of an invitation's current link.
    package static let generation = Statement<Scalar<Int32>, InvitationID>(
        "SELECT generation FROM app.family_invitations WHERE id = $1")

    /// Creates an invitation, or renews the one pending for the address. Parameters: family,
    /// address, role, household role, delivery. `addSecret` must follow in the same transaction.
    package static let create = Statement<
        IssuedInvitation, FamilyID, String?, MemberRole, HouseholdRole?, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.create_invitation($1, $2, $3, $4, $5)
        """)

    /// Invites a child to get an account, or renews the invitation to do so. Parameters: child,
    /// address, role, household role, delivery. `addSecret` must follow in the same transaction.
    package static let startGraduation = Statement<
        IssuedInvitation, MemberID, String?, MemberRole, HouseholdRole, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.start_graduation($1, $2, $3, $4, $5)
        """)

    /// Renews an invitation. `addSecret` must follow in the same transaction.
    package static let resend = Statement<IssuedInvitation, InvitationID>(
        "SELECT $1, generation, expires_at, delivery, true FROM app.resend_invitation($1)")

    /// Stores the SHA-256 of a link's token. Parameters: invitation, number of the link, digest.
    package static let addSecret = Statement<NoRow, InvitationID, Int32, PostgresBytes>(
        "SELECT FROM app.add_invitation_secret($1, $2, $3)")

    /// Revokes a pending invitation, whose link stops working. Refused if it is not pending or the
    /// caller may not revoke it.
    package static let revoke = Statement<NoRow, InvitationID>(
        "SELECT FROM app.revoke_invitation($1)")
}
