-- Versions and changes: what each write records, and how the commit turns it into versions.
--
-- Triggers record each change in app.pending_changes (0011_changes.sql), whichever role writes. At
-- the commit a constraint trigger deletes all rows of the transaction and raises the versions that
-- they concern (changes_versions.sql); changes_meaning.sql defines what each kind of row means. No
-- version is locked earlier, and every transaction takes the locks in one order: advisory locks of
-- addresses (class 1212499275), versions of families by id, versions of managed members by id,
-- versions of accounts by id. Everything else that a change concerns (the families of a user, the
-- guardians of a child, the addressee of an invitation) is looked up under these locks. So if two
-- transactions affect each other, the later one reads the result of the earlier. A transaction that
-- gives a person an address also locks the versions of the families that have invited this address,
-- without raising them, because the data of such an invitation changes under the same lock.
--
-- The start of a membership locks the user's row (give_new_member_slot, give_changed_member_slot),
-- so a change of the user and its new membership also wait for each other.

-- A new family and a new user have versions from the start, so that raising a version never inserts
-- a row.
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

CREATE OR REPLACE FUNCTION app.record_change_of_family() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO app.pending_changes (kind, family_unit_id)
        SELECT k, NEW.id FROM unnest(ARRAY[
            'family',
            CASE WHEN NEW.player_details IS DISTINCT FROM OLD.player_details THEN 'details' END,
            CASE WHEN NEW.family_name <> OLD.family_name THEN 'name' END]) AS k
        WHERE k IS NOT NULL;
    RETURN NULL;
END $$;

-- An update of entered_by_key changes nothing else, and nobody can read it.
CREATE OR REPLACE TRIGGER record_change AFTER UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.* AND NEW.entered_by_key = OLD.entered_by_key)
    EXECUTE FUNCTION app.record_change_of_family();

-- Records nothing for a removed member that stays removed, because nobody can read it. A child that
-- has graduated is recorded by its membership's id, which clients know as the child's id; the
-- membership's user is another one by then.
CREATE OR REPLACE FUNCTION app.record_change_of_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_members := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_old_status constant text := coalesce(OLD.status, 'removed');
    v_new_status constant text := coalesce(NEW.status, 'removed');
    v_is_lowered constant boolean :=
        OLD.household_role <> 'visitor' AND NEW.household_role = 'visitor';
BEGIN
    IF v_old_status = 'removed' AND v_new_status = 'removed' THEN
        RETURN NULL;
    END IF;
    INSERT INTO app.pending_changes (kind, family_unit_id, user_id, id, audience, is_managed)
        SELECT k, v_row.family_unit_id, v_row.user_id, v_row.id,
            CASE WHEN 'active' IN (v_old_status, v_new_status) THEN 'members' ELSE 'governors' END,
            coalesce(OLD.user_kind, NEW.user_kind) = 'managed'
        FROM unnest(ARRAY[
            'member',
            CASE WHEN v_old_status <> v_new_status
                OR (OLD.user_id, OLD.role, OLD.household_role, OLD.stands_in)
                    <> (NEW.user_id, NEW.role, NEW.household_role, NEW.stands_in)
                THEN 'membership' END,
            CASE WHEN v_old_status <> v_new_status THEN 'preferences' END,
            CASE WHEN 'invited' IN (v_old_status, v_new_status) THEN 'request' END,
            CASE WHEN v_is_lowered THEN 'lost-invitations' END,
            CASE WHEN v_is_lowered THEN 'lost-attributes' END,
            CASE WHEN OLD.confides AND NOT NEW.confides THEN 'lost-details' END,
            CASE WHEN (OLD.governs OR OLD.stands_in) AND NOT (NEW.governs OR NEW.stands_in)
                THEN 'lost-waiting' END]) AS k
        WHERE k IS NOT NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_change AFTER INSERT OR DELETE ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.record_change_of_member();
CREATE OR REPLACE TRIGGER record_update AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.record_change_of_member();

-- Raises the child's own version too. The lock of this version makes concurrent changes of the
-- child read its new guardians. Clients get guardians as part of the child, whose id is its
-- membership's.
CREATE OR REPLACE FUNCTION app.record_change_of_guardianship() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.guardianships := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO app.pending_changes (kind, family_unit_id, user_id, id, audience, is_managed)
        SELECT k.kind, v_row.family_unit_id, k.user_id, v_row.member_id, 'members', true
        FROM (VALUES
            ('member', v_row.member_id),
            ('membership', v_row.member_id),
            ('ward', v_row.guardian_user_id)) AS k (kind, user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_change AFTER INSERT OR UPDATE OR DELETE ON app.guardianships
    FOR EACH ROW EXECUTE FUNCTION app.record_change_of_guardianship();

-- Records only pending invitations, because others are not shown. If the address of an invitation
-- changes, the owners of both addresses are concerned.
CREATE OR REPLACE FUNCTION app.record_change_of_invitation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_invitations := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO app.pending_changes (kind, family_unit_id, id, mailbox)
        SELECT 'invitation', v_row.family_unit_id, v_row.id, r.mailbox
        FROM (VALUES (OLD.status, OLD.mailbox), (NEW.status, NEW.mailbox)) AS r (status, mailbox)
        WHERE r.status = 'pending';
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_change AFTER INSERT OR DELETE ON app.family_invitations
    FOR EACH ROW EXECUTE FUNCTION app.record_change_of_invitation();
CREATE OR REPLACE TRIGGER record_update AFTER UPDATE ON app.family_invitations
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*)
    EXECUTE FUNCTION app.record_change_of_invitation();

-- A new user matters only to families that have invited its address, because no client has a copy
-- of the user yet.
CREATE OR REPLACE FUNCTION app.record_change_of_user() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_old_mailbox constant text := CASE WHEN OLD.email_verified THEN OLD.mailbox END;
    v_new_mailbox constant text := CASE WHEN NEW.email_verified THEN NEW.mailbox END;
    v_mailbox_changed constant boolean := v_old_mailbox IS DISTINCT FROM v_new_mailbox;
BEGIN
    INSERT INTO app.pending_changes (kind, user_id, mailbox)
        SELECT k.kind, NEW.id, k.mailbox
        FROM (VALUES
            ('user', TG_OP = 'UPDATE', NULL),
            ('inviter', TG_OP = 'UPDATE' AND NEW.full_name IS DISTINCT FROM OLD.full_name, NULL),
            ('address', v_mailbox_changed AND v_old_mailbox IS NOT NULL, v_old_mailbox),
            ('address', v_mailbox_changed AND v_new_mailbox IS NOT NULL, v_new_mailbox))
            AS k (kind, applies, mailbox)
        WHERE k.applies;
    RETURN NULL;
END $$;

-- A block is not a change that others see.
CREATE OR REPLACE TRIGGER record_change AFTER UPDATE ON app.users
    FOR EACH ROW WHEN (
        NEW.* IS DISTINCT FROM OLD.*
        AND (NEW.blocked_at IS NOT DISTINCT FROM OLD.blocked_at
             OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at))
    EXECUTE FUNCTION app.record_change_of_user();
CREATE OR REPLACE TRIGGER record_new AFTER INSERT ON app.users
    FOR EACH ROW WHEN (NEW.email_verified AND NEW.mailbox IS NOT NULL)
    EXECUTE FUNCTION app.record_change_of_user();

CREATE OR REPLACE FUNCTION app.record_change_of_preferences() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.member_preferences := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO app.pending_changes (kind, family_unit_id, user_id)
        VALUES ('preferences', v_row.family_unit_id, v_row.user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_change AFTER INSERT OR UPDATE OR DELETE ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.record_change_of_preferences();

-- If the family is deleted, its attributes are deleted with it, and there is no version to raise.
CREATE OR REPLACE FUNCTION app.record_change_of_attributes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_attributes := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO app.pending_changes (kind, family_unit_id)
        VALUES ('attributes', v_row.family_unit_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_change AFTER INSERT OR UPDATE OR DELETE ON app.family_attributes
    FOR EACH ROW EXECUTE FUNCTION app.record_change_of_attributes();
