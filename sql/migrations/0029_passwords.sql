-- Passwords, as Argon2id hashes that contain their own parameters and salt (the PHC string format).
--
-- Locks: none, all objects are new. The foreign key takes app.users for a moment (SHARE ROW
-- EXCLUSIVE).

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
);

COMMENT ON TABLE app.passwords IS 'Argon2id hashes of passwords; accounts without one have no row.';

ALTER TABLE app.passwords ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.passwords FORCE ROW LEVEL SECURITY;
CREATE POLICY passwords_owner ON app.passwords TO hearth_owner USING (true) WITH CHECK (true);
