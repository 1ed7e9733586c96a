-- The queue: jobs are enqueued, claimed and finished.
--
-- A claim starts behind the jobs that its worker has already claimed (p_after_at and p_after_id,
-- one pair for each priority). While an old transaction is open, the index entries of finished jobs
-- can't be removed, and each claim would scan them again. A claim starts at least one second before
-- the present, and from time to time at the very beginning, because jobs don't become visible in
-- the order of their creation.
--
-- A claim also records the start of the jobs that the worker begins at once, which saves a round
-- trip and a commit before they start. Of the first p_starting jobs, these are the ones whose kind
-- is in p_recorded_kinds, and the ones that a vanished worker held before. jobs.start records the
-- starts of the other jobs before they begin.
--
-- The functions are never compiled just in time. Disabling a type of plan gives it a huge cost. If
-- no other plan exists, as for a table of a few rows without a suitable index, that cost makes
-- PostgreSQL compile the plan: half a second for a statement that takes less than a millisecond.

-- Maximum time ahead for which a job may be scheduled. A job beyond it was scheduled by a clock
-- that was ahead; a worker's heartbeat makes it due.
CREATE OR REPLACE FUNCTION jobs.max_delay() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Stores a job and returns its id; null if a job of this kind with the same unique key is ready or
-- running.
CREATE OR REPLACE FUNCTION jobs.enqueue(
    p_queue text, p_kind text, p_family uuid, p_payload jsonb,
    p_priority smallint DEFAULT 1::smallint, p_run_at timestamptz DEFAULT NULL,
    p_not_after timestamptz DEFAULT NULL, p_unique_key text DEFAULT NULL,
    p_max_attempts smallint DEFAULT 20::smallint
) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_id bigint;
BEGIN
    INSERT INTO jobs.live AS j (queue, kind, family_unit_id, payload, priority, run_at, not_after,
            unique_key, max_attempts)
        VALUES (p_queue, p_kind, p_family, p_payload, p_priority,
            coalesce(p_run_at, clock_timestamp()), p_not_after, p_unique_key, p_max_attempts)
        ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
        RETURNING j.id INTO v_id;
    RETURN v_id;
END $$;

-- Class of the advisory locks that keep a lease from being ended while its owner claims jobs.
CREATE OR REPLACE FUNCTION jobs.lease_lock_class() RETURNS integer
LANGUAGE sql IMMUTABLE RETURN 1936027234;

-- Claims up to p_limit due jobs, the most urgent first. From a paused queue it claims one job
-- whenever a probe is due, and none if an operator paused it. The settings fix the plan: whatever
-- the statistics say, it scans the index up to the limit and does not read jobs that are due later.
CREATE OR REPLACE FUNCTION jobs.claim(
    p_worker integer, p_queue text, p_kinds text[], p_limit integer,
    p_after_at timestamptz[], p_after_id bigint[], p_starting integer, p_recorded_kinds text[]
) RETURNS TABLE (
    id bigint, token bigint, kind text, family_unit_id uuid, priority smallint,
    run_at timestamptz, expired boolean, attempt smallint, careful boolean, started boolean,
    payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_now constant timestamptz := clock_timestamp();
    v_limit integer := p_limit;
    v_token bigint;
    v_count integer;
    v_held boolean := false;
    v_probe timestamptz;
BEGIN
    -- Two statements: a statement sees only what was committed before it began, and a single
    -- statement would begin before it has the lock.
    IF pg_try_advisory_xact_lock_shared(jobs.lease_lock_class(), p_worker) THEN
        v_held := EXISTS (SELECT FROM jobs.workers AS w WHERE w.id = p_worker);
    END IF;
    IF NOT v_held THEN
        RAISE EXCEPTION USING ERRCODE = 'JQ001', CONSTRAINT = 'lease_lost',
            MESSAGE = 'This worker''s lease was lost.';
    END IF;
    SELECT q.probe_at INTO v_probe FROM jobs.paused_queues AS q WHERE q.queue = p_queue;
    IF FOUND THEN
        PERFORM FROM jobs.paused_queues AS q
            WHERE q.queue = p_queue AND q.probe_at <= v_now FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        v_limit := 1;
    END IF;
    v_token := nextval('jobs.tokens');
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT n.row_id
        FROM unnest(p_after_at, p_after_id) WITH ORDINALITY AS b (after_at, after_id, number)
        CROSS JOIN LATERAL (
            SELECT j.ctid AS row_id FROM jobs.live AS j
            WHERE j.queue = p_queue AND j.priority = (b.number - 1)::smallint
                AND (j.run_at, j.id) > (least(b.after_at, v_now - interval '1 second'), b.after_id)
                AND j.run_at <= v_now
                AND j.state = 'ready' AND j.kind = ANY (p_kinds)
            ORDER BY j.run_at, j.id LIMIT v_limit FOR UPDATE SKIP LOCKED) AS n
        LIMIT v_limit),
    -- Numbered in a separate CTE: inside the scan, row_number() would make it lock one row more
    -- than it claims.
    numbered AS (SELECT f.row_id, row_number() OVER () AS number FROM found AS f)
    UPDATE jobs.live AS j SET state = 'running', worker = p_worker, token = v_token,
            is_started = f.number <= p_starting AND coalesce(j.not_after > v_now, true)
                AND (j.kind = ANY (p_recorded_kinds) OR j.is_suspect OR j.crashes > 0)
        FROM numbered AS f WHERE j.ctid = f.row_id
        RETURNING j.id, j.token, j.kind, j.family_unit_id, j.priority, j.run_at,
            coalesce(j.not_after <= v_now, false), j.attempt, j.is_suspect OR j.crashes > 0,
            j.is_started, j.payload;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_probe IS NOT NULL AND v_count > 0 THEN
        UPDATE jobs.paused_queues AS q SET probe_at = v_now + interval '30 seconds'
            WHERE q.queue = p_queue;
    END IF;
END $$;

-- Records that jobs are about to begin, for kinds whose crashes are counted exactly. Returns the
-- ids of the jobs that the caller still holds; the caller must not begin any other.
CREATE OR REPLACE FUNCTION jobs.start(p_ids bigint[], p_tokens bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan SET jit = off AS $$
BEGIN
    RETURN QUERY UPDATE jobs.live AS j SET is_started = true
        FROM unnest(p_ids, p_tokens) AS a (id, token)
        WHERE j.id = a.id AND j.token = a.token
        RETURNING j.id;
END $$;

-- The account to which an e-mail goes, by the payload of its job; null for any other job.
CREATE OR REPLACE FUNCTION jobs.recipient_of(p_queue text, p_payload jsonb) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN p_queue = 'mail'
        AND p_payload ->> 'recipient' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    THEN (p_payload ->> 'recipient')::uuid
END;

DROP FUNCTION IF EXISTS jobs.complete(bigint[], bigint[]);
DROP FUNCTION IF EXISTS jobs.finish(bigint[], bigint[], text[], bigint[], text[]);

-- Moves finished jobs to the history. Returns their number; a stale token changes nothing. A
-- finished job of a paused queue shows that the queue works again, and ends the pause, unless an
-- operator paused the queue. p_durations: milliseconds since each job began.
CREATE OR REPLACE FUNCTION jobs.complete(
    p_ids bigint[], p_tokens bigint[], p_durations integer[] DEFAULT NULL
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
    v_count integer;
BEGIN
    IF EXISTS (SELECT FROM jobs.paused_queues) THEN
        DELETE FROM jobs.paused_queues AS q USING jobs.live AS j
            WHERE j.id = ANY (p_ids) AND j.token = ANY (p_tokens) AND q.queue = j.queue
                AND q.probe_at IS NOT NULL;
    END IF;
    WITH done AS (
        DELETE FROM jobs.live AS j USING unnest(p_ids, p_tokens, p_durations)
            AS a (id, token, duration)
            WHERE j.id = a.id AND j.token = a.token
            RETURNING j.id, j.enqueued_at, a.duration, j.worker, j.family_unit_id, j.attempt,
                j.queue, j.kind, jobs.recipient_of(j.queue, j.payload) AS recipient)
    INSERT INTO jobs.history (id, enqueued_at, duration_ms, worker, family_unit_id, attempt, queue,
            kind, outcome, recipient)
        SELECT d.id, d.enqueued_at, d.duration, d.worker, d.family_unit_id, d.attempt, d.queue,
            d.kind, 'done', d.recipient
        FROM done AS d;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- The first 2,000 characters of an error, without e-mail addresses, which servers often repeat.
CREATE OR REPLACE FUNCTION jobs.error_without_addresses(p_error text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = '' AS $$
    SELECT regexp_replace(
        left(p_error, 2000), '[^[:space:]<>"''(),;:\[\]]+@[^[:space:]<>"''(),;:\[\]]+', '<address>',
        'g')
$$;

-- Maximum number of failed attempts that are kept of a job, and of all jobs together.
CREATE OR REPLACE FUNCTION jobs.max_attempts_kept() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 40;
CREATE OR REPLACE FUNCTION jobs.max_all_attempts_kept() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100000;

-- Records a failed attempt of a live job, whose row the caller has locked, and deletes the job's
-- oldest attempts beyond the limit.
CREATE OR REPLACE FUNCTION jobs.record_attempt(
    p_job jobs.live, p_attempt smallint, p_duration integer, p_error text
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    INSERT INTO jobs.attempts (job, duration_ms, worker, attempt, queue, kind, error)
        VALUES (p_job.id, p_duration, p_job.worker, p_attempt, p_job.queue, p_job.kind,
            left(jobs.error_without_addresses(p_error), 500));
    DELETE FROM jobs.attempts AS a
        WHERE a.job = p_job.id AND a.id <= (
            SELECT o.id FROM jobs.attempts AS o WHERE o.job = p_job.id
            ORDER BY o.id DESC OFFSET jobs.max_attempts_kept() LIMIT 1);
END $$;

-- Discards a job: moves it to jobs.dead. The caller has locked its row.
CREATE OR REPLACE FUNCTION jobs.discard(p_id bigint, p_error text) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    WITH deleted AS (DELETE FROM jobs.live AS j WHERE j.id = p_id RETURNING j.*)
    INSERT INTO jobs.dead (id, queue, kind, family_unit_id, unique_key, priority, attempt,
            max_attempts, crashes, enqueued_at, run_at, not_after, payload, last_error)
        SELECT d.id, d.queue, d.kind, d.family_unit_id, d.unique_key, d.priority, d.attempt,
            d.max_attempts, d.crashes, d.enqueued_at, d.run_at, d.not_after, d.payload,
            jobs.error_without_addresses(p_error)
        FROM deleted AS d;
$$;

-- Finishes jobs that were not done. Outcomes: expired and cancelled end the job; dead discards it;
-- retry counts an attempt, and discards the job after the last one; released makes the job ready
-- again at no cost. Returns the number of jobs; a stale token changes nothing. A failed attempt,
-- which may be the last, is recorded in jobs.attempts.
CREATE OR REPLACE FUNCTION jobs.finish(
    p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[],
    p_durations integer[] DEFAULT NULL
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row record;
    v_count integer := 0;
BEGIN
    FOR v_row IN
        SELECT j.id, j AS job, j.attempt + 1 >= j.max_attempts AS is_last, a.outcome, a.delay_ms,
            a.error, a.duration
        FROM unnest(p_ids, p_tokens, p_outcomes, p_delays_ms, p_errors, p_durations)
            AS a (id, token, outcome, delay_ms, error, duration)
        JOIN jobs.live AS j ON j.id = a.id AND j.token = a.token
        ORDER BY j.id FOR UPDATE OF j
    LOOP
        IF v_row.outcome IN ('expired', 'cancelled') THEN
            WITH deleted AS (DELETE FROM jobs.live AS j WHERE j.id = v_row.id RETURNING j.*)
            INSERT INTO jobs.history (id, enqueued_at, duration_ms, worker, family_unit_id, attempt,
                    queue, kind, outcome, recipient)
                SELECT d.id, d.enqueued_at, nullif(v_row.duration, 0), d.worker, d.family_unit_id,
                    d.attempt, d.queue, d.kind, v_row.outcome,
                    jobs.recipient_of(d.queue, d.payload)
                FROM deleted AS d;
        ELSIF v_row.outcome IN ('dead', 'retry') THEN
            PERFORM jobs.record_attempt(
                v_row.job, ((v_row.job).attempt + 1)::smallint, v_row.duration, v_row.error);
            UPDATE jobs.live AS j SET attempt = j.attempt + 1 WHERE j.id = v_row.id;
            IF v_row.outcome = 'dead' OR v_row.is_last THEN
                PERFORM jobs.discard(v_row.id, v_row.error);
            ELSE
                UPDATE jobs.live AS j SET
                        state = 'ready', worker = NULL, token = NULL, is_started = false,
                        last_error = jobs.error_without_addresses(v_row.error),
                        run_at = clock_timestamp() + v_row.delay_ms * interval '1 millisecond'
                    WHERE j.id = v_row.id;
            END IF;
        ELSIF v_row.outcome = 'released' THEN
            UPDATE jobs.live AS j SET
                    state = 'ready', worker = NULL, token = NULL, is_started = false,
                    last_error = coalesce(
                        nullif(jobs.error_without_addresses(v_row.error), ''), j.last_error),
                    run_at = clock_timestamp() + v_row.delay_ms * interval '1 millisecond'
                WHERE j.id = v_row.id;
        ELSE
            RAISE EXCEPTION 'unknown outcome';
        END IF;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END $$;

-- Names of the daily partitions that ended at least p_age ago, oldest first.
CREATE OR REPLACE FUNCTION jobs.old_history_days(p_age interval) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT c.relname::text FROM pg_catalog.pg_inherits AS i
    JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'jobs.history'::regclass AND c.relname ~ '^history_[0-9]{8}$'
        AND (to_date(right(c.relname, 8), 'YYYYMMDD') + 1) AT TIME ZONE 'UTC' <= now() - p_age
    ORDER BY c.relname;
$$;

-- Drops the oldest partition that ended at least p_age ago and is not in use. Returns 1, or 0 if
-- there is none. To drop all of them, the caller repeats the call, each time in a new transaction.
--
-- Creating or dropping a partition locks the whole history until the transaction ends, and every
-- finished job writes to the history. A transaction therefore drops only one partition, skips a
-- partition in use at once, and waits for nothing after it has locked the history. It waits at most
-- a tenth of a second for the lock on the history; after that, the next run continues.
CREATE OR REPLACE FUNCTION jobs.drop_history_day(p_age interval) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = '' SET lock_timeout = '100ms' AS $$
DECLARE
    v_name text;
    v_is_free boolean;
BEGIN
    FOR v_name IN SELECT d.name FROM jobs.old_history_days(p_age) AS d (name) LOOP
        v_is_free := false;
        -- A failure in this block releases the locks that the block has acquired.
        BEGIN
            EXECUTE format('LOCK TABLE jobs.%I IN ACCESS EXCLUSIVE MODE NOWAIT', v_name);
            v_is_free := true;
            LOCK TABLE ONLY jobs.history IN ACCESS EXCLUSIVE MODE;
            LOCK TABLE jobs.history_other IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('DROP TABLE jobs.%I', v_name);
            RETURN 1;
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            IF v_is_free THEN
                RETURN 0;
            END IF;
        END;
    END LOOP;
    RETURN 0;
END $$;

-- Creates the partitions of today and the next two days. Stops if the history is locked.
CREATE OR REPLACE FUNCTION jobs.make_history_days() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = '' SET lock_timeout = '100ms' AS $$
DECLARE
    v_today constant date := (now() AT TIME ZONE 'UTC')::date;
    v_day date;
    v_name text;
BEGIN
    FOR v_day IN SELECT v_today + n FROM generate_series(0, 2) AS n LOOP
        v_name := 'history_' || to_char(v_day, 'YYYYMMDD');
        -- Rows that were stored before their day had a partition prevent its creation; then the
        -- rows of that day stay in history_other.
        IF to_regclass('jobs.' || v_name) IS NULL AND NOT EXISTS (
            SELECT FROM jobs.history_other AS h
            WHERE h.finished_at >= v_day AT TIME ZONE 'UTC'
                AND h.finished_at < (v_day + 1) AT TIME ZONE 'UTC') THEN
            BEGIN
                LOCK TABLE ONLY jobs.history IN ACCESS EXCLUSIVE MODE;
                LOCK TABLE jobs.history_other IN ACCESS EXCLUSIVE MODE NOWAIT;
                EXECUTE format(
                    'CREATE TABLE jobs.%I PARTITION OF jobs.history FOR VALUES FROM (%L) TO (%L)',
                    v_name, v_day AT TIME ZONE 'UTC', (v_day + 1) AT TIME ZONE 'UTC');
            EXCEPTION
                WHEN duplicate_table THEN
                    NULL;
                WHEN lock_not_available THEN
                    RETURN;
            END;
        END IF;
    END LOOP;
END $$;

-- Drops one old partition. If there is none, deletes old rows of history_other and old failed
-- attempts, and creates the partitions of the coming days. Returns the number of dropped
-- partitions. Only the newest failed attempts are kept, however recent the others are, so that a
-- queue that fails for days does not fill the disk.
CREATE OR REPLACE FUNCTION jobs.maintain_history(p_age interval) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF jobs.drop_history_day(p_age) > 0 THEN
        RETURN 1;
    END IF;
    DELETE FROM jobs.history_other AS h WHERE h.finished_at <= now() - p_age;
    DELETE FROM jobs.attempts AS a
        WHERE a.id <= (SELECT max(o.id) FROM jobs.attempts AS o) - jobs.max_all_attempts_kept()
            OR a.failed_at <= now() - p_age;
    PERFORM jobs.make_history_days();
    RETURN 0;
END $$;

GRANT EXECUTE ON FUNCTION
    jobs.enqueue(text, text, uuid, jsonb, smallint, timestamptz, timestamptz, text, smallint)
    TO hearth_api, hearth_worker, hearth_admin;
GRANT EXECUTE ON FUNCTION
    jobs.claim(integer, text, text[], integer, timestamptz[], bigint[], integer, text[]),
    jobs.start(bigint[], bigint[]), jobs.complete(bigint[], bigint[], integer[]),
    jobs.finish(bigint[], bigint[], text[], bigint[], text[], integer[]),
    jobs.maintain_history(interval)
    TO hearth_worker;
GRANT EXECUTE ON FUNCTION jobs.error_without_addresses(text) TO hearth_admin, hearth_viewer;
