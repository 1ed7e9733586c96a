-- Public keys with which each process of the API verifies Hearth's own tokens, with the times of
-- their creation. The console shows how old they are, and verifies tokens with them, so it needs no
-- file with private keys.
--
-- Locks: ACCESS EXCLUSIVE on app.processes while its rows are checked, which is short: there is one
-- row for each process of the last seven days.

ALTER TABLE app.processes
    ADD COLUMN signing_keys jsonb,
    ADD CONSTRAINT processes_signing_keys_form CHECK (
        signing_keys IS NULL
        OR (jsonb_typeof(signing_keys -> 'keys') = 'array') IS TRUE
            AND octet_length(signing_keys::text) <= 4096);

COMMENT ON COLUMN app.processes.signing_keys IS
    'JSON Web Key Set of the API''s public keys, with times of creation; null without such keys.';
