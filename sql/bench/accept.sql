-- Accepts an invitation as hearth_api, as POST /api/me/invitations/:id/accept does, but in one
-- round trip. Each account that write-accounts.sql has invited accepts once. Run with -D first=N -D
-- each=M.
\set i :i + 1
\set n :first + :client_id * :each + :i
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint), NULL, NULL, true);
SELECT outcome, family_unit_id, member_id, left_family_id, own_family_id, own_family_name,
    invited_role
FROM app.join_by_invitation(
    NULL, ('00000000-0000-4000-b000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid);
\endpipeline
