-- Checks that memberships that are stored already satisfy the new constraint.
--
-- Locks: app.family_members against changes of its definition. Programs continue to read and write.

ALTER TABLE app.family_members VALIDATE CONSTRAINT family_members_active_is_not_barred;
