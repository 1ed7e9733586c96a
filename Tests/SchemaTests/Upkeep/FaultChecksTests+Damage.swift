/// Damages to sound data, bypassing triggers and foreign keys, with the faults found then: kind,
/// family and subject. A name in brackets is an id; `!` marks a fault that only a person can
/// repair.
enum Damage {
    static let mendable: [(damage: String, found: [String])] = [
        (
            "UPDATE app.family_members SET parent_user_id = [neighbour] WHERE id = [child]",
            ["child_without_guardian home child"]
        ),
        (
            """
            UPDATE app.family_members SET parent_user_id = [former] WHERE id = [child];
            DELETE FROM app.guardianships WHERE member_id = [child]
            """,
            ["child_without_guardian home child"]
        ),
        (
            "DELETE FROM app.guardianships WHERE member_id = [child]",
            ["guardianship_wrong home child"]
        ),
        (
            "UPDATE app.guardianships SET guardian_user_id = [admin] WHERE member_id = [child]",
            ["guardianship_wrong home child"]
        ),
        (
            """
            INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot)
            VALUES ([child], [former], [home], 2), ([child], [admin], [home], 3)
            """,
            ["guardianship_wrong home child"]
        ),
        (
            """
            INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot)
            VALUES ([removed child], [admin], [home], 1)
            """,
            ["guardianship_wrong home removed child"]
        ),
        (
            """
            ALTER TABLE app.family_members DROP CONSTRAINT family_members_active_has_slot;
            UPDATE app.family_members SET slot = NULL WHERE id = [adult's]
            """,
            ["slot_wrong home adult's"]
        ),
        (
            """
            ALTER TABLE app.family_members DROP CONSTRAINT family_members_active_has_slot;
            UPDATE app.family_members SET slot = 7 WHERE id = [former's]
            """,
            ["slot_wrong home former's"]
        ),
        (
            """
            UPDATE app.family_units SET member_limit = 20 WHERE id = [away];
            UPDATE app.family_members SET slot = 9 WHERE id IN ([adult's], [neighbour's])
            """,
            ["slot_wrong home adult's"]
        ),
        (
            """
            UPDATE app.family_codes SET code = 'FAM-222222'
            WHERE family_unit_id = [home] AND state = 'live'
            """,
            ["code_wrong home"]
        ),
        (
            """
            UPDATE app.family_codes SET state = 'retired', retired_at = now(), reason = 'regenerated'
            WHERE family_unit_id = [home];
            UPDATE app.family_units SET family_code = NULL WHERE id = [home]
            """,
            ["code_wrong home"]
        ),
        (
            """
            UPDATE app.family_codes SET state = 'retired', retired_at = now(), reason = 'expired'
            WHERE family_unit_id = [home];
            UPDATE app.family_units SET family_code = NULL,
                code_expires_at = now() + interval '1 day' WHERE id = [home]
            """,
            ["code_wrong home"]
        ),
        (
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '2 hours'
            WHERE id = [home]
            """,
            ["code_overdue home"]
        ),
        (
            "UPDATE app.family_units SET emptied_at = now() WHERE id = [home]",
            ["emptiness_wrong home"]
        ),
        (
            """
            UPDATE app.family_members SET status = 'removed', slot = NULL, removed_at = now()
            WHERE family_unit_id = [home];
            DELETE FROM app.guardianships WHERE family_unit_id = [home]
            """,
            ["emptiness_wrong home"]
        ),
        (
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '2 hours'
            WHERE id = [link]
            """,
            ["invitation_overdue home link"]
        ),
        (
            "UPDATE app.users SET role = 'player' WHERE id = [neighbour]",
            ["role_differs away neighbour's"]
        ),
        (
            "UPDATE app.family_members SET stands_in = true WHERE id = [neighbour's]",
            ["stand_in_wrong away neighbour's"]
        ),
    ]

    static let forPeople: [(damage: String, found: [String])] = [
        (
            """
            UPDATE app.family_members SET status = 'removed', slot = NULL, removed_at = now()
            WHERE family_unit_id = [home] AND user_kind = 'account'
            """,
            [
                "child_without_guardian home child !", "family_without_adult home !",
                "guardianship_wrong home child",
            ]
        ),
        (
            """
            DROP INDEX app.family_members_one_parent_admin;
            UPDATE app.family_members SET household_role = 'parent_admin' WHERE id = [adult's];
            UPDATE app.family_members SET household_role = 'parent_admin' WHERE id = [admin's]
            """,
            ["several_parent_admins home !"]
        ),
        (
            """
            UPDATE app.users SET kind = 'managed', email = NULL, email_verified = false,
                role = 'player' WHERE id = [admin]
            """,
            ["member_kind_wrong home admin's !"]
        ),
        (
            "UPDATE app.users SET kind = 'account' WHERE id = [child]",
            ["member_kind_wrong home child !"]
        ),
        (
            "DELETE FROM app.users WHERE id = [former]",
            ["member_kind_wrong home former's !"]
        ),
        (
            "UPDATE app.family_members SET is_creator = true, vouched = true WHERE id = [adult's]",
            ["creator_mark_wrong home adult's !"]
        ),
        (
            "UPDATE app.family_members SET is_creator = false WHERE id = [admin's]",
            ["creator_mark_wrong home admin's !"]
        ),
        (
            "DELETE FROM app.invitation_secrets WHERE invitation_id = [link]",
            ["invitation_without_secret home link !"]
        ),
        (
            "UPDATE app.invitation_secrets SET generation = 7 WHERE invitation_id = [link]",
            ["invitation_without_secret home link !"]
        ),
        (
            "UPDATE app.user_identities SET subject_hash = sha256('x') WHERE user_id = [adult]",
            ["id_not_of_sign_in adult !"]
        ),
        (
            """
            UPDATE app.users SET full_name = NULL, email = NULL, email_verified = false,
                deleted_at = now() WHERE id = [former];
            DELETE FROM app.user_identities WHERE user_id = [former];
            UPDATE app.users SET full_name = 'Left' WHERE id = [former]
            """,
            ["erased_user_left_over former !"]
        ),
        (
            """
            UPDATE app.users SET full_name = NULL, email = NULL, email_verified = false,
                deleted_at = now() WHERE id = [former]
            """,
            ["erased_user_left_over former !"]
        ),
        (
            """
            UPDATE app.users SET full_name = NULL, email = NULL, email_verified = false,
                deleted_at = now() WHERE id = [admin];
            DELETE FROM app.user_identities WHERE user_id = [admin]
            """,
            ["erased_user_left_over admin !"]
        ),
        (
            """
            DROP INDEX app.family_members_player_in_one_family;
            UPDATE app.family_members SET role = 'player', household_role = 'kid'
            WHERE user_id = [adult]
            """,
            [
                "child_without_guardian home child", "guardianship_wrong home child",
                "player_in_several_families adult !", "role_differs away adult's away",
                "role_differs home adult's",
            ]
        ),
        (
            """
            UPDATE app.family_members SET role = 'player', household_role = 'kid'
            WHERE id = [adult's away]
            """,
            ["role_differs away adult's away !"]
        ),
    ]
}
