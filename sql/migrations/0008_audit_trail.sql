-- Who did what, to whom.
--
-- The trail is append only: its owner has no policy for UPDATE, and row-level security is forced on
-- the owner too. The policy for DELETE is for purging only. Entries refer to families and users by
-- value, not by foreign key, so they remain when the family or the user is deleted.
--
-- Locks: none, all objects are new.

CREATE TABLE app.audit_log (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    -- clock_timestamp(), not now(): so the rows of one transaction keep their order.
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    family_unit_id uuid,
    actor_user_id uuid,
    actor_label text,
    subject_user_id uuid,
    action text NOT NULL,
    target_id uuid,
    details jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT audit_log_pkey PRIMARY KEY (id),
    CONSTRAINT audit_log_action_form CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
    CONSTRAINT audit_log_label_form CHECK (
        actor_label ~ '^(operator|sql|job):[^[:cntrl:]]{1,80}$'),
    CONSTRAINT audit_log_details_form CHECK (
        jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 4096)
);

CREATE INDEX audit_log_of_family ON app.audit_log (family_unit_id, at DESC, id DESC);

COMMENT ON TABLE app.audit_log IS 'Who did what, to whom: append only.';

ALTER TABLE app.audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_log_owner_append ON app.audit_log FOR INSERT TO hearth_owner WITH CHECK (true);
CREATE POLICY audit_log_owner_read ON app.audit_log FOR SELECT TO hearth_owner USING (true);
CREATE POLICY audit_log_owner_purge ON app.audit_log FOR DELETE TO hearth_owner USING (true);
CREATE POLICY audit_log_authz ON app.audit_log FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.audit_log TO hearth_authz;
