-- What the migrations made, object by object, for hearth-admin doctor to hold the database against.
--
-- hearth-migrate records it in the ledger's schema at the end of each run, as this server words it.
-- The role for operators reads it by these functions, as it reads which files are applied.
--
-- Locks: none, for nothing that is there is changed.

CREATE FUNCTION app.recorded_definitions()
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
    'What the migrations made, as the server of that version words it; nothing without a record.';

-- Whether a run of hearth-migrate has begun, and has not recorded yet what it changed.
CREATE FUNCTION app.is_recording_unfinished() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_unfinished boolean := false;
BEGIN
    IF to_regclass('migrations.recording') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM migrations.recording)' INTO v_unfinished;
    END IF;
    RETURN v_unfinished;
END $$;

REVOKE ALL ON FUNCTION app.recorded_definitions(), app.is_recording_unfinished() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app.recorded_definitions(), app.is_recording_unfinished()
    TO hearth_admin;
