-- Sign-ins at identity providers: the issuers whose tokens are accepted, and the accounts to which
-- sign-ins lead.
--
-- A sign-in is stored as SHA-256 of issuer, newline and subject, so the tables reveal no subject.
--
-- user_identities: claims_mark is a hash of the e-mail address in the token that was last accepted,
-- and of whether the token states it as verified. If a later token states something else, the
-- request with that token first updates the user (upsert_user). Without a mark, every token is
-- examined. A sign-in has no mark while an erasure of it is remembered (erasures), because a token
-- that was issued before the erasure must not lead to the new account. claims_issued_at is the time
-- at which the accepted token was issued (iat, seconds since 1970); null if the token did not state
-- it. Some providers send a name only once the user has given them one: lacks_name is true if the
-- user had no name when a token was last examined, and then a token with a name updates the user as
-- well. A sign-in that was added to an existing account has tells_address false, so its tokens do
-- not change the account's e-mail address. is_blocked repeats the block of the account where
-- requests begin, because they read this row anyway; a trigger keeps both equal.

CREATE TABLE app.user_identities (
    issuer text COLLATE "C" NOT NULL,
    subject_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    claims_mark bigint,
    claims_issued_at bigint,
    lacks_name boolean NOT NULL DEFAULT false,
    tells_address boolean NOT NULL DEFAULT true,
    is_blocked boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The hash comes first: it differs from row to row, while many rows have the same issuer.
    CONSTRAINT user_identities_pkey PRIMARY KEY (subject_hash, issuer),
    CONSTRAINT user_identities_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT user_identities_subject_hash_size CHECK (octet_length(subject_hash) = 32),
    CONSTRAINT user_identities_only_accounts_sign_in CHECK (user_kind = 'account'),
    CONSTRAINT user_identities_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX user_identities_user ON app.user_identities (user_id);

COMMENT ON TABLE app.user_identities IS
    'Sign-ins at identity providers, and the accounts to which they lead.';
COMMENT ON COLUMN app.user_identities.lacks_name IS
    'Whether the user had no name when a token was last examined: a name then updates the user.';
COMMENT ON COLUMN app.user_identities.is_blocked IS 'Whether the account is blocked.';
COMMENT ON COLUMN app.user_identities.tells_address IS
    'Whether the address in the sign-in''s tokens becomes the account''s address.';
COMMENT ON COLUMN app.user_identities.claims_mark IS
    'Hash of the claims that were last accepted; null while an erasure of the sign-in is '
    'remembered.';

ALTER TABLE app.user_identities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY user_identities_owner ON app.user_identities TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_identities_authz ON app.user_identities FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_identities TO hearth_authz;
CREATE POLICY user_identities_operator_reads ON app.user_identities
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT (issuer, user_id, created_at) ON app.user_identities TO hearth_admin;

-- Sign-ins that were removed from an account. Their address never adds them to an account again.
CREATE TABLE app.unlinked_sign_ins (
    issuer text COLLATE "C" NOT NULL,
    subject_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT unlinked_sign_ins_pkey PRIMARY KEY (subject_hash, issuer),
    CONSTRAINT unlinked_sign_ins_hash_size CHECK (octet_length(subject_hash) = 32),
    CONSTRAINT unlinked_sign_ins_user_fkey FOREIGN KEY (user_id)
        REFERENCES app.users (id) ON DELETE CASCADE
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX unlinked_sign_ins_user ON app.unlinked_sign_ins (user_id);

COMMENT ON TABLE app.unlinked_sign_ins IS
    'Sign-ins that were removed from an account; their address never adds them to one again.';

ALTER TABLE app.unlinked_sign_ins ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY unlinked_sign_ins_owner ON app.unlinked_sign_ins TO hearth_owner
    USING (true) WITH CHECK (true);

-- The issuers whose tokens direct clients may use. Hearth's own issuer is one of them, with the
-- kind 'hearth'. token_use says which of Cognito's two kinds of token clients may use: an access
-- token has no e-mail address, and is given to more programs than an id token.
-- links_verified_addresses: whether a new sign-in at the issuer is added to the account that has
-- proved the sign-in's verified address by e-mail.
CREATE TABLE app.trusted_issuers (
    issuer text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    is_primary boolean NOT NULL DEFAULT false,
    emails_confirmed boolean NOT NULL DEFAULT false,
    links_verified_addresses boolean NOT NULL DEFAULT false,
    audiences text[] NOT NULL,
    token_use text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT trusted_issuers_pkey PRIMARY KEY (issuer),
    CONSTRAINT trusted_issuers_kind_known CHECK (
        kind IN ('supabase', 'cognito', 'apple', 'generic', 'hearth')),
    CONSTRAINT trusted_issuers_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT trusted_issuers_has_audience CHECK (cardinality(audiences) > 0),
    CONSTRAINT trusted_issuers_token_use_known CHECK (token_use IN ('id', 'access')),
    CONSTRAINT trusted_issuers_token_use_is_cognitos CHECK (
        token_use IS NULL OR kind = 'cognito')
);

COMMENT ON TABLE app.trusted_issuers IS 'Issuers whose tokens direct clients may use.';
COMMENT ON COLUMN app.trusted_issuers.token_use IS
    'Kind of Cognito token to accept; null for either. ''hearth-admin issuers apply'' sets it.';
COMMENT ON COLUMN app.trusted_issuers.links_verified_addresses IS
    'Whether a new sign-in is added to the account that has proved the sign-in''s address by '
    'e-mail.';

ALTER TABLE app.trusted_issuers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY trusted_issuers_owner ON app.trusted_issuers TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY trusted_issuers_admin ON app.trusted_issuers TO hearth_admin
    USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON app.trusted_issuers TO hearth_admin;

-- Refresh tokens of identity providers. With such a token Hearth asks the provider, at most once a
-- day, whether the person still allows the app to sign in there. The tokens are encrypted with a
-- key that the database does not have. When an account is erased, its token stays, without account
-- and sign-in, until Hearth has revoked it at the provider.
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
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE UNIQUE INDEX provider_tokens_sign_in ON app.provider_tokens (subject_hash, issuer);
CREATE INDEX provider_tokens_user ON app.provider_tokens (user_id);

COMMENT ON TABLE app.provider_tokens IS
    'Encrypted refresh tokens of identity providers; those without an account are to be revoked.';

ALTER TABLE app.provider_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY provider_tokens_owner ON app.provider_tokens TO hearth_owner
    USING (true) WITH CHECK (true);

-- Records of erased accounts, which are kept for some days. Without these rows, a token that was
-- issued before the erasure would create the person anew: upsert_user refuses tokens of the
-- sign-ins in sign_ins that were issued before the erasure. The address and its language are kept
-- until the e-mail that confirms the erasure has been sent. A row does not say which user was
-- erased.
CREATE TABLE app.erasures (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    erased_at timestamptz NOT NULL DEFAULT now(),
    sign_ins bytea[] NOT NULL,
    email text,
    locale text COLLATE "C",
    CONSTRAINT erasures_pkey PRIMARY KEY (id),
    CONSTRAINT erasures_email_size CHECK (octet_length(email) <= 254),
    CONSTRAINT erasures_locale_form CHECK (
        locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND octet_length(locale) <= 35)
);

CREATE INDEX erasures_sign_ins ON app.erasures USING gin (sign_ins);
CREATE INDEX erasures_at ON app.erasures (erased_at);

COMMENT ON TABLE app.erasures IS 'Erasures of accounts; a row does not name the account.';
COMMENT ON COLUMN app.erasures.sign_ins IS
    'Hashes of the account''s sign-ins and sessions, whose tokens from before the erasure are '
    'refused.';
COMMENT ON COLUMN app.erasures.email IS 'Address for the confirmation; null once it has been sent.';

ALTER TABLE app.erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY erasures_owner ON app.erasures TO hearth_owner USING (true) WITH CHECK (true);
