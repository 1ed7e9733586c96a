-- Checks the rows that were stored before the previous file added the constraint.
--
-- Locks: family_codes against changes of its definition only; programs continue to read and write.

ALTER TABLE app.family_codes VALIDATE CONSTRAINT family_codes_reason_known;
