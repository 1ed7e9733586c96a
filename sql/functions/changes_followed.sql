-- What followers of changes read: versions, when they were given, and what has changed lately.

-- When a version of one of the caller's families was given; null if it never was, or too long ago.
-- After a restore or a failover it may be another moment than a client has seen, or none.
CREATE OR REPLACE FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint)
RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE p_version
            WHEN v.version THEN v.raised_at
            WHEN v.purged_version THEN v.purged_raised_at
            ELSE (SELECT max(c.changed_at) FROM app.family_changes AS c
                  WHERE c.family_unit_id = p_family AND c.version = p_version) END
        FROM app.family_versions AS v
        WHERE v.family_unit_id = p_family
            AND p_family = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f))
$$;

-- The same of the caller's own versions.
CREATE OR REPLACE FUNCTION app.my_version_raised_at(p_version bigint) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE p_version
            WHEN v.version THEN v.raised_at
            WHEN v.purged_version THEN v.purged_raised_at
            ELSE (SELECT max(c.changed_at) FROM app.user_changes AS c
                  WHERE c.user_id = v.user_id AND c.version = p_version) END
        FROM app.user_versions AS v WHERE v.user_id = app.user_id()
$$;

-- The versions at which the caller's memberships of these families ended: those of the changes that
-- ended them, or, where these are forgotten, the last of those that are. What a client that has
-- left is told is no older than what it was told before.
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
    'At which versions the caller''s memberships of these families ended.';

-- For the program that wakes waiting clients: which families and people have changed since its last
-- look, and to which version, and which sessions have ended. It works without a caller, so it
-- returns hashes of their ids; a client learns what has changed by a request of its own.
--
-- A look finds what has become visible since the last one, however long ago it was noted. What has
-- become visible was written by transactions that the last look's snapshot (LookBack in Swift) did
-- not show: p_under_way, each with the moment before which it had written nothing, and all from
-- p_end on, which had written nothing before p_end_since. It goes back only as far as those that
-- the present snapshot shows require. While a transaction is open, it costs the looks nothing.
--
-- p_seconds is how far it goes back at most. That counts from the statement's time. With the
-- clock's, which differs from row to row, no index could be used, and each look would read all
-- changes that are kept. A tenth of a second is for corrections of the clock.
CREATE OR REPLACE FUNCTION app.changed_since(
    p_under_way bigint[], p_since timestamptz[], p_end bigint, p_end_since timestamptz,
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
                (SELECT min(u.since) FROM unnest(p_under_way, p_since) AS u (number, since)
                 WHERE pg_visible_in_snapshot(u.number::text::xid8, pg_current_snapshot()))
            ) - interval '0.1 seconds') AS since),
    -- Apart, or the planner would provide for a third of all families and people.
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
    -- Sessions that were ended, or have run out: their streams end.
    SELECT hashtextextended(s.id::text, 0), 1 FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at) >= (SELECT p.since FROM past AS p)
            AND coalesce(s.ended_at, s.ends_at) <= statement_timestamp()
$$;

COMMENT ON FUNCTION app.changed_since(
    bigint[], timestamptz[], bigint, timestamptz, timestamptz, double precision) IS
    'Hashes of the families and people that changed since the last look, with their versions.';

-- For the same program: which of the families, people and sessions that clients wait for have other
-- versions than the clients know, by their positions in the list; an unknown moment is given as the
-- epoch. It also finds what was committed long after it was noted, what was deleted,
-- and versions that a failover has undone.
CREATE OR REPLACE FUNCTION app.outdated_versions(
    p_ids uuid[], p_versions bigint[], p_raised_at timestamptz[])
RETURNS TABLE (place bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT k.place
    FROM unnest(p_ids, p_versions, p_raised_at) WITH ORDINALITY
        AS k (id, version, raised_at, place)
    LEFT JOIN app.family_versions AS f ON f.family_unit_id = k.id
    LEFT JOIN app.user_versions AS u ON u.user_id = k.id
    LEFT JOIN app.sessions AS s ON s.id = k.id
    -- A session's version becomes 1 when it ends.
    WHERE coalesce(f.version, u.version,
            (coalesce(s.ended_at, s.ends_at) <= clock_timestamp())::integer)
            IS DISTINCT FROM k.version
        OR coalesce(f.raised_at, u.raised_at, 'epoch') <> k.raised_at
$$;

COMMENT ON FUNCTION app.outdated_versions(uuid[], bigint[], timestamptz[]) IS
    'Which of these families, people and sessions have other versions than those that are given.';

-- What each caller of a batch sees of app.family_versions and app.user_versions; with each family,
-- when its code runs out. OFFSET 0 has each version looked up by its family's id: joined, the table
-- could be read whole, because the planner does not know how few there are.
CREATE OR REPLACE VIEW app.family_versions_of_batch WITH (security_barrier) AS
SELECT c.place, j.family_unit_id, v.version, v.raised_at, v.code_expires_at, v.purged_version
FROM app.callers AS c
JOIN app.families_joined AS j ON j.viewer_id = c.user_id
CROSS JOIN LATERAL (
    SELECT v.version, v.raised_at, f.code_expires_at, v.purged_version
    FROM app.family_versions AS v JOIN app.family_units AS f ON f.id = v.family_unit_id
    WHERE v.family_unit_id = j.family_unit_id OFFSET 0) AS v;

CREATE OR REPLACE VIEW app.user_versions_of_batch WITH (security_barrier) AS
SELECT c.place, v.user_id, v.version, v.raised_at, v.purged_version
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
