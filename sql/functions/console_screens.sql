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
    w.description, array_to_string(w.event_types, ' ') AS event_types, w.created_at,
    CASE WHEN w.previous_until > now() THEN w.previous_until END AS previous_until,
    w.paused_at, w.pause_reason, w.failing_since,
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

GRANT SELECT ON app.console_endpoints, app.console_deliveries, app.console_webhook_attempts,
    app.console_invitation_times, app.console_issuers
    TO hearth_admin, hearth_viewer;
-- A view runs functions with the rights of its reader.
GRANT EXECUTE ON FUNCTION app.max_counted_deliveries() TO hearth_admin, hearth_viewer;
GRANT EXECUTE ON FUNCTION app.console_held_off_page(timestamptz, bigint, integer)
    TO hearth_admin, hearth_viewer;
