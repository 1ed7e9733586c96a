-- API keys: with them the backend of an app reads families and people, and sends invitations.
--
-- A key is shown once, when an operator creates it; only its SHA-256 is stored. A rotation gives
-- the key a new secret, and the previous one stays valid until previous_until.
--
-- The role hearth_server serves requests with keys. The function that begins such a request
-- (servers.sql) stores the hash of the presented key in a setting of the transaction; live_key
-- shows only the key with this hash, and no key that was revoked or has expired. Policies and views
-- compare with the scopes of that key. So whoever can run SQL as hearth_server sees nothing without
-- a valid key.
--
-- Invitations from a key have no inviter: invited_by is null, and invited_by_key is the key's name.
-- They must not lead to the Parent Admin's seat. Nobody vouches for the people who accept them. The
-- first entry by such an invitation sets the family's entered_by_key for good. While a family has
-- entered_by_key, everybody who enters it without being vouched for gets entered_after_key. Such a
-- member can't claim the seat, even if nobody has a prior right to it, and does not stand in for an
-- absent creator and Parent Admin (docs/security.md). This includes those who enter later, because
-- the invited person may have brought them: by the code, by an invitation, or as a child that grows
-- up. The mark is on the family because rows of members can lose theirs: a member is vouched for
-- later, or becomes a child that grows up.
--
-- stream_number orders events for GET /api/server/events. It is assigned after the event's commit,
-- by the first read that sees the event (servers.sql). So no number appears below one that was read
-- before, however long the transactions of the events took.

GRANT USAGE ON SCHEMA app TO hearth_server;

CREATE TABLE app.api_keys (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    name text NOT NULL,
    scopes text[] NOT NULL,
    secret_hash bytea NOT NULL,
    previous_hash bytea,
    previous_until timestamptz,
    requests_per_minute integer NOT NULL,
    -- Start of the minute in which requests are counted, and how many of the minute's requests
    -- processes have reserved.
    window_start timestamptz NOT NULL DEFAULT now(),
    window_uses integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    -- To the minute.
    last_used_at timestamptz,
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_secret_hash_key UNIQUE (secret_hash),
    CONSTRAINT api_keys_previous_hash_key UNIQUE (previous_hash),
    CONSTRAINT api_keys_hash_size CHECK (
        octet_length(secret_hash) = 32 AND octet_length(previous_hash) = 32),
    CONSTRAINT api_keys_previous_ends CHECK (
        (previous_hash IS NULL) = (previous_until IS NULL)),
    -- The name is shown in invitations, and in the audit log after `server:`.
    CONSTRAINT api_keys_name_form CHECK (
        char_length(name) BETWEEN 1 AND 60 AND name IS NFC NORMALIZED
        AND name !~ '[[:cntrl:]]' AND name !~ '^[[:space:]]|[[:space:]]$'),
    CONSTRAINT api_keys_scopes_known CHECK (
        cardinality(scopes) > 0 AND scopes <@ ARRAY[
            'families:read', 'members:read', 'people:read', 'people:addresses',
            'invitations:write', 'events:read']),
    CONSTRAINT api_keys_rate_range CHECK (requests_per_minute BETWEEN 1 AND 100000),
    CONSTRAINT api_keys_window_uses_range CHECK (window_uses >= 0)
);

-- The audit log and invitations identify keys by name: no two active keys share a name.
CREATE UNIQUE INDEX api_keys_name ON app.api_keys (name) WHERE revoked_at IS NULL;

COMMENT ON TABLE app.api_keys IS 'Keys with which the servers of apps call the API.';

ALTER TABLE app.api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY api_keys_owner ON app.api_keys TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY api_keys_authz ON app.api_keys FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.api_keys TO hearth_authz;
CREATE POLICY api_keys_operator_reads ON app.api_keys FOR SELECT TO hearth_admin USING (true);
-- All columns except the hashes and the counter of the window.
GRANT SELECT (id, name, scopes, previous_until, requests_per_minute, created_at, expires_at,
    revoked_at, last_used_at) ON app.api_keys TO hearth_admin;

-- Number of requests with each key, by day (UTC): so a stolen key leaves a trace although reads are
-- not in the audit log.
CREATE TABLE app.api_key_uses (
    key_id uuid NOT NULL,
    day date NOT NULL,
    uses bigint NOT NULL,
    CONSTRAINT api_key_uses_pkey PRIMARY KEY (key_id, day),
    CONSTRAINT api_key_uses_key_fkey FOREIGN KEY (key_id)
        REFERENCES app.api_keys (id) ON DELETE CASCADE,
    CONSTRAINT api_key_uses_positive CHECK (uses > 0)
);

COMMENT ON TABLE app.api_key_uses IS 'Number of requests with each API key, by day.';

ALTER TABLE app.api_key_uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY api_key_uses_owner ON app.api_key_uses TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY api_key_uses_operator_reads ON app.api_key_uses
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.api_key_uses TO hearth_admin;

CREATE VIEW app.live_key WITH (security_barrier) AS
SELECT k.id, k.name, k.scopes
FROM app.api_keys AS k
WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
    -- In parentheses the hash is decoded once, and not for each key.
    AND (k.secret_hash = (SELECT decode(nullif(current_setting('hearth.key', true), ''), 'hex'))
         -- An end further ahead was stored by a clock that was ahead (app.max_key_overlap, and a
         -- minute).
         OR (k.previous_hash
                 = (SELECT decode(nullif(current_setting('hearth.key', true), ''), 'hex'))
             AND k.previous_until > now()
             AND k.previous_until <= now() + interval '168 hours 1 minute'));

COMMENT ON VIEW app.live_key IS 'The key of the request; no row if it is not valid.';

CREATE VIEW app.key_scopes WITH (security_barrier) AS
SELECT unnest(k.scopes) AS scope FROM app.live_key AS k;

ALTER VIEW app.live_key OWNER TO hearth_authz;
ALTER VIEW app.key_scopes OWNER TO hearth_authz;
GRANT SELECT ON app.live_key, app.key_scopes TO hearth_server;

CREATE POLICY family_units_server_reads ON app.family_units
    FOR SELECT TO hearth_server
    USING ('families:read' = ANY (ARRAY(SELECT s.scope FROM app.key_scopes AS s)));
-- Not the code, the home or the player details.
GRANT SELECT (id, created_by_user_id, family_name, member_limit, approval_required, created_at,
    updated_at) ON app.family_units TO hearth_server;

CREATE POLICY webhook_events_server_reads ON app.webhook_events
    FOR SELECT TO hearth_server
    USING (event_type <> 'webhook.test' AND occurred_at > now() - interval '7 days'
           AND 'events:read' = ANY (ARRAY(SELECT s.scope FROM app.key_scopes AS s)));
GRANT SELECT (id, event_type, family_unit_id, occurred_at, data, number, stream_number)
    ON app.webhook_events TO hearth_server;
