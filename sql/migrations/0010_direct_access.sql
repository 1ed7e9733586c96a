-- Direct clients (PostgREST, Supabase): the issuers whose tokens they may use, and rights that only
-- they have. (The policies on members and invitations in earlier files are for every caller.)
--
-- A direct client may insert a family, insert itself as the family's first member, and delete an
-- invitation. Only `authenticated` has these rights: the API makes the same changes by functions
-- that check who may make them. `authenticated` also has rights to the columns that the views of
-- the schema api mask, because these views run with the rights of their caller. But it has no USAGE
-- on the schema app, so it can't name a table there.
--
-- token_use says which of Cognito's two kinds of token an issuer's clients may use: id tokens or
-- access tokens. An access token has no e-mail address, and is given to more programs than an id
-- token.
--
-- Locks: none that anybody waits for, all tables are new.

CREATE TABLE app.trusted_issuers (
    issuer text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    is_primary boolean NOT NULL DEFAULT false,
    emails_confirmed boolean NOT NULL DEFAULT false,
    audiences text[] NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    token_use text,
    CONSTRAINT trusted_issuers_pkey PRIMARY KEY (issuer),
    CONSTRAINT trusted_issuers_kind_known CHECK (
        kind IN ('supabase', 'cognito', 'apple', 'generic')),
    CONSTRAINT trusted_issuers_issuer_form CHECK (octet_length(issuer) BETWEEN 1 AND 512),
    CONSTRAINT trusted_issuers_has_audience CHECK (cardinality(audiences) > 0),
    CONSTRAINT trusted_issuers_token_use_known CHECK (token_use IN ('id', 'access')),
    CONSTRAINT trusted_issuers_token_use_is_cognitos CHECK (
        token_use IS NULL OR kind = 'cognito')
);

COMMENT ON TABLE app.trusted_issuers IS 'Issuers whose tokens a direct client may bring.';
COMMENT ON COLUMN app.trusted_issuers.token_use IS
    'What a token of Cognito''s must be for; null: either. ''hearth-admin issuers apply'' sets it.';

-- Families that the account has created and that have never had a member: a direct client first
-- inserts the family, and then itself as a member.
CREATE VIEW app.my_memberless_families WITH (security_barrier) AS
SELECT f.id AS family_unit_id
FROM app.family_units AS f
WHERE f.created_by_user_id = app.account_id()
    AND NOT EXISTS (SELECT FROM app.family_members AS m WHERE m.family_unit_id = f.id);

ALTER VIEW app.my_memberless_families OWNER TO hearth_authz;

GRANT SELECT ON app.my_memberless_families TO hearth_api, authenticated;

ALTER TABLE app.trusted_issuers ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.trusted_issuers FORCE ROW LEVEL SECURITY;
CREATE POLICY trusted_issuers_owner ON app.trusted_issuers TO hearth_owner
    USING (true) WITH CHECK (true);

-- Families.
-- INSERT ... RETURNING has to see the new family before its creator is a member.
CREATE POLICY family_units_creator_reads_memberless ON app.family_units
    FOR SELECT TO authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_memberless_families AS f)));
CREATE POLICY family_units_account_creates ON app.family_units
    FOR INSERT TO authenticated
    WITH CHECK (created_by_user_id = (SELECT app.account_id()));

GRANT SELECT (id, created_by_user_id, family_name, family_code, code_generated_at,
    code_expires_at, home_latitude, home_longitude, player_details, created_at, updated_at)
    ON app.family_units TO authenticated;
GRANT INSERT (id, created_by_user_id, family_name) ON app.family_units TO authenticated;
GRANT UPDATE (family_name) ON app.family_units TO authenticated;

-- Members.
CREATE POLICY family_members_creator_enters ON app.family_members
    FOR INSERT TO authenticated
    WITH CHECK (
        user_id = (SELECT app.account_id())
        AND status = 'active'
        AND joined_via = 'created'
        AND family_unit_id = ANY (ARRAY(
            SELECT f.family_unit_id FROM app.my_memberless_families AS f)));

GRANT INSERT (id, family_unit_id, user_id, role) ON app.family_members TO authenticated;

-- Users.
GRANT SELECT (id, kind, email, full_name, role, avatar_key, avatar_url, created_at, updated_at)
    ON app.users TO authenticated;

-- Invitations: whoever may revoke an invitation may delete it.
CREATE POLICY family_invitations_inviter_or_governor_deletes ON app.family_invitations
    FOR DELETE TO authenticated
    USING (
        status = 'pending'
        AND ((invited_by = (SELECT app.account_id())
              AND family_unit_id = ANY (ARRAY(
                  SELECT f.family_unit_id FROM app.my_trusting_families AS f)))
             OR family_unit_id = ANY (ARRAY(
                  SELECT f.family_unit_id FROM app.my_governed_families AS f))));

GRANT SELECT (id, family_unit_id, invited_by, invited_email, role, household_role, status,
    delivery, expires_at, created_at, accepted_at)
    ON app.family_invitations TO authenticated;
GRANT DELETE ON app.family_invitations TO authenticated;
