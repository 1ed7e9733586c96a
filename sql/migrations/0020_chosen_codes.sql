-- A direct client may choose the code of the family that it creates. Apps draw such a code from all
-- letters and digits; codes that Hearth draws have no characters that can be mistaken for each
-- other.
--
-- Locks: family_codes exclusively, for an instant; the rows are checked by the next file.

ALTER TABLE app.family_codes
    DROP CONSTRAINT family_codes_form,
    ADD CONSTRAINT family_codes_form CHECK (code ~ '^FAM-[A-Z0-9]{6}$') NOT VALID;

GRANT INSERT (family_code) ON app.family_units TO authenticated;
