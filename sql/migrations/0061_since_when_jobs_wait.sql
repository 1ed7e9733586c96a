-- Since when jobs wait. run_at can't tell: a job of a paused queue that is tried in vain goes back
-- with a new one. Jobs that are there already count from now on.
--
-- Locks: ACCESS EXCLUSIVE on jobs.live and jobs.dead, for a moment.

ALTER TABLE jobs.live ADD COLUMN enqueued_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE jobs.live ALTER COLUMN enqueued_at SET DEFAULT clock_timestamp();

ALTER TABLE jobs.dead ADD COLUMN enqueued_at timestamptz;

COMMENT ON COLUMN jobs.live.enqueued_at IS
    'When the job was enqueued, or sent back after it had been given up.';
COMMENT ON COLUMN jobs.dead.enqueued_at IS
    'When the job was enqueued; null if that is not known.';
