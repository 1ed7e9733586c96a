-- Slots, which limit the number of members. An active member has one of the slots 1..member_limit,
-- and keeps it for as long as it is active.
--
-- A BEFORE trigger runs before the check of the policy, so an error from it would reveal data to
-- outsiders. The trigger therefore raises nothing: if no slot is free, it leaves the slot empty,
-- and the CHECK constraint, which comes after the policy, refuses the row.

-- Returns the lowest free slot of a family, or null. Locks the family's row, so that of two
-- concurrent calls the second sees the change of the first.
CREATE OR REPLACE FUNCTION app.lowest_free_slot(p_family uuid) RETURNS smallint
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    slots smallint;
    free smallint;
BEGIN
    SELECT f.member_limit INTO slots FROM app.family_units AS f
        WHERE f.id = p_family FOR NO KEY UPDATE;
    SELECT s INTO free FROM generate_series(1, slots) AS s
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = p_family AND m.slot = s)
        ORDER BY s LIMIT 1;
    RETURN free;
END $$;

-- Whether a member that enters a family now enters by an API key's invitation, or after somebody
-- who did (0017_api_keys.sql).
CREATE OR REPLACE FUNCTION app.enters_after_key(p_family uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (SELECT f.entered_by_key FROM app.family_units AS f WHERE f.id = p_family);
END $$;

-- Completes the row of a new member, whether a function or a plain INSERT adds it. The creator, and
-- anybody whom an operator adds, is vouched for; a child never is, because it can't make claims. If
-- the account was erased while it waited for the lock, or the caller was blocked, user_kind stays
-- null, and the row is refused after the check of the policy. The family's row of an active member
-- is locked before anything else: by lowest_free_slot, or by a function that has given the member a
-- slot. Clients can't give it one.
--
-- An account that is in no other family, and waits for approval to join none, takes the role with
-- which it enters. Any other account has its role already; the foreign key
-- family_members_role_of_account refuses another one.
CREATE OR REPLACE FUNCTION app.give_new_member_slot() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_creator uuid;
    v_after_key boolean;
    v_limit smallint;
    v_role text;
BEGIN
    NEW.slot := CASE WHEN NEW.status = 'active'
        THEN coalesce(NEW.slot, app.lowest_free_slot(NEW.family_unit_id)) END;
    SELECT f.created_by_user_id, f.entered_by_key, f.member_limit
        INTO v_creator, v_after_key, v_limit
        FROM app.family_units AS f WHERE f.id = NEW.family_unit_id;
    IF NEW.slot > v_limit THEN
        NEW.slot := NULL;
    END IF;
    NEW.is_creator := coalesce(NEW.user_id = v_creator, false);
    SELECT u.kind, u.role INTO NEW.user_kind, v_role FROM app.users AS u
        WHERE u.id = NEW.user_id AND u.deleted_at IS NULL
            AND (u.blocked_at IS NULL OR u.id IS DISTINCT FROM app.account_id())
        FOR NO KEY UPDATE;
    -- Compared first, because even an UPDATE that changes nothing costs much.
    IF NEW.user_kind = 'account' AND v_role <> NEW.role
        AND NOT app.belongs_elsewhere(NEW.user_id, NEW.family_unit_id) THEN
        UPDATE app.users AS u SET role = NEW.role, role_is_default = false
            WHERE u.id = NEW.user_id;
    END IF;
    IF NEW.household_role IS NULL THEN
        NEW.household_role := CASE
            WHEN NEW.role = 'player' THEN 'kid'
            WHEN NEW.joined_via = 'created' AND NEW.is_creator THEN 'parent_admin'
            ELSE 'adult'
        END;
    END IF;
    NEW.household_ceiling :=
        CASE NEW.household_role WHEN 'parent_admin' THEN 'adult' ELSE NEW.household_role END;
    NEW.vouched := NEW.user_kind = 'account'
        AND (NEW.vouched OR NEW.is_creator OR NEW.joined_via = 'operator');
    NEW.entered_after_key := NOT NEW.vouched AND coalesce(v_after_key, false);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER slot_new BEFORE INSERT ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.give_new_member_slot();

CREATE OR REPLACE FUNCTION app.give_changed_member_slot() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.slot := CASE
        WHEN NEW.status <> 'active' THEN NULL
        WHEN OLD.status = 'active' THEN OLD.slot
        ELSE app.lowest_free_slot(NEW.family_unit_id)
    END;
    -- The person was admitted, so earlier rejections and removals no longer matter.
    IF NEW.status = 'active' THEN
        NEW.barred_at := NULL;
        NEW.rejected_at := NULL;
        NEW.requests_blocked_at := NULL;
    END IF;
    -- Locks the user: a transaction that changes the user now waits, and then sees this membership
    -- (changes.sql).
    IF OLD.status = 'removed' AND NEW.status <> 'removed' THEN
        PERFORM FROM app.users AS u WHERE u.id = NEW.user_id FOR NO KEY UPDATE;
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER slot_changed BEFORE UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status OR NEW.slot IS DISTINCT FROM OLD.slot)
    EXECUTE FUNCTION app.give_changed_member_slot();

-- Updates entered_after_key when a member enters again, grows up or is vouched for.
CREATE OR REPLACE FUNCTION app.update_entered_after_key() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.entered_after_key := NOT NEW.vouched AND (NEW.entered_after_key
        OR ((NEW.user_kind <> OLD.user_kind
             OR (NEW.status = 'active' AND OLD.status <> 'active'))
            AND app.enters_after_key(NEW.family_unit_id)));
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER entered_after_key BEFORE UPDATE ON app.family_members
    FOR EACH ROW
    WHEN ((NEW.status, NEW.user_kind, NEW.vouched, NEW.entered_after_key)
          IS DISTINCT FROM (OLD.status, OLD.user_kind, OLD.vouched, OLD.entered_after_key))
    EXECUTE FUNCTION app.update_entered_after_key();

-- Whether a family has a free slot, without the lock of lowest_free_slot: the slot may be taken by
-- the time that somebody enters.
CREATE OR REPLACE FUNCTION app.has_free_slot(p_family uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = p_family AND f.member_limit > (
            SELECT count(*) FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.slot <= f.member_limit));
END $$;

-- Number of families that an account is in or waits for approval to join. It can't change while the
-- account's row is locked.
CREATE OR REPLACE FUNCTION app.count_of_families(p_user uuid) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT count(*) FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status <> 'removed');
END $$;

-- Whether an account is in a family other than p_family, or waits for approval to join one. This
-- can't change while the account's row is locked.
CREATE OR REPLACE FUNCTION app.belongs_elsewhere(p_user uuid, p_family uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status <> 'removed'
            AND m.family_unit_id IS DISTINCT FROM p_family);
END $$;

-- Refuses a role that is not the account's own, if the account is in a family or waits for approval
-- to join one.
CREATE OR REPLACE FUNCTION app.require_role_of_account(p_user uuid, p_role text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.belongs_elsewhere(p_user, NULL) AND EXISTS (
        SELECT FROM app.users AS u WHERE u.id = p_user AND u.role <> p_role) THEN
        PERFORM app.refuse('HF409', 'role_mismatch',
            'The account has the other role in another family.');
    END IF;
END $$;

-- Refuses a new membership of an account that is in too many families, whether a function or a
-- plain INSERT adds it. Runs after the check of the policy: an earlier error would reveal how many
-- families somebody has.
-- The triggers above have locked the account.
CREATE OR REPLACE FUNCTION app.enforce_family_limit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF app.count_of_families(NEW.user_id) > app.max_families() THEN
        PERFORM app.refuse('HF409', 'too_many_families',
            format('An account can be in %s families.', app.max_families()));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER limit_families_of_new AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.user_kind = 'account' AND NEW.status <> 'removed')
    EXECUTE FUNCTION app.enforce_family_limit();

CREATE OR REPLACE TRIGGER limit_families_of_returned AFTER UPDATE ON app.family_members
    FOR EACH ROW
    WHEN (NEW.user_kind = 'account' AND OLD.status = 'removed' AND NEW.status <> 'removed')
    EXECUTE FUNCTION app.enforce_family_limit();

-- Refuses to lower the limit of a family below a slot that is taken.
CREATE OR REPLACE FUNCTION app.enforce_slot_limit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF EXISTS (SELECT FROM app.family_members AS m
               WHERE m.family_unit_id = NEW.id AND m.slot > NEW.member_limit) THEN
        RAISE EXCEPTION 'a slot above the new limit is taken'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_limit_holds_members';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER enforce_slots AFTER UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.member_limit < OLD.member_limit)
    EXECUTE FUNCTION app.enforce_slot_limit();

-- Locks the row of an account, after the rows of families, so that nothing changes before its
-- membership is written. Returns the account's role. Refuses an account that was erased, and a
-- caller that was blocked.
CREATE OR REPLACE FUNCTION app.lock_account(p_user uuid) RETURNS text
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_role text;
BEGIN
    SELECT u.role INTO v_role FROM app.users AS u
        WHERE u.id = p_user AND u.deleted_at IS NULL
            AND (u.blocked_at IS NULL OR u.id IS DISTINCT FROM app.account_id())
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(p_user);
    END IF;
    RETURN v_role;
END $$;

DROP FUNCTION IF EXISTS app.require_free_slot(uuid);

-- Returns the lowest free slot, and locks the family's row. Refuses if the family has no slot for
-- another active member. The error's detail holds its limit.
CREATE OR REPLACE FUNCTION app.require_slot(p_family uuid) RETURNS smallint
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_slot constant smallint := app.lowest_free_slot(p_family);
BEGIN
    IF v_slot IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF409', CONSTRAINT = 'family_full',
            MESSAGE = 'This family is full.',
            DETAIL = (SELECT f.member_limit FROM app.family_units AS f WHERE f.id = p_family);
    END IF;
    RETURN v_slot;
END $$;

-- Locks the account's row. Refuses if the account was erased, if the player already belongs to a
-- family, or if the family is full.
CREATE OR REPLACE FUNCTION app.require_room_for(p_family uuid, p_user uuid, p_role text)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.lock_account(p_user);
    IF p_role = 'player' AND app.player_family_of(p_user) IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    PERFORM app.require_slot(p_family);
END $$;
