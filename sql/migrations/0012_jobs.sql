-- The job queue: work that is done after a transaction has committed, and only if it has.
--
-- The queue is general: it knows the kinds and payloads of jobs. About families it knows only that
-- a job may belong to one.
--
--   enqueue -> ready --claim--> running --complete--> history
--                ^                 |----retry, release------> ready
--                |                 `----dead--------> dead --retry--> ready
--                `--- the lease of the worker is lost: ready again
--
-- A claim changes no indexed column: the new version of the row stays on the same page (hence the
-- fill factor), and the entry in the index live_next still leads to it. So in its whole life a job
-- costs one entry in each of two indexes, and about 640 bytes of write-ahead log; an e-mail to an
-- account also one in the indexes by its recipient. live_next also contains the running jobs, but
-- never more of them than workers hold at a time.
--
-- enqueued_at is the time when a job began to wait. run_at does not show it: each retry, and each
-- failed probe of a paused queue, moves run_at.
--
-- The queue has no row-level security, because no caller can read or write it. The worker and
-- operators read it, and only functions write it.

CREATE TABLE jobs.live (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    run_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    not_after timestamptz,
    enqueued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
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
    -- True if a worker vanished while it held the job: the next start of the job is then recorded
    -- before the job begins.
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
-- For the console: the e-mails to an account, even while very many wait.
CREATE INDEX live_mails_of_recipient ON jobs.live ((payload ->> 'recipient'), id)
    WHERE queue = 'mail' AND payload ->> 'recipient' IS NOT NULL;

COMMENT ON TABLE jobs.live IS 'Jobs that are ready or running.';
COMMENT ON COLUMN jobs.live.enqueued_at IS
    'When the job was enqueued, or retried after it was discarded.';

-- The tokens of claims, which increase with every claim: a worker that no longer holds a job has an
-- old token, and can't finish the job.
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
    enqueued_at timestamptz,
    run_at timestamptz NOT NULL,
    not_after timestamptz,
    payload jsonb NOT NULL,
    last_error text NOT NULL,
    error_group text NOT NULL GENERATED ALWAYS AS (left(last_error, 200)) STORED,
    CONSTRAINT dead_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_died_at ON jobs.dead (died_at);
-- For the console and metrics, which count discarded jobs from this index alone.
CREATE INDEX dead_of_error ON jobs.dead (queue, kind, error_group, died_at);
-- For the console: the discarded e-mails to an account.
CREATE INDEX dead_mails_of_recipient ON jobs.dead ((payload ->> 'recipient'), id)
    WHERE queue = 'mail';
COMMENT ON TABLE jobs.dead IS 'Discarded jobs; jobs.retry makes one ready again.';
COMMENT ON COLUMN jobs.dead.error_group IS
    'The beginning of the error, by which discarded jobs are grouped.';
COMMENT ON COLUMN jobs.dead.enqueued_at IS
    'When the job was enqueued; null if that is not known.';

-- Finished jobs, without their payloads. The partition of a day is dropped as a whole. duration_ms
-- is the time from the last start of the job to the report of its end; null if it never started.
-- recipient is the account to which an e-mail went, as named in the payload; it is cleared when the
-- account is erased. For a code or link to an address without an account it is the id of the e-mail
-- token, which tells nothing once that is deleted, a day after it has expired.
CREATE TABLE jobs.history (
    id bigint NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    enqueued_at timestamptz,
    duration_ms integer,
    worker integer,
    family_unit_id uuid,
    attempt smallint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    recipient uuid,
    CONSTRAINT history_outcome_known CHECK (outcome IN ('done', 'expired', 'cancelled'))
) PARTITION BY RANGE (finished_at);
-- Finds a job by id, and those of the last minutes. Jobs end almost in the order of their ids, so a
-- summary of each few pages suffices, with room for the ids of jobs that waited long. Unlike a
-- B-tree, it has no entry for each row, so that finishing a job stays cheap.
CREATE INDEX history_id ON jobs.history USING brin (id int8_minmax_multi_ops, finished_at)
    WITH (pages_per_range = 16, autosummarize = on);
-- For the console: the e-mails to an account.
CREATE INDEX history_of_recipient ON jobs.history (recipient, finished_at DESC)
    WHERE recipient IS NOT NULL;
-- For rows of a day that has no partition.
CREATE TABLE jobs.history_other PARTITION OF jobs.history DEFAULT;
COMMENT ON TABLE jobs.history IS 'Jobs that were done, expired or cancelled.';
COMMENT ON COLUMN jobs.history.recipient IS
    'The account to which an e-mail went, or the e-mail token if a code was sent to an address '
    'without one; null for other jobs, for invitations, and after an erasure.';

-- Failed attempts of jobs, without payloads and addresses. A job that succeeds at once has no row
-- here. jobs.record_attempt bounds the rows of a job, jobs.maintain_history those of the table.
CREATE TABLE jobs.attempts (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    job bigint NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    duration_ms integer,
    worker integer,
    attempt smallint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    error text NOT NULL,
    CONSTRAINT attempts_pkey PRIMARY KEY (id),
    CONSTRAINT attempts_error_size CHECK (char_length(error) <= 500)
);
CREATE INDEX attempts_job ON jobs.attempts (job, id);
-- Finds the last failures of a queue.
CREATE INDEX attempts_of_queue ON jobs.attempts (queue, id DESC);
COMMENT ON TABLE jobs.attempts IS 'Failed attempts of jobs.';
COMMENT ON COLUMN jobs.attempts.attempt IS
    'Number of the attempt, from 1; 0 if the worker vanished, which is not counted as an attempt.';

-- A pause is stored here, so that it stops all workers. After a failure that affects a whole queue,
-- one of its jobs is tried every 30 seconds, to find out whether the queue works again. A pause by
-- an operator has no such trials: probe_at is null, and the pause lasts until it is ended.
CREATE TABLE jobs.paused_queues (
    queue text NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason text NOT NULL,
    probe_at timestamptz DEFAULT clock_timestamp() + interval '30 seconds',
    CONSTRAINT paused_queues_pkey PRIMARY KEY (queue)
);

COMMENT ON TABLE jobs.paused_queues IS
    'Queues that are paused, each with its reason and the time of the next trial job.';
COMMENT ON COLUMN jobs.paused_queues.probe_at IS
    'When the next job is tried; null if an operator paused the queue, until somebody resumes it.';

CREATE TABLE jobs.workers (
    id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    label text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    renewed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    threads integer,
    queues text[] NOT NULL DEFAULT '{}',
    CONSTRAINT workers_pkey PRIMARY KEY (id),
    CONSTRAINT workers_label_form CHECK (label ~ '^[[:graph:]]{1,200}$'),
    CONSTRAINT workers_threads_range CHECK (threads > 0)
) WITH (fillfactor = 50);

COMMENT ON TABLE jobs.workers IS
    'Worker processes; each holds its jobs only as long as it keeps renewing its row.';
COMMENT ON COLUMN jobs.workers.threads IS
    'Number of jobs that the worker runs at the same time; null if it has not reported it.';
COMMENT ON COLUMN jobs.workers.queues IS
    'Names of the queues whose jobs the worker runs; empty if it has not reported them.';

-- A schedule is due either at the interval `every`, or daily at the time at_local of the time zone
-- `zone`.
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

COMMENT ON TABLE jobs.schedules IS
    'Schedules: jobs that are enqueued at an interval, or daily at a local time.';

GRANT SELECT ON jobs.live, jobs.dead, jobs.history, jobs.attempts, jobs.workers, jobs.paused_queues,
    jobs.schedules
    TO hearth_worker, hearth_admin;
