-- hearth: after sessions.sql
-- Conditional reads: whether a client's copy of a list is current.
--
-- One statement identifies the caller and returns the versions of which an entity tag consists. The
-- caller is the one that begin_request or begin_session would find for the sign-in or session that
-- the same statement stores in a setting. This does not begin a request, so policies still show no
-- row. If the caller is not found, acts for a child, or has the former id of an account that was
-- merged, the program sends the usual request. There
-- are views for one caller, and a function for several: the function costs more for one caller and
-- less for three or more.
--
-- For one caller, a statement stores the sign-in or session first, and joins the view by a LEFT
-- JOIN without a condition on the left side. So only one plan is possible: the left side, then the
-- look-ups. The views use LEFT JOINs by unique keys, so that the planner leaves out tables that
-- the statement does not read. For example, a read of one family's version looks up neither the
-- person's own version nor the end of the code.

-- For the sign-in whose hash was just stored: the person's own version, and the versions of the
-- families in which the person is an active member, with the end of each family's code. The
-- statement itself must check whether the token states changed data (claims_unchanged).
CREATE OR REPLACE VIEW app.sign_in_versions WITH (security_barrier) AS
SELECT i.issuer, i.user_id, i.claims_mark, i.lacks_name,
    u.version AS own_version, u.raised_at AS own_raised_at,
    j.family_unit_id, v.version, v.raised_at, f.code_expires_at
FROM app.user_identities AS i
LEFT JOIN app.user_versions AS u ON u.user_id = i.user_id
LEFT JOIN app.families_joined AS j ON j.viewer_id = i.user_id
LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
LEFT JOIN app.family_units AS f ON f.id = j.family_unit_id
WHERE i.subject_hash = decode(current_setting('hearth.sign_in', true), 'hex')
    AND NOT i.is_blocked;

-- The same versions for the session that was just stored, while it lasts.
CREATE OR REPLACE VIEW app.session_versions WITH (security_barrier) AS
SELECT s.user_id,
    u.version AS own_version, u.raised_at AS own_raised_at,
    j.family_unit_id, v.version, v.raised_at, f.code_expires_at
FROM app.unended_sessions AS s
LEFT JOIN app.user_versions AS u ON u.user_id = s.user_id
LEFT JOIN app.families_joined AS j ON j.viewer_id = s.user_id
LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
LEFT JOIN app.family_units AS f ON f.id = j.family_unit_id
WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid;

ALTER VIEW app.sign_in_versions OWNER TO hearth_authz;
ALTER VIEW app.session_versions OWNER TO hearth_authz;

GRANT SELECT ON app.sign_in_versions, app.session_versions TO hearth_api;

-- The same versions for several callers, numbered from 1 (`caller_index`): each caller that is
-- found gets a row for each of its families, or one row if it has none. If p_families names a
-- family for a caller, the caller gets only the version of this family, without the caller's own
-- version and the end of the code, and no row unless the caller is an active member. For a caller
-- with a token that Hearth issued, p_sessions and p_accounts are set; for any other caller, the
-- other arguments are. OFFSET 0, as in begin_requests: each caller is looked up by an index,
-- however many the planner expects.
CREATE OR REPLACE FUNCTION app.versions_of_callers(
    p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[],
    p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]
) RETURNS TABLE (
    caller_index integer, user_id uuid, own_version bigint, own_raised_at timestamptz,
    family_unit_id uuid, version bigint, raised_at timestamptz, is_code_over boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT q.caller_index, c.user_id, u.version, u.raised_at,
            j.family_unit_id, j.version, j.raised_at, j.is_code_over
        FROM generate_subscripts(p_issuers, 1) AS q (caller_index)
        CROSS JOIN LATERAL (
            SELECT i.user_id
            FROM app.user_identities AS i
            WHERE p_sessions[q.caller_index] IS NULL
                AND i.subject_hash = p_subject_hashes[q.caller_index]
                AND i.issuer = p_issuers[q.caller_index] AND NOT i.is_blocked
                AND app.claims_unchanged(i.claims_mark, i.lacks_name, p_emails[q.caller_index],
                    p_emails_verified[q.caller_index], p_bring_names[q.caller_index])
            UNION ALL
            SELECT s.user_id
            FROM app.unended_sessions AS s
            WHERE s.id = p_sessions[q.caller_index]
                AND s.user_id = p_accounts[q.caller_index] OFFSET 0) AS c
        LEFT JOIN LATERAL (
            SELECT u.version, u.raised_at
            FROM app.user_versions AS u
            WHERE p_families[q.caller_index] IS NULL AND u.user_id = c.user_id
            OFFSET 0) AS u ON true
        LEFT JOIN LATERAL (
            SELECT j.family_unit_id, v.version, v.raised_at,
                CASE WHEN p_families[q.caller_index] IS NULL THEN (
                    SELECT f.code_expires_at <= now() FROM app.family_units AS f
                    WHERE f.id = j.family_unit_id) END AS is_code_over
            FROM app.families_joined AS j
            LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
            WHERE j.viewer_id = c.user_id
                AND (p_families[q.caller_index] IS NULL
                    OR j.family_unit_id = p_families[q.caller_index])
            OFFSET 0) AS j ON true
        WHERE p_families[q.caller_index] IS NULL OR j.family_unit_id IS NOT NULL
        ORDER BY q.caller_index;
END $$;

COMMENT ON FUNCTION app.versions_of_callers(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[], uuid[]) IS
    'For each of these callers, who act for themselves, the versions of its families and its own.';

GRANT EXECUTE ON FUNCTION app.versions_of_callers(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[], uuid[]) TO hearth_api;
