-- Leases of workers, and their heartbeat.
--
-- A lease belongs to a process, not to a job. It is one row, which the process renews every five
-- seconds by the database's clock. Fifteen seconds after the last renewal it expires, and another
-- worker returns its jobs to the queue. A worker that could not renew its own lease in time ends no
-- other lease: the database may have been unavailable, and then every lease looks expired.
--
-- A clock that was ahead for a while must not leave work waiting for a date in the future. The
-- heartbeat therefore sets such times to the present: a lease renewed in the future, which expires
-- unless it is renewed again; the probe of a paused queue; and a ready job that is scheduled beyond
-- jobs.max_delay(). Each has a tolerance of a minute, so small corrections of a clock change
-- nothing.

DROP FUNCTION IF EXISTS jobs.acquire_lease(text);
DROP FUNCTION IF EXISTS jobs.acquire_lease(text, integer);
DROP FUNCTION IF EXISTS jobs.take_over_lease(integer, text, bigint[]);
DROP FUNCTION IF EXISTS jobs.take_over_lease(integer, text, bigint[], integer);

-- Registers a worker, with the number of its threads and the names of its queues.
CREATE OR REPLACE FUNCTION jobs.acquire_lease(
    p_label text, p_threads integer DEFAULT NULL, p_queues text[] DEFAULT NULL
) RETURNS integer
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO jobs.workers AS w (label, threads, queues)
        VALUES (p_label, p_threads, coalesce(p_queues, '{}')) RETURNING w.id;
$$;

-- Ends a worker's lease and makes its jobs ready again; returns their number. A crash is counted
-- for each job that had started, and the third crash discards the job. For the other jobs no crash
-- is counted. The next start of each job is recorded before the job begins. There is no index by
-- worker, because it would cost every claim two index entries; a vanished worker costs one table
-- scan instead.
CREATE OR REPLACE FUNCTION jobs.end_lease(p_worker integer) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_job record;
    v_count integer := 0;
BEGIN
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    FOR v_job IN
        UPDATE jobs.live AS j SET
                state = 'ready', worker = NULL, token = NULL, is_started = false,
                is_suspect = true, crashes = j.crashes + CASE WHEN j.is_started THEN 1 ELSE 0 END
            FROM jobs.live AS o
            WHERE j.worker = p_worker AND o.id = j.id
            RETURNING j.id, j.crashes, o.is_started AS had_started, o AS before
    LOOP
        IF v_job.had_started THEN
            PERFORM jobs.record_attempt(
                v_job.before, 0::smallint, NULL, 'Its worker vanished while it ran.');
        END IF;
        IF v_job.crashes >= 3 THEN
            PERFORM jobs.discard(v_job.id, 'Its worker vanished three times while it ran.');
        END IF;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END $$;

-- Gives a new lease to a worker whose connection broke. A claim that arrives late on the old
-- connection is then refused. Jobs that the worker does not know return to the queue without a
-- counted crash, because the response to their claim was lost. If was_held is false, the old lease
-- and all its jobs are lost.
CREATE OR REPLACE FUNCTION jobs.take_over_lease(
    p_worker integer, p_label text, p_held_jobs bigint[], p_threads integer DEFAULT NULL,
    p_queues text[] DEFAULT NULL,
    OUT worker integer, OUT was_held boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
BEGIN
    PERFORM pg_advisory_xact_lock(jobs.lease_lock_class(), p_worker);
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    was_held := FOUND;
    take_over_lease.worker := jobs.acquire_lease(p_label, p_threads, p_queues);
    IF was_held THEN
        UPDATE jobs.live AS j SET worker = take_over_lease.worker
            WHERE j.id = ANY (p_held_jobs) AND j.worker = p_worker;
        UPDATE jobs.live AS j SET state = 'ready', worker = NULL, token = NULL, is_started = false
            WHERE j.worker = p_worker;
    END IF;
END $$;

-- Releases the lease of a worker that stops. The jobs that it still holds become due in the queue,
-- and no crash is counted. Returns their number.
CREATE OR REPLACE FUNCTION jobs.release_lease(p_worker integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    UPDATE jobs.live AS j SET
            state = 'ready', worker = NULL, token = NULL, is_started = false,
            run_at = clock_timestamp()
        WHERE j.worker = p_worker;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    RETURN v_count;
END $$;

-- Renews a worker's lease, ends the expired leases of other workers, and makes the due ticks. If
-- p_channel is not null, it also notifies the worker itself, which thus checks that notifications
-- arrive. If held is false, the lease and all its jobs are lost. wait_seconds is the time until
-- something is due that no notification announces; null if nothing is.
CREATE OR REPLACE FUNCTION jobs.heartbeat(
    p_worker integer, p_queues text[], p_channel text
) RETURNS TABLE (held boolean, reclaimed integer, ticked integer, wait_seconds double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
DECLARE
    v_lease constant interval := interval '15 seconds';
    v_now constant timestamptz := clock_timestamp();
    v_before timestamptz;
    v_expired integer;
    v_next timestamptz;
BEGIN
    reclaimed := 0;
    ticked := 0;
    SELECT w.renewed_at INTO v_before FROM jobs.workers AS w
        WHERE w.id = p_worker FOR NO KEY UPDATE;
    held := FOUND;
    IF NOT held THEN
        RETURN NEXT;
        RETURN;
    END IF;
    UPDATE jobs.workers AS w SET renewed_at = v_now WHERE w.id = p_worker;
    WITH ahead AS (
        SELECT w.id FROM jobs.workers AS w
        WHERE w.renewed_at > v_now + interval '1 minute' FOR UPDATE SKIP LOCKED)
    UPDATE jobs.workers AS w SET renewed_at = v_now FROM ahead WHERE w.id = ahead.id;
    UPDATE jobs.paused_queues AS q SET probe_at = v_now
        WHERE q.probe_at > v_now + interval '1 minute';
    WITH ahead AS MATERIALIZED (
        SELECT n.id FROM unnest(p_queues) AS q (name)
        CROSS JOIN generate_series(0, 3) AS p (priority)
        CROSS JOIN LATERAL (
            SELECT j.id FROM jobs.live AS j
            WHERE j.queue = q.name AND j.priority = p.priority::smallint AND j.state = 'ready'
                AND j.run_at > v_now + jobs.max_delay() + interval '1 minute'
            ORDER BY j.run_at, j.id LIMIT 1000 FOR UPDATE SKIP LOCKED) AS n)
    UPDATE jobs.live AS j SET run_at = v_now FROM ahead WHERE j.id = ahead.id;
    IF v_before > v_now - v_lease THEN
        FOR v_expired IN
            SELECT w.id FROM jobs.workers AS w
            WHERE w.renewed_at <= v_now - v_lease FOR UPDATE SKIP LOCKED
        LOOP
            IF pg_try_advisory_xact_lock(jobs.lease_lock_class(), v_expired) THEN
                reclaimed := reclaimed + jobs.end_lease(v_expired);
            END IF;
        END LOOP;
    END IF;
    IF EXISTS (
        SELECT FROM jobs.schedules AS s
        WHERE s.next_at <= v_now OR jobs.is_too_far_ahead(s, v_now)) THEN
        ticked := jobs.tick(v_now);
    END IF;
    IF p_channel IS NOT NULL THEN
        PERFORM pg_notify(p_channel, p_worker::text);
    END IF;
    SELECT least(
            (SELECT min(w.renewed_at) + v_lease FROM jobs.workers AS w WHERE w.id <> p_worker),
            (SELECT min(s.next_at) FROM jobs.schedules AS s),
            (SELECT min(q.probe_at) FROM jobs.paused_queues AS q WHERE q.queue = ANY (p_queues)),
            (SELECT min(n.run_at) FROM unnest(p_queues) AS q (name)
                CROSS JOIN generate_series(0, 3) AS p (priority)
                CROSS JOIN LATERAL (
                    SELECT j.run_at FROM jobs.live AS j
                    WHERE j.queue = q.name AND j.priority = p.priority::smallint
                        AND j.run_at > v_now
                    ORDER BY j.run_at, j.id LIMIT 1) AS n))
        INTO v_next;
    wait_seconds := extract(epoch FROM v_next - clock_timestamp());
    RETURN NEXT;
END $$;

GRANT EXECUTE ON FUNCTION
    jobs.acquire_lease(text, integer, text[]),
    jobs.take_over_lease(integer, text, bigint[], integer, text[]),
    jobs.release_lease(integer),
    jobs.heartbeat(integer, text[], text)
    TO hearth_worker;
