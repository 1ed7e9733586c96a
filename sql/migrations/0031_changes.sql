-- What has changed, in which order: for clients that follow their families and themselves.
--
-- A family has a version, which each transaction raises by one that changes what its members may
-- see. A user has a version as well: of its profile, its memberships, its preferences, those of the
-- children it guards, and the invitations that it has received. The changes tell what was changed
-- by its kind and id, and never hold a copy: what is read later is what the reader may see then.
--
-- Versions stand in tables of their own, not in the families' and users' rows. A writer locks the
-- family's row first and holds it while it works; the version's row is locked last of all, at the
-- commit, by the constraint triggers at the end of this file (see sql/functions/changes.sql).
-- Writers that lock users or invitations first, such as a change of one's profile or the jobs that
-- expire, therefore can't meet others in the wrong order; and whoever holds a version commits
-- before the next one is given. So versions follow the order of the commits, without gaps: who sees
-- a version sees all that was changed up to it.
--
-- transaction_id: the transaction that raised the version last, which does so once, however often
-- its constraints are checked. purged_version: changes up to it have been forgotten.
--
-- audience: who may learn that there was a change. An ordinary member must not learn from a change
-- that somebody waits for approval, nor a visitor that somebody was invited.
--
-- is_managed: the id is a managed child's, which clients see with a prefix, also once it is gone.
--
-- No foreign keys from the changes: they refer by value, as the audit trail does, and are purged by
-- their age.
--
-- Locks: ACCESS EXCLUSIVE on users, family_units, family_members, family_invitations,
-- guardianships, member_preferences and family_attributes for the triggers, for a moment.

CREATE TABLE app.family_versions (
    family_unit_id uuid NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    purged_version bigint NOT NULL DEFAULT 0,
    transaction_id xid8,
    CONSTRAINT family_versions_pkey PRIMARY KEY (family_unit_id),
    CONSTRAINT family_versions_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT family_versions_purged_before CHECK (purged_version BETWEEN 0 AND version)
) WITH (fillfactor = 60);

COMMENT ON TABLE app.family_versions IS
    'How often what a family''s members may see has changed.';

CREATE TABLE app.user_versions (
    user_id uuid NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    purged_version bigint NOT NULL DEFAULT 0,
    transaction_id xid8,
    CONSTRAINT user_versions_pkey PRIMARY KEY (user_id),
    CONSTRAINT user_versions_user_fkey FOREIGN KEY (user_id)
        REFERENCES app.users (id) ON DELETE CASCADE,
    CONSTRAINT user_versions_purged_before CHECK (purged_version BETWEEN 0 AND version)
) WITH (fillfactor = 60);

COMMENT ON TABLE app.user_versions IS
    'How often what concerns a person alone has changed.';

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
);

CREATE INDEX family_changes_at ON app.family_changes (changed_at);

COMMENT ON TABLE app.family_changes IS 'What was changed in which version of a family.';
COMMENT ON COLUMN app.family_changes.audience IS
    'Who may learn of it: all active members; all but visitors, by their own account or (residents) '
    'also through their guardian; those who are trusted with addresses; those who govern.';

CREATE TABLE app.user_changes (
    user_id uuid NOT NULL,
    version bigint NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    -- The family that it belongs to; for a profile and a received invitation null.
    family_unit_id uuid,
    is_managed boolean NOT NULL DEFAULT false,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT user_changes_key
        UNIQUE NULLS NOT DISTINCT (user_id, version, kind, id, family_unit_id),
    CONSTRAINT user_changes_kind_known CHECK (
        kind IN ('family', 'member', 'invitation', 'playerDetails', 'attributes',
                 'receivedInvitation', 'profile', 'preferences'))
);

CREATE INDEX user_changes_at ON app.user_changes (changed_at);

COMMENT ON TABLE app.user_changes IS
    'What was changed in which version of a person. Kind family: the person''s own membership; '
    'member, invitation, playerDetails and attributes: what the person may have lost sight of.';

INSERT INTO app.family_versions (family_unit_id) SELECT f.id FROM app.family_units AS f;
INSERT INTO app.user_versions (user_id) SELECT u.id FROM app.users AS u;

ALTER TABLE app.family_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY family_versions_owner ON app.family_versions TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_versions_member_reads ON app.family_versions
    FOR SELECT TO hearth_api
    USING (family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
GRANT SELECT (family_unit_id, version, purged_version) ON app.family_versions TO hearth_api;

ALTER TABLE app.user_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.user_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY user_versions_owner ON app.user_versions TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_versions_self_reads ON app.user_versions
    FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.user_id()));
GRANT SELECT (user_id, version, purged_version) ON app.user_versions TO hearth_api;

ALTER TABLE app.family_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY family_changes_owner ON app.family_changes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_changes_audience_reads ON app.family_changes
    FOR SELECT TO hearth_api
    USING (CASE audience
        WHEN 'members' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f))
        WHEN 'own' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_own_families AS f))
        WHEN 'residents' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_resident_families AS f))
        WHEN 'trusting' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_trusting_families AS f))
        WHEN 'governors' THEN
            family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f))
    END);
GRANT SELECT (family_unit_id, version, kind, id, audience, is_managed)
    ON app.family_changes TO hearth_api;

ALTER TABLE app.user_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.user_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY user_changes_owner ON app.user_changes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_changes_self_reads ON app.user_changes
    FOR SELECT TO hearth_api
    USING (user_id = (SELECT app.user_id()));
GRANT SELECT (user_id, version, kind, id, family_unit_id, is_managed)
    ON app.user_changes TO hearth_api;

-- At the commit: raises the versions of all that the transaction has noted.
--
-- A constraint trigger can't be replaced, so these stand here. What they do stands in a repeatable
-- file, and notes are made there too.
CREATE FUNCTION app.raise_versions_at_commit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF current_setting('hearth.changes', true) <> '' THEN
        PERFORM app.raise_versions();
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE OR DELETE ON app.family_units
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE OR DELETE ON app.family_members
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE OR DELETE ON app.family_invitations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE OR DELETE ON app.guardianships
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
CREATE CONSTRAINT TRIGGER raise_versions AFTER UPDATE ON app.users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE OR DELETE ON app.member_preferences
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR UPDATE OR DELETE ON app.family_attributes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();
