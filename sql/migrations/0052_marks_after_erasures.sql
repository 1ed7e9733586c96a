-- Takes the marks of those who signed in again after an erasure that is still remembered: nine days
-- of erasures.
--
-- Locks: the rows that it changes.

UPDATE app.user_identities AS i SET claims_mark = NULL
    WHERE i.subject_hash IN (SELECT unnest(e.sign_ins) FROM app.erasures AS e);
