-- hearth: after jobs_control.sql, jobs_queue.sql
-- Views and searches of the console. The views show everything to hearth_admin. To hearth_viewer,
-- which reads for operators with the role `viewer`, they show no payload, no full address, no code
-- of a family, and only the initials of a child's name.
--
-- The views hide no rows and filter by no secret, so they need no security_barrier, which would
-- keep PostgreSQL from reading them in index order. Their columns do not ask EXISTS of a large
-- table: for one page, PostgreSQL would read the whole table into a hash, because it expects to
-- answer for every row of the view.

-- Whether this session may see addresses, names of children and payloads.
CREATE OR REPLACE FUNCTION app.sees_everything() RETURNS boolean
LANGUAGE sql STABLE
RETURN pg_has_role(session_user, 'hearth_admin', 'MEMBER');

-- The initials of a name.
CREATE OR REPLACE FUNCTION app.initials(p_name text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = '' AS $$
    SELECT string_agg(left(w.word, 1) || '.', ' ' ORDER BY w.position)
    FROM regexp_split_to_table(p_name, '\s+') WITH ORDINALITY AS w (word, position)
    WHERE w.word <> ''
$$;

-- Whether a person is a child: one without an account, or a kid of a family, present or former.
CREATE OR REPLACE FUNCTION app.is_child(p_user uuid, p_kind text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = '' SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN p_kind = 'managed' OR EXISTS (
        SELECT FROM app.family_members AS m WHERE m.user_id = p_user AND m.household_role = 'kid');
END $$;

-- A text as this role may see it: to viewers, addresses in it are not shown. People can write an
-- address into a name. Errors of jobs are stored without addresses (jobs.error_without_addresses);
-- this keeps viewers from one that was stored another way.
CREATE OR REPLACE FUNCTION app.shown_text(p_text text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN app.sees_everything() OR strpos(p_text, '@') = 0 THEN p_text
            ELSE jobs.error_without_addresses(p_text) END;

CREATE OR REPLACE FUNCTION app.shown_name(p_user uuid, p_name text, p_kind text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN app.sees_everything() THEN p_name
            WHEN app.is_child(p_user, p_kind) THEN app.initials(p_name)
            ELSE app.shown_text(p_name) END;

-- A text that people choose freely and that may name anybody, such as the name of a passkey or a
-- device: to viewers it is not shown.
CREATE OR REPLACE FUNCTION app.shown_free_text(p_text text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN app.sees_everything() OR p_text IS NULL THEN p_text ELSE 'not shown' END;

CREATE OR REPLACE FUNCTION app.shown_address(p_email text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN app.sees_everything() THEN p_email ELSE app.masked_email(p_email) END;

-- The actor's label as this role may see it: the e-mail address in a console operator's label is
-- masked for viewers.
CREATE OR REPLACE FUNCTION app.shown_label(p_label text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN app.sees_everything() OR strpos(p_label, '@') = 0 THEN p_label
            ELSE split_part(p_label, ':', 1) || ':'
                || app.masked_email(substr(p_label, strpos(p_label, ':') + 1)) END;

CREATE OR REPLACE FUNCTION app.shown_payload(p_payload jsonb) RETURNS jsonb
LANGUAGE sql STABLE
RETURN CASE WHEN app.sees_everything() THEN p_payload ELSE '{}' END;

-- The beginning of an error by which dead jobs are grouped (jobs.dead.error_group), without
-- addresses. jobs.discard stores no error with an address; this is for errors that were stored
-- another way.
CREATE OR REPLACE FUNCTION app.error_group(p_error text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN strpos(left(p_error, 200), '@') = 0 THEN left(p_error, 200)
            ELSE regexp_replace(
                jobs.error_without_addresses(left(p_error, 200)), '[^[:space:]]*@$', '<address>')
       END;

-- The end of the range of texts that begin with a prefix, in the order of text_pattern_ops.
CREATE OR REPLACE FUNCTION app.end_of_prefix(p_prefix text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN p_prefix || U&'\+10FFFF';

CREATE OR REPLACE VIEW app.console_people AS
SELECT u.id, u.kind, app.shown_address(u.email) AS email, u.email_verified,
    app.shown_name(u.id, u.full_name, u.kind) AS full_name, u.role,
    ARRAY(SELECT i.issuer FROM app.user_identities AS i
          WHERE i.user_id = u.id ORDER BY i.created_at, i.issuer) AS issuers,
    (SELECT count(*)::integer FROM app.family_members AS m
     WHERE m.user_id = u.id AND m.status = 'active') AS family_count,
    u.created_at, u.deleted_at, u.blocked_at, app.shown_label(u.blocked_by) AS blocked_by,
    CASE WHEN app.sees_everything() THEN u.blocked_reason END AS blocked_reason,
    EXISTS (SELECT FROM app.operators AS o WHERE o.user_id = u.id) AS is_operator,
    (SELECT count(*)::integer FROM app.passkeys AS k WHERE k.user_id = u.id) AS passkeys,
    coalesce((SELECT true FROM app.passwords AS p WHERE p.user_id = u.id), false) AS has_password
FROM app.users AS u;

COMMENT ON VIEW app.console_people IS 'People as the console shows them.';

CREATE OR REPLACE VIEW app.console_sign_in_addresses AS
SELECT s.user_id, app.shown_address(s.email) AS email, s.proved_at
FROM app.email_sign_ins AS s WHERE s.removed_at IS NULL;

COMMENT ON VIEW app.console_sign_in_addresses IS
    'Addresses to which a code is mailed that signs a person in.';

CREATE OR REPLACE VIEW app.console_families AS
SELECT f.id, app.shown_text(f.family_name) AS family_name,
    CASE WHEN f.code_expires_at <= now() THEN NULL
         WHEN app.sees_everything() THEN f.family_code
         ELSE regexp_replace(f.family_code, '[^-]+$', '******') END AS family_code,
    f.code_generated_at, f.code_expires_at, f.created_by_user_id,
    (SELECT count(*)::integer FROM app.family_members AS m
     WHERE m.family_unit_id = f.id AND m.status = 'active') AS member_count,
    f.member_limit, f.approval_required, f.created_at
FROM app.family_units AS f;

COMMENT ON VIEW app.console_families IS 'Families as the console shows them.';

-- removed_by tells who ended a membership or a request to join. The entry that the same transaction
-- added to the audit log has the label of an operator, for whom removed_by is null, and tells a
-- request from a membership. The limit in time keeps the search short. Once the entry is deleted,
-- rejected_at still tells a rejected request.
CREATE OR REPLACE VIEW app.console_members AS
SELECT m.id, m.family_unit_id, app.shown_text(f.family_name) AS family_name, m.user_id,
    app.shown_name(u.id, u.full_name, m.user_kind) AS full_name,
    app.shown_address(u.email) AS email,
    m.role, m.household_role, m.status, m.user_kind = 'managed' AS is_managed, m.parent_user_id,
    m.joined_via, m.vouched, m.added_at, m.removed_at,
    (SELECT app.shown_name(g.id, g.full_name, g.kind) FROM app.users AS g
     WHERE g.id = m.parent_user_id) AS guardian_name,
    u.blocked_at IS NOT NULL AS is_blocked,
    EXISTS (SELECT FROM app.operators AS o WHERE o.user_id = m.user_id) AS is_operator,
    CASE WHEN m.status = 'removed' THEN m.removed_by IS NOT DISTINCT FROM m.user_id
        END AS has_left,
    CASE WHEN m.status = 'removed' THEN coalesce(
        e.was = 'invited', m.rejected_at = m.removed_at, false) END AS was_waiting,
    CASE WHEN m.status = 'removed' AND m.removed_by IS DISTINCT FROM m.user_id THEN coalesce(
        (SELECT app.shown_name(r.id, r.full_name, r.kind) FROM app.users AS r
         WHERE r.id = m.removed_by),
        app.shown_label(e.actor_label)) END AS remover,
    m.is_creator
FROM app.family_members AS m
JOIN app.family_units AS f ON f.id = m.family_unit_id
JOIN app.users AS u ON u.id = m.user_id
LEFT JOIN LATERAL (
    SELECT a.actor_label, a.details ->> 'was' AS was FROM app.audit_log AS a
    WHERE m.status = 'removed' AND a.family_unit_id = m.family_unit_id
        AND a.at BETWEEN m.removed_at AND m.removed_at + interval '10 minutes'
        AND a.target_id = m.id
        AND a.action IN ('member.leave', 'member.remove', 'managed.remove')
    ORDER BY a.at, a.id LIMIT 1) AS e ON true;

COMMENT ON VIEW app.console_members IS 'Memberships as the console shows them.';

CREATE OR REPLACE VIEW app.console_invitations AS
SELECT i.id, i.family_unit_id, app.shown_text(f.family_name) AS family_name, i.invited_by,
    coalesce(app.shown_text(i.invited_by_key), app.shown_name(u.id, u.full_name, u.kind))
        AS inviter_name,
    app.shown_address(i.invited_email) AS invited_email, i.role, i.household_role,
    CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired'
         ELSE i.status END AS status,
    i.delivery, i.created_at, i.expires_at, i.sent_count, i.last_sent_at,
    CASE WHEN i.delivery = 'email' THEN
        CASE WHEN i.delivery_generation = i.generation THEN i.delivery_status
             WHEN i.status IN ('pending', 'expired') AND i.expires_at <= now() THEN 'failed'
             ELSE 'queued' END
    END AS delivery_status
FROM app.family_invitations AS i
JOIN app.family_units AS f ON f.id = i.family_unit_id
LEFT JOIN app.users AS u ON u.id = i.invited_by;

COMMENT ON VIEW app.console_invitations IS 'Invitations as the console shows them.';

-- The operators to whose address an invitation goes.
CREATE OR REPLACE VIEW app.console_invited_operators AS
SELECT i.id AS invitation_id, o.user_id
FROM app.family_invitations AS i
CROSS JOIN LATERAL (
    SELECT u.id FROM app.users AS u WHERE u.mailbox = i.mailbox
    UNION
    SELECT e.user_id FROM app.email_sign_ins AS e
    WHERE e.mailbox = i.mailbox AND e.removed_at IS NULL) AS p
JOIN app.operators AS o ON o.user_id = p.id;

COMMENT ON VIEW app.console_invited_operators IS
    'Operators to whose address an invitation goes.';

CREATE OR REPLACE VIEW app.console_audit AS
SELECT a.family_unit_id, a.id, a.at, a.actor_user_id, app.shown_label(a.actor_label) AS actor_label,
    a.subject_user_id, a.action, a.target_id, app.shown_payload(a.details) AS details,
    coalesce((SELECT u.kind = 'managed' FROM app.users AS u
              WHERE u.id = a.subject_user_id), false) AS is_subject_managed,
    coalesce((SELECT u.kind = 'managed' FROM app.users AS u
              WHERE u.id = a.target_id), false) AS is_target_managed,
    (SELECT app.shown_name(u.id, u.full_name, u.kind) FROM app.users AS u
     WHERE u.id = a.actor_user_id) AS actor_name,
    (SELECT app.shown_name(u.id, u.full_name, u.kind) FROM app.users AS u
     WHERE u.id = a.subject_user_id) AS subject_name,
    (SELECT app.shown_text(f.family_name) FROM app.family_units AS f
     WHERE f.id = a.family_unit_id) AS family_name,
    a.request_id
FROM app.audit_log AS a;

COMMENT ON VIEW app.console_audit IS 'The audit log as the console shows it.';

CREATE OR REPLACE VIEW app.console_sessions_of_people AS
SELECT s.user_id, s.id, s.method, s.issuer, app.shown_free_text(s.device) AS device,
    s.started_at, s.last_used_at, s.ends_at,
    s.parent_id
FROM app.sessions AS s WHERE s.ended_at IS NULL AND s.ends_at > now();

COMMENT ON VIEW app.console_sessions_of_people IS 'Sessions that have not ended.';

CREATE OR REPLACE VIEW app.console_sign_ins AS
SELECT l.id, l.at, l.user_id, l.kind, l.way, l.browser, l.network, l.more
FROM app.sign_ins_log AS l;

COMMENT ON VIEW app.console_sign_ins IS 'The log of sign-ins as the console shows it.';

CREATE OR REPLACE VIEW app.console_jobs AS
SELECT j.id, j.state, j.queue, j.kind, j.family_unit_id, j.attempt, j.max_attempts, j.crashes,
    j.enqueued_at, j.run_at, j.not_after, NULL::timestamptz AS died_at,
    app.shown_text(j.last_error) AS last_error,
    app.shown_payload(j.payload) AS payload
FROM jobs.live AS j
UNION ALL
SELECT d.id, 'dead', d.queue, d.kind, d.family_unit_id, d.attempt, d.max_attempts, d.crashes,
    d.enqueued_at, d.run_at, d.not_after, d.died_at, app.shown_text(d.last_error),
    app.shown_payload(d.payload)
FROM jobs.dead AS d;

COMMENT ON VIEW app.console_jobs IS 'Waiting, running and dead jobs as the console shows them.';

CREATE OR REPLACE VIEW app.console_dead_jobs AS
SELECT e.queue, e.kind, app.error_group(e.error) AS error, sum(e.jobs)::bigint AS jobs,
    min(e.first_at) AS first_at, max(e.last_at) AS last_at
FROM jobs.dead_groups() AS e
GROUP BY 1, 2, 3;

COMMENT ON VIEW app.console_dead_jobs IS
    'Numbers of dead jobs by queue, kind and the beginning of their error.';

CREATE OR REPLACE VIEW app.console_held_jobs AS
SELECT j.worker, count(*) AS held FROM jobs.live AS j WHERE j.worker IS NOT NULL GROUP BY 1;

COMMENT ON VIEW app.console_held_jobs IS 'Number of jobs that each worker holds.';

-- The path of the URL is left out, because it may contain a secret.
CREATE OR REPLACE VIEW app.console_webhooks AS
SELECT w.id, substring(w.url FROM '^https?://([^/?#]+)') AS host, w.paused_at, w.failing_since
FROM app.webhook_endpoints AS w;

COMMENT ON VIEW app.console_webhooks IS 'States of webhook endpoints.';

-- Times and ids of the entries of the audit log whose label this role sees as p_label, the newest
-- first, before an entry (p_at, p_id), of a period and with an action (null: any). There are few
-- labels: the operators', those of API keys, and some of jobs. So those that look alike to the role
-- are found first, then the actions of each, every one by one look-up in the index, and then the
-- newest entries of each action.
CREATE OR REPLACE FUNCTION app.console_audit_of_label(
    p_label text, p_action text, p_at timestamptz, p_id uuid, p_from timestamptz,
    p_until timestamptz, p_limit integer
) RETURNS TABLE (at timestamptz, id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50 SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        WITH RECURSIVE label AS (
            (SELECT a.actor_label AS text FROM app.audit_log AS a
             WHERE a.actor_label IS NOT NULL ORDER BY a.actor_label LIMIT 1)
            UNION ALL
            SELECT (SELECT a.actor_label FROM app.audit_log AS a
                    WHERE a.actor_label > l.text ORDER BY a.actor_label LIMIT 1)
            FROM label AS l WHERE l.text IS NOT NULL),
        kind AS (
            SELECT l.text AS label, (
                SELECT a.action FROM app.audit_log AS a
                WHERE a.actor_label = l.text ORDER BY a.action LIMIT 1) AS action
            FROM label AS l WHERE app.shown_label(l.text) = p_label
            UNION ALL
            SELECT k.label, (
                SELECT a.action FROM app.audit_log AS a
                WHERE a.actor_label = k.label AND a.action > k.action
                ORDER BY a.action LIMIT 1)
            FROM kind AS k WHERE k.action IS NOT NULL)
        SELECT e.at, e.id
        FROM kind AS k
        CROSS JOIN LATERAL (
            SELECT a.at, a.id FROM app.audit_log AS a
            WHERE a.actor_label = k.label AND a.action = k.action
                AND a.at <= coalesce(p_at, 'infinity')
                AND (a.at, a.id) < (coalesce(p_at, 'infinity'),
                    coalesce(p_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
                AND a.at >= coalesce(p_from, '-infinity')
                AND a.at < coalesce(p_until, 'infinity')
            ORDER BY a.at DESC, a.id DESC LIMIT p_limit) AS e
        WHERE p_action IS NULL OR k.action = p_action
        ORDER BY e.at DESC, e.id DESC LIMIT p_limit;
END $$;

COMMENT ON FUNCTION app.console_audit_of_label(
    text, text, timestamptz, uuid, timestamptz, timestamptz, integer) IS
    'Times and ids of the entries of the audit log by an actor''s label.';

-- Ids of people found by a full address, which may be a further one that signs in, or by the
-- beginning of a name or an address. A viewer finds nobody by a part of an address, and by name no
-- child and nobody whose name contains an address; of all whose name begins with the text, only the
-- first thousand are looked at for a viewer.
CREATE OR REPLACE FUNCTION app.console_find_people(p_text text, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10 SET search_path = '' AS $$
DECLARE
    v_prefix constant text := lower(p_text);
    v_sees_everything constant boolean := app.sees_everything();
BEGIN
    RETURN QUERY SELECT p.id FROM app.people_of_address(p_text) AS p LIMIT p_limit;
    IF FOUND OR char_length(v_prefix) < 2 THEN
        RETURN;
    END IF;
    IF v_sees_everything THEN
        RETURN QUERY SELECT u.id FROM app.users AS u
            WHERE u.mailbox ~>=~ v_prefix AND u.mailbox ~<~ app.end_of_prefix(v_prefix)
            ORDER BY u.mailbox USING ~<~, u.id LIMIT p_limit;
    END IF;
    RETURN QUERY SELECT n.id
        FROM (
            SELECT u.id, u.full_name, u.kind FROM app.users AS u
            WHERE lower(u.full_name) ~>=~ v_prefix
                AND lower(u.full_name) ~<~ app.end_of_prefix(v_prefix)
            ORDER BY lower(u.full_name) USING ~<~, u.id
            LIMIT CASE WHEN v_sees_everything THEN p_limit ELSE 1000 END) AS n
        WHERE v_sees_everything
            OR (app.shown_text(n.full_name) = n.full_name AND NOT app.is_child(n.id, n.kind))
        ORDER BY lower(n.full_name) USING ~<~, n.id LIMIT p_limit;
END $$;

COMMENT ON FUNCTION app.console_find_people(text, integer) IS
    'Ids of people with an address, or who sign in with it, or whose name or address begins with a '
    'text.';

-- Ids of families found by a valid code, or by the beginning of the name. A viewer finds no family
-- whose name contains an address, and searches only the first thousand names.
CREATE OR REPLACE FUNCTION app.console_find_families(
    p_text text, p_code text, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10 SET search_path = '' AS $$
DECLARE
    v_prefix constant text := lower(p_text);
    v_sees_everything constant boolean := app.sees_everything();
BEGIN
    RETURN QUERY SELECT c.family_unit_id FROM app.family_codes AS c
        WHERE c.code = p_code AND c.state = 'live';
    RETURN QUERY SELECT n.id
        FROM (
            SELECT f.id, f.family_name FROM app.family_units AS f
            WHERE lower(f.family_name) ~>=~ v_prefix
                AND lower(f.family_name) ~<~ app.end_of_prefix(v_prefix)
            ORDER BY lower(f.family_name) USING ~<~, f.id
            LIMIT CASE WHEN v_sees_everything THEN p_limit ELSE 1000 END) AS n
        WHERE v_sees_everything OR app.shown_text(n.family_name) = n.family_name
        ORDER BY lower(n.family_name) USING ~<~, n.id LIMIT p_limit;
END $$;

COMMENT ON FUNCTION app.console_find_families(text, text, integer) IS
    'Ids of families with a code, or whose name begins with a text.';

-- Ids of the open invitations to a full address, the newest first. A viewer, who can find people by
-- their full address, finds them too.
CREATE OR REPLACE FUNCTION app.console_find_invitations(p_text text, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = '' AS $$
    SELECT i.id FROM app.family_invitations AS i
    WHERE i.mailbox = app.mailbox_of(p_text) AND i.status = 'pending'
    ORDER BY i.created_at DESC, i.id DESC LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_find_invitations(text, integer) IS
    'Ids of the open invitations to an address.';

GRANT SELECT ON app.console_people, app.console_families, app.console_members,
    app.console_invitations, app.console_invited_operators, app.console_audit,
    app.console_sign_in_addresses, app.console_sessions_of_people, app.console_sign_ins,
    app.console_jobs, app.console_dead_jobs, app.console_held_jobs, app.console_webhooks
    TO hearth_admin, hearth_viewer;
GRANT EXECUTE ON FUNCTION
    app.sees_everything(), app.initials(text), app.is_child(uuid, text),
    app.shown_name(uuid, text, text), app.shown_address(text), app.shown_label(text),
    app.shown_payload(jsonb), app.shown_text(text), app.shown_free_text(text),
    app.error_group(text),
    app.console_find_people(text, integer), app.console_find_families(text, text, integer),
    app.console_find_invitations(text, integer),
    app.console_audit_of_label(
        text, text, timestamptz, uuid, timestamptz, timestamptz, integer)
    TO hearth_admin, hearth_viewer;
