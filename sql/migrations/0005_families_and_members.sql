-- Families (the tenants), their members and household roles, the guardians of managed children, and
-- the views and policies that decide which families and people a person may see and change.
-- Constraints and triggers enforce the invariants, whoever writes.
--
-- Lock order of all writers: first the family's row (FOR NO KEY UPDATE), then users, then members.

-- A trigger generates a family's code, or accepts the one that a direct client has chosen
-- (codes.sql). The register of all codes is in 0006_codes.sql. code_state is 'live' while the
-- family has a code: with it a foreign key ensures that this code is live in the register.
--
-- player_details: what a family stores about its player. Besides the details with fixed names there
-- is room for twenty texts of up to 200 characters, under names of up to 64 characters.
--
-- The constraint on the name is like those of app.users.
CREATE TABLE app.family_units (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    created_by_user_id uuid NOT NULL,
    created_by_kind text NOT NULL DEFAULT 'account',
    family_name text NOT NULL DEFAULT 'My Family',
    family_code text,
    code_state text GENERATED ALWAYS AS (CASE WHEN family_code IS NOT NULL THEN 'live' END) STORED,
    code_generated_at timestamptz,
    code_expires_at timestamptz,
    home_latitude double precision,
    home_longitude double precision,
    player_details jsonb NOT NULL DEFAULT '{}',
    member_limit smallint NOT NULL DEFAULT 8,
    approval_required boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Time when the family lost its last active member; at first the time of its creation. Null
    -- while it has an active member.
    emptied_at timestamptz DEFAULT now(),
    entered_by_key boolean NOT NULL DEFAULT false,
    CONSTRAINT family_units_pkey PRIMARY KEY (id),
    CONSTRAINT family_units_creator_has_account CHECK (created_by_kind = 'account'),
    CONSTRAINT family_units_created_by_fkey FOREIGN KEY (created_by_user_id, created_by_kind)
        REFERENCES app.users (id, kind),
    CONSTRAINT family_units_name_form CHECK (
        char_length(family_name) BETWEEN 1 AND 80
        AND family_name IS NFC NORMALIZED
        AND family_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND family_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$'
        AND family_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E'
            || '\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3'
            || '\U0001D173-\U0001D17A\U000E0001]')),
    CONSTRAINT family_units_code_has_date CHECK (
        family_code IS NULL OR code_generated_at IS NOT NULL),
    CONSTRAINT family_units_latitude_range CHECK (home_latitude BETWEEN -90 AND 90),
    CONSTRAINT family_units_longitude_range CHECK (home_longitude BETWEEN -180 AND 180),
    CONSTRAINT family_units_player_details_form CHECK (
        jsonb_typeof(player_details) = 'object' AND octet_length(player_details::text) <= 32768),
    CONSTRAINT family_units_member_limit_range CHECK (member_limit BETWEEN 1 AND 64)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX family_units_created_by ON app.family_units (created_by_user_id);
CREATE INDEX family_units_code_expires ON app.family_units (code_expires_at)
    WHERE family_code IS NOT NULL AND code_expires_at IS NOT NULL;
CREATE INDEX family_units_emptied ON app.family_units (emptied_at) WHERE emptied_at IS NOT NULL;
-- For the console: the newest families, and those whose name begins with a text.
CREATE INDEX family_units_newest ON app.family_units (created_at DESC, id DESC);
CREATE INDEX family_units_by_name ON app.family_units (lower(family_name) text_pattern_ops, id);

COMMENT ON TABLE app.family_units IS 'Families: the tenants.';
COMMENT ON COLUMN app.family_units.entered_by_key IS
    'Whether anybody has ever entered the family through an API key''s invitation.';

ALTER TABLE app.family_units ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_units_owner ON app.family_units TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_units_authz ON app.family_units FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_units TO hearth_authz;
GRANT SELECT (id, created_by_user_id, family_name, code_generated_at, code_expires_at,
    member_limit, approval_required, created_at, updated_at)
    ON app.family_units TO hearth_api;
GRANT UPDATE (family_name, home_latitude, home_longitude, approval_required)
    ON app.family_units TO hearth_api;
GRANT SELECT (id, created_by_user_id, family_name, family_code, code_generated_at,
    code_expires_at, home_latitude, home_longitude, player_details, created_at, updated_at)
    ON app.family_units TO authenticated;
GRANT INSERT (id, created_by_user_id, family_name, family_code)
    ON app.family_units TO authenticated;
GRANT UPDATE (family_name) ON app.family_units TO authenticated;
CREATE POLICY family_units_operator_reads ON app.family_units
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.family_units TO hearth_admin;

-- Memberships.
--
-- slot limits the number of members. Each active member has one of the slots 1..member_limit, and
-- no two members of a family have the same slot. The trigger that assigns slots locks the family's
-- row, so that of two people who join at the same time the second sees the slot of the first. If a
-- policy counted the members instead, one INSERT of twenty rows could exceed the limit.
--
-- Guardian: a foreign key between two generated columns ensures that a child's guardian is an
-- active adult. active_adult_user_id is the member's user while the member is an active adult.
-- active_guardian_id is the primary guardian (parent_user_id) while the child is active, and refers
-- to active_adult_user_id. The key is checked at the commit: a guardian can't simply leave, but it
-- can leave in a transaction that gives the child another guardian.
--
-- confides and governs are computed from the other columns; the views that policies use read them.
-- confides: the member is trusted with addresses, home and player details, because it is an adult
-- (the Parent Admin included), or a player with an account. governs: the member is the Parent
-- Admin, or the creator while the creator is an adult or a player. For a visitor both are false.
--
-- stands_in: while a family has no Parent Admin and its creator is gone (no active member, or made
-- a visitor or a kid by others), its vouched adults stand in: each of them renews the code, and
-- sees, approves and rejects people who wait. If no adult is vouched for, every adult stands in. A
-- trigger maintains this column (household_roles.sql), because it depends on other members.
--
-- vouched: whether somebody vouches for the person. These people are vouched for: the creator of
-- the family; a person who was approved, or given the seat of the Parent Admin, by somebody who
-- governs the family; a person whom an operator added; and a person who accepted an invitation
-- whose sender was vouched for when it was sent. Strangers can join with a leaked code. But neither
-- they nor the people whom they invite can claim a vacant seat while somebody has a prior right to
-- it: the creator (as an adult or a player), or a vouched adult. A person who leaves and comes back
-- is vouched for if that was so before. A person whom somebody else removed is no longer vouched
-- for.
--
-- household_ceiling: the highest household role that a member may choose for itself. It is the
-- household role at entry, or the one that others gave the member later. If a member chooses a
-- household role below its ceiling, it can take that back. The ceiling is at most adult, because
-- the Parent Admin's seat has rules of its own.
--
-- user_kind and held_role repeat the kind and role of the user, and foreign keys keep them equal.
-- So a CHECK can contain rules about accounts and managed members, and a person has the same role
-- in all families. The key of held_role is checked at the commit, so that a function can change
-- both.
--
-- barred_at, rejected_at, requests_blocked_at: a person whom others removed or rejected may ask to
-- join by the code again, and then waits for the family's approval. After two rejections within 30
-- days no request is possible for 30 days. barred_at stays while the person waits, and when the
-- request is withdrawn.
CREATE TABLE app.family_members (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL,
    role text NOT NULL,
    household_role text NOT NULL,
    household_ceiling text NOT NULL DEFAULT 'adult',
    status text NOT NULL DEFAULT 'active',
    slot smallint,
    parent_user_id uuid,
    is_creator boolean NOT NULL DEFAULT false,
    vouched boolean NOT NULL DEFAULT false,
    stands_in boolean NOT NULL DEFAULT false,
    joined_via text NOT NULL DEFAULT 'created',
    -- When the membership was first made; added_at is the time of the last entry.
    created_at timestamptz DEFAULT now(),
    added_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    removed_by uuid,
    barred_at timestamptz,
    rejected_at timestamptz,
    requests_blocked_at timestamptz,
    -- When the name, the avatar key and the preferences of a removed child were erased.
    erased_at timestamptz,
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
    held_role text GENERATED ALWAYS AS (CASE WHEN status <> 'removed' THEN role END) STORED,
    entered_after_key boolean NOT NULL DEFAULT false,
    CONSTRAINT family_members_pkey PRIMARY KEY (id),
    CONSTRAINT family_members_family_user_key UNIQUE (family_unit_id, user_id),
    CONSTRAINT family_members_slot_key UNIQUE (family_unit_id, slot),
    CONSTRAINT family_members_active_adult_key UNIQUE (family_unit_id, active_adult_user_id),
    CONSTRAINT family_members_family_id_key UNIQUE (family_unit_id, id),
    CONSTRAINT family_members_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT family_members_user_kind_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind),
    -- Repeats the reference to users for tools that follow foreign keys of one column (PostgREST).
    CONSTRAINT family_members_user_fkey FOREIGN KEY (user_id) REFERENCES app.users (id),
    CONSTRAINT family_members_role_of_account FOREIGN KEY (user_id, held_role)
        REFERENCES app.users (id, role) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT family_members_guardian_is_active_adult
        FOREIGN KEY (family_unit_id, active_guardian_id)
        REFERENCES app.family_members (family_unit_id, active_adult_user_id)
        DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT family_members_role_known CHECK (role IN ('player', 'parent')),
    CONSTRAINT family_members_household_role_known CHECK (
        household_role IN ('parent_admin', 'adult', 'kid', 'visitor')),
    CONSTRAINT family_members_household_ceiling_known CHECK (
        household_ceiling IN ('adult', 'kid', 'visitor')),
    CONSTRAINT family_members_within_ceiling CHECK (
        CASE household_ceiling
            WHEN 'adult' THEN true
            WHEN 'kid' THEN household_role IN ('kid', 'visitor')
            ELSE household_role = 'visitor'
        END),
    CONSTRAINT family_members_status_known CHECK (status IN ('active', 'invited', 'removed')),
    CONSTRAINT family_members_joined_via_known CHECK (
        joined_via IN ('created', 'code', 'invitation', 'operator')),
    CONSTRAINT family_members_active_has_slot CHECK ((status = 'active') = (slot IS NOT NULL)),
    CONSTRAINT family_members_slot_positive CHECK (slot > 0),
    CONSTRAINT family_members_removed_is_dated CHECK (
        (status = 'removed') = (removed_at IS NOT NULL)
        AND (removed_by IS NULL OR removed_at IS NOT NULL)),
    CONSTRAINT family_members_active_is_not_barred CHECK (
        status <> 'active'
        OR (barred_at IS NULL AND rejected_at IS NULL AND requests_blocked_at IS NULL)),
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
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE UNIQUE INDEX family_members_one_parent_admin ON app.family_members (family_unit_id)
    WHERE status = 'active' AND household_role = 'parent_admin';
CREATE UNIQUE INDEX family_members_player_in_one_family ON app.family_members (user_id)
    WHERE status = 'active' AND role = 'player';
CREATE INDEX family_members_of_user ON app.family_members (user_id, family_unit_id)
    WHERE status = 'active';
CREATE INDEX family_members_user ON app.family_members (user_id);
CREATE INDEX family_members_guardian ON app.family_members (parent_user_id)
    WHERE parent_user_id IS NOT NULL;
-- For the console: the families in which somebody waits for approval.
CREATE INDEX family_members_waiting ON app.family_members (family_unit_id)
    WHERE status = 'invited';
CREATE INDEX family_members_to_erase ON app.family_members (removed_at)
    WHERE status = 'removed' AND user_kind = 'managed' AND erased_at IS NULL;

COMMENT ON TABLE app.family_members IS 'Memberships, one per family and user.';
COMMENT ON COLUMN app.family_members.vouched IS
    'Whether the creator, the admin, an operator or an inviter who is vouched for vouches for the '
    'person.';
COMMENT ON COLUMN app.family_members.entered_after_key IS
    'Whether the member entered through an API key''s invitation or after such an entry, and '
    'nobody vouches for it.';
COMMENT ON COLUMN app.family_members.household_ceiling IS
    'The highest household role that the member may choose for itself, below Parent Admin.';
COMMENT ON COLUMN app.family_members.held_role IS
    'The role, which is the user''s own; null once the membership has ended.';
COMMENT ON COLUMN app.family_members.barred_at IS
    'When somebody else ended the membership or request; null if the person was admitted since.';
COMMENT ON COLUMN app.family_members.rejected_at IS
    'When a request was last rejected; null if the person was admitted since.';
COMMENT ON COLUMN app.family_members.requests_blocked_at IS
    'When a request was rejected for the second time within 30 days.';
COMMENT ON COLUMN app.family_members.stands_in IS
    'Whether the member stands in for the creator and the Parent Admin, while both are gone.';

ALTER TABLE app.family_members ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_members_owner ON app.family_members TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_members_authz ON app.family_members FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_members TO hearth_authz;
GRANT SELECT (id, family_unit_id, user_id, user_kind, role, household_role, status,
    parent_user_id, joined_via, added_at, removed_at, removed_by, updated_at)
    ON app.family_members TO hearth_api, authenticated;
GRANT INSERT (id, family_unit_id, user_id, role) ON app.family_members TO authenticated;
CREATE POLICY family_members_operator_reads ON app.family_members
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.family_members TO hearth_admin;

-- Guardians, who act for managed children. A child has one to four guardians, each an active adult
-- of its family. One of them is the primary guardian: the child's parent_user_id.
--
-- The table has a row for a guardian and a child as long as both are active. Three foreign keys
-- ensure at every commit, whoever writes, that a guardian is an active adult of the family
-- (guardianships_guardian_is_active_adult), that a child is a member of the same family
-- (guardianships_child_fkey), and that the primary guardian of an active child is one of its
-- guardians (family_members_primary_guardian_fkey). Triggers in guardianships.sql insert and delete
-- rows when members change.
--
-- slot is a number from 1 to 4, and the guardians of a child have different slots: so a child has
-- at most four. (In the same way the slots of a family limit its members.)
CREATE TABLE app.guardianships (
    member_id uuid NOT NULL,
    guardian_user_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    slot smallint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    added_by uuid,
    CONSTRAINT guardianships_pkey PRIMARY KEY (member_id, guardian_user_id),
    CONSTRAINT guardianships_slot_key UNIQUE (member_id, slot),
    CONSTRAINT guardianships_at_most_four CHECK (slot BETWEEN 1 AND 4),
    CONSTRAINT guardianships_child_fkey FOREIGN KEY (family_unit_id, member_id)
        REFERENCES app.family_members (family_unit_id, id) ON DELETE CASCADE,
    CONSTRAINT guardianships_guardian_is_active_adult
        FOREIGN KEY (family_unit_id, guardian_user_id)
        REFERENCES app.family_members (family_unit_id, active_adult_user_id)
        DEFERRABLE INITIALLY DEFERRED
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX guardianships_guardian ON app.guardianships (guardian_user_id, member_id);
CREATE INDEX guardianships_family ON app.guardianships (family_unit_id, guardian_user_id);

COMMENT ON TABLE app.guardianships IS 'Guardians of managed children.';
COMMENT ON COLUMN app.guardianships.added_by IS
    'User who made this adult a guardian; null for operators.';

ALTER TABLE app.guardianships ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY guardianships_owner ON app.guardianships TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY guardianships_authz ON app.guardianships FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.guardianships TO hearth_authz;
GRANT SELECT (member_id, guardian_user_id, family_unit_id, since)
    ON app.guardianships TO hearth_api, authenticated;
CREATE POLICY guardianships_operator_reads ON app.guardianships
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.guardianships TO hearth_admin;

ALTER TABLE app.family_members ADD CONSTRAINT family_members_primary_guardian_fkey
    FOREIGN KEY (id, active_guardian_id)
    REFERENCES app.guardianships (member_id, guardian_user_id)
    DEFERRABLE INITIALLY DEFERRED;

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
-- the views that use account_id() are empty.

-- Families in which each person is an active member. Policies serve one caller, but a batch has
-- several, and each of them must see what the policies would show it alone. my_families and the
-- views for batches therefore share this definition. Clients can't read it. It has no
-- security_barrier, so that the planner looks up only the rows of the people in question.
CREATE VIEW app.families_joined AS
SELECT m.user_id AS viewer_id, m.family_unit_id
FROM app.family_members AS m
WHERE m.status = 'active';

-- The families in which the subject is an active member.
CREATE VIEW app.my_families WITH (security_barrier) AS
SELECT f.family_unit_id
FROM app.families_joined AS f
WHERE f.viewer_id = app.user_id();

-- The families in which the subject is more than a visitor. While an account acts for a child,
-- these are the child's families.
CREATE VIEW app.my_resident_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.user_id() AND m.status = 'active' AND m.household_role <> 'visitor';

CREATE VIEW app.resident_families_of_account WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND m.household_role <> 'visitor';

COMMENT ON VIEW app.resident_families_of_account IS
    'The families in which the account is more than a visitor; none while it acts for a child.';

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

CREATE VIEW app.my_admitting_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.account_id() AND m.status = 'active' AND (m.governs OR m.stands_in);

COMMENT ON VIEW app.my_admitting_families IS
    'The families in which the account may approve requests; none while it acts for a child.';

-- Families that the account has created and that have never had a member: a direct client first
-- inserts the family, and then itself as a member.
CREATE VIEW app.my_memberless_families WITH (security_barrier) AS
SELECT f.id AS family_unit_id
FROM app.family_units AS f
WHERE f.created_by_user_id = app.account_id()
    AND NOT EXISTS (SELECT FROM app.family_members AS m WHERE m.family_unit_id = f.id);

-- People whose rows of app.users the subject may read: the active members of its families and, for
-- a member who may approve them, those who wait for approval.
CREATE VIEW app.my_relatives WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND (me.governs OR me.stands_in)
             AND me.user_id = app.account_id()));

-- The constraints ensure that child and guardian are active; this view and the next check it again,
-- so the policies do not rely on the constraints.
CREATE VIEW app.children_of_account WITH (security_barrier) AS
SELECT m.user_id, m.family_unit_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
WHERE w.guardian_user_id = app.account_id() AND m.status = 'active' AND g.status = 'active';

COMMENT ON VIEW app.children_of_account IS
    'The managed members that the account is a guardian of; none while it acts for a child.';

-- The children whose preferences the account may read. While the account acts for a child, this is
-- that child only, and only while the account is its guardian: when a guardianship ends during a
-- request, the next statement of the request no longer sees the child.
CREATE VIEW app.children_of_actor WITH (security_barrier) AS
SELECT m.user_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
WHERE w.guardian_user_id = app.actor_id() AND m.status = 'active' AND g.status = 'active'
    AND (app.account_id() IS NOT NULL OR m.user_id = app.user_id());

COMMENT ON VIEW app.children_of_actor IS
    'The managed members that the actor is a guardian of; while it acts for a child, that child.';

ALTER VIEW app.families_joined OWNER TO hearth_authz;
ALTER VIEW app.my_families OWNER TO hearth_authz;
ALTER VIEW app.my_resident_families OWNER TO hearth_authz;
ALTER VIEW app.resident_families_of_account OWNER TO hearth_authz;
ALTER VIEW app.my_trusting_families OWNER TO hearth_authz;
ALTER VIEW app.my_governed_families OWNER TO hearth_authz;
ALTER VIEW app.my_admitting_families OWNER TO hearth_authz;
ALTER VIEW app.my_memberless_families OWNER TO hearth_authz;
ALTER VIEW app.my_relatives OWNER TO hearth_authz;
ALTER VIEW app.children_of_account OWNER TO hearth_authz;
ALTER VIEW app.children_of_actor OWNER TO hearth_authz;

GRANT SELECT ON app.my_families, app.resident_families_of_account, app.my_trusting_families,
    app.my_governed_families, app.my_memberless_families, app.my_relatives, app.children_of_account
    TO hearth_api, authenticated;
GRANT SELECT ON app.my_resident_families, app.my_admitting_families, app.children_of_actor
    TO hearth_api;

-- Policies are the same for Hearth's own API and for direct clients, unless they name one role
-- only. What no policy allows is refused. No policy is for PUBLIC, and `anon` has no rights.
--
-- Columns: whether a member sees an address, a code, a home or player details depends on its
-- household role, and a policy can't decide about single columns. The API gets no right to these
-- columns; it reads them through views that mask them.

-- Families. INSERT ... RETURNING of a direct client has to see the new family before its creator is
-- a member.
CREATE POLICY family_units_member_reads ON app.family_units
    FOR SELECT TO hearth_api, authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
CREATE POLICY family_units_governor_changes ON app.family_units
    FOR UPDATE TO hearth_api, authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f)))
    WITH CHECK (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f)));
CREATE POLICY family_units_creator_reads_memberless ON app.family_units
    FOR SELECT TO authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_memberless_families AS f)));
CREATE POLICY family_units_account_creates ON app.family_units
    FOR INSERT TO authenticated
    WITH CHECK (created_by_user_id = (SELECT app.account_id()));

-- Members: people see the active members of their families. The view member_list shows people who
-- wait for approval, to those who may approve them; in this policy that rule would slow down every
-- query. Callers have no right to UPDATE: status, role, household role and slot are changed only by
-- functions.
--
-- People see their own memberships in any status: even while they wait for approval, and after the
-- membership has ended.
CREATE POLICY family_members_family_reads ON app.family_members
    FOR SELECT TO hearth_api, authenticated
    USING (
        (status = 'active'
         AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
        OR user_id = (SELECT app.user_id()));
CREATE POLICY family_members_creator_enters ON app.family_members
    FOR INSERT TO authenticated
    WITH CHECK (
        user_id = (SELECT app.account_id())
        AND status = 'active'
        AND joined_via = 'created'
        AND family_unit_id = ANY (ARRAY(
            SELECT f.family_unit_id FROM app.my_memberless_families AS f)));

-- Members see the guardians of their family's children.
CREATE POLICY guardianships_family_reads ON app.guardianships
    FOR SELECT TO hearth_api, authenticated
    USING (family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));

-- Users: a person sees their own row and the rows of people in their families, and may change their
-- own row and those of the children they are a guardian of. An account that is erased or blocked
-- while its request is running can't change anything.
CREATE POLICY users_relative_reads ON app.users
    FOR SELECT TO hearth_api, authenticated
    USING (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT r.user_id FROM app.my_relatives AS r)));
CREATE POLICY users_self_or_guardian_changes ON app.users
    FOR UPDATE TO hearth_api, authenticated
    USING (
        deleted_at IS NULL AND blocked_at IS NULL
        AND (id = (SELECT app.user_id())
             OR id = ANY (ARRAY(SELECT w.user_id FROM app.children_of_account AS w))))
    WITH CHECK (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT w.user_id FROM app.children_of_account AS w)));
