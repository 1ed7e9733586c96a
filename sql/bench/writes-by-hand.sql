-- The measure for writes: the effects of creating, joining, inviting and accepting, each written by
-- hand in one function. Run as superuser in a copy of the database that write-accounts.sql has
-- filled; it disables the triggers of all tables there, except those of foreign keys. Only what the
-- accounts of write-accounts.sql need is written: adults without a family, families with a live
-- code, pending invitations. scripts/proofs/bench writes checks that both databases have equally
-- many rows of each kind afterwards.

CREATE SCHEMA by_hand;

DO $$
DECLARE
    v_table regclass;
BEGIN
    FOR v_table IN
        SELECT c.oid FROM pg_class AS c
        WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')
    LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', v_table);
    END LOOP;
END $$;

-- Locks the account of a sign-in, and returns its id.
CREATE FUNCTION by_hand.lock_account(p_subject_hash bytea) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    v_account uuid;
BEGIN
    SELECT u.id INTO STRICT v_account
        FROM app.user_identities AS i JOIN app.users AS u ON u.id = i.user_id
        WHERE i.issuer = 'bench' AND i.subject_hash = p_subject_hash
            AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE OF u;
    RETURN v_account;
END $$;

-- Adds an active adult to a family, with the changes of both and the event.
CREATE FUNCTION by_hand.add_member(
    p_family uuid, p_account uuid, p_household_role text, p_slot integer, p_joined_via text,
    p_is_creator boolean, p_version bigint, p_invitation uuid
) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    v_member uuid;
    v_version bigint;
BEGIN
    INSERT INTO app.family_members
            (family_unit_id, user_id, user_kind, role, household_role, slot, joined_via,
             is_creator, vouched)
        VALUES (p_family, p_account, 'account', 'parent', p_household_role, p_slot, p_joined_via,
                p_is_creator, p_is_creator)
        RETURNING id INTO v_member;
    UPDATE app.user_versions
        SET version = version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE user_id = p_account RETURNING version INTO v_version;
    INSERT INTO app.user_changes (user_id, version, kind, id, family_unit_id)
        SELECT p_account, v_version, c.kind, c.id, c.family
        FROM (VALUES ('family', p_family, p_family), ('preferences', p_account, p_family),
            ('receivedInvitation', p_invitation, NULL)) AS c (kind, id, family)
        WHERE c.id IS NOT NULL;
    INSERT INTO app.family_changes (family_unit_id, version, kind, id, audience)
        SELECT p_family, p_version, c.kind, c.id, c.audience
        FROM (VALUES ('member', v_member, 'members'), ('invitation', p_invitation, 'own'))
            AS c (kind, id, audience)
        WHERE c.id IS NOT NULL;
    INSERT INTO app.webhook_events (event_type, family_unit_id, data)
        VALUES ('member.joined', p_family, jsonb_build_object(
            'familyId', p_family, 'memberId', v_member, 'userId', p_account, 'isManaged', false,
            'role', 'parent', 'householdRole', p_household_role, 'joinedVia', p_joined_via,
            'guardianUserId', NULL, 'actorUserId', p_account));
    RETURN v_member;
END $$;

-- Raises a family's version, and returns it.
CREATE FUNCTION by_hand.raise_version(p_family uuid) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_version bigint;
BEGIN
    UPDATE app.family_versions
        SET version = version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE family_unit_id = p_family RETURNING version INTO v_version;
    RETURN v_version;
END $$;

CREATE FUNCTION by_hand.lowest_free_slot(p_family uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
    RETURN (
        SELECT min(s) FROM generate_series(1, p_limit) AS s
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS m WHERE m.family_unit_id = p_family AND m.slot = s));
END $$;

CREATE FUNCTION by_hand.create_family(p_subject_hash bytea)
RETURNS TABLE (family_unit_id uuid, family_code text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_account constant uuid := by_hand.lock_account(p_subject_hash);
    v_family constant uuid := gen_random_uuid();
    v_code text;
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m WHERE m.user_id = v_account AND m.status = 'active')
    THEN
        RAISE EXCEPTION 'the account has a family';
    END IF;
    WHILE v_code IS NULL LOOP
        INSERT INTO app.family_codes (code, family_unit_id)
            VALUES ('FAM-' || upper(left(gen_random_uuid()::text, 6)), v_family)
            ON CONFLICT (code) DO NOTHING RETURNING code INTO v_code;
    END LOOP;
    INSERT INTO app.family_units
            (id, created_by_user_id, family_code, code_generated_at, emptied_at)
        VALUES (v_family, v_account, v_code, now(), NULL);
    INSERT INTO app.family_versions (family_unit_id, version, raised_at, transaction_id)
        VALUES (v_family, 1, clock_timestamp(), pg_current_xact_id());
    INSERT INTO app.webhook_events (event_type, family_unit_id, data)
        VALUES ('family.created', v_family, jsonb_build_object(
            'familyId', v_family, 'createdByUserId', v_account, 'actorUserId', v_account));
    PERFORM by_hand.add_member(
        v_family, v_account, 'parent_admin', 1, 'created', true, 1, NULL);
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_family, v_account, 'generated');
    INSERT INTO app.audit_log
            (family_unit_id, actor_user_id, subject_user_id, action, target_id, details)
        VALUES (v_family, v_account, v_account, 'family.create', v_family, '{"role": "parent"}');
    RETURN QUERY SELECT v_family, v_code;
END $$;

-- The first transaction of joining: counts the attempt.
CREATE FUNCTION by_hand.count_attempt(p_subject_hash bytea, p_code text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_account uuid;
    v_hits integer;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT i.user_id INTO STRICT v_account FROM app.user_identities AS i
        WHERE i.issuer = 'bench' AND i.subject_hash = p_subject_hash;
    WITH counted AS (
        INSERT INTO app.rate_limits AS r (bucket, window_start, hits)
            VALUES ('code:account:' || v_account, now(), 1), ('code:address:127.0.0.1', now(), 1),
                ('code:network:127.0.0.0/24', now(), 1)
            ON CONFLICT (bucket) DO UPDATE SET hits = r.hits + 1
            RETURNING r.hits)
    SELECT max(c.hits) INTO v_hits FROM counted AS c;
    INSERT INTO app.code_lookups (user_id, code_digest)
        VALUES (v_account, sha256(convert_to(v_account || p_code, 'UTF8')))
        ON CONFLICT (user_id, code_digest) DO NOTHING;
    RETURN v_hits <= 100;
END $$;

CREATE FUNCTION by_hand.join(p_subject_hash bytea, p_code text)
RETURNS TABLE (family_unit_id uuid, member_id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_family app.family_units;
    v_account uuid;
    v_bucket text;
BEGIN
    SELECT f.* INTO STRICT v_family
        FROM app.family_codes AS c
        JOIN app.family_units AS f ON f.id = c.family_unit_id AND f.family_code = c.code
        WHERE c.code = p_code AND c.state = 'live' FOR NO KEY UPDATE OF f;
    v_account := by_hand.lock_account(p_subject_hash);
    FOREACH v_bucket IN ARRAY ARRAY[
        'code:account:' || v_account, 'code:address:127.0.0.1', 'code:network:127.0.0.0/24']
    LOOP
        UPDATE app.rate_limits SET hits = hits - 1 WHERE bucket = v_bucket AND hits > 0;
    END LOOP;
    family_unit_id := v_family.id;
    member_id := by_hand.add_member(
        v_family.id, v_account, 'adult',
        by_hand.lowest_free_slot(v_family.id, v_family.member_limit), 'code', false,
        by_hand.raise_version(v_family.id), NULL);
    INSERT INTO app.audit_log
            (family_unit_id, actor_user_id, subject_user_id, action, target_id, details)
        VALUES (v_family.id, v_account, v_account, 'code.join', member_id,
                '{"outcome": "joined"}');
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_family.id, v_account, 'joined');
    RETURN NEXT;
END $$;

CREATE FUNCTION by_hand.invite(p_subject_hash bytea, p_family uuid) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    v_account uuid;
    v_invitation uuid;
    v_hits integer;
BEGIN
    SELECT i.user_id INTO STRICT v_account FROM app.user_identities AS i
        WHERE i.issuer = 'bench' AND i.subject_hash = p_subject_hash;
    PERFORM FROM app.family_units AS f WHERE f.id = p_family FOR NO KEY UPDATE;
    IF NOT EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = v_account AND m.confides) THEN
        RAISE EXCEPTION 'the account may not invite';
    END IF;
    INSERT INTO app.rate_limits AS r (bucket, window_start, hits)
        VALUES ('invite:account:' || v_account, now(), 1)
        ON CONFLICT (bucket) DO UPDATE SET hits = r.hits + 1 RETURNING r.hits INTO v_hits;
    INSERT INTO app.family_invitations
            (family_unit_id, invited_by, role, household_role, delivery, sent_count, last_sent_at)
        VALUES (p_family, v_account, 'parent', 'adult', 'link', 1, now())
        RETURNING id INTO v_invitation;
    INSERT INTO app.invitation_secrets (invitation_id, generation, token_hash)
        VALUES (v_invitation, 1, sha256(v_invitation::text::bytea));
    INSERT INTO app.family_changes (family_unit_id, version, kind, id, audience)
        VALUES (p_family, by_hand.raise_version(p_family), 'invitation', v_invitation, 'own');
    INSERT INTO app.webhook_events (event_type, family_unit_id, data)
        VALUES ('invitation.created', p_family, jsonb_build_object(
            'familyId', p_family, 'invitationId', v_invitation, 'role', 'parent',
            'householdRole', 'adult', 'delivery', 'link', 'invitedByUserId', v_account,
            'acceptedByUserId', NULL, 'actorUserId', v_account));
    INSERT INTO app.audit_log
            (family_unit_id, actor_user_id, subject_user_id, action, target_id, details)
        VALUES (p_family, v_account, v_account, 'invitation.create', v_invitation,
                '{"role": "parent", "householdRole": "adult", "delivery": "link"}');
    RETURN v_invitation;
END $$;

CREATE FUNCTION by_hand.accept(p_subject_hash bytea, p_invitation uuid)
RETURNS TABLE (family_unit_id uuid, member_id uuid)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_family app.family_units;
    v_account uuid;
BEGIN
    SELECT f.* INTO STRICT v_family
        FROM app.family_invitations AS i JOIN app.family_units AS f ON f.id = i.family_unit_id
        WHERE i.id = p_invitation FOR NO KEY UPDATE OF f;
    v_account := by_hand.lock_account(p_subject_hash);
    UPDATE app.family_invitations AS i
        SET status = 'accepted', accepted_at = now(), accepted_by = v_account, closed_at = now()
        FROM app.users AS u
        WHERE i.id = p_invitation AND i.status = 'pending' AND i.expires_at > now()
            AND u.id = v_account AND u.email_verified AND u.mailbox = i.mailbox;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the account has no such invitation';
    END IF;
    family_unit_id := v_family.id;
    member_id := by_hand.add_member(
        v_family.id, v_account, 'adult',
        by_hand.lowest_free_slot(v_family.id, v_family.member_limit), 'invitation', false,
        by_hand.raise_version(v_family.id), p_invitation);
    INSERT INTO app.webhook_events (event_type, family_unit_id, data)
        VALUES ('invitation.accepted', v_family.id, jsonb_build_object(
            'familyId', v_family.id, 'invitationId', p_invitation, 'role', 'parent',
            'householdRole', 'adult', 'delivery', 'email', 'invitedByUserId', NULL,
            'acceptedByUserId', v_account, 'actorUserId', v_account));
    INSERT INTO app.audit_log
            (family_unit_id, actor_user_id, subject_user_id, action, target_id, details)
        VALUES (v_family.id, v_account, v_account, 'invitation.accept', p_invitation,
                '{"outcome": "joined"}');
    RETURN NEXT;
END $$;
