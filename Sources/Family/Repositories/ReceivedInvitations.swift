package import Domain
package import Postgres

/// An invitation as the one it is addressed to sees it.
package struct ReceivedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    package let familyName: String
    /// Empty when the inviter has none.
    package let inviterName: String
    /// The side of the family that it is for.
    package let role: MemberRole
    package let expiresAt: Timestamp
    /// Whether it makes a new member, or gives a child an account.
    package let kind: InvitationKind

    package static let row = RowDecoder(Self.init)
}

/// The invitation of a token.
package struct InvitationOfToken: RowDecodable, Sendable {
    /// What became of the invitation, by the database's clock.
    package enum State: String, PostgresWord, Sendable {
        case pending, accepted, declined, expired
        /// Never was, was revoked, or has another link by now. All else is nil.
        case absent
    }

    package let state: State
    /// Nil with `absent`, as are most other fields.
    package let id: InvitationID?
    /// Masked unless it is the caller's own verified one; empty for a link.
    package let email: String?
    /// The side of the family that it is for.
    package let role: MemberRole?
    package let familyName: String?
    /// Empty when the inviter has none.
    package let inviterName: String?
    package let expiresAt: Timestamp?
    /// Whether it goes to a verified address of the caller's.
    package let isToCaller: Bool
    package let kind: InvitationKind?
    /// Whether the caller belongs to the family of a pending one.
    package let isOfOwnFamily: Bool

    package static let row = RowDecoder(Self.init)
}

/// The outcome of accepting.
package struct Acceptance: RowDecodable, Sendable {
    /// What came of it; anything else raises a refusal.
    package enum Outcome: String, PostgresWord, Sendable {
        /// The caller is a member by this.
        case joined
        /// Was in already: a link stays unused.
        case alreadyMember = "already_member"
        /// The same account accepted it before.
        case alreadyAccepted = "already_accepted"
        /// It is for a player, and the caller is one in another family. Nothing has changed.
        case playerHasFamily = "player_has_family"
        /// The caller is in a family on the other side than the invitation's. Nothing has changed.
        case roleMismatch = "role_mismatch"
    }

    /// Whether the caller is in by this, was in, or why it is not.
    package let outcome: Outcome
    /// The family that the invitation is to.
    package let family: FamilyID
    /// The caller's membership of the family, present or former; nil if it never had one.
    package let member: MemberID?
    /// The family in which the caller lived alone, and which it has left for this one.
    package let leftFamily: FamilyID?
    /// With `playerHasFamily`: the caller's own.
    package let ownFamily: FamilyID?
    /// With `playerHasFamily`: the name of ``ownFamily``.
    package let ownFamilyName: String?
    /// The side that the invitation is for.
    package let invitedRole: MemberRole

    package static let row = RowDecoder(Self.init)
}

/// Invitations from the invited side.
package enum ReceivedInvitations {
    /// The pending ones to the account's verified address, newest first.
    package static let mine = Statement<ReceivedInvitation>(
        """
        SELECT id, family_name, inviter_name, role, expires_at, kind FROM app.invitations_to_me
        ORDER BY created_at DESC, id DESC LIMIT 100
        """)

    /// Whether a pending invitation is addressed to the account.
    package static let isMine = Statement<Scalar<Bool>, InvitationID>(
        "SELECT EXISTS (SELECT FROM app.invitations_to_me WHERE id = $1)")

    /// The invitation with this SHA-256 of its token; always one row. Needs no signed-in caller.
    package static let ofToken = Statement<InvitationOfToken, PostgresBytes>(
        """
        SELECT p.state, p.invitation_id, p.email, p.role, p.family_name, p.inviter_name,
            p.expires_at,
            EXISTS (SELECT FROM app.invitations_to_me AS t WHERE t.id = p.invitation_id),
            app.kind_of_invitation(p.invitation_id), app.belongs_to_family_of($1)
        FROM app.preview_invitation($1) AS p
        """)

    /// Accepts by SHA-256 of a token or, without one, by the id of an invitation to the account.
    package static let accept = Statement<Acceptance, PostgresBytes?, InvitationID?>(
        """
        SELECT outcome, family_unit_id, member_id, left_family_id, own_family_id, own_family_name,
            invited_role
        FROM app.join_by_invitation($1, $2)
        """)

    /// Declines an invitation; parameters as for `accept`.
    package static let decline = Statement<NoRow, PostgresBytes?, InvitationID?>(
        "SELECT FROM app.decline_invitation($1, $2)")
}
