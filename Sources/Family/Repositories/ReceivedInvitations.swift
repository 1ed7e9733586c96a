package import Domain
package import Postgres

/// An invitation as its addressee, or the holder of its link, sees it.
package struct ReceivedInvitation: RowDecodable, Sendable {
    package let id: InvitationID
    package let familyName: String
    /// The inviter's name; empty if there is none.
    package let inviterName: String
    /// Whether the invitee joins as a player or a parent.
    package let role: MemberRole
    package let expiresAt: Timestamp
    /// Whether the invitation adds a new member, or gives a child an account.
    package let kind: InvitationKind

    package static let row = RowDecoder(Self.init)
}

/// The state of the invitation to which a token belongs, and the invitation itself.
package struct InvitationOfToken: RowDecodable, Sendable {
    /// The state of the invitation, by the database's clock.
    package enum State: String, PostgresWord, Sendable {
        case pending, accepted, declined, expired
        /// The invitation never existed, was revoked, or has a newer link.
        case absent
    }

    package let state: State
    /// The invitation; nil with `absent`.
    package let invitation: ReceivedInvitation?
    /// The address, masked unless it is a verified one of the caller; empty for a link, nil with
    /// `absent`.
    package let email: String?
    /// Whether the invitation is addressed to a verified address of the caller.
    package let isToCaller: Bool
    /// Whether the invitation is pending and the caller belongs to its family.
    package let isOfOwnFamily: Bool

    package static let row = RowDecoder(Self.init)
}

/// Result of accepting an invitation.
package struct Acceptance: RowDecodable, Sendable {
    /// Outcome of accepting. All other outcomes are raised as refusals.
    package enum Outcome: String, PostgresWord, Sendable {
        /// The caller has become a member.
        case joined
        /// The caller was a member already. The link of an invitation by link is not used up.
        case alreadyMember = "already_member"
        /// This account has accepted the invitation before.
        case alreadyAccepted = "already_accepted"
        /// The invitation is for a player, and the caller is a player in another family. Nothing
        /// has changed.
        case playerHasFamily = "player_has_family"
        /// The caller has another role than the invitation's, and can't change it because of
        /// another family. Nothing has changed.
        case roleMismatch = "role_mismatch"
    }

    /// Whether the caller has joined, was a member already, or why not.
    package let outcome: Outcome
    /// The family of the invitation.
    package let family: FamilyID
    /// The caller's membership in the family, current or former; nil if there never was one.
    package let member: MemberID?
    /// The family that the caller, its only member, has left for this one; nil if there is none.
    package let leftFamily: FamilyID?
    /// The caller's own family; only with `playerHasFamily`.
    package let ownFamily: FamilyID?
    /// The name of ``ownFamily``; only with `playerHasFamily`.
    package let ownFamilyName: String?
    /// Whether the invitation is for a player or a parent.
    package let invitedRole: MemberRole

    package static let row = RowDecoder(Self.init)
}

/// The effects that entering a family would have on the caller now.
package struct EntryProspect: RowDecodable, Sendable {
    /// The outcome if the caller could enter.
    package enum Success: String, PostgresWord, Sendable {
        case allowed
        /// The caller could ask to join, but the family has as many members as it can have.
        case waitingForRoom = "waiting_for_room"
    }

    /// Whether the caller could enter, or the refusal.
    package let outcome: CodeOutcome<Success>
    /// Names of the families that the caller would leave; nobody else belongs to them, so they end.
    package let familiesLeft: [String]
    /// The role that would replace the caller's own; nil if the caller would keep it.
    package let newRole: MemberRole?

    /// The refusal; nil if the caller could enter.
    package var refusal: RefusalCode? {
        if case .refused(let code) = outcome { code } else { nil }
    }

    /// Whether the caller could ask to join, and the family let it in once a member has gone.
    package var waitsForRoom: Bool {
        if case .success(.waitingForRoom) = outcome { true } else { false }
    }

    /// Whether the caller would lose something that can't be undone.
    package var hasConsequences: Bool { !familiesLeft.isEmpty || newRole != nil }

    package static let row = RowDecoder(Self.init)
}

/// Invitations on the invited side.
package enum ReceivedInvitations {
    /// Returns the pending invitations to the account's verified address, newest first.
    package static let mine = Statement<ReceivedInvitation>(
        """
        SELECT id, family_name, inviter_name, role, expires_at, kind FROM app.invitations_to_me
        ORDER BY created_at DESC, id DESC LIMIT 100
        """)

    /// Returns whether a pending invitation is addressed to the account.
    package static let isMine = Statement<Scalar<Bool>, InvitationID>(
        "SELECT EXISTS (SELECT FROM app.invitations_to_me WHERE id = $1)")

    /// Returns the invitation of a token, by its SHA-256; always one row. Needs no signed-in
    /// caller.
    package static let ofToken = Statement<InvitationOfToken, PostgresBytes>(
        """
        SELECT p.state, p.invitation_id, p.family_name, p.inviter_name, p.role, p.expires_at,
            app.kind_of_invitation(p.invitation_id), p.email,
            EXISTS (SELECT FROM app.invitations_to_me AS t WHERE t.id = p.invitation_id),
            app.belongs_to_family_of($1)
        FROM app.preview_invitation($1) AS p
        """)

    /// Returns the effects that accepting would have on the caller now; parameters as for `accept`.
    /// Returns no row for an invitation that is not pending.
    package static let prospect = Statement<EntryProspect, PostgresBytes?, InvitationID?>(
        "SELECT outcome, families_left, new_role FROM app.prospect_of_invitation($1, $2)")

    /// Accepts an invitation. Parameters: SHA-256 of a token or, if that is null, the id of an
    /// invitation to the account.
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
