-- An account's id is the subject of its first sign-in by a primary issuer, so that direct clients,
-- who know themselves by that subject (auth.uid()), find their rows.
--
-- An id therefore changes: when an account that existed before gets its first primary sign-in
-- (adopt_primary_subject), and when a person is erased (erase_locked in erasure.sql). What remains
-- of the erased person gets an id that nobody knows, so that the subject is free: whoever signs in
-- again has it, with nothing of the erased person to see.
--
-- change_account_id gives an account another id in every table. Columns with a foreign key to users
-- are found in the catalog; the other columns are written out here, and a test finds those that are
-- missing. Events of webhooks keep the ids of their time.
--
-- A request of the same account that has begun with the former id, and waits meanwhile, is begun
-- anew (require_account, and the locks of users: refuse_absent_account).
--
-- Locks: those of lock_person (erasure.sql), which the caller holds; the user FOR UPDATE.

-- The account that has had an id before; null if it is no former id.
CREATE OR REPLACE FUNCTION app.account_of_former_id(p_id uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT o.user_id FROM app.former_ids AS o WHERE o.former_id = p_id
$$;

CREATE OR REPLACE FUNCTION app.was_id_of(p_account uuid, p_id uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT app.account_of_former_id(p_id) IS NOT DISTINCT FROM p_account
$$;

COMMENT ON FUNCTION app.was_id_of(uuid, uuid) IS
    'Whether an account has had an id before its present one.';

-- Whether an id can be an account's: nobody has it, once an account that was given up or erased has
-- another one in its place.
CREATE OR REPLACE FUNCTION app.is_free_id(p_id uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = p_id AND u.kind = 'account' AND u.deleted_at IS NOT NULL FOR UPDATE;
    IF FOUND THEN
        PERFORM app.change_account_id(p_id, gen_random_uuid());
    ELSIF EXISTS (SELECT FROM app.users AS u WHERE u.id = p_id) THEN
        RETURN false;
    END IF;
    -- From now on it is no former id of another account.
    DELETE FROM app.former_ids AS o WHERE o.former_id = p_id;
    RETURN true;
END $$;

-- Whether the account has the subject of one of its sign-ins for its id.
CREATE OR REPLACE FUNCTION app.has_id_of_sign_in(p_account uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.user_identities AS i
        WHERE i.user_id = p_account AND i.subject_hash =
            sha256(convert_to(i.issuer || E'\n' || p_account, 'UTF8')))
$$;

-- Whether the account has a sign-in of this issuer, or of any that is primary.
CREATE OR REPLACE FUNCTION app.has_primary_sign_in(p_account uuid, p_issuer text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.user_identities AS i
        WHERE i.user_id = p_account AND (i.issuer = p_issuer OR i.issuer IN (
            SELECT t.issuer FROM app.trusted_issuers AS t WHERE t.is_primary)))
$$;

-- Gives an account the subject of its primary sign-in for its id. It keeps its id if that is the
-- subject of another of its sign-ins, or if the subject is somebody else's id.
CREATE OR REPLACE FUNCTION app.adopt_primary_subject(p_account uuid, p_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_account = p_id OR app.has_id_of_sign_in(p_account)
        OR (app.lock_person(p_account)).id IS NULL THEN
        RETURN;
    END IF;
    IF app.is_free_id(p_id) THEN
        PERFORM app.change_account_id(p_account, p_id);
    END IF;
END $$;

-- In e-mails that wait, in the buckets of rate limits, and in settings, ids are part of a text.
CREATE OR REPLACE FUNCTION app.change_account_id_in_texts(p_from uuid, p_to uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    UPDATE jobs.live AS j SET payload = replace(j.payload::text, p_from::text, p_to::text)::jsonb
        WHERE j.queue = 'mail' AND strpos(j.payload::text, p_from::text) > 0;
    UPDATE jobs.dead AS d SET payload = replace(d.payload::text, p_from::text, p_to::text)::jsonb
        WHERE d.queue = 'mail' AND strpos(d.payload::text, p_from::text) > 0;
    UPDATE app.rate_limits AS r SET bucket = replace(r.bucket, p_from::text, p_to::text)
        WHERE strpos(r.bucket, p_from::text) > 0;
    PERFORM set_config(s.name, replace(current_setting(s.name, true), p_from::text, p_to::text),
            true)
        FROM (VALUES ('hearth.user_id'), ('hearth.guardian_id')) AS s (name)
        WHERE strpos(current_setting(s.name, true), p_from::text) > 0;
END $$;

CREATE OR REPLACE FUNCTION app.change_account_id(p_from uuid, p_to uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_families constant uuid[] := ARRAY(
        SELECT m.family_unit_id FROM app.family_members AS m WHERE m.user_id = p_from);
    v_user app.users;
    v_column record;
BEGIN
    SELECT u.* INTO STRICT v_user FROM app.users AS u
        WHERE u.id = p_from AND u.kind = 'account' FOR UPDATE;
    v_user.id := p_to;
    -- All columns but those that PostgreSQL generates.
    EXECUTE (
        SELECT format('INSERT INTO app.users (%1$s) SELECT %1$s FROM (SELECT ($1).*) AS u',
            string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum))
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = 'app.users'::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND a.attgenerated = '') USING v_user;
    -- A new user has begun its versions; this one goes on with those that it has.
    DELETE FROM app.user_versions AS v WHERE v.user_id = p_to;
    INSERT INTO app.former_ids (former_id, user_id) VALUES (p_from, p_to);
    UPDATE app.sessions AS s SET former_user_ids = s.former_user_ids || p_from
        WHERE s.user_id = p_from;
    FOR v_column IN
        SELECT DISTINCT c.conrelid::regclass AS relation, a.attname AS name
        FROM pg_catalog.pg_constraint AS c
        JOIN pg_catalog.pg_attribute AS f ON f.attrelid = c.confrelid AND f.attname = 'id'
        JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.conrelid
            AND a.attnum = c.conkey[array_position(c.confkey, f.attnum)]
        WHERE c.contype = 'f' AND c.confrelid = 'app.users'::regclass
        ORDER BY relation, name
    LOOP
        EXECUTE format('UPDATE %s SET %I = $2 WHERE %2$I = $1', v_column.relation, v_column.name)
            USING p_from, p_to;
    END LOOP;
    UPDATE app.guardianships AS w SET guardian_user_id = p_to WHERE w.guardian_user_id = p_from;
    UPDATE app.guardianships AS w SET added_by = p_to
        WHERE w.family_unit_id = ANY (v_families) AND w.added_by = p_from;
    -- After the memberships and guardianships: its trigger compares all three.
    UPDATE app.family_members AS m SET parent_user_id = p_to WHERE m.parent_user_id = p_from;
    UPDATE app.family_members AS m SET removed_by = p_to
        WHERE m.family_unit_id = ANY (v_families) AND m.removed_by = p_from;
    UPDATE app.role_changes AS c SET
            changed_by = CASE c.changed_by WHEN p_from THEN p_to ELSE c.changed_by END,
            confirmed_by = CASE c.confirmed_by WHEN p_from THEN p_to ELSE c.confirmed_by END
        FROM app.family_members AS m
        WHERE m.id = c.member_id AND m.family_unit_id = ANY (v_families)
            AND p_from IN (c.changed_by, c.confirmed_by);
    UPDATE app.consents AS c SET given_by = p_to WHERE c.given_by = p_from;
    UPDATE app.consents AS c SET ended_by = p_to
        WHERE c.family_unit_id = ANY (v_families) AND c.ended_by = p_from;
    UPDATE app.member_preferences AS p SET updated_by = p_to
        WHERE p.family_unit_id = ANY (v_families) AND p.updated_by = p_from;
    UPDATE app.family_attributes AS a SET updated_by = p_to
        WHERE a.family_unit_id = ANY (v_families) AND a.updated_by = p_from;
    UPDATE app.family_code_usage_log AS l SET user_id = p_to WHERE l.user_id = p_from;
    UPDATE app.idempotency_keys AS k SET
            actor_id = p_to,
            subject_id = CASE k.subject_id WHEN p_from THEN p_to ELSE k.subject_id END
        WHERE k.actor_id = p_from;
    -- Changes go on to name what they were about. Of an erased person nobody follows any.
    DELETE FROM app.user_changes AS c WHERE c.user_id = p_from AND v_user.deleted_at IS NOT NULL;
    UPDATE app.user_changes AS c SET user_id = p_to WHERE c.user_id = p_from;
    UPDATE app.pending_changes AS c SET user_id = p_to
        WHERE c.transaction_id = pg_current_xact_id() AND c.user_id = p_from;
    UPDATE app.audit_log AS a SET
            actor_user_id = CASE a.actor_user_id WHEN p_from THEN p_to ELSE a.actor_user_id END,
            subject_user_id =
                CASE a.subject_user_id WHEN p_from THEN p_to ELSE a.subject_user_id END,
            target_id = CASE a.target_id WHEN p_from THEN p_to ELSE a.target_id END
        WHERE (a.family_unit_id = ANY (v_families)
               OR (a.family_unit_id IS NULL AND a.subject_user_id = p_from)
               OR (a.action = 'invitation.decline' AND a.actor_user_id = p_from))
            AND p_from IN (a.actor_user_id, a.subject_user_id, a.target_id);
    PERFORM app.change_account_id_in_texts(p_from, p_to);
    DELETE FROM app.users AS u WHERE u.id = p_from;
    IF v_user.deleted_at IS NOT NULL THEN
        DELETE FROM app.former_ids AS o WHERE o.user_id = p_to;
    ELSE
        INSERT INTO app.pending_changes (kind, user_id, id) VALUES ('moved', p_to, p_from);
        -- Its families, and whoever guards with it, are told as of any change of a person.
        UPDATE app.users AS u SET updated_at = now() WHERE u.id = p_to;
    END IF;
    -- A sign-in that could not have this id is looked at again.
    UPDATE app.user_identities AS i SET claims_mark = NULL
        FROM app.trusted_issuers AS t
        WHERE t.is_primary AND i.issuer = t.issuer AND i.user_id <> p_from
            AND i.subject_hash = sha256(convert_to(t.issuer || E'\n' || p_from, 'UTF8'));
END $$;

GRANT EXECUTE ON FUNCTION app.was_id_of(uuid, uuid) TO hearth_api;
