-- A code that ends because its family is given up: the player who lived there alone has joined
-- another. It counts as unknown, like one that was regenerated.
--
-- Locks: family_codes exclusively, for an instant; the rows are checked by the next file.

ALTER TABLE app.family_codes
    DROP CONSTRAINT family_codes_reason_known,
    ADD CONSTRAINT family_codes_reason_known
        CHECK (reason IN ('regenerated', 'expired', 'given_up')) NOT VALID;
