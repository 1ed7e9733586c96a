-- The console for operators (hearth-console): its passkeys, one-time links and sessions, and the
-- role hearth_viewer, which reads for operators with the role `viewer`.
--
-- Operators' passkeys belong to the console, not to the account: they are bound to another address
-- than those of the app, and a one-time link of hearth-admin leads to the first one. All three
-- tables refer to app.operators, so everything ends at the moment when the role is revoked.
-- Only hashes of links and sessions are stored, and only functions (console.sql) read the tables.
--
-- hearth_viewer reads no table with personal data, only views (console_views.sql), which show no
-- payload, mask addresses, and shorten children's names to initials. The same views show everything
-- to hearth_admin, so both roles run the same statements.
--
-- method: how the operator signed in. 'proxy': a trusted proxy sent the operator's name. 'code':
-- with a mailed code, which belongs to an e-mail token with the purpose 'console'.

CREATE TABLE app.console_passkeys (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    label text,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    CONSTRAINT console_passkeys_pkey PRIMARY KEY (id),
    CONSTRAINT console_passkeys_operator_fkey FOREIGN KEY (user_id)
        REFERENCES app.operators (user_id) ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT console_passkeys_credential_size CHECK (
        octet_length(credential_id) BETWEEN 1 AND 1023),
    CONSTRAINT console_passkeys_key_size CHECK (octet_length(public_key) BETWEEN 1 AND 2048),
    CONSTRAINT console_passkeys_counter_range CHECK (counter BETWEEN 0 AND 4294967295),
    CONSTRAINT console_passkeys_label_form CHECK (
        char_length(label) BETWEEN 1 AND 80 AND label !~ '[[:cntrl:]]'),
    CONSTRAINT console_passkeys_backup_form CHECK (is_backup_eligible OR NOT is_backed_up)
);

CREATE UNIQUE INDEX console_passkeys_credential_id
    ON app.console_passkeys (sha256(credential_id));
CREATE INDEX console_passkeys_user ON app.console_passkeys (user_id);

COMMENT ON TABLE app.console_passkeys IS 'Passkeys of operators, for the console only.';

ALTER TABLE app.console_passkeys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY console_passkeys_owner ON app.console_passkeys TO hearth_owner
    USING (true) WITH CHECK (true);

CREATE TABLE app.console_links (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT console_links_pkey PRIMARY KEY (token_hash),
    -- An operator has one link: a new one replaces it.
    CONSTRAINT console_links_user_key UNIQUE (user_id),
    CONSTRAINT console_links_operator_fkey FOREIGN KEY (user_id)
        REFERENCES app.operators (user_id) ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT console_links_hash_size CHECK (octet_length(token_hash) = 32)
);

COMMENT ON TABLE app.console_links IS 'One-time links with which operators sign in to the console.';

ALTER TABLE app.console_links ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY console_links_owner ON app.console_links TO hearth_owner
    USING (true) WITH CHECK (true);

CREATE TABLE app.console_sessions (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    method text NOT NULL,
    -- Time of the last authentication. Some actions require it to be at most ten minutes old.
    proved_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz NOT NULL DEFAULT now(),
    ends_at timestamptz NOT NULL,
    browser text,
    CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash),
    CONSTRAINT console_sessions_operator_fkey FOREIGN KEY (user_id)
        REFERENCES app.operators (user_id) ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT console_sessions_hash_size CHECK (octet_length(token_hash) = 32),
    CONSTRAINT console_sessions_method_known CHECK (
        method IN ('link', 'passkey', 'proxy', 'code')),
    CONSTRAINT console_sessions_browser_form CHECK (
        char_length(browser) BETWEEN 1 AND 80 AND browser !~ '[[:cntrl:]]')
);

CREATE INDEX console_sessions_user ON app.console_sessions (user_id);

COMMENT ON TABLE app.console_sessions IS 'Sessions of operators in the console.';

ALTER TABLE app.console_sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY console_sessions_owner ON app.console_sessions TO hearth_owner
    USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA app, jobs TO hearth_viewer;
-- These relations contain no payloads. jobs.live and jobs.dead do, so they are read through views.
GRANT SELECT ON jobs.history, jobs.attempts, jobs.workers, jobs.paused_queues, jobs.schedules
    TO hearth_viewer;
CREATE POLICY processes_viewer_reads ON app.processes FOR SELECT TO hearth_viewer USING (true);
CREATE POLICY process_samples_viewer_reads ON app.process_samples
    FOR SELECT TO hearth_viewer USING (true);
GRANT SELECT ON app.processes, app.process_samples TO hearth_viewer;
