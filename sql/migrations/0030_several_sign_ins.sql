-- For accounts with several sign-ins: a sign-in that was added to an existing account has
-- tells_address false, so its tokens do not change the account's e-mail address.
--
-- Locks: ACCESS EXCLUSIVE on app.user_identities for a moment; a constant default rewrites no row.

ALTER TABLE app.user_identities ADD COLUMN tells_address boolean NOT NULL DEFAULT true;

COMMENT ON COLUMN app.user_identities.tells_address IS
    'Whether the address in its tokens becomes the account''s.';
