package import Domain
package import Postgres

/// The preferences of one member of a family.
package struct OwnedPreferences: RowDecodable, Sendable {
    package let family: FamilyID
    /// The member's user, who owns the preferences.
    package let user: UserID
    /// The document and the time of its last change.
    package let stored: StoredPreferences

    package static let row = RowDecoder(Self.init)
}

/// Entities by their ids, in the form that their own routes return. Those that the subject may not
/// see are left out.
package enum ChangedValues {
    /// Returns the families of these ids in which the subject is an active member.
    package static let families = Statement<ListedFamily, [UInt128]>(
        "SELECT \(Families.columns) FROM app.my_family_list WHERE family_unit_id = ANY ($1)")

    /// Returns the members of these ids in all of the subject's families.
    package static let members = Statement<MemberWithGuardians, [UInt128]>(
        "SELECT \(Members.listedColumns) FROM app.member_list WHERE id = ANY ($1)")

    /// Returns the pending invitations of these ids into the account's families.
    package static let invitations = Statement<ListedInvitation, [UInt128]>(
        """
        SELECT \(Invitations.columns) FROM app.invitation_list
        WHERE id = ANY ($1) AND status = 'pending'
        """)

    /// Returns the pending invitations of these ids to the account's verified address.
    package static let receivedInvitations = Statement<ReceivedInvitation, [UInt128]>(
        """
        SELECT id, family_name, inviter_name, role, expires_at, kind FROM app.invitations_to_me
        WHERE id = ANY ($1)
        """)

    /// Returns the subject's own profile and those of the children it guards.
    package static let profiles = Statement<OwnProfile, [UInt128]>(
        """
        SELECT id, kind, email, full_name, role, avatar_key, avatar_url, locale, role_is_default,
            display_name
        FROM app.my_profile
        WHERE id = ANY ($1)
        UNION ALL
        SELECT u.id, u.kind, NULL, u.full_name, u.role, u.avatar_key, u.avatar_url, NULL,
            false, app.display_name(u.full_name, NULL, false)
        FROM app.users AS u
        WHERE u.id = ANY ($1) AND u.id IN (SELECT w.user_id FROM app.children_of_account AS w)
        """)

    /// Returns preferences by owner, in any family.
    package static let preferences = Statement<OwnedPreferences, [UInt128]>(
        """
        SELECT family_unit_id, user_id, \(Preferences.columns) FROM app.member_preferences
        WHERE user_id = ANY ($1)
        """)

    /// Returns the notes of the families of these ids; no row for a family whose notes the subject
    /// may not see.
    package static let playerDetails = Statement<Pair<FamilyID, PlayerNote>, [UInt128]>(
        """
        SELECT family_unit_id, \(PlayerNotes.columns) FROM app.my_family_list
        WHERE family_unit_id = ANY ($1) AND player_details IS NOT NULL
        """)

    /// Returns the attributes of the families of these ids; no row if nothing is stored or the
    /// caller may not see them.
    package static let attributes = Statement<Pair<FamilyID, PostgresJSON>, [UInt128]>(
        """
        SELECT family_unit_id, attributes FROM app.family_attributes
        WHERE family_unit_id = ANY ($1)
        """)
}
