-- Runs the protected reads and shows their plans. Run with psql as hearth_api, after fill.sql.
SET plan_cache_mode = force_generic_plan;
\pset format unaligned
\pset tuples_only on

PREPARE begin (text, bytea, text, boolean, boolean) AS
SELECT outcome FROM app.begin_request($1, $2, $3, $4, $5);
PREPARE point (uuid) AS
SELECT f.id, f.family_name, f.code_generated_at FROM app.family_units AS f WHERE f.id = $1;
PREPARE list (uuid) AS
SELECT m.id, m.user_id, m.role, m.household_role, m.added_at
FROM app.family_members AS m
WHERE m.family_unit_id = $1 AND m.status = 'active';
PREPARE members (uuid) AS
SELECT id, user_id, role, household_role, status, added_at, is_managed, parent_user_id,
    avatar_key, email, full_name, account_role
FROM app.member_list WHERE family_unit_id = $1 ORDER BY added_at, id;

-- Family 1 and its Parent Admin, account 2.
\set hash 'decode(repeat(\'00\', 24), \'hex\') || int8send(2)'
\set family '\'00000000-0000-4000-9000-000000000001\''
BEGIN;
\echo 'begin:'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
EXECUTE begin ('bench', :hash, 'user@example.com', true, true);
\echo '\npoint:'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE point (:family);
\echo '\nlist:'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE list (:family);
\echo '\nmembers:'
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE members (:family);
\echo
ROLLBACK;
