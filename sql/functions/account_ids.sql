-- An account's id is the subject (`sub`) of its first sign-in by a primary issuer. Direct clients
-- know only this subject (auth.uid()), and find their rows by it.
--
-- An id therefore changes in two cases: an account that existed before gets its first primary
-- sign-in (adopt_primary_subject), or a person is erased (erase_locked in erasure.sql). The row
-- that remains of an erased person gets a random id, which frees the subject: if the person signs
-- in again, the new account has this id, and nothing of the erased account is visible to it.
--
-- change_account_id gives an account another id in every table. It finds columns with a foreign key
-- to users in the catalog. The other columns are listed in the function, and a test finds columns
-- that the list lacks. Webhook events keep the ids that they were emitted with.
--
-- change_account_id records the change `moved` (changes_meaning.sql), from which clients learn to
-- delete what they have under the former id.
--
-- If a request of the account began with the former id and waits for a lock meanwhile, the program
-- runs its transaction again (require_account and the functions that lock users call
-- refuse_absent_account).
--
-- Locks: the caller holds those of lock_person (erasure.sql); then the user FOR UPDATE.

-- The account that had this id before; null if the id is not a former one.
CREATE OR REPLACE FUNCTION app.account_of_former_id(p_id uuid) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (SELECT o.user_id FROM app.former_ids AS o WHERE o.former_id = p_id);
END $$;

CREATE OR REPLACE FUNCTION app.was_id_of(p_account uuid, p_id uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT app.account_of_former_id(p_id) IS NOT DISTINCT FROM p_account
$$;

COMMENT ON FUNCTION app.was_id_of(uuid, uuid) IS
    'Whether an account has had an id before its present one.';

-- Frees an id for an account; returns false if another user has it. If a deleted account still has
-- the id, that account gets a random one.
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
    -- The id is no longer another account's former id.
    DELETE FROM app.former_ids AS o WHERE o.former_id = p_id;
    RETURN true;
END $$;

-- Whether the account's id is the subject of one of its sign-ins.
CREATE OR REPLACE FUNCTION app.has_id_of_sign_in(p_account uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.user_identities AS i
        WHERE i.user_id = p_account AND i.subject_hash =
            sha256(convert_to(i.issuer || E'\n' || p_account, 'UTF8')))
$$;

-- Whether the account has a sign-in of this issuer or of any primary issuer.
CREATE OR REPLACE FUNCTION app.has_primary_sign_in(p_account uuid, p_issuer text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.user_identities AS i
        WHERE i.user_id = p_account AND (i.issuer = p_issuer OR i.issuer IN (
            SELECT t.issuer FROM app.trusted_issuers AS t WHERE t.is_primary)))
$$;

-- Gives the account the subject of its primary sign-in as id. The account keeps its present id if
-- this id is already the subject of one of its sign-ins, if another user has the new id, or while
-- the account is an operator.
CREATE OR REPLACE FUNCTION app.adopt_primary_subject(p_account uuid, p_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_account = p_id OR app.has_id_of_sign_in(p_account)
        OR (app.lock_person(p_account)).id IS NULL THEN
        RETURN;
    END IF;
    -- Checked under the lock, by a statement of its own, because a STABLE function uses the
    -- snapshot of the statement that calls it.
    IF app.has_id_of_sign_in(p_account) OR app.is_operator(p_account) THEN
        RETURN;
    END IF;
    IF app.is_free_id(p_id) THEN
        PERFORM app.change_account_id(p_account, p_id);
    END IF;
END $$;

-- Replaces an id where it is part of a text: in the payloads of mail jobs, in the buckets of rate
-- limits, and in the settings that name the caller.
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
    -- All columns except generated ones.
    EXECUTE (
        SELECT format('INSERT INTO app.users (%1$s) SELECT %1$s FROM (SELECT ($1).*) AS u',
            string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum))
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = 'app.users'::regclass AND a.attnum > 0 AND NOT a.attisdropped
            AND a.attgenerated = '') USING v_user;
    -- Inserting the row of p_to also created its row in user_versions (trigger begin_versions).
    -- That row is deleted, because the loop below gives p_to the row of p_from, so that the
    -- versions continue.
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
    -- This comes after the memberships and guardianships, because the trigger compares all three.
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
    DELETE FROM app.sign_ins_log AS l WHERE l.user_id = p_from AND v_user.deleted_at IS NOT NULL;
    UPDATE app.sign_ins_log AS l SET user_id = p_to WHERE l.user_id = p_from;
    UPDATE app.idempotency_keys AS k SET
            actor_id = p_to,
            subject_id = CASE k.subject_id WHEN p_from THEN p_to ELSE k.subject_id END
        WHERE k.actor_id = p_from;
    -- Recorded changes keep the ids that they name. Those of an erased person are deleted, because
    -- nobody follows them.
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
    -- After the payloads: a job that is finished meanwhile is in one or the other.
    UPDATE jobs.history AS h
        SET recipient = CASE WHEN v_user.deleted_at IS NULL THEN p_to END
        WHERE h.recipient = p_from;
    DELETE FROM app.users AS u WHERE u.id = p_from;
    IF v_user.deleted_at IS NOT NULL THEN
        DELETE FROM app.former_ids AS o WHERE o.user_id = p_to;
    ELSE
        INSERT INTO app.pending_changes (kind, user_id, id) VALUES ('moved', p_to, p_from);
        -- As a change of the user, this raises the versions of its families, and of the families in
        -- which it is a guardian.
        UPDATE app.users AS u SET updated_at = now() WHERE u.id = p_to;
    END IF;
    -- The account of a sign-in whose subject is the freed id can now adopt it, with its next token.
    UPDATE app.user_identities AS i SET claims_mark = NULL
        FROM app.trusted_issuers AS t
        WHERE t.is_primary AND i.issuer = t.issuer AND i.user_id <> p_from
            AND i.subject_hash = sha256(convert_to(t.issuer || E'\n' || p_from, 'UTF8'));
END $$;

GRANT EXECUTE ON FUNCTION app.was_id_of(uuid, uuid) TO hearth_api;
