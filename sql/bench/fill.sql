-- Fills a migrated database with :families families of four: a player, two parents, a managed
-- child. Run as superuser: psql -v families=100000 -f sql/bench/fill.sql
--
-- Family k has the accounts 3k-2 (player), 3k-1 (Parent Admin) and 3k. Ids are derived from
-- numbers, so that a pgbench script can compute them at next to no cost. Account n signs in with
-- issuer 'bench' and a subject hash of 24 zero bytes and n. Up to 446 million families have
-- distinct codes. All families and users get versions, as triggers would create them.
SET session_replication_role = replica;
SET synchronous_commit = off;

\ir ids.sql
CREATE FUNCTION pg_temp.child(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN ('00000000-0000-4000-a000-' || lpad(to_hex(n), 12, '0'))::uuid;
-- The first sixteen million codes spell the number in hexadecimal digits, with X and Y for 0 and 1.
-- All later codes begin with a letter that these don't contain.
CREATE FUNCTION pg_temp.code(n bigint) RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'FAM-' || CASE WHEN n < 16777216
    THEN translate(upper(lpad(to_hex(n), 6, '0')), '01', 'XY')
    ELSE substr('GHJKMNPQRSTUVWZ', ((n - 16777216) / 28629151)::integer + 1, 1) || (
        SELECT string_agg(substr('ABCDEFGHJKMNPQRSTUVWXYZ23456789',
            ((n - 16777216) / (31 ^ i)::bigint % 31)::integer + 1, 1), '' ORDER BY i)
        FROM generate_series(0, 4) AS i) END;

INSERT INTO app.users (id, email, email_verified, full_name, role)
SELECT pg_temp.account(n), 'user' || n || '@example.com', true, 'User ' || n,
    CASE WHEN n % 3 = 1 THEN 'player' ELSE 'parent' END
FROM generate_series(1, 3 * :families) AS n ORDER BY md5(n::text);
INSERT INTO app.users (id, kind, full_name, role)
SELECT pg_temp.child(k), 'managed', 'Child ' || k, 'player'
FROM generate_series(1, :families) AS k ORDER BY md5(k::text);
INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
SELECT 'bench', decode(repeat('00', 24), 'hex') || int8send(n), pg_temp.account(n),
    app.claims_mark('user@example.com', true)
FROM generate_series(1, 3 * :families) AS n;
INSERT INTO app.family_units
    (id, created_by_user_id, family_name, family_code, code_generated_at, emptied_at, member_limit)
SELECT pg_temp.family(k), pg_temp.account(3 * k - 2), 'Family ' || k,
    pg_temp.code(k), now(), NULL, 32
FROM generate_series(1, :families) AS k;
INSERT INTO app.family_codes (code, family_unit_id)
SELECT f.family_code, f.id FROM app.family_units AS f;
INSERT INTO app.family_members
    (id, family_unit_id, user_id, user_kind, role, household_role, slot, parent_user_id,
     joined_via, is_creator, vouched)
SELECT CASE s WHEN 4 THEN pg_temp.child(k) ELSE gen_random_uuid() END, pg_temp.family(k),
    CASE s WHEN 4 THEN pg_temp.child(k) ELSE pg_temp.account(3 * k - 3 + s) END,
    CASE s WHEN 4 THEN 'managed' ELSE 'account' END,
    CASE WHEN s IN (1, 4) THEN 'player' ELSE 'parent' END,
    CASE s WHEN 1 THEN 'kid' WHEN 2 THEN 'parent_admin' WHEN 3 THEN 'adult' ELSE 'kid' END,
    s, CASE s WHEN 4 THEN pg_temp.account(3 * k - 1) END,
    CASE s WHEN 2 THEN 'code' WHEN 3 THEN 'invitation' ELSE 'created' END,
    s = 1, s IN (1, 3)
FROM generate_series(1, :families) AS k, generate_series(1, 4) AS s ORDER BY md5(k::text), s;
INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot)
SELECT pg_temp.child(k), pg_temp.account(3 * k - 1), pg_temp.family(k), 1
FROM generate_series(1, :families) AS k ORDER BY md5(k::text);
INSERT INTO app.family_versions (family_unit_id)
SELECT pg_temp.family(k) FROM generate_series(1, :families) AS k;
INSERT INTO app.user_versions (user_id)
SELECT pg_temp.account(n) FROM generate_series(1, 3 * :families) AS n
UNION ALL SELECT pg_temp.child(k) FROM generate_series(1, :families) AS k;
RESET session_replication_role;
VACUUM (ANALYZE, FREEZE);
CHECKPOINT;
