-- Who belongs to which family, as what; and the invariants that hold whoever writes.
--
-- slot: the cap. An active member sits in one of the slots 1..member_limit, and no two in one
-- slot; the trigger locks the family's row, so that of two who come at once the second sees the
-- first. Counting in a policy would let an INSERT of twenty rows walk past it.
--
-- Guardian: two generated columns make it a foreign key. active_adult_user_id is the user while
-- active and adult; active_guardian_id is the guardian while the child is active; the second
-- points at the first. It waits for the commit: a guardian can't just leave, but reassigning in
-- the same transaction passes.
--
-- confides, governs: what follows from a row's standing, for the views that policies use. A member
-- confides in addresses, home and player details while it is an adult, or a player with an account.
-- It governs while it is Parent Admin, or the creator and one of these. A visitor does neither.
--
-- user_kind repeats users.kind (by foreign key), so that rules about accounts and managed members
-- are CHECKs.
--
-- A BEFORE trigger runs ahead of the policy's check: what it raised would be an answer to
-- strangers. So it raises nothing: where no seat is found it leaves the slot empty, and the CHECK,
-- which comes after the policy, refuses the row.
--
-- Lock order, for everybody: the family's row first (FOR NO KEY UPDATE), then users, then members.
--
-- Locks: none, all objects are new.

CREATE TABLE app.family_members (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL,
    role text NOT NULL,
    household_role text NOT NULL,
    status text NOT NULL DEFAULT 'active',
    slot smallint,
    parent_user_id uuid,
    joined_via text NOT NULL DEFAULT 'created',
    added_at timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    removed_by uuid,
    is_creator boolean NOT NULL DEFAULT false,
    -- When what a removed child was called and liked was forgotten.
    erased_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    active_adult_user_id uuid GENERATED ALWAYS AS (
        CASE WHEN status = 'active' AND role = 'parent' AND user_kind = 'account'
             AND household_role IN ('adult', 'parent_admin') THEN user_id END) STORED,
    active_guardian_id uuid GENERATED ALWAYS AS (
        CASE WHEN status = 'active' THEN parent_user_id END) STORED,
    confides boolean GENERATED ALWAYS AS (
        status = 'active' AND user_kind = 'account' AND household_role <> 'visitor'
        AND (role = 'player' OR household_role IN ('adult', 'parent_admin'))) STORED,
    governs boolean GENERATED ALWAYS AS (
        status = 'active' AND user_kind = 'account' AND household_role <> 'visitor'
        AND (household_role = 'parent_admin'
             OR (is_creator AND (role = 'player' OR household_role = 'adult')))) STORED,
    CONSTRAINT family_members_pkey PRIMARY KEY (id),
    CONSTRAINT family_members_family_user_key UNIQUE (family_unit_id, user_id),
    CONSTRAINT family_members_slot_key UNIQUE (family_unit_id, slot),
    CONSTRAINT family_members_active_adult_key UNIQUE (family_unit_id, active_adult_user_id),
    CONSTRAINT family_members_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT family_members_user_kind_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind),
    -- Says the same to tools that follow foreign keys from column to column (PostgREST).
    CONSTRAINT family_members_user_fkey FOREIGN KEY (user_id) REFERENCES app.users (id),
    CONSTRAINT family_members_guardian_is_active_adult
        FOREIGN KEY (family_unit_id, active_guardian_id)
        REFERENCES app.family_members (family_unit_id, active_adult_user_id)
        DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT family_members_role_known CHECK (role IN ('player', 'parent')),
    CONSTRAINT family_members_household_role_known CHECK (
        household_role IN ('parent_admin', 'adult', 'kid', 'visitor')),
    CONSTRAINT family_members_status_known CHECK (status IN ('active', 'invited', 'removed')),
    CONSTRAINT family_members_joined_via_known CHECK (
        joined_via IN ('created', 'code', 'invitation', 'operator')),
    CONSTRAINT family_members_active_has_slot CHECK ((status = 'active') = (slot IS NOT NULL)),
    CONSTRAINT family_members_slot_positive CHECK (slot > 0),
    CONSTRAINT family_members_removed_is_dated CHECK (
        (status = 'removed') = (removed_at IS NOT NULL)
        AND (removed_by IS NULL OR removed_at IS NOT NULL)),
    CONSTRAINT family_members_admin_is_parent_with_account CHECK (
        household_role <> 'parent_admin' OR (role = 'parent' AND user_kind = 'account')),
    -- One uuid for a managed child's user and membership: every id of it means the same.
    CONSTRAINT family_members_managed_form CHECK (
        CASE user_kind
            WHEN 'managed' THEN id = user_id AND parent_user_id IS NOT NULL AND role = 'player'
                AND household_role = 'kid' AND status <> 'invited'
            ELSE id <> user_id AND parent_user_id IS NULL
        END)
);

CREATE UNIQUE INDEX family_members_one_parent_admin ON app.family_members (family_unit_id)
    WHERE status = 'active' AND household_role = 'parent_admin';
CREATE UNIQUE INDEX family_members_player_in_one_family ON app.family_members (user_id)
    WHERE status = 'active' AND role = 'player';
CREATE INDEX family_members_of_user ON app.family_members (user_id, family_unit_id)
    WHERE status = 'active';
CREATE INDEX family_members_user ON app.family_members (user_id);
CREATE INDEX family_members_guardian ON app.family_members (parent_user_id)
    WHERE parent_user_id IS NOT NULL;
CREATE INDEX family_members_to_erase ON app.family_members (removed_at)
    WHERE status = 'removed' AND user_kind = 'managed' AND erased_at IS NULL;

COMMENT ON TABLE app.family_members IS 'Memberships, one per family and user.';

CREATE FUNCTION app.lowest_free_slot(p_family uuid) RETURNS smallint
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    seats smallint;
    free smallint;
BEGIN
    SELECT f.member_limit INTO seats FROM app.family_units AS f
        WHERE f.id = p_family FOR NO KEY UPDATE;
    SELECT s INTO free FROM generate_series(1, seats) AS s
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = p_family AND m.slot = s)
        ORDER BY s LIMIT 1;
    RETURN free;
END $$;

CREATE FUNCTION app.seat_new_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.is_creator := EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = NEW.family_unit_id AND f.created_by_user_id = NEW.user_id);
    SELECT u.kind INTO NEW.user_kind FROM app.users AS u WHERE u.id = NEW.user_id;
    IF NEW.household_role IS NULL THEN
        NEW.household_role := CASE
            WHEN NEW.role = 'player' THEN 'kid'
            WHEN NEW.joined_via = 'created' AND NEW.is_creator THEN 'parent_admin'
            ELSE 'adult'
        END;
    END IF;
    NEW.slot := CASE WHEN NEW.status = 'active' THEN app.lowest_free_slot(NEW.family_unit_id) END;
    RETURN NEW;
END $$;

CREATE TRIGGER seat_new BEFORE INSERT ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.seat_new_member();

CREATE FUNCTION app.seat_changed_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.slot := CASE
        WHEN NEW.status <> 'active' THEN NULL
        WHEN OLD.status = 'active' THEN OLD.slot
        ELSE app.lowest_free_slot(NEW.family_unit_id)
    END;
    RETURN NEW;
END $$;

CREATE TRIGGER seat_changed BEFORE UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status OR NEW.slot IS DISTINCT FROM OLD.slot)
    EXECUTE FUNCTION app.seat_changed_member();

-- Whoever enters or goes, the family knows since when it stands empty: purging goes by it.
CREATE FUNCTION app.note_emptiness() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.status = 'active' THEN
        UPDATE app.family_units AS f SET emptied_at = NULL
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NOT NULL;
    ELSE
        UPDATE app.family_units AS f SET emptied_at = now()
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NULL AND NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'active');
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER note_emptiness_new AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION app.note_emptiness();
CREATE TRIGGER note_emptiness_changed AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION app.note_emptiness();

-- A membership is of one user in one family for good, and who made a family stays who made it.
CREATE FUNCTION app.keep_membership_identity() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION 'a membership can''t move to another family or user'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'family_members_identity_fixed';
END $$;

CREATE TRIGGER keep_identity BEFORE UPDATE ON app.family_members
    FOR EACH ROW
    WHEN ((NEW.id, NEW.family_unit_id, NEW.user_id, NEW.is_creator) IS DISTINCT FROM
          (OLD.id, OLD.family_unit_id, OLD.user_id, OLD.is_creator))
    EXECUTE FUNCTION app.keep_membership_identity();

CREATE FUNCTION app.keep_creator() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION 'a family keeps its creator'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_creator_fixed';
END $$;

CREATE TRIGGER keep_creator BEFORE UPDATE ON app.family_units
    FOR EACH ROW
    WHEN ((NEW.id, NEW.created_by_user_id) IS DISTINCT FROM (OLD.id, OLD.created_by_user_id))
    EXECUTE FUNCTION app.keep_creator();

CREATE TRIGGER touch BEFORE UPDATE ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Lowering a limit below a seat that is taken would break it for those who sit there.
CREATE FUNCTION app.keep_seats_within_limit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF EXISTS (SELECT FROM app.family_members AS m
               WHERE m.family_unit_id = NEW.id AND m.slot > NEW.member_limit) THEN
        RAISE EXCEPTION 'a seat above the new limit is taken'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_limit_holds_members';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER keep_seats AFTER UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.member_limit < OLD.member_limit)
    EXECUTE FUNCTION app.keep_seats_within_limit();

ALTER TABLE app.family_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_members FORCE ROW LEVEL SECURITY;
CREATE POLICY family_members_owner ON app.family_members TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_members_authz ON app.family_members FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_members TO hearth_authz;
