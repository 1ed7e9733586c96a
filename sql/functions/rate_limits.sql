-- Rate limits: attempts are counted in time windows before they are made.
--
-- Each attempt is a hit. The hit is reserved in a separate transaction before the attempt, and
-- released in the transaction of a successful attempt. No rollback can lose a hit, and all parallel
-- attempts are counted. In return, an honest caller may now and then be refused because of parallel
-- attempts. The reservation of an attempt at a family code does not wait for the disk: every
-- process sees it at once, and only a crash of the database within the next moments could lose it.
--
-- A window that begins in the future, because a clock was ahead, is changed to begin now.
--
-- Buckets are locked in the order of their names, so that no two callers wait for each other. Each
-- may be named once.

CREATE OR REPLACE FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    WITH counted AS (
        INSERT INTO app.rate_limits AS r (bucket, window_start, hits)
            SELECT b.name, now(), 1 FROM unnest(p_buckets) AS b (name)
            WHERE b.name IS NOT NULL ORDER BY b.name COLLATE "C"
            ON CONFLICT (bucket) DO UPDATE SET
                hits = CASE WHEN r.window_start <= now() - p_window THEN 1 ELSE r.hits + 1 END,
                window_start = CASE WHEN r.window_start <= now() - p_window THEN now()
                                    ELSE least(r.window_start, now()) END
            RETURNING r.bucket, r.hits, r.window_start)
    SELECT c.bucket,
        greatest(1, ceil(extract(epoch FROM c.window_start + p_window - now()))::integer)
        INTO limited_by, retry_after_seconds
        FROM counted AS c WHERE c.hits > p_limits[array_position(p_buckets, c.bucket)]
        ORDER BY c.window_start DESC, c.bucket LIMIT 1;
    IF FOUND THEN
        PERFORM app.release_hits(p_buckets);
        RETURN NEXT;
    END IF;
END $$;

COMMENT ON FUNCTION app.reserve_hits(text[], integer[], interval) IS
    'Counts a hit in every bucket. If a bucket is full, counts none and returns that bucket and '
    'the seconds to wait; if several are full, the one that stays full for longest.';

-- Reserves a hit in every bucket; false if one is full, and then it reserves none.
CREATE OR REPLACE FUNCTION app.reserve_within_limits(
    p_buckets text[], p_limits integer[], p_window interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.reserve_hits(p_buckets, p_limits, p_window);
    RETURN NOT FOUND;
END $$;

CREATE OR REPLACE FUNCTION app.release_hits(p_buckets text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_bucket text;
BEGIN
    FOR v_bucket IN SELECT b FROM unnest(p_buckets) AS b ORDER BY b COLLATE "C" LOOP
        UPDATE app.rate_limits AS r SET hits = r.hits - 1 WHERE r.bucket = v_bucket AND r.hits > 0;
    END LOOP;
END $$;

COMMENT ON FUNCTION app.release_hits(text[]) IS 'Releases one hit in every bucket.';

-- Buckets that count what an account does, by its id: an erasure deletes their counters, and an
-- operator may clear them. A new limit for accounts must be added here. Guesses at e-mailed codes
-- are counted in app.code_guess_bucket, which an erasure leaves.
CREATE OR REPLACE FUNCTION app.buckets_of_account(p_account uuid) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY[
    'code:account:' || p_account, 'invite:account:' || p_account,
    'deletion:account:' || p_account, 'export:account:' || p_account,
    'consent:account:' || p_account, 'page-ticket:account:' || p_account];

GRANT EXECUTE ON FUNCTION
    app.reserve_hits(text[], integer[], interval), app.release_hits(text[])
    TO hearth_api;
