-- Coming back raises nobody.
--
-- A grown-up whom the family made a kid or a visitor comes back by code on the side it had: as a
-- player it would be more than it was. And who goes loses the pending invitations to its address,
-- besides those that it sent: one from before would undo a removal or a demotion. Whoever is to
-- come back as more gets a new one.
--
-- Locks: none but those of CREATE OR REPLACE FUNCTION, for an instant.

CREATE OR REPLACE FUNCTION app.join_by_code(p_code text, p_address text, p_network text)
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
        IF v_was.role = 'parent' AND v_was.household_role IN ('kid', 'visitor') THEN
            v_role := v_was.role;
        END IF;
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

CREATE OR REPLACE FUNCTION app.end_membership(p_member app.family_members) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = app.actor_id()
        WHERE m.id = (p_member).id;
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.family_unit_id = (p_member).family_unit_id
            AND i.status = 'pending'
            AND (i.invited_by = (p_member).user_id
                 OR i.invited_email = (
                    SELECT u.email FROM app.users AS u
                    WHERE u.id = (p_member).user_id AND u.email_verified))
        RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
END;
