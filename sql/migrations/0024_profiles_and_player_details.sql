-- One's own profile, and what a family notes about its player.
--
-- Locks: none, all objects are new. At run time: the row changed; for player details the family's.

-- The subject's own: the child's, while acting for it. Null leaves as it is, empty takes away.
-- The side (role) is the account's to choose while it belongs to no family, nor waits for one.
CREATE FUNCTION app.update_profile(
    p_full_name text, p_avatar_key text, p_avatar_url text, p_role text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_subject constant uuid := app.user_id();
BEGIN
    IF v_subject IS NULL THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    PERFORM FROM app.users AS u WHERE u.id = v_subject FOR NO KEY UPDATE;
    IF p_role IS NOT NULL THEN
        PERFORM app.require_account();
        IF p_role NOT IN ('player', 'parent') THEN
            PERFORM app.refuse('HF400', 'role_unknown', 'A role is player or parent.');
        ELSIF EXISTS (
            SELECT FROM app.users AS u JOIN app.family_members AS m ON m.user_id = u.id
            WHERE u.id = v_subject AND u.role <> p_role AND m.status IN ('active', 'invited')) THEN
            PERFORM app.refuse('HF409', 'role_fixed_in_family',
                'The role can be changed only while you belong to no family.');
        END IF;
    END IF;
    UPDATE app.users AS u SET
            full_name = coalesce(p_full_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END,
            avatar_url = CASE WHEN p_avatar_url IS NULL THEN u.avatar_url
                              ELSE nullif(p_avatar_url, '') END,
            role = coalesce(p_role, u.role)
        WHERE u.id = v_subject;
    PERFORM app.record_audit('profile.update',
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = v_subject AND m.user_kind = 'managed'),
        v_subject, v_subject);
END $$;

COMMENT ON FUNCTION app.update_profile(text, text, text, text) IS
    'Changes the profile of the subject of the request.';

-- Adults write, players and adults read (my_family_list, masked).
CREATE FUNCTION app.set_player_details(p_family uuid, p_details jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
BEGIN
    PERFORM app.require_allowed(app.is_adult(v_me));
    UPDATE app.family_units AS f SET player_details = p_details WHERE f.id = p_family;
    PERFORM app.record_audit('player_details.write', p_family, v_me.user_id, p_family);
END $$;

COMMENT ON FUNCTION app.set_player_details(uuid, jsonb) IS
    'Replaces what the family notes about its player.';

-- Creator and admin. Null leaves as it is; the home is taken away by p_clear_home.
CREATE FUNCTION app.update_family(
    p_family uuid, p_family_name text, p_home_latitude double precision,
    p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
    v_before jsonb;
    v_after jsonb;
BEGIN
    PERFORM app.require_allowed(v_me.governs);
    SELECT to_jsonb(f) INTO v_before FROM app.family_units AS f WHERE f.id = p_family;
    UPDATE app.family_units AS f SET
            family_name = coalesce(p_family_name, f.family_name),
            home_latitude = CASE WHEN p_clear_home THEN NULL
                                 ELSE coalesce(p_home_latitude, f.home_latitude) END,
            home_longitude = CASE WHEN p_clear_home THEN NULL
                                  ELSE coalesce(p_home_longitude, f.home_longitude) END,
            approval_required = coalesce(p_approval_required, f.approval_required)
        WHERE f.id = p_family
        RETURNING to_jsonb(f) INTO v_after;
    PERFORM app.record_audit('family.update', p_family, v_me.user_id, p_family,
        app.changed_columns(v_before, v_after));
END $$;

COMMENT ON FUNCTION app.update_family(
    uuid, text, double precision, double precision, boolean, boolean) IS
    'Changes name, home or admission of a family.';

GRANT EXECUTE ON FUNCTION
    app.update_profile(text, text, text, text),
    app.set_player_details(uuid, jsonb),
    app.update_family(uuid, text, double precision, double precision, boolean, boolean)
    TO hearth_api;
