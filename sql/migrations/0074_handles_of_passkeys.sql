-- handle: the id of the account when the passkey was added, by which authenticators know it. It
-- stays when the account gets another id, also when that id becomes somebody else's.
--
-- app.passkey_of_credential has a further column: it is dropped, and sql/functions makes it anew.
--
-- Locks: ACCESS EXCLUSIVE on app.passkeys, while its rows are written.

ALTER TABLE app.passkeys ADD COLUMN handle uuid;

COMMENT ON COLUMN app.passkeys.handle IS
    'The account''s id when the passkey was added, as authenticators know it; null: its present id.';

UPDATE app.passkeys SET handle = user_id;

DROP FUNCTION IF EXISTS app.passkey_of_credential(bytea, bytea);
