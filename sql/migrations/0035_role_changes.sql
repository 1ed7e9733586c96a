-- Who last changed a member's household role, and when. Of two changes the later one counts, by the
-- clocks of the devices on which they were made.
--
-- A member has one row, from the first change of its household role until its membership ends.
-- version is the family's version at the commit of the change. So a client's version shows whether
-- the client has seen the change.
--
-- role_conflicts records changes that were undone by somebody who had not seen them. The author of
-- such a change learns this at the next sync. The rows are kept as long as the changes of families.
--
-- Locks: none, all objects are new. The foreign keys take app.family_members and app.users for a
-- moment (SHARE ROW EXCLUSIVE).

CREATE TABLE app.role_changes (
    member_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    household_role text NOT NULL,
    changed_at timestamptz NOT NULL,
    -- Null if an operator or plain SQL made the change.
    changed_by uuid,
    version bigint,
    CONSTRAINT role_changes_pkey PRIMARY KEY (member_id),
    CONSTRAINT role_changes_member_fkey FOREIGN KEY (member_id)
        REFERENCES app.family_members (id) ON DELETE CASCADE
);

COMMENT ON TABLE app.role_changes IS 'The last change of each member''s household role.';
COMMENT ON COLUMN app.role_changes.changed_at IS
    'When it was made on the device, which can be long before it arrived.';
COMMENT ON COLUMN app.role_changes.version IS 'The family''s version with this change.';

CREATE TABLE app.role_conflicts (
    user_id uuid NOT NULL,
    member_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    -- Null until the commit.
    version bigint,
    -- The membership of the person who undid the change.
    by_member_id uuid,
    at timestamptz NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT role_conflicts_pkey PRIMARY KEY (user_id, member_id),
    CONSTRAINT role_conflicts_member_fkey FOREIGN KEY (member_id)
        REFERENCES app.family_members (id) ON DELETE CASCADE,
    CONSTRAINT role_conflicts_user_fkey FOREIGN KEY (user_id)
        REFERENCES app.users (id) ON DELETE CASCADE
);

CREATE INDEX role_conflicts_member ON app.role_conflicts (member_id);
CREATE INDEX role_conflicts_noted ON app.role_conflicts (noted_at);

COMMENT ON TABLE app.role_conflicts IS
    'Changes of household roles that were undone by who had not seen them, for their authors.';

ALTER TABLE app.role_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.role_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY role_changes_owner ON app.role_changes TO hearth_owner
    USING (true) WITH CHECK (true);

ALTER TABLE app.role_conflicts ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.role_conflicts FORCE ROW LEVEL SECURITY;
CREATE POLICY role_conflicts_owner ON app.role_conflicts TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY role_conflicts_author_reads ON app.role_conflicts
    FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.user_id()));
GRANT SELECT (user_id, member_id, family_unit_id, version, by_member_id, at)
    ON app.role_conflicts TO hearth_api;
