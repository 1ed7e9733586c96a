-- Sign-ins that are added to an account because both have the same address.
--
-- links_verified_addresses: whether a sign-in of the issuer, when it is seen for the first time, is
-- added to the account that has proved its verified address by mail. By default the primary issuer
-- whose addresses are confirmed does so.
--
-- unlinked_sign_ins: sign-ins that were removed from an account. They are not added to one by their
-- address again.
--
-- Locks: ACCESS EXCLUSIVE on app.trusted_issuers, for a moment; the other objects are new.

ALTER TABLE app.trusted_issuers
    ADD COLUMN links_verified_addresses boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN app.trusted_issuers.links_verified_addresses IS
    'Whether a new sign-in is added to the account that has proved its verified address by mail.';

UPDATE app.trusted_issuers SET links_verified_addresses = true
    WHERE is_primary AND emails_confirmed;

CREATE TABLE app.unlinked_sign_ins (
    issuer text COLLATE "C" NOT NULL,
    subject_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT unlinked_sign_ins_pkey PRIMARY KEY (subject_hash, issuer),
    CONSTRAINT unlinked_sign_ins_hash_size CHECK (octet_length(subject_hash) = 32),
    CONSTRAINT unlinked_sign_ins_user_fkey FOREIGN KEY (user_id)
        REFERENCES app.users (id) ON DELETE CASCADE
);

ALTER TABLE app.unlinked_sign_ins SET (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX unlinked_sign_ins_user ON app.unlinked_sign_ins (user_id);

COMMENT ON TABLE app.unlinked_sign_ins IS
    'Sign-ins that were removed from an account, and are not added by their address again.';

ALTER TABLE app.unlinked_sign_ins ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.unlinked_sign_ins FORCE ROW LEVEL SECURITY;
CREATE POLICY unlinked_sign_ins_owner ON app.unlinked_sign_ins TO hearth_owner
    USING (true) WITH CHECK (true);
