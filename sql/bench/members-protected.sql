-- Reads the members of a family with their users as hearth_api: identity and query in one pipeline,
-- with row-level security.
\set k random(1, :families)
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    'user@example.com', true, true);
SELECT id, user_id, role, household_role, status, added_at, is_managed, parent_user_id,
    avatar_key, email, full_name, account_role
FROM app.member_list
WHERE family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
ORDER BY added_at, id;
\endpipeline
