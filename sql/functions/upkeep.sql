-- Expiry and purging, for the worker and, through operator_purge, for operators.
--
-- Each call changes at most p_batch rows, locked with SKIP LOCKED, and returns their number; a
-- smaller number than p_batch means that nothing is left. Each call can be stopped at any point and
-- repeated. Nothing depends on its punctuality: expired rows are refused by the clock.
--
-- A batch begins where the last one ended: it returns the time that it reached, which the caller
-- passes to the next one; null begins at the start. The index entries of deleted rows stay until
-- vacuum, so a batch from the start would scan all rows deleted before. Rows at exactly that time
-- are checked again; locked rows are left for the next run from the start.
--
-- The settings fix the plan, whatever the statistics say: a scan of the index of due times, and one
-- lookup for each row.

-- Deletes rows of a table whose time p_due is at least p_age ago and that p_where selects; p_key
-- names the columns of a key. The names come from this file, never from a caller: no role may
-- execute this function.
CREATE OR REPLACE FUNCTION app.purge_rows(
    p_table text, p_key text[], p_due text, p_where text, p_age interval, p_batch integer,
    p_from timestamptz, OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    EXECUTE format($statement$
        WITH due AS (
            SELECT %2$s, %3$s AS due_at FROM %1$s
            WHERE %4$s AND %3$s >= coalesce($3, '-infinity') AND %3$s <= now() - $1
            ORDER BY %3$s LIMIT $2 FOR UPDATE SKIP LOCKED),
        deleted AS (
            DELETE FROM %1$s AS t USING due WHERE %5$s RETURNING due.due_at)
        SELECT count(*), max(due_at) FROM deleted
        $statement$,
        p_table, array_to_string(p_key, ', '), p_due, p_where,
        (SELECT string_agg(format('t.%1$s = due.%1$s', k.name), ' AND ')
            FROM unnest(p_key) AS k (name)))
        INTO changed, reached USING p_age, p_batch, p_from;
END $$;

CREATE OR REPLACE FUNCTION app.expire_invitations(
    p_batch integer, p_from timestamptz, OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT i.id, i.expires_at FROM app.family_invitations AS i
        WHERE i.status = 'pending'
            AND i.expires_at >= coalesce(p_from, '-infinity') AND i.expires_at <= now()
        ORDER BY i.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    deleted AS (
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now() FROM due
            WHERE i.id = due.id
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM deleted;
END $$;

-- Retires expired codes. The register keeps them with the reason `expired`.
CREATE OR REPLACE FUNCTION app.expire_codes(
    p_batch integer, p_from timestamptz, OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_families uuid[];
BEGIN
    SELECT coalesce(array_agg(due.id), '{}'), max(due.code_expires_at)
        INTO v_families, reached FROM (
        SELECT f.id, f.code_expires_at FROM app.family_units AS f
        WHERE f.family_code IS NOT NULL
            AND f.code_expires_at >= coalesce(p_from, '-infinity') AND f.code_expires_at <= now()
        ORDER BY f.code_expires_at LIMIT p_batch FOR NO KEY UPDATE SKIP LOCKED) AS due;
    UPDATE app.family_codes AS c
        SET state = 'retired', retired_at = now(), reason = 'expired'
        WHERE c.family_unit_id = ANY (v_families) AND c.state = 'live';
    UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = ANY (v_families);
    INSERT INTO app.family_code_usage_log (family_unit_id, action)
        SELECT id, 'retired' FROM unnest(v_families) AS id;
    changed := cardinality(v_families);
END $$;

-- Purges invitations that ended at least p_age ago, with their secrets.
CREATE OR REPLACE FUNCTION app.purge_invitations(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.family_invitations', '{id}', 'closed_at', 'true',
        p_age, p_batch, p_from)
$$;

-- Purges codes that were retired at least p_age ago. They may then be drawn again.
CREATE OR REPLACE FUNCTION app.purge_retired_codes(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.family_codes', '{code}', 'retired_at', 'state = ''retired''',
        p_age, p_batch, p_from)
$$;

CREATE OR REPLACE FUNCTION app.purge_code_usage_log(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.family_code_usage_log', '{id}', 'at', 'true',
        p_age, p_batch, p_from)
$$;

-- Purges windows that began at least p_age ago. The last batch also deletes, for addresses that are
-- not on hold, rejections by mail servers that are too old to put an address on hold.
CREATE OR REPLACE FUNCTION app.purge_rate_limits(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    SELECT * INTO changed, reached FROM app.purge_rows(
        'app.rate_limits', '{bucket}', 'window_start', 'true',
        p_age, p_batch, p_from);
    IF changed < p_batch THEN
        DELETE FROM app.mail_verdicts AS v
            WHERE app.is_within(v.held_since, app.mail_hold_time()) IS NOT TRUE AND NOT EXISTS (
                SELECT FROM unnest(v.verdicts) AS o (at)
                WHERE app.is_within(o.at, app.mail_hold_time()));
    END IF;
END $$;

-- Purges digests of codes that were looked up at least p_age ago.
CREATE OR REPLACE FUNCTION app.purge_code_lookups(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.code_lookups', '{user_id, code_digest}', 'looked_up_at', 'true',
        p_age, p_batch, p_from)
$$;

CREATE OR REPLACE FUNCTION app.purge_idempotency_keys(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.idempotency_keys', '{actor_id, subject_id, route, key}', 'created_at', 'true',
        p_age, p_batch, p_from)
$$;

-- Purges sessions that ended or expired at least p_age ago.
CREATE OR REPLACE FUNCTION app.purge_sessions(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.sessions', '{id}', 'coalesce(ended_at, ends_at)', 'true',
        p_age, p_batch, p_from)
$$;

-- Purges e-mail tokens that expired at least p_age ago. The last batch also purges expired page
-- tickets, and A-labels of domains that no row names any more.
CREATE OR REPLACE FUNCTION app.purge_email_tokens(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    SELECT * INTO changed, reached FROM app.purge_rows(
        'app.email_tokens', '{id}', 'expires_at', 'true',
        p_age, p_batch, p_from);
    IF changed < p_batch THEN
        PERFORM app.purge_page_tickets(p_batch);
        PERFORM app.purge_domain_labels(interval '400 days', p_batch);
    END IF;
END $$;

-- Purges page tickets that expired unused. Few are left: a session that requests another ticket
-- deletes its expired ones, and purging a session deletes its tickets.
CREATE OR REPLACE FUNCTION app.purge_page_tickets(p_batch integer) RETURNS integer
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    WITH deleted AS (
        DELETE FROM app.page_tickets AS t WHERE t.ticket_hash IN (
            SELECT o.ticket_hash FROM app.page_tickets AS o
            WHERE o.expires_at <= now() ORDER BY o.expires_at LIMIT p_batch
            FOR UPDATE SKIP LOCKED)
        RETURNING t.ticket_hash)
    SELECT count(*)::integer FROM deleted
$$;

-- Purges A-labels of domains that nobody has named for p_age, as recorded by
-- app.store_domain_label. Rows that have an A-label keep it.
CREATE OR REPLACE FUNCTION app.purge_domain_labels(p_age interval, p_batch integer)
RETURNS integer
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    WITH deleted AS (
        DELETE FROM app.domain_labels AS l WHERE l.spelling IN (
            SELECT o.spelling FROM app.domain_labels AS o
            WHERE o.noted_at <= now() - p_age LIMIT p_batch FOR UPDATE SKIP LOCKED)
        RETURNING l.spelling)
    SELECT count(*)::integer FROM deleted
$$;

-- Purges answered challenges that expired at least p_age ago.
CREATE OR REPLACE FUNCTION app.purge_answered_challenges(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT * FROM app.purge_rows(
        'app.answered_challenges', '{challenge_hash}', 'expires_at', 'true',
        p_age, p_batch, p_from)
$$;

-- Erases the name, the avatar key and the preferences of children removed at least p_age ago; their
-- memberships stay. Also purges the records of erased accounts, after app.erasure_retention().
CREATE OR REPLACE FUNCTION app.erase_removed_members(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_children uuid[];
BEGIN
    SELECT coalesce(array_agg(due.user_id), '{}'), max(due.removed_at)
        INTO v_children, reached FROM (
        SELECT m.user_id, m.removed_at FROM app.family_members AS m
        WHERE m.status = 'removed' AND m.user_kind = 'managed' AND m.erased_at IS NULL
            AND m.removed_at >= coalesce(p_from, '-infinity') AND m.removed_at <= now() - p_age
        ORDER BY m.removed_at LIMIT p_batch FOR NO KEY UPDATE SKIP LOCKED) AS due;
    DELETE FROM app.member_preferences AS p WHERE p.user_id = ANY (v_children);
    UPDATE app.users AS u SET full_name = NULL, avatar_key = NULL, deleted_at = now()
        WHERE u.id = ANY (v_children);
    UPDATE app.family_members AS m SET erased_at = now() WHERE m.id = ANY (v_children);
    -- An erasure in the future comes from a clock that was ahead: until then, no token of the
    -- person would be accepted.
    UPDATE app.erasures AS e SET erased_at = now()
        WHERE e.erased_at > now() + interval '1 minute';
    DELETE FROM app.erasures AS e WHERE e.id IN (
        SELECT d.id FROM app.erasures AS d WHERE d.erased_at <= now() - app.erasure_retention()
        ORDER BY d.erased_at LIMIT p_batch FOR UPDATE SKIP LOCKED);
    changed := cardinality(v_children);
END $$;

-- Purges families that have been empty for p_age, with their children, audit entries and codes.
CREATE OR REPLACE FUNCTION app.purge_empty_families(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_families uuid[];
    v_children uuid[];
BEGIN
    SELECT coalesce(array_agg(due.id), '{}'), max(due.emptied_at) INTO v_families, reached FROM (
        SELECT f.id, f.emptied_at FROM app.family_units AS f
        WHERE f.emptied_at >= coalesce(p_from, '-infinity') AND f.emptied_at <= now() - p_age
        ORDER BY f.emptied_at LIMIT p_batch FOR UPDATE SKIP LOCKED) AS due;
    -- Includes the aliases of children who have grown up: a child's membership has the id of its
    -- managed user.
    v_children := ARRAY(
        SELECT u.id FROM app.family_members AS m JOIN app.users AS u ON u.id = m.id
        WHERE m.family_unit_id = ANY (v_families) AND u.kind = 'managed');
    DELETE FROM app.audit_log AS a WHERE a.family_unit_id = ANY (v_families);
    DELETE FROM app.family_code_usage_log AS l WHERE l.family_unit_id = ANY (v_families);
    DELETE FROM app.family_units AS f WHERE f.id = ANY (v_families);
    DELETE FROM app.users AS u WHERE u.id = ANY (v_children);
    changed := cardinality(v_families);
END $$;

-- Runs a batch of one object, by the name that it has in the worker's settings and metrics, for
-- operators, and in the audit log. Another name is an error. p_age is ignored for objects that
-- expire by their own time, and for changes, which are kept for a fixed time. For days of the job
-- history and months of the audit log, each call drops one, whatever p_batch is.
CREATE OR REPLACE FUNCTION app.upkeep_batch(
    p_object text, p_age interval, p_batch integer, p_from timestamptz,
    OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    CASE p_object
        WHEN 'expired_invitations' THEN
            SELECT * INTO changed, reached FROM app.expire_invitations(p_batch, p_from);
        WHEN 'expired_codes' THEN
            SELECT * INTO changed, reached FROM app.expire_codes(p_batch, p_from);
        WHEN 'closed_invitations' THEN
            SELECT * INTO changed, reached FROM app.purge_invitations(p_age, p_batch, p_from);
        WHEN 'retired_codes' THEN
            SELECT * INTO changed, reached FROM app.purge_retired_codes(p_age, p_batch, p_from);
        WHEN 'code_usage_log' THEN
            SELECT * INTO changed, reached FROM app.purge_code_usage_log(p_age, p_batch, p_from);
        WHEN 'rate_limits' THEN
            SELECT * INTO changed, reached FROM app.purge_rate_limits(p_age, p_batch, p_from);
        WHEN 'code_lookups' THEN
            SELECT * INTO changed, reached FROM app.purge_code_lookups(p_age, p_batch, p_from);
        WHEN 'idempotency_keys' THEN
            SELECT * INTO changed, reached FROM app.purge_idempotency_keys(p_age, p_batch, p_from);
        WHEN 'removed_members' THEN
            SELECT * INTO changed, reached FROM app.erase_removed_members(p_age, p_batch, p_from);
        WHEN 'empty_families' THEN
            SELECT * INTO changed, reached FROM app.purge_empty_families(p_age, p_batch, p_from);
        WHEN 'ended_sessions' THEN
            SELECT * INTO changed, reached FROM app.purge_sessions(p_age, p_batch, p_from);
        WHEN 'sign_ins_log' THEN
            SELECT * INTO changed, reached FROM app.purge_sign_ins(p_age, p_batch, p_from);
        WHEN 'mailed_tickets' THEN
            SELECT * INTO changed, reached FROM app.purge_email_tokens(p_age, p_batch, p_from);
        WHEN 'family_changes' THEN
            SELECT * INTO changed, reached
                FROM app.purge_family_changes(app.change_retention(), p_batch, p_from);
        WHEN 'user_changes' THEN
            SELECT * INTO changed, reached
                FROM app.purge_user_changes(app.change_retention(), p_batch, p_from);
        WHEN 'answered_challenges' THEN
            SELECT * INTO changed, reached
                FROM app.purge_answered_challenges(p_age, p_batch, p_from);
        WHEN 'wrong_codes' THEN
            SELECT * INTO changed, reached FROM app.purge_wrong_codes(p_batch);
        WHEN 'job_history_days' THEN changed := jobs.maintain_history(p_age);
        WHEN 'audit_months' THEN
            SELECT * INTO changed, reached FROM app.maintain_audit_months(p_age, true, p_from);
        WHEN 'audit_entries' THEN
            SELECT * INTO changed, reached
                FROM app.purge_audit_entries(p_age, true, p_batch, p_from);
        -- The next two also purge entries that no export contains.
        WHEN 'unexported_audit_months' THEN
            SELECT * INTO changed, reached FROM app.maintain_audit_months(p_age, false, p_from);
        WHEN 'unexported_audit_entries' THEN
            SELECT * INTO changed, reached
                FROM app.purge_audit_entries(p_age, false, p_batch, p_from);
    END CASE;
END $$;

COMMENT ON FUNCTION app.upkeep_batch(text, interval, integer, timestamptz) IS
    'Expires or purges rows of an object, p_batch at most, from a time on; returns how many, and '
    'the time reached.';

GRANT EXECUTE ON FUNCTION
    app.expire_invitations(integer, timestamptz), app.expire_codes(integer, timestamptz),
    app.purge_invitations(interval, integer, timestamptz),
    app.purge_retired_codes(interval, integer, timestamptz),
    app.purge_code_usage_log(interval, integer, timestamptz),
    app.purge_rate_limits(interval, integer, timestamptz),
    app.purge_code_lookups(interval, integer, timestamptz),
    app.purge_idempotency_keys(interval, integer, timestamptz),
    app.purge_sessions(interval, integer, timestamptz),
    app.purge_email_tokens(interval, integer, timestamptz),
    app.purge_answered_challenges(interval, integer, timestamptz),
    app.erase_removed_members(interval, integer, timestamptz),
    app.purge_empty_families(interval, integer, timestamptz),
    app.upkeep_batch(text, interval, integer, timestamptz)
    TO hearth_worker;
