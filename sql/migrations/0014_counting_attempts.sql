-- Counts attempts in windows, before what they are attempts at.
--
-- A hit is reserved in a transaction of its own, ahead of the look-up, and released in the
-- transaction of an attempt that turned out to be none; so no rollback forgets one, and parallel
-- attempts all count. That an honest caller among many parallel ones meets a stray refusal is the
-- price. The reservation doesn't wait for the disk: every process sees it at once, and only a
-- crash of the database within the next instants could forget it.
--
-- Buckets are locked in the order of their names, so that no two callers wait for each other.
--
-- Locks: none, all objects are new. At run time: the rows of the buckets.

CREATE FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_bucket record;
    v_row record;
BEGIN
    FOR v_bucket IN
        SELECT b.name, b.most FROM unnest(p_buckets, p_limits) AS b (name, most)
        WHERE b.name IS NOT NULL ORDER BY b.name COLLATE "C"
    LOOP
        INSERT INTO app.rate_limits AS r (bucket, window_start, hits)
            VALUES (v_bucket.name, now(), 1)
            ON CONFLICT (bucket) DO UPDATE SET
                hits = CASE WHEN r.window_start <= now() - p_window THEN 1 ELSE r.hits + 1 END,
                window_start = CASE WHEN r.window_start <= now() - p_window THEN now()
                                    ELSE r.window_start END
            RETURNING r.hits, r.window_start INTO v_row;
        IF v_row.hits > v_bucket.most THEN
            limited_by := v_bucket.name;
            retry_after_seconds := greatest(
                retry_after_seconds, 1,
                ceil(extract(epoch FROM v_row.window_start + p_window - now()))::integer);
        END IF;
    END LOOP;
    IF limited_by IS NOT NULL THEN
        PERFORM app.release_hits(p_buckets);
        RETURN NEXT;
    END IF;
END $$;

COMMENT ON FUNCTION app.reserve_hits(text[], integer[], interval) IS
    'Counts a hit in every bucket, or in none: then a row tells which is full and for how long.';

CREATE FUNCTION app.release_hits(p_buckets text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_bucket text;
BEGIN
    FOR v_bucket IN SELECT b FROM unnest(p_buckets) AS b
        WHERE b IS NOT NULL ORDER BY b COLLATE "C"
    LOOP
        UPDATE app.rate_limits AS r SET hits = r.hits - 1 WHERE r.bucket = v_bucket AND r.hits > 0;
    END LOOP;
END $$;

COMMENT ON FUNCTION app.release_hits(text[]) IS 'Takes one hit back from every bucket.';

-- The three buckets that an attempt at a code counts in, five minutes long.
CREATE FUNCTION app.code_buckets(p_address text, p_network text) RETURNS text[]
LANGUAGE sql STABLE
RETURN ARRAY[
    'code:account:' || app.account_id(), 'code:address:' || p_address,
    'code:network:' || p_network];

-- Reserves an attempt at a code: per account 5 failures in 5 minutes, per address 20, per network
-- 100; and 10 distinct codes per account and hour, which stay counted whatever comes of them.
-- No row: go on. A row: refuse, and for how long.
CREATE FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_buckets constant text[] := app.code_buckets(p_address, p_network);
    v_digest constant bytea :=
        sha256(convert_to(v_account::text || coalesce(app.normalised_code(p_code), ''), 'UTF8'));
    v_recent record;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT h.limited_by, h.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.reserve_hits(v_buckets, ARRAY[5, 20, 100], interval '5 minutes') AS h;
    IF limited_by IS NOT NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    -- The account's bucket is locked by now: of two parallel attempts the second counts the first.
    SELECT count(*) AS codes, min(l.looked_up_at) AS oldest,
           coalesce(bool_or(l.code_digest = v_digest), false) AS known INTO v_recent
        FROM app.code_lookups AS l
        WHERE l.user_id = v_account AND l.looked_up_at > now() - interval '1 hour';
    IF v_recent.codes >= 10 AND NOT v_recent.known THEN
        PERFORM app.release_hits(v_buckets);
        limited_by := 'code:distinct:' || v_account;
        retry_after_seconds := greatest(1, ceil(extract(
            epoch FROM v_recent.oldest + interval '1 hour' - now()))::integer);
        RETURN NEXT;
        RETURN;
    END IF;
    INSERT INTO app.code_lookups AS l (user_id, code_digest) VALUES (v_account, v_digest)
        ON CONFLICT (user_id, code_digest) DO UPDATE SET looked_up_at = now()
            WHERE l.looked_up_at <= now() - interval '1 hour';
END $$;

COMMENT ON FUNCTION app.reserve_code_attempt(text, text, text) IS
    'Counts an attempt at a code before it is made, in a transaction of its own.';

-- Trimmed, upper case, the prefix put before a bare code. Null for what can't be a code.
CREATE FUNCTION app.normalised_code(p_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN upper(btrim(p_code, E' \t\r\n')) ~ '^FAM-[A-Z0-9]{6}$'
        THEN upper(btrim(p_code, E' \t\r\n'))
    WHEN upper(btrim(p_code, E' \t\r\n')) ~ '^[A-Z0-9]{6}$'
        THEN 'FAM-' || upper(btrim(p_code, E' \t\r\n'))
END;

GRANT EXECUTE ON FUNCTION
    app.reserve_hits(text[], integer[], interval),
    app.release_hits(text[]),
    app.reserve_code_attempt(text, text, text)
    TO hearth_api;
