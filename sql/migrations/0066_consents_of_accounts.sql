-- What accounts consent to for themselves, such as the terms of an app.
--
-- consent_purposes: a purpose is for children (guardians consent) or for accounts. refuses: the
-- permissions that an account lacks while its consent to the present version is missing.
--
-- account_consents: each row is one consent, from given_at until it was withdrawn or given anew
-- (ended_at). Apart from its end, a row never changes.
--
-- Locks: ACCESS EXCLUSIVE on app.consent_purposes for a moment, SHARE ROW EXCLUSIVE on app.users
-- for the foreign key.

ALTER TABLE app.consent_purposes
    ADD COLUMN is_for_accounts boolean NOT NULL DEFAULT false,
    ADD COLUMN refuses text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT consent_purposes_only_accounts_are_refused CHECK (
        is_for_accounts OR refuses = '{}') NOT VALID;

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
);

ALTER TABLE app.account_consents SET (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE UNIQUE INDEX account_consents_one_standing ON app.account_consents (user_id, purpose)
    WHERE ended_at IS NULL;
CREATE INDEX account_consents_of_user ON app.account_consents (user_id, given_at);

COMMENT ON TABLE app.account_consents IS
    'Consents of accounts for themselves: to which purpose and version, when, until when.';

ALTER TABLE app.account_consents ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.account_consents FORCE ROW LEVEL SECURITY;
CREATE POLICY account_consents_owner ON app.account_consents TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY account_consents_authz ON app.account_consents
    FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.account_consents TO hearth_authz;
CREATE POLICY account_consents_operator_reads ON app.account_consents
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.account_consents TO hearth_admin;

-- An account sees its own, and those that it has withdrawn.
CREATE POLICY account_consents_account_reads ON app.account_consents FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.account_id()));
GRANT SELECT (user_id, purpose, version, given_at, ended_at) ON app.account_consents
    TO hearth_api;

-- Followers learn of it as of a change of the profile.
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE ON app.account_consents
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Only purposes for children keep a child's preferences from being written.
CREATE OR REPLACE VIEW app.children_of_actor_without_consent WITH (security_barrier) AS
SELECT m.user_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
WHERE w.guardian_user_id = app.actor_id() AND m.user_kind = 'managed' AND EXISTS (
    SELECT FROM app.consent_purposes AS p
    WHERE p.is_required AND NOT p.is_for_accounts AND NOT EXISTS (
        SELECT FROM app.consents AS c
        WHERE c.member_id = m.id AND c.purpose = p.purpose AND c.version = p.version
            AND c.ended_at IS NULL));

-- It takes for whom each purpose is, and what it refuses, from now on; the second how often a code
-- was used or made worthless before.
DROP FUNCTION IF EXISTS app.apply_consent_purposes(text[], text[], text[]);
DROP FUNCTION IF EXISTS app.give_consent(uuid, text, text, text, boolean);
