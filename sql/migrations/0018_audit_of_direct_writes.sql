-- The audit row of what is written by plain INSERT, UPDATE and DELETE.
--
-- Functions write their own row; a statement has none, so a trigger writes it: for the API in the
-- name of who is signed in, for everybody else (a direct client, a person with psql) with the role
-- as label besides. Functions run as hearth_owner, and so do the cascades of foreign keys: the
-- triggers' condition, which is judged as the writer, leaves both out.
--
-- A direct client's new family gets its line in the log of codes here too.
--
-- Locks: SHARE ROW EXCLUSIVE on the tables named, for an instant; they are new.

CREATE FUNCTION app.audit_statement_of_client(
    p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    -- Inside a definer function current_user is its owner; this is who called.
    v_role constant text := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    INSERT INTO app.audit_log (family_unit_id, actor_user_id, actor_label, subject_user_id, action,
            target_id, details)
        VALUES (p_family, app.actor_id(),
                coalesce(app.operator_label(),
                         CASE WHEN v_role <> 'hearth_api' THEN 'sql:' || v_role END),
                p_subject, p_action, p_target, p_details);
END $$;

-- The names of the columns that differ: what was changed, never to what.
CREATE FUNCTION app.changed_columns(p_old jsonb, p_new jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN jsonb_build_object('changed', coalesce((
    SELECT jsonb_agg(n.key ORDER BY n.key) FROM jsonb_each(p_new) AS n
    WHERE n.value IS DISTINCT FROM p_old -> n.key AND n.key <> 'updated_at'), '[]'));

CREATE FUNCTION app.audit_family_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (NEW.id, NEW.created_by_user_id, 'generated');
        PERFORM app.audit_statement_of_client(
            'family.create', NEW.id, NEW.created_by_user_id, NEW.id, '{}');
    ELSE
        PERFORM app.audit_statement_of_client('family.update', NEW.id, app.user_id(), NEW.id,
            app.changed_columns(to_jsonb(OLD), to_jsonb(NEW)));
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER audit_statement AFTER INSERT OR UPDATE ON app.family_units
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_family_statement();

CREATE FUNCTION app.audit_member_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client('family.create', NEW.family_unit_id, NEW.user_id, NEW.id,
        jsonb_build_object('role', NEW.role));
    RETURN NULL;
END $$;

CREATE TRIGGER audit_statement AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_member_statement();

CREATE FUNCTION app.audit_user_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        CASE WHEN NEW.id = app.user_id() THEN 'profile.update' ELSE 'managed.update' END,
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = NEW.id AND m.user_kind = 'managed'),
        NEW.id, NEW.id, app.changed_columns(to_jsonb(OLD), to_jsonb(NEW)));
    RETURN NULL;
END $$;

CREATE TRIGGER audit_statement AFTER UPDATE ON app.users
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_user_statement();

CREATE FUNCTION app.audit_invitation_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        'invitation.revoke', OLD.family_unit_id, app.user_id(), OLD.id, '{}');
    RETURN NULL;
END $$;

CREATE TRIGGER audit_statement AFTER DELETE ON app.family_invitations
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_invitation_statement();

CREATE FUNCTION app.audit_preferences_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        'preferences.write', NEW.family_unit_id, NEW.user_id, NEW.user_id, '{}');
    RETURN NULL;
END $$;

CREATE TRIGGER audit_statement AFTER INSERT OR UPDATE ON app.member_preferences
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_preferences_statement();
