-- Who belongs to which family, as what; and who may therefore see and change which people and
-- families. The invariants hold whoever writes.
--
-- slot: the cap. An active member has one of the slots 1..member_limit, and no two have the same;
-- the trigger that hands them out locks the family's row, so that of two who come at once the
-- second sees the first. Counting in a policy would let an INSERT of twenty rows walk past it.
--
-- Guardian: two generated columns make it a foreign key. active_adult_user_id is the user while
-- active and adult; active_guardian_id is the guardian while the child is active; the second
-- points at the first. It waits for the commit: a guardian can't just leave, but reassigning in
-- the same transaction passes.
--
-- confides, governs: what follows from a membership, for the views that policies use. A member
-- confides in addresses, home and player details while it is an adult, or a player with an account.
-- It governs while it is Parent Admin, or the creator and one of these. A visitor does neither.
--
-- vouched: whether somebody answers for the person. Vouched is who made the family, was approved or
-- given the seat by who governs it, was put in by an operator, or came by an invitation whose
-- sender was vouched when it was sent. A code that leaked lets strangers in; they may not claim a
-- vacant seat, nor may those whom they invite. Who leaves and comes back stays what it was; who is
-- removed by another is vouched no more.
--
-- user_kind repeats users.kind (by foreign key), so that rules about accounts and managed members
-- are CHECKs.
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
    vouched boolean NOT NULL DEFAULT false,
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
        END),
    CONSTRAINT family_members_vouched_form CHECK (
        CASE WHEN user_kind = 'managed' THEN NOT vouched
             WHEN is_creator THEN vouched
             WHEN joined_via = 'operator' THEN vouched OR status = 'removed'
             ELSE true END)
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
COMMENT ON COLUMN app.family_members.vouched IS
    'Whether creator, admin, operator or a vouched inviter answers for the person.';

-- The sets that policies compare with: where the subject of the request belongs, and as what.
--
-- They are views owned by hearth_authz: they read with its rights and under its own policies, so
-- that nothing recurses under FORCE; and unlike functions they are inlined by the planner. A policy
-- uses them as `= ANY (ARRAY(SELECT ... FROM app.my_families))`: computed once per statement, when
-- first needed. security_barrier, so that a caller's own condition never runs on a row that the
-- view would leave out.
--
-- A managed member has no rights of its own: who acts for it has no account_id(), and views that
-- ask for it are empty.

-- Every family the subject is an active member of.
CREATE VIEW app.my_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.user_id() AND m.status = 'active';

-- Those of them where the account is more than a visitor.
CREATE VIEW app.my_own_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.household_role <> 'visitor';

-- Those where it is trusted with addresses, home and player details: players and adults.
CREATE VIEW app.my_trusting_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.confides;

-- Those that it governs: Parent Admin, or creator.
CREATE VIEW app.my_governed_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.governs;

-- The active members of the subject's families, and who waits at the door of those it governs.
CREATE VIEW app.my_relatives WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND me.governs AND me.user_id = app.account_id()));

-- The managed members that the account is guardian of.
CREATE VIEW app.my_wards WITH (security_barrier) AS
SELECT m.user_id, m.family_unit_id
FROM app.family_members AS m
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = m.active_guardian_id
WHERE m.parent_user_id = app.account_id() AND m.status = 'active' AND g.status = 'active';

ALTER VIEW app.my_families OWNER TO hearth_authz;
ALTER VIEW app.my_own_families OWNER TO hearth_authz;
ALTER VIEW app.my_trusting_families OWNER TO hearth_authz;
ALTER VIEW app.my_governed_families OWNER TO hearth_authz;
ALTER VIEW app.my_relatives OWNER TO hearth_authz;
ALTER VIEW app.my_wards OWNER TO hearth_authz;

GRANT SELECT ON app.my_families, app.my_own_families, app.my_trusting_families,
    app.my_governed_families, app.my_relatives, app.my_wards
    TO hearth_api, authenticated;

-- Policies: the same for Hearth's own API and for direct clients. What no policy names is refused;
-- no policy names PUBLIC; `anon` has nothing.
--
-- Columns: an address, a code, a home and player details are shown by household role, which no
-- policy can do by column. The API gets no right to them here, and reads them through views that
-- mask.

ALTER TABLE app.family_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_members FORCE ROW LEVEL SECURITY;
CREATE POLICY family_members_owner ON app.family_members TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_members_authz ON app.family_members FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_members TO hearth_authz;

-- Families.
CREATE POLICY family_units_member_reads ON app.family_units
    FOR SELECT TO hearth_api, authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
CREATE POLICY family_units_governor_changes ON app.family_units
    FOR UPDATE TO hearth_api, authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f)))
    WITH CHECK (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f)));

GRANT SELECT (id, created_by_user_id, family_name, code_generated_at, code_expires_at,
    member_limit, approval_required, created_at, updated_at)
    ON app.family_units TO hearth_api;
GRANT UPDATE (family_name, home_latitude, home_longitude, approval_required)
    ON app.family_units TO hearth_api;

-- Members: the active ones of one's families. Who waits for approval is shown by member_list to
-- those who may give it; here that rule would be paid for by every query. No status, role,
-- household role or slot changes but by function: there is no UPDATE.
--
-- One's own memberships are visible in any status: otherwise nobody could leave, since an UPDATE
-- checks the new row against this policy as well.
CREATE POLICY family_members_family_reads ON app.family_members
    FOR SELECT TO hearth_api, authenticated
    USING (
        (status = 'active'
         AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
        OR user_id = (SELECT app.user_id()));

GRANT SELECT (id, family_unit_id, user_id, user_kind, role, household_role, status,
    parent_user_id, joined_via, added_at, removed_at, removed_by, updated_at)
    ON app.family_members TO hearth_api, authenticated;

-- Users: oneself, and who is in one's families. One changes oneself, and the children one guards.
-- An account that is erased while its request is under way changes nothing.
CREATE POLICY users_relative_reads ON app.users
    FOR SELECT TO hearth_api, authenticated
    USING (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT r.user_id FROM app.my_relatives AS r)));
CREATE POLICY users_self_or_guardian_changes ON app.users
    FOR UPDATE TO hearth_api, authenticated
    USING (
        deleted_at IS NULL
        AND (id = (SELECT app.user_id())
             OR id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w))))
    WITH CHECK (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)));

GRANT SELECT (id, kind, full_name, role, avatar_key, avatar_url, created_at, updated_at)
    ON app.users TO hearth_api;
GRANT UPDATE (full_name, avatar_key, avatar_url) ON app.users TO hearth_api, authenticated;
