-- Reads one family by id as a role that bypasses row-level security: the pipeline of
-- point-protected.sql, with the lookup of the user and the condition on its membership written by
-- hand.
\set k random(1, :families)
\startpipeline
SELECT user_id FROM app.user_identities
WHERE subject_hash = '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1)
    AND issuer = 'bench';
SELECT f.id, f.family_name, f.code_generated_at
FROM app.family_units AS f
WHERE f.id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
    AND EXISTS (
        SELECT FROM app.family_members AS me
        WHERE me.family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
            AND me.user_id = ('00000000-0000-4000-8000-' || lpad(to_hex(3 * :k::bigint - 1), 12, '0'))::uuid
            AND me.status = 'active');
\endpipeline
