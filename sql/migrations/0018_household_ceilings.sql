-- household_ceiling: the highest household role that a member may choose for itself.
--
-- The ceiling is the household role at entry, or the one that others gave the member later. If a
-- member chooses a household role below its ceiling, it can take that back. The ceiling is at most
-- adult, because the Parent Admin's seat has rules of its own.
--
-- Locks: family_members exclusively, for an instant: the default is not written into the rows. The
-- next file checks the rows.

ALTER TABLE app.family_members
    ADD COLUMN household_ceiling text NOT NULL DEFAULT 'adult',
    ADD CONSTRAINT family_members_household_ceiling_known CHECK (
        household_ceiling IN ('adult', 'kid', 'visitor')) NOT VALID,
    ADD CONSTRAINT family_members_within_ceiling CHECK (
        CASE household_ceiling
            WHEN 'adult' THEN true
            WHEN 'kid' THEN household_role IN ('kid', 'visitor')
            ELSE household_role = 'visitor'
        END) NOT VALID;

COMMENT ON COLUMN app.family_members.household_ceiling IS
    'The highest household role that the member may choose for itself, below Parent Admin.';
