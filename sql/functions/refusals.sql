-- Refusals of functions.
--
-- Errors that functions raise on purpose have an SQLSTATE of class HF, named after the HTTP status
-- that it becomes. The field CONSTRAINT holds the code that clients get.
--   HF400 invalid   HF401 invalid API key   HF403 forbidden
--   HF404 absent, or not the caller's
--   HF409 conflict with the current state   HF410 expired   HF429 too many attempts
-- The codes are a closed list in the application (DomainCore/RefusalCode.swift; those for operators
-- only are in UseCases/Operators/OperatorRefusalCode.swift). A test compares the SQLSTATEs with the
-- statuses in the application's error table. Some errors have a DETAIL: for invalid_field the
-- field's name in the API, for family_full the family's limit, for HF429 the seconds to wait.

CREATE OR REPLACE FUNCTION app.refuse(p_state text, p_reason text, p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = p_state, CONSTRAINT = p_reason, MESSAGE = p_message;
END $$;

COMMENT ON FUNCTION app.refuse(text, text, text) IS
    'Raises an error of class HF: SQLSTATE, code (as constraint name), message for people.';

CREATE OR REPLACE FUNCTION app.refuse_field(p_field text, p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'HF400', CONSTRAINT = 'invalid_field', DETAIL = p_field,
        MESSAGE = p_message;
END $$;

COMMENT ON FUNCTION app.refuse_field(text, text) IS
    'Raises invalid_field: name of the field in the API, message for people.';

-- Refuses a request whose account is absent: it was blocked or erased since the request began, or
-- it has had another id since then (account_ids.sql). In the last case raises
-- serialization_failure, so that the program runs the transaction again from its start.
CREATE OR REPLACE FUNCTION app.refuse_absent_account(p_account uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.require_not_blocked(p_account);
    IF EXISTS (SELECT FROM app.former_ids AS o WHERE o.former_id = p_account) THEN
        RAISE EXCEPTION 'the id of the account has changed since the request began'
            USING ERRCODE = 'serialization_failure';
    END IF;
    PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
END $$;

-- Returns the account that may make changes. Refuses while acting, without a caller, and for a user
-- that was blocked or erased after its token was accepted.
CREATE OR REPLACE FUNCTION app.require_account() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.user_id() IS NOT NULL AND app.account_id() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_while_acting', 'Not while acting for a member.');
    ELSIF NOT EXISTS (
        SELECT FROM app.users AS u
        WHERE u.id = app.account_id() AND u.deleted_at IS NULL AND u.blocked_at IS NULL) THEN
        PERFORM app.refuse_absent_account(app.account_id());
    END IF;
    RETURN app.account_id();
END $$;

-- Refuses unless p_allowed is true. (A plain IF NOT would let null through.)
CREATE OR REPLACE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_allowed IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'standing_too_low', 'You are not allowed to do this.');
    END IF;
END $$;
