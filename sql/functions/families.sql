-- Families: create, list, change.
--
-- A family is created with its creator as the first member. A call creates either one family per
-- account (of fifty concurrent calls one creates a family, because they queue on the account's row)
-- or always a new one. A player belongs to one family only and can't create a second.

-- Prevents a change of a family's creator; only the creator's id may change (account_ids.sql).
CREATE OR REPLACE FUNCTION app.enforce_creator() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF NEW.id = OLD.id
        AND app.account_of_former_id(OLD.created_by_user_id) = NEW.created_by_user_id THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the creator of a family can''t change'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_creator_fixed';
END $$;

CREATE OR REPLACE TRIGGER enforce_creator BEFORE UPDATE ON app.family_units
    FOR EACH ROW
    WHEN ((NEW.id, NEW.created_by_user_id) IS DISTINCT FROM (OLD.id, OLD.created_by_user_id))
    EXECUTE FUNCTION app.enforce_creator();

-- This trigger runs after the insert, because before the policy's check it would reveal how many
-- families another user has created. It counts under the lock of the creator's row. An account that
-- was blocked or erased in the meantime is refused.
CREATE OR REPLACE FUNCTION app.limit_families_created() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = NEW.created_by_user_id AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(NEW.created_by_user_id);
    ELSIF (SELECT count(*) FROM app.family_units AS f
        WHERE f.created_by_user_id = NEW.created_by_user_id) > app.max_families_created() THEN
        PERFORM app.refuse('HF409', 'too_many_families',
            format('At most %s families per account.', app.max_families_created()));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER limit_created AFTER INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.limit_families_created();

-- The families of each person, as that person may read them: the viewer's own active membership
-- (`me`) decides which rows there are and which columns are masked. While a guardian acts, `me` is
-- the managed member, for whom confides and governs are false. A masked column is the empty string
-- if clients expect text, otherwise null. seat_taken, seat_reserved: as in seat_is_taken and
-- seat_is_reserved (household_roles.sql), which ignore blocked members. As with
-- app.visible_members, no client may read this view, and it has no security_barrier.
CREATE OR REPLACE VIEW app.visible_families AS
SELECT
    f.id AS family_unit_id,
    f.family_name,
    CASE WHEN f.family_code IS NOT NULL
              AND me.user_kind = 'account' AND me.household_role <> 'visitor'
              AND (f.code_expires_at IS NULL OR f.code_expires_at > now())
         THEN f.family_code ELSE '' END AS family_code,
    f.code_generated_at,
    f.code_expires_at,
    f.created_by_user_id,
    f.member_limit,
    f.approval_required,
    me.id AS member_id,
    me.role,
    me.household_role,
    me.added_at,
    company.member_count,
    CASE WHEN me.confides THEN f.home_latitude END AS home_latitude,
    CASE WHEN me.confides THEN f.home_longitude END AS home_longitude,
    CASE WHEN me.confides THEN f.player_details END AS player_details,
    me.household_ceiling,
    me.vouched,
    company.seat_taken,
    company.seat_reserved OR me.entered_after_key AS seat_reserved,
    f.created_at,
    f.updated_at,
    me.user_id AS viewer_id
FROM app.family_members AS me
JOIN app.family_units AS f ON f.id = me.family_unit_id
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS member_count,
        bool_or(c.household_role = 'parent_admin' AND b.id IS NULL) AS seat_taken,
        -- The condition of app.has_right_to_seat, which readers of the view may not call.
        bool_or(b.id IS NULL
                AND ((c.is_creator AND (c.confides OR c.household_ceiling
                        = CASE c.role WHEN 'player' THEN 'kid' ELSE 'adult' END))
                     OR (c.vouched AND c.active_adult_user_id IS NOT NULL))) AS seat_reserved
    FROM app.family_members AS c
    LEFT JOIN app.users AS b ON b.id = c.user_id AND b.blocked_at IS NOT NULL
    WHERE c.family_unit_id = f.id AND c.status = 'active') AS company
WHERE me.status = 'active';

-- The subject's families.
CREATE OR REPLACE VIEW app.my_family_list WITH (security_barrier) AS
SELECT s.* FROM app.visible_families AS s WHERE s.viewer_id = app.user_id();

-- The families of each caller of a batch.
CREATE OR REPLACE VIEW app.my_families_of_batch WITH (security_barrier) AS
SELECT c.caller_index, s.* FROM app.callers AS c
JOIN app.visible_families AS s ON s.viewer_id = c.user_id;

ALTER VIEW app.visible_families OWNER TO hearth_authz;
ALTER VIEW app.my_family_list OWNER TO hearth_authz;
ALTER VIEW app.my_families_of_batch OWNER TO hearth_authz;

-- The default family of a caller: the oldest with other members, otherwise the one it created,
-- otherwise the oldest.
CREATE OR REPLACE FUNCTION app.default_family_of(p_user uuid) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT m.family_unit_id
        FROM app.family_members AS m
        JOIN app.family_units AS f ON f.id = m.family_unit_id
        CROSS JOIN LATERAL (
            SELECT EXISTS (
                SELECT FROM app.family_members AS o
                WHERE o.family_unit_id = m.family_unit_id AND o.status = 'active'
                    AND o.user_id <> p_user) AS has_company) AS c
        WHERE m.user_id = p_user AND m.status = 'active'
        ORDER BY c.has_company DESC, NOT c.has_company AND f.created_by_user_id = p_user DESC,
            m.added_at, m.family_unit_id
        LIMIT 1);
END $$;

-- Creates a family with its creator as the first member. The calling function checks the right.
CREATE OR REPLACE FUNCTION app.insert_family(p_creator uuid, p_family_name text, p_role text)
RETURNS app.family_units
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_family app.family_units;
BEGIN
    INSERT INTO app.family_units AS f (created_by_user_id, family_name, emptied_at)
        VALUES (p_creator, coalesce(p_family_name, 'My Family'), NULL)
        RETURNING f.* INTO v_family;
    INSERT INTO app.family_members (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (v_family.id, p_creator, p_role,
                CASE p_role WHEN 'parent' THEN 'parent_admin' ELSE 'kid' END, 'created');
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_family.id, app.account_id(), 'generated');
    PERFORM app.record_audit('family.create', v_family.id, p_creator, v_family.id,
        jsonb_build_object('role', p_role));
    RETURN v_family;
END $$;

CREATE OR REPLACE FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean)
RETURNS TABLE (family_unit_id uuid, family_name text, family_code text,
               code_generated_at timestamptz, existed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_role text;
    v_family uuid;
BEGIN
    IF p_role NOT IN ('player', 'parent') THEN
        PERFORM app.refuse_field('role', 'A role is player or parent.');
    END IF;
    SELECT coalesce(p_role, u.role) INTO v_role
        FROM app.users AS u
        WHERE u.id = v_account AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(v_account);
    END IF;
    -- The account may leave its family between the two statements, but it can't enter another one.
    LOOP
        v_family := app.default_family_of(v_account);
        EXIT WHEN v_family IS NULL OR p_always_new;
        RETURN QUERY SELECT l.family_unit_id, l.family_name, l.family_code, l.code_generated_at,
                true
            FROM app.my_family_list AS l WHERE l.family_unit_id = v_family;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    IF v_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    PERFORM app.require_consent_to('family.create');
    PERFORM app.require_role_of_account(v_account, v_role);
    IF p_role IS NOT NULL THEN
        PERFORM app.record_stated_role(v_account, p_role);
    END IF;
    RETURN QUERY SELECT f.id, f.family_name, f.family_code, f.code_generated_at, false
        FROM app.insert_family(v_account, p_family_name, v_role) AS f;
END $$;

COMMENT ON FUNCTION app.create_family(text, text, boolean) IS
    'Returns the account''s family; creates one if there is none, or in any case if p_always_new '
    'is true.';

-- Creator and admin may call this function. Null keeps a value; p_clear_home clears the home.
CREATE OR REPLACE FUNCTION app.update_family(
    p_family uuid, p_family_name text, p_home_latitude double precision,
    p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
    v_before jsonb;
    v_after jsonb;
BEGIN
    PERFORM app.require_consent_to('family.update');
    PERFORM app.require_allowed(v_caller.governs);
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
    PERFORM app.record_audit('family.update', p_family, v_caller.user_id, p_family,
        app.changed_columns(v_before, v_after));
END $$;

COMMENT ON FUNCTION app.update_family(
    uuid, text, double precision, double precision, boolean, boolean) IS
    'Changes name, home or approval of a family.';

-- The details that apps store about a player besides the named ones.
CREATE OR REPLACE FUNCTION app.other_player_details(p_details jsonb)
RETURNS TABLE (key text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.key, d.value #>> '{}'
    FROM jsonb_each(p_details - ARRAY['playerName', 'playerDob', 'graduationYear', 'sport',
        'position', 'gender']) AS d
    WHERE jsonb_typeof(d.value) = 'string';
END;

-- Adults may call this function. Fields that the object does not contain stay; null clears a field.
CREATE OR REPLACE FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
    v_details jsonb;
BEGIN
    PERFORM app.require_consent_to('player_details.write');
    PERFORM app.require_allowed(app.is_adult(v_caller));
    UPDATE app.family_units AS f
        SET player_details = jsonb_strip_nulls(f.player_details || p_changes)
        WHERE f.id = p_family
        RETURNING f.player_details INTO v_details;
    IF (SELECT count(*) FROM app.other_player_details(v_details)) > app.max_other_details() THEN
        RAISE EXCEPTION 'too many further details'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_player_details_form';
    END IF;
    PERFORM app.record_audit('player_details.write', p_family, v_caller.user_id, p_family);
END $$;

COMMENT ON FUNCTION app.change_player_details(uuid, jsonb) IS
    'Changes the given fields of the family''s player details; null clears a field.';

GRANT SELECT ON app.my_family_list, app.my_families_of_batch TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.create_family(text, text, boolean),
    app.update_family(uuid, text, double precision, double precision, boolean, boolean),
    app.other_player_details(jsonb), app.change_player_details(uuid, jsonb)
    TO hearth_api;
