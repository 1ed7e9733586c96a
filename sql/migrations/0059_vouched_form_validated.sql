-- Holds every membership to the form of being vouched, those from before included.
--
-- Locks: SHARE UPDATE EXCLUSIVE on family_members while it is read through, which leaves reading
-- and writing alone.

ALTER TABLE app.family_members VALIDATE CONSTRAINT family_members_vouched_form;
