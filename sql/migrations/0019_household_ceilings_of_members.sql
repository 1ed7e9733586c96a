-- The ceilings of memberships that are older than the column household_ceiling: a member's present
-- household role becomes its ceiling, because nobody knows whether the member chose that role.
--
-- Locks: the rows of kids and visitors, while they are written; family_members against changes of
-- its definition. Programs continue to read and write.

UPDATE app.family_members AS m SET household_ceiling = m.household_role
    WHERE m.household_role IN ('kid', 'visitor');

ALTER TABLE app.family_members VALIDATE CONSTRAINT family_members_household_ceiling_known;
ALTER TABLE app.family_members VALIDATE CONSTRAINT family_members_within_ceiling;
