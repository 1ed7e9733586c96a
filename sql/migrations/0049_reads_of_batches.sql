-- What the views for batches of callers need: in which families each person is an active member,
-- and the versions.
--
-- Policies know one caller (app.my_families). A batch has several callers, and each of them must
-- see what the policies would show it alone. So one view, families_joined, defines who is an active
-- member of which family; my_families and the views for batches both use it. No client may read it.
-- It has no security_barrier, so that the planner looks up only the rows of the people in question.
--
-- hearth_authz owns the views that batches read, and may read versions from now on.
--
-- Locks: ACCESS EXCLUSIVE on the view my_families, family_versions and user_versions, for a moment.

CREATE VIEW app.families_joined AS
SELECT m.user_id AS viewer_id, m.family_unit_id
FROM app.family_members AS m
WHERE m.status = 'active';

ALTER VIEW app.families_joined OWNER TO hearth_authz;

-- The families in which the subject is an active member.
CREATE OR REPLACE VIEW app.my_families WITH (security_barrier) AS
SELECT f.family_unit_id
FROM app.families_joined AS f
WHERE f.viewer_id = app.user_id();

CREATE POLICY family_versions_authz ON app.family_versions FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_versions TO hearth_authz;
CREATE POLICY user_versions_authz ON app.user_versions FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_versions TO hearth_authz;
