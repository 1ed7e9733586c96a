-- How every function that changes a family begins: it locks the family's row, and only then reads
-- who the caller is in it. So two changes of one family never cross, and a right that was lost
-- while waiting is not used.
--
-- Whoever is no active member gets HF404, as if the family or member did not exist.
--
-- Locks: none, all objects are new. At run time: the family's row, FOR NO KEY UPDATE.

-- The caller's own membership.
CREATE FUNCTION app.enter_family(p_family uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_me app.family_members;
BEGIN
    -- Not a member: no lock either.
    PERFORM FROM app.family_units AS f
        WHERE f.id = p_family AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.user_id = v_account AND m.status = 'active')
        FOR NO KEY UPDATE;
    SELECT m.* INTO v_me FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = v_account AND m.status = 'active';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_me;
END $$;

CREATE FUNCTION app.is_adult(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).active_adult_user_id IS NOT NULL;

-- The young person whom the family is about, with an account of its own.
CREATE FUNCTION app.is_player(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).confides AND (p_member).role = 'player';

CREATE FUNCTION app.is_admin(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).status = 'active' AND (p_member).household_role = 'parent_admin';

CREATE FUNCTION app.is_creator(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).confides AND (p_member).is_creator;

-- A member of the family the caller has entered. Who waits for approval exists only for those who
-- may approve.
CREATE FUNCTION app.member_in_family_of(p_me app.family_members, p_member uuid)
RETURNS app.family_members
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_member app.family_members;
BEGIN
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.family_unit_id = p_me.family_unit_id
            AND (m.status = 'active'
                 OR (m.status = 'invited' AND p_me.governs));
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN v_member;
END $$;

-- The same, from a member's id alone.
CREATE FUNCTION app.enter_family_of_member(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family uuid;
BEGIN
    SELECT m.family_unit_id INTO v_family FROM app.family_members AS m
        WHERE m.id = p_member AND EXISTS (
            SELECT FROM app.family_members AS me
            WHERE me.family_unit_id = m.family_unit_id AND me.user_id = v_account
                AND me.status = 'active');
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN app.enter_family(v_family);
END $$;

-- The one way in which a rule refuses: what is not known to be allowed is not. (A plain IF NOT would
-- let null through.)
CREATE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_allowed IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'not_allowed', 'You are not allowed to do this.');
    END IF;
END $$;

-- Hands every child that p_from guards in the family to another adult. Without one to hand them
-- to, they stand in the way. Which callers may name one is for the caller of this to decide.
CREATE FUNCTION app.hand_over_wards(p_from app.family_members, p_to_member uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_to app.family_members;
BEGIN
    IF NOT EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_from.family_unit_id AND m.active_guardian_id = p_from.user_id)
    THEN
        RETURN;
    ELSIF p_to_member IS NULL THEN
        PERFORM app.refuse('HF409', 'guardian_has_managed_members',
            'This member is the guardian of managed members. Name who takes over.');
    END IF;
    v_to := app.member_in_family_of(p_from, p_to_member);
    IF (app.is_adult(v_to) AND v_to.id <> p_from.id) IS NOT TRUE THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    END IF;
    WITH handed AS (
        UPDATE app.family_members AS m SET parent_user_id = v_to.user_id
            WHERE m.family_unit_id = p_from.family_unit_id
                AND m.active_guardian_id = p_from.user_id
            RETURNING m.id)
    INSERT INTO app.audit_log
            (family_unit_id, actor_user_id, actor_label, subject_user_id, action, target_id)
        SELECT p_from.family_unit_id, app.actor_id(), app.operator_label(), h.id,
            'managed.reassign', v_to.id
        FROM handed AS h;
END $$;
