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

-- For the program that wakes waiting clients: which families and people have changed since a
-- moment, but no longer ago than so many seconds, and to which version, and which sessions have
-- ended. It works without a caller, so it returns hashes of their ids; a client learns what has
-- changed by a request of its own.
--
-- The bound counts from the statement's time. With the clock's, which differs from row to row, no
-- index could be used, and each look would read all changes that are kept.
CREATE OR REPLACE FUNCTION app.changed_since(p_since timestamptz, p_seconds double precision)
RETURNS TABLE (id_hash bigint, version bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off AS $$
    -- Apart, or the planner would provide for a third of all families and people.
    WITH of_families AS MATERIALIZED (
        SELECT c.family_unit_id, c.version FROM app.family_changes AS c
        WHERE c.changed_at >= greatest(p_since,
            statement_timestamp() - make_interval(secs => p_seconds))),
    of_users AS MATERIALIZED (
        SELECT c.user_id, c.version FROM app.user_changes AS c
        WHERE c.changed_at >= greatest(p_since,
            statement_timestamp() - make_interval(secs => p_seconds)))
    SELECT hashtextextended(c.family_unit_id::text, 0), max(c.version)
        FROM of_families AS c GROUP BY c.family_unit_id
    UNION ALL
    SELECT hashtextextended(c.user_id::text, 0), max(c.version)
        FROM of_users AS c GROUP BY c.user_id
    UNION ALL
    -- Sessions that were ended, or have run out: their streams end.
    SELECT hashtextextended(s.id::text, 0), 1 FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at)
            BETWEEN statement_timestamp() - make_interval(secs => p_seconds)
                AND statement_timestamp()
$$;

COMMENT ON FUNCTION app.changed_since(timestamptz, double precision) IS
    'Hashes of the families and people that changed since a moment, with their versions.';

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
    app.my_version_raised_at(bigint),
    app.changed_since(timestamptz, double precision),
    app.outdated_versions(uuid[], bigint[], timestamptz[])
    TO hearth_api;
