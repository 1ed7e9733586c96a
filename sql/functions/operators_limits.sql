-- Operators and the rate limits of a person.

-- The counters of an account: attempts at codes, invitations, exports and others by its id, and
-- attempts at its password and e-mailed codes by its addresses.
CREATE OR REPLACE FUNCTION app.limits_of(p_user app.users) RETURNS SETOF app.rate_limits
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT r.* FROM app.rate_limits AS r
    WHERE r.bucket IN (
        SELECT unnest(app.buckets_of_account(p_user.id))
        UNION ALL
        SELECT app.code_guess_bucket(p_user.id, NULL)
        UNION ALL
        SELECT b.kind || encode(sha256(convert_to(a.mailbox, 'UTF8')), 'hex')
        FROM app.mailboxes_of(p_user) AS a (mailbox)
        CROSS JOIN (VALUES ('password:account:'), ('mailed-code:address:')) AS b (kind))
    UNION ALL
    -- The counters of e-mailed codes by address and network, whose buckets begin with the prefix
    -- and a colon. The range ends at the character that follows the colon.
    SELECT r.* FROM app.mailboxes_of(p_user) AS a (mailbox)
    CROSS JOIN LATERAL (VALUES ('mailed-code:place:'
        || encode(sha256(convert_to(a.mailbox, 'UTF8')), 'hex'))) AS p (place)
    JOIN app.rate_limits AS r ON r.bucket > p.place || ':' AND r.bucket < p.place || ';';
$$;

-- The counters of an account for operators: the limit's name, attempts, the start of the window.
CREATE OR REPLACE FUNCTION app.limits_of_account(p_user uuid)
RETURNS TABLE (name text, hits integer, since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT split_part(r.bucket, ':', 1), r.hits, r.window_start
    FROM app.users AS u CROSS JOIN LATERAL app.limits_of(u) AS r
    WHERE u.id = p_user AND u.kind = 'account' ORDER BY r.bucket
$$;

COMMENT ON FUNCTION app.limits_of_account(uuid) IS 'The counters of an account''s rate limits.';

-- Deletes the counters of an account, so that its owner can try again at once. Returns how many
-- there were.
CREATE OR REPLACE FUNCTION app.operator_clear_limits(p_user uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user app.users;
    v_count integer;
    v_codes integer;
BEGIN
    PERFORM app.require_operator();
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = p_user AND u.kind = 'account' AND u.deleted_at IS NULL;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'user_not_found', 'There is no such account.');
    END IF;
    PERFORM app.require_may_act_on(p_user);
    DELETE FROM app.rate_limits AS r
        WHERE r.bucket IN (SELECT l.bucket FROM app.limits_of(v_user) AS l);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    -- The limit of different codes counts these rows.
    DELETE FROM app.code_lookups AS l WHERE l.user_id = p_user;
    GET DIAGNOSTICS v_codes = ROW_COUNT;
    v_count := v_count + (v_codes > 0)::integer;
    IF v_count > 0 THEN
        PERFORM app.record_audit('limit.clear', NULL, p_user, p_user,
            jsonb_build_object('limits', v_count));
    END IF;
    RETURN v_count;
END $$;

COMMENT ON FUNCTION app.operator_clear_limits(uuid) IS
    'Deletes the counters of an account''s rate limits; returns how many there were.';

GRANT EXECUTE ON FUNCTION app.limits_of_account(uuid), app.operator_clear_limits(uuid)
    TO hearth_admin;
GRANT EXECUTE ON FUNCTION app.limits_of_account(uuid) TO hearth_viewer;
