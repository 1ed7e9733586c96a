-- Joins a family by its code as hearth_api, as POST /api/family/code/join does, in two
-- transactions. Each account joins once. Run with -D first=N -D each=M -D families=F.
\set i :i + 1
\set n :first + :client_id * :each + :i
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint), NULL, NULL, true);
SELECT limited_by, retry_after_seconds FROM app.reserve_code_attempt(
    'FAM-' || translate(upper(lpad(to_hex(:n::bigint % :families::bigint + 1), 6, '0')), '01', 'XY'),
    '127.0.0.1', '127.0.0.0/24');
\endpipeline
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint), NULL, NULL, true);
SELECT outcome, family_unit_id, family_name, member_id, member_limit FROM app.join_family_by_code(
    'FAM-' || translate(upper(lpad(to_hex(:n::bigint % :families::bigint + 1), 6, '0')), '01', 'XY'),
    '127.0.0.1', '127.0.0.0/24');
\endpipeline
