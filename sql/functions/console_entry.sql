-- Further ways in which operators sign in to the console: by the name that a trusted proxy sends,
-- and by a mailed code (console.sql has links and passkeys).
--
-- hearth-console checks the proxy: its address and its secret. A session that a proxy opened lasts
-- only while the proxy names its operator, and is as freshly proved as the time of the sign-in that
-- the proxy states. A session that a mailed code opened does not allow what needs a fresh proof.
--
-- A code belongs to an e-mail token with the purpose 'console'. A request for a code has the same
-- effect for every address; only the worker finds out whether the address is an operator's.
--
-- Lock order: the e-mail token, the buckets of rate limits, the role of the operator.

-- The operator to whose account an address leads; null if the account is no operator's, or is
-- blocked.
CREATE OR REPLACE FUNCTION app.operator_of_mailbox(p_mailbox text) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT o.user_id FROM app.operators AS o JOIN app.users AS u ON u.id = o.user_id
        WHERE o.user_id = app.account_of_mailbox(p_mailbox)
            AND u.deleted_at IS NULL AND u.blocked_at IS NULL);
END $$;

-- The time of a sign-in that a proxy states, in seconds since 1970. Returns the beginning of 1970,
-- which proves nothing, if the stated time is in the future or old, or if none is stated.
CREATE OR REPLACE FUNCTION app.proved_by_proxy(p_auth_time bigint) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN CASE
        WHEN p_auth_time > extract(epoch FROM now() - app.console_proof_time())
            AND p_auth_time <= extract(epoch FROM now())
        THEN to_timestamp(p_auth_time) ELSE timestamptz 'epoch' END;
END $$;

-- Opens a session whose last proof has another time than the present.
CREATE OR REPLACE FUNCTION app.open_console_session_proved_at(
    p_user uuid, p_method text, p_session_hash bytea, p_hours integer, p_browser text,
    p_proved_at timestamptz
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.begin_as_operator(p_user);
    PERFORM app.open_console_session(p_user, p_method, p_session_hash, p_hours, p_browser);
    UPDATE app.console_sessions AS s SET proved_at = p_proved_at
        WHERE s.token_hash = p_session_hash;
END $$;

-- Opens a session for the operator whom a proxy names, and ends the oldest sessions that a proxy
-- has opened for the operator if there are too many. Returns false if the address is no operator's,
-- or if the account is blocked.
CREATE OR REPLACE FUNCTION app.console_enter_by_proxy(
    p_email text, p_auth_time bigint, p_session_hash bytea, p_hours integer, p_browser text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user constant uuid := app.operator_of_mailbox(
        app.mailbox_of(app.normalised_email(p_email)));
BEGIN
    IF v_user IS NULL THEN
        RETURN false;
    END IF;
    -- An operator's sign-ins run one after another, so that the limit holds.
    PERFORM FROM app.operators AS o WHERE o.user_id = v_user FOR NO KEY UPDATE;
    DELETE FROM app.console_sessions AS s WHERE s.token_hash IN (
        SELECT o.token_hash FROM app.console_sessions AS o
        WHERE o.user_id = v_user AND o.method = 'proxy'
        ORDER BY o.started_at DESC, o.token_hash OFFSET app.max_proxy_sessions() - 1);
    PERFORM app.open_console_session_proved_at(v_user, 'proxy', p_session_hash, p_hours, p_browser,
        app.proved_by_proxy(p_auth_time));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.console_enter_by_proxy(text, bigint, bytea, integer, text) IS
    'Opens a session for the operator whom a trusted proxy names; false for anybody else.';

-- Compares a session that a proxy opened with what the proxy sends now: ends it if the proxy names
-- somebody else, and otherwise gives it the proxy's time of the sign-in. Leaves other sessions as
-- they are.
CREATE OR REPLACE FUNCTION app.console_follow_proxy(
    p_session_hash bytea, p_email text, p_auth_time bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user uuid;
    v_proved_at constant timestamptz := app.proved_by_proxy(p_auth_time);
BEGIN
    IF NOT EXISTS (SELECT FROM app.console_sessions AS s
                   WHERE s.token_hash = p_session_hash AND s.method = 'proxy') THEN
        RETURN;
    END IF;
    v_user := app.operator_of_mailbox(app.mailbox_of(app.normalised_email(p_email)));
    DELETE FROM app.console_sessions AS s WHERE s.token_hash = p_session_hash
        AND s.method = 'proxy' AND s.user_id IS DISTINCT FROM v_user;
    UPDATE app.console_sessions AS s SET proved_at = v_proved_at
        WHERE s.token_hash = p_session_hash AND s.method = 'proxy'
            AND s.proved_at IS DISTINCT FROM v_proved_at;
END $$;

COMMENT ON FUNCTION app.console_follow_proxy(bytea, text, bigint) IS
    'Ends a session that a proxy opened if the proxy names somebody else; else renews its proof.';

-- Creates the e-mail token of a code for the console, and enqueues its e-mail; if a limit is
-- reached, returns a row that names it.
CREATE OR REPLACE FUNCTION app.console_request_code(
    p_ticket uuid, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_network text,
    p_mail jsonb
) RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT r.limited_by, r.retry_after_seconds FROM app.create_email_token(
        p_ticket, 'console', p_email, p_ticket_hash, p_link_hash, NULL, NULL, NULL, p_network,
        p_mail, NULL, NULL) AS r;
END $$;

COMMENT ON FUNCTION app.console_request_code(uuid, text, bytea, bytea, text, jsonb) IS
    'Mails a code for the console if the address is an operator''s; returns a row if a limit is '
    'reached.';

-- Uses up an e-mail token whose code was right, and opens a session. Returns false if the token was
-- used, has expired or is for something else, or if its address is no longer an operator's.
CREATE OR REPLACE FUNCTION app.console_enter_by_code(
    p_ticket uuid, p_session_hash bytea, p_hours integer, p_browser text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_mailbox text;
    v_user uuid;
BEGIN
    UPDATE app.email_tokens AS t SET used_at = now()
        WHERE t.id = p_ticket AND t.purpose = 'console' AND t.used_at IS NULL
            AND t.expires_at > clock_timestamp()
            AND app.is_lasting(t.expires_at, app.mailed_code_time())
        RETURNING t.mailbox INTO v_mailbox;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    v_user := app.operator_of_mailbox(v_mailbox);
    IF v_user IS NULL THEN
        RETURN false;
    END IF;
    PERFORM app.release_hits(ARRAY[app.code_guess_bucket(v_user, v_mailbox)]);
    PERFORM app.open_console_session_proved_at(v_user, 'code', p_session_hash, p_hours, p_browser,
        timestamptz 'epoch');
    RETURN true;
END $$;

COMMENT ON FUNCTION app.console_enter_by_code(uuid, bytea, integer, text) IS
    'Opens a session with a mailed code; false for one that is used, expired or not an '
    'operator''s.';

GRANT EXECUTE ON FUNCTION
    app.console_enter_by_proxy(text, bigint, bytea, integer, text),
    app.console_follow_proxy(bytea, text, bigint),
    app.console_request_code(uuid, text, bytea, bytea, text, jsonb),
    app.console_enter_by_code(uuid, bytea, integer, text)
    TO hearth_admin;
