-- Processes of the API, workers and the console, and their samples.
--
-- A process reports every minute, without waiting for standbys. Each report also deletes its own
-- samples that are older than a week, and processes that were last seen before that.

CREATE OR REPLACE FUNCTION app.process_retention() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '7 days';

-- Renews a process's row and adds a sample of its counters, at most one a minute. Does nothing if
-- p_program is null.
CREATE OR REPLACE FUNCTION app.report_process(
    p_id uuid, p_program text, p_version text, p_revision text, p_host text, p_counters jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_now constant timestamptz := clock_timestamp();
BEGIN
    IF p_program IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'local', true);
    INSERT INTO app.processes AS p (id, program, version, revision, host, since, seen_at)
        VALUES (p_id, p_program, p_version, p_revision, p_host, v_now, v_now)
        ON CONFLICT ON CONSTRAINT processes_pkey DO UPDATE SET seen_at = excluded.seen_at;
    INSERT INTO app.process_samples (process_id, at, counters)
        VALUES (p_id, date_trunc('minute', v_now), p_counters)
        ON CONFLICT ON CONSTRAINT process_samples_pkey DO NOTHING;
    DELETE FROM app.process_samples AS s
        WHERE s.process_id = p_id AND s.at < v_now - app.process_retention();
    DELETE FROM app.processes AS p
        WHERE p.id IN (
            SELECT o.id FROM app.processes AS o
            WHERE o.seen_at < v_now - app.process_retention() FOR UPDATE SKIP LOCKED);
END $$;

COMMENT ON FUNCTION app.report_process(uuid, text, text, text, text, jsonb) IS
    'Renews the row of a process and adds a sample of its counters.';

-- Stores the public keys of Hearth's own tokens that a process of the API has loaded, the one that
-- signs first. Does nothing if the process has not reported.
CREATE OR REPLACE FUNCTION app.report_signing_keys(p_id uuid, p_keys jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'local', true);
    UPDATE app.processes AS p SET signing_keys = p_keys
        WHERE p.id = p_id AND p.signing_keys IS DISTINCT FROM p_keys;
END $$;

COMMENT ON FUNCTION app.report_signing_keys(uuid, jsonb) IS
    'Stores the public signing keys of a process of the API.';

GRANT EXECUTE ON FUNCTION app.report_process(uuid, text, text, text, text, jsonb)
    TO hearth_api, hearth_worker, hearth_admin;
-- Only the API signs tokens.
GRANT EXECUTE ON FUNCTION app.report_signing_keys(uuid, jsonb) TO hearth_api;
