-- Creates a family as hearth_api, as POST /api/family/create does. Each account creates one. Run
-- with -D first=N -D each=M: client c uses the accounts from first + c * each on.
\set i :i + 1
\set n :first + :client_id * :each + :i
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint), NULL, NULL, true);
SELECT family_unit_id, family_name, family_code, code_generated_at, existed
FROM app.create_family(NULL, NULL, false);
\endpipeline
