-- Expiry and purging, for the worker and, by operator_purge, for operators.
--
-- Each call works on at most p_batch rows, locked with SKIP LOCKED, and returns how many it
-- changed: fewer than p_batch means that nothing is left. Any of them can be stopped at any point
-- and run again. Nothing depends on them being on time: expired things are refused by the clock.
--
-- A batch begins where the last one ended: it returns the time that it reached, which is passed to
-- the next one; null begins at the start. Deleted rows stay in an index until vacuum, so a batch
-- from the start would scan past everything deleted before. Rows at exactly that time are checked
-- again; locked rows are left for the next run from the start.
--
-- Settings fix the plan, whatever the statistics say: a scan of the index of due times, and one
-- lookup per row.
--
-- The functions are similar, but written out: PostgreSQL checks each of them, and a reviewer sees
-- what it does, unlike with SQL put together from names.

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
    gone AS (
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now() FROM due
            WHERE i.id = due.id
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM gone;
END $$;

-- The code leads nowhere from then on, and is remembered as expired.
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

-- Invitations that ended the given time ago, with their secrets.
CREATE OR REPLACE FUNCTION app.purge_invitations(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT i.id, i.closed_at FROM app.family_invitations AS i
        WHERE i.closed_at >= coalesce(p_from, '-infinity') AND i.closed_at <= now() - p_age
        ORDER BY i.closed_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.family_invitations AS i USING due
            WHERE i.id = due.id
            RETURNING due.closed_at)
    SELECT count(*), max(closed_at) INTO changed, reached FROM gone;
END $$;

-- Retired codes, which may then be drawn again.
CREATE OR REPLACE FUNCTION app.purge_retired_codes(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT c.code, c.retired_at FROM app.family_codes AS c
        WHERE c.state = 'retired'
            AND c.retired_at >= coalesce(p_from, '-infinity') AND c.retired_at <= now() - p_age
        ORDER BY c.retired_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.family_codes AS c USING due
            WHERE c.code = due.code
            RETURNING due.retired_at)
    SELECT count(*), max(retired_at) INTO changed, reached FROM gone;
END $$;

CREATE OR REPLACE FUNCTION app.purge_code_usage_log(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT l.id, l.at FROM app.family_code_usage_log AS l
        WHERE l.at >= coalesce(p_from, '-infinity') AND l.at <= now() - p_age
        ORDER BY l.at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.family_code_usage_log AS l USING due
            WHERE l.id = due.id
            RETURNING due.at)
    SELECT count(*), max(at) INTO changed, reached FROM gone;
END $$;

-- Windows that ended the given time ago. With the last batch also what mail servers said of
-- addresses that are held off no more.
CREATE OR REPLACE FUNCTION app.purge_rate_limits(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT r.bucket, r.window_start FROM app.rate_limits AS r
        WHERE r.window_start >= coalesce(p_from, '-infinity') AND r.window_start <= now() - p_age
        ORDER BY r.window_start LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.rate_limits AS r USING due WHERE r.bucket = due.bucket
            RETURNING due.window_start)
    SELECT count(*), max(window_start) INTO changed, reached FROM gone;
    IF changed < p_batch THEN
        DELETE FROM app.mail_verdicts AS v
            WHERE app.is_within(v.held_since, app.hold_off_time()) IS NOT TRUE AND NOT EXISTS (
                SELECT FROM unnest(v.verdicts) AS o (at)
                WHERE app.is_within(o.at, app.hold_off_time()));
    END IF;
END $$;

-- The digests of looked-up codes, purged like the windows, each by its own time.
CREATE OR REPLACE FUNCTION app.purge_code_lookups(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT l.user_id, l.code_digest, l.looked_up_at FROM app.code_lookups AS l
        WHERE l.looked_up_at >= coalesce(p_from, '-infinity') AND l.looked_up_at <= now() - p_age
        ORDER BY l.looked_up_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.code_lookups AS l USING due
            WHERE l.user_id = due.user_id AND l.code_digest = due.code_digest
            RETURNING due.looked_up_at)
    SELECT count(*), max(looked_up_at) INTO changed, reached FROM gone;
END $$;

CREATE OR REPLACE FUNCTION app.purge_idempotency_keys(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT k.actor_id, k.subject_id, k.route, k.key, k.created_at FROM app.idempotency_keys AS k
        WHERE k.created_at >= coalesce(p_from, '-infinity') AND k.created_at <= now() - p_age
        ORDER BY k.created_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.idempotency_keys AS k USING due
            WHERE k.actor_id = due.actor_id AND k.subject_id = due.subject_id
                AND k.route = due.route AND k.key = due.key
            RETURNING due.created_at)
    SELECT count(*), max(created_at) INTO changed, reached FROM gone;
END $$;

-- Sessions that ended, or ran out, the given time ago.
CREATE OR REPLACE FUNCTION app.purge_sessions(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT s.id, coalesce(s.ended_at, s.ends_at) AS over_at FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at) >= coalesce(p_from, '-infinity')
            AND coalesce(s.ended_at, s.ends_at) <= now() - p_age
        ORDER BY coalesce(s.ended_at, s.ends_at) LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.sessions AS s USING due WHERE s.id = due.id
            RETURNING due.over_at)
    SELECT count(*), max(over_at) INTO changed, reached FROM gone;
END $$;

-- Mailed codes and links that ran out the given time ago. With the last batch also what tickets
-- leave of domains that nobody names any more.
CREATE OR REPLACE FUNCTION app.purge_mailed_tickets(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT t.id, t.expires_at FROM app.mailed_tickets AS t
        WHERE t.expires_at >= coalesce(p_from, '-infinity') AND t.expires_at <= now() - p_age
        ORDER BY t.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.mailed_tickets AS t USING due WHERE t.id = due.id
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM gone;
    IF changed < p_batch THEN
        PERFORM app.purge_domain_labels(interval '400 days', p_batch);
    END IF;
END $$;

-- A-labels of domains that nobody has named for the given time, as app.know_domain notes them. Rows
-- that have an A-label keep it.
CREATE OR REPLACE FUNCTION app.purge_domain_labels(p_age interval, p_batch integer)
RETURNS integer
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    WITH gone AS (
        DELETE FROM app.domain_labels AS l WHERE l.spelling IN (
            SELECT o.spelling FROM app.domain_labels AS o
            WHERE o.noted_at <= now() - p_age LIMIT p_batch FOR UPDATE SKIP LOCKED)
        RETURNING l.spelling)
    SELECT count(*)::integer FROM gone
$$;

-- Answered challenges that would have ended the given time ago.
CREATE OR REPLACE FUNCTION app.purge_answered_challenges(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH due AS (
        SELECT t.challenge_hash, t.expires_at FROM app.answered_challenges AS t
        WHERE t.expires_at >= coalesce(p_from, '-infinity') AND t.expires_at <= now() - p_age
        ORDER BY t.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.answered_challenges AS t USING due
            WHERE t.challenge_hash = due.challenge_hash
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM gone;
END $$;

-- The name and preferences of a removed child. Its membership stays without them. What is left of
-- erased accounts goes as well, by a time of its own.
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
    -- Of a clock that was ahead: until then no token of the person would be accepted.
    UPDATE app.erasures AS e SET erased_at = now()
        WHERE e.erased_at > now() + interval '1 minute';
    DELETE FROM app.erasures AS e WHERE e.id IN (
        SELECT d.id FROM app.erasures AS d WHERE d.erased_at <= now() - app.erasures_kept()
        ORDER BY d.erased_at LIMIT p_batch FOR UPDATE SKIP LOCKED);
    changed := cardinality(v_children);
END $$;

-- Families that have been empty for the given time, with their children, audit trails and codes.
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
    -- Also the aliases of those that have grown up: a child's membership has its user's id.
    v_children := ARRAY(
        SELECT u.id FROM app.family_members AS m JOIN app.users AS u ON u.id = m.id
        WHERE m.family_unit_id = ANY (v_families) AND u.kind = 'managed');
    DELETE FROM app.audit_log AS a WHERE a.family_unit_id = ANY (v_families);
    DELETE FROM app.family_code_usage_log AS l WHERE l.family_unit_id = ANY (v_families);
    DELETE FROM app.family_units AS f WHERE f.id = ANY (v_families);
    DELETE FROM app.users AS u WHERE u.id = ANY (v_children);
    changed := cardinality(v_families);
END $$;

-- The names by which all of these are known: to the worker's settings and metrics, to operators and
-- in the trail. Another name is an error. p_age is ignored where things expire by their own time,
-- and for changes, which are kept for a fixed one. Of days of the history and of months of the
-- trail a call drops one, whatever p_batch is.
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
        WHEN 'mailed_tickets' THEN
            SELECT * INTO changed, reached FROM app.purge_mailed_tickets(p_age, p_batch, p_from);
        WHEN 'family_changes' THEN
            SELECT * INTO changed, reached
                FROM app.purge_family_changes(app.changes_kept_for(), p_batch, p_from);
        WHEN 'user_changes' THEN
            SELECT * INTO changed, reached
                FROM app.purge_user_changes(app.changes_kept_for(), p_batch, p_from);
        WHEN 'answered_challenges' THEN
            SELECT * INTO changed, reached
                FROM app.purge_answered_challenges(p_age, p_batch, p_from);
        WHEN 'wrong_codes' THEN
            SELECT * INTO changed, reached FROM app.purge_wrong_codes(p_batch);
        WHEN 'job_history_days' THEN changed := jobs.keep_history(p_age);
        WHEN 'audit_months' THEN
            SELECT * INTO changed, reached FROM app.maintain_audit_months(p_age, true, p_from);
        WHEN 'audit_entries' THEN
            SELECT * INTO changed, reached
                FROM app.purge_audit_entries(p_age, true, p_batch, p_from);
        -- The same, exported or not.
        WHEN 'unexported_audit_months' THEN
            SELECT * INTO changed, reached FROM app.maintain_audit_months(p_age, false, p_from);
        WHEN 'unexported_audit_entries' THEN
            SELECT * INTO changed, reached
                FROM app.purge_audit_entries(p_age, false, p_batch, p_from);
    END CASE;
END $$;

COMMENT ON FUNCTION app.upkeep_batch(text, interval, integer, timestamptz) IS
    'Expires or forgets so many things of a kind at most, from a moment on; how many, and how far.';

GRANT EXECUTE ON FUNCTION
    app.expire_invitations(integer, timestamptz), app.expire_codes(integer, timestamptz),
    app.purge_invitations(interval, integer, timestamptz),
    app.purge_retired_codes(interval, integer, timestamptz),
    app.purge_code_usage_log(interval, integer, timestamptz),
    app.purge_rate_limits(interval, integer, timestamptz),
    app.purge_code_lookups(interval, integer, timestamptz),
    app.purge_idempotency_keys(interval, integer, timestamptz),
    app.purge_sessions(interval, integer, timestamptz),
    app.purge_mailed_tickets(interval, integer, timestamptz),
    app.purge_answered_challenges(interval, integer, timestamptz),
    app.erase_removed_members(interval, integer, timestamptz),
    app.purge_empty_families(interval, integer, timestamptz),
    app.upkeep_batch(text, interval, integer, timestamptz)
    TO hearth_worker;
