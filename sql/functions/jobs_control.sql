-- State of the queues, and operations on them: pause and resume a queue, retry a dead job, and
-- cancel a live job. A running job can be cancelled too; its result is then ignored.

-- Numbers of discarded jobs by queue, kind and the beginning of their error, and the times of the
-- first and last one. Read from an index alone and in its order, which is faster than reading and
-- hashing all rows.
CREATE OR REPLACE FUNCTION jobs.dead_groups()
RETURNS TABLE (
    queue text, kind text, error text, jobs bigint, first_at timestamptz, last_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
SET search_path = '' SET enable_seqscan = off SET enable_hashagg = off SET jit = off AS $$
    SELECT d.queue, d.kind, d.error_group, count(*), min(d.died_at), max(d.died_at)
    FROM jobs.dead AS d GROUP BY d.queue, d.kind, d.error_group;
$$;

-- Numbers of discarded jobs by queue, read in the same way.
CREATE OR REPLACE FUNCTION jobs.dead_counts() RETURNS TABLE (queue text, jobs bigint)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 5
SET search_path = '' SET enable_seqscan = off SET enable_hashagg = off SET jit = off AS $$
    SELECT d.queue, count(*) FROM jobs.dead AS d GROUP BY d.queue;
$$;

-- Returns the numbers of jobs in each queue. oldest_ready_seconds is the time since the oldest due
-- job was enqueued; run_at does not show it, because each attempt moves run_at.
CREATE OR REPLACE FUNCTION jobs.stats()
RETURNS TABLE (
    queue text, ready bigint, running bigint, dead bigint, oldest_ready_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT a.queue, sum(a.ready)::bigint, sum(a.running)::bigint, sum(a.dead)::bigint,
        greatest(0, extract(epoch FROM clock_timestamp() - min(a.oldest)))::double precision
    FROM (
        SELECT j.queue, count(*) - count(j.worker) AS ready, count(j.worker) AS running, 0 AS dead,
            min(least(j.enqueued_at, j.run_at)) FILTER (
                WHERE j.worker IS NULL AND j.run_at <= (SELECT clock_timestamp())) AS oldest
        FROM jobs.live AS j GROUP BY j.queue
        UNION ALL
        SELECT d.queue, 0, 0, d.jobs, NULL FROM jobs.dead_counts() AS d) AS a
    GROUP BY a.queue ORDER BY a.queue;
$$;

-- Paused queues, with the start, duration and reason of each pause.
CREATE OR REPLACE FUNCTION jobs.pauses()
RETURNS TABLE (queue text, since timestamptz, seconds double precision, reason text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT q.queue, q.since,
        greatest(0, extract(epoch FROM clock_timestamp() - q.since))::double precision, q.reason
    FROM jobs.paused_queues AS q ORDER BY q.queue;
$$;

-- Whether a job of a queue has succeeded since a time, which the index of finished jobs finds.
CREATE OR REPLACE FUNCTION jobs.has_succeeded(p_queue text, p_since timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' SET enable_seqscan = off SET jit = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM jobs.history AS h
        WHERE h.finished_at > p_since AND h.queue = p_queue AND h.outcome = 'done');
END $$;

-- Number of failed attempts after which a queue without a success is failing, and the time within
-- which they must have happened.
CREATE OR REPLACE FUNCTION jobs.failing_attempts() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;
CREATE OR REPLACE FUNCTION jobs.failing_time() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '2 hours';

-- Queues in which no job succeeds, each with the last error: three attempts at jobs that are still
-- to be done have failed in the last two hours, and no job has succeeded since the first of these
-- three. A paused queue is not among them: its pause has a reason. Of each queue, the last hundred
-- failed attempts are looked at.
CREATE OR REPLACE FUNCTION jobs.failing_queues() RETURNS TABLE (queue text, error text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 2 SET search_path = '' AS $$
    WITH RECURSIVE names AS (
        (SELECT a.queue FROM jobs.attempts AS a ORDER BY a.queue LIMIT 1)
        UNION ALL
        SELECT (SELECT a.queue FROM jobs.attempts AS a
                WHERE a.queue > n.queue ORDER BY a.queue LIMIT 1)
        FROM names AS n WHERE n.queue IS NOT NULL)
    SELECT n.queue, jobs.error_without_addresses(f.error)
    FROM names AS n
    CROSS JOIN LATERAL (
        SELECT count(*) AS attempts, min(l.failed_at) AS since,
            (array_agg(l.error ORDER BY l.id DESC))[1] AS error
        FROM (
            SELECT r.id, r.failed_at, r.error
            FROM (
                SELECT a.id, a.job, a.failed_at, a.attempt, a.error FROM jobs.attempts AS a
                WHERE a.queue = n.queue AND a.failed_at > clock_timestamp() - jobs.failing_time()
                ORDER BY a.id DESC LIMIT 100) AS r
            JOIN jobs.live AS j ON j.id = r.job AND r.attempt BETWEEN 1 AND j.attempt
            ORDER BY r.id DESC LIMIT jobs.failing_attempts()) AS l) AS f
    WHERE f.attempts = jobs.failing_attempts()
        AND NOT EXISTS (SELECT FROM jobs.paused_queues AS q WHERE q.queue = n.queue)
        AND NOT jobs.has_succeeded(n.queue, f.since)
    ORDER BY n.queue
$$;

DROP FUNCTION IF EXISTS jobs.pause(text, text);

-- Pauses a queue; returns false if it is paused already. With p_is_probed, one job is tried every
-- 30 seconds, and the first one that succeeds ends the pause. Without, the pause lasts until
-- jobs.resume ends it, and it takes the place of a pause with trials.
CREATE OR REPLACE FUNCTION jobs.pause(
    p_queue text, p_reason text, p_is_probed boolean DEFAULT true
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO jobs.paused_queues AS q (queue, reason, probe_at)
        VALUES (p_queue, left(jobs.error_without_addresses(p_reason), 500),
            CASE WHEN p_is_probed THEN clock_timestamp() + interval '30 seconds' END)
        ON CONFLICT (queue) DO UPDATE SET reason = excluded.reason, probe_at = NULL
            WHERE NOT p_is_probed AND q.probe_at IS NOT NULL;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION jobs.resume(p_queue text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    DELETE FROM jobs.paused_queues AS q WHERE q.queue = p_queue;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION jobs.retry(p_id bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    WITH deleted AS (DELETE FROM jobs.dead AS d WHERE d.id = p_id RETURNING d.*)
    INSERT INTO jobs.live (id, queue, kind, family_unit_id, unique_key, priority, max_attempts,
            not_after, payload, last_error)
        OVERRIDING SYSTEM VALUE
        SELECT d.id, d.queue, d.kind, d.family_unit_id, d.unique_key, d.priority, d.max_attempts,
            d.not_after, d.payload, d.last_error
        FROM deleted AS d;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION jobs.cancel(p_id bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    WITH deleted AS (DELETE FROM jobs.live AS j WHERE j.id = p_id RETURNING j.*)
    INSERT INTO jobs.history (id, enqueued_at, worker, family_unit_id, attempt, queue, kind,
            outcome, recipient)
        SELECT d.id, d.enqueued_at, d.worker, d.family_unit_id, d.attempt, d.queue, d.kind,
            'cancelled', jobs.recipient_of(d.queue, d.payload)
        FROM deleted AS d;
    RETURN FOUND;
END $$;

GRANT EXECUTE ON FUNCTION jobs.dead_groups() TO hearth_admin, hearth_viewer;
GRANT EXECUTE ON FUNCTION jobs.stats(), jobs.pauses(), jobs.failing_queues()
    TO hearth_api, hearth_worker, hearth_admin, hearth_viewer;
GRANT EXECUTE ON FUNCTION jobs.pause(text, text, boolean), jobs.resume(text) TO hearth_worker;
