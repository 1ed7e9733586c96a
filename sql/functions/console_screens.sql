-- hearth: after console_views.sql, limits.sql, timestamps_ahead.sql
-- What the console shows of webhooks, e-mail and the system. As in console_views.sql, the views
-- show hearth_viewer no whole address, no path of a webhook's address, and no data of events.

-- Maximum number of deliveries that are counted in each state of an endpoint.
CREATE OR REPLACE FUNCTION app.max_counted_deliveries() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10000;

CREATE OR REPLACE VIEW app.console_endpoints AS
SELECT w.id,
    CASE WHEN app.sees_everything() THEN w.url
         ELSE substring(w.url FROM '^https?://[^/?#]+') END AS url,
    app.shown_text(w.description) AS description,
    array_to_string(w.event_types, ' ') AS event_types, w.created_at,
    CASE WHEN w.previous_until > now() THEN w.previous_until END AS previous_until,
    w.paused_at, app.shown_text(w.pause_reason) AS pause_reason, w.failing_since,
    (SELECT count(*) FROM (
        SELECT FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = w.id AND d.state = 'pending'
        LIMIT app.max_counted_deliveries()) AS p) AS pending,
    (SELECT count(*) FROM (
        SELECT FROM app.webhook_deliveries AS d
        JOIN app.webhook_events AS n ON n.number = d.event_number
        WHERE d.endpoint_id = w.id AND d.state = 'failed' AND n.event_type <> 'webhook.test'
        LIMIT app.max_counted_deliveries()) AS f) AS failed,
    (SELECT a.at FROM app.webhook_attempts AS a
     WHERE a.endpoint_id = w.id AND a.outcome = 'delivered'
     ORDER BY a.id DESC LIMIT 1) AS last_delivered_at
FROM app.webhook_endpoints AS w;

COMMENT ON VIEW app.console_endpoints IS 'Webhook endpoints as the console shows them.';

CREATE OR REPLACE VIEW app.console_deliveries AS
SELECT d.endpoint_id, d.event_number, n.id AS event_id, n.event_type, n.family_unit_id,
    n.occurred_at, d.state, d.attempts, d.last_status, d.last_error
FROM app.webhook_deliveries AS d
JOIN app.webhook_events AS n ON n.number = d.event_number;

COMMENT ON VIEW app.console_deliveries IS 'Events of webhooks as the console shows them.';

CREATE OR REPLACE VIEW app.console_webhook_attempts AS
SELECT a.id, a.endpoint_id, a.at, n.event_type, n.id AS event_id, a.outcome, a.status,
    a.duration_ms, a.content_type, a.error
FROM app.webhook_attempts AS a
LEFT JOIN app.webhook_events AS n ON n.number = a.event_number;

COMMENT ON VIEW app.console_webhook_attempts IS
    'Attempts at webhooks as the console shows them.';

-- A page of the addresses that get no e-mail, or only some, the newest first: those after the row
-- with this time and number (null: from the newest). The number orders rows of the same time.
-- Unlike a hash, it tells nothing about the address. Each table is read only as far as the page
-- needs it.
CREATE OR REPLACE FUNCTION app.console_held_off_page(
    p_since timestamptz, p_number bigint, p_limit integer)
RETURNS TABLE (
    email text, state text, since timestamptz, until timestamptz, reason text,
    family_unit_id uuid, number bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT app.shown_address(n.email), n.state, n.since, n.until,
        CASE WHEN app.sees_everything() THEN n.reason ELSE '' END, n.family_unit_id, n.number
    FROM (
        SELECT h.email, h.state, h.since, h.until, h.reason, h.family_unit_id, row_number() OVER (
            PARTITION BY h.since ORDER BY h.email, h.state, h.family_unit_id) AS number
        FROM (
            (SELECT x.email, 'suppressed' AS state, x.since, NULL::timestamptz AS until, x.reason,
                NULL::uuid AS family_unit_id
             FROM app.suppressed_addresses AS x
             WHERE x.since <= coalesce(p_since, 'infinity')
             ORDER BY x.since DESC, x.email LIMIT coalesce(p_number, 0) + p_limit)
            UNION ALL
            (SELECT v.mailbox, 'held_off', v.held_since, v.held_since + app.mail_hold_time(),
                v.reason, NULL
             FROM app.mail_verdicts AS v
             WHERE v.held_since <= coalesce(p_since, 'infinity')
                AND app.is_within(v.held_since, app.mail_hold_time())
             ORDER BY v.held_since DESC, v.mailbox LIMIT coalesce(p_number, 0) + p_limit)
            UNION ALL
            (SELECT r.email, 'no_invitations', r.since, NULL, 'wants no invitations',
                r.family_unit_id
             FROM app.refused_invitations AS r
             WHERE r.since <= coalesce(p_since, 'infinity')
             ORDER BY r.since DESC, r.email, r.family_unit_id
             LIMIT coalesce(p_number, 0) + p_limit)) AS h) AS n
    WHERE p_since IS NULL OR n.since < p_since OR n.number > p_number
    ORDER BY n.since DESC, n.number LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_held_off_page(timestamptz, bigint, integer) IS
    'Addresses that get no e-mail, or only some, as the console shows them.';

CREATE OR REPLACE VIEW app.console_invitation_times AS
SELECT i.created_at, i.closed_at, i.status,
    coalesce(i.delivery_status = 'failed' AND i.delivery_generation = i.generation, false) AS failed
FROM app.family_invitations AS i;

COMMENT ON VIEW app.console_invitation_times IS
    'Times and outcomes of invitations, for the plots of the console.';

CREATE OR REPLACE VIEW app.console_issuers AS
SELECT i.issuer, i.kind, i.is_primary, i.emails_confirmed, i.audiences, i.token_use,
    i.links_verified_addresses
FROM app.trusted_issuers AS i;

COMMENT ON VIEW app.console_issuers IS 'Issuers that the database trusts.';

-- Passkeys of an account, without credentials and keys.
CREATE OR REPLACE FUNCTION app.console_passkeys_of_person(p_user uuid)
RETURNS TABLE (
    id uuid, label text, is_backed_up boolean, created_at timestamptz, last_used_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT k.id, app.shown_free_text(k.label), k.is_backed_up, k.created_at, k.last_used_at
    FROM app.passkeys AS k WHERE k.user_id = p_user ORDER BY k.created_at, k.id LIMIT 100
$$;

COMMENT ON FUNCTION app.console_passkeys_of_person(uuid) IS
    'Passkeys of an account as the console shows them.';

-- Reasons why a mailbox, spelt as p_email, gets no e-mail, or only some; no row if it gets all.
-- Refusals of the invitations of single families come last.
CREATE OR REPLACE FUNCTION app.mail_state_of_mailbox(
    p_mailbox text, p_email text, p_limit integer)
RETURNS TABLE (
    email text, state text, since timestamptz, until timestamptz, reason text,
    family_unit_id uuid)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT app.shown_address(p_email), h.state, h.since, h.until,
        CASE WHEN app.sees_everything() THEN h.reason ELSE '' END, h.family_unit_id
    FROM (
        SELECT 'suppressed' AS state, x.since, NULL::timestamptz AS until, x.reason,
            NULL::uuid AS family_unit_id
        FROM app.suppressed_addresses AS x WHERE x.mailbox = p_mailbox
        UNION ALL
        SELECT 'held_off', v.held_since, v.held_since + app.mail_hold_time(), v.reason, NULL
        FROM app.mail_verdicts AS v
        WHERE v.mailbox = p_mailbox AND app.is_within(v.held_since, app.mail_hold_time())
        -- There is one index for refusals of all families, and one for those of single families.
        UNION ALL
        SELECT 'no_invitations', r.since, NULL, 'wants no invitations', NULL
        FROM app.refused_invitations AS r
        WHERE r.mailbox = p_mailbox AND r.family_unit_id IS NULL
        UNION ALL
        SELECT 'no_invitations', r.since, NULL, 'wants no invitations', r.family_unit_id
        FROM app.refused_invitations AS r
        WHERE r.mailbox = p_mailbox AND r.family_unit_id IS NOT NULL) AS h
    ORDER BY h.family_unit_id IS NOT NULL, h.since DESC, h.state, h.family_unit_id LIMIT p_limit
$$;

-- Reasons why the address of a person gets no e-mail, or only some.
DROP FUNCTION IF EXISTS app.console_mail_state(uuid);
CREATE OR REPLACE FUNCTION app.console_mail_state(p_user uuid, p_limit integer)
RETURNS TABLE (
    email text, state text, since timestamptz, until timestamptz, reason text,
    family_unit_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT s.email, s.state, s.since, s.until, s.reason, s.family_unit_id
    FROM app.users AS u
    CROSS JOIN LATERAL app.mail_state_of_mailbox(u.mailbox, u.email, p_limit) WITH ORDINALITY
        AS s (email, state, since, until, reason, family_unit_id, position)
    WHERE u.id = p_user ORDER BY s.position
$$;

COMMENT ON FUNCTION app.console_mail_state(uuid, integer) IS
    'Reasons why the address of a person gets no e-mail, or only some.';

-- Reasons why a full address gets no e-mail, or only some. A viewer, who can find people by their
-- full address, learns them too, but not the words of a mail server or an operator.
CREATE OR REPLACE FUNCTION app.console_mail_state_of(p_email text, p_limit integer)
RETURNS TABLE (
    email text, state text, since timestamptz, until timestamptz, reason text,
    family_unit_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT s.email, s.state, s.since, s.until, s.reason, s.family_unit_id
    FROM app.mail_state_of_mailbox(app.mailbox_of(p_email), p_email, p_limit) WITH ORDINALITY
        AS s (email, state, since, until, reason, family_unit_id, position)
    ORDER BY s.position
$$;

COMMENT ON FUNCTION app.console_mail_state_of(text, integer) IS
    'Reasons why an address gets no e-mail, or only some.';

-- The latest e-mails to an account, the newest first: those that wait or are being sent, discarded
-- ones, and finished ones, as long as the history has them. Invitations, and codes with which
-- somebody signs up, name no account (app.console_mails_to). The state of a finished one is its
-- outcome.
DROP FUNCTION IF EXISTS app.console_dead_mails(uuid, integer);
CREATE OR REPLACE FUNCTION app.console_mails(p_user uuid, p_limit integer)
RETURNS TABLE (
    id bigint, kind text, state text, enqueued_at timestamptz, ended_at timestamptz,
    failures smallint, last_error text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 20 SET search_path = '' AS $$
    SELECT m.id, m.kind, m.state, m.enqueued_at, m.ended_at, m.attempt,
        app.shown_text(m.last_error)
    FROM (
        (SELECT j.id, j.kind, j.state, j.enqueued_at, NULL::timestamptz AS ended_at, j.attempt,
            j.last_error
         FROM jobs.live AS j
         WHERE j.queue = 'mail' AND j.payload ->> 'recipient' = p_user::text
         ORDER BY j.id DESC LIMIT p_limit)
        UNION ALL
        (SELECT d.id, d.kind, 'dead', d.enqueued_at, d.died_at, d.attempt, d.last_error
         FROM jobs.dead AS d
         WHERE d.queue = 'mail' AND d.payload ->> 'recipient' = p_user::text
         ORDER BY d.id DESC LIMIT p_limit)
        UNION ALL
        (SELECT h.id, h.kind, h.outcome, h.enqueued_at, h.finished_at, h.attempt, NULL
         FROM jobs.history AS h
         WHERE h.recipient = p_user
         ORDER BY h.finished_at DESC LIMIT p_limit)) AS m
    ORDER BY m.id DESC LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_mails(uuid, integer) IS
    'The latest e-mails to an account with their states, as the console shows them.';

-- The latest e-mails with codes and links to a full address that belonged to no account, and those
-- with which an account's address is changed to it, the newest first: as long as their tokens are
-- stored, until a day after they have expired. The job of a change names the account, and once it
-- is finished, no longer the token: then the time tells which it was. Invitations are found by the
-- address themselves, and show their e-mail's outcome.
--
-- Each token has one job. The history is read last, because it could have another code that was
-- mailed to the account just after the change was requested.
CREATE OR REPLACE FUNCTION app.console_mails_to(p_email text, p_limit integer)
RETURNS TABLE (
    id bigint, kind text, state text, enqueued_at timestamptz, ended_at timestamptz,
    failures smallint, last_error text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 20 SET search_path = '' AS $$
    WITH token AS MATERIALIZED (
        SELECT t.id, coalesce(t.user_id, t.id) AS recipient, t.opened_at
        FROM app.email_tokens AS t WHERE t.mailbox = app.mailbox_of(p_email)
        ORDER BY t.opened_at DESC, t.id LIMIT p_limit)
    SELECT m.id, m.kind, m.state, m.enqueued_at, m.ended_at, m.attempt,
        app.shown_text(m.last_error)
    FROM token AS t
    CROSS JOIN LATERAL (
        SELECT j.id, j.kind, j.state, j.enqueued_at, NULL::timestamptz AS ended_at, j.attempt,
            j.last_error, 1 AS place
        FROM jobs.live AS j
        WHERE j.queue = 'mail' AND j.payload ->> 'recipient' = t.recipient::text
            AND j.kind = 'mail.ticket' AND j.payload ->> 'ticket' = t.id::text
        UNION ALL
        SELECT d.id, d.kind, 'dead', d.enqueued_at, d.died_at, d.attempt, d.last_error, 2
        FROM jobs.dead AS d
        WHERE d.queue = 'mail' AND d.payload ->> 'recipient' = t.recipient::text
            AND d.kind = 'mail.ticket' AND d.payload ->> 'ticket' = t.id::text
        UNION ALL
        SELECT h.id, h.kind, h.outcome, h.enqueued_at, h.finished_at, h.attempt, NULL, 3
        FROM jobs.history AS h
        WHERE h.recipient = t.recipient AND h.kind = 'mail.ticket' AND (
            t.recipient = t.id
            OR h.enqueued_at BETWEEN t.opened_at AND t.opened_at + interval '10 seconds')
        ORDER BY place, enqueued_at LIMIT 1) AS m
    ORDER BY m.id DESC LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_mails_to(text, integer) IS
    'The latest codes and links mailed to an address without an account, with their states.';

-- Consents that a person has given for itself (method `self`) or for a child, and those that others
-- have given for the person, the newest first. An ended consent was withdrawn, unless another one
-- has replaced it in the same transaction.
CREATE OR REPLACE FUNCTION app.console_consents(p_user uuid, p_limit integer)
RETURNS TABLE (
    purpose text, version text, method text, state text, given_at timestamptz,
    ended_at timestamptz, subject_id uuid, subject_name text, giver_id uuid, giver_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT c.purpose, c.version, c.method,
        CASE WHEN c.ended_at IS NULL THEN 'in_force' WHEN c.is_replaced THEN 'replaced'
             ELSE 'withdrawn' END,
        c.given_at, c.ended_at, c.subject_id,
        (SELECT app.shown_name(u.id, u.full_name, u.kind) FROM app.users AS u
         WHERE u.id = c.subject_id),
        c.giver_id,
        (SELECT app.shown_name(u.id, u.full_name, u.kind) FROM app.users AS u
         WHERE u.id = c.giver_id)
    FROM (
        SELECT a.purpose, a.version, 'self' AS method, a.given_at, a.ended_at,
            a.user_id AS subject_id, a.user_id AS giver_id, a.id, EXISTS (
                SELECT FROM app.account_consents AS n
                WHERE n.user_id = a.user_id AND n.purpose = a.purpose
                    AND n.given_at = a.ended_at) AS is_replaced
        FROM app.account_consents AS a WHERE a.user_id = p_user
        UNION ALL
        SELECT g.purpose, g.version, g.method, g.given_at, g.ended_at, m.user_id, g.given_by, g.id,
            EXISTS (
                SELECT FROM app.consents AS n
                WHERE n.member_id = g.member_id AND n.purpose = g.purpose
                    AND n.given_at = g.ended_at)
        FROM (
            SELECT x.* FROM app.consents AS x WHERE x.given_by = p_user
            UNION
            SELECT x.* FROM app.family_members AS f JOIN app.consents AS x ON x.member_id = f.id
            WHERE f.user_id = p_user) AS g
        JOIN app.family_members AS m ON m.id = g.member_id
        ORDER BY given_at DESC, id DESC LIMIT p_limit) AS c
    ORDER BY c.given_at DESC, c.id DESC
$$;

COMMENT ON FUNCTION app.console_consents(uuid, integer) IS
    'Consents that a person has given, and those given for the person, as the console shows them.';

-- Names of the guardians of each child of a family, the primary guardian first.
CREATE OR REPLACE FUNCTION app.console_guardians(p_family uuid)
RETURNS TABLE (member_id uuid, guardian_names text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT g.member_id, array_agg(
        coalesce(app.shown_name(u.id, u.full_name, u.kind), u.id::text)
        ORDER BY (g.guardian_user_id IS NOT DISTINCT FROM m.parent_user_id) DESC, g.since, g.slot)
    FROM app.guardianships AS g
    JOIN app.family_members AS m ON m.id = g.member_id
    JOIN app.users AS u ON u.id = g.guardian_user_id
    WHERE g.family_unit_id = p_family GROUP BY g.member_id ORDER BY g.member_id
$$;

COMMENT ON FUNCTION app.console_guardians(uuid) IS
    'Names of the guardians of each child of a family.';

-- The children whose guardian a person is, and the guardians of a child, the primary one first.
DROP FUNCTION IF EXISTS app.console_guardianships(uuid);
CREATE OR REPLACE FUNCTION app.console_guardianships(p_user uuid, p_limit integer)
RETURNS TABLE (
    family_unit_id uuid, family_name text, child_id uuid, child_name text, guardian_id uuid,
    guardian_name text, is_primary boolean, since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT g.family_unit_id, app.shown_text(f.family_name), c.id,
        app.shown_name(c.id, c.full_name, c.kind), a.id,
        app.shown_name(a.id, a.full_name, a.kind),
        g.guardian_user_id IS NOT DISTINCT FROM m.parent_user_id, g.since
    FROM (
        SELECT x.* FROM app.guardianships AS x WHERE x.guardian_user_id = p_user
        UNION ALL
        SELECT x.* FROM app.family_members AS o JOIN app.guardianships AS x ON x.member_id = o.id
        WHERE o.user_id = p_user) AS g
    JOIN app.family_members AS m ON m.id = g.member_id
    JOIN app.users AS c ON c.id = m.user_id
    JOIN app.users AS a ON a.id = g.guardian_user_id
    JOIN app.family_units AS f ON f.id = g.family_unit_id
    ORDER BY 7 DESC, g.since, g.member_id, g.guardian_user_id LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_guardianships(uuid, integer) IS
    'The children whose guardian a person is, and the guardians of a child.';

-- The children for whose sake the erasure of an account is refused: those who would have no
-- guardian without it.
CREATE OR REPLACE FUNCTION app.console_sole_guardianships(p_user uuid, p_limit integer)
RETURNS TABLE (family_unit_id uuid, child_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT c.family_unit_id, app.shown_name(u.id, u.full_name, u.kind)
    FROM app.children_without_other_guardian(p_user) AS c JOIN app.users AS u ON u.id = c.user_id
    ORDER BY c.added_at, c.id LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_sole_guardianships(uuid, integer) IS
    'The children who would have no guardian without an account.';

-- Ids of the open invitations to a person's address, and of those with which a child gets an
-- account of its own, the newest first.
CREATE OR REPLACE FUNCTION app.console_invitations_of_person(p_user uuid, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT x.id
    FROM (
        SELECT i.id, i.created_at
        FROM app.users AS u JOIN app.family_invitations AS i ON i.mailbox = u.mailbox
        WHERE u.id = p_user AND i.status = 'pending'
        UNION
        SELECT i.id, i.created_at
        FROM app.family_members AS m JOIN app.family_invitations AS i ON i.graduate_id = m.id
        WHERE m.user_id = p_user AND i.status = 'pending') AS x
    ORDER BY x.created_at DESC, x.id DESC LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_invitations_of_person(uuid, integer) IS
    'Ids of the open invitations to a person''s address, or to a child to have an account.';

-- Ids of the families in which somebody waits for approval, in their order, after an id (null: from
-- the beginning).
CREATE OR REPLACE FUNCTION app.console_waiting_families(p_after uuid, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT DISTINCT m.family_unit_id FROM app.family_members AS m
    WHERE m.status = 'invited'
        AND m.family_unit_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    ORDER BY m.family_unit_id LIMIT p_limit
$$;

COMMENT ON FUNCTION app.console_waiting_families(uuid, integer) IS
    'Ids of the families in which somebody waits for approval.';

-- Ids of the families by name, after a name and an id (null: from the beginning), which need not be
-- those of a family any more. Families of the same name are ordered by id, and found by a statement
-- of their own: there can be very many. Where a viewer was shown a name without the address in it
-- (app.shown_text), the present name of the family with this id counts.
DROP FUNCTION IF EXISTS app.console_families_by_name(uuid, integer);
CREATE OR REPLACE FUNCTION app.console_families_by_name(
    p_after_name text, p_after uuid, p_limit integer)
RETURNS TABLE (id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_name constant text := lower(coalesce(
        CASE WHEN strpos(p_after_name, '<address>') > 0 AND NOT app.sees_everything() THEN
            (SELECT f.family_name FROM app.family_units AS f WHERE f.id = p_after) END,
        p_after_name, ''));
    v_count integer := 0;
BEGIN
    IF p_after IS NOT NULL THEN
        RETURN QUERY SELECT f.id FROM app.family_units AS f
            WHERE lower(f.family_name) = v_name AND f.id > p_after
            ORDER BY f.id LIMIT p_limit;
        GET DIAGNOSTICS v_count = ROW_COUNT;
    END IF;
    RETURN QUERY SELECT f.id FROM app.family_units AS f
        WHERE lower(f.family_name) ~>~ v_name
        ORDER BY lower(f.family_name) USING ~<~, f.id LIMIT p_limit - v_count;
END $$;

COMMENT ON FUNCTION app.console_families_by_name(text, uuid, integer) IS
    'Ids of the families in the order of their names.';

GRANT SELECT ON app.console_endpoints, app.console_deliveries, app.console_webhook_attempts,
    app.console_invitation_times, app.console_issuers
    TO hearth_admin, hearth_viewer;
-- A view runs functions with the rights of its reader.
GRANT EXECUTE ON FUNCTION app.max_counted_deliveries() TO hearth_admin, hearth_viewer;
GRANT EXECUTE ON FUNCTION
    app.console_held_off_page(timestamptz, bigint, integer),
    app.console_passkeys_of_person(uuid), app.console_mail_state(uuid, integer),
    app.console_mail_state_of(text, integer), app.console_mails_to(text, integer),
    app.console_mails(uuid, integer), app.console_consents(uuid, integer),
    app.console_guardians(uuid), app.console_guardianships(uuid, integer),
    app.console_invitations_of_person(uuid, integer),
    app.console_waiting_families(uuid, integer),
    app.console_families_by_name(text, uuid, integer)
    TO hearth_admin, hearth_viewer;
-- Only admins erase accounts.
GRANT EXECUTE ON FUNCTION app.console_sole_guardianships(uuid, integer) TO hearth_admin;

DROP FUNCTION IF EXISTS app.shown_name(text, text);
DROP FUNCTION IF EXISTS app.shown_error(text);
