-- The trail tells which of its people are managed members.
--
-- Clients see the ids of managed members marked, wherever they stand; from the trail alone nobody
-- could tell, and of a child that was removed there is no other row to see.
--
-- Locks: ACCESS EXCLUSIVE on the view app.audit_trail, for an instant.

GRANT CREATE ON SCHEMA app TO hearth_authz;

CREATE OR REPLACE VIEW app.audit_trail WITH (security_barrier) AS
SELECT a.id, a.at, a.family_unit_id, a.actor_user_id, a.actor_label, a.subject_user_id, a.action,
    a.target_id, a.details,
    coalesce((SELECT u.kind = 'managed' FROM app.users AS u WHERE u.id = a.subject_user_id), false)
        AS subject_is_managed,
    -- A managed member's row has its user's id.
    coalesce((SELECT u.kind = 'managed' FROM app.users AS u WHERE u.id = a.target_id), false)
        AS target_is_managed
FROM app.audit_log AS a
WHERE a.family_unit_id = ANY (ARRAY(SELECT g.family_unit_id FROM app.my_governed_families AS g));

REVOKE CREATE ON SCHEMA app FROM hearth_authz;
