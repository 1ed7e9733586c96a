-- Reads from standbys: processes of the API note here which standbys they read from.
--
-- None of these functions waits for a synchronous standby: a renewal says nothing that must not be
-- lost, and has to go on when such a standby is away.

-- How many processes read from standbys, and from which. A process that has not renewed its row for
-- a minute has stopped reading from standbys long ago, by its own clock. A row of the future is of
-- a clock that was ahead: a process that still reads renews it within seconds.
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
    'How many processes read from standbys, and from which.';

-- How long after a moment a change of that moment shows in every read: nothing if nobody reads from
-- standbys; else two seconds longer than a process may rely on what a standby shows, so that the
-- change may be committed up to two seconds after the moment.
CREATE OR REPLACE FUNCTION app.standby_delay() RETURNS interval
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE WHEN u.readers > 0 THEN interval '4 seconds' ELSE interval '0 seconds' END
    FROM app.standbys_in_use() AS u;
$$;

-- For doctor: how many processes don't read from every standby that others read from.
CREATE OR REPLACE FUNCTION app.readers_missing_standbys() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT count(*)::integer
    FROM app.standbys_in_use() AS u
    JOIN app.standby_readers AS r ON NOT r.standbys @> u.standbys
    WHERE r.renewed_at BETWEEN clock_timestamp() - interval '1 minute'
        AND clock_timestamp() + interval '1 minute';
$$;

COMMENT ON FUNCTION app.readers_missing_standbys() IS
    'How many processes don''t read from every standby that others read from.';

-- Renews a process's row with its next number; what all processes together read from, as it is
-- after everything that was committed before this call. Rows of processes that are gone for an hour
-- are removed along the way.
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
    'Renews the row of a process that reads from standbys; what all of them read from.';

-- For a process that ends.
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
GRANT EXECUTE ON FUNCTION app.standbys_in_use(), app.readers_missing_standbys() TO hearth_admin;
