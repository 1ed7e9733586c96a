-- Data for monitoring and doctor: the age of the oldest transaction, the files that hearth-migrate
-- has applied, and the recorded definitions.
--
-- An old transaction keeps vacuum from removing dead rows in every table; the job queue suffers
-- first.

-- Null if the database's owner may not see other sessions. 'hearth-migrate bootstrap' makes the
-- owner a member of pg_read_all_stats.
CREATE OR REPLACE FUNCTION app.oldest_transaction_seconds() RETURNS double precision
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
    'Age of the oldest open transaction of this database, including prepared ones; 0 if there is '
    'none.';

-- Migrations that hearth-migrate has applied; none if there is no ledger.
CREATE OR REPLACE FUNCTION app.applied_migrations() RETURNS TABLE (version bigint, name text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF to_regclass('migrations.ledger') IS NOT NULL THEN
        RETURN QUERY EXECUTE
            'SELECT l.version::bigint, l.name::text FROM migrations.ledger AS l ORDER BY 1';
    END IF;
END $$;

COMMENT ON FUNCTION app.applied_migrations() IS 'Migrations that hearth-migrate has applied.';

-- Every application of a repeatable file; none if there is no ledger.
CREATE OR REPLACE FUNCTION app.applied_repeatable_files()
RETURNS TABLE (name text, checksum text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF to_regclass('migrations.repeatable') IS NOT NULL THEN
        RETURN QUERY EXECUTE 'SELECT r.name, r.checksum FROM migrations.repeatable AS r';
    END IF;
END $$;

COMMENT ON FUNCTION app.applied_repeatable_files() IS
    'Repeatable files that hearth-migrate has applied, with the SHA-256 of their text.';

-- Recorded definitions, object by object, which doctor compares with the database. hearth-migrate
-- records them in the ledger's schema at the end of each run, as this server prints them.
CREATE OR REPLACE FUNCTION app.recorded_definitions()
RETURNS TABLE (kind text, name text, place text, statement text, server_version integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF to_regclass('migrations.definitions') IS NOT NULL THEN
        RETURN QUERY EXECUTE
            'SELECT d.kind, d.name, d.place, d.statement, d.server_version
             FROM migrations.definitions AS d';
    END IF;
END $$;

COMMENT ON FUNCTION app.recorded_definitions() IS
    'Recorded definitions, with the version of the server that printed them; empty if none are '
    'recorded.';

-- Whether a run of hearth-migrate has begun and has not yet recorded its changes.
CREATE OR REPLACE FUNCTION app.is_recording_unfinished() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_unfinished boolean := false;
BEGIN
    IF to_regclass('migrations.recording') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM migrations.recording)' INTO v_unfinished;
    END IF;
    RETURN v_unfinished;
END $$;

GRANT EXECUTE ON FUNCTION app.oldest_transaction_seconds() TO hearth_api, hearth_worker;
GRANT EXECUTE ON FUNCTION
    app.applied_migrations(), app.recorded_definitions(), app.is_recording_unfinished()
    TO hearth_admin;
GRANT EXECUTE ON FUNCTION app.applied_migrations() TO hearth_viewer;
GRANT EXECUTE ON FUNCTION app.applied_repeatable_files()
    TO hearth_api, hearth_worker, hearth_admin;
