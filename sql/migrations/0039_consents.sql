-- What guardians of a child without an account have consented to.
--
-- consent_purposes: the purposes of HEARTH_CONSENTS_FILE with the present versions of their texts.
-- The API stores them when it starts. While consent to the present version of a required purpose is
-- missing, nobody can write the child's preferences.
--
-- consents: each row is one consent, from given_at until it was withdrawn or given anew (ended_at).
-- Apart from its end, a row never changes, so the table is evidence of the consents. Rows name
-- guardians by value, as the audit trail does.
--
-- my_charges: the children whose preferences the account may read. While the account acts for a
-- child, this is that child only, and only while the account is its guardian: when a guardianship
-- ends during a request, the next statement of the request no longer sees the child. (0050 gives
-- this view a new name.)
--
-- Locks: ACCESS EXCLUSIVE on app.member_preferences for its policy, SHARE ROW EXCLUSIVE on
-- app.family_members for the foreign key, for a moment each.

CREATE TABLE app.consent_purposes (
    purpose text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    is_required boolean NOT NULL,
    CONSTRAINT consent_purposes_pkey PRIMARY KEY (purpose),
    CONSTRAINT consent_purposes_purpose_form CHECK (purpose ~ '^[a-z][a-z0-9_-]{0,62}$'),
    CONSTRAINT consent_purposes_version_form CHECK (version ~ '^[!-~]{1,64}$')
);

COMMENT ON TABLE app.consent_purposes IS
    'What guardians are asked to consent to, and the present version of each text.';

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
);

CREATE UNIQUE INDEX consents_one_standing ON app.consents (member_id, purpose)
    WHERE ended_at IS NULL;
CREATE INDEX consents_of_child ON app.consents (member_id, given_at);
CREATE INDEX consents_of_family ON app.consents (family_unit_id);
CREATE INDEX consents_given_by ON app.consents (given_by);

COMMENT ON TABLE app.consents IS
    'Consents of guardians: for which child and purpose, by whom, when, how proved, until when.';

ALTER TABLE app.consent_purposes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.consent_purposes FORCE ROW LEVEL SECURITY;
CREATE POLICY consent_purposes_owner ON app.consent_purposes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY consent_purposes_authz ON app.consent_purposes
    FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.consent_purposes TO hearth_authz;
CREATE POLICY consent_purposes_operator_reads ON app.consent_purposes
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.consent_purposes TO hearth_admin;

ALTER TABLE app.consents ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.consents FORCE ROW LEVEL SECURITY;
CREATE POLICY consents_owner ON app.consents TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY consents_authz ON app.consents FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.consents TO hearth_authz;
CREATE POLICY consents_operator_reads ON app.consents FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.consents TO hearth_admin;

-- A child's guardians see the consents that were given, and those that were withdrawn.
CREATE POLICY consents_guardian_reads ON app.consents FOR SELECT TO hearth_api
    USING (member_id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)));
GRANT SELECT ON app.consents TO hearth_api;

CREATE VIEW app.my_charges WITH (security_barrier) AS
SELECT m.user_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
WHERE w.guardian_user_id = app.actor_id() AND m.status = 'active' AND g.status = 'active'
    AND (app.account_id() IS NOT NULL OR m.user_id = app.user_id());

-- The children of whom the actor is a guardian and for whom a required consent is missing.
CREATE VIEW app.my_charges_without_consent WITH (security_barrier) AS
SELECT m.user_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
WHERE w.guardian_user_id = app.actor_id() AND m.user_kind = 'managed' AND EXISTS (
    SELECT FROM app.consent_purposes AS p
    WHERE p.is_required AND NOT EXISTS (
        SELECT FROM app.consents AS c
        WHERE c.member_id = m.id AND c.purpose = p.purpose AND c.version = p.version
            AND c.ended_at IS NULL));

ALTER VIEW app.my_charges OWNER TO hearth_authz;
ALTER VIEW app.my_charges_without_consent OWNER TO hearth_authz;
GRANT SELECT ON app.my_charges, app.my_charges_without_consent TO hearth_api;

-- A person's own preferences, and those of the children in my_charges, in families in which the
-- subject is an active member. A child's preferences can be written only if no required consent is
-- missing.
ALTER POLICY member_preferences_self_or_guardian ON app.member_preferences
    USING (
        (user_id = (SELECT app.account_id())
         OR user_id = ANY (ARRAY(SELECT c.user_id FROM app.my_charges AS c)))
        AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
    WITH CHECK (
        (user_id = (SELECT app.account_id())
         OR (user_id = ANY (ARRAY(SELECT c.user_id FROM app.my_charges AS c))
             AND user_id <> ALL (ARRAY(
                 SELECT c.user_id FROM app.my_charges_without_consent AS c))))
        AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
