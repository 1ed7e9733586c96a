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
-- No caller's rows are here and no row-level security: the queue is read by the worker and by
-- operators, and written by functions alone.
--
-- Locks: none, all objects are new.

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

-- Every `every`, or daily at a local time of a zone.
CREATE TABLE jobs.schedules (
    name text NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}',
    every interval,
    at_local time,
    zone text NOT NULL DEFAULT 'UTC',
    next_at timestamptz NOT NULL,
    last_at timestamptz,
    CONSTRAINT schedules_pkey PRIMARY KEY (name),
    CONSTRAINT schedules_one_rule CHECK ((every IS NULL) <> (at_local IS NULL)),
    CONSTRAINT schedules_every_range CHECK (every BETWEEN interval '1 second' AND interval '7 days')
);

GRANT SELECT ON jobs.live, jobs.dead, jobs.history, jobs.workers, jobs.paused_queues,
    jobs.schedules
    TO hearth_worker, hearth_admin;
