-- Reads the memberships of a family as a role that bypasses row-level security: the pipeline of
-- list-protected.sql, with the lookup of the user and the condition on its membership written by
-- hand.
\set k random(1, :families)
\startpipeline
SELECT user_id FROM app.user_identities
WHERE subject_hash = '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1)
    AND issuer = 'bench';
SELECT m.id, m.user_id, m.role, m.household_role, m.added_at
FROM app.family_members AS m
WHERE m.family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
    AND m.status = 'active'
    AND EXISTS (
        SELECT FROM app.family_members AS me
        WHERE me.family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
            AND me.user_id = ('00000000-0000-4000-8000-' || lpad(to_hex(3 * :k::bigint - 1), 12, '0'))::uuid
            AND me.status = 'active');
\endpipeline
