-- What runs out, and what is forgotten: for the worker and the operator's tool.
--
-- Each call works on at most p_batch rows, found by an index and locked with SKIP LOCKED, and
-- answers how many it changed: fewer than p_batch means that nothing is left. Any of them can be
-- stopped anywhere and run again. Nothing depends on them being in time: what has expired is
-- refused by the clock.
--
-- Locks: none, all objects are new. At run time: the rows of one batch.

CREATE FUNCTION app.expire_invitations(p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    WITH due AS (
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at <= now()
        ORDER BY i.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED)
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        FROM due WHERE i.id = due.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- The code leads nowhere from then on, and is remembered as expired.
CREATE FUNCTION app.expire_codes(p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_families uuid[];
BEGIN
    v_families := ARRAY(
        SELECT f.id FROM app.family_units AS f
        WHERE f.family_code IS NOT NULL AND f.code_expires_at <= now()
        ORDER BY f.code_expires_at LIMIT p_batch FOR NO KEY UPDATE SKIP LOCKED);
    UPDATE app.family_codes AS c
        SET state = 'retired', retired_at = now(), reason = 'expired'
        WHERE c.family_unit_id = ANY (v_families) AND c.state = 'live';
    UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = ANY (v_families);
    INSERT INTO app.family_code_usage_log (family_unit_id, action)
        SELECT id, 'retired' FROM unnest(v_families) AS id;
    RETURN cardinality(v_families);
END $$;

-- Invitations that ended so long ago, with their secrets.
CREATE FUNCTION app.purge_invitations(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    WITH due AS (
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.closed_at <= now() - p_age
        ORDER BY i.closed_at LIMIT p_batch FOR UPDATE SKIP LOCKED)
    DELETE FROM app.family_invitations AS i USING due WHERE i.id = due.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- Retired codes: free to be drawn again.
CREATE FUNCTION app.purge_retired_codes(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    WITH due AS (
        SELECT c.code FROM app.family_codes AS c
        WHERE c.state = 'retired' AND c.retired_at <= now() - p_age
        ORDER BY c.retired_at LIMIT p_batch FOR UPDATE SKIP LOCKED)
    DELETE FROM app.family_codes AS c USING due WHERE c.code = due.code;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

CREATE FUNCTION app.purge_code_usage_log(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    WITH due AS (
        SELECT l.id FROM app.family_code_usage_log AS l
        WHERE l.at <= now() - p_age
        ORDER BY l.at LIMIT p_batch FOR UPDATE SKIP LOCKED)
    DELETE FROM app.family_code_usage_log AS l USING due WHERE l.id = due.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- Windows long over, and the digests of codes looked up.
CREATE FUNCTION app.purge_rate_limits(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_windows integer;
    v_lookups integer;
BEGIN
    WITH due AS (
        SELECT r.bucket FROM app.rate_limits AS r
        WHERE r.window_start <= now() - p_age
        ORDER BY r.window_start LIMIT p_batch FOR UPDATE SKIP LOCKED)
    DELETE FROM app.rate_limits AS r USING due WHERE r.bucket = due.bucket;
    GET DIAGNOSTICS v_windows = ROW_COUNT;
    WITH due AS (
        SELECT l.user_id, l.code_digest FROM app.code_lookups AS l
        WHERE l.looked_up_at <= now() - p_age
        ORDER BY l.looked_up_at LIMIT p_batch FOR UPDATE SKIP LOCKED)
    DELETE FROM app.code_lookups AS l USING due
        WHERE l.user_id = due.user_id AND l.code_digest = due.code_digest;
    GET DIAGNOSTICS v_lookups = ROW_COUNT;
    RETURN greatest(v_windows, v_lookups);
END $$;

CREATE FUNCTION app.purge_idempotency_keys(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    WITH due AS (
        SELECT k.actor_id, k.subject_id, k.route, k.key FROM app.idempotency_keys AS k
        WHERE k.created_at <= now() - p_age
        ORDER BY k.created_at LIMIT p_batch FOR UPDATE SKIP LOCKED)
    DELETE FROM app.idempotency_keys AS k USING due
        WHERE k.actor_id = due.actor_id AND k.subject_id = due.subject_id
            AND k.route = due.route AND k.key = due.key;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- What a removed child was called and liked. Its membership stays, a stone without a name.
CREATE FUNCTION app.erase_removed_members(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_children uuid[];
BEGIN
    v_children := ARRAY(
        SELECT m.user_id FROM app.family_members AS m
        WHERE m.status = 'removed' AND m.user_kind = 'managed' AND m.erased_at IS NULL
            AND m.removed_at <= now() - p_age
        ORDER BY m.removed_at LIMIT p_batch FOR NO KEY UPDATE SKIP LOCKED);
    DELETE FROM app.member_preferences AS p WHERE p.user_id = ANY (v_children);
    UPDATE app.users AS u SET full_name = NULL, avatar_key = NULL, deleted_at = now()
        WHERE u.id = ANY (v_children);
    UPDATE app.family_members AS m SET erased_at = now() WHERE m.id = ANY (v_children);
    RETURN cardinality(v_children);
END $$;

-- Families that have stood empty for so long. With them goes all that is theirs: children, trails, codes.
CREATE FUNCTION app.purge_empty_families(p_age interval, p_batch integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_families uuid[];
    v_children uuid[];
BEGIN
    v_families := ARRAY(
        SELECT f.id FROM app.family_units AS f
        WHERE f.emptied_at <= now() - p_age
        ORDER BY f.emptied_at LIMIT p_batch FOR UPDATE SKIP LOCKED);
    v_children := ARRAY(
        SELECT m.user_id FROM app.family_members AS m
        WHERE m.family_unit_id = ANY (v_families) AND m.user_kind = 'managed');
    DELETE FROM app.audit_log AS a WHERE a.family_unit_id = ANY (v_families);
    DELETE FROM app.family_code_usage_log AS l WHERE l.family_unit_id = ANY (v_families);
    DELETE FROM app.family_units AS f WHERE f.id = ANY (v_families);
    DELETE FROM app.users AS u WHERE u.id = ANY (v_children);
    RETURN cardinality(v_families);
END $$;

GRANT EXECUTE ON FUNCTION
    app.expire_invitations(integer), app.expire_codes(integer),
    app.purge_invitations(interval, integer), app.purge_retired_codes(interval, integer),
    app.purge_code_usage_log(interval, integer), app.purge_rate_limits(interval, integer),
    app.purge_idempotency_keys(interval, integer), app.erase_removed_members(interval, integer),
    app.purge_empty_families(interval, integer)
    TO hearth_worker, hearth_admin;
