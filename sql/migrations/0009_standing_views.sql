-- Where the subject of the request stands: the sets that policies compare with.
--
-- They are views owned by hearth_authz: they read with its rights and under its own policies, so
-- that nothing recurses under FORCE; and unlike functions they are inlined by the planner. A policy
-- uses them as `= ANY (ARRAY(SELECT ... FROM app.my_families))`: computed once per statement, when
-- first needed. security_barrier, so that a caller's own condition never runs on a row that the
-- view would leave out.
--
-- What follows from a standing is kept with the membership (confides, governs). A managed member has
-- no rights of its own: who acts for it has no account_id(), and views that ask for it are empty.
--
-- Locks: none, all objects are new.

GRANT CREATE ON SCHEMA app TO hearth_authz;

-- Every family the subject is an active member of.
CREATE VIEW app.my_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.user_id() AND m.status = 'active';

-- Those of them where the account is more than a visitor.
CREATE VIEW app.my_own_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.household_role <> 'visitor';

-- Those where it is trusted with addresses, home and player details: players and adults.
CREATE VIEW app.my_trusting_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.confides;

-- Those that it governs: Parent Admin, or creator.
CREATE VIEW app.my_governed_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.governs;

-- Families that the account has made and nobody has ever belonged to: a direct client inserts the
-- family first and itself as its member after.
CREATE VIEW app.my_memberless_families WITH (security_barrier) AS
SELECT f.id AS family_unit_id
FROM app.family_units AS f
WHERE f.created_by_user_id = app.account_id()
    AND NOT EXISTS (SELECT FROM app.family_members AS m WHERE m.family_unit_id = f.id);

-- The active members of the subject's families, and who waits at the door of those it governs.
CREATE VIEW app.my_relatives WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND me.governs AND me.user_id = app.account_id()));

-- Those among them whose e-mail address the subject may know.
CREATE VIEW app.my_contacts WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.account_id() AND me.status = 'active' AND me.confides
    AND (m.status = 'active' OR (m.status = 'invited' AND me.governs));

-- The managed members that the account is guardian of.
CREATE VIEW app.my_wards WITH (security_barrier) AS
SELECT m.user_id, m.family_unit_id
FROM app.family_members AS m
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = m.active_guardian_id
WHERE m.parent_user_id = app.account_id() AND m.status = 'active' AND g.status = 'active';

ALTER VIEW app.my_families OWNER TO hearth_authz;
ALTER VIEW app.my_own_families OWNER TO hearth_authz;
ALTER VIEW app.my_trusting_families OWNER TO hearth_authz;
ALTER VIEW app.my_governed_families OWNER TO hearth_authz;
ALTER VIEW app.my_memberless_families OWNER TO hearth_authz;
ALTER VIEW app.my_relatives OWNER TO hearth_authz;
ALTER VIEW app.my_contacts OWNER TO hearth_authz;
ALTER VIEW app.my_wards OWNER TO hearth_authz;

REVOKE CREATE ON SCHEMA app FROM hearth_authz;

GRANT SELECT ON app.my_families, app.my_own_families, app.my_trusting_families,
    app.my_governed_families, app.my_memberless_families, app.my_relatives, app.my_contacts,
    app.my_wards
    TO hearth_api, authenticated;
