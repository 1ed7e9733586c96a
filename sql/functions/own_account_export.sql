-- Export of all that is stored about a person, for that person: `GET /api/me/export`. An operator
-- exports it for a person who asks by mail, such as the owner of a blocked account.

-- Time in the format of the API.
CREATE OR REPLACE FUNCTION app.api_timestamp(p_at timestamptz) RETURNS text
LANGUAGE sql STABLE
RETURN to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- Export of one person: the account, or a child whose guardian it is. Of families that the person
-- has left or was removed from, it contains only the person's own data: no family name, and nobody
-- else.
CREATE OR REPLACE FUNCTION app.export_of_person(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT jsonb_build_object(
        'id', u.id, 'kind', u.kind, 'fullName', u.full_name, 'email', u.email,
        'emailVerified', u.email_verified, 'role', u.role,
        'roleIsDefault', u.role_is_default, 'avatarKey', u.avatar_key,
        'avatarUrl', u.avatar_url, 'locale', u.locale,
        'blockedAt', app.api_timestamp(u.blocked_at), 'blockedReason', u.blocked_reason,
        'createdAt', app.api_timestamp(u.created_at), 'updatedAt', app.api_timestamp(u.updated_at),
        'memberships', app.export_of_memberships(u.id),
        'preferences', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'memberId', m.id, 'preferences', p.preferences,
                'updatedAt', app.api_timestamp(p.updated_at)) ORDER BY m.added_at, m.id)
            FROM app.member_preferences AS p JOIN app.family_members AS m
                ON m.family_unit_id = p.family_unit_id AND m.user_id = p.user_id
            WHERE p.user_id = u.id), '[]'),
        'changes', app.export_of_changes(u.id),
        'consents', app.export_of_consents(u.id),
        'audit', app.export_of_audit_log(u.id))
    FROM app.users AS u WHERE u.id = p_user;
$$;

-- Consents that guardians gave for the person, and those that the person gave for children. Other
-- people are named only while the person is a member.
CREATE OR REPLACE FUNCTION app.export_of_consents(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'purpose', c.purpose, 'version', c.version, 'method', c.method,
            'isGiver', c.given_by = p_user, 'isSubject', m.user_id = p_user,
            'givenAt', app.api_timestamp(c.given_at), 'endedAt', app.api_timestamp(c.ended_at))
        || CASE WHEN m.user_id = p_user AND m.status = 'active' THEN jsonb_build_object(
            'givenBy', c.given_by, 'endedBy', c.ended_by) ELSE '{}' END
        ORDER BY c.given_at, c.id), '[]')
    FROM app.consents AS c JOIN app.family_members AS m ON m.id = c.member_id
    WHERE c.given_by = p_user OR m.user_id = p_user;
$$;

CREATE OR REPLACE FUNCTION app.export_of_memberships(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'memberId', m.id, 'role', m.role, 'householdRole', m.household_role,
            'status', m.status, 'isCreator', m.is_creator, 'vouched', m.vouched,
            'joinedVia', m.joined_via, 'addedAt', app.api_timestamp(m.added_at),
            'formerUserId', (SELECT x.alias_id FROM app.user_aliases AS x
                             WHERE x.alias_id = m.id AND x.account_id = p_user),
            'removedAt', app.api_timestamp(m.removed_at))
        || CASE m.status WHEN 'active' THEN jsonb_build_object(
            'familyId', f.id, 'familyName', f.family_name, 'guardianId', m.parent_user_id,
            'guardians', (
                SELECT jsonb_agg(jsonb_build_object(
                    'userId', w.guardian_user_id, 'since', app.api_timestamp(w.since))
                    ORDER BY w.since, w.slot)
                FROM app.guardianships AS w WHERE w.member_id = m.id),
            'playerDetails', CASE WHEN m.role = 'player' THEN f.player_details END,
            'home', CASE WHEN m.confides THEN jsonb_build_object(
                'latitude', f.home_latitude, 'longitude', f.home_longitude) END)
           WHEN 'invited' THEN jsonb_build_object('familyId', f.id, 'familyName', f.family_name)
           ELSE '{}' END
        ORDER BY m.added_at, m.id), '[]')
    FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
    WHERE m.user_id = p_user;
$$;

CREATE OR REPLACE FUNCTION app.export_of_audit_log(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', a.id, 'at', app.api_timestamp(a.at), 'action', a.action,
            'isActor', a.actor_user_id IS NOT DISTINCT FROM p_user,
            'isSubject', a.subject_user_id IS NOT DISTINCT FROM p_user
                OR EXISTS (SELECT FROM app.user_aliases AS x
                           WHERE x.alias_id = a.subject_user_id AND x.account_id = p_user),
            'requestId', CASE WHEN a.actor_user_id = p_user THEN a.request_id END)
        || CASE WHEN a.is_open THEN jsonb_build_object(
            'familyId', a.family_unit_id, 'actorUserId', a.actor_user_id,
            'actorLabel', a.actor_label, 'subjectUserId', a.subject_user_id,
            'targetId', a.target_id, 'details', a.details) ELSE '{}' END
        ORDER BY a.at, a.id), '[]')
    FROM (
        SELECT a.*, m.status = 'active' AS is_open
        FROM app.family_members AS m JOIN app.audit_log AS a
            ON a.family_unit_id = m.family_unit_id
        WHERE m.user_id = p_user
            AND (p_user IN (a.actor_user_id, a.subject_user_id) OR a.subject_user_id IN (
                -- Entries from the time when the person was a managed child.
                SELECT x.alias_id FROM app.user_aliases AS x WHERE x.account_id = p_user))
        UNION ALL
        SELECT a.*, true FROM app.audit_log AS a
        WHERE a.family_unit_id IS NULL AND a.subject_user_id = p_user) AS a;
$$;

-- Recent changes of the person's own data, as devices receive them, and the times of the person's
-- own changes that others have undone without having seen them.
CREATE OR REPLACE FUNCTION app.export_of_changes(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT jsonb_build_object('version', v.version, 'recent', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'kind', c.kind, 'version', c.version, 'at', app.api_timestamp(c.changed_at))
            ORDER BY c.version, c.kind, c.id)
        FROM app.user_changes AS c WHERE c.user_id = v.user_id), '[]'),
        'undone', coalesce((
            SELECT jsonb_agg(jsonb_build_object('at', app.api_timestamp(r.at)) ORDER BY r.at)
            FROM app.role_conflicts AS r WHERE r.user_id = v.user_id), '[]'))
    FROM app.user_versions AS v WHERE v.user_id = p_user;
$$;

-- Invitations that the account has sent or accepted, and pending ones to its address; with the
-- family's name while the account may know it.
CREATE OR REPLACE FUNCTION app.export_of_invitations(p_user app.users) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', i.id, 'isSent', coalesce(i.invited_by = p_user.id, false),
            'invitedEmail', i.invited_email,
            'role', i.role, 'householdRole', i.household_role, 'status', i.status,
            'delivery', i.delivery, 'createdAt', app.api_timestamp(i.created_at),
            'expiresAt', app.api_timestamp(i.expires_at),
            'lastSentAt', app.api_timestamp(i.last_sent_at),
            'sentCount', i.sent_count, 'acceptedAt', app.api_timestamp(i.accepted_at),
            'familyName', (
                SELECT f.family_name FROM app.family_units AS f
                WHERE f.id = i.family_unit_id AND (i.status = 'pending' OR EXISTS (
                    SELECT FROM app.family_members AS m
                    WHERE m.family_unit_id = f.id AND m.user_id = p_user.id
                        AND m.status = 'active')))) ORDER BY i.created_at, i.id), '[]')
    FROM app.family_invitations AS i
    WHERE i.invited_by = p_user.id OR i.accepted_by = p_user.id
        OR (i.status = 'pending' AND p_user.email_verified AND i.mailbox = p_user.mailbox);
$$;

-- Addresses that the account has proved, or that an issuer has verified for it.
CREATE OR REPLACE FUNCTION app.mailboxes_of(p_user app.users) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT e.mailbox FROM app.email_sign_ins AS e
    WHERE e.user_id = p_user.id AND e.removed_at IS NULL
    UNION
    SELECT p_user.mailbox WHERE p_user.email_verified AND p_user.mailbox IS NOT NULL;
$$;

CREATE OR REPLACE FUNCTION app.export_of_sessions(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', s.id, 'openedBy', s.parent_id, 'method', s.method, 'issuer', s.issuer,
            'device', s.device,
            'startedAt', app.api_timestamp(s.started_at),
            'lastUsedAt', app.api_timestamp(s.last_used_at),
            'endsAt', app.api_timestamp(s.ends_at), 'endedAt', app.api_timestamp(s.ended_at),
            'endReason', s.end_reason, 'refreshed', (
                SELECT t.generation FROM app.refresh_tokens AS t WHERE t.session_id = s.id),
            'pageTickets', (
                SELECT count(*) FROM app.page_tickets AS t WHERE t.session_id = s.id))
        ORDER BY s.started_at, s.id), '[]')
    FROM app.sessions AS s WHERE s.user_id = p_user;
$$;

CREATE OR REPLACE FUNCTION app.export_of_passkeys(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', k.id, 'label', k.label, 'credentialId', encode(k.credential_id, 'hex'),
            'userHandle', coalesce(k.handle, k.user_id), 'model', k.model,
            'publicKey', encode(k.public_key, 'hex'), 'counter', k.counter,
            'transports', k.transports, 'isBackupEligible', k.is_backup_eligible,
            'isBackedUp', k.is_backed_up, 'createdAt', app.api_timestamp(k.created_at),
            'lastUsedAt', app.api_timestamp(k.last_used_at)) ORDER BY k.created_at, k.id), '[]')
    FROM app.passkeys AS k WHERE k.user_id = p_user;
$$;

-- Role of an operator of the service, with what the account has in the operators' console. Null for
-- everybody else.
CREATE OR REPLACE FUNCTION app.export_of_operator(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT jsonb_build_object(
        'role', o.role, 'addedAt', app.api_timestamp(o.added_at),
        'linkExpiresAt', (
            SELECT app.api_timestamp(l.expires_at)
            FROM app.console_links AS l WHERE l.user_id = p_user),
        'passkeys', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'id', k.id, 'label', k.label, 'credentialId', encode(k.credential_id, 'hex'),
                'publicKey', encode(k.public_key, 'hex'), 'counter', k.counter,
                'isBackupEligible', k.is_backup_eligible, 'isBackedUp', k.is_backed_up,
                'createdAt', app.api_timestamp(k.created_at),
                'lastUsedAt', app.api_timestamp(k.last_used_at)) ORDER BY k.created_at, k.id)
            FROM app.console_passkeys AS k WHERE k.user_id = p_user), '[]'),
        'sessions', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'method', s.method, 'browser', s.browser,
                'startedAt', app.api_timestamp(s.started_at),
                'provedAt', app.api_timestamp(s.proved_at),
                'endsAt', app.api_timestamp(s.ends_at)) ORDER BY s.started_at, s.token_hash)
            FROM app.console_sessions AS s WHERE s.user_id = p_user), '[]'))
    FROM app.operators AS o WHERE o.user_id = p_user;
$$;

-- E-mails that were recently sent to the account, or not sent after all.
CREATE OR REPLACE FUNCTION app.export_of_mails(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'kind', h.kind, 'outcome', h.outcome,
            'enqueuedAt', app.api_timestamp(h.enqueued_at),
            'finishedAt', app.api_timestamp(h.finished_at)) ORDER BY h.finished_at, h.id), '[]')
    FROM jobs.history AS h WHERE h.recipient = p_user;
$$;

-- E-mail tokens that were recently sent to the account's addresses.
CREATE OR REPLACE FUNCTION app.export_of_email_tokens(p_user app.users) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'purpose', t.purpose, 'email', t.email, 'previousEmail', t.previous_email,
            'locale', t.locale,
            'leadsOn', t.return_path IS NOT NULL, 'openedAt', app.api_timestamp(t.opened_at),
            'expiresAt', app.api_timestamp(t.expires_at), 'usedAt', app.api_timestamp(t.used_at))
        ORDER BY t.opened_at, t.id), '[]')
    FROM app.email_tokens AS t
    WHERE t.user_id = p_user.id
        OR (t.user_id IS NULL AND t.mailbox IN (SELECT app.mailboxes_of(p_user)));
$$;

-- Export of all that is stored about an account and the children whose guardian it is, except data
-- that would grant access: hashes of sign-ins, tokens and passwords, digests of codes.
CREATE OR REPLACE FUNCTION app.export_of_account(p_account uuid) RETURNS jsonb
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_user app.users;
BEGIN
    SELECT u.* INTO v_user FROM app.users AS u WHERE u.id = p_account;
    RETURN jsonb_build_object(
        'format', 'hearth-account-export', 'version', 1, 'exportedAt', app.api_timestamp(now()),
        'account', app.export_of_person(p_account),
        'children', coalesce((
            SELECT jsonb_agg(app.export_of_person(c.user_id) ORDER BY c.added_at, c.id)
            FROM app.guardianships AS w JOIN app.family_members AS c ON c.id = w.member_id
            WHERE w.guardian_user_id = p_account), '[]'),
        'signIns', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'issuer', i.issuer, 'createdAt', app.api_timestamp(i.created_at))
                ORDER BY i.created_at)
            FROM app.user_identities AS i WHERE i.user_id = p_account), '[]'),
        'operator', app.export_of_operator(p_account),
        'mails', app.export_of_mails(p_account),
        'removedSignIns', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'issuer', x.issuer, 'removedAt', app.api_timestamp(x.removed_at))
                ORDER BY x.removed_at, x.issuer)
            FROM app.unlinked_sign_ins AS x WHERE x.user_id = p_account), '[]'),
        'formerIds', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'id', o.former_id, 'until', app.api_timestamp(o.since))
                ORDER BY o.since, o.former_id)
            FROM app.former_ids AS o WHERE o.user_id = p_account), '[]'),
        'ownConsents', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'purpose', c.purpose, 'version', c.version,
                'givenAt', app.api_timestamp(c.given_at),
                'endedAt', app.api_timestamp(c.ended_at)) ORDER BY c.given_at, c.id)
            FROM app.account_consents AS c WHERE c.user_id = p_account), '[]'),
        'providerTokens', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'issuer', p.issuer, 'client', p.client,
                'obtainedAt', app.api_timestamp(p.obtained_at)) ORDER BY p.obtained_at, p.id)
            FROM app.provider_tokens AS p WHERE p.user_id = p_account), '[]'),
        'addresses', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'email', e.email, 'provedAt', app.api_timestamp(e.proved_at),
                'removedAt', app.api_timestamp(e.removed_at)) ORDER BY e.proved_at, e.email)
            FROM app.email_sign_ins AS e WHERE e.user_id = p_account), '[]'),
        'password', (
            SELECT jsonb_build_object('setAt', app.api_timestamp(p.set_at))
            FROM app.passwords AS p WHERE p.user_id = p_account),
        'passkeys', app.export_of_passkeys(p_account),
        'sessions', app.export_of_sessions(p_account),
        'signInLog', app.export_of_sign_ins(p_account),
        'mailedCodes', app.export_of_email_tokens(v_user),
        'familiesCreated', coalesce((
            SELECT jsonb_agg(app.api_timestamp(f.created_at) ORDER BY f.created_at)
            FROM app.family_units AS f WHERE f.created_by_user_id = p_account), '[]'),
        'invitations', app.export_of_invitations(v_user),
        'codeUses', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'at', app.api_timestamp(l.at), 'action', l.action) ORDER BY l.at)
            FROM app.family_code_usage_log AS l
            WHERE l.user_id = p_account AND l.family_unit_id IN (
                SELECT m.family_unit_id FROM app.family_members AS m
                WHERE m.user_id = p_account)), '[]'),
        'codeLookups', coalesce((
            SELECT jsonb_agg(app.api_timestamp(l.looked_up_at) ORDER BY l.looked_up_at)
            FROM app.code_lookups AS l WHERE l.user_id = p_account), '[]'),
        'repeatableRequests', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'route', k.route, 'key', k.key, 'at', app.api_timestamp(k.created_at))
                ORDER BY k.created_at)
            FROM app.idempotency_keys AS k WHERE k.actor_id = p_account), '[]'),
        'limits', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'limit', split_part(r.bucket, ':', 1), 'count', r.hits,
                'since', app.api_timestamp(r.window_start)) ORDER BY r.bucket)
            FROM app.limits_of(v_user) AS r), '[]'),
        'refusedInvitations', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'email', r.email, 'since', app.api_timestamp(r.since),
                'ofAllFamilies', r.family_unit_id IS NULL) ORDER BY r.since)
            FROM app.refused_invitations AS r
            WHERE r.mailbox IN (SELECT app.mailboxes_of(v_user))), '[]'),
        'refusedAddress', (
            SELECT jsonb_build_object('since', app.api_timestamp(x.since), 'reason', x.reason)
            FROM app.suppressed_addresses AS x
            WHERE x.mailbox = v_user.mailbox AND v_user.email_verified),
        'mailVerdicts', (
            SELECT jsonb_build_object(
                'at', ARRAY(SELECT app.api_timestamp(o.at) FROM unnest(v.verdicts) AS o (at)),
                'reason', v.reason, 'heldSince', app.api_timestamp(v.held_since),
                'triedAt', app.api_timestamp(v.tried_at))
            FROM app.mail_verdicts AS v
            WHERE v.mailbox = v_user.mailbox AND v_user.email_verified));
END $$;

-- Export of the caller's account. Records an audit entry.
CREATE OR REPLACE FUNCTION app.export_my_data() RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    PERFORM app.record_audit('user.export', NULL, v_account, v_account);
    RETURN app.export_of_account(v_account);
END $$;

COMMENT ON FUNCTION app.export_my_data() IS
    'Export of all that is stored about the caller and the children whose guardian it is.';

-- Begins an operator's export of an account, blocked or not. As for a family (erasure.sql), the
-- audit row is committed before the export reads anything.
CREATE OR REPLACE FUNCTION app.operator_begin_user_export(p_user uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.lock_account_for_operator(p_user);
    PERFORM app.record_audit('user.export', NULL, p_user, p_user);
END $$;

COMMENT ON FUNCTION app.operator_begin_user_export(uuid) IS
    'Writes the audit row of an account''s export; its transaction must be committed before the '
    'export reads.';

-- Export of an account for its owner. Refuses unless the same operator has begun it, in a
-- transaction that was committed within the last five minutes.
CREATE OR REPLACE FUNCTION app.operator_export_user(p_user uuid) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.subject_user_id = p_user AND a.family_unit_id IS NULL
            AND a.action = 'user.export' AND a.actor_label = app.operator_label()
            AND a.at < now() AND a.at > now() - interval '5 minutes')
    THEN
        PERFORM app.refuse('HF409', 'export_not_begun',
            'An export begins with its row in the audit log.');
    END IF;
    RETURN app.export_of_account(p_user);
END $$;

COMMENT ON FUNCTION app.operator_export_user(uuid) IS
    'Export of an account for its owner, once its audit row is written.';

GRANT EXECUTE ON FUNCTION app.export_my_data() TO hearth_api;
GRANT EXECUTE ON FUNCTION app.operator_begin_user_export(uuid), app.operator_export_user(uuid)
    TO hearth_admin;
