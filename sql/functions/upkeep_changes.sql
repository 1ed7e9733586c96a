-- Purging of changes that followers no longer need, by the rules of upkeep.sql.

-- Purges changes of families that are at least p_age old. A client that follows from an older
-- version must fetch everything again. Also deletes role conflicts of that age.
CREATE OR REPLACE FUNCTION app.purge_family_changes(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_due record;
BEGIN
    changed := 0;
    -- In the order in which all writers lock versions.
    FOR v_due IN
        SELECT d.family_unit_id, max(d.version) AS version, max(d.changed_at) AS at,
            count(*)::integer AS changes
        FROM (
            SELECT c.family_unit_id, c.version, c.changed_at FROM app.family_changes AS c
            WHERE c.changed_at >= coalesce(p_from, '-infinity') AND c.changed_at <= now() - p_age
            ORDER BY c.changed_at LIMIT p_batch) AS d
        GROUP BY d.family_unit_id ORDER BY d.family_unit_id
    LOOP
        UPDATE app.family_versions AS v
            SET purged_version = v_due.version, purged_raised_at = v_due.at
            WHERE v.family_unit_id = v_due.family_unit_id AND v.purged_version < v_due.version;
        DELETE FROM app.family_changes AS c
            WHERE c.family_unit_id = v_due.family_unit_id AND c.version <= v_due.version;
        changed := changed + v_due.changes;
        reached := greatest(reached, v_due.at);
    END LOOP;
    DELETE FROM app.role_conflicts AS c WHERE (c.user_id, c.member_id) IN (
        SELECT d.user_id, d.member_id FROM app.role_conflicts AS d
        WHERE d.noted_at <= now() - p_age ORDER BY d.noted_at LIMIT p_batch
        FOR UPDATE SKIP LOCKED);
END $$;

-- Purges changes of users that are at least p_age old. A client that follows from an older version
-- must fetch everything again.
CREATE OR REPLACE FUNCTION app.purge_user_changes(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_due record;
BEGIN
    changed := 0;
    -- In the order in which all writers lock versions: managed members by id, then accounts by id.
    FOR v_due IN
        SELECT d.user_id, max(d.version) AS version, max(d.changed_at) AS at,
            count(*)::integer AS changes
        FROM (
            SELECT c.user_id, c.version, c.changed_at FROM app.user_changes AS c
            WHERE c.changed_at >= coalesce(p_from, '-infinity') AND c.changed_at <= now() - p_age
            ORDER BY c.changed_at LIMIT p_batch) AS d
        GROUP BY d.user_id
        ORDER BY EXISTS (
            SELECT FROM app.users AS u WHERE u.id = d.user_id AND u.kind = 'managed'
        ) DESC, d.user_id
    LOOP
        UPDATE app.user_versions AS v
            SET purged_version = v_due.version, purged_raised_at = v_due.at
            WHERE v.user_id = v_due.user_id AND v.purged_version < v_due.version;
        DELETE FROM app.user_changes AS c
            WHERE c.user_id = v_due.user_id AND c.version <= v_due.version;
        changed := changed + v_due.changes;
        reached := greatest(reached, v_due.at);
    END LOOP;
END $$;

GRANT EXECUTE ON FUNCTION
    app.purge_family_changes(interval, integer, timestamptz),
    app.purge_user_changes(interval, integer, timestamptz)
    TO hearth_worker;
