-- Read batches: the same statements for several callers.
--
-- begin_requests does for all callers of a batch what begin_request and begin_session do for one.
-- Each caller has a number (`caller_index`). The views for batches (app.members_of_batch and
-- others) return it with each row, to show which caller's row it is. The program assigns the
-- numbers, and no client can choose one. A statement that names the number of another caller is the
-- same bug as one that begins with another caller's token.
--
-- One setting, local to the transaction like hearth.user_id, holds the callers:
--   hearth.callers   the accounts in the order of their numbers; null for an unknown caller
-- None of these callers acts for a child: subject, account and actor are the same. hearth.user_id
-- and hearth.guardian_id are empty meanwhile, so statements for one caller return no row. A later
-- request in the same transaction clears this setting.

-- The callers of the batch that has begun. No client may read this view. It has no
-- security_barrier, so that PostgreSQL plans it together with each view that joins it.
CREATE OR REPLACE VIEW app.callers AS
SELECT c.caller_index::integer AS caller_index, c.user_id
FROM unnest(nullif(current_setting('hearth.callers', true), '')::uuid[])
    WITH ORDINALITY AS c (user_id, caller_index);

ALTER VIEW app.callers OWNER TO hearth_authz;

-- Begins the requests of several callers who act for themselves. Returns a row for each, in their
-- order, with an outcome of begin_request or begin_session. For a caller with a token that Hearth
-- issued, p_sessions and p_accounts are set; for any other caller, the other arguments are. Like
-- begin_request, the function looks up only the given sign-ins and sessions. Numbers
-- (`caller_index`) count from 1.
CREATE OR REPLACE FUNCTION app.begin_requests(
    p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[],
    p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]
) RETURNS TABLE (caller_index integer, outcome text, user_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    -- There is one query, with one function in its FROM, because each further function costs as
    -- much as several callers. OFFSET 0 makes PostgreSQL look up each caller by an index, however
    -- many the planner expects.
    RETURN QUERY
        WITH found AS MATERIALIZED (
            SELECT q.caller_index, coalesce(s.user_id, i.user_id) AS user_id,
                CASE
                    WHEN p_sessions[q.caller_index] IS NOT NULL THEN
                        CASE WHEN s.user_id IS NULL THEN 'session_ended' ELSE 'known' END
                    WHEN i.user_id IS NULL THEN 'unknown'
                    WHEN i.is_blocked THEN 'blocked'
                    WHEN app.claims_unchanged(i.claims_mark, i.lacks_name, p_emails[q.caller_index],
                        p_emails_verified[q.caller_index],
                        p_bring_names[q.caller_index]) THEN 'known'
                    ELSE 'stale'
                END AS outcome
            FROM generate_subscripts(p_issuers, 1) AS q (caller_index)
            LEFT JOIN LATERAL (
                SELECT y.user_id, y.claims_mark, y.lacks_name, y.is_blocked
                FROM app.user_identities AS y
                WHERE p_sessions[q.caller_index] IS NULL
                    AND y.subject_hash = p_subject_hashes[q.caller_index]
                    AND y.issuer = p_issuers[q.caller_index] OFFSET 0) AS i ON true
            LEFT JOIN LATERAL (
                SELECT y.user_id
                FROM app.unended_sessions AS y
                WHERE y.id = p_sessions[q.caller_index] AND (y.user_id = p_accounts[q.caller_index]
                    OR p_accounts[q.caller_index] = ANY (y.former_user_ids)) OFFSET 0
                ) AS s ON true
        ), named AS MATERIALIZED (
            SELECT set_config('hearth.callers', array_agg(
                    CASE WHEN f.outcome = 'known' THEN f.user_id END
                    ORDER BY f.caller_index)::text, true),
                -- Clears the settings of an earlier call in this transaction.
                CASE WHEN current_setting('hearth.user_id', true) <> ''
                    THEN set_config('hearth.user_id', '', true) END,
                CASE WHEN current_setting('hearth.guardian_id', true) <> ''
                    THEN set_config('hearth.guardian_id', '', true) END
            FROM found AS f
        )
        SELECT f.caller_index, f.outcome, CASE WHEN f.outcome = 'known' THEN f.user_id END
        FROM found AS f CROSS JOIN named ORDER BY f.caller_index;
END $$;

COMMENT ON FUNCTION app.begin_requests(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[]) IS
    'Begins the requests of several callers who act for themselves; a row for each, in their '
    'order.';

GRANT EXECUTE ON FUNCTION app.begin_requests(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[]) TO hearth_api;
