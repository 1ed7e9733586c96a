-- Jobs that end otherwise than done; leases; schedules.
--
-- A lease is held by a process, not by a job: one row that it renews every five seconds, by the
-- database's clock alone. After fifteen without, any other worker takes its jobs away. Who could
-- not renew its own lease in time ends nobody else's: then it was the database that was away.
--
-- Locks: none, all objects are new.

-- Gives up a job. The caller has its row locked.
CREATE FUNCTION jobs.bury(p_id bigint, p_error text) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    WITH gone AS (DELETE FROM jobs.live AS j WHERE j.id = p_id RETURNING j.*)
    INSERT INTO jobs.dead (id, queue, kind, family_unit_id, unique_key, priority, attempt,
            max_attempts, crashes, run_at, not_after, payload, last_error)
        SELECT g.id, g.queue, g.kind, g.family_unit_id, g.unique_key, g.priority, g.attempt,
            g.max_attempts, g.crashes, g.run_at, g.not_after, g.payload, left(p_error, 2000)
        FROM gone AS g;
$$;

-- Settles jobs that were not done. Outcomes: expired, cancelled; dead; retry (costs an attempt, and
-- is dead after the last); released (costs nothing). Answers how many; a stale token changes
-- nothing.
CREATE FUNCTION jobs.settle(
    p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row record;
    v_count integer := 0;
BEGIN
    FOR v_row IN
        SELECT j.id, j.attempt + 1 >= j.max_attempts AS is_last, a.outcome, a.delay_ms, a.error
        FROM unnest(p_ids, p_tokens, p_outcomes, p_delays_ms, p_errors)
            AS a (id, token, outcome, delay_ms, error)
        JOIN jobs.live AS j ON j.id = a.id AND j.token = a.token
        ORDER BY j.id FOR UPDATE OF j
    LOOP
        IF v_row.outcome IN ('expired', 'cancelled') THEN
            WITH gone AS (DELETE FROM jobs.live AS j WHERE j.id = v_row.id RETURNING j.*)
            INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
                SELECT g.id, g.family_unit_id, g.attempt, g.queue, g.kind, v_row.outcome
                FROM gone AS g;
        ELSIF v_row.outcome IN ('dead', 'retry') THEN
            UPDATE jobs.live AS j SET attempt = j.attempt + 1 WHERE j.id = v_row.id;
            IF v_row.outcome = 'dead' OR v_row.is_last THEN
                PERFORM jobs.bury(v_row.id, v_row.error);
            ELSE
                UPDATE jobs.live AS j SET
                        state = 'ready', worker = NULL, token = NULL, is_started = false,
                        last_error = left(v_row.error, 2000),
                        run_at = clock_timestamp() + v_row.delay_ms * interval '1 millisecond'
                    WHERE j.id = v_row.id;
            END IF;
        ELSIF v_row.outcome = 'released' THEN
            UPDATE jobs.live AS j SET
                    state = 'ready', worker = NULL, token = NULL, is_started = false,
                    last_error = coalesce(nullif(left(v_row.error, 2000), ''), j.last_error),
                    run_at = clock_timestamp() + v_row.delay_ms * interval '1 millisecond'
                WHERE j.id = v_row.id;
        ELSE
            RAISE EXCEPTION 'unknown outcome';
        END IF;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END $$;

-- Notes that jobs are about to begin, for those where a crash is to be charged exactly. Answers
-- those that the caller still holds: no other may begin.
CREATE FUNCTION jobs.start(p_ids bigint[], p_tokens bigint[]) RETURNS SETOF bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    UPDATE jobs.live AS j SET is_started = true
        FROM unnest(p_ids, p_tokens) AS a (id, token)
        WHERE j.id = a.id AND j.token = a.token
        RETURNING j.id;
$$;

CREATE FUNCTION jobs.pause(p_queue text, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO jobs.paused_queues AS q (queue, reason) VALUES (p_queue, left(p_reason, 500))
        ON CONFLICT (queue) DO NOTHING;
    RETURN FOUND;
END $$;

CREATE FUNCTION jobs.resume(p_queue text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    DELETE FROM jobs.paused_queues AS q WHERE q.queue = p_queue;
    RETURN FOUND;
END $$;

CREATE FUNCTION jobs.enlist(p_label text) RETURNS integer
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO jobs.workers AS w (label) VALUES (p_label) RETURNING w.id;
$$;

-- Takes a worker's jobs away: the started ones are charged with the crash, and given up at the
-- third; the others go back free, and are watched more closely from now on. There is no index by
-- worker, which would cost every claim two entries: a vanished worker costs one walk instead.
CREATE FUNCTION jobs.end_lease(p_worker integer) RETURNS integer
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
            WHERE j.worker = p_worker
            RETURNING j.id, j.crashes
    LOOP
        IF v_job.crashes >= 3 THEN
            PERFORM jobs.bury(v_job.id, 'Its worker vanished three times while it ran.');
        END IF;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END $$;

-- A worker whose connection broke goes on under a new lease: what the old connection may still do
-- comes to nothing. Jobs that it does not know of go back free: their claim's answer was lost.
-- was_held false: the old lease is gone, and with it every job.
CREATE FUNCTION jobs.succeed(
    p_worker integer, p_label text, p_known bigint[], OUT worker integer, OUT was_held boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
BEGIN
    PERFORM pg_advisory_xact_lock(jobs.lease_lock_class(), p_worker);
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    was_held := FOUND;
    succeed.worker := jobs.enlist(p_label);
    IF was_held THEN
        UPDATE jobs.live AS j SET worker = succeed.worker
            WHERE j.id = ANY (p_known) AND j.worker = p_worker;
        UPDATE jobs.live AS j SET state = 'ready', worker = NULL, token = NULL, is_started = false
            WHERE j.worker = p_worker;
    END IF;
END $$;

-- The worker leaves; what it still holds goes back without any charge.
CREATE FUNCTION jobs.retire(p_worker integer) RETURNS integer
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

-- The first tick after a moment. A local time that a change of the clock skips comes by as much
-- later; one that comes twice counts once.
CREATE FUNCTION jobs.next_tick(
    p_every interval, p_at_local time, p_zone text, p_after timestamptz
) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE
        WHEN p_every IS NOT NULL
        THEN date_bin(p_every, p_after, timestamptz '2000-01-01 00:00:00Z') + p_every
        ELSE (
            SELECT min(t) FROM (
                SELECT (((p_after AT TIME ZONE p_zone)::date + n) + p_at_local)
                    AT TIME ZONE p_zone AS t
                FROM generate_series(0, 2) AS n) AS candidates
            WHERE t > p_after)
    END;
$$;

-- States a schedule. Its next tick stays as it is unless the rule is another.
CREATE FUNCTION jobs.put_schedule(
    p_name text, p_queue text, p_kind text, p_every interval, p_at_local time, p_zone text
) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO jobs.schedules AS s (name, queue, kind, every, at_local, zone, next_at)
        VALUES (p_name, p_queue, p_kind, p_every, p_at_local, p_zone,
            jobs.next_tick(p_every, p_at_local, p_zone, clock_timestamp()))
        ON CONFLICT (name) DO UPDATE SET
            queue = excluded.queue, kind = excluded.kind, every = excluded.every,
            at_local = excluded.at_local, zone = excluded.zone, next_at = excluded.next_at
        WHERE (s.queue, s.kind, s.zone) <> (excluded.queue, excluded.kind, excluded.zone)
            OR s.every IS DISTINCT FROM excluded.every
            OR s.at_local IS DISTINCT FROM excluded.at_local;
$$;

-- Makes the jobs of all ticks up to p_now: one for each schedule that is due, however many of its
-- ticks were missed. Compare and set: of several workers one makes it. A run that is not over yet
-- is not joined by another.
CREATE FUNCTION jobs.tick(p_now timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_schedule jobs.schedules;
    v_count integer := 0;
BEGIN
    FOR v_schedule IN SELECT s.* FROM jobs.schedules AS s WHERE s.next_at <= p_now ORDER BY s.name
    LOOP
        UPDATE jobs.schedules AS s SET
                last_at = v_schedule.next_at,
                next_at = jobs.next_tick(s.every, s.at_local, s.zone, p_now)
            WHERE s.name = v_schedule.name AND s.next_at = v_schedule.next_at;
        IF FOUND THEN
            PERFORM jobs.enqueue(v_schedule.queue, v_schedule.kind, NULL, v_schedule.payload,
                p_unique_key => 'schedule:' || v_schedule.name);
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;

-- A worker's heartbeat: renews its lease, ends those that others have lost, makes due ticks. With
-- p_channel it also notifies the worker itself: so it sees whether notifications still reach it.
-- held false: the lease is gone, and with it every job. wait_seconds: until something is due that
-- nobody will be notified of.
CREATE FUNCTION jobs.beat(p_worker integer, p_queues text[], p_channel text)
RETURNS TABLE (held boolean, reclaimed integer, ticked integer, wait_seconds double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
    v_lease constant interval := interval '15 seconds';
    v_now constant timestamptz := clock_timestamp();
    v_before timestamptz;
    v_other integer;
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
    IF v_before > v_now - v_lease THEN
        FOR v_other IN
            SELECT w.id FROM jobs.workers AS w
            WHERE w.renewed_at <= v_now - v_lease AND w.id <> p_worker FOR UPDATE SKIP LOCKED
        LOOP
            IF pg_try_advisory_xact_lock(jobs.lease_lock_class(), v_other) THEN
                reclaimed := reclaimed + jobs.end_lease(v_other);
            END IF;
        END LOOP;
    END IF;
    IF EXISTS (SELECT FROM jobs.schedules AS s WHERE s.next_at <= v_now) THEN
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

-- For operators: how the queues stand; a dead job sent back, as good as new; a job taken away, from
-- under a worker too, whose result then comes to nothing.
CREATE FUNCTION jobs.stats()
RETURNS TABLE (
    queue text, ready bigint, running bigint, dead bigint, oldest_ready_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT a.queue, sum(a.ready)::bigint, sum(a.running)::bigint, sum(a.dead)::bigint,
        greatest(0, extract(epoch FROM clock_timestamp() - min(a.oldest)))::double precision
    FROM (
        SELECT j.queue, count(*) FILTER (WHERE j.state = 'ready') AS ready,
            count(*) FILTER (WHERE j.state = 'running') AS running, 0 AS dead,
            min(j.run_at) FILTER (
                WHERE j.state = 'ready' AND j.run_at <= clock_timestamp()) AS oldest
        FROM jobs.live AS j GROUP BY j.queue
        UNION ALL
        SELECT d.queue, 0, 0, count(*), NULL FROM jobs.dead AS d GROUP BY d.queue) AS a
    GROUP BY a.queue ORDER BY a.queue;
$$;

CREATE FUNCTION jobs.revive(p_id bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    WITH gone AS (DELETE FROM jobs.dead AS d WHERE d.id = p_id RETURNING d.*)
    INSERT INTO jobs.live (id, queue, kind, family_unit_id, unique_key, priority, max_attempts,
            not_after, payload, last_error)
        OVERRIDING SYSTEM VALUE
        SELECT g.id, g.queue, g.kind, g.family_unit_id, g.unique_key, g.priority, g.max_attempts,
            g.not_after, g.payload, g.last_error
        FROM gone AS g;
    RETURN FOUND;
END $$;

CREATE FUNCTION jobs.cancel(p_id bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    WITH gone AS (DELETE FROM jobs.live AS j WHERE j.id = p_id RETURNING j.*)
    INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
        SELECT g.id, g.family_unit_id, g.attempt, g.queue, g.kind, 'cancelled' FROM gone AS g;
    RETURN FOUND;
END $$;

GRANT EXECUTE ON FUNCTION
    jobs.settle(bigint[], bigint[], text[], bigint[], text[]), jobs.start(bigint[], bigint[]),
    jobs.pause(text, text), jobs.resume(text), jobs.enlist(text), jobs.retire(integer),
    jobs.succeed(integer, text, bigint[]),
    jobs.put_schedule(text, text, text, interval, time, text), jobs.tick(timestamptz),
    jobs.beat(integer, text[], text)
    TO hearth_worker;
GRANT EXECUTE ON FUNCTION
    jobs.pause(text, text), jobs.resume(text), jobs.revive(bigint), jobs.cancel(bigint)
    TO hearth_admin;
GRANT EXECUTE ON FUNCTION jobs.stats() TO hearth_worker, hearth_admin;
GRANT SELECT ON jobs.schedules TO hearth_worker, hearth_admin;
