-- Reads for followers of changes: versions, the times at which they were raised, and recent
-- changes.

-- Time at which the given version of one of the caller's families was raised; null if it never was,
-- or if its changes have been purged. After a restore or a failover the time may differ from the
-- one that a client knows, or be null.
CREATE OR REPLACE FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint)
RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT CASE p_version
                WHEN v.version THEN v.raised_at
                WHEN v.purged_version THEN v.purged_raised_at
                ELSE (SELECT max(c.changed_at) FROM app.family_changes AS c
                      WHERE c.family_unit_id = p_family AND c.version = p_version) END
            FROM app.family_versions AS v
            WHERE v.family_unit_id = p_family
                AND p_family = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
END $$;

-- Time at which the given version of the caller was raised.
CREATE OR REPLACE FUNCTION app.my_version_raised_at(p_version bigint) RETURNS timestamptz
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT CASE p_version
                WHEN v.version THEN v.raised_at
                WHEN v.purged_version THEN v.purged_raised_at
                ELSE (SELECT max(c.changed_at) FROM app.user_changes AS c
                      WHERE c.user_id = v.user_id AND c.version = p_version) END
            FROM app.user_versions AS v WHERE v.user_id = app.user_id());
END $$;

-- The versions at which the caller's memberships of these families ended: for each, the version of
-- the change that ended the membership or, if that was purged, the last purged version. So a client
-- that has left a family never gets an older version than it already has.
CREATE OR REPLACE FUNCTION app.versions_on_leaving(p_families uuid[])
RETURNS TABLE (family_unit_id uuid, version bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT m.family_unit_id, coalesce((
            SELECT c.version FROM app.family_changes AS c
            WHERE c.family_unit_id = m.family_unit_id AND c.kind = 'member' AND c.id = m.id
            ORDER BY c.version DESC LIMIT 1), v.purged_version)
        FROM app.family_members AS m
        JOIN app.family_versions AS v ON v.family_unit_id = m.family_unit_id
        WHERE m.user_id = app.user_id() AND m.status = 'removed'
            AND m.family_unit_id = ANY (p_families)
$$;

COMMENT ON FUNCTION app.versions_on_leaving(uuid[]) IS
    'The versions at which the caller''s memberships of these families ended.';

-- For the program that notifies waiting clients: the families and people that have changed since
-- its last query, with their new versions, and the sessions that have ended. It has no caller, so
-- it returns hashes of the ids; clients then fetch what has changed by requests of their own.
--
-- Each query finds the changes that have become visible since the last query, however long ago they
-- were recorded. They come from transactions that were not visible in the last query's snapshot
-- (Lookback in Swift). p_running_transactions lists the transactions that were running; none of
-- them had written before its time in p_since. Transactions from the id p_end on had not begun;
-- none of them wrote before p_end_since. The query reads changes only back to the earliest time at
-- which a transaction that is visible now can have written. So a transaction that stays open does
-- not slow down the queries.
--
-- p_seconds limits how far a query goes back, from statement_timestamp(). clock_timestamp() differs
-- from row to row: it would rule out the index, and each query would read all retained changes. A
-- tenth of a second allows for corrections of the clock.
CREATE OR REPLACE FUNCTION app.changed_since(
    p_running_transactions bigint[], p_since timestamptz[], p_end bigint, p_end_since timestamptz,
    p_looked_at timestamptz, p_seconds double precision)
RETURNS TABLE (id_hash bigint, version bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off AS $$
    WITH past AS MATERIALIZED (
        SELECT greatest(
            statement_timestamp() - make_interval(secs => p_seconds),
            least(
                p_looked_at,
                CASE WHEN pg_snapshot_xmax(pg_current_snapshot()) > p_end::text::xid8
                     THEN p_end_since END,
                (SELECT min(u.since)
                    FROM unnest(p_running_transactions, p_since) AS u (number, since)
                 WHERE pg_visible_in_snapshot(u.number::text::xid8, pg_current_snapshot()))
            ) - interval '0.1 seconds') AS since),
    -- Separate subqueries; otherwise the planner would expect a third of all families and people.
    of_families AS MATERIALIZED (
        SELECT c.family_unit_id, c.version FROM app.family_changes AS c
        WHERE c.changed_at >= (SELECT p.since FROM past AS p)),
    of_users AS MATERIALIZED (
        SELECT c.user_id, c.version FROM app.user_changes AS c
        WHERE c.changed_at >= (SELECT p.since FROM past AS p))
    SELECT hashtextextended(c.family_unit_id::text, 0), max(c.version)
        FROM of_families AS c GROUP BY c.family_unit_id
    UNION ALL
    SELECT hashtextextended(c.user_id::text, 0), max(c.version)
        FROM of_users AS c GROUP BY c.user_id
    UNION ALL
    -- Sessions that were ended or have expired: their streams end.
    SELECT hashtextextended(s.id::text, 0), 1 FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at) >= (SELECT p.since FROM past AS p)
            AND coalesce(s.ended_at, s.ends_at) <= statement_timestamp()
$$;

COMMENT ON FUNCTION app.changed_since(
    bigint[], timestamptz[], bigint, timestamptz, timestamptz, double precision) IS
    'Hashes of the families and people that changed, and of the sessions that ended, since the '
    'last query; with their versions.';

-- For the program that notifies waiting clients: the positions (`list_index`) in the list of those
-- families, people and sessions whose version differs from the one that the waiting clients know.
-- An unknown time is passed as the epoch. The function also finds changes that were committed long
-- after they were recorded, deletions, and versions that a failover has undone.
CREATE OR REPLACE FUNCTION app.outdated_versions(
    p_ids uuid[], p_versions bigint[], p_raised_at timestamptz[])
RETURNS TABLE (list_index bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT k.list_index
    FROM unnest(p_ids, p_versions, p_raised_at) WITH ORDINALITY
        AS k (id, version, raised_at, list_index)
    LEFT JOIN app.family_versions AS f ON f.family_unit_id = k.id
    LEFT JOIN app.user_versions AS u ON u.user_id = k.id
    LEFT JOIN app.sessions AS s ON s.id = k.id
    -- A session's version becomes 1 when the session ends.
    WHERE coalesce(f.version, u.version,
            (coalesce(s.ended_at, s.ends_at) <= clock_timestamp())::integer)
            IS DISTINCT FROM k.version
        OR coalesce(f.raised_at, u.raised_at, 'epoch') <> k.raised_at
$$;

COMMENT ON FUNCTION app.outdated_versions(uuid[], bigint[], timestamptz[]) IS
    'The positions of those families, people and sessions whose versions differ from the given '
    'ones.';

-- The rows of app.family_versions and app.user_versions that each caller of a batch may read, and
-- the time at which each family's code expires. OFFSET 0 makes PostgreSQL look up each version by
-- its family's id. A plain join might scan the whole table, because the planner does not know how
-- few callers there are.
CREATE OR REPLACE VIEW app.family_versions_of_batch WITH (security_barrier) AS
SELECT c.caller_index, j.family_unit_id, v.version, v.raised_at, v.code_expires_at, v.purged_version
FROM app.callers AS c
JOIN app.families_joined AS j ON j.viewer_id = c.user_id
CROSS JOIN LATERAL (
    SELECT v.version, v.raised_at, f.code_expires_at, v.purged_version
    FROM app.family_versions AS v JOIN app.family_units AS f ON f.id = v.family_unit_id
    WHERE v.family_unit_id = j.family_unit_id OFFSET 0) AS v;

CREATE OR REPLACE VIEW app.user_versions_of_batch WITH (security_barrier) AS
SELECT c.caller_index, v.user_id, v.version, v.raised_at, v.purged_version
FROM app.callers AS c
JOIN app.user_versions AS v ON v.user_id = c.user_id;

ALTER VIEW app.family_versions_of_batch OWNER TO hearth_authz;
ALTER VIEW app.user_versions_of_batch OWNER TO hearth_authz;

GRANT SELECT ON app.family_versions_of_batch, app.user_versions_of_batch TO hearth_api;
GRANT EXECUTE ON FUNCTION app.family_version_raised_at(uuid, bigint),
    app.my_version_raised_at(bigint), app.versions_on_leaving(uuid[]),
    app.changed_since(
        bigint[], timestamptz[], bigint, timestamptz, timestamptz, double precision),
    app.outdated_versions(uuid[], bigint[], timestamptz[])
    TO hearth_api;
