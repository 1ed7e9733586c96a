-- An account with several sign-ins: of one that was added to it, later tokens don't change the
-- account's address.
--
-- Locks: ACCESS EXCLUSIVE on app.user_identities for a moment; a default that is a constant
-- rewrites nothing.

ALTER TABLE app.user_identities ADD COLUMN tells_address boolean NOT NULL DEFAULT true;

COMMENT ON COLUMN app.user_identities.tells_address IS
    'Whether the address in its tokens becomes the account''s.';
