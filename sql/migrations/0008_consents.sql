-- Consents that guardians give for managed children, and consents that accounts give for
-- themselves, such as to the terms of an app.
--
-- consents and account_consents: each row is one consent, from given_at until it was withdrawn or
-- given anew (ended_at). Only the end of a row ever changes, so the tables are evidence of the
-- consents. Rows name guardians by value, as the audit log does.

-- Purposes of HEARTH_CONSENTS_FILE, with the current versions of their texts. The API stores them
-- when it starts. A purpose is for children (guardians consent) or for accounts. While consent to
-- the current version of a required purpose for children is missing, nobody can write the child's
-- preferences. refuses: the permissions that an account lacks while its consent to the present
-- version is missing.
CREATE TABLE app.consent_purposes (
    purpose text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    is_required boolean NOT NULL,
    is_for_accounts boolean NOT NULL DEFAULT false,
    refuses text[] NOT NULL DEFAULT '{}',
    CONSTRAINT consent_purposes_pkey PRIMARY KEY (purpose),
    CONSTRAINT consent_purposes_purpose_form CHECK (purpose ~ '^[a-z][a-z0-9_-]{0,62}$'),
    CONSTRAINT consent_purposes_version_form CHECK (version ~ '^[!-~]{1,64}$'),
    CONSTRAINT consent_purposes_only_accounts_are_refused CHECK (
        is_for_accounts OR refuses = '{}')
);

COMMENT ON TABLE app.consent_purposes IS
    'Purposes for which consent is asked, and the present version of each text.';

ALTER TABLE app.consent_purposes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY consent_purposes_owner ON app.consent_purposes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY consent_purposes_authz ON app.consent_purposes
    FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.consent_purposes TO hearth_authz;
CREATE POLICY consent_purposes_operator_reads ON app.consent_purposes
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.consent_purposes TO hearth_admin;

CREATE TABLE app.consents (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    family_unit_id uuid NOT NULL,
    member_id uuid NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    method text NOT NULL,
    given_by uuid NOT NULL,
    given_at timestamptz NOT NULL DEFAULT now(),
    ended_by uuid,
    ended_at timestamptz,
    CONSTRAINT consents_pkey PRIMARY KEY (id),
    CONSTRAINT consents_child_fkey FOREIGN KEY (family_unit_id, member_id)
        REFERENCES app.family_members (family_unit_id, id) ON DELETE CASCADE,
    CONSTRAINT consents_purpose_form CHECK (purpose ~ '^[a-z][a-z0-9_-]{0,62}$'),
    CONSTRAINT consents_version_form CHECK (version ~ '^[!-~]{1,64}$'),
    CONSTRAINT consents_method_known CHECK (method IN ('signed_in', 'email_code')),
    CONSTRAINT consents_end_is_dated CHECK (ended_by IS NULL OR ended_at IS NOT NULL)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE UNIQUE INDEX consents_one_standing ON app.consents (member_id, purpose)
    WHERE ended_at IS NULL;
CREATE INDEX consents_of_child ON app.consents (member_id, given_at);
CREATE INDEX consents_of_family ON app.consents (family_unit_id);
CREATE INDEX consents_given_by ON app.consents (given_by);

COMMENT ON TABLE app.consents IS
    'Consents of guardians, with child, purpose, version, giver, proof and period.';

ALTER TABLE app.consents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY consents_owner ON app.consents TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY consents_authz ON app.consents FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.consents TO hearth_authz;
CREATE POLICY consents_operator_reads ON app.consents FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.consents TO hearth_admin;
-- A child's guardians see the consents that were given, and those that were withdrawn.
CREATE POLICY consents_guardian_reads ON app.consents FOR SELECT TO hearth_api
    USING (member_id = ANY (ARRAY(SELECT w.user_id FROM app.children_of_account AS w)));
GRANT SELECT ON app.consents TO hearth_api;

CREATE TABLE app.account_consents (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    purpose text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    given_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    CONSTRAINT account_consents_pkey PRIMARY KEY (id),
    CONSTRAINT account_consents_are_of_accounts CHECK (user_kind = 'account'),
    CONSTRAINT account_consents_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT account_consents_purpose_form CHECK (purpose ~ '^[a-z][a-z0-9_-]{0,62}$'),
    CONSTRAINT account_consents_version_form CHECK (version ~ '^[!-~]{1,64}$')
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE UNIQUE INDEX account_consents_one_standing ON app.account_consents (user_id, purpose)
    WHERE ended_at IS NULL;
CREATE INDEX account_consents_of_user ON app.account_consents (user_id, given_at);

COMMENT ON TABLE app.account_consents IS
    'Consents of accounts for themselves, with purpose, version and period.';

ALTER TABLE app.account_consents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY account_consents_owner ON app.account_consents TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY account_consents_authz ON app.account_consents
    FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.account_consents TO hearth_authz;
CREATE POLICY account_consents_operator_reads ON app.account_consents
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.account_consents TO hearth_admin;
-- An account sees its own consents, including those that it has withdrawn.
CREATE POLICY account_consents_account_reads ON app.account_consents FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.account_id()));
GRANT SELECT (user_id, purpose, version, given_at, ended_at) ON app.account_consents
    TO hearth_api;

-- Only purposes for children keep a child's preferences from being written.
CREATE VIEW app.children_of_actor_without_consent WITH (security_barrier) AS
SELECT m.user_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
WHERE w.guardian_user_id = app.actor_id() AND m.user_kind = 'managed' AND EXISTS (
    SELECT FROM app.consent_purposes AS p
    WHERE p.is_required AND NOT p.is_for_accounts AND NOT EXISTS (
        SELECT FROM app.consents AS c
        WHERE c.member_id = m.id AND c.purpose = p.purpose AND c.version = p.version
            AND c.ended_at IS NULL));

COMMENT ON VIEW app.children_of_actor_without_consent IS
    'The managed members that the actor is a guardian of and that lack a required consent.';

ALTER VIEW app.children_of_actor_without_consent OWNER TO hearth_authz;
GRANT SELECT ON app.children_of_actor_without_consent TO hearth_api;
