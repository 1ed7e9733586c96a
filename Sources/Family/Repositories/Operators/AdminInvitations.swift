package import Domain
package import Postgres

/// An invitation as operators see it: with the names of family and inviter, and how it was sent.
package struct AdminInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    package let family: FamilyID
    package let familyName: String
    /// The user who created the invitation or renewed it last; nil if an API key did.
    package let invitedBy: UserID?
    /// The name of the inviter or the API key; nil if there is none.
    package let inviterName: String?
    /// The address; nil for a link.
    package let email: String?
    /// Whether the invitee joins as a player or a parent.
    package let role: MemberRole
    /// Household role granted on acceptance.
    package let householdRole: HouseholdRole
    /// Status; `expired` from the time of expiry on.
    package let status: InvitationStatus
    package let delivery: InvitationDelivery
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// Number of times that the invitation was sent, including the first.
    package let sentCount: Int
    package let lastSentAt: Timestamp?
    /// Status of the e-mail: `queued`, `sent` or `failed`; nil for a link. The status stays visible
    /// after the e-mail's job was discarded or the invitation expired.
    package let deliveryStatus: String?

    package static let row = RowDecoder(Self.init)
}

/// Statements that read and create invitations for operators. `OperatorSessions.begin` goes first.
package enum AdminInvitations {
    /// Returns a page of invitations, newest first. Parameters: family (null: all), whether only
    /// pending ones, time and id of the invitation after which to begin (null: from the newest),
    /// maximum number.
    package static let page = Statement<
        AdminInvitation, FamilyID?, Bool, Timestamp?, InvitationID?, Int32
    >(
        """
        SELECT i.id, i.family_unit_id, f.family_name, i.invited_by,
            coalesce(i.invited_by_key, u.full_name), i.invited_email, i.role, i.household_role,
            CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired'
                 ELSE i.status END,
            i.delivery, i.created_at, i.expires_at, i.sent_count, i.last_sent_at,
            CASE WHEN i.delivery = 'email' THEN
                CASE WHEN i.delivery_generation = i.generation THEN i.delivery_status
                     WHEN (i.id::text, i.generation::text) IN (
                        SELECT d.payload ->> 'invitation', d.payload ->> 'generation'
                        FROM jobs.dead AS d WHERE d.kind = 'mail.invitation') THEN 'failed'
                     WHEN i.status IN ('pending', 'expired') AND i.expires_at <= now()
                        THEN 'failed'
                     ELSE 'queued' END
            END
        FROM app.family_invitations AS i
        JOIN app.family_units AS f ON f.id = i.family_unit_id
        LEFT JOIN app.users AS u ON u.id = i.invited_by
        WHERE ($1::uuid IS NULL OR i.family_unit_id = $1)
            AND (NOT $2 OR (i.status = 'pending' AND i.expires_at > now()))
            AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4))
        ORDER BY i.created_at DESC, i.id DESC LIMIT $5
        """)

    /// Creates an invitation in a member's name, or renews the one pending for the address.
    /// Parameters: member, address, role, household role, delivery. `addSecret` must follow in the
    /// same transaction.
    package static let create = Statement<
        IssuedInvitation, MemberID, String?, MemberRole, HouseholdRole?, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.operator_create_invitation($1, $2, $3, $4, $5)
        """)

    /// Invites a child to get an account, or renews the invitation to do so. Parameters: child,
    /// address, role, household role, delivery. `addSecret` must follow in the same transaction.
    package static let startGraduation = Statement<
        IssuedInvitation, MemberID, String?, MemberRole, HouseholdRole, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.operator_start_graduation($1, $2, $3, $4, $5)
        """)

    /// Renews an invitation. `addSecret` must follow in the same transaction.
    package static let resend = Statement<IssuedInvitation, InvitationID>(
        "SELECT $1, generation, expires_at, delivery, true FROM app.operator_resend_invitation($1)")

    /// Stores the SHA-256 of a link's token. Parameters: invitation, number of the link, digest.
    package static let addSecret = Statement<NoRow, InvitationID, Int32, PostgresBytes>(
        "SELECT FROM app.operator_add_invitation_secret($1, $2, $3)")

    /// Returns the family of an invitation.
    package static let family = Statement<Scalar<FamilyID>, InvitationID>(
        "SELECT family_unit_id FROM app.family_invitations WHERE id = $1")

    /// Returns whether an invitation exists that can still be accepted.
    package static let isPending = Statement<Scalar<Bool>, InvitationID>(
        """
        SELECT EXISTS (SELECT FROM app.family_invitations AS i
            WHERE i.id = $1 AND i.status = 'pending' AND i.expires_at > now())
        """)

    /// Cancels the discarded jobs of an invitation's e-mails, which a newer e-mail replaces.
    package static let cancelDeadMail = Statement<Scalar<Bool>, InvitationID>(
        """
        SELECT app.operator_cancel_job(d.id) FROM jobs.dead AS d
        WHERE d.kind = 'mail.invitation' AND d.payload ->> 'invitation' = ($1::uuid)::text
        """)

    /// Revokes a pending invitation, whose link stops working. Refused if it is not pending.
    package static let revoke = Statement<NoRow, InvitationID>(
        "SELECT FROM app.operator_revoke_invitation($1)")
}
