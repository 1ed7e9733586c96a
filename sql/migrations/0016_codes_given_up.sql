-- A reason for a code to end: its family is given up, because the player who was its only member
-- has joined another family. Such a code counts as unknown, like one that was regenerated.
--
-- Locks: family_codes exclusively, for an instant; the rows are checked by the next file.

ALTER TABLE app.family_codes
    DROP CONSTRAINT family_codes_reason_known,
    ADD CONSTRAINT family_codes_reason_known
        CHECK (reason IN ('regenerated', 'expired', 'given_up')) NOT VALID;
