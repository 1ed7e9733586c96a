-- Revert shop:users from pg

BEGIN;

DROP TABLE users;

COMMIT;
