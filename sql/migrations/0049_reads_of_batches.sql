-- What views for batches of callers need: where each person is an active member, and versions.
--
-- Policies know one caller (app.my_families). A batch has several, each of whom is to see what the
-- policies would show to it alone. That a person is an active member of a family therefore stands
-- in one view, from which both are made; no client reads it. It is no barrier, so that the planner
-- looks up the rows of the people who are asked about.
--
-- Views that batches read are owned by hearth_authz, which sees versions from now on.
--
-- Locks: ACCESS EXCLUSIVE on the view my_families, family_versions and user_versions, for a moment.

CREATE VIEW app.families_joined AS
SELECT m.user_id AS viewer_id, m.family_unit_id
FROM app.family_members AS m
WHERE m.status = 'active';

ALTER VIEW app.families_joined OWNER TO hearth_authz;

-- Every family the subject is an active member of.
CREATE OR REPLACE VIEW app.my_families WITH (security_barrier) AS
SELECT f.family_unit_id
FROM app.families_joined AS f
WHERE f.viewer_id = app.user_id();

CREATE POLICY family_versions_authz ON app.family_versions FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_versions TO hearth_authz;
CREATE POLICY user_versions_authz ON app.user_versions FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_versions TO hearth_authz;
