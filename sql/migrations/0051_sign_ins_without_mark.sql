-- A sign-in whose erasure is remembered (app.erasures) has no mark. Somebody who signs in again
-- after an erasure has a new account, to which no token may lead that was issued before. Without a
-- mark no token tells nothing new, so see_user looks at each of them, and compares when it was
-- issued.
--
-- Locks: ACCESS EXCLUSIVE on app.user_identities, for a moment.

ALTER TABLE app.user_identities ALTER COLUMN claims_mark DROP NOT NULL;

COMMENT ON COLUMN app.user_identities.claims_mark IS
    'What the token told that was last believed, hashed; null while an erasure is remembered.';
