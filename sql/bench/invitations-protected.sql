-- Lists the pending invitations of a family as hearth_api: identity and query in one pipeline, with
-- row-level security.
\set k random(1, :families)
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    'user@example.com', true, true);
SELECT id, family_unit_id, invited_by, invited_email, role, household_role, status, delivery,
    expires_at, created_at, accepted_at, delivery_status, kind, graduate_id
FROM app.invitation_list
WHERE family_unit_id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid
    AND status = 'pending'
ORDER BY created_at DESC, id DESC LIMIT 101;
\endpipeline
