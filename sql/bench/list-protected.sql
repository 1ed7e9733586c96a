-- Reads the memberships of a family as hearth_api: identity and query in one pipeline, with
-- row-level security.
\set k random(1, :families)
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    'user@example.com', true, true);
SELECT m.id, m.user_id, m.role, m.household_role, m.added_at
FROM app.family_members AS m
WHERE m.family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
    AND m.status = 'active';
\endpipeline
