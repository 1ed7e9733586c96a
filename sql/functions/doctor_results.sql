-- The worker's daily examination of the database, and the results of doctor that metrics show.

-- The parts of the daily examination. A part is one check of the data, or one table, in an area.
-- Each part is examined in a separate transaction, so that no snapshot is held for longer than one
-- part takes.
CREATE OR REPLACE FUNCTION app.daily_examination() RETURNS TABLE (area text, part text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        (SELECT 'data', c.name FROM unnest(app.fault_checks()) WITH ORDINALITY AS c (name, position)
            ORDER BY c.position)
        UNION ALL VALUES ('addresses', ''), ('audit_log', '')
        UNION ALL
        (SELECT DISTINCT 'timestamps', t.table_name FROM app.timestamp_columns() AS t
            WHERE t.kind <> 'free' ORDER BY t.table_name);
END $$;

-- The number of findings in a part of the daily examination. At most p_limit faults of each kind
-- are counted. All domains without an A-label count as one finding, as in doctor.
CREATE OR REPLACE FUNCTION app.count_findings(p_area text, p_part text, p_limit integer)
RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    CASE p_area
        WHEN 'data' THEN
            RETURN (SELECT count(*) FROM app.find_faults_of(p_part, p_limit));
        WHEN 'addresses' THEN
            RETURN (SELECT count(*) FROM app.unlabelled_domains(1));
        WHEN 'audit_log' THEN
            RETURN (SELECT count(*) FROM app.audit_months_missing());
        WHEN 'timestamps' THEN
            RETURN (SELECT count(*) FROM app.future_timestamps(p_part));
    END CASE;
END $$;

COMMENT ON FUNCTION app.count_findings(text, text, integer) IS
    'The number of faults in a part of the daily examination; 0 in a sound database.';

-- Stores the number of findings in an area. In a read-only transaction, as on a standby, it stores
-- nothing: the earlier result stays.
CREATE OR REPLACE FUNCTION app.record_findings(p_area text, p_findings integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RETURN;
    END IF;
    INSERT INTO app.doctor_results AS r (area, findings) VALUES (p_area, p_findings)
        ON CONFLICT (area) DO UPDATE
            SET findings = excluded.findings, examined_at = excluded.examined_at;
END $$;

COMMENT ON FUNCTION app.record_findings(text, integer) IS
    'Stores the number of faults in an area, for metrics.';

-- The latest result of each area, and the seconds since then.
CREATE OR REPLACE FUNCTION app.latest_findings()
RETURNS TABLE (area text, findings integer, age_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT r.area, r.findings,
        greatest(0, extract(epoch FROM clock_timestamp() - r.examined_at))::double precision
    FROM app.doctor_results AS r ORDER BY r.area
$$;

GRANT EXECUTE ON FUNCTION
    app.daily_examination(), app.count_findings(text, text, integer),
    app.record_findings(text, integer), app.latest_findings()
    TO hearth_worker;
GRANT EXECUTE ON FUNCTION app.latest_findings() TO hearth_api, hearth_admin, hearth_viewer;
GRANT EXECUTE ON FUNCTION app.record_findings(text, integer) TO hearth_admin;
