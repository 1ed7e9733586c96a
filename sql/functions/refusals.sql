-- How functions refuse.
--
-- Errors that functions raise on purpose have an SQLSTATE of class HF, named after the HTTP status
-- that it becomes, and in the field CONSTRAINT the code that clients are told.
--   HF400 not acceptable   HF403 refused   HF404 absent, or not yours
--   HF409 in the way of the present state   HF410 over   HF429 too often
-- The codes are a closed list in the application (Domain/RefusalCode.swift; those for operators
-- alone in UseCases/Operators/OperatorRefusalCode.swift), and a test compares the states with the
-- statuses of its error table. Some add something in DETAIL: invalid_field the name that the field
-- has in the API, family_full the family's limit, those of HF429 for how many seconds.

CREATE OR REPLACE FUNCTION app.refuse(p_state text, p_reason text, p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = p_state, CONSTRAINT = p_reason, MESSAGE = p_message;
END $$;

COMMENT ON FUNCTION app.refuse(text, text, text) IS
    'Raises an error of class HF: state, code (as constraint name), sentence for people.';

CREATE OR REPLACE FUNCTION app.refuse_field(p_field text, p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'HF400', CONSTRAINT = 'invalid_field', DETAIL = p_field,
        MESSAGE = p_message;
END $$;

COMMENT ON FUNCTION app.refuse_field(text, text) IS
    'Raises that a value can''t be taken: its field''s name in the API, sentence for people.';

-- For a request whose account isn't there: it was erased since the request began, or it has another
-- id since then (account_ids.sql). In the latter case the transaction conflicts with another, and
-- is run again from its start.
CREATE OR REPLACE FUNCTION app.refuse_absent_account(p_account uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF EXISTS (SELECT FROM app.former_ids AS o WHERE o.former_id = p_account) THEN
        RAISE EXCEPTION 'the account has another id since the request began'
            USING ERRCODE = 'serialization_failure';
    END IF;
    PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
END $$;

-- The account that may change something. Refuses while acting, without a caller, and for a user
-- that was erased after its token was first seen.
CREATE OR REPLACE FUNCTION app.require_account() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.user_id() IS NOT NULL AND app.account_id() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_while_acting', 'Not while acting for a member.');
    ELSIF NOT EXISTS (
        SELECT FROM app.users AS u WHERE u.id = app.account_id() AND u.deleted_at IS NULL) THEN
        PERFORM app.refuse_absent_account(app.account_id());
    END IF;
    RETURN app.account_id();
END $$;

-- Refuses unless a rule is true. (A plain IF NOT would let null through.)
CREATE OR REPLACE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_allowed IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'standing_too_low', 'You are not allowed to do this.');
    END IF;
END $$;
