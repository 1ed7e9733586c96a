-- Batches: the reads of several callers by the same statements.
--
-- begin_requests is begin_request and begin_session for all callers of a batch at once. Each has a
-- place, by which the views for batches (app.members_of_batch and others) tell whose row is whose.
-- Places are the program's: no client names one, and a statement that names another caller's place
-- is as wrong as one that begins with another's token.
--
-- Who the callers are stands in one setting, local to the transaction, as hearth.user_id does:
--   hearth.callers   the accounts by their places; null for whoever is not known
-- All these callers act for nobody: subject, account and actor are the same. hearth.user_id and
-- hearth.guardian_id are empty meanwhile, so what is written for one caller shows nothing; and a
-- request that begins afterwards, in the same transaction, has no callers but its own.

-- The callers of the batch that has begun. No client reads it. It has no security_barrier, so
-- that each of the views that join it is planned as one.
CREATE OR REPLACE VIEW app.callers AS
SELECT c.place::integer AS place, c.user_id
FROM unnest(nullif(current_setting('hearth.callers', true), '')::uuid[])
    WITH ORDINALITY AS c (user_id, place);

ALTER VIEW app.callers OWNER TO hearth_authz;

-- Begins the requests of several callers who act for nobody: a row for each, in their order, with
-- the outcomes of begin_request and begin_session. For a token of Hearth's own, session and
-- account are given; for others, the rest. Like begin_request it answers only for the sign-ins and
-- sessions that it is given. Places are numbered in the order of the callers, from 1.
CREATE OR REPLACE FUNCTION app.begin_requests(
    p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[],
    p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]
) RETURNS TABLE (place integer, outcome text, user_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    -- One query, and one function in its FROM: each more costs as much as several callers. With
    -- OFFSET 0 each caller is looked up by an index, however many the planner expects.
    RETURN QUERY
        WITH found AS MATERIALIZED (
            SELECT q.place, coalesce(s.user_id, i.user_id) AS user_id,
                CASE
                    WHEN p_sessions[q.place] IS NOT NULL THEN
                        CASE WHEN s.user_id IS NULL THEN 'session_ended' ELSE 'known' END
                    WHEN i.user_id IS NULL THEN 'unknown'
                    WHEN app.claims_unchanged(i.claims_mark, i.lacks_name, p_emails[q.place],
                        p_emails_verified[q.place], p_bring_names[q.place]) THEN 'known'
                    ELSE 'stale'
                END AS outcome
            FROM generate_subscripts(p_issuers, 1) AS q (place)
            LEFT JOIN LATERAL (
                SELECT y.user_id, y.claims_mark, y.lacks_name
                FROM app.user_identities AS y
                WHERE p_sessions[q.place] IS NULL AND y.subject_hash = p_subject_hashes[q.place]
                    AND y.issuer = p_issuers[q.place] OFFSET 0) AS i ON true
            LEFT JOIN LATERAL (
                SELECT y.user_id
                FROM app.unended_sessions AS y
                WHERE y.id = p_sessions[q.place] AND (y.user_id = p_accounts[q.place]
                    OR p_accounts[q.place] = ANY (y.former_user_ids)) OFFSET 0
                ) AS s ON true
        ), named AS MATERIALIZED (
            SELECT set_config('hearth.callers', array_agg(
                    CASE WHEN f.outcome = 'known' THEN f.user_id END ORDER BY f.place)::text, true),
                -- Left over from a call before, in this transaction.
                CASE WHEN current_setting('hearth.user_id', true) <> ''
                    THEN set_config('hearth.user_id', '', true) END,
                CASE WHEN current_setting('hearth.guardian_id', true) <> ''
                    THEN set_config('hearth.guardian_id', '', true) END
            FROM found AS f
        )
        SELECT f.place, f.outcome, CASE WHEN f.outcome = 'known' THEN f.user_id END
        FROM found AS f CROSS JOIN named ORDER BY f.place;
END $$;

COMMENT ON FUNCTION app.begin_requests(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[]) IS
    'Begins the requests of several callers who act for nobody; a row for each, in their order.';

GRANT EXECUTE ON FUNCTION app.begin_requests(
    text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[]) TO hearth_api;
