-- Checks that invitations and preferences that are stored already satisfy the new constraints.
--
-- Locks: app.family_invitations and app.member_preferences against changes of their definition.
-- Programs continue to read and write.

ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_kind_known;
ALTER TABLE app.family_invitations
    VALIDATE CONSTRAINT family_invitations_graduation_names_child;
ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_graduation_form;
ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_graduate_fkey;
ALTER TABLE app.member_preferences VALIDATE CONSTRAINT member_preferences_member_fkey;
