-- Sessions: open, refresh, list, end. barrier.sql begins the requests of their access tokens.
--
-- Locks: the account, then its sessions. Refreshing locks only the session.

-- Sessions that have neither ended nor expired. Clients can't read this view. It has no
-- security_barrier, so that it costs no more than the condition written out.
CREATE OR REPLACE VIEW app.unended_sessions AS
SELECT s.id, s.user_id, s.former_user_ids
FROM app.sessions AS s
WHERE s.ended_at IS NULL AND s.ends_at > now();

-- Live sessions of the account, for its list.
CREATE OR REPLACE VIEW app.my_sessions WITH (security_barrier) AS
SELECT s.id, s.method, s.issuer, s.device, s.started_at, s.last_used_at, s.ends_at, s.parent_id
FROM app.sessions AS s
WHERE s.user_id = app.account_id() AND s.ended_at IS NULL AND s.ends_at > now();

ALTER VIEW app.unended_sessions OWNER TO hearth_authz;
ALTER VIEW app.my_sessions OWNER TO hearth_authz;

-- When an app's session ends, ends the browser sessions that it has opened.
CREATE OR REPLACE FUNCTION app.end_child_sessions() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    UPDATE app.sessions AS s SET ended_at = NEW.ended_at, end_reason = NEW.end_reason
        WHERE s.parent_id = NEW.id AND s.ended_at IS NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER sessions_end_children AFTER UPDATE OF ended_at ON app.sessions
    FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
    EXECUTE FUNCTION app.end_child_sessions();

-- Ends the live sessions of an account, and returns their number. If p_except is not null, that
-- session stays, and so does the app's session that opened it, because p_except would end with it.
CREATE OR REPLACE FUNCTION app.end_sessions_of(p_user uuid, p_except uuid, p_reason text)
RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = p_reason
        WHERE s.user_id = p_user AND s.ended_at IS NULL AND s.ends_at > now()
            AND s.id IS DISTINCT FROM p_except
            AND s.id IS DISTINCT FROM (
                SELECT o.parent_id FROM app.sessions AS o WHERE o.id = p_except);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- Opens a session of an account. The request continues as this account's. Locks the account, so
-- that no session is opened for one that is being erased or blocked. If there are too many
-- sessions, ends those that were not used for longest, but not p_parent, the app's session that
-- opens this one.
CREATE OR REPLACE FUNCTION app.open_session(
    p_session uuid, p_user uuid, p_method text, p_issuer text, p_device text, p_token_hash bytea,
    p_parent uuid
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = p_user AND u.kind = 'account' AND u.deleted_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(p_user);
    END IF;
    PERFORM app.require_not_blocked(p_user);
    INSERT INTO app.sessions (id, user_id, method, issuer, device, ends_at, parent_id)
        VALUES (p_session, p_user, p_method, p_issuer, p_device, now() + app.session_idle_time(),
            p_parent);
    INSERT INTO app.refresh_tokens (session_id, token_hash) VALUES (p_session, p_token_hash);
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = 'replaced'
        WHERE s.id IN (
            SELECT o.id FROM app.sessions AS o
            WHERE o.user_id = p_user AND o.ended_at IS NULL AND o.ends_at > now()
            ORDER BY o.id <> p_session, o.id IS DISTINCT FROM p_parent, o.last_used_at DESC, o.id
            OFFSET app.max_sessions());
    PERFORM set_config('hearth.guardian_id', '', true),
        set_config('hearth.user_id', p_user::text, true);
END $$;

-- Opens a session for the caller's account, in exchange for the token of another issuer that began
-- the request. The sign-in gets that token's time of issue, so exchanging an old token does not
-- count as a recent sign-in.
CREATE OR REPLACE FUNCTION app.exchange_for_session(
    p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint
) RETURNS TABLE (user_id uuid, started_at timestamptz, lasts_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    user_id := app.require_account();
    PERFORM app.open_session(
        p_session, user_id, 'exchange', p_issuer, p_device, p_token_hash, NULL);
    -- A token without a time of issue does not count as a recent sign-in.
    UPDATE app.sessions AS s SET signed_in_at = least(
            now(), coalesce(to_timestamp(p_issued_at), now() - app.fresh_proof_time()))
        WHERE s.id = p_session RETURNING s.signed_in_at INTO started_at;
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.exchange_for_session(uuid, text, text, bytea, bigint) IS
    'Opens a session for the caller''s account, in exchange for another issuer''s token.';

-- State of a refresh token, whose session's row is locked: newest, former or none.
CREATE OR REPLACE FUNCTION app.state_of_refresh_token(
    p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean
) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT CASE
            WHEN t.generation = p_generation AND t.token_hash = p_token_hash THEN 'newest'
            WHEN t.generation > p_generation AND p_is_authentic THEN 'former'
            ELSE 'none' END
        FROM app.refresh_tokens AS t WHERE t.session_id = p_session);
END $$;

-- Time until which a used refresh token may still be exchanged for the newest one. One generation
-- old: its successor is unused, so the response may have been lost, or was 503 because the
-- synchronous standby was unavailable; it is repeated for as long as the access token in it is
-- valid. Two generations old: only for a short time, for devices whose requests overlap. Null for
-- older tokens.
CREATE OR REPLACE FUNCTION app.refresh_repeats_until(
    p_newest app.refresh_tokens, p_generation integer
) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE p_newest.generation - p_generation
        WHEN 1 THEN p_newest.issued_at + app.access_token_life()
        WHEN 2 THEN p_newest.previous_issued_at + app.refresh_grace_time() END
$$;

-- Uses a refresh token and replaces it with the next one. p_next_hashes holds the hashes of tokens
-- that the caller has computed: the next one with each of the caller's keys, the newest key first;
-- then, again with each of these keys, the ones that follow from those. Outcome:
--   rotated   the next token is the one of the first hash
--   repeated  the token was used before, and may be repeated (app.refresh_repeats_until);
--             token_index is the index of the newest token's hash
--   reused    the token was used before, and may not be repeated: somebody else may have it, so the
--             session has ended, and an e-mail to its owner is enqueued with the payload p_mail
--   blocked   the account is blocked, and the session has ended
--   ended     the session had ended
--   unknown   there is no such token, or none of the hashes is that of the newest one
-- After the first two outcomes the request continues as the session's account. The clock is read
-- after the lock, because the wait for it may have been long.
CREATE OR REPLACE FUNCTION app.refresh_session(
    p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean,
    p_next_hashes bytea[], p_mail jsonb
) RETURNS TABLE (
    outcome text, token_index integer, user_id uuid, method text, started_at timestamptz,
    lasts_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_session app.sessions;
    v_token app.refresh_tokens;
    v_state text;
    v_now timestamptz;
BEGIN
    SELECT s.* INTO v_session FROM app.sessions AS s WHERE s.id = p_session FOR NO KEY UPDATE;
    SELECT t.* INTO v_token FROM app.refresh_tokens AS t WHERE t.session_id = p_session;
    v_state := coalesce(app.state_of_refresh_token(
        p_session, p_generation, p_token_hash, p_is_authentic), 'none');
    v_now := clock_timestamp();
    user_id := v_session.user_id;
    method := v_session.method;
    started_at := coalesce(v_session.signed_in_at, v_session.started_at);
    IF v_state = 'none' THEN
        outcome := 'unknown';
    ELSIF app.is_blocked(v_session.user_id) THEN
        outcome := 'blocked';
    ELSIF v_session.ended_at IS NOT NULL OR v_session.ends_at <= v_now THEN
        outcome := 'ended';
    ELSIF v_state = 'newest' THEN
        outcome := 'rotated';
        token_index := 1;
        UPDATE app.refresh_tokens AS t
            SET generation = t.generation + 1, token_hash = p_next_hashes[1], issued_at = v_now,
                previous_issued_at = t.issued_at
            WHERE t.session_id = p_session;
        UPDATE app.sessions AS s SET last_used_at = v_now, ends_at = least(
                v_now + app.session_idle_time(), s.started_at + app.session_life())
            WHERE s.id = p_session RETURNING s.* INTO v_session;
    ELSIF app.refresh_repeats_until(v_token, p_generation) > v_now THEN
        token_index := array_position(p_next_hashes, v_token.token_hash);
        outcome := CASE WHEN token_index IS NULL THEN 'unknown' ELSE 'repeated' END;
    ELSE
        outcome := 'reused';
        UPDATE app.sessions AS s SET ended_at = v_now, end_reason = 'reused'
            WHERE s.id = p_session;
        PERFORM jobs.enqueue('mail', 'mail.session_reused', NULL,
            p_mail || jsonb_build_object('recipient', v_session.user_id));
    END IF;
    lasts_seconds := greatest(0, floor(extract(epoch FROM v_session.ends_at - v_now)))::integer;
    IF outcome IN ('rotated', 'repeated') THEN
        PERFORM set_config('hearth.guardian_id', '', true),
            set_config('hearth.user_id', v_session.user_id::text, true);
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.refresh_session(uuid, integer, bytea, boolean, bytea[], jsonb) IS
    'Exchanges a refresh token for the next one; one row with the outcome.';

-- Ends the session of a refresh token, the newest or a former one. Returns false if there is no
-- such token.
CREATE OR REPLACE FUNCTION app.end_session_of_token(
    p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.sessions AS s WHERE s.id = p_session FOR NO KEY UPDATE;
    IF coalesce(app.state_of_refresh_token(
        p_session, p_generation, p_token_hash, p_is_authentic), 'none') = 'none' THEN
        RETURN false;
    END IF;
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = 'signed_out'
        WHERE s.id = p_session AND s.ended_at IS NULL AND s.ends_at > now();
    RETURN true;
END $$;

COMMENT ON FUNCTION app.end_session_of_token(uuid, integer, bytea, boolean) IS
    'Ends the session of a refresh token; returns whether there is one.';

-- Extends the session of a request from a page, as if it had been refreshed now. At most once a
-- day, so that reading pages writes little. A session that an app has opened lasts no longer than
-- the app's. Returns the seconds that the session lasts from now on; no row if it was extended
-- within the last day. PL/pgSQL keeps the statement's plan, and every page calls this function.
CREATE OR REPLACE FUNCTION app.extend_session() RETURNS SETOF integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY UPDATE app.sessions AS s SET last_used_at = now(),
            ends_at = least(now() + app.session_idle_time(), s.started_at + app.session_life(), (
                SELECT p.ends_at FROM app.sessions AS p WHERE p.id = s.parent_id))
        WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid
            AND s.user_id = app.account_id() AND s.ended_at IS NULL AND s.ends_at > now()
            AND app.is_within(s.last_used_at, interval '1 day') IS NOT TRUE
        RETURNING floor(extract(epoch FROM s.ends_at - now()))::integer;
END $$;

COMMENT ON FUNCTION app.extend_session() IS
    'Extends the session of this request; returns the seconds that it lasts, or no row.';

-- Stores the family that pages show from now on in the session of a request, if the address names
-- none. The choice gives no rights: a family that the person is not in is ignored.
CREATE OR REPLACE FUNCTION app.choose_shown_family(p_family uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    UPDATE app.sessions AS s SET shown_family_id = p_family
        WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid
            AND s.user_id = app.account_id() AND s.ended_at IS NULL AND s.ends_at > now();
$$;

COMMENT ON FUNCTION app.choose_shown_family(uuid) IS
    'Stores the family that the session of this request shows if an address names none.';

-- The family that pages show if the address names none: the one that was chosen in the session of
-- the request, as long as the person is in it, otherwise the person's default one; null for none.
CREATE OR REPLACE FUNCTION app.shown_family() RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN coalesce((
        SELECT s.shown_family_id FROM app.sessions AS s
        JOIN app.family_members AS m ON m.family_unit_id = s.shown_family_id
            AND m.user_id = app.user_id() AND m.status = 'active'
        WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid
            AND s.user_id = app.account_id()),
        app.default_family_of(app.user_id()));
END $$;

COMMENT ON FUNCTION app.shown_family() IS
    'The family that pages show if the address names none: chosen in the session, or the default.';

-- Ends a session of the caller's account.
CREATE OR REPLACE FUNCTION app.end_my_session(p_session uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = 'revoked'
        WHERE s.id = p_session AND s.user_id = v_account
            AND s.ended_at IS NULL AND s.ends_at > now();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'session_not_found', 'Session not found.');
    END IF;
END $$;

-- Ends all sessions of the caller's account except p_except. Returns their number.
CREATE OR REPLACE FUNCTION app.end_my_sessions(p_except uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN app.end_sessions_of(app.require_account(), p_except, 'revoked');
END $$;

-- Ends one session of a person, or all, for an operator. Returns their number. Locks the account,
-- so that a session that is being opened ends as well.
CREATE OR REPLACE FUNCTION app.operator_end_sessions(p_user uuid, p_session uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    PERFORM app.lock_account_for_operator(p_user);
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = 'operator'
        WHERE s.user_id = p_user AND s.id = coalesce(p_session, s.id)
            AND s.ended_at IS NULL AND s.ends_at > now();
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 THEN
        PERFORM app.record_audit('user.sign_out', NULL, p_user, coalesce(p_session, p_user),
            jsonb_build_object('sessions', v_count));
    END IF;
    RETURN v_count;
END $$;

GRANT SELECT ON app.my_sessions TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.exchange_for_session(uuid, text, text, bytea, bigint),
    app.refresh_session(uuid, integer, bytea, boolean, bytea[], jsonb),
    app.end_session_of_token(uuid, integer, bytea, boolean),
    app.end_my_session(uuid), app.end_my_sessions(uuid), app.extend_session(),
    app.choose_shown_family(uuid), app.shown_family()
    TO hearth_api;
GRANT EXECUTE ON FUNCTION app.operator_end_sessions(uuid, uuid) TO hearth_admin;
