-- Accounts whose role nobody has said.
--
-- A sign-in that tells no role makes an account with the role of a parent, which apps expect. Such
-- an account may say its role once, also as a member (profiles.sql). What is stored already counts
-- as said: nobody knows.
--
-- Locks: ACCESS EXCLUSIVE on app.users, for a moment. The next file checks the rows that are stored
-- already.

ALTER TABLE app.users
    ADD COLUMN role_is_default boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT users_default_role_form CHECK (
        NOT role_is_default OR (kind = 'account' AND role = 'parent')) NOT VALID;

COMMENT ON COLUMN app.users.role_is_default IS 'Whether nobody has said the role yet.';
