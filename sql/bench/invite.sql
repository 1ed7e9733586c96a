-- Invites by a link as hearth_api, as POST /api/family/invite does, but in one round trip. The
-- Parent Admins of all families invite in turn. Run with -D first=N -D each=M -D families=F.
\set i :i + 1
\set n :first + :client_id * :each + :i
\set k :n % :families + 1
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1), NULL, NULL, true);
SELECT app.add_invitation_secret(
    i.invitation_id, i.generation, sha256(i.invitation_id::text::bytea))
FROM app.create_invitation(('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid,
    NULL, 'parent', NULL, 'link') AS i;
\endpipeline
