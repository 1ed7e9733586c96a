-- What the operator has settled about family codes: HEARTH_CODE_LENGTH.
--
-- The database draws codes, also for direct clients and for operators' commands, so it has to know.
-- hearth-api stores its settings here when it starts; the instance that started last counts. Without
-- a row the defaults hold.

CREATE OR REPLACE FUNCTION app.code_length() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT coalesce((SELECT s.code_length FROM app.code_settings AS s), 6)::integer;
$$;

COMMENT ON FUNCTION app.code_length() IS
    'How many characters new family codes have after their prefix.';

CREATE OR REPLACE FUNCTION app.apply_code_settings(p_length integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO app.code_settings AS s (code_length) SELECT p_length WHERE p_length IS NOT NULL
        ON CONFLICT (is_only) DO UPDATE SET code_length = excluded.code_length
            WHERE s.code_length <> excluded.code_length;
$$;

COMMENT ON FUNCTION app.apply_code_settings(integer) IS
    'Stores the settings about codes: how long new ones are. Codes that are there stay good.';

GRANT EXECUTE ON FUNCTION app.apply_code_settings(integer) TO hearth_api;
GRANT EXECUTE ON FUNCTION app.code_length() TO hearth_admin;
