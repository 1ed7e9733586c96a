-- Reads from standbys: processes of the API record here from which standbys they read.
--
-- None of these functions waits for a synchronous standby: the loss of a renewal does no harm, and
-- renewals must continue while such a standby is unavailable.

-- Number of processes that read from standbys, and the standbys from which any of them reads. A
-- process that has not renewed its row for a minute is not counted: by its own clock, it stopped
-- reading from standbys long ago. A row with a time in the future is ignored, too: a fast clock
-- wrote it, and a process that still reads renews its row within seconds.
CREATE OR REPLACE FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT count(DISTINCT r.id)::integer,
        coalesce(array_agg(DISTINCT s.started) FILTER (WHERE s.started IS NOT NULL), '{}')
    FROM app.standby_readers AS r
    LEFT JOIN LATERAL unnest(r.standbys) AS s (started) ON true
    WHERE r.renewed_at BETWEEN clock_timestamp() - interval '1 minute'
        AND clock_timestamp() + interval '1 minute';
$$;

COMMENT ON FUNCTION app.standbys_in_use() IS
    'Number of processes that read from standbys, and the standbys from which any of them reads.';

-- Time after which every read shows a change made at a given time. Zero if no process reads from
-- standbys. Otherwise two seconds longer than a process may rely on what a standby shows, so that
-- the change may be committed up to two seconds after that time.
CREATE OR REPLACE FUNCTION app.standby_delay() RETURNS interval
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE WHEN u.readers > 0 THEN interval '4 seconds' ELSE interval '0 seconds' END
    FROM app.standbys_in_use() AS u;
$$;

-- Number of processes that fail to read from at least one standby that another process reads from,
-- for doctor.
CREATE OR REPLACE FUNCTION app.readers_missing_standbys() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT count(*)::integer
    FROM app.standbys_in_use() AS u
    JOIN app.standby_readers AS r ON NOT r.standbys @> u.standbys
    WHERE r.renewed_at BETWEEN clock_timestamp() - interval '1 minute'
        AND clock_timestamp() + interval '1 minute';
$$;

COMMENT ON FUNCTION app.readers_missing_standbys() IS
    'Number of processes that fail to read from at least one standby that another process reads '
    'from.';

-- Renews a process's row with its next number. Returns the number of processes and the standbys
-- that they read from, as of everything that was committed before this call. Every thousandth
-- renewal deletes the rows of processes that have been gone for an hour.
CREATE OR REPLACE FUNCTION app.renew_standby_reader(
    p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'local', true);
    INSERT INTO app.standby_readers AS r (id, number, standbys, renewed_at)
        VALUES (p_id, p_number, p_standbys, clock_timestamp())
        ON CONFLICT ON CONSTRAINT standby_readers_pkey DO UPDATE SET number = excluded.number,
            standbys = excluded.standbys, renewed_at = excluded.renewed_at
        WHERE r.number < excluded.number;
    IF p_number % 1000 = 1 THEN
        DELETE FROM app.standby_readers AS r
            WHERE r.renewed_at < clock_timestamp() - interval '1 hour'
                OR r.renewed_at > clock_timestamp() + interval '1 hour';
    END IF;
    SELECT u.readers, u.standbys INTO readers, standbys FROM app.standbys_in_use() AS u;
END $$;

COMMENT ON FUNCTION app.renew_standby_reader(uuid, bigint, bigint[]) IS
    'Renews the row of a process that reads from standbys; returns the number of such processes '
    'and their standbys.';

CREATE OR REPLACE FUNCTION app.end_standby_reader(p_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'local', true);
    DELETE FROM app.standby_readers AS r WHERE r.id = p_id;
END $$;

COMMENT ON FUNCTION app.end_standby_reader(uuid) IS
    'Deletes the row of a process that no longer reads from standbys.';

GRANT EXECUTE ON FUNCTION
    app.standbys_in_use(), app.renew_standby_reader(uuid, bigint, bigint[]),
    app.end_standby_reader(uuid)
    TO hearth_api;
GRANT EXECUTE ON FUNCTION app.standbys_in_use(), app.readers_missing_standbys()
    TO hearth_admin, hearth_viewer;
