-- Functions with which every change of a family begins: each locks the family's row and only then
-- reads the caller's membership. Two changes of one family therefore never overlap, and a right
-- that the caller lost while waiting is not used.
--
-- The rule for every function: lock first, then read. Data that must be read in order to know what
-- to lock is read again under the lock. The lock order is the family's row, then users, then the
-- rest. If other writers lock only the row that they change (a direct DELETE, the jobs that expire
-- rows), the change names the state that it needs, and checks that it changed a row.
--
-- A caller who is not an active member gets HF404, as if the family or the member did not exist. In
-- the function for leaving and withdrawing, only a caller who neither is a member nor waits for
-- approval does.

-- Locks a family and returns the caller's own membership or request to join, if its status is one
-- of p_statuses. For other callers the family is not locked.
CREATE OR REPLACE FUNCTION app.lock_family_in_status(p_family uuid, p_statuses text[])
RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.account_id();
    v_caller app.family_members;
BEGIN
    PERFORM FROM app.family_units AS f
        WHERE f.id = p_family AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.user_id = v_account
                AND m.status = ANY (p_statuses))
        FOR NO KEY UPDATE;
    -- Checks the account only now, because it may have been blocked, or have got another id, while
    -- this waited.
    PERFORM app.require_account();
    SELECT m.* INTO v_caller FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = v_account
            AND m.status = ANY (p_statuses);
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_caller;
END $$;

-- Locks a family and returns the caller's own active membership.
CREATE OR REPLACE FUNCTION app.lock_family_as_member(p_family uuid) RETURNS app.family_members
LANGUAGE sql VOLATILE
RETURN app.lock_family_in_status(p_family, '{active}');

-- Locks a family and returns the caller's own active membership or its request to join.
CREATE OR REPLACE FUNCTION app.lock_own_family_member(p_family uuid) RETURNS app.family_members
LANGUAGE sql VOLATILE
RETURN app.lock_family_in_status(p_family, '{active,invited}');

-- Locks the family of a member and returns the caller's own membership.
CREATE OR REPLACE FUNCTION app.lock_family_of_member(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.account_id();
    v_family uuid;
BEGIN
    SELECT m.family_unit_id INTO v_family FROM app.family_members AS m
        WHERE m.id = p_member AND EXISTS (
            SELECT FROM app.family_members AS me
            WHERE me.family_unit_id = m.family_unit_id AND me.user_id = v_account
                AND me.status = 'active');
    IF NOT FOUND THEN
        PERFORM app.require_account();
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN app.lock_family_as_member(v_family);
END $$;

-- Returns a member of the family of p_caller. A person who waits for approval exists only for those
-- who may approve.
CREATE OR REPLACE FUNCTION app.member_in_family_of(p_caller app.family_members, p_member uuid)
RETURNS app.family_members
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_member app.family_members;
BEGIN
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.family_unit_id = p_caller.family_unit_id
            AND (m.status = 'active'
                 OR (m.status = 'invited' AND app.may_admit(p_caller)));
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN v_member;
END $$;
