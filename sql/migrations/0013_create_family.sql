-- Creates a family with its creator as the first member.
--
-- Either once per account (fifty calls at once make one family: they queue on the account's own
-- row) or always anew. A player belongs to one family only and so can't make a second.
--
-- Locks: none, all objects are new. At run time: the account's row, FOR NO KEY UPDATE.

-- The family that is meant where a caller names none: the one it created, else its oldest
-- membership.
CREATE FUNCTION app.first_family_of(p_user uuid) RETURNS uuid
LANGUAGE sql STABLE
RETURN (
    SELECT m.family_unit_id
    FROM app.family_members AS m
    JOIN app.family_units AS f ON f.id = m.family_unit_id
    WHERE m.user_id = p_user AND m.status = 'active'
    ORDER BY f.created_by_user_id = p_user DESC, m.added_at, m.id
    LIMIT 1);

CREATE FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean)
RETURNS TABLE (family_unit_id uuid, family_name text, family_code text,
               code_generated_at timestamptz, existed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_role text;
    v_family uuid;
    v_member uuid;
BEGIN
    IF p_role NOT IN ('player', 'parent') THEN
        PERFORM app.refuse('HF400', 'role_unknown', 'A role is player or parent.');
    END IF;
    SELECT coalesce(p_role, u.role) INTO v_role
        FROM app.users AS u WHERE u.id = v_account FOR NO KEY UPDATE;
    v_family := app.first_family_of(v_account);

    IF v_family IS NOT NULL AND NOT p_always_new THEN
        RETURN QUERY SELECT l.family_unit_id, l.family_name, l.family_code, l.code_generated_at,
                true
            FROM app.my_family_list AS l WHERE l.family_unit_id = v_family;
        RETURN;
    END IF;
    IF v_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    -- The side that is chosen for a first family becomes the account's own.
    IF v_family IS NULL THEN
        UPDATE app.users AS u SET role = v_role WHERE u.id = v_account AND u.role <> v_role;
    END IF;

    INSERT INTO app.family_units AS f (created_by_user_id, family_name, emptied_at)
        VALUES (v_account, coalesce(p_family_name, 'My Family'), NULL)
        RETURNING f.id, f.family_name, f.family_code, f.code_generated_at
        INTO create_family.family_unit_id, create_family.family_name, create_family.family_code,
             create_family.code_generated_at;
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (create_family.family_unit_id, v_account, v_role,
                CASE v_role WHEN 'parent' THEN 'parent_admin' ELSE 'kid' END, 'created')
        RETURNING m.id INTO v_member;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (create_family.family_unit_id, v_account, 'generated');
    PERFORM app.record_audit('family.create', create_family.family_unit_id, v_account,
        create_family.family_unit_id, jsonb_build_object('role', v_role));
    existed := false;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.create_family(text, text, boolean) IS
    'The account''s family, made unless there is one (or in any case, if p_always_new).';

GRANT EXECUTE ON FUNCTION app.create_family(text, text, boolean) TO hearth_api;
