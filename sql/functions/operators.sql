-- Operators' changes of families. Each function first requires the operator's name.
--
-- An operator belongs to no family, so the rules about household roles don't apply; every invariant
-- does. A transaction begins with begin_operation, which names the operator; without it every
-- change is refused. The audit row has the label `operator:<name>` and no actor.
--
-- Operators may not execute the worker's functions. They have functions of their own, which require
-- the name first and can't be bypassed.

-- Sets the operator's name for this transaction. Clears the settings of a request, because the
-- operator is not an account.
CREATE OR REPLACE FUNCTION app.begin_operation(p_operator text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF p_operator IS NULL OR p_operator !~ '^[^[:cntrl:]]{1,80}$' THEN
        PERFORM app.refuse_field('operator',
            'The name of an operator has 1 to 80 characters, none of them a control character.');
    END IF;
    PERFORM set_config('hearth.operator', p_operator, true),
        set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    PERFORM app.require_operator();
END $$;

COMMENT ON FUNCTION app.begin_operation(text) IS
    'Begins the transaction of the operator with this name.';

CREATE OR REPLACE FUNCTION app.require_operator() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.operator_label() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    END IF;
END $$;

-- Refuses an operator of the console who may not act on an account: nobody acts on their own, and
-- on that of an operator only an admin acts. The console has decided this before, by what it read
-- then; the account may have become an operator's in the meantime. At the command line, where the
-- setting is missing, operators may act on any account.
CREATE OR REPLACE FUNCTION app.require_may_act_on(p_user uuid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_account constant text := nullif(current_setting('hearth.console_account', true), '');
BEGIN
    IF v_account IS NULL THEN
        RETURN;
    ELSIF p_user::text = v_account THEN
        PERFORM app.refuse('HF403', 'role_does_not_allow',
            'This is your own account: another admin has to do it.');
    ELSIF current_setting('hearth.console_role', true) IS DISTINCT FROM 'admin'
        AND app.is_operator(p_user) THEN
        PERFORM app.refuse('HF403', 'role_does_not_allow',
            'This account is an operator''s: only an admin may do this.');
    END IF;
END $$;

-- Ids of the people who have an address, and of the account that signs in with it, oldest first.
CREATE OR REPLACE FUNCTION app.people_of_address(p_email text) RETURNS TABLE (id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 2 SET search_path = '' AS $$
DECLARE
    v_mailbox constant text := app.mailbox_of(p_email);
BEGIN
    RETURN QUERY SELECT u.id FROM app.users AS u
        WHERE u.id IN (
            SELECT o.id FROM app.users AS o WHERE o.mailbox = v_mailbox
            UNION ALL
            SELECT e.user_id FROM app.email_sign_ins AS e
            WHERE e.mailbox = v_mailbox AND e.removed_at IS NULL)
        ORDER BY u.created_at, u.id;
END $$;

COMMENT ON FUNCTION app.people_of_address(text) IS
    'Ids of people with an address, or who sign in with it.';

-- Locks the family's row before anything of the family is read, as everywhere.
CREATE OR REPLACE FUNCTION app.lock_family_for_operator(p_family uuid) RETURNS app.family_units
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_family app.family_units;
BEGIN
    PERFORM app.require_operator();
    SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = p_family FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_family;
END $$;

-- Locks the family of a member, and returns the member if it is active or waits for approval.
CREATE OR REPLACE FUNCTION app.lock_present_member(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_member app.family_members;
BEGIN
    PERFORM app.require_operator();
    PERFORM FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE m.id = p_member FOR NO KEY UPDATE OF f;
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.status IN ('active', 'invited');
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN v_member;
END $$;

-- The same for a member on whom the operator acts.
CREATE OR REPLACE FUNCTION app.lock_member_for_operator(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_member constant app.family_members := app.lock_present_member(p_member);
BEGIN
    PERFORM app.require_may_act_on(v_member.user_id);
    RETURN v_member;
END $$;

-- Locks the row of an account that is not erased, and returns it. The rows of families are locked
-- before.
CREATE OR REPLACE FUNCTION app.lock_account_for_operator(p_user uuid) RETURNS app.users
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM app.require_operator();
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = p_user AND u.kind = 'account' AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'user_not_found', 'There is no such account.');
    END IF;
    PERFORM app.require_may_act_on(p_user);
    RETURN v_user;
END $$;

CREATE OR REPLACE FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text)
RETURNS TABLE (family_unit_id uuid, family_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_owner constant app.users := app.lock_account_for_operator(p_owner);
    v_role constant text := coalesce(p_role, v_owner.role);
BEGIN
    PERFORM app.require_role_of_account(p_owner, v_role);
    IF v_role = 'player' AND app.player_family_of(p_owner) IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    IF p_role IS NOT NULL AND v_owner.role_is_default THEN
        PERFORM app.record_stated_role(p_owner, p_role);
    END IF;
    RETURN QUERY SELECT f.id, f.family_code
        FROM app.insert_family(p_owner, p_family_name, v_role) AS f;
END $$;

COMMENT ON FUNCTION app.operator_create_family(uuid, text, text) IS
    'Creates a family for an account, which becomes its creator and first member.';

CREATE OR REPLACE FUNCTION app.operator_rename_family(p_family uuid, p_family_name text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.lock_family_for_operator(p_family);
    UPDATE app.family_units AS f SET family_name = p_family_name WHERE f.id = p_family;
    PERFORM app.record_audit('family.update', p_family, NULL, p_family,
        '{"changed": ["family_name"]}');
END $$;

COMMENT ON FUNCTION app.operator_rename_family(uuid, text) IS 'Renames a family.';

CREATE OR REPLACE FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.lock_family_for_operator(p_family);
    IF p_expires_in_days NOT BETWEEN 1 AND app.max_code_days() THEN
        PERFORM app.refuse_field('expiresInDays',
            format('A code lasts from 1 to %s days.', app.max_code_days()));
    END IF;
    PERFORM app.replace_code(p_family, now() + make_interval(days => p_expires_in_days));
    PERFORM app.record_audit('code.regenerate', p_family, NULL, p_family);
END $$;

COMMENT ON FUNCTION app.operator_replace_code(uuid, integer) IS
    'Gives a family a new code, valid for a number of days or (null) without expiry; retires the '
    'old one.';

GRANT EXECUTE ON FUNCTION
    app.begin_operation(text), app.people_of_address(text),
    app.operator_create_family(uuid, text, text), app.operator_rename_family(uuid, text),
    app.operator_replace_code(uuid, integer)
    TO hearth_admin;
