-- Erasure of a person (the right to be forgotten), and export of a family's data (the right to a
-- copy).
--
-- erase_user removes a user's personal data: name, address, pictures, sign-ins, preferences,
-- addresses of invitations to the user, and the player details about the user. The user's row stays
-- without this data, because the audit log and families refer to it; an account gets a random id
-- (account_ids.sql). A new sign-in of the same person finds no identity and creates a new user. If
-- the issuer is primary, this user has the same id as before. The audit log contains only ids, and
-- stays.
--
-- Three kinds of data remain for a while: stored responses of other accounts, which may contain the
-- name, for a day; the hashes of the sign-ins and sessions, so that no earlier token creates the
-- person again; and the name of a family that is left empty, until the family is purged (its home
-- and details are removed here).
--
-- People erase their own accounts with erase_my_account (own_account_erasure.sql).
--
-- Lock order: the families, the sign-ins, the user, its members. upsert_user locks sign-in and user
-- in the same order.
--
-- An export's audit row is committed before the export reads anything, so that interrupting the
-- command does not hide the export. Preferences are returned only if such a row of the same
-- operator and family is older than the transaction. clock_timestamp() dates the rows, so a row of
-- the same transaction never is.

-- Locks everything that an erasure changes; null if there is no such person, or if the person is
-- erased already. The account can join a family until its own row is locked, so its families are
-- then looked up again.
CREATE OR REPLACE FUNCTION app.lock_person(p_user uuid) RETURNS app.users
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM FROM app.family_units AS f
        WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                       WHERE m.user_id = p_user)
        ORDER BY f.id FOR NO KEY UPDATE;
    PERFORM FROM app.user_identities AS i
        WHERE i.user_id = p_user ORDER BY i.subject_hash FOR UPDATE;
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = p_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    -- The new families are locked out of order. After a deadlock the caller has to try again.
    PERFORM FROM app.family_units AS f
        WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                       WHERE m.user_id = p_user)
        ORDER BY f.id FOR NO KEY UPDATE;
    RETURN v_user;
END $$;

-- Erases a locked person. p_new_guardians: new guardians of its children, one for each family with
-- such children. Also returns the id under which the erasure is remembered; null for a child, which
-- has no sign-in.
CREATE OR REPLACE FUNCTION app.erase_locked(
    p_user app.users, p_new_guardians uuid[], OUT memberships integer, OUT sign_ins integer,
    OUT invitations integer, OUT erasure uuid)
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_hashes bytea[];
    v_member app.family_members;
    v_is_self constant boolean := p_user.id IS NOT DISTINCT FROM app.actor_id();
BEGIN
    PERFORM app.require_no_operator(p_user.id);
    WITH deleted AS (
        DELETE FROM app.user_identities AS i WHERE i.user_id = p_user.id RETURNING i.subject_hash)
    SELECT coalesce(array_agg(d.subject_hash), '{}') INTO v_hashes FROM deleted AS d;
    sign_ins := cardinality(v_hashes);
    IF p_user.kind = 'account' THEN
        INSERT INTO app.erasures AS e (sign_ins)
            SELECT v_hashes || array_agg(app.hash_of_session(s.id)) FROM app.sessions AS s
            WHERE s.user_id = p_user.id AND s.ended_at IS NULL AND s.ends_at > now()
            RETURNING e.id INTO erasure;
    END IF;

    memberships := 0;
    FOR v_member IN
        SELECT m.* FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.status <> 'removed' ORDER BY m.family_unit_id
    LOOP
        PERFORM app.reassign_children_of(v_member, (
            SELECT h.id FROM app.family_members AS h
            WHERE h.id = ANY (p_new_guardians) AND h.family_unit_id = v_member.family_unit_id
            ORDER BY h.id LIMIT 1));
        PERFORM app.end_membership(v_member);
        PERFORM app.record_audit(
            CASE WHEN p_user.kind = 'managed' THEN 'managed.remove'
                 WHEN v_is_self THEN 'member.leave' ELSE 'member.remove' END,
            v_member.family_unit_id, p_user.id, v_member.id,
            jsonb_build_object('erased', true, 'was', v_member.status));
        memberships := memberships + 1;
    END LOOP;

    invitations := app.erase_invitations_of(p_user);
    PERFORM app.erase_traces_of(p_user);
    UPDATE app.users AS u SET full_name = NULL, email = NULL, email_verified = false,
            avatar_key = NULL, avatar_url = NULL, locale = NULL, deleted_at = now(),
            blocked_at = NULL, blocked_by = NULL, blocked_reason = NULL
        WHERE u.id = p_user.id;
    PERFORM app.record_audit('user.erase', NULL, p_user.id, p_user.id, jsonb_build_object(
        'memberships', memberships, 'signIns', sign_ins, 'invitations', invitations));
    IF p_user.kind = 'account' THEN
        PERFORM app.change_account_id(p_user.id, gen_random_uuid());
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.erase_user(p_user uuid, p_new_guardians uuid[])
RETURNS TABLE (memberships integer, sign_ins integer, invitations integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM app.require_operator();
    v_user := app.lock_person(p_user);
    IF v_user.id IS NULL THEN
        PERFORM app.refuse('HF404', 'user_not_found',
            'There is no such person, or the person''s data is erased already.');
    END IF;
    RETURN QUERY SELECT e.memberships, e.sign_ins, e.invitations
        FROM app.erase_locked(v_user, p_new_guardians) AS e;
END $$;

COMMENT ON FUNCTION app.erase_user(uuid, uuid[]) IS
    'Erases a user''s personal data; returns the numbers of memberships, sign-ins and invitations.';

-- Revokes pending invitations to the user, and removes the address from all invitations to the user
-- and from those that the user has accepted. An unverified address may be another person's; then
-- only the accepted invitations change. Pending invitations that the user sent ended with its
-- memberships.
CREATE OR REPLACE FUNCTION app.erase_invitations_of(p_user app.users) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_changed uuid[];
BEGIN
    WITH changed_invitations AS (
        UPDATE app.family_invitations AS i SET
                status = CASE i.status WHEN 'pending' THEN 'revoked' ELSE i.status END,
                closed_at = coalesce(i.closed_at, now()),
                invited_email = CASE i.delivery
                    WHEN 'email' THEN 'erased-' || i.id || '@erased.invalid' END
            WHERE i.accepted_by = p_user.id
                OR (p_user.email_verified AND i.mailbox = p_user.mailbox)
            RETURNING i.id)
    SELECT coalesce(array_agg(t.id), '{}') INTO v_changed FROM changed_invitations AS t;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = ANY (v_changed);
    RETURN cardinality(v_changed);
END $$;

-- The families without members that the account was the last to leave. The family's data stays for
-- the last member, who may return, until this person is erased as well.
CREATE OR REPLACE FUNCTION app.families_left_last(p_user uuid) RETURNS uuid[]
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT ARRAY(
        SELECT f.id FROM app.family_members AS m
        JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE m.user_id = p_user AND m.status = 'removed' AND f.emptied_at IS NOT NULL
            AND NOT app.never_was_member(m) AND NOT EXISTS (
                SELECT FROM app.family_members AS o
                WHERE o.family_unit_id = f.id AND o.user_kind = 'account'
                    AND o.removed_at > m.removed_at AND NOT app.never_was_member(o)));
$$;

-- Deletes the person's sign-in methods, sessions, preferences, counters and further data about the
-- person. This includes data for e-mail: whether mail servers refused the address, and their
-- messages, which often repeat it. An unverified address may be another person's, so it stays
-- suppressed or held off.
CREATE OR REPLACE FUNCTION app.erase_traces_of(p_user app.users) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_last_of constant uuid[] := app.families_left_last(p_user.id);
BEGIN
    DELETE FROM app.member_preferences AS p WHERE p.user_id = p_user.id;
    PERFORM app.revoke_provider_tokens(p_user.id, NULL);
    DELETE FROM app.sessions AS s WHERE s.user_id = p_user.id;
    DELETE FROM app.passwords AS p WHERE p.user_id = p_user.id;
    DELETE FROM app.sign_ins_log AS l WHERE l.user_id = p_user.id;
    DELETE FROM app.passkeys AS k WHERE k.user_id = p_user.id;
    DELETE FROM app.email_tokens AS t
        WHERE t.user_id = p_user.id OR t.mailbox IN (SELECT app.mailboxes_of(p_user));
    DELETE FROM app.refused_invitations AS r WHERE r.mailbox IN (SELECT app.mailboxes_of(p_user));
    DELETE FROM app.email_sign_ins AS e WHERE e.user_id = p_user.id;
    DELETE FROM app.unlinked_sign_ins AS x WHERE x.user_id = p_user.id;
    DELETE FROM app.code_lookups AS l WHERE l.user_id = p_user.id;
    DELETE FROM app.account_consents AS c WHERE c.user_id = p_user.id;
    DELETE FROM app.idempotency_keys AS k
        WHERE k.actor_id = p_user.id OR k.subject_id = p_user.id;
    DELETE FROM app.rate_limits AS r
        WHERE r.bucket = ANY (app.buckets_of_account(p_user.id) || ARRAY(
                SELECT b.name || m.family_unit_id || ':' || p_user.id
                FROM app.family_members AS m,
                    (VALUES ('request-mail:'), ('role-mail:')) AS b (name)
                WHERE m.user_id = p_user.id));
    DELETE FROM app.suppressed_addresses AS x
        WHERE x.mailbox = p_user.mailbox AND p_user.email_verified;
    DELETE FROM app.mail_verdicts AS v
        WHERE v.mailbox = p_user.mailbox AND p_user.email_verified;
    UPDATE jobs.live AS j SET last_error = 'erased'
        WHERE strpos(lower(j.last_error), p_user.email) > 0
            OR strpos(lower(j.last_error), p_user.mailbox) > 0;
    UPDATE jobs.dead AS d SET last_error = 'erased'
        WHERE strpos(lower(d.last_error), p_user.email) > 0
            OR strpos(lower(d.last_error), p_user.mailbox) > 0;
    UPDATE app.family_members AS m SET erased_at = now()
        WHERE m.user_id = p_user.id AND m.user_kind = 'managed';
    -- Details describe the family's player. They are taken to be about this person if they contain
    -- the person's name, or if the person is a player and no other active player is left.
    UPDATE app.family_units AS f SET player_details = '{}'
        FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.family_unit_id = f.id AND f.player_details <> '{}'
            AND (app.normalised_name(f.player_details ->> 'playerName', 80) = p_user.full_name
                 OR (m.role = 'player' AND NOT EXISTS (
                     SELECT FROM app.family_members AS o
                     WHERE o.family_unit_id = f.id AND o.status = 'active'
                         AND o.role = 'player')));
    UPDATE app.family_units AS f
        SET player_details = '{}', home_latitude = NULL, home_longitude = NULL
        WHERE f.id = ANY (v_last_of);
    DELETE FROM app.family_attributes AS a WHERE a.family_unit_id = ANY (v_last_of);
END $$;

CREATE OR REPLACE FUNCTION app.begin_export(p_family uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (SELECT FROM app.family_units AS f WHERE f.id = p_family) THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    PERFORM app.record_audit('family.export', p_family, NULL, p_family);
END $$;

COMMENT ON FUNCTION app.begin_export(uuid) IS
    'Writes the audit row of an export; its transaction must be committed before the export reads.';

-- Refuses unless the same operator has begun an export of the family, in a transaction that was
-- committed within the last five minutes.
CREATE OR REPLACE FUNCTION app.require_export(p_family uuid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.family_unit_id = p_family AND a.action = 'family.export'
            AND a.actor_label = app.operator_label()
            AND a.at < now() AND a.at > now() - interval '5 minutes')
    THEN
        PERFORM app.refuse('HF409', 'export_not_begun',
            'An export begins with its row in the audit log.');
    END IF;
END $$;

-- Apart from the owner and the guardian, only this function reads preferences, for an export.
CREATE OR REPLACE FUNCTION app.export_preferences(p_family uuid)
RETURNS TABLE (user_id uuid, preferences jsonb, updated_at timestamptz, updated_by uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_export(p_family);
    RETURN QUERY SELECT p.user_id, p.preferences, p.updated_at, p.updated_by
        FROM app.member_preferences AS p WHERE p.family_unit_id = p_family ORDER BY p.user_id;
END $$;

COMMENT ON FUNCTION app.export_preferences(uuid) IS
    'The preferences of a family''s members, for an export that has written its audit row.';

CREATE OR REPLACE FUNCTION app.export_attributes(p_family uuid) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_export(p_family);
    RETURN coalesce((
        SELECT a.attributes FROM app.family_attributes AS a
        WHERE a.family_unit_id = p_family), '{}');
END $$;

COMMENT ON FUNCTION app.export_attributes(uuid) IS
    'The attributes of a family, for an export that has written its audit row.';

GRANT EXECUTE ON FUNCTION
    app.erase_user(uuid, uuid[]), app.begin_export(uuid), app.export_preferences(uuid),
    app.export_attributes(uuid)
    TO hearth_admin;
