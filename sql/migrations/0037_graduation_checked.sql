-- Invitations and preferences that were there before keep the new constraints.
--
-- Locks: app.family_invitations and app.member_preferences against changes of their definition.
-- Programs read and write on.

ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_kind_known;
ALTER TABLE app.family_invitations
    VALIDATE CONSTRAINT family_invitations_graduation_names_child;
ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_graduation_form;
ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_graduate_fkey;
ALTER TABLE app.member_preferences VALIDATE CONSTRAINT member_preferences_member_fkey;
