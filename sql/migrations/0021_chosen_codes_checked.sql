-- Checks the rows that were there before the constraint of the file before.
--
-- Locks: family_codes against changes of its definition only; programs read and write on.

ALTER TABLE app.family_codes VALIDATE CONSTRAINT family_codes_form;
