-- The people Hearth knows, and the sign-ins that lead to them.
--
-- A managed user is a child without an account. By constraint, nothing can be stored of it but its
-- name and the key of its avatar. Other tables refer to the unique key (id, kind), so a foreign key
-- can require that the user is an account, or that it is a managed user.
--
-- A sign-in is stored as SHA-256 of issuer, newline and subject, so the table reveals no subject.
-- claims_mark is a hash of the e-mail address and its verification in the token that was last
-- believed. If a later token says something else, its request first updates the user (see_user).
-- claims_issued_at is when the believed token was issued (iat, seconds since 1970); null if the
-- token did not say. Some providers send a name only once the user has given them one. lacks_name
-- is true if the user had no name when a token was last looked at: then a token with a name updates
-- the user as well.
--
-- The constraints on names repeat the conditions of app.is_short_text instead of calling it: a
-- constraint runs with the rights of the role that writes, and the writing roles have no right to
-- execute functions that only constraints need.
--
-- The policies that say who may read and change which user depend on memberships. They are in
-- 0004_members.sql.
--
-- Locks: none, all objects are new.

CREATE TABLE app.users (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    kind text NOT NULL DEFAULT 'account',
    email text,
    email_verified boolean NOT NULL DEFAULT false,
    full_name text,
    role text NOT NULL DEFAULT 'parent',
    avatar_key text,
    avatar_url text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_id_kind_key UNIQUE (id, kind),
    CONSTRAINT users_kind_known CHECK (kind IN ('account', 'managed')),
    CONSTRAINT users_role_known CHECK (role IN ('player', 'parent')),
    CONSTRAINT users_email_normalised CHECK (
        email IS NFC NORMALIZED
        AND email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'
        AND octet_length(email) <= 254),
    CONSTRAINT users_verified_has_email CHECK (email IS NOT NULL OR NOT email_verified),
    CONSTRAINT users_full_name_form CHECK (
        char_length(full_name) BETWEEN 1 AND 80
        AND full_name IS NFC NORMALIZED
        AND full_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND full_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'
        AND full_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'
            || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'
            || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'
            || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]')),
    CONSTRAINT users_avatar_key_form CHECK (
        char_length(avatar_key) BETWEEN 1 AND 64
        AND avatar_key IS NFC NORMALIZED
        AND avatar_key !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND avatar_key !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'
        AND avatar_key !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'
            || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'
            || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'
            || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]')),
    CONSTRAINT users_avatar_url_form CHECK (
        avatar_url ~ '^https://[^[:space:][:cntrl:]]+$' AND octet_length(avatar_url) <= 2048),
    -- COPPA: nothing else about a child can be stored.
    CONSTRAINT users_managed_has_only_name_and_avatar CHECK (
        kind <> 'managed'
        OR (email IS NULL AND NOT email_verified AND avatar_url IS NULL AND role = 'player'
            AND (deleted_at IS NOT NULL
                 OR (full_name IS NOT NULL AND char_length(full_name) <= 30))))
);

CREATE INDEX users_email ON app.users (email) WHERE email IS NOT NULL;

COMMENT ON TABLE app.users IS 'People: accounts that sign in, and managed children.';

CREATE TABLE app.user_identities (
    issuer text COLLATE "C" NOT NULL,
    subject_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    claims_mark bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    claims_issued_at bigint,
    lacks_name boolean NOT NULL DEFAULT false,
    -- The hash comes first: it differs from row to row, while many rows have the same issuer.
    CONSTRAINT user_identities_pkey PRIMARY KEY (subject_hash, issuer),
    CONSTRAINT user_identities_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT user_identities_subject_hash_size CHECK (octet_length(subject_hash) = 32),
    CONSTRAINT user_identities_only_accounts_sign_in CHECK (user_kind = 'account'),
    CONSTRAINT user_identities_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE
);

CREATE INDEX user_identities_user ON app.user_identities (user_id);

COMMENT ON TABLE app.user_identities IS 'Which sign-in leads to which account.';
COMMENT ON COLUMN app.user_identities.lacks_name IS
    'Whether the user had no name when a token was last looked at: one that brings a name is news.';

ALTER TABLE app.users ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.users FORCE ROW LEVEL SECURITY;
CREATE POLICY users_owner ON app.users TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY users_authz ON app.users FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.users TO hearth_authz;
ALTER TABLE app.user_identities ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.user_identities FORCE ROW LEVEL SECURITY;
CREATE POLICY user_identities_owner ON app.user_identities TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_identities_authz ON app.user_identities FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_identities TO hearth_authz;
