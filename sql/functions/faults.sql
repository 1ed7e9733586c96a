-- Faults in the data: found, and repaired where possible.
--
-- Constraints prevent most of them. They arise while constraints are disabled: by a restore without
-- triggers, by manual changes as superuser, by a broken index. fault_checks.sql finds them in all
-- families. repair_fault repairs one fault under the family's lock, and returns false if a person
-- must decide.

CREATE OR REPLACE FUNCTION app.preferred_guardian(p_family uuid) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT m.user_id FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND m.active_adult_user_id IS NOT NULL
        AND NOT app.is_blocked(m.user_id)
    ORDER BY m.household_role = 'parent_admin' DESC, m.added_at, m.id LIMIT 1);

-- Whether the child has a guardianship although the guardian or the child is no longer active, or
-- lacks a guardianship of its primary guardian.
CREATE OR REPLACE FUNCTION app.has_wrong_guardianship(p_child app.family_members) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (
        SELECT FROM app.guardianships AS w
        WHERE w.member_id = (p_child).id AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id
                AND (p_child).status = 'active'))
    OR EXISTS (
        SELECT FROM app.family_members AS g
        WHERE g.family_unit_id = (p_child).family_unit_id
            AND g.active_adult_user_id = (p_child).active_guardian_id AND NOT EXISTS (
                SELECT FROM app.guardianships AS w
                WHERE w.member_id = (p_child).id AND w.guardian_user_id = g.user_id));

-- The role that an account has in all families that it is in or waits for approval to join; null if
-- the roles differ.
CREATE OR REPLACE FUNCTION app.role_in_all_families(p_user uuid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
    SELECT min(m.held_role) FROM app.family_members AS m
    WHERE m.user_id = p_user AND m.held_role IS NOT NULL
    HAVING min(m.held_role) = max(m.held_role));

CREATE OR REPLACE FUNCTION app.repair_guardianships(p_family uuid, p_child uuid) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_child app.family_members;
BEGIN
    SELECT m.* INTO v_child FROM app.family_members AS m
        WHERE m.id = p_child AND m.family_unit_id = p_family AND m.user_kind = 'managed';
    IF NOT FOUND OR NOT app.has_wrong_guardianship(v_child) THEN
        RETURN 0;
    END IF;
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = p_child AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id AND v_child.status = 'active');
    IF EXISTS (
        SELECT FROM app.family_members AS g
        WHERE g.family_unit_id = p_family
            AND g.active_adult_user_id = v_child.active_guardian_id) THEN
        PERFORM app.insert_guardianship(v_child, v_child.active_guardian_id);
    END IF;
    RETURN 1;
END $$;

-- Repairs a fault only if it still exists.
CREATE OR REPLACE FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family app.family_units;
    v_count integer := 0;
BEGIN
    v_family := app.lock_family_for_operator(p_family);
    IF p_kind = 'child_without_guardian' THEN
        UPDATE app.family_members AS m SET parent_user_id = app.preferred_guardian(p_family)
            WHERE m.id = p_subject AND m.family_unit_id = p_family AND m.status = 'active'
                AND m.user_kind = 'managed' AND app.preferred_guardian(p_family) IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM app.family_members AS g
                    WHERE g.family_unit_id = p_family
                        AND g.active_adult_user_id = m.parent_user_id);
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'guardianship_wrong' THEN
        v_count := app.repair_guardianships(p_family, p_subject);
    ELSIF p_kind = 'slot_wrong' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.id = p_subject
            AND ((m.status = 'active') <> (m.slot IS NOT NULL) OR m.slot > v_family.member_limit
                 OR EXISTS (SELECT FROM app.family_members AS o
                            WHERE o.family_unit_id = p_family AND o.slot = m.slot
                                AND o.id < m.id))) THEN
        v_count := app.repair_slot(p_family, p_subject);
    ELSIF p_kind = 'code_wrong' AND (
        v_family.family_code IS DISTINCT FROM (
            SELECT c.code FROM app.family_codes AS c
            WHERE c.family_unit_id = p_family AND c.state = 'live')
        OR (v_family.family_code IS NULL
            AND (v_family.code_expires_at IS NULL OR v_family.code_expires_at > now())
            AND NOT app.code_was_given_up(p_family))) THEN
        PERFORM app.replace_code(p_family, CASE WHEN v_family.code_expires_at > now()
                                                THEN v_family.code_expires_at END);
        v_count := 1;
    ELSIF p_kind = 'emptiness_wrong' THEN
        UPDATE app.family_units AS f SET emptied_at = CASE WHEN NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = p_family AND m.status = 'active') THEN now() END
            WHERE f.id = p_family AND (f.emptied_at IS NULL) <> EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = p_family AND m.status = 'active');
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'role_differs' THEN
        UPDATE app.users AS u SET role = app.role_in_all_families(u.id), role_is_default = false
            FROM app.family_members AS m
            WHERE m.id = p_subject AND m.family_unit_id = p_family AND u.id = m.user_id
                AND u.kind = 'account' AND u.role <> app.role_in_all_families(u.id);
        GET DIAGNOSTICS v_count = ROW_COUNT;
        -- The account can now adopt the id of its primary sign-in; without a mark the next token is
        -- compared again.
        UPDATE app.user_identities AS i SET claims_mark = NULL
            FROM app.family_members AS m, app.trusted_issuers AS t
            WHERE v_count > 0 AND m.id = p_subject AND i.user_id = m.user_id
                AND t.issuer = i.issuer AND t.is_primary
                AND NOT app.has_id_of_sign_in(m.user_id);
    ELSIF p_kind = 'stand_in_wrong' THEN
        v_count := app.update_stand_ins_of(p_family);
    ELSIF p_kind = 'invitation_overdue' THEN
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
            WHERE i.id = p_subject AND i.status = 'pending' AND i.expires_at <= now();
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'code_overdue' AND v_family.code_expires_at <= now() THEN
        UPDATE app.family_codes AS c
            SET state = 'retired', retired_at = now(), reason = 'expired'
            WHERE c.family_unit_id = p_family AND c.state = 'live';
        UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = p_family;
        GET DIAGNOSTICS v_count = ROW_COUNT;
    END IF;
    IF v_count > 0 THEN
        PERFORM app.record_audit('doctor.repair', p_family, NULL, coalesce(p_subject, p_family),
            jsonb_build_object('fault', p_kind));
    END IF;
    RETURN v_count > 0;
END $$;

COMMENT ON FUNCTION app.repair_fault(text, uuid, uuid) IS
    'Repairs a fault that find_faults_of has found; returns false if it could not be repaired.';

-- A trigger assigns a slot when a member becomes active. To assign another slot, the function
-- removes and reactivates the member.
CREATE OR REPLACE FUNCTION app.repair_slot(p_family uuid, p_member uuid) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_member app.family_members;
BEGIN
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.family_unit_id = p_family;
    IF v_member.status <> 'active' THEN
        UPDATE app.family_members AS m SET slot = NULL WHERE m.id = p_member;
        RETURN 1;
    ELSIF v_member.id IS NULL OR app.lowest_free_slot(p_family) IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE app.family_members AS m SET status = 'removed', removed_at = now()
        WHERE m.id = p_member;
    UPDATE app.family_members AS m
        SET status = 'active', removed_at = NULL WHERE m.id = p_member;
    RETURN 1;
END $$;

GRANT EXECUTE ON FUNCTION app.repair_fault(text, uuid, uuid) TO hearth_admin;
