-- Reads one family by id as hearth_api: identity and query in one pipeline, with row-level
-- security.
\set k random(1, :families)
\startpipeline
SELECT outcome FROM app.begin_request('bench',
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    'user@example.com', true, true);
SELECT f.id, f.family_name, f.code_generated_at
FROM app.family_units AS f
WHERE f.id = ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid;
\endpipeline
