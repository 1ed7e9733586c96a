-- Changes and their order, for clients that follow their families and their own data.
--
-- A family has a version. Each transaction that changes something that the family's members may see
-- raises this version by one. A user has a version as well: it covers the user's profile,
-- memberships and preferences, the profiles and preferences of the children whose guardian the user
-- is, and the invitations that the user has received. A change holds only the kind and the id of
-- what was changed, never a copy: a client that reads later gets what it may see then.
--
-- Versions are in tables of their own, not in the rows of families and users. A writer locks the
-- family's row first and holds it while it works. It locks the version's row last, at the commit,
-- by the constraint trigger at the end of this file (see sql/functions/changes.sql). So writers
-- that lock users or invitations first, such as a change of a profile or the jobs that expire
-- invitations and codes, can't deadlock with other writers. A transaction that has locked a
-- version's row commits before another can raise that version. So versions follow the order of
-- commits without gaps: a reader that sees a version also sees all changes up to it.
--
-- transaction_id: the transaction that raised the version last. With it a transaction raises the
-- version only once, however often its constraint trigger fires. purged_version: changes up to this
-- version have been deleted.
--
-- audience: the people who may learn of the change. An ordinary member must not learn from a change
-- that somebody waits for approval, and a visitor must not learn that somebody was invited.
--
-- is_managed: whether the id is a managed child's. Clients see such ids with a prefix, even after
-- the child is gone.
--
-- The changes have no foreign keys: they refer to families and users by value, as the audit log
-- does. They are purged when they are old, or when one family or user has too many.
--
-- raised_at: time at which the current version was assigned. purged_raised_at: time at which the
-- version in purged_version was assigned. No two different versions have the same number and the
-- same time: after a backup is restored, or a standby is promoted that lacks the last commits, the
-- database assigns some version numbers a second time, to other changes. Clients remember a
-- version's number and time. If the time differs, the client has seen a version that was lost, and
-- begins anew.

CREATE TABLE app.family_versions (
    family_unit_id uuid NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    raised_at timestamptz,
    purged_version bigint NOT NULL DEFAULT 0,
    purged_raised_at timestamptz,
    transaction_id xid8,
    CONSTRAINT family_versions_pkey PRIMARY KEY (family_unit_id),
    CONSTRAINT family_versions_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT family_versions_purged_before CHECK (purged_version BETWEEN 0 AND version)
) WITH (
    fillfactor = 60,
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

COMMENT ON TABLE app.family_versions IS
    'Versions of families: changes of what their members may see raise them.';

ALTER TABLE app.family_versions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_versions_owner ON app.family_versions TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_versions_member_reads ON app.family_versions
    FOR SELECT TO hearth_api
    USING (family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
GRANT SELECT (family_unit_id, version, raised_at, purged_version)
    ON app.family_versions TO hearth_api;
CREATE POLICY family_versions_authz ON app.family_versions FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_versions TO hearth_authz;

CREATE TABLE app.user_versions (
    user_id uuid NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    raised_at timestamptz,
    purged_version bigint NOT NULL DEFAULT 0,
    purged_raised_at timestamptz,
    transaction_id xid8,
    CONSTRAINT user_versions_pkey PRIMARY KEY (user_id),
    CONSTRAINT user_versions_user_fkey FOREIGN KEY (user_id)
        REFERENCES app.users (id) ON DELETE CASCADE,
    CONSTRAINT user_versions_purged_before CHECK (purged_version BETWEEN 0 AND version)
) WITH (
    fillfactor = 60,
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

COMMENT ON TABLE app.user_versions IS
    'Versions of users: changes of their own data raise them.';

ALTER TABLE app.user_versions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY user_versions_owner ON app.user_versions TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_versions_self_reads ON app.user_versions
    FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.user_id()));
GRANT SELECT (user_id, version, raised_at, purged_version)
    ON app.user_versions TO hearth_api;
CREATE POLICY user_versions_authz ON app.user_versions FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_versions TO hearth_authz;

CREATE TABLE app.family_changes (
    family_unit_id uuid NOT NULL,
    version bigint NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    audience text NOT NULL,
    is_managed boolean NOT NULL DEFAULT false,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT family_changes_pkey PRIMARY KEY (family_unit_id, version, kind, id),
    CONSTRAINT family_changes_kind_known CHECK (
        kind IN ('family', 'member', 'invitation', 'playerDetails', 'attributes')),
    CONSTRAINT family_changes_audience_known CHECK (
        audience IN ('members', 'own', 'residents', 'trusting', 'governors'))
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX family_changes_at ON app.family_changes (changed_at);

COMMENT ON TABLE app.family_changes IS 'Changes of families, by version.';
COMMENT ON COLUMN app.family_changes.audience IS
    'Members who may learn of it. members: all active ones; residents: all but visitors; own: the '
    'same, but no guardian who acts for a child; trusting: those who are trusted with addresses; '
    'governors: those who may approve people who wait.';

ALTER TABLE app.family_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_changes_owner ON app.family_changes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_changes_audience_reads ON app.family_changes
    FOR SELECT TO hearth_api
    USING (CASE audience
        WHEN 'members' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f))
        WHEN 'own' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.resident_families_of_account AS f))
        WHEN 'residents' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.my_resident_families AS f))
        WHEN 'trusting' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.my_trusting_families AS f))
        WHEN 'governors' THEN
            family_unit_id = ANY (ARRAY(
                SELECT f.family_unit_id FROM app.my_admitting_families AS f))
    END);
GRANT SELECT (family_unit_id, version, kind, id, audience, is_managed)
    ON app.family_changes TO hearth_api;

CREATE TABLE app.user_changes (
    user_id uuid NOT NULL,
    version bigint NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    -- The family that the change belongs to; null for a profile and a received invitation.
    family_unit_id uuid,
    is_managed boolean NOT NULL DEFAULT false,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT user_changes_key
        UNIQUE NULLS NOT DISTINCT (user_id, version, kind, id, family_unit_id),
    CONSTRAINT user_changes_kind_known CHECK (
        kind IN ('family', 'member', 'invitation', 'playerDetails', 'attributes',
                 'receivedInvitation', 'profile', 'preferences'))
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX user_changes_at ON app.user_changes (changed_at);

COMMENT ON TABLE app.user_changes IS
    'Changes of what users see for themselves, by version. A row of the kind family is about the '
    'user''s own membership; one of the kind member, invitation, playerDetails or attributes names '
    'data that the user may no longer see.';

ALTER TABLE app.user_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY user_changes_owner ON app.user_changes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_changes_self_reads ON app.user_changes
    FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.user_id()));
GRANT SELECT (user_id, version, kind, id, family_unit_id, is_managed)
    ON app.user_changes TO hearth_api;

-- Last change of each member's household role. Of two changes the later one takes effect, by the
-- clocks of the devices on which they were made. A member has one row, from the first change of its
-- household role until its membership ends. version is the family's version at the commit of the
-- change, so a client's version shows whether the client has seen the change. Changes that arrive
-- later are compared with confirmed_at, too; the author of the change stays the same.
CREATE TABLE app.role_changes (
    member_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    household_role text NOT NULL,
    changed_at timestamptz NOT NULL,
    -- Null if an operator or plain SQL made the change.
    changed_by uuid,
    confirmed_at timestamptz,
    confirmed_by uuid,
    version bigint,
    CONSTRAINT role_changes_pkey PRIMARY KEY (member_id),
    CONSTRAINT role_changes_member_fkey FOREIGN KEY (member_id)
        REFERENCES app.family_members (id) ON DELETE CASCADE
);

COMMENT ON TABLE app.role_changes IS 'The last change of each member''s household role.';
COMMENT ON COLUMN app.role_changes.changed_at IS
    'Time at which it was made on the device, which can be long before it arrived.';
COMMENT ON COLUMN app.role_changes.version IS 'The family''s version with this change.';
COMMENT ON COLUMN app.role_changes.confirmed_at IS
    'Time at which the same role was last assigned again; null if it was not.';
COMMENT ON COLUMN app.role_changes.confirmed_by IS
    'User who assigned the same role again; null if nobody did.';

ALTER TABLE app.role_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY role_changes_owner ON app.role_changes TO hearth_owner
    USING (true) WITH CHECK (true);

-- Changes of household roles that somebody who had not seen them has undone. The author of such a
-- change learns this at the next sync. The rows are kept as long as the changes of families.
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
    'For the author of a change of a household role: that somebody who had not seen the change has '
    'undone it.';

ALTER TABLE app.role_conflicts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY role_conflicts_owner ON app.role_conflicts TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY role_conflicts_author_reads ON app.role_conflicts
    FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.user_id()));
GRANT SELECT (user_id, member_id, family_unit_id, version, by_member_id, at)
    ON app.role_conflicts TO hearth_api;

-- Changes of open transactions. Triggers record them (sql/functions/changes.sql). The commit
-- deletes a transaction's rows and raises the versions that they concern, so nobody ever sees a row
-- of another transaction, and a rollback to a savepoint undoes its changes too.
--
-- The table writes no WAL: a crash empties it, but ends all transactions as well, so nothing is
-- lost. All its rows are short-lived, so it is vacuumed often, and keeps its size.
--
-- kind: see sql/functions/changes_meaning.sql. id: of a member or an invitation, or the former id
-- of a user. audience, is_managed: of a member, as in family_changes.
--
-- The numbers come from a sequence that does not belong to the table, so that it writes WAL. The
-- sequence of an identity column would not, and PostgreSQL does not flush the first state of such a
-- sequence on a standby: if the standby is promoted before its next restartpoint, nextval fails
-- ("bad magic number in sequence").
CREATE SEQUENCE app.pending_changes_number_seq;

CREATE UNLOGGED TABLE app.pending_changes (
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    number bigint NOT NULL DEFAULT nextval('app.pending_changes_number_seq'),
    kind text NOT NULL,
    family_unit_id uuid,
    user_id uuid,
    id uuid,
    audience text,
    is_managed boolean,
    mailbox text,
    CONSTRAINT pending_changes_pkey PRIMARY KEY (transaction_id, number),
    CONSTRAINT pending_changes_kind_known CHECK (
        kind IN ('family', 'details', 'name', 'attributes', 'member', 'membership', 'preferences',
                 'request', 'lost-invitations', 'lost-attributes', 'lost-details', 'lost-waiting',
                 'role', 'ward', 'invitation', 'user', 'inviter', 'address', 'moved'))
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = off);

COMMENT ON TABLE app.pending_changes IS
    'Changes of open transactions; no transaction sees the rows of another.';

ALTER TABLE app.pending_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY pending_changes_owner ON app.pending_changes TO hearth_owner
    USING (true) WITH CHECK (true);

-- A change of a person that a commit adds to user_changes. Only functions use the type.
CREATE TYPE app.person_change AS (
    user_id uuid,
    kind text,
    id uuid,
    family_unit_id uuid
);

-- Raises the versions of all families and users that the transaction's changes concern. The trigger
-- of the first row raises them for all rows that exist by then; hearth.raised_changes is the number
-- of the last of these rows.
--
-- A constraint trigger can't be replaced, so it and its function are in this file. The work is done
-- by app.raise_versions (changes_versions.sql), which is repeatable.
CREATE FUNCTION app.raise_versions_at_commit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.number
        > coalesce(nullif(current_setting('hearth.raised_changes', true), '')::bigint, 0) THEN
        PERFORM app.raise_versions();
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT ON app.pending_changes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
