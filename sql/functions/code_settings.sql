-- The operator's settings for family codes: HEARTH_CODE_LENGTH, HEARTH_WRONG_CODES_A_MINUTE.
--
-- The database needs them because it draws all codes, those of direct clients and operators'
-- commands included, and because it counts wrong codes for all processes together. hearth-api
-- stores its settings here when it starts; those of the instance that started last apply. Without a
-- row the defaults apply.

CREATE OR REPLACE FUNCTION app.code_length() RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN coalesce((SELECT s.code_length FROM app.code_settings AS s), 6)::integer;
END $$;

COMMENT ON FUNCTION app.code_length() IS
    'The number of characters that new family codes have after their prefix.';

CREATE OR REPLACE FUNCTION app.wrong_code_rate() RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN coalesce((SELECT s.wrong_codes_a_minute FROM app.code_settings AS s), 60);
END $$;

COMMENT ON FUNCTION app.wrong_code_rate() IS
    'The number of wrong codes a minute by which the usual number must be exceeded before '
    'approval is required (automatic_approval.sql).';

CREATE OR REPLACE FUNCTION app.apply_code_settings(
    p_length integer, p_wrong_codes_a_minute integer) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO app.code_settings AS s (code_length, wrong_codes_a_minute)
        SELECT p_length, p_wrong_codes_a_minute
            WHERE p_length IS NOT NULL AND p_wrong_codes_a_minute IS NOT NULL
        ON CONFLICT (is_only) DO UPDATE SET
                code_length = excluded.code_length,
                wrong_codes_a_minute = excluded.wrong_codes_a_minute
            WHERE (s.code_length, s.wrong_codes_a_minute)
                <> (excluded.code_length, excluded.wrong_codes_a_minute);
$$;

COMMENT ON FUNCTION app.apply_code_settings(integer, integer) IS
    'Stores the settings for codes: the length of new ones (existing codes stay valid), and how '
    'many wrong ones a minute make approval required.';

GRANT EXECUTE ON FUNCTION app.apply_code_settings(integer, integer) TO hearth_api;
GRANT EXECUTE ON FUNCTION app.code_length(), app.wrong_code_rate() TO hearth_admin;
