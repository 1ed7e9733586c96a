-- Versions and changes: what each write notes, and how the notes become versions at the commit.
--
-- Triggers note a change in a setting that ends with the transaction (hearth.changes, a line per
-- change), whoever writes. At the commit the first constraint trigger that fires turns all of them
-- into versions (changes_versions.sql; changes_from_notes.sql says which). Nothing is locked before
-- that, and the locks are taken in one order by everybody: advisory locks of addresses (of the
-- class 1212499275), families' versions by id, versions of managed members by id, versions of
-- accounts by id. What else a change touches (the families of a user, the guardians of a child,
-- whom an invitation is addressed to) is looked up under those locks, so that of two transactions
-- that affect each other the later one sees the earlier. Whoever gets an address also locks the
-- versions of the families that have invited it, without raising them: what such an invitation
-- shows changes under the same lock.
--
-- A membership that begins locks its user's row (give_new_member_slot, give_changed_member_slot):
-- a change of the user and its new membership wait for each other as well.

CREATE OR REPLACE FUNCTION app.note_change(p_line text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_noted constant text := coalesce(nullif(current_setting('hearth.changes', true), ''), E'\n');
BEGIN
    IF strpos(v_noted, E'\n' || p_line || E'\n') = 0 THEN
        PERFORM set_config('hearth.changes', v_noted || p_line || E'\n', true);
    END IF;
END $$;

-- A new family and a new user have versions from the start, so that raising one never inserts.
CREATE OR REPLACE FUNCTION app.begin_family_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO app.family_versions (family_unit_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER begin_versions AFTER INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.begin_family_versions();

CREATE OR REPLACE FUNCTION app.begin_user_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO app.user_versions (user_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER begin_versions AFTER INSERT ON app.users
    FOR EACH ROW EXECUTE FUNCTION app.begin_user_versions();

CREATE OR REPLACE FUNCTION app.note_family() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.note_change('family ' || NEW.id);
    IF NEW.player_details IS DISTINCT FROM OLD.player_details THEN
        PERFORM app.note_change('details ' || NEW.id);
    END IF;
    IF NEW.family_name <> OLD.family_name THEN
        PERFORM app.note_change('name ' || NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_family();

-- A removed member that stays removed concerns nobody.
CREATE OR REPLACE FUNCTION app.note_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_members := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_was constant text := CASE WHEN TG_OP <> 'INSERT' THEN OLD.status ELSE 'removed' END;
    v_is constant text := CASE WHEN TG_OP <> 'DELETE' THEN NEW.status ELSE 'removed' END;
    v_about constant text := v_row.family_unit_id || ' ' || v_row.user_id;
BEGIN
    IF v_was = 'removed' AND v_is = 'removed' THEN
        RETURN NULL;
    END IF;
    -- Of a child that has grown up clients know the id of the child.
    PERFORM app.note_change(format('member %s %s %s %s', v_row.family_unit_id, v_row.id,
        CASE WHEN 'active' IN (v_was, v_is) THEN 'members' ELSE 'governors' END,
        CASE TG_OP WHEN 'UPDATE' THEN OLD.user_kind ELSE v_row.user_kind END));
    IF v_was <> v_is THEN
        PERFORM app.note_change('membership ' || v_about);
        PERFORM app.note_change('preferences ' || v_about);
    END IF;
    IF 'invited' IN (v_was, v_is) THEN
        PERFORM app.note_change('request ' || v_row.user_id);
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- Another user: a child that has grown up.
        IF (OLD.user_id, OLD.role, OLD.household_role, OLD.stands_in)
            <> (NEW.user_id, NEW.role, NEW.household_role, NEW.stands_in) THEN
            PERFORM app.note_change('membership ' || v_about);
        END IF;
        IF OLD.household_role <> 'visitor' AND NEW.household_role = 'visitor' THEN
            PERFORM app.note_change('lost-invitations ' || v_about);
            PERFORM app.note_change('lost-attributes ' || v_about);
        END IF;
        IF OLD.confides AND NOT NEW.confides THEN
            PERFORM app.note_change('lost-details ' || v_about);
        END IF;
        IF (OLD.governs OR OLD.stands_in) AND NOT (NEW.governs OR NEW.stands_in) THEN
            PERFORM app.note_change('lost-waiting ' || v_about);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.note_member();
CREATE OR REPLACE TRIGGER note_update AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_member();

-- The child's own version is raised too, and its lock makes concurrent changes of the child see its
-- new guardians. The child is shown with its guardians.
CREATE OR REPLACE FUNCTION app.note_guardianship() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.guardianships := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_about constant text := v_row.family_unit_id || ' ' || v_row.member_id;
BEGIN
    PERFORM app.note_change('member ' || v_about || ' members managed');
    PERFORM app.note_change('membership ' || v_about);
    PERFORM app.note_change('ward ' || v_about || ' ' || v_row.guardian_user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON app.guardianships
    FOR EACH ROW EXECUTE FUNCTION app.note_guardianship();

-- Only pending invitations are shown, so others concern nobody. An invitation that gets another
-- address concerns the owners of both.
CREATE OR REPLACE FUNCTION app.note_invitation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_invitations := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_about constant text := format('invitation %s %s ', v_row.family_unit_id, v_row.id);
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.status = 'pending' THEN
        PERFORM app.note_change(rtrim(v_about || coalesce(OLD.mailbox, '')));
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.status = 'pending' THEN
        PERFORM app.note_change(rtrim(v_about || coalesce(NEW.mailbox, '')));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE ON app.family_invitations
    FOR EACH ROW EXECUTE FUNCTION app.note_invitation();
CREATE OR REPLACE TRIGGER note_update AFTER UPDATE ON app.family_invitations
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_invitation();

CREATE OR REPLACE FUNCTION app.note_user() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.note_change('user ' || NEW.id);
    IF NEW.full_name IS DISTINCT FROM OLD.full_name THEN
        PERFORM app.note_change('inviter ' || NEW.id);
    END IF;
    IF (NEW.mailbox, NEW.email_verified) IS DISTINCT FROM (OLD.mailbox, OLD.email_verified) THEN
        IF OLD.email_verified AND OLD.mailbox IS NOT NULL THEN
            PERFORM app.note_change('address ' || NEW.id || ' ' || OLD.mailbox);
        END IF;
        IF NEW.email_verified AND NEW.mailbox IS NOT NULL THEN
            PERFORM app.note_change('address ' || NEW.id || ' ' || NEW.mailbox);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER UPDATE ON app.users
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_user();

-- Of somebody new nobody has a copy, but it may have been invited already.
CREATE OR REPLACE FUNCTION app.note_new_user() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.note_change('address ' || NEW.id || ' ' || NEW.mailbox);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON app.users
    FOR EACH ROW WHEN (NEW.email_verified AND NEW.mailbox IS NOT NULL)
    EXECUTE FUNCTION app.note_new_user();

CREATE OR REPLACE FUNCTION app.note_preferences() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.member_preferences := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    PERFORM app.note_change('preferences ' || v_row.family_unit_id || ' ' || v_row.user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.note_preferences();

-- A family that is deleted takes its attributes along, and has no version to raise.
CREATE OR REPLACE FUNCTION app.note_attributes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_attributes := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    PERFORM app.note_change('attributes ' || v_row.family_unit_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON app.family_attributes
    FOR EACH ROW EXECUTE FUNCTION app.note_attributes();
