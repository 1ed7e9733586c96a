-- The sessions that Hearth itself opens, and the newest refresh token of each session.
--
-- A session belongs to an account, and lasts until it is ended or ends_at has passed. An access
-- token names its session, and every request looks the session up, so requests of an ended session
-- are refused at once. last_used_at and ends_at change when a session is refreshed, not with each
-- request.
--
-- Only the SHA-256 of the newest refresh token of a session is kept. A refresh token names its
-- session and generation, and is authenticated by a key that the database does not have. So an
-- earlier token is recognised although it is not stored.
--
-- Hearth's own issuer is one of the trusted issuers, with the kind 'hearth', so that direct clients
-- can use its tokens.
--
-- Locks: ACCESS EXCLUSIVE on app.trusted_issuers, a table of a few rows, for a moment. The foreign
-- key takes app.users for a moment (SHARE ROW EXCLUSIVE). The other tables are new.

CREATE TABLE app.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    method text NOT NULL,
    issuer text COLLATE "C",
    device text,
    started_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    ends_at timestamptz NOT NULL,
    ended_at timestamptz,
    end_reason text,
    CONSTRAINT sessions_pkey PRIMARY KEY (id),
    CONSTRAINT sessions_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT sessions_only_accounts_sign_in CHECK (user_kind = 'account'),
    CONSTRAINT sessions_method_known CHECK (
        method IN ('exchange', 'email', 'password', 'passkey')),
    CONSTRAINT sessions_issuer_of_exchange CHECK ((issuer IS NOT NULL) = (method = 'exchange')),
    CONSTRAINT sessions_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT sessions_device_form CHECK (
        char_length(device) BETWEEN 1 AND 80 AND device !~ '[[:cntrl:]]'),
    CONSTRAINT sessions_end_reason_known CHECK (
        end_reason IN ('signed_out', 'revoked', 'reused', 'operator', 'password', 'replaced',
            'provider', 'moved')),
    CONSTRAINT sessions_ended_has_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);

CREATE INDEX sessions_user ON app.sessions (user_id);
CREATE INDEX sessions_over ON app.sessions ((coalesce(ended_at, ends_at)));

COMMENT ON TABLE app.sessions IS 'Sign-ins that Hearth itself gives tokens for.';
COMMENT ON COLUMN app.sessions.issuer IS
    'Whose token was exchanged for it; null where no other issuer took part.';
COMMENT ON COLUMN app.sessions.device IS 'What the client calls the device.';

CREATE TABLE app.refresh_tokens (
    session_id uuid NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    token_hash bytea NOT NULL,
    issued_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT refresh_tokens_pkey PRIMARY KEY (session_id),
    CONSTRAINT refresh_tokens_session_fkey FOREIGN KEY (session_id) REFERENCES app.sessions (id)
        ON DELETE CASCADE,
    CONSTRAINT refresh_tokens_generation_positive CHECK (generation >= 0),
    CONSTRAINT refresh_tokens_hash_size CHECK (octet_length(token_hash) = 32)
);

COMMENT ON TABLE app.refresh_tokens IS 'SHA-256 of the newest refresh token of each session.';

ALTER TABLE app.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY sessions_owner ON app.sessions TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY sessions_authz ON app.sessions FOR SELECT TO hearth_authz USING (true);
CREATE POLICY sessions_operator_reads ON app.sessions FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.sessions TO hearth_authz, hearth_admin;
ALTER TABLE app.refresh_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.refresh_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY refresh_tokens_owner ON app.refresh_tokens TO hearth_owner
    USING (true) WITH CHECK (true);

ALTER TABLE app.trusted_issuers DROP CONSTRAINT trusted_issuers_kind_known;
ALTER TABLE app.trusted_issuers ADD CONSTRAINT trusted_issuers_kind_known CHECK (
    kind IN ('supabase', 'cognito', 'apple', 'generic', 'hearth')) NOT VALID;
ALTER TABLE app.trusted_issuers VALIDATE CONSTRAINT trusted_issuers_kind_known;
