-- Webhooks: endpoints of operators, events, and deliveries.

-- An endpoint's secret is derived from HEARTH_SECRET_KEY and never stored. secret_hash is the
-- secret's SHA-256, and shows from which key the secret was derived. After a rotation, requests are
-- also signed with the previous secret until previous_until.
--
-- failures is the number of failures since the endpoint's last success. While it is above zero,
-- only one delivery at a time tries the endpoint, and none before retry_at.
CREATE TABLE app.webhook_endpoints (
    id uuid NOT NULL,
    url text NOT NULL,
    description text NOT NULL DEFAULT '',
    -- Empty means all types.
    event_types text[] NOT NULL DEFAULT '{}',
    secret_generation integer NOT NULL DEFAULT 1,
    secret_hash bytea NOT NULL,
    previous_secret_hash bytea,
    previous_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    paused_at timestamptz,
    pause_reason text,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    retry_at timestamptz,
    CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_endpoints_url_form CHECK (
        octet_length(url) <= 2000 AND url ~ '^https?://[^[:space:][:cntrl:]]+$'),
    CONSTRAINT webhook_endpoints_description_form CHECK (description ~ '^[^[:cntrl:]]{0,200}$'),
    CONSTRAINT webhook_endpoints_event_types_known CHECK (event_types <@ ARRAY[
        'member.joined', 'member.left', 'member.removed', 'member.role_changed',
        'managed.created', 'managed.graduated',
        'invitation.created', 'invitation.accepted', 'invitation.declined',
        'family.created', 'family.updated', 'account.erased']),
    CONSTRAINT webhook_endpoints_secret_size CHECK (
        octet_length(secret_hash) = 32 AND octet_length(previous_secret_hash) = 32),
    CONSTRAINT webhook_endpoints_generation_positive CHECK (secret_generation > 0),
    CONSTRAINT webhook_endpoints_previous_ends CHECK (
        (previous_secret_hash IS NULL) = (previous_until IS NULL)),
    CONSTRAINT webhook_endpoints_pause_has_reason CHECK (
        (paused_at IS NULL) = (pause_reason IS NULL)),
    CONSTRAINT webhook_endpoints_failing_form CHECK (
        failures >= 0 AND (failures = 0) = (failing_since IS NULL)
        AND (failures = 0) = (retry_at IS NULL))
);

COMMENT ON TABLE app.webhook_endpoints IS 'Endpoints to which events are sent.';

ALTER TABLE app.webhook_endpoints ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_endpoints_owner ON app.webhook_endpoints TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY webhook_endpoints_operator_reads ON app.webhook_endpoints
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.webhook_endpoints TO hearth_admin;

-- An event contains only ids and words of fixed sets, never names, addresses or codes. Within a
-- family, the numbers of events grow in the order of the changes, because the transaction that
-- records an event holds the lock of the family's row.
CREATE TABLE app.webhook_events (
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    event_type text NOT NULL,
    -- Null if the event belongs to no family. No foreign key, because the event outlasts the
    -- family.
    family_unit_id uuid,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    data jsonb NOT NULL,
    stream_number bigint,
    CONSTRAINT webhook_events_pkey PRIMARY KEY (number),
    CONSTRAINT webhook_events_id_key UNIQUE (id),
    CONSTRAINT webhook_events_stream_number_key UNIQUE (stream_number),
    CONSTRAINT webhook_events_type_known CHECK (event_type IN (
        'member.joined', 'member.left', 'member.removed', 'member.role_changed',
        'managed.created', 'managed.graduated',
        'invitation.created', 'invitation.accepted', 'invitation.declined',
        'family.created', 'family.updated', 'account.erased', 'webhook.test')),
    CONSTRAINT webhook_events_data_form CHECK (
        jsonb_typeof(data) = 'object' AND octet_length(data::text) <= 4096)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX webhook_events_unnumbered ON app.webhook_events (occurred_at)
    WHERE stream_number IS NULL;
CREATE SEQUENCE app.webhook_event_stream;

COMMENT ON TABLE app.webhook_events IS
    'Events that an endpoint wanted, or that an API key could read, when they occurred.';
COMMENT ON COLUMN app.webhook_events.stream_number IS
    'Position among the events that API keys read; null until a read sees the event.';

ALTER TABLE app.webhook_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_events_owner ON app.webhook_events TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY webhook_events_operator_reads ON app.webhook_events
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.webhook_events TO hearth_admin;

-- A delivery is one event for one endpoint. If several deliveries to an endpoint are pending for
-- one family, only the first has a job. So they are sent in order.
CREATE TABLE app.webhook_deliveries (
    endpoint_id uuid NOT NULL,
    event_number bigint NOT NULL,
    family_unit_id uuid,
    state text NOT NULL DEFAULT 'pending',
    attempts integer NOT NULL DEFAULT 0,
    first_failed_at timestamptz,
    settled_at timestamptz,
    -- The HTTP status of the last response; null if there was no response.
    last_status smallint,
    last_error text,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_number),
    CONSTRAINT webhook_deliveries_endpoint_fkey FOREIGN KEY (endpoint_id)
        REFERENCES app.webhook_endpoints (id) ON DELETE CASCADE,
    CONSTRAINT webhook_deliveries_event_fkey FOREIGN KEY (event_number)
        REFERENCES app.webhook_events (number) ON DELETE CASCADE,
    CONSTRAINT webhook_deliveries_state_known CHECK (state IN ('pending', 'delivered', 'failed')),
    CONSTRAINT webhook_deliveries_settled_is_dated CHECK (
        (state = 'pending') = (settled_at IS NULL)),
    CONSTRAINT webhook_deliveries_attempts_positive CHECK (attempts >= 0),
    CONSTRAINT webhook_deliveries_error_size CHECK (octet_length(last_error) <= 500)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX webhook_deliveries_event ON app.webhook_deliveries (event_number);
CREATE INDEX webhook_deliveries_pending
    ON app.webhook_deliveries (endpoint_id, family_unit_id, event_number)
    WHERE state = 'pending';
CREATE INDEX webhook_deliveries_failed ON app.webhook_deliveries (endpoint_id, event_number)
    WHERE state = 'failed';

COMMENT ON TABLE app.webhook_deliveries IS
    'Deliveries of events to endpoints, with their outcomes.';

ALTER TABLE app.webhook_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_deliveries_owner ON app.webhook_deliveries TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY webhook_deliveries_operator_reads ON app.webhook_deliveries
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.webhook_deliveries TO hearth_admin;

-- Attempts at endpoints, without bodies. app.maintain_webhooks keeps the newest thousand of each
-- endpoint, for a week.
CREATE TABLE app.webhook_attempts (
    id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    endpoint_id uuid NOT NULL,
    event_number bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    outcome text NOT NULL,
    status smallint,
    duration_ms integer,
    content_type text,
    error text,
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_attempts_endpoint_fkey FOREIGN KEY (endpoint_id)
        REFERENCES app.webhook_endpoints (id) ON DELETE CASCADE,
    CONSTRAINT webhook_attempts_outcome_known CHECK (outcome IN ('delivered', 'failed', 'gone')),
    CONSTRAINT webhook_attempts_content_type_form CHECK (content_type ~ '^[ -~]{1,100}$'),
    CONSTRAINT webhook_attempts_error_size CHECK (octet_length(error) <= 500)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX webhook_attempts_endpoint ON app.webhook_attempts (endpoint_id, id);

COMMENT ON TABLE app.webhook_attempts IS 'Attempts at webhook endpoints.';

ALTER TABLE app.webhook_attempts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY webhook_attempts_owner ON app.webhook_attempts TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY webhook_attempts_operator_reads ON app.webhook_attempts FOR SELECT TO hearth_admin
    USING (true);
GRANT SELECT ON app.webhook_attempts TO hearth_admin;
