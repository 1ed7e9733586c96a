-- Refresh tokens of identity providers. With such a token Hearth asks the provider, at most once a
-- day, whether the person still allows the app to sign in there. When the account is erased, Hearth
-- uses the token to revoke that permission.
--
-- The tokens are encrypted with a key that the database does not have. When an account is erased,
-- its token stays, without account and sign-in, until it has been revoked at the provider.
--
-- exchange_for_session gets one more argument (when the exchanged token was issued), so the
-- function with the former arguments is dropped.
--
-- Locks: the table is new. The foreign key takes app.users for a moment (SHARE ROW EXCLUSIVE).

CREATE TABLE app.provider_tokens (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    issuer text COLLATE "C" NOT NULL,
    client text NOT NULL,
    subject_hash bytea,
    user_id uuid,
    user_kind text NOT NULL DEFAULT 'account',
    sealed bytea NOT NULL,
    obtained_at timestamptz NOT NULL DEFAULT now(),
    check_at timestamptz NOT NULL,
    CONSTRAINT provider_tokens_pkey PRIMARY KEY (id),
    CONSTRAINT provider_tokens_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT provider_tokens_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT provider_tokens_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT provider_tokens_client_form CHECK (octet_length(client) BETWEEN 1 AND 512),
    CONSTRAINT provider_tokens_sealed_size CHECK (octet_length(sealed) BETWEEN 28 AND 8192),
    CONSTRAINT provider_tokens_hash_size CHECK (octet_length(subject_hash) = 32),
    CONSTRAINT provider_tokens_account_has_sign_in CHECK (
        (user_id IS NULL) = (subject_hash IS NULL))
);

CREATE UNIQUE INDEX provider_tokens_sign_in ON app.provider_tokens (subject_hash, issuer);
CREATE INDEX provider_tokens_user ON app.provider_tokens (user_id);

COMMENT ON TABLE app.provider_tokens IS
    'Sealed refresh tokens of identity providers; without an account: to be revoked there.';

ALTER TABLE app.provider_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.provider_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY provider_tokens_owner ON app.provider_tokens TO hearth_owner
    USING (true) WITH CHECK (true);

DROP FUNCTION IF EXISTS app.exchange_for_session(uuid, text, text, bytea);
