package import Domain
package import Postgres

/// An invitation as operators see it.
package struct OperatedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    package let family: FamilyID
    package let familyName: String
    /// Who invites, or renewed it last.
    package let invitedBy: UserID
    /// Nil when the inviter has none.
    package let inviterName: String?
    /// Nil for a link.
    package let email: String?
    /// The side of the family that it is for.
    package let role: MemberRole
    /// The one that whoever accepts gets.
    package let householdRole: HouseholdRole
    /// `expired` from its last moment on.
    package let status: InvitationStatus
    package let delivery: InvitationDelivery
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// How often it was sent, the first time included.
    package let sentCount: Int
    package let lastSentAt: Timestamp?
    /// `queued`, `sent` or `failed`, also when its job was given up or it expired before its mail
    /// could be sent; nil for a link.
    package let deliveryStatus: String?

    package static let row = RowDecoder(Self.init)
}

/// Invitations, as operators read and make them. `OperatorSessions.begin` goes first.
package enum OperatedInvitations {
    /// Those of a family (null: of all), pending ones only or all, newest first, from after the one
    /// of a moment and id (null: from the newest), so many.
    package static let page = Statement<
        OperatedInvitation, FamilyID?, Bool, Timestamp?, InvitationID?, Int32
    >(
        """
        SELECT i.id, i.family_unit_id, f.family_name, i.invited_by, u.full_name, i.invited_email,
            i.role, i.household_role,
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
        JOIN app.users AS u ON u.id = i.invited_by
        WHERE ($1::uuid IS NULL OR i.family_unit_id = $1)
            AND (NOT $2 OR (i.status = 'pending' AND i.expires_at > now()))
            AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4))
        ORDER BY i.created_at DESC, i.id DESC LIMIT $5
        """)

    /// Creates one in a member's name, or renews the one pending for the address: member, address,
    /// role, household role, delivery. `keepSecret` must follow in the same transaction.
    package static let create = Statement<
        IssuedInvitation, MemberID, String?, MemberRole, HouseholdRole?, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.operator_create_invitation($1, $2, $3, $4, $5)
        """)

    /// Invites a child to have an account, or renews its invitation: child, address, role,
    /// household role, delivery. `keepSecret` must follow in the same transaction.
    package static let startGraduation = Statement<
        IssuedInvitation, MemberID, String?, MemberRole, HouseholdRole, InvitationDelivery
    >(
        """
        SELECT invitation_id, generation, expires_at, $5, renewed
        FROM app.operator_start_graduation($1, $2, $3, $4, $5)
        """)

    /// Renews one. `keepSecret` has to follow in the same transaction.
    package static let resend = Statement<IssuedInvitation, InvitationID>(
        "SELECT $1, generation, expires_at, delivery, true FROM app.operator_resend_invitation($1)")

    /// Keeps SHA-256 of the token that belongs to a generation.
    package static let keepSecret = Statement<NoRow, InvitationID, Int32, PostgresBytes>(
        "SELECT FROM app.operator_keep_invitation_secret($1, $2, $3)")

    /// The family that one is into.
    package static let family = Statement<Scalar<FamilyID>, InvitationID>(
        "SELECT family_unit_id FROM app.family_invitations WHERE id = $1")

    /// Whether one is there that could still be accepted.
    package static let isPending = Statement<Scalar<Bool>, InvitationID>(
        """
        SELECT EXISTS (SELECT FROM app.family_invitations AS i
            WHERE i.id = $1 AND i.status = 'pending' AND i.expires_at > now())
        """)

    /// Cancels the jobs of its mails that were given up: a newer mail takes their place.
    package static let cancelDeadMail = Statement<Scalar<Bool>, InvitationID>(
        """
        SELECT app.operator_cancel_job(d.id) FROM jobs.dead AS d
        WHERE d.kind = 'mail.invitation' AND d.payload ->> 'invitation' = ($1::uuid)::text
        """)

    /// Ends a pending one; its link stops working. Refused if it is not pending.
    package static let revoke = Statement<NoRow, InvitationID>(
        "SELECT FROM app.operator_revoke_invitation($1)")
}
