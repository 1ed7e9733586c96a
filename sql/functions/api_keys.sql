-- API keys: operators' changes, and counting of requests (0017_api_keys.sql).
--
-- The programs create secrets; the database gets only their SHA-256. The audit log has the key's
-- id and name.

-- Locks a key that is not revoked, and returns it.
CREATE OR REPLACE FUNCTION app.lock_api_key_for_operator(p_key uuid) RETURNS app.api_keys
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_key app.api_keys;
BEGIN
    PERFORM app.require_operator();
    SELECT k.* INTO v_key FROM app.api_keys AS k
        WHERE k.id = p_key AND k.revoked_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'api_key_not_found', 'There is no such key.');
    END IF;
    RETURN v_key;
END $$;

-- The database's clock determines when a key expires, because it also decides whether a key has
-- expired.
CREATE OR REPLACE FUNCTION app.operator_create_api_key(
    p_name text, p_scopes text[], p_secret_hash bytea, p_expires_days integer,
    p_requests_per_minute integer
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_id uuid;
BEGIN
    PERFORM app.require_operator();
    IF NOT app.is_short_text(p_name, 60) THEN
        PERFORM app.refuse_field('name', 'The name of a key has 1 to 60 characters on one line.');
    ELSIF p_expires_days < 1 THEN
        PERFORM app.refuse_field('expires', 'A key expires after a day or later.');
    ELSIF EXISTS (
        SELECT FROM app.api_keys AS k WHERE k.name = p_name AND k.revoked_at IS NULL) THEN
        PERFORM app.refuse('HF409', 'api_key_exists', 'Another key has this name.');
    END IF;
    INSERT INTO app.api_keys AS k (name, scopes, secret_hash, expires_at, requests_per_minute)
        VALUES (p_name, p_scopes, p_secret_hash, now() + make_interval(days => p_expires_days),
                p_requests_per_minute)
        RETURNING k.id INTO v_id;
    PERFORM app.record_audit('api_key.create', NULL, NULL, v_id,
        jsonb_build_object('name', p_name, 'scopes', p_scopes));
    RETURN v_id;
END $$;

COMMENT ON FUNCTION app.operator_create_api_key(text, text[], bytea, integer, integer) IS
    'Creates a key with these scopes; p_expires_days is null for a key that does not expire.';

-- Gives a key a new secret. The previous secret stays valid for p_overlap. A second rotation with
-- an overlap is refused within that time, because it would invalidate a secret that the app may
-- still use. A rotation without overlap, for a stolen key, invalidates all earlier secrets at once.
CREATE OR REPLACE FUNCTION app.operator_rotate_api_key(
    p_key uuid, p_secret_hash bytea, p_overlap interval
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key constant app.api_keys := app.lock_api_key_for_operator(p_key);
BEGIN
    IF p_overlap > app.max_key_overlap() OR p_overlap < interval '0' THEN
        PERFORM app.refuse_field('overlap', format(
            'The previous secret works for at most %s.', app.max_key_overlap()));
    ELSIF v_key.expires_at <= now() THEN
        PERFORM app.refuse('HF409', 'api_key_expired', 'The key has expired: create another one.');
    ELSIF p_overlap > interval '0'
        AND app.is_lasting(v_key.previous_until, app.max_key_overlap()) THEN
        PERFORM app.refuse('HF409', 'api_key_rotating',
            'The secret before the present one still works: rotate again when it has ended, or '
            'without an overlap.');
    END IF;
    UPDATE app.api_keys AS k SET
            secret_hash = p_secret_hash,
            previous_hash = CASE WHEN p_overlap > interval '0' THEN k.secret_hash END,
            previous_until = CASE WHEN p_overlap > interval '0' THEN now() + p_overlap END
        WHERE k.id = v_key.id;
    PERFORM app.record_audit('api_key.rotate', NULL, NULL, p_key,
        jsonb_build_object('name', v_key.name));
END $$;

COMMENT ON FUNCTION app.operator_rotate_api_key(uuid, bytea, interval) IS
    'Gives a key a new secret; the previous one stays valid for a while.';

-- Revokes a key, and its pending invitations as well, because whoever stole the key may have the
-- links. The lock of the key's row prevents new invitations by the key (server_create_invitation).
-- The names of keys that are not revoked are unique, and the invitations of earlier keys have
-- ended, so pending invitations by a key of this name are this key's.
CREATE OR REPLACE FUNCTION app.operator_revoke_api_key(p_key uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key constant app.api_keys := app.lock_api_key_for_operator(p_key);
    v_ended integer;
BEGIN
    UPDATE app.api_keys AS k SET revoked_at = now() WHERE k.id = v_key.id;
    PERFORM app.lock_families(ARRAY(
        SELECT i.family_unit_id FROM app.family_invitations AS i
        WHERE i.invited_by_key = v_key.name AND i.status = 'pending'));
    v_ended := app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.invited_by_key = v_key.name AND i.status = 'pending'));
    PERFORM app.record_audit('api_key.revoke', NULL, NULL, p_key,
        jsonb_build_object('name', v_key.name, 'invitations', v_ended));
END $$;

COMMENT ON FUNCTION app.operator_revoke_api_key(uuid) IS
    'Revokes a key: it is never accepted again, and its pending invitations end.';

-- Adds requests to the count of the present day (UTC).
CREATE OR REPLACE FUNCTION app.add_key_uses(p_key uuid, p_uses bigint) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    INSERT INTO app.api_key_uses AS u (key_id, day, uses)
        VALUES (p_key, (now() AT TIME ZONE 'UTC')::date, p_uses)
        ON CONFLICT (key_id, day) DO UPDATE SET uses = u.uses + excluded.uses;
    DELETE FROM app.api_key_uses AS u
        WHERE u.key_id = p_key AND u.day < (now() AT TIME ZONE 'UTC')::date - 400;
END $$;

-- Reserves up to p_wanted requests of the key for a process, out of those that are left in the
-- present window: so all processes together serve at most the key's limit in a window. The process
-- may serve them until the window ends, after `ends_in_ms`. Returns no row if the key is not valid.
-- If granted is 0, the limit is reached. Does not wait for the disk: a crash may lose a count.
CREATE OR REPLACE FUNCTION app.take_key_uses(p_secret_hash bytea, p_wanted integer)
RETURNS TABLE (granted integer, ends_in_ms integer, most integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key app.api_keys;
    v_uses integer;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT k.* INTO v_key FROM app.api_keys AS k
        WHERE (k.secret_hash = p_secret_hash
               OR (k.previous_hash = p_secret_hash
                   AND app.is_lasting(k.previous_until, app.max_key_overlap())))
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF app.is_within(v_key.window_start, app.key_window()) THEN
        v_uses := v_key.window_uses;
    ELSE
        v_uses := 0;
        v_key.window_start := clock_timestamp();
    END IF;
    most := v_key.requests_per_minute;
    granted := greatest(0, least(p_wanted, most - v_uses));
    ends_in_ms := greatest(1, ceil(extract(
        epoch FROM v_key.window_start + app.key_window() - clock_timestamp()) * 1000))::integer;
    UPDATE app.api_keys AS k SET
            window_start = v_key.window_start, window_uses = v_uses + granted,
            last_used_at = greatest(k.last_used_at, date_trunc('minute', now()))
        WHERE k.id = v_key.id;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.take_key_uses(bytea, integer) IS
    'Reserves requests of an API key for a process, within the key''s limit.';

-- Records the requests that a process has served: the hash of each key's secret, and the number of
-- requests with it.
CREATE OR REPLACE FUNCTION app.record_key_uses(p_secret_hashes bytea[], p_uses bigint[])
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key record;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR v_key IN
        SELECT k.id, sum(h.uses)::bigint AS uses
        FROM unnest(p_secret_hashes, p_uses) AS h (hash, uses)
        JOIN app.api_keys AS k ON h.hash IN (k.secret_hash, k.previous_hash)
        WHERE h.uses > 0
        GROUP BY k.id ORDER BY k.id
    LOOP
        PERFORM app.add_key_uses(v_key.id, v_key.uses);
        UPDATE app.api_keys AS k SET last_used_at = date_trunc('minute', now())
            WHERE k.id = v_key.id
                AND k.last_used_at IS DISTINCT FROM date_trunc('minute', now());
    END LOOP;
END $$;

COMMENT ON FUNCTION app.record_key_uses(bytea[], bigint[]) IS
    'Adds the requests that a process has served to the counts of their keys.';

GRANT EXECUTE ON FUNCTION
    app.operator_create_api_key(text, text[], bytea, integer, integer),
    app.operator_rotate_api_key(uuid, bytea, interval), app.operator_revoke_api_key(uuid)
    TO hearth_admin;
GRANT EXECUTE ON FUNCTION
    app.take_key_uses(bytea, integer), app.record_key_uses(bytea[], bigint[])
    TO hearth_server;
