-- Accounts whose id changes: former_ids has the ids that an account had before, so that what names
-- an account by one of them (a passkey, an access token, a client's place in its changes) still
-- finds it. An account keeps its former ids until it is erased.
--
-- A membership gets another user, and a family another creator, only while former_ids leads from
-- the one to the other (keep_membership_identity, keep_creator). app.change_account_id alone writes
-- it.
--
-- Locks: ACCESS EXCLUSIVE on app.sessions for a moment; the rows of sign-ins that it changes.

CREATE TABLE app.former_ids (
    former_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT former_ids_pkey PRIMARY KEY (former_id),
    CONSTRAINT former_ids_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT former_ids_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE
);

ALTER TABLE app.former_ids SET (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX former_ids_user ON app.former_ids (user_id);

COMMENT ON TABLE app.former_ids IS 'Ids that accounts had before their present ones.';
COMMENT ON COLUMN app.former_ids.user_id IS 'The account''s id now.';

ALTER TABLE app.former_ids ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.former_ids FORCE ROW LEVEL SECURITY;
CREATE POLICY former_ids_owner ON app.former_ids TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY former_ids_authz ON app.former_ids FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.former_ids TO hearth_authz;

-- A session that lasts knows the former ids by itself: its requests look up nothing else.
ALTER TABLE app.sessions ADD COLUMN former_user_ids uuid[];
COMMENT ON COLUMN app.sessions.former_user_ids IS
    'Ids that the account has had since the session began: its access tokens may name them.';

-- Accounts whose id is not the subject of their primary sign-in, because it came later or after an
-- erasure: their next token is looked at (see_user), and they get that id.
UPDATE app.user_identities AS i SET claims_mark = NULL
    FROM app.trusted_issuers AS t
    WHERE t.is_primary AND i.issuer = t.issuer
        AND i.subject_hash <> sha256(convert_to(i.issuer || E'\n' || i.user_id, 'UTF8'));
