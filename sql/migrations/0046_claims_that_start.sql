-- A claim notes the start of the jobs that begin at once.
--
-- A worker whose threads are free begins the first jobs of what it claims without asking again: their
-- start is written by the claim itself (the first p_starting, of the kinds p_noted whose start is
-- noted, and of those that a worker vanished with). That is one journey and one commit less between
-- a job and its beginning. The others are still noted when their turn comes.
--
-- Locks: none but those on the function's row.

DROP FUNCTION jobs.claim(integer, text, text[], integer, timestamptz[], bigint[]);

-- Takes up to p_limit jobs, the most urgent first. The plan is settled by the settings: whatever
-- the statistics say, it is a walk along the index that ends with the limit, and jobs of the
-- future are not looked at.
CREATE FUNCTION jobs.claim(
    p_worker integer, p_queue text, p_kinds text[], p_limit integer,
    p_after_at timestamptz[], p_after_id bigint[], p_starting integer, p_noted text[]
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
        LIMIT v_limit),
    -- Beside the walk: numbering would make it lock a row more than it takes.
    numbered AS (SELECT f.place, row_number() OVER () AS number FROM found AS f)
    UPDATE jobs.live AS j SET state = 'running', worker = p_worker, token = v_token,
            is_started = f.number <= p_starting AND coalesce(j.not_after > v_now, true)
                AND (j.kind = ANY (p_noted) OR j.is_suspect OR j.crashes > 0)
        FROM numbered AS f WHERE j.ctid = f.place
        RETURNING j.id, j.token, j.kind, j.family_unit_id, j.priority, j.run_at,
            coalesce(j.not_after <= v_now, false), j.attempt, j.is_suspect OR j.crashes > 0,
            j.is_started, j.payload;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_probe IS NOT NULL AND v_count > 0 THEN
        UPDATE jobs.paused_queues AS q SET probe_at = v_now + interval '30 seconds'
            WHERE q.queue = p_queue;
    END IF;
END $$;

GRANT EXECUTE ON FUNCTION
    jobs.claim(integer, text, text[], integer, timestamptz[], bigint[], integer, text[])
    TO hearth_worker;
