-- Reads a person's profile and families as hearth_api: identity and queries in one pipeline, with
-- row-level security.
\set k random(1, :families)
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    'user@example.com', true, true);
SELECT id, kind, email, full_name, role, avatar_key, avatar_url, locale FROM app.my_profile;
SELECT family_unit_id, family_name, family_code, code_generated_at, code_expires_at,
    created_by_user_id, member_limit, approval_required, member_id, role, household_role,
    member_count, home_latitude, home_longitude, household_ceiling, vouched, seat_taken,
    seat_reserved, created_at, updated_at
FROM app.my_family_list
ORDER BY created_by_user_id <> app.user_id(), added_at, family_unit_id LIMIT 100;
SELECT user_id, display_name, avatar_key, is_managed, parent_user_id, family_unit_id
FROM app.my_profiles ORDER BY is_managed, created_at, user_id LIMIT 200;
\endpipeline
