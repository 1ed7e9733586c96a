-- Joining a family by its code, and looking at it first.
--
-- Refusals are answers here, not errors: the transaction that tells them also takes back the
-- reserved attempt, unless the code was unknown or expired, and keeps the log. Outcomes of
-- join_by_code, in the order in which they are told:
--   unknown               no such code, or one that was regenerated
--   expired               over, by time or by the job that retires it
--   already_member
--   removed_from_family   somebody else removed this person: only an invitation brings it back
--   player_has_family     a player belongs to one family only
--   waiting               the family approves who joins: nothing is seen until then
--   family_full
--   joined
--
-- Who comes back keeps the lower of the old standing and the new one.
--
-- Locks: none, all objects are new. At run time: the family's row, then the account's.

CREATE FUNCTION app.rank_of(p_household_role text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_position(ARRAY['visitor', 'kid', 'adult', 'parent_admin'], p_household_role);

CREATE FUNCTION app.lower_standing(p_one text, p_other text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN app.rank_of(p_other) < app.rank_of(p_one) THEN p_other ELSE p_one END;

-- A parent may have entered a player's name ahead of its coming: it fills an empty name, no other.
CREATE FUNCTION app.fill_player_name(p_family uuid, p_user uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.users AS u
    SET full_name = app.normalised_name(f.player_details ->> 'playerName', 80)
    FROM app.family_units AS f
    WHERE f.id = p_family AND u.id = p_user AND u.full_name IS NULL
        AND app.normalised_name(f.player_details ->> 'playerName', 80) IS NOT NULL;
END;

-- The family that a code leads to now, its row locked; or why there is none.
CREATE FUNCTION app.lock_family_of_code(p_code text, OUT family_id uuid, OUT refusal text)
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_entry app.family_codes;
    v_family app.family_units;
BEGIN
    SELECT c.* INTO v_entry FROM app.family_codes AS c WHERE c.code = app.normalised_code(p_code);
    family_id := v_entry.family_unit_id;
    IF v_entry.state = 'live' THEN
        SELECT f.* INTO v_family FROM app.family_units AS f
            WHERE f.id = v_entry.family_unit_id FOR NO KEY UPDATE;
        -- It may have been regenerated or retired while we waited for the lock.
        IF v_family.family_code IS DISTINCT FROM v_entry.code THEN
            SELECT c.* INTO v_entry FROM app.family_codes AS c WHERE c.code = v_entry.code;
        ELSIF v_family.code_expires_at <= now() THEN
            v_entry.reason := 'expired';
        END IF;
    END IF;
    refusal := CASE
        WHEN v_entry.code IS NULL OR v_entry.reason = 'regenerated' THEN 'unknown'
        WHEN v_entry.reason = 'expired' THEN 'expired'
    END;
END $$;

CREATE FUNCTION app.join_by_code(p_code text, p_address text, p_network text)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family_id uuid;
    v_family app.family_units;
    v_role text;
    v_was app.family_members;
BEGIN
    SELECT l.refusal, l.family_id INTO outcome, v_family_id
        FROM app.lock_family_of_code(p_code) AS l;
    IF outcome IS NULL THEN
        SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = v_family_id;
        SELECT u.role INTO v_role FROM app.users AS u WHERE u.id = v_account FOR NO KEY UPDATE;
        SELECT m.* INTO v_was FROM app.family_members AS m
            WHERE m.family_unit_id = v_family.id AND m.user_id = v_account;
        outcome := CASE
            WHEN v_was.status = 'active' THEN 'already_member'
            WHEN v_was.status = 'removed' AND v_was.removed_by IS DISTINCT FROM v_account
                THEN 'removed_from_family'
            WHEN v_role = 'player' AND EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player')
                THEN 'player_has_family'
            WHEN v_family.approval_required THEN 'waiting'
            WHEN app.lowest_free_slot(v_family.id) IS NULL THEN 'family_full'
            ELSE 'joined'
        END;
        family_unit_id := v_family_id;
        family_name := v_family.family_name;
        member_limit := v_family.member_limit;
        member_id := v_was.id;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    END IF;

    IF outcome IN ('joined', 'waiting') THEN
        INSERT INTO app.family_members AS m
                (family_unit_id, user_id, role, household_role, status, joined_via)
            VALUES (v_family.id, v_account, v_role,
                    CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END,
                    CASE outcome WHEN 'joined' THEN 'active' ELSE 'invited' END, 'code')
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role,
                household_role = app.lower_standing(m.household_role, excluded.household_role),
                status = excluded.status, joined_via = 'code', added_at = now(),
                removed_at = NULL, removed_by = NULL
            RETURNING m.id INTO member_id;
        IF outcome = 'joined' AND v_role = 'player' THEN
            PERFORM app.fill_player_name(v_family.id, v_account);
        END IF;
        PERFORM app.record_audit('code.join', v_family.id, v_account, member_id,
            jsonb_build_object('outcome', outcome));
    END IF;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_family_id, v_account,
                CASE WHEN outcome IN ('joined', 'waiting') THEN 'joined' ELSE 'rejected' END);
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.join_by_code(text, text, text) IS
    'Joins the family of a code, or says why not; one row.';

-- What one is told before joining. Outcomes: found, unknown, expired.
CREATE FUNCTION app.preview_code(p_code text, p_address text, p_network text)
RETURNS TABLE (outcome text, family_name text, member_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family uuid;
BEGIN
    SELECT coalesce(l.refusal, 'found'), l.family_id INTO outcome, v_family
        FROM app.lock_family_of_code(p_code) AS l;
    IF outcome = 'found' THEN
        SELECT f.family_name, (
                SELECT count(*)::integer FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'active')
            INTO family_name, member_count FROM app.family_units AS f WHERE f.id = v_family;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    ELSE
        INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (v_family, v_account, 'rejected');
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.preview_code(text, text, text) IS
    'Name and size of the family of a code, or why not; one row.';

GRANT EXECUTE ON FUNCTION
    app.join_by_code(text, text, text), app.preview_code(text, text, text)
    TO hearth_api;
