-- How a child without an account grows up: its primary guardian sends an invitation, and the
-- account that accepts it becomes the member. The membership keeps its id, slot, preferences and
-- history, and its user is the account from then on.
--
-- kind, graduate_id: an invitation of the kind `graduation` is for the child whose membership is
-- graduate_id.
--
-- user_aliases: the managed users of children who have grown up. The name and picture of such a
-- user are erased. A row of user_aliases leads from the managed user to the account, so that ids in
-- old links, in clients and in the audit trail still mean the person. A membership may change its
-- user only if there is such a row (trigger keep_identity).
--
-- When the user of a membership changes, the foreign key updates the preferences (ON UPDATE
-- CASCADE). So updated_by still names the person who wrote the preferences.
--
-- Locks: ACCESS EXCLUSIVE on app.family_invitations, app.member_preferences and app.family_members
-- (to which the dropped foreign key refers), SHARE ROW EXCLUSIVE on app.users, for a moment each.
-- The next file checks the rows that are stored already.

ALTER TABLE app.family_invitations
    ADD COLUMN kind text NOT NULL DEFAULT 'member',
    ADD COLUMN graduate_id uuid,
    ADD CONSTRAINT family_invitations_kind_known CHECK (
        kind IN ('member', 'graduation')) NOT VALID,
    ADD CONSTRAINT family_invitations_graduation_names_child CHECK (
        (kind = 'graduation') = (graduate_id IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT family_invitations_graduation_form CHECK (
        kind <> 'graduation' OR (role, household_role) IN (('player', 'kid'), ('parent', 'adult')))
        NOT VALID,
    ADD CONSTRAINT family_invitations_graduate_fkey FOREIGN KEY (family_unit_id, graduate_id)
        REFERENCES app.family_members (family_unit_id, id) ON DELETE CASCADE NOT VALID;

COMMENT ON COLUMN app.family_invitations.graduate_id IS
    'The child that whoever accepts becomes; null for an invitation of a new member.';

ALTER TABLE app.member_preferences
    DROP CONSTRAINT member_preferences_member_fkey,
    ADD CONSTRAINT member_preferences_member_fkey FOREIGN KEY (family_unit_id, user_id)
        REFERENCES app.family_members (family_unit_id, user_id)
        ON UPDATE CASCADE ON DELETE CASCADE NOT VALID;

CREATE TABLE app.user_aliases (
    alias_id uuid NOT NULL,
    alias_kind text NOT NULL DEFAULT 'managed',
    account_id uuid NOT NULL,
    account_kind text NOT NULL DEFAULT 'account',
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT user_aliases_pkey PRIMARY KEY (alias_id),
    CONSTRAINT user_aliases_alias_was_managed CHECK (alias_kind = 'managed'),
    CONSTRAINT user_aliases_leads_to_account CHECK (account_kind = 'account'),
    CONSTRAINT user_aliases_alias_fkey FOREIGN KEY (alias_id, alias_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT user_aliases_account_fkey FOREIGN KEY (account_id, account_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE
);

CREATE INDEX user_aliases_account ON app.user_aliases (account_id);

COMMENT ON TABLE app.user_aliases IS
    'Managed users of children that have grown up, and the accounts that they became.';

ALTER TABLE app.user_aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.user_aliases FORCE ROW LEVEL SECURITY;
CREATE POLICY user_aliases_owner ON app.user_aliases TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY user_aliases_authz ON app.user_aliases FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.user_aliases TO hearth_authz;
CREATE POLICY user_aliases_operator_reads ON app.user_aliases
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.user_aliases TO hearth_admin;
