-- Which person belongs to which family, and with which roles; and which people and families a
-- person may therefore see and change. The invariants hold for every writer.
--
-- slot limits the number of members. Each active member has one of the slots 1..member_limit, and
-- no two members of a family have the same slot. The trigger that assigns slots locks the family's
-- row, so that of two people who join at the same time the second sees the slot of the first. If a
-- policy counted the members instead, one INSERT of twenty rows could exceed the limit.
--
-- Guardian: a foreign key between two generated columns ensures that a child's guardian is an
-- active adult. active_adult_user_id is the member's user while the member is an active adult.
-- active_guardian_id is the guardian (parent_user_id) while the child is active, and refers to
-- active_adult_user_id. The key is checked at the commit: a guardian can't simply leave, but it can
-- leave in a transaction that gives the child another guardian. (0015_guardianships.sql adds
-- further guardians; parent_user_id is the primary one.)
--
-- confides and governs follow from a membership; the views that policies use read them. confides:
-- the member is trusted with addresses, home and player details, because it is an adult (the Parent
-- Admin included), or a player with an account. governs: the member is the Parent Admin, or the
-- creator while the creator is an adult or a player. For a visitor both are false.
--
-- vouched: whether somebody answers for the person. Vouched are: the creator of the family; a
-- person who was approved, or given the seat of the Parent Admin, by somebody who governs the
-- family; a person whom an operator added; and a person who accepted an invitation whose sender was
-- vouched when it was sent. Strangers can join with a leaked code. But neither they nor the people
-- whom they invite can claim a vacant seat while somebody has a prior right to it: the creator (as
-- an adult or a player), or a vouched adult. A person who leaves and comes back is vouched if it
-- was before. A person whom somebody else removed is no longer vouched.
--
-- user_kind repeats users.kind (a foreign key keeps both equal), so that a CHECK can contain rules
-- about accounts and managed members.
--
-- Order in which everybody takes locks: first the family's row (FOR NO KEY UPDATE), then users,
-- then members.
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
    -- When the name, the avatar key and the preferences of a removed child were erased.
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
    -- Repeats this reference for tools that follow foreign keys of one column (PostgREST).
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
    -- A managed child's user and membership have one uuid, so every id of the child is the same.
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

-- The views that policies compare with: the families to which the subject of the request belongs,
-- one view for each kind of right that it can have there, and the people whom it may see.
--
-- The views are owned by hearth_authz and read with its rights and under its policies: so a policy
-- on family_members can use them without applying itself again, although row-level security is
-- forced. Unlike functions, views are inlined by the planner. A policy uses a view as
-- `= ANY (ARRAY(SELECT ... FROM app.my_families))`: PostgreSQL computes the array once per
-- statement, when it is first needed. security_barrier ensures that a caller's own condition never
-- runs on a row that the view leaves out.
--
-- A managed member has no rights of its own: while an account acts for it, account_id() is null, so
-- the views that use account_id() are empty. (0050 gives my_own_families and my_wards new names.)

-- The families in which the subject is an active member.
CREATE VIEW app.my_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.user_id() AND m.status = 'active';

-- The families in which the account is more than a visitor.
CREATE VIEW app.my_own_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.household_role <> 'visitor';

-- The families in which the account, an adult or a player, is trusted with addresses, home and
-- player details.
CREATE VIEW app.my_trusting_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.confides;

-- The families that the account governs, as Parent Admin or creator.
CREATE VIEW app.my_governed_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.governs;

-- The active members of the subject's families, and the people who wait for approval in the
-- families that the account governs.
CREATE VIEW app.my_relatives WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND me.governs AND me.user_id = app.account_id()));

-- The managed members of which the account is the guardian.
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

-- Policies: they are the same for Hearth's own API and for direct clients. Whatever no policy
-- allows is refused. No policy is for PUBLIC, and `anon` has no rights.
--
-- Columns: whether a member sees an address, a code, a home or player details depends on its
-- household role, and a policy can't decide about single columns. Here the API gets no right to
-- these columns; it reads them through views that mask them.

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

-- Members: a person sees the active members of its families. The view member_list shows people who
-- wait for approval, to those who may approve them; in this policy that rule would slow down every
-- query. Callers have no right to UPDATE: status, role, household role and slot are changed only by
-- functions.
--
-- A person sees its own memberships in any status: also while it waits for approval, and after the
-- membership has ended.
CREATE POLICY family_members_family_reads ON app.family_members
    FOR SELECT TO hearth_api, authenticated
    USING (
        (status = 'active'
         AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
        OR user_id = (SELECT app.user_id()));

GRANT SELECT (id, family_unit_id, user_id, user_kind, role, household_role, status,
    parent_user_id, joined_via, added_at, removed_at, removed_by, updated_at)
    ON app.family_members TO hearth_api, authenticated;

-- Users: a person sees itself and the people in its families. It may change itself, and the
-- children of which it is the guardian. An account that is erased while its request is running
-- can't change anything.
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
