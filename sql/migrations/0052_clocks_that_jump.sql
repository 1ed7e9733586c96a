-- A clock that was ahead for a while leaves nothing waiting for the day it showed.
--
-- Schedules, probes of paused queues and leases were stamped by it. A schedule that stands a day
-- further ahead than its rule could have set it is set anew; so is a probe that is more than its half
-- minute ahead; a lease renewed in the future is taken as renewed now, and runs out unless it is
-- renewed again. Small corrections of a clock change nothing.
--
-- A tick also lets a job of its own that waits to be tried again be tried now: so a schedule keeps
-- its rhythm, however often its job failed.
--
-- Locks: none but those on the functions' rows.

-- Whether a schedule stands further ahead than its rule sets it.
CREATE FUNCTION jobs.is_astray(p_schedule jobs.schedules, p_now timestamptz) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p_schedule.next_at > jobs.next_tick(p_schedule.every, p_schedule.at_local,
        p_schedule.zone, p_now + coalesce(p_schedule.every, interval '0') + interval '1 day');
$$;

CREATE OR REPLACE FUNCTION jobs.tick(p_now timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_schedule jobs.schedules;
    v_count integer := 0;
BEGIN
    UPDATE jobs.schedules AS s SET next_at = jobs.next_tick(s.every, s.at_local, s.zone, p_now)
        WHERE jobs.is_astray(s, p_now);
    FOR v_schedule IN SELECT s.* FROM jobs.schedules AS s WHERE s.next_at <= p_now ORDER BY s.name
    LOOP
        UPDATE jobs.schedules AS s SET
                last_at = v_schedule.next_at,
                next_at = jobs.next_tick(s.every, s.at_local, s.zone, p_now)
            WHERE s.name = v_schedule.name AND s.next_at = v_schedule.next_at;
        IF FOUND THEN
            IF jobs.enqueue(v_schedule.queue, v_schedule.kind, NULL, v_schedule.payload,
                p_unique_key => 'schedule:' || v_schedule.name) IS NULL THEN
                UPDATE jobs.live AS j SET run_at = clock_timestamp()
                    WHERE j.kind = v_schedule.kind
                        AND j.unique_key = 'schedule:' || v_schedule.name
                        AND j.state = 'ready' AND j.run_at > clock_timestamp();
            END IF;
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;

CREATE OR REPLACE FUNCTION jobs.beat(
    p_worker integer, p_queues text[], p_channel text
) RETURNS TABLE (held boolean, reclaimed integer, ticked integer, wait_seconds double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
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
    WITH ahead AS (
        SELECT w.id FROM jobs.workers AS w
        WHERE w.renewed_at > v_now + interval '1 minute' FOR UPDATE SKIP LOCKED)
    UPDATE jobs.workers AS w SET renewed_at = v_now FROM ahead WHERE w.id = ahead.id;
    UPDATE jobs.paused_queues AS q SET probe_at = v_now
        WHERE q.probe_at > v_now + interval '1 minute';
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
    IF EXISTS (
        SELECT FROM jobs.schedules AS s WHERE s.next_at <= v_now OR jobs.is_astray(s, v_now)) THEN
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
