-- hearth: after sessions.sql
-- Conditional reads: whether a client's copy of a list is still right.
--
-- Versions are shown to a caller as begin_request and begin_session (barrier.sql) would find it: so
-- one statement finds the caller and tells what an entity tag is made of. It begins no request: it
-- reads and writes no setting, and policies show nothing by it. Whoever is not found, or acts for
-- somebody else, asks in the usual way. Three callers or more ask together, which costs less.

-- The versions that decide what a caller sees: its own and those of the families that it is an
-- active member of, with whether each family's code has run out; a row for each family, or one row
-- without. p_family names the one family whose version is asked for; then there is no row unless
-- the caller is an active member of it, and neither its own version nor the end of the code. For a
-- token of Hearth's own, session and account are given; for others, the rest.
CREATE OR REPLACE FUNCTION app.versions_of_caller(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean, p_session uuid, p_account uuid, p_family uuid
) RETURNS TABLE (
    user_id uuid, own_version bigint, own_raised_at timestamptz,
    family_unit_id uuid, version bigint, raised_at timestamptz, is_code_over boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' ROWS 1 AS $$
DECLARE
    v_caller uuid;
BEGIN
    IF p_session IS NULL THEN
        SELECT i.user_id INTO v_caller FROM app.user_identities AS i
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer
                AND app.tells_nothing_new(
                    i.claims_mark, i.lacks_name, p_email, p_email_verified, p_brings_name);
    ELSE
        SELECT s.user_id INTO v_caller FROM app.unended_sessions AS s
            WHERE s.id = p_session AND s.user_id = p_account;
    END IF;
    IF p_family IS NULL THEN
        RETURN QUERY
            SELECT u.user_id, u.version, u.raised_at,
                j.family_unit_id, v.version, v.raised_at, f.code_expires_at <= now()
            FROM app.user_versions AS u
            LEFT JOIN app.families_joined AS j ON j.viewer_id = u.user_id
            LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
            LEFT JOIN app.family_units AS f ON f.id = j.family_unit_id
            WHERE u.user_id = v_caller;
    ELSE
        RETURN QUERY
            SELECT j.viewer_id, NULL::bigint, NULL::timestamptz,
                j.family_unit_id, v.version, v.raised_at, NULL::boolean
            FROM app.families_joined AS j
            JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
            WHERE j.viewer_id = v_caller AND j.family_unit_id = p_family;
    END IF;
END $$;

COMMENT ON FUNCTION app.versions_of_caller(
    text, bytea, text, boolean, boolean, uuid, uuid, uuid) IS
    'The versions that decide what a caller sees who acts for nobody; no row if it is not found.';

-- The same for several callers, who are told apart by their places, numbered from 1. OFFSET 0, as
-- in begin_requests: each is looked up by an index, however many the planner expects.
CREATE OR REPLACE FUNCTION app.versions_of_callers(
    p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[],
    p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]
) RETURNS TABLE (
    place integer, user_id uuid, own_version bigint, own_raised_at timestamptz,
    family_unit_id uuid, version bigint, raised_at timestamptz, is_code_over boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT q.place, c.user_id, u.version, u.raised_at,
            j.family_unit_id, j.version, j.raised_at, j.is_code_over
        FROM generate_subscripts(p_issuers, 1) AS q (place)
        CROSS JOIN LATERAL (
            SELECT i.user_id
            FROM app.user_identities AS i
            WHERE p_sessions[q.place] IS NULL AND i.subject_hash = p_subject_hashes[q.place]
                AND i.issuer = p_issuers[q.place]
                AND app.tells_nothing_new(i.claims_mark, i.lacks_name, p_emails[q.place],
                    p_emails_verified[q.place], p_bring_names[q.place])
            UNION ALL
            SELECT s.user_id
            FROM app.unended_sessions AS s
            WHERE s.id = p_sessions[q.place] AND s.user_id = p_accounts[q.place] OFFSET 0) AS c
        LEFT JOIN LATERAL (
            SELECT u.version, u.raised_at
            FROM app.user_versions AS u
            WHERE p_families[q.place] IS NULL AND u.user_id = c.user_id OFFSET 0) AS u ON true
        LEFT JOIN LATERAL (
            SELECT j.family_unit_id, v.version, v.raised_at,
                CASE WHEN p_families[q.place] IS NULL THEN (
                    SELECT f.code_expires_at <= now() FROM app.family_units AS f
                    WHERE f.id = j.family_unit_id) END AS is_code_over
            FROM app.families_joined AS j
            LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
            WHERE j.viewer_id = c.user_id
                AND (p_families[q.place] IS NULL OR j.family_unit_id = p_families[q.place])
            OFFSET 0) AS j ON true
        WHERE p_families[q.place] IS NULL OR j.family_unit_id IS NOT NULL
        ORDER BY q.place;
END $$;

COMMENT ON FUNCTION app.versions_of_callers(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[], uuid[]) IS
    'For each of these callers who act for nobody, the versions that decide what it sees.';

GRANT EXECUTE ON FUNCTION
    app.versions_of_caller(text, bytea, text, boolean, boolean, uuid, uuid, uuid),
    app.versions_of_callers(
        text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[], uuid[]) TO hearth_api;
