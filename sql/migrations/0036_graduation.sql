-- How a child without an account grows up: its primary guardian invites it, and the account that
-- accepts becomes the member. The membership stays with its id, slot, preferences and history; from
-- then on its user is the account.
--
-- kind, graduate_id: an invitation of the kind `graduation` is for the child of that membership.
--
-- user_aliases: the managed user of a child that has grown up. Its name and picture are gone; it
-- leads to the account, so that ids in old links, in clients and in the audit trail still mean the
-- person. Only with such a row may a membership change its user (keep_identity).
--
-- The preferences follow the membership's user: by the foreign key, so that they stay signed by who
-- wrote them.
--
-- Locks: ACCESS EXCLUSIVE on app.family_invitations and app.member_preferences, SHARE ROW EXCLUSIVE
-- on app.family_members, for a moment each. What is stored already is checked by the next file.

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
