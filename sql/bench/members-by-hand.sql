-- Reads the members of a family with their users as a role that bypasses row-level security: the
-- pipeline of members-protected.sql, with the lookup of the user and the condition on its
-- membership written by hand.
\set k random(1, :families)
\startpipeline
SELECT user_id FROM app.user_identities
WHERE subject_hash = '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1)
    AND issuer = 'bench';
SELECT m.id, m.user_id, m.role, m.household_role, m.status, m.added_at,
    m.user_kind = 'managed' AS is_managed, m.parent_user_id, u.avatar_key, u.email, u.full_name,
    u.role AS account_role
FROM app.family_members AS m
JOIN app.users AS u ON u.id = m.user_id
WHERE m.family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
    AND m.status = 'active'
    AND EXISTS (
        SELECT FROM app.family_members AS me
        WHERE me.family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
            AND me.user_id = ('00000000-0000-4000-8000-' || lpad(to_hex(3 * :k::bigint - 1), 12, '0'))::uuid
            AND me.status = 'active')
ORDER BY m.added_at, m.id;
\endpipeline
