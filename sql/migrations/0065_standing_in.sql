-- While a family has no Parent Admin and its creator is gone (no active member, or made a visitor
-- or a kid by others), its vouched adults stand in: each of them renews the code, and sees, lets in
-- and turns down people who wait. Where no adult is vouched, every adult stands in.
--
-- stands_in is kept by a trigger (household_roles.sql), because it depends on other members.
--
-- Locks: ACCESS EXCLUSIVE on app.family_members and app.family_changes for a moment, and the rows
-- of those who stand in now.

ALTER TABLE app.family_members ADD COLUMN stands_in boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN app.family_members.stands_in IS
    'Whether the member stands in for the creator and the Parent Admin, while both are gone.';

CREATE VIEW app.my_admitting_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND (m.governs OR m.stands_in);

COMMENT ON VIEW app.my_admitting_families IS
    'The families in which the account lets in people who wait; none while it acts for a child.';

ALTER VIEW app.my_admitting_families OWNER TO hearth_authz;
GRANT SELECT ON app.my_admitting_families TO hearth_api;

ALTER POLICY family_changes_audience_reads ON app.family_changes USING (
    CASE audience
        WHEN 'members' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f))
        WHEN 'own' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.resident_families_of_account AS f))
        WHEN 'residents' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.my_resident_families AS f))
        WHEN 'trusting' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.my_trusting_families AS f))
        WHEN 'governors' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.my_admitting_families AS f))
    END);

UPDATE app.family_members AS m SET stands_in = true
    WHERE m.active_adult_user_id IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = m.family_unit_id AND g.status = 'active'
                AND (g.household_role = 'parent_admin'
                     OR (g.is_creator AND (g.confides OR g.household_ceiling = 'adult'))))
        AND (m.vouched OR NOT EXISTS (
            SELECT FROM app.family_members AS v
            WHERE v.family_unit_id = m.family_unit_id AND v.vouched
                AND v.active_adult_user_id IS NOT NULL));
