-- People, and the ids that they had before.
--
-- A managed user is a child without an account. A constraint ensures that nothing is stored about
-- it but its name and the key of its avatar. Other tables refer to the unique key (id, kind), so a
-- foreign key can require that the user is an account, or that it is a managed user.
--
-- role: player or parent, the same in all families that the account is in or waits for approval to
-- join. Memberships refer to the unique key (id, role). role_is_default: the first sign-in stated
-- no role, and the account is a parent, as apps expect. Its owner may state the role once, even as
-- a member (profiles.sql).
--
-- mailbox: the form in which addresses are compared, here and in all tables with addresses: the
-- local part and the domain's A-label (IDNA 2008). The address itself is stored beside it. The
-- programs compute A-labels and store them in domain_labels; a trigger copies the A-label of a
-- domain that is not ASCII to email_domain. A domain in ASCII is its own A-label. The mailbox is
-- null while the A-label is unknown: such an address matches nothing.
--
-- locale: the language tag of an account (RFC 5646). It is the language that the owner's device
-- first asked for, or the one that the owner chose. Null if none is known.
--
-- blocked_at: an operator has blocked the account (blocking.sql). It can't sign in, and its tokens
-- are refused; its memberships stay.
--
-- The constraints on names repeat the conditions of app.is_short_text that do not depend on
-- neighbouring characters, instead of calling it: a constraint runs with the rights of the role
-- that writes, and the writing roles have no right to execute functions that only constraints need.
-- A trigger checks the rest for direct clients.
--
-- The policies that say who may read and change which user depend on memberships. They are in
-- 0005_families_and_members.sql.

CREATE TABLE app.domain_labels (
    spelling text NOT NULL,
    a_label text NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT domain_labels_pkey PRIMARY KEY (spelling),
    CONSTRAINT domain_labels_spelling_size CHECK (octet_length(spelling) <= 254),
    CONSTRAINT domain_labels_a_label_ascii CHECK (
        a_label ~ '^[a-z0-9-]+(\.[a-z0-9-]+)+$' AND octet_length(a_label) <= 253)
);

COMMENT ON TABLE app.domain_labels IS
    'The A-labels of domains that are not ASCII, by their spelling in lower case.';

ALTER TABLE app.domain_labels ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY domain_labels_owner ON app.domain_labels TO hearth_owner
    USING (true) WITH CHECK (true);

CREATE TABLE app.users (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    kind text NOT NULL DEFAULT 'account',
    email text,
    email_domain text,
    mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    email_verified boolean NOT NULL DEFAULT false,
    full_name text,
    role text NOT NULL DEFAULT 'parent',
    role_is_default boolean NOT NULL DEFAULT false,
    avatar_key text,
    avatar_url text,
    locale text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    blocked_at timestamptz,
    blocked_by text,
    blocked_reason text,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_id_kind_key UNIQUE (id, kind),
    CONSTRAINT users_id_role_key UNIQUE (id, role),
    CONSTRAINT users_kind_known CHECK (kind IN ('account', 'managed')),
    CONSTRAINT users_role_known CHECK (role IN ('player', 'parent')),
    CONSTRAINT users_default_role_form CHECK (
        NOT role_is_default OR (kind = 'account' AND role = 'parent')),
    CONSTRAINT users_email_normalised CHECK (
        email IS NFC NORMALIZED
        AND email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'
        AND octet_length(email) <= 254),
    CONSTRAINT users_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$'),
    CONSTRAINT users_verified_has_email CHECK (email IS NOT NULL OR NOT email_verified),
    CONSTRAINT users_full_name_form CHECK (
        char_length(full_name) BETWEEN 1 AND 80
        AND full_name IS NFC NORMALIZED
        AND full_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND full_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$'
        AND full_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E'
            || '\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3'
            || '\U0001D173-\U0001D17A\U000E0001]')),
    CONSTRAINT users_avatar_key_form CHECK (
        char_length(avatar_key) BETWEEN 1 AND 64
        AND avatar_key IS NFC NORMALIZED
        AND avatar_key !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND avatar_key !~ '[\u0020\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$'
        AND avatar_key !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E'
            || '\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3'
            || '\U0001D173-\U0001D17A\U000E0001]')),
    CONSTRAINT users_avatar_url_form CHECK (
        avatar_url ~ '^https://[^[:space:][:cntrl:]]+$' AND octet_length(avatar_url) <= 2048),
    CONSTRAINT users_locale_form CHECK (
        locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND octet_length(locale) <= 35),
    CONSTRAINT users_block_is_whole CHECK (
        (blocked_at IS NULL) = (blocked_by IS NULL)
        AND (blocked_at IS NULL) = (blocked_reason IS NULL)),
    CONSTRAINT users_block_form CHECK (
        blocked_by ~ '^[^[:cntrl:]]{1,90}$' AND blocked_reason ~ '^[^[:cntrl:]]{1,200}$'),
    CONSTRAINT users_only_accounts_are_blocked CHECK (blocked_at IS NULL OR kind = 'account'),
    CONSTRAINT users_only_accounts_have_locale CHECK (locale IS NULL OR kind = 'account'),
    -- COPPA: nothing else about a child can be stored.
    CONSTRAINT users_managed_has_only_name_and_avatar CHECK (
        kind <> 'managed'
        OR (email IS NULL AND NOT email_verified AND avatar_url IS NULL AND role = 'player'
            AND (deleted_at IS NOT NULL
                 OR (full_name IS NOT NULL AND char_length(full_name) <= 30))))
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX users_mailbox ON app.users (mailbox) WHERE mailbox IS NOT NULL;
-- An index of the few blocked accounts. Views and functions that treat blocked members as absent
-- (blocking.sql) look here, at next to no cost while nobody is blocked.
CREATE INDEX users_blocked ON app.users (id) WHERE blocked_at IS NOT NULL;
-- For the console: the newest people, and those whose name or address begins with a text.
CREATE INDEX users_newest ON app.users (created_at DESC, id DESC);
-- Pages of the same name continue after an id: without the id in the index, all rows of a common
-- name would be sorted for each page.
CREATE INDEX users_by_name ON app.users (lower(full_name) text_pattern_ops, id)
    WHERE full_name IS NOT NULL;
CREATE INDEX users_by_mailbox ON app.users (mailbox text_pattern_ops, id)
    WHERE mailbox IS NOT NULL;
-- Finds the few rows without an A-label when an A-label becomes known.
CREATE INDEX users_without_a_label ON app.users (email)
    WHERE mailbox IS NULL AND email IS NOT NULL;

COMMENT ON TABLE app.users IS 'People: accounts that sign in, and managed children.';
COMMENT ON COLUMN app.users.locale IS 'Language of e-mails to the person; null if none is known.';
COMMENT ON COLUMN app.users.email_domain IS
    'A-label of a domain that is not ASCII; null for an ASCII domain, or while it is unknown.';
COMMENT ON COLUMN app.users.mailbox IS
    'The form in which the address is compared: its local part and the A-label of its domain.';
COMMENT ON COLUMN app.users.blocked_at IS
    'When the account was blocked; null if it is not blocked.';
COMMENT ON COLUMN app.users.blocked_by IS
    'Label of the operator who blocked the account, as in the audit log.';
COMMENT ON COLUMN app.users.blocked_reason IS 'Why the account is blocked.';
COMMENT ON COLUMN app.users.role_is_default IS 'Whether nobody has stated the role yet.';

ALTER TABLE app.users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY users_owner ON app.users TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY users_authz ON app.users FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.users TO hearth_authz;
GRANT SELECT (id, kind, full_name, role, avatar_key, avatar_url, created_at, updated_at)
    ON app.users TO hearth_api;
GRANT UPDATE (full_name, avatar_key, avatar_url) ON app.users TO hearth_api, authenticated;
GRANT SELECT (id, kind, email, full_name, role, avatar_key, avatar_url, created_at, updated_at)
    ON app.users TO authenticated;
CREATE POLICY users_operator_reads ON app.users FOR SELECT TO hearth_admin USING (true);
GRANT SELECT (id, kind, email, email_domain, mailbox, email_verified, full_name, role, avatar_key,
    avatar_url, created_at, updated_at, deleted_at, blocked_at, blocked_by, blocked_reason)
    ON app.users TO hearth_admin;

-- Managed users of children who have grown up (0007_invitations.sql says how). The name and the
-- picture of such a user are erased. A row leads from the managed user to the account, so that ids
-- in old links, in clients and in the audit log still identify the person. The user of a membership
-- may change only if there is such a row, or a row of former_ids (trigger
-- enforce_membership_identity).
CREATE TABLE app.user_aliases (
    alias_id uuid NOT NULL,
    alias_kind text NOT NULL DEFAULT 'managed',
    account_id uuid NOT NULL,
    account_kind text NOT NULL DEFAULT 'account',
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT user_aliases_pkey PRIMARY KEY (alias_id),
    CONSTRAINT user_aliases_alias_was_managed CHECK (alias_kind = 'managed'),
    CONSTRAINT user_aliases_leads_to_account CHECK (account_kind = 'account'),
    CONSTRAINT user_aliases_alias_fkey FOREIGN KEY (alias_id, alias_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT user_aliases_account_fkey FOREIGN KEY (account_id, account_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX user_aliases_account ON app.user_aliases (account_id);

COMMENT ON TABLE app.user_aliases IS
    'Managed users of children that have grown up, and the accounts that they became.';

ALTER TABLE app.user_aliases ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY user_aliases_owner ON app.user_aliases TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_aliases_authz ON app.user_aliases FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_aliases TO hearth_authz;
CREATE POLICY user_aliases_operator_reads ON app.user_aliases
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.user_aliases TO hearth_admin;

-- Former ids of accounts. A passkey, an access token or a sync cursor that names an account by a
-- former id still finds it. An account keeps its former ids until it is erased. The user of a
-- membership and the creator of a family may change only if former_ids leads from the old id to the
-- new one (enforce_membership_identity, enforce_creator). Only app.change_account_id writes this
-- table.
CREATE TABLE app.former_ids (
    former_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT former_ids_pkey PRIMARY KEY (former_id),
    CONSTRAINT former_ids_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT former_ids_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX former_ids_user ON app.former_ids (user_id);

COMMENT ON TABLE app.former_ids IS 'Ids that accounts had before their present ones.';
COMMENT ON COLUMN app.former_ids.user_id IS 'Present id of the account.';

ALTER TABLE app.former_ids ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY former_ids_owner ON app.former_ids TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY former_ids_authz ON app.former_ids FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.former_ids TO hearth_authz;
