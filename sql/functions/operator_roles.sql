-- The roles of operators (app.operators), and what an account can't do while it has one.
--
-- Locks: first the role, if there is one, as the console's changes do; then the user, as
-- erase_locked does, so that nobody becomes an operator while the account is erased; then the
-- table, so that two admins can't remove each other at the same time.

CREATE OR REPLACE FUNCTION app.is_operator(p_user uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT EXISTS (SELECT FROM app.operators AS o WHERE o.user_id = p_user)
$$;

COMMENT ON FUNCTION app.is_operator(uuid) IS 'Whether an account has the role of an operator.';

-- Whether the caller's own account has the role of an operator; false without a caller, and for one
-- who acts for a child. No account learns this of another.
CREATE OR REPLACE FUNCTION app.caller_is_operator() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT app.is_operator(app.account_id())
$$;

COMMENT ON FUNCTION app.caller_is_operator() IS
    'Whether the caller''s own account has the role of an operator.';

-- Refuses a change that could take an account away from an operator: a block, an erasure, another
-- address or another sign-in. Whoever makes the change has locked the user; reserve_deletion_code
-- only looks ahead.
CREATE OR REPLACE FUNCTION app.require_no_operator(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF app.is_operator(p_user) THEN
        PERFORM app.refuse('HF409', 'operator_role_stands',
            'This account is an operator of the service; remove that role first.');
    END IF;
END $$;

COMMENT ON FUNCTION app.require_no_operator(uuid) IS
    'Refuses with operator_role_stands while an account has the role of an operator.';

-- Refuses to leave the service without an admin. The caller has locked the table.
CREATE OR REPLACE FUNCTION app.require_other_admin(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF EXISTS (SELECT FROM app.operators AS o WHERE o.user_id = p_user AND o.role = 'admin')
        AND NOT EXISTS (
            SELECT FROM app.operators AS o WHERE o.user_id <> p_user AND o.role = 'admin') THEN
        PERFORM app.refuse('HF409', 'last_admin',
            'This is the last admin. Make another operator an admin first.');
    END IF;
END $$;

-- Makes an account an operator (p_adds), or gives an operator another role. Returns false if it has
-- this role already. Refuses to add an operator that has another role, and to change the role of an
-- account that is not an operator.
CREATE OR REPLACE FUNCTION app.operator_set_role(p_user uuid, p_role text, p_adds boolean)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_before text;
BEGIN
    PERFORM app.require_operator();
    IF (p_role IN ('viewer', 'support', 'admin')) IS NOT TRUE THEN
        PERFORM app.refuse_field('role', 'The role is viewer, support or admin.');
    END IF;
    -- First of all: a change by this operator holds the role before it locks accounts.
    PERFORM FROM app.operators AS o WHERE o.user_id = p_user FOR UPDATE;
    PERFORM FROM app.users AS u
        WHERE u.id = p_user AND u.kind = 'account' AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'user_not_found', 'There is no such account.');
    END IF;
    PERFORM app.require_not_blocked(p_user);
    LOCK TABLE app.operators IN SHARE ROW EXCLUSIVE MODE;
    SELECT o.role INTO v_before FROM app.operators AS o WHERE o.user_id = p_user;
    IF v_before = p_role THEN
        RETURN false;
    ELSIF p_adds AND v_before IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'operator_exists',
            format('This account is an operator already, with the role %s.', v_before));
    ELSIF NOT p_adds AND v_before IS NULL THEN
        PERFORM app.refuse('HF404', 'operator_not_found', 'This account is no operator.');
    ELSIF v_before IS NULL THEN
        INSERT INTO app.operators (user_id, role, added_by)
            VALUES (p_user, p_role, app.operator_label());
    ELSE
        PERFORM app.require_other_admin(p_user);
        UPDATE app.operators AS o SET role = p_role WHERE o.user_id = p_user;
    END IF;
    PERFORM app.record_audit(
        CASE WHEN v_before IS NULL THEN 'operator.add' ELSE 'operator.role' END, NULL, p_user,
        p_user, jsonb_strip_nulls(jsonb_build_object('role', p_role, 'before', v_before)));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_set_role(uuid, text, boolean) IS
    'Makes an account an operator, or changes an operator''s role; false if it has this role.';

-- Removes the role of an operator. Returns false if the account has none.
CREATE OR REPLACE FUNCTION app.operator_remove(p_user uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_role text;
BEGIN
    PERFORM app.require_operator();
    -- Before the table, as in operator_set_role.
    PERFORM FROM app.operators AS o WHERE o.user_id = p_user FOR UPDATE;
    LOCK TABLE app.operators IN SHARE ROW EXCLUSIVE MODE;
    PERFORM app.require_other_admin(p_user);
    DELETE FROM app.operators AS o WHERE o.user_id = p_user RETURNING o.role INTO v_role;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('operator.remove', NULL, p_user, p_user,
        jsonb_build_object('role', v_role));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_remove(uuid) IS
    'Removes the role of an operator; false if the account has none.';

GRANT EXECUTE ON FUNCTION app.caller_is_operator() TO hearth_api;
GRANT EXECUTE ON FUNCTION app.operator_set_role(uuid, text, boolean), app.operator_remove(uuid)
    TO hearth_admin;
