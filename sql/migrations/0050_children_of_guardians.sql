-- New names for views that policies use. The names say what the views contain: the children of whom
-- an account, or the actor, is a guardian; the families in which an account is more than a visitor.
-- PostgreSQL keeps policies and views working when a view is renamed. Programs of the previous
-- release read three of these views under their former names, so these names stay for one release.
--
-- Locks: ACCESS EXCLUSIVE on the four views, for a moment.

-- hearth: allow rename: a view with this name and these columns takes its place in this transaction
ALTER VIEW app.my_wards RENAME TO children_of_account;
-- hearth: allow rename: only policies use it, and they follow
ALTER VIEW app.my_charges RENAME TO children_of_actor;
-- hearth: allow rename: a view with this name and these columns takes its place in this transaction
ALTER VIEW app.my_charges_without_consent RENAME TO children_of_actor_without_consent;
-- hearth: allow rename: a view with this name and these columns takes its place in this transaction
ALTER VIEW app.my_own_families RENAME TO resident_families_of_account;

COMMENT ON VIEW app.children_of_account IS
    'The managed members that the account is a guardian of; none while it acts for a child.';
COMMENT ON VIEW app.children_of_actor IS
    'The managed members that the actor is a guardian of; while it acts for a child, that child.';
COMMENT ON VIEW app.children_of_actor_without_consent IS
    'The managed members that the actor is a guardian of and that lack a required consent.';
COMMENT ON VIEW app.resident_families_of_account IS
    'The families in which the account is more than a visitor; none while it acts for a child.';

CREATE VIEW app.my_wards WITH (security_barrier) AS
SELECT c.user_id, c.family_unit_id FROM app.children_of_account AS c;
CREATE VIEW app.my_charges_without_consent WITH (security_barrier) AS
SELECT c.user_id FROM app.children_of_actor_without_consent AS c;
CREATE VIEW app.my_own_families WITH (security_barrier) AS
SELECT f.family_unit_id FROM app.resident_families_of_account AS f;

COMMENT ON VIEW app.my_wards IS
    'As children_of_account, for programs of the previous release.';
COMMENT ON VIEW app.my_charges_without_consent IS
    'As children_of_actor_without_consent, for programs of the previous release.';
COMMENT ON VIEW app.my_own_families IS
    'As resident_families_of_account, for programs of the previous release.';

ALTER VIEW app.my_wards OWNER TO hearth_authz;
ALTER VIEW app.my_charges_without_consent OWNER TO hearth_authz;
ALTER VIEW app.my_own_families OWNER TO hearth_authz;

GRANT SELECT ON app.my_wards, app.my_charges_without_consent, app.my_own_families TO hearth_api;
