-- Reads one family by id as hearth_api: identity and query in one pipeline, with row-level
-- security.
\set k random(1, :families)
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    'user@example.com', true, true);
SELECT family_unit_id, family_name, family_code, code_generated_at, code_expires_at,
    created_by_user_id, member_limit, approval_required, member_id, role, household_role,
    member_count, home_latitude, home_longitude, household_ceiling, vouched, seat_taken,
    seat_reserved, created_at, updated_at
FROM app.my_family_list
WHERE family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid;
\endpipeline
