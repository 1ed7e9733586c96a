-- Hearth's own sign-ins: by a code or link sent by e-mail, a password or a passkey; and the
-- sessions that Hearth opens.

-- E-mail tokens: codes and links that are sent to an address, whether or not anybody has that
-- address. The code and the link of a token are derived from its id and a key that the database
-- does not have. link_hash is used to find the token of a link. A code is valid only together with
-- the secret that the client got for the token (the ticket); ticket_hash is the hash of that
-- secret.
--
-- locale: the language of the page or app on which the token was requested, used if no account has
-- the address. return_path: the page to which the token's link leads after signing in. It can be
-- the link of an invitation, so it is encrypted with a key that the database does not have.
--
-- user_id, previous_email: the account whose address a token with the purpose 'change' changes, and
-- its address at the time of the request. That address gets a notice, even if the account's address
-- has changed by the time the notice is sent. A token that a person requests has a ticket, because
-- only its code makes the change; a token that an operator requests has none, because only its link
-- makes the change.
CREATE TABLE app.email_tokens (
    id uuid NOT NULL,
    purpose text NOT NULL,
    email text NOT NULL,
    email_domain text,
    mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    ticket_hash bytea,
    link_hash bytea NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    password_hash text,
    full_name text,
    role text,
    locale text COLLATE "C",
    return_path bytea,
    opened_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    user_id uuid,
    previous_email text,
    CONSTRAINT email_tokens_pkey PRIMARY KEY (id),
    CONSTRAINT email_tokens_user_fkey FOREIGN KEY (user_id) REFERENCES app.users (id)
        ON DELETE CASCADE,
    -- 'console': an operator signs in to the console.
    CONSTRAINT email_tokens_purpose_known CHECK (
        purpose IN ('sign_in', 'sign_up', 'reset', 'change', 'console')),
    CONSTRAINT email_tokens_email_form CHECK (
        email IS NFC NORMALIZED
        AND email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'
        AND octet_length(email) <= 254),
    CONSTRAINT email_tokens_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$'),
    CONSTRAINT email_tokens_hash_sizes CHECK (
        octet_length(ticket_hash) = 32 AND octet_length(link_hash) = 32),
    CONSTRAINT email_tokens_code_has_ticket CHECK (
        purpose = 'change' OR (ticket_hash IS NULL) = (purpose = 'reset')),
    CONSTRAINT email_tokens_change_has_account CHECK (
        (purpose = 'change') = (user_id IS NOT NULL)),
    CONSTRAINT email_tokens_previous_email_size CHECK (octet_length(previous_email) <= 254),
    CONSTRAINT email_tokens_tries_range CHECK (tries BETWEEN 0 AND 5),
    CONSTRAINT email_tokens_sign_up_has_password CHECK (
        (password_hash IS NOT NULL) = (purpose = 'sign_up' AND used_at IS NULL)),
    CONSTRAINT email_tokens_role_known CHECK (role IN ('player', 'parent')),
    CONSTRAINT email_tokens_locale_form CHECK (
        locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND octet_length(locale) <= 35),
    CONSTRAINT email_tokens_return_path_size CHECK (octet_length(return_path) <= 1024)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE UNIQUE INDEX email_tokens_ticket ON app.email_tokens (ticket_hash);
CREATE UNIQUE INDEX email_tokens_link ON app.email_tokens (link_hash);
CREATE INDEX email_tokens_expiry ON app.email_tokens (expires_at);
CREATE INDEX email_tokens_mailbox ON app.email_tokens (mailbox);
CREATE INDEX email_tokens_user ON app.email_tokens (user_id) WHERE user_id IS NOT NULL;

COMMENT ON TABLE app.email_tokens IS 'E-mail tokens: codes and links that are sent to an address.';
COMMENT ON COLUMN app.email_tokens.return_path IS
    'Page to which the token''s link leads after signing in, encrypted.';
COMMENT ON COLUMN app.email_tokens.user_id IS
    'Account whose address the token changes; null for other purposes.';
COMMENT ON COLUMN app.email_tokens.previous_email IS
    'Verified address of that account at the time of the request; null if there was none.';

ALTER TABLE app.email_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY email_tokens_owner ON app.email_tokens TO hearth_owner
    USING (true) WITH CHECK (true);

-- Addresses that people have proved by e-mail. A person who proves an address is signed in to one
-- account. If the account's owner removes this way to sign in, the row stays (removed_at), so that
-- the address does not lead to the account again.
CREATE TABLE app.email_sign_ins (
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    email text NOT NULL,
    email_domain text,
    mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    proved_at timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    CONSTRAINT email_sign_ins_pkey PRIMARY KEY (user_id, email),
    CONSTRAINT email_sign_ins_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT email_sign_ins_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT email_sign_ins_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$')
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE UNIQUE INDEX email_sign_ins_mailbox ON app.email_sign_ins (mailbox)
    WHERE removed_at IS NULL;
CREATE INDEX email_sign_ins_without_a_label ON app.email_sign_ins (user_id)
    WHERE mailbox IS NULL;

COMMENT ON TABLE app.email_sign_ins IS 'Proved addresses, and the accounts to which they lead.';

ALTER TABLE app.email_sign_ins ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY email_sign_ins_owner ON app.email_sign_ins TO hearth_owner
    USING (true) WITH CHECK (true);

-- Passwords, as Argon2id hashes that contain their own parameters and salt (the PHC string format).
CREATE TABLE app.passwords (
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    hash text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT passwords_pkey PRIMARY KEY (user_id),
    CONSTRAINT passwords_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT passwords_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT passwords_hash_form CHECK (
        hash ~ '^\$argon2id\$' AND octet_length(hash) <= 200)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

COMMENT ON TABLE app.passwords IS 'Argon2id hashes of passwords; accounts without one have no row.';

ALTER TABLE app.passwords ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY passwords_owner ON app.passwords TO hearth_owner USING (true) WITH CHECK (true);

-- Passkeys (WebAuthn level 3): the public key as the authenticator gave it, and the counter of its
-- signatures. handle stays when the account gets another id, even if another account gets the old
-- id.
CREATE TABLE app.passkeys (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    handle uuid,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    label text,
    model uuid NOT NULL,
    transports text[] NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    CONSTRAINT passkeys_pkey PRIMARY KEY (id),
    CONSTRAINT passkeys_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT passkeys_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT passkeys_credential_id_size CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    CONSTRAINT passkeys_public_key_size CHECK (octet_length(public_key) BETWEEN 1 AND 1024),
    CONSTRAINT passkeys_counter_range CHECK (counter BETWEEN 0 AND 4294967295),
    CONSTRAINT passkeys_label_form CHECK (
        char_length(label) BETWEEN 1 AND 80 AND label !~ '[[:cntrl:]]'),
    CONSTRAINT passkeys_few_transports CHECK (cardinality(transports) <= 8),
    CONSTRAINT passkeys_backed_up_if_eligible CHECK (is_backup_eligible OR NOT is_backed_up)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

-- The index is on a hash, which is shorter: an id can have up to 1,023 bytes.
CREATE UNIQUE INDEX passkeys_credential_id ON app.passkeys (sha256(credential_id));
CREATE INDEX passkeys_user ON app.passkeys (user_id);

COMMENT ON TABLE app.passkeys IS 'Passkeys of accounts, with their public keys.';
COMMENT ON COLUMN app.passkeys.public_key IS
    'A COSE_Key (RFC 9052), as the authenticator wrote it.';
COMMENT ON COLUMN app.passkeys.counter IS
    'Counter of the last signature; 0 for authenticators that do not count.';
COMMENT ON COLUMN app.passkeys.model IS
    'Model of the authenticator (AAGUID); zeros if it states none.';
COMMENT ON COLUMN app.passkeys.transports IS 'Ways to reach the authenticator, for browsers.';
COMMENT ON COLUMN app.passkeys.handle IS
    'The account''s id when the passkey was added, as authenticators know it; null if that is its '
    'present id.';

ALTER TABLE app.passkeys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY passkeys_owner ON app.passkeys TO hearth_owner USING (true) WITH CHECK (true);

-- A challenge is not stored while it waits for an answer: it contains its purpose and the time at
-- which it expires, and is authenticated with a key that the database does not have. Once a
-- challenge is answered, its hash is stored here until it expires, so that nobody can answer the
-- challenge a second time.
CREATE TABLE app.answered_challenges (
    challenge_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT answered_challenges_pkey PRIMARY KEY (challenge_hash),
    CONSTRAINT answered_challenges_hash_size CHECK (octet_length(challenge_hash) = 32)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX answered_challenges_expiry ON app.answered_challenges (expires_at);

COMMENT ON TABLE app.answered_challenges IS
    'Challenges of passkeys that must not be answered again.';

ALTER TABLE app.answered_challenges ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY answered_challenges_owner ON app.answered_challenges TO hearth_owner
    USING (true) WITH CHECK (true);

-- A session belongs to an account, and lasts until it is ended or ends_at has passed. An access
-- token names its session, and every request looks the session up, so requests of an ended session
-- are refused at once. last_used_at and ends_at change when a session is refreshed or extended, not
-- with each request. former_user_ids saves these requests the lookup of the account's former ids.
-- A session that an app has opened in a browser (app.page_tickets) has the app's session as its
-- parent, and ends with it.
CREATE TABLE app.sessions (
    id uuid NOT NULL,
    parent_id uuid,
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    former_user_ids uuid[],
    method text NOT NULL,
    issuer text COLLATE "C",
    device text,
    signed_in_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    ends_at timestamptz NOT NULL,
    ended_at timestamptz,
    end_reason text,
    -- No foreign key: it only selects what a page shows, among the families that the person is in.
    shown_family_id uuid,
    conflicts_seen_at timestamptz,
    CONSTRAINT sessions_pkey PRIMARY KEY (id),
    CONSTRAINT sessions_parent_fkey FOREIGN KEY (parent_id) REFERENCES app.sessions (id)
        ON DELETE CASCADE,
    CONSTRAINT sessions_not_own_parent CHECK (parent_id <> id),
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
            'provider', 'moved', 'blocked', 'address')),
    CONSTRAINT sessions_ended_has_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL))
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX sessions_user ON app.sessions (user_id);
CREATE INDEX sessions_over ON app.sessions ((coalesce(ended_at, ends_at)));
CREATE INDEX sessions_parent ON app.sessions (parent_id) WHERE parent_id IS NOT NULL;

COMMENT ON TABLE app.sessions IS 'Sessions for which Hearth issues tokens.';
COMMENT ON COLUMN app.sessions.parent_id IS
    'Session of the app that opened this one in a browser; null if a person signed in.';
COMMENT ON COLUMN app.sessions.issuer IS
    'Issuer whose token was exchanged for the session; null if there was none.';
COMMENT ON COLUMN app.sessions.device IS 'Name of the device, as the client states it.';
COMMENT ON COLUMN app.sessions.former_user_ids IS
    'Ids that the account has had since the session began: its access tokens may name them.';
COMMENT ON COLUMN app.sessions.shown_family_id IS
    'Family that a page shows if its address names none; null if none was chosen.';
COMMENT ON COLUMN app.sessions.conflicts_seen_at IS
    'Time until which the pages no longer show conflicts about roles; null if none was hidden.';
COMMENT ON COLUMN app.sessions.signed_in_at IS
    'Time at which the exchanged token was issued; for a session with a parent, the time of the '
    'parent''s sign-in; otherwise null.';

ALTER TABLE app.sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY sessions_owner ON app.sessions TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY sessions_authz ON app.sessions FOR SELECT TO hearth_authz USING (true);
CREATE POLICY sessions_operator_reads ON app.sessions FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.sessions TO hearth_authz, hearth_admin;

-- Only the SHA-256 of the newest refresh token of a session is kept. A refresh token names its
-- session and generation, and is authenticated with a key that the database does not have. So an
-- older token is recognised although it is not stored.
CREATE TABLE app.refresh_tokens (
    session_id uuid NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    token_hash bytea NOT NULL,
    issued_at timestamptz NOT NULL DEFAULT now(),
    previous_issued_at timestamptz,
    CONSTRAINT refresh_tokens_pkey PRIMARY KEY (session_id),
    CONSTRAINT refresh_tokens_session_fkey FOREIGN KEY (session_id) REFERENCES app.sessions (id)
        ON DELETE CASCADE,
    CONSTRAINT refresh_tokens_generation_positive CHECK (generation >= 0),
    CONSTRAINT refresh_tokens_hash_size CHECK (octet_length(token_hash) = 32)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

COMMENT ON TABLE app.refresh_tokens IS 'SHA-256 of the newest refresh token of each session.';
COMMENT ON COLUMN app.refresh_tokens.previous_issued_at IS
    'When the token before the newest was issued; null for the first one of a session.';

ALTER TABLE app.refresh_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY refresh_tokens_owner ON app.refresh_tokens TO hearth_owner
    USING (true) WITH CHECK (true);

-- Page tickets: an app requests a ticket and opens the ticket's address in a browser, which gets a
-- session of its own in exchange. Only the hash of a ticket is kept; its row is deleted when it is
-- used. target is the page that the ticket opens, and the address to which that page leads back. It
-- can be the link of an invitation, so it is encrypted with a key that the database does not have.
CREATE TABLE app.page_tickets (
    ticket_hash bytea NOT NULL,
    session_id uuid NOT NULL,
    target bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT page_tickets_pkey PRIMARY KEY (ticket_hash),
    CONSTRAINT page_tickets_session_fkey FOREIGN KEY (session_id) REFERENCES app.sessions (id)
        ON DELETE CASCADE,
    CONSTRAINT page_tickets_hash_size CHECK (octet_length(ticket_hash) = 32),
    CONSTRAINT page_tickets_target_size CHECK (octet_length(target) BETWEEN 28 AND 2048)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX page_tickets_session ON app.page_tickets (session_id);
CREATE INDEX page_tickets_expiry ON app.page_tickets (expires_at);

COMMENT ON TABLE app.page_tickets IS
    'Tickets with which an app opens a page in a browser as the person who is signed in to the '
    'app.';
COMMENT ON COLUMN app.page_tickets.target IS
    'Page that the ticket opens, and the address to which that page leads back; encrypted.';

ALTER TABLE app.page_tickets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY page_tickets_owner ON app.page_tickets TO hearth_owner
    USING (true) WITH CHECK (true);
