-- Verify shop:users on pg

BEGIN;

SELECT id, email FROM users WHERE false;

ROLLBACK;
