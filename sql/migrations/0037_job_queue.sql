-- The queue: work that has to be done after, and only if, a transaction commits.
--
-- General: it knows kinds and payloads, and of families only that a job may belong to one.
--
--   enqueue -> ready --claim--> running --complete--> history
--                ^                 |----retry, hand back----> ready
--                |                 `----dead--------> dead --revive--> ready
--                `--- the lease of the worker is lost: ready again
--
-- What a claim writes touches no index: the new version of the row stays on its page (hence the
-- fill factor) and the index of the next ones still leads to it. So a job costs one index entry in
-- each of two indexes in its whole life, and about 650 bytes of write-ahead log. Running jobs are
-- in that index as well: there are never more of them than workers hold at a time.
--
-- A claim starts behind the jobs that its worker has taken already (p_after_at, p_after_id, one for
-- each priority): index entries of finished jobs can't be removed while an old transaction is open,
-- and would be walked over again and again. Never less than a second behind, and from the start
-- again now and then: jobs become visible in another order than that in which they were made.
--
-- Locks: none, all objects are new.

CREATE SCHEMA jobs;
COMMENT ON SCHEMA jobs IS 'The job queue; knows nothing of what the jobs are about.';
GRANT USAGE ON SCHEMA jobs TO hearth_api, hearth_worker, hearth_admin;

CREATE TABLE jobs.live (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    run_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    not_after timestamptz,
    priority smallint NOT NULL DEFAULT 1,
    attempt smallint NOT NULL DEFAULT 0,
    max_attempts smallint NOT NULL DEFAULT 20,
    crashes smallint NOT NULL DEFAULT 0,
    queue text NOT NULL,
    kind text NOT NULL,
    family_unit_id uuid,
    unique_key text,
    payload jsonb NOT NULL DEFAULT '{}',
    last_error text,
    -- Was in the hands of a worker that vanished: its next start is noted before it begins.
    is_suspect boolean NOT NULL DEFAULT false,
    is_started boolean NOT NULL DEFAULT false,
    state text NOT NULL DEFAULT 'ready',
    worker integer,
    token bigint,
    CONSTRAINT live_pkey PRIMARY KEY (id),
    CONSTRAINT live_priority_range CHECK (priority BETWEEN 0 AND 3),
    CONSTRAINT live_attempts_range CHECK (
        attempt >= 0 AND crashes >= 0 AND max_attempts BETWEEN 1 AND 100),
    CONSTRAINT live_names_form CHECK (
        queue ~ '^[a-z][a-z0-9_.-]{0,39}$' AND kind ~ '^[a-z][a-z0-9_.-]{0,59}$'),
    CONSTRAINT live_payload_is_small_object CHECK (
        jsonb_typeof(payload) = 'object' AND pg_column_size(payload) <= 16384),
    CONSTRAINT live_state_known CHECK (state IN ('ready', 'running')),
    CONSTRAINT live_running_is_held CHECK (
        (state = 'running') = (worker IS NOT NULL) AND (state = 'running') = (token IS NOT NULL)),
    CONSTRAINT live_only_running_is_started CHECK (state = 'running' OR NOT is_started)
) WITH (
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = off);

CREATE INDEX live_next ON jobs.live (queue, priority, run_at, id);
CREATE UNIQUE INDEX live_unique_key ON jobs.live (kind, unique_key) WHERE unique_key IS NOT NULL;

COMMENT ON TABLE jobs.live IS 'Jobs that are still to be done, or being done.';

-- Increases with every claim: what a worker holds no longer, it can't finish either.
CREATE SEQUENCE jobs.tokens;

CREATE TABLE jobs.dead (
    id bigint NOT NULL,
    died_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    queue text NOT NULL,
    kind text NOT NULL,
    family_unit_id uuid,
    unique_key text,
    priority smallint NOT NULL,
    attempt smallint NOT NULL,
    max_attempts smallint NOT NULL,
    crashes smallint NOT NULL,
    run_at timestamptz NOT NULL,
    not_after timestamptz,
    payload jsonb NOT NULL,
    last_error text NOT NULL,
    CONSTRAINT dead_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_died_at ON jobs.dead (died_at);
COMMENT ON TABLE jobs.dead IS 'Jobs that were given up; jobs.revive sends one back.';

-- Finished jobs, without what they were about. Days are dropped whole.
CREATE TABLE jobs.history (
    id bigint NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    family_unit_id uuid,
    attempt smallint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    CONSTRAINT history_outcome_known CHECK (outcome IN ('done', 'expired', 'cancelled'))
) PARTITION BY RANGE (finished_at);
-- For the day that nobody has made a partition for.
CREATE TABLE jobs.history_other PARTITION OF jobs.history DEFAULT;
COMMENT ON TABLE jobs.history IS 'Jobs that have ended.';

-- Stored, so that all workers hold still; one job every 30 seconds tries whether it works again.
CREATE TABLE jobs.paused_queues (
    queue text NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason text NOT NULL,
    probe_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '30 seconds',
    CONSTRAINT paused_queues_pkey PRIMARY KEY (queue)
);

-- A process that works, for as long as it keeps saying so.
CREATE TABLE jobs.workers (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    label text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    renewed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT workers_pkey PRIMARY KEY (id),
    CONSTRAINT workers_label_form CHECK (label ~ '^[[:graph:]]{1,200}$')
) WITH (fillfactor = 50);

-- Null when a job with the same unique key is there already.
CREATE FUNCTION jobs.enqueue(
    p_queue text, p_kind text, p_family uuid, p_payload jsonb,
    p_priority smallint DEFAULT 1::smallint, p_run_at timestamptz DEFAULT NULL,
    p_not_after timestamptz DEFAULT NULL, p_unique_key text DEFAULT NULL,
    p_max_attempts smallint DEFAULT 20::smallint
) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO jobs.live AS j (queue, kind, family_unit_id, payload, priority, run_at, not_after,
            unique_key, max_attempts)
        VALUES (p_queue, p_kind, p_family, p_payload, p_priority,
            coalesce(p_run_at, clock_timestamp()), p_not_after, p_unique_key, p_max_attempts)
        ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
        RETURNING j.id;
$$;

-- The class of the advisory locks that keep a lease from being ended while its owner claims.
CREATE FUNCTION jobs.lease_lock_class() RETURNS integer
LANGUAGE sql IMMUTABLE RETURN 1936027234;

-- Takes up to p_limit jobs, the most urgent first. The plan is settled by the settings: whatever
-- the statistics say, it is a walk along the index that ends with the limit, and jobs of the
-- future are not looked at.
CREATE FUNCTION jobs.claim(
    p_worker integer, p_queue text, p_kinds text[], p_limit integer,
    p_after_at timestamptz[], p_after_id bigint[]
) RETURNS TABLE (
    id bigint, token bigint, kind text, family_unit_id uuid, priority smallint,
    run_at timestamptz, expired boolean, attempt smallint, careful boolean, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_now constant timestamptz := clock_timestamp();
    v_limit integer := p_limit;
    v_token bigint;
    v_count integer;
    v_probe timestamptz;
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(jobs.lease_lock_class(), p_worker)
        OR NOT EXISTS (SELECT FROM jobs.workers AS w WHERE w.id = p_worker) THEN
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
        SELECT n.place
        FROM unnest(p_after_at, p_after_id) WITH ORDINALITY AS b (after_at, after_id, number)
        CROSS JOIN LATERAL (
            SELECT j.ctid AS place FROM jobs.live AS j
            WHERE j.queue = p_queue AND j.priority = (b.number - 1)::smallint
                AND (j.run_at, j.id) > (least(b.after_at, v_now - interval '1 second'), b.after_id)
                AND j.run_at <= v_now
                AND j.state = 'ready' AND j.kind = ANY (p_kinds)
            ORDER BY j.run_at, j.id LIMIT v_limit FOR UPDATE SKIP LOCKED) AS n
        LIMIT v_limit)
    UPDATE jobs.live AS j SET state = 'running', worker = p_worker, token = v_token
        FROM found AS f WHERE j.ctid = f.place
        RETURNING j.id, j.token, j.kind, j.family_unit_id, j.priority, j.run_at,
            coalesce(j.not_after <= v_now, false), j.attempt, j.is_suspect OR j.crashes > 0,
            j.payload;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_probe IS NOT NULL AND v_count > 0 THEN
        UPDATE jobs.paused_queues AS q SET probe_at = v_now + interval '30 seconds'
            WHERE q.queue = p_queue;
    END IF;
END $$;

-- Ends jobs that were done. Answers how many: a stale token changes nothing. What gets done in a
-- paused queue shows that it works again.
CREATE FUNCTION jobs.complete(p_ids bigint[], p_tokens bigint[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_count integer;
BEGIN
    IF EXISTS (SELECT FROM jobs.paused_queues) THEN
        DELETE FROM jobs.paused_queues AS q USING jobs.live AS j
            WHERE j.id = ANY (p_ids) AND j.token = ANY (p_tokens) AND q.queue = j.queue;
    END IF;
    WITH done AS (
        DELETE FROM jobs.live AS j USING unnest(p_ids, p_tokens) AS a (id, token)
            WHERE j.id = a.id AND j.token = a.token
            RETURNING j.id, j.family_unit_id, j.attempt, j.queue, j.kind)
    INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
        SELECT d.id, d.family_unit_id, d.attempt, d.queue, d.kind, 'done' FROM done AS d;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

GRANT EXECUTE ON FUNCTION
    jobs.enqueue(text, text, uuid, jsonb, smallint, timestamptz, timestamptz, text, smallint)
    TO hearth_api, hearth_worker, hearth_admin;
GRANT EXECUTE ON FUNCTION
    jobs.claim(integer, text, text[], integer, timestamptz[], bigint[]),
    jobs.complete(bigint[], bigint[])
    TO hearth_worker;
GRANT SELECT ON jobs.live, jobs.dead, jobs.history, jobs.workers, jobs.paused_queues
    TO hearth_worker, hearth_admin;
