-- hearth: after sessions.sql
-- Page tickets: an app opens a page in a browser as the person who is signed in to the app.
--
-- A ticket alone signs nobody in; the person must press a button on the page that it opens. The
-- browser then has a separate session, whose parent is the app's session.
--
-- Locks: the account, the ticket, the app's session, then the account's other sessions.

-- Stores a ticket of the request's session, and deletes this session's expired tickets. Returns a
-- row if the account has requested too many tickets; then nothing is stored.
CREATE OR REPLACE FUNCTION app.create_page_ticket(p_ticket_hash bytea, p_target bytea)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_session constant uuid := nullif(current_setting('hearth.session', true), '')::uuid;
BEGIN
    SELECT r.limited_by, r.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.reserve_hits(
            ARRAY['page-ticket:account:' || v_account], ARRAY[app.max_page_tickets()],
            app.page_tickets_window()) AS r;
    IF FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;
    DELETE FROM app.page_tickets AS t WHERE t.session_id = v_session AND t.expires_at <= now();
    INSERT INTO app.page_tickets (ticket_hash, session_id, target, expires_at)
        VALUES (p_ticket_hash, v_session, p_target, now() + app.page_ticket_time());
END $$;

COMMENT ON FUNCTION app.create_page_ticket(bytea, bytea) IS
    'Stores a ticket of the session of this request, or returns a limit that is reached.';

-- The account of a ticket, and the account's name or address. Does not use up the ticket. Returns
-- no row if the ticket has been used or has expired, or if its session has ended.
CREATE OR REPLACE FUNCTION app.account_of_page_ticket(p_ticket_hash bytea)
RETURNS TABLE (user_id uuid, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT u.id, coalesce(u.full_name, u.email, '')
    FROM app.page_tickets AS t
    JOIN app.unended_sessions AS s ON s.id = t.session_id
    JOIN app.users AS u ON u.id = s.user_id
    WHERE t.ticket_hash = p_ticket_hash AND u.deleted_at IS NULL
        AND app.is_lasting(t.expires_at, app.page_ticket_time())
$$;

COMMENT ON FUNCTION app.account_of_page_ticket(bytea) IS
    'The account to which a page ticket signs in; at most one row.';

-- Uses a ticket: opens the session p_session, whose parent is the ticket's session. p_replaces is
-- the browser's present session, which ends if the same app has opened it. Returns no row if the
-- ticket has been used or has expired, or if its session has ended. The new session has the sign-in
-- time of its parent. If the parent has opened more than max_child_sessions(), the oldest of them
-- end.
--
-- The clock is read after the locks, because the wait for them may have been long.
CREATE OR REPLACE FUNCTION app.use_page_ticket(
    p_ticket_hash bytea, p_session uuid, p_device text, p_token_hash bytea, p_replaces uuid
) RETURNS TABLE (
    user_id uuid, started_at timestamptz, lasts_seconds integer, method text, target bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_ticket app.page_tickets;
    v_parent app.sessions;
    v_ends timestamptz;
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = (
            SELECT s.user_id FROM app.page_tickets AS t
            JOIN app.sessions AS s ON s.id = t.session_id WHERE t.ticket_hash = p_ticket_hash)
        FOR SHARE;
    DELETE FROM app.page_tickets AS t WHERE t.ticket_hash = p_ticket_hash
        RETURNING t.* INTO v_ticket;
    IF NOT FOUND OR v_ticket.expires_at <= clock_timestamp()
        OR NOT app.is_lasting(v_ticket.expires_at, app.page_ticket_time()) THEN
        RETURN;
    END IF;
    SELECT s.* INTO v_parent FROM app.sessions AS s
        WHERE s.id = v_ticket.session_id AND s.ended_at IS NULL AND s.ends_at > clock_timestamp()
        FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM app.open_session(p_session, v_parent.user_id, v_parent.method, v_parent.issuer,
        p_device, p_token_hash, v_parent.id);
    UPDATE app.sessions AS s SET
            signed_in_at = coalesce(v_parent.signed_in_at, v_parent.started_at),
            ends_at = least(s.ends_at, v_parent.ends_at)
        WHERE s.id = p_session RETURNING s.signed_in_at, s.ends_at INTO started_at, v_ends;
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = 'replaced'
        WHERE s.parent_id = v_parent.id AND s.ended_at IS NULL AND (s.id = p_replaces OR s.id IN (
            SELECT o.id FROM app.sessions AS o
            WHERE o.parent_id = v_parent.id AND o.ended_at IS NULL AND o.ends_at > now()
            ORDER BY o.id <> p_session, o.last_used_at DESC, o.id
            OFFSET app.max_child_sessions()));
    user_id := v_parent.user_id;
    method := v_parent.method;
    target := v_ticket.target;
    lasts_seconds := greatest(0, floor(extract(epoch FROM v_ends - now())))::integer;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.use_page_ticket(bytea, uuid, text, bytea, uuid) IS
    'Uses a page ticket and opens a session for the account of its session; at most one row.';

GRANT EXECUTE ON FUNCTION
    app.create_page_ticket(bytea, bytea), app.account_of_page_ticket(bytea),
    app.use_page_ticket(bytea, uuid, text, bytea, uuid)
    TO hearth_api;
