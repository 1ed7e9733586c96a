-- Preferences of a member, and the two trails: what happened to codes, and who did what.
--
-- The audit trail is append only. Its owner has no policy for UPDATE, and row-level security is
-- forced upon it; DELETE serves purging alone. It refers to families and users by value, not by
-- foreign key: what was done stays told when they are gone.
--
-- Locks: none, all objects are new.

CREATE TABLE app.member_preferences (
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    preferences jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by uuid,
    CONSTRAINT member_preferences_pkey PRIMARY KEY (family_unit_id, user_id),
    CONSTRAINT member_preferences_member_fkey FOREIGN KEY (family_unit_id, user_id)
        REFERENCES app.family_members (family_unit_id, user_id) ON DELETE CASCADE,
    CONSTRAINT member_preferences_is_object CHECK (jsonb_typeof(preferences) = 'object'),
    CONSTRAINT member_preferences_size CHECK (octet_length(preferences::text) <= 16384)
);

CREATE INDEX member_preferences_user ON app.member_preferences (user_id);

COMMENT ON TABLE app.member_preferences IS 'What a member likes; its own and its guardian''s.';

-- Who wrote, and when, is nobody's to say.
CREATE FUNCTION app.sign_preferences() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.updated_at := now();
    NEW.updated_by := app.actor_id();
    RETURN NEW;
END $$;

CREATE TRIGGER sign BEFORE INSERT OR UPDATE ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.sign_preferences();

CREATE TABLE app.family_code_usage_log (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    family_unit_id uuid,
    user_id uuid,
    action text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT family_code_usage_log_pkey PRIMARY KEY (id),
    CONSTRAINT family_code_usage_log_action_known CHECK (
        action IN ('generated', 'joined', 'regenerated', 'rejected', 'retired'))
);

CREATE INDEX family_code_usage_log_at ON app.family_code_usage_log (at);
CREATE INDEX family_code_usage_log_family ON app.family_code_usage_log (family_unit_id, at DESC);

COMMENT ON TABLE app.family_code_usage_log IS 'What happened to codes: no code, no address in it.';

CREATE TABLE app.audit_log (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    -- Not the transaction's time: rows of one transaction keep their order.
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

-- The label of an operator counts only in a session that logged in as one: a setting alone can be
-- written by anybody.
CREATE FUNCTION app.operator_label() RETURNS text
LANGUAGE sql STABLE
RETURN CASE
    WHEN nullif(current_setting('hearth.operator', true), '') IS NOT NULL
         AND pg_has_role(session_user, 'hearth_admin', 'MEMBER')
    THEN 'operator:' || current_setting('hearth.operator', true)
END;

-- The row that goes with every change, in its transaction.
CREATE FUNCTION app.record_audit(
    p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb DEFAULT '{}'
) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO app.audit_log
        (family_unit_id, actor_user_id, actor_label, subject_user_id, action, target_id, details)
    VALUES (p_family, app.actor_id(), app.operator_label(), p_subject, p_action, p_target,
            p_details);
END;

ALTER TABLE app.member_preferences ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.member_preferences FORCE ROW LEVEL SECURITY;
CREATE POLICY member_preferences_owner ON app.member_preferences TO hearth_owner
    USING (true) WITH CHECK (true);

ALTER TABLE app.family_code_usage_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_code_usage_log FORCE ROW LEVEL SECURITY;
CREATE POLICY family_code_usage_log_owner ON app.family_code_usage_log TO hearth_owner
    USING (true) WITH CHECK (true);

ALTER TABLE app.audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_log_owner_append ON app.audit_log FOR INSERT TO hearth_owner WITH CHECK (true);
CREATE POLICY audit_log_owner_read ON app.audit_log FOR SELECT TO hearth_owner USING (true);
CREATE POLICY audit_log_owner_purge ON app.audit_log FOR DELETE TO hearth_owner USING (true);
CREATE POLICY audit_log_authz ON app.audit_log FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.audit_log TO hearth_authz;
