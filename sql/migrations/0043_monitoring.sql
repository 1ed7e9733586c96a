-- What monitoring reads of the database: how long the oldest transaction has been open, and how the
-- queues stand. Both tell numbers only.
--
-- An old transaction keeps every table from being cleaned of dead rows; a queue suffers first.
--
-- Locks: none, the function is new.

-- Null where the owner may not see other sessions: it is a member of pg_read_all_stats once
-- 'hearth-migrate bootstrap' has run with this release.
CREATE FUNCTION app.oldest_transaction_seconds() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN greatest(0, (
        SELECT extract(epoch FROM clock_timestamp() - min(t.since)) FROM (
            SELECT a.xact_start AS since FROM pg_stat_activity AS a
                WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
                    AND a.backend_type = 'client backend'
            UNION ALL
            SELECT p.prepared FROM pg_prepared_xacts AS p
                WHERE p.database = current_database()) AS t)) END::double precision;
$$;

COMMENT ON FUNCTION app.oldest_transaction_seconds() IS
    'Age of the oldest open transaction of this database, prepared ones included; 0 without any.';

GRANT EXECUTE ON FUNCTION app.oldest_transaction_seconds() TO hearth_api, hearth_worker;
GRANT EXECUTE ON FUNCTION jobs.stats() TO hearth_api;
