-- The members that were there before: they keep the household role that they have. Nobody knows
-- whether they chose it themselves.
--
-- Locks: the rows of kids and visitors, while they are written; family_members against changes of
-- its definition. Programs read and write on.

UPDATE app.family_members AS m SET household_ceiling = m.household_role
    WHERE m.household_role IN ('kid', 'visitor');

ALTER TABLE app.family_members VALIDATE CONSTRAINT family_members_household_ceiling_known;
ALTER TABLE app.family_members VALIDATE CONSTRAINT family_members_within_ceiling;
