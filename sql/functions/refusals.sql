-- How functions refuse.
--
-- Errors that functions raise on purpose have an SQLSTATE of class HF, named after the HTTP status
-- that it becomes, and the machine-readable reason in the field CONSTRAINT, where the name of a
-- violated constraint stands too: one look-up serves both.
--   HF400 not acceptable   HF401 nobody is signed in   HF403 refused   HF404 absent, or not yours
--   HF409 in the way of the present state   HF410 over   HF429 too often
-- The reasons are a closed list in the application. HF429 is raised where it is found, because it
-- tells in DETAIL for how many seconds.

CREATE OR REPLACE FUNCTION app.refuse(p_state text, p_reason text, p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = p_state, CONSTRAINT = p_reason, MESSAGE = p_message;
END $$;

COMMENT ON FUNCTION app.refuse(text, text, text) IS
    'Raises an error of class HF: state, reason (as constraint name), sentence for people.';

-- The account that may change something: refused while acting, to nobody at all, and to a user that
-- was erased since its token was first seen.
CREATE OR REPLACE FUNCTION app.require_account() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.user_id() IS NOT NULL AND app.account_id() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_while_acting', 'Not while acting for a member.');
    ELSIF NOT EXISTS (
        SELECT FROM app.users AS u WHERE u.id = app.account_id() AND u.deleted_at IS NULL) THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    RETURN app.account_id();
END $$;

-- The one way in which a rule refuses: what is not known to be allowed is not. (A plain IF NOT
-- would let null through.)
CREATE OR REPLACE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_allowed IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'not_allowed', 'You are not allowed to do this.');
    END IF;
END $$;
