-- Schedules, which enqueue jobs at intervals or at a time of day.

-- First tick after p_after. A local time that a clock change skips is moved by the skipped time; a
-- local time that occurs twice gives one tick.
CREATE OR REPLACE FUNCTION jobs.next_tick(
    p_interval interval, p_at_local time, p_zone text, p_after timestamptz
) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE
        WHEN p_interval IS NOT NULL
        THEN date_bin(p_interval, p_after, timestamptz '2000-01-01 00:00:00Z') + p_interval
        ELSE (
            SELECT min(t) FROM (
                SELECT (((p_after AT TIME ZONE p_zone)::date + n) + p_at_local)
                    AT TIME ZONE p_zone AS t
                FROM generate_series(0, 2) AS n) AS candidates
            WHERE t > p_after)
    END;
$$;

-- Whether a clock that was ahead has advanced a schedule too far: its next tick is more than a day
-- later than its rule allows. Such a tick is computed again.
CREATE OR REPLACE FUNCTION jobs.is_too_far_ahead(p_schedule jobs.schedules, p_now timestamptz)
RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p_schedule.next_at > jobs.next_tick(p_schedule.every, p_schedule.at_local,
        p_schedule.zone, p_now + coalesce(p_schedule.every, interval '0') + interval '1 day');
$$;

-- Creates or changes a schedule. Its next tick stays unless the definition has changed.
CREATE OR REPLACE FUNCTION jobs.upsert_schedule(
    p_name text, p_queue text, p_kind text, p_interval interval, p_at_local time, p_zone text
) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO jobs.schedules AS s (name, queue, kind, every, at_local, zone, next_at)
        VALUES (p_name, p_queue, p_kind, p_interval, p_at_local, p_zone,
            jobs.next_tick(p_interval, p_at_local, p_zone, clock_timestamp()))
        ON CONFLICT (name) DO UPDATE SET
            queue = excluded.queue, kind = excluded.kind, every = excluded.every,
            at_local = excluded.at_local, zone = excluded.zone, next_at = excluded.next_at
        WHERE (s.queue, s.kind, s.zone) <> (excluded.queue, excluded.kind, excluded.zone)
            OR s.every IS DISTINCT FROM excluded.every
            OR s.at_local IS DISTINCT FROM excluded.at_local;
$$;

-- Enqueues the jobs of all ticks up to p_now: one for each due schedule, however many ticks it
-- missed. The update compares next_at, so only one of several workers enqueues the job. If the job
-- of an earlier tick still exists, no other is added; if it waits for a retry, it becomes due now,
-- so that the schedule keeps its rhythm even if its job fails. Returns the number of ticks.
CREATE OR REPLACE FUNCTION jobs.tick(p_now timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_schedule jobs.schedules;
    v_count integer := 0;
BEGIN
    UPDATE jobs.schedules AS s SET next_at = jobs.next_tick(s.every, s.at_local, s.zone, p_now)
        WHERE jobs.is_too_far_ahead(s, p_now);
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

GRANT EXECUTE ON FUNCTION
    jobs.upsert_schedule(text, text, text, interval, time, text), jobs.tick(timestamptz)
    TO hearth_worker;
