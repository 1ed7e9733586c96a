-- What operators read and whom the database trusts can't be hidden by cutting a command off.
--
-- An export's row in the trail is committed before anything is read: preferences are told only
-- where such a row of the same operator and family is older than the transaction that asks.
-- clock_timestamp() dates the rows, so one of the same transaction never is.
--
-- A trusted issuer that comes, changes or goes leaves a row whoever does it: an operator by name,
-- anybody else by role. As owner it leaves none, as with the other tables.
--
-- Locks: SHARE ROW EXCLUSIVE on app.trusted_issuers for an instant; it has a few rows.

CREATE FUNCTION app.begin_export(p_family uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (SELECT FROM app.family_units AS f WHERE f.id = p_family) THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    PERFORM app.record_audit('family.export', p_family, NULL, p_family);
END $$;

COMMENT ON FUNCTION app.begin_export(uuid) IS
    'Leaves the audit row of an export; its transaction has to be committed before the reading.';

CREATE OR REPLACE FUNCTION app.export_preferences(p_family uuid)
RETURNS TABLE (user_id uuid, preferences jsonb, updated_at timestamptz, updated_by uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.family_unit_id = p_family AND a.action = 'family.export'
            AND a.actor_label = app.operator_label()
            AND a.at < now() AND a.at > now() - interval '5 minutes')
    THEN
        PERFORM app.refuse('HF409', 'export_not_begun',
            'An export begins with its row in the audit trail.');
    END IF;
    RETURN QUERY SELECT p.user_id, p.preferences, p.updated_at, p.updated_by
        FROM app.member_preferences AS p WHERE p.family_unit_id = p_family ORDER BY p.user_id;
END $$;

COMMENT ON FUNCTION app.export_preferences(uuid) IS
    'The preferences of a family''s members, for an export that has its audit row.';

CREATE FUNCTION app.audit_issuer_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_changes jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM app.audit_statement_of_client('issuer.add', NULL, NULL, NULL,
            jsonb_build_object('issuer', NEW.issuer));
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM app.audit_statement_of_client('issuer.remove', NULL, NULL, NULL,
            jsonb_build_object('issuer', OLD.issuer));
    ELSE
        v_changes := app.changed_columns(to_jsonb(OLD), to_jsonb(NEW));
        -- Applying the same file again changes nothing.
        IF v_changes <> '{"changed": []}' THEN
            PERFORM app.audit_statement_of_client('issuer.change', NULL, NULL, NULL,
                jsonb_build_object('issuer', NEW.issuer) || v_changes);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER audit_statement AFTER INSERT OR UPDATE OR DELETE ON app.trusted_issuers
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_issuer_statement();

GRANT EXECUTE ON FUNCTION app.begin_export(uuid) TO hearth_admin;
