-- The audit log: one row for every change, in the same transaction.
--
-- Functions write their own rows. A trigger writes the row of a plain INSERT, UPDATE or DELETE. The
-- row of a change by the API names the signed-in user; the row of any other change (by a direct
-- client, or a person with psql) also has the operator or the role as label. Functions and foreign
-- key cascades run as hearth_owner. The triggers' conditions are evaluated as the writing role, so
-- they exclude both.

-- The label of an operator. The setting is used only in a session of an operator's role, because
-- anybody can write it.
CREATE OR REPLACE FUNCTION app.operator_label() RETURNS text
LANGUAGE sql STABLE
RETURN CASE
    WHEN nullif(current_setting('hearth.operator', true), '') IS NOT NULL
         AND pg_has_role(session_user, 'hearth_admin', 'MEMBER')
    THEN 'operator:' || current_setting('hearth.operator', true)
END;

-- The label of an API key, which contains the name that families see. As with operators, the
-- setting is used only in a session of the role for keys.
CREATE OR REPLACE FUNCTION app.server_label() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN CASE
        WHEN nullif(current_setting('hearth.key', true), '') IS NOT NULL
             AND pg_has_role(session_user, 'hearth_server', 'MEMBER')
        THEN (SELECT 'server:' || k.name FROM app.live_key AS k)
    END;
END $$;

-- The label of an actor without an account, such as an operator; null for an account.
CREATE OR REPLACE FUNCTION app.actor_label() RETURNS text
LANGUAGE sql STABLE
RETURN coalesce(app.operator_label(),
    CASE WHEN current_setting('hearth.key', true) <> '' THEN app.server_label() END);

CREATE OR REPLACE FUNCTION app.record_audit(
    p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb DEFAULT '{}'
) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
BEGIN
    INSERT INTO app.audit_log
        (family_unit_id, actor_user_id, actor_label, subject_user_id, action, target_id, details)
    VALUES (p_family, app.actor_id(), app.actor_label(), p_subject, p_action, p_target,
            p_details);
END $$;

CREATE OR REPLACE FUNCTION app.audit_statement_of_client(
    p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    -- In a SECURITY DEFINER function current_user is the owner; this is the calling role.
    v_role constant text := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    PERFORM app.require_consent_to(p_action);
    INSERT INTO app.audit_log (family_unit_id, actor_user_id, actor_label, subject_user_id, action,
            target_id, details)
        VALUES (p_family, app.actor_id(),
                coalesce(app.operator_label(),
                         CASE WHEN v_role <> 'hearth_api' THEN 'sql:' || v_role END),
                p_subject, p_action, p_target, p_details);
END $$;

-- The names of the changed columns, never their values.
CREATE OR REPLACE FUNCTION app.changed_columns(p_old jsonb, p_new jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = '' AS $$
BEGIN
    RETURN jsonb_build_object('changed', coalesce((
        SELECT jsonb_agg(n.key ORDER BY n.key) FROM jsonb_each(p_new) AS n
        WHERE n.value IS DISTINCT FROM p_old -> n.key AND n.key <> 'updated_at'), '[]'));
END $$;

-- Writes the audit row of a family that a direct client inserts or changes. For a new family, also
-- records in the usage log that its code was generated.
CREATE OR REPLACE FUNCTION app.audit_family_statement() RETURNS trigger
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

CREATE OR REPLACE TRIGGER audit_statement AFTER INSERT OR UPDATE ON app.family_units
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_family_statement();

-- Writes the audit row member.add of a member that a plain INSERT adds. A creator that enters its
-- new family gets none, because the row family.create covers this.
CREATE OR REPLACE FUNCTION app.audit_member_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NOT (NEW.is_creator AND NEW.joined_via = 'created'
            AND NEW.user_id IS NOT DISTINCT FROM app.account_id()) THEN
        PERFORM app.audit_statement_of_client('member.add', NEW.family_unit_id, NEW.user_id, NEW.id,
            jsonb_build_object('role', NEW.role, 'householdRole', NEW.household_role));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_statement AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_member_statement();

CREATE OR REPLACE FUNCTION app.audit_user_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        CASE WHEN NEW.id = app.user_id() THEN 'profile.update' ELSE 'managed.update' END,
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = NEW.id AND m.user_kind = 'managed'),
        NEW.id, NEW.id, app.changed_columns(to_jsonb(OLD), to_jsonb(NEW)));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_statement AFTER UPDATE ON app.users
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_user_statement();

CREATE OR REPLACE FUNCTION app.audit_invitation_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        'invitation.revoke', OLD.family_unit_id, app.user_id(), OLD.id, '{}');
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_statement AFTER DELETE ON app.family_invitations
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_invitation_statement();

CREATE OR REPLACE FUNCTION app.audit_preferences_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        'preferences.write', NEW.family_unit_id, NEW.user_id, NEW.user_id, '{}');
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_statement AFTER INSERT OR UPDATE ON app.member_preferences
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_preferences_statement();

-- Records additions, changes and removals of trusted issuers, with the operator's name or the role.
-- The owner's changes write no row, as in other tables.
CREATE OR REPLACE FUNCTION app.audit_issuer_statement() RETURNS trigger
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
        -- Applying an unchanged file again is not a change.
        IF v_changes <> '{"changed": []}' THEN
            PERFORM app.audit_statement_of_client('issuer.change', NULL, NULL, NULL,
                jsonb_build_object('issuer', NEW.issuer) || v_changes);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_statement AFTER INSERT OR UPDATE OR DELETE ON app.trusted_issuers
    FOR EACH ROW WHEN (current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.audit_issuer_statement();

-- A page of the audit log of a family that the account governs, newest first: the entries after the
-- one with this time and id (both null: from the newest). It also returns which people are managed
-- members, because their ids have a prefix for clients, and a removed child has no other visible
-- row. A child that has graduated is returned with the id of its account. If p_person is not null,
-- only entries of which this person is the actor or the subject, under any of its ids.
--
-- This is a function because PostgreSQL does not read a view with security_barrier in index order:
-- it would read and sort all entries after the start of the page. The function reads the index only
-- to the end of the page. Opening a month costs time even if the month has no entry for the family.
-- Therefore the first query covers only the 31 days before the start (or before now), which
-- suffices for families with many entries. If the page is not full, the second query covers
-- everything before.
DROP FUNCTION IF EXISTS app.audit_page(uuid, timestamptz, uuid, integer);
CREATE OR REPLACE FUNCTION app.audit_page(
    p_family uuid, p_at timestamptz, p_id uuid, p_limit integer, p_person uuid DEFAULT NULL
) RETURNS TABLE (
    id uuid, at timestamptz, actor_user_id uuid, actor_label text, subject_user_id uuid,
    action text, target_id uuid, details jsonb, subject_is_managed boolean,
    target_is_managed boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_at timestamptz := coalesce(p_at, 'infinity');
    v_id uuid := coalesce(p_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    v_since timestamptz := least(v_at, now()) - interval '31 days';
    v_limit integer := p_limit;
    v_count integer;
    v_ids constant uuid[] := ARRAY(
        SELECT p_person UNION ALL
        SELECT x.alias_id FROM app.user_aliases AS x WHERE x.account_id = p_person);
BEGIN
    IF NOT EXISTS (
        SELECT FROM app.my_governed_families AS g WHERE g.family_unit_id = p_family) THEN
        RETURN;
    END IF;
    LOOP
        -- Both bounds of `at` let PostgreSQL exclude the other months. People are looked up after
        -- the LIMIT.
        RETURN QUERY
            SELECT a.id, a.at, a.actor_user_id, a.actor_label,
                coalesce(
                    (SELECT x.account_id FROM app.user_aliases AS x
                     WHERE x.alias_id = a.subject_user_id), a.subject_user_id),
                a.action, a.target_id, a.details,
                EXISTS (
                    SELECT FROM app.users AS u
                    WHERE u.id = a.subject_user_id AND u.kind = 'managed' AND NOT EXISTS (
                        SELECT FROM app.user_aliases AS x WHERE x.alias_id = u.id)),
                EXISTS (
                    SELECT FROM app.users AS u
                    WHERE u.id = a.target_id AND u.kind = 'managed' AND NOT EXISTS (
                        SELECT FROM app.user_aliases AS x WHERE x.alias_id = u.id))
            FROM (
                SELECT e.* FROM app.audit_log AS e
                WHERE e.family_unit_id = p_family AND e.at BETWEEN v_since AND v_at
                    AND (e.at, e.id) < (v_at, v_id)
                    AND (p_person IS NULL OR e.actor_user_id = ANY (v_ids)
                        OR e.subject_user_id = ANY (v_ids))
                ORDER BY e.at DESC, e.id DESC LIMIT v_limit) AS a
            ORDER BY a.at DESC, a.id DESC;
        GET DIAGNOSTICS v_count = ROW_COUNT;
        v_limit := v_limit - v_count;
        EXIT WHEN v_limit = 0 OR v_since = '-infinity';
        v_at := v_since;
        v_id := '00000000-0000-0000-0000-000000000000';
        v_since := '-infinity';
    END LOOP;
END $$;

COMMENT ON FUNCTION app.audit_page(uuid, timestamptz, uuid, integer, uuid) IS
    'A page of the audit log of a family that the account governs, newest first.';

GRANT EXECUTE ON FUNCTION app.audit_page(uuid, timestamptz, uuid, integer, uuid) TO hearth_api;
