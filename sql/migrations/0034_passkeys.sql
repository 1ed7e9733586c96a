-- Passkeys (WebAuthn level 3), and the challenges that were answered.
--
-- The table passkeys holds each passkey's public key, as the authenticator gave it, and the counter
-- of its signatures. A challenge is not stored while it waits for an answer: it contains its
-- purpose and the time at which it expires, and is authenticated by a key that the database does
-- not have. Once a challenge is answered, its hash is stored here until it expires, so that nobody
-- can answer the challenge a second time.
--
-- Locks: none, all objects are new. The foreign key takes app.users for a moment (SHARE ROW
-- EXCLUSIVE).

CREATE TABLE app.passkeys (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
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
);

-- The index is on a hash, which is shorter: an id can have up to 1,023 bytes.
CREATE UNIQUE INDEX passkeys_credential_id ON app.passkeys (sha256(credential_id));
CREATE INDEX passkeys_user ON app.passkeys (user_id);

COMMENT ON TABLE app.passkeys IS 'Public keys that accounts sign in with.';
COMMENT ON COLUMN app.passkeys.public_key IS
    'A COSE_Key (RFC 9052), as the authenticator wrote it.';
COMMENT ON COLUMN app.passkeys.counter IS
    'Of the last signature; 0 for authenticators that do not count.';
COMMENT ON COLUMN app.passkeys.model IS
    'The model of the authenticator (AAGUID); zeros if it does not tell.';
COMMENT ON COLUMN app.passkeys.transports IS 'Ways to reach the authenticator, for browsers.';

CREATE TABLE app.answered_challenges (
    challenge_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT answered_challenges_pkey PRIMARY KEY (challenge_hash),
    CONSTRAINT answered_challenges_hash_size CHECK (octet_length(challenge_hash) = 32)
);

CREATE INDEX answered_challenges_expiry ON app.answered_challenges (expires_at);

COMMENT ON TABLE app.answered_challenges IS
    'Challenges of passkeys that must not be answered again.';

ALTER TABLE app.passkeys ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.passkeys FORCE ROW LEVEL SECURITY;
CREATE POLICY passkeys_owner ON app.passkeys TO hearth_owner USING (true) WITH CHECK (true);
ALTER TABLE app.answered_challenges ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.answered_challenges FORCE ROW LEVEL SECURITY;
CREATE POLICY answered_challenges_owner ON app.answered_challenges TO hearth_owner
    USING (true) WITH CHECK (true);
