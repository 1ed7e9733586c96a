-- Adds :count accounts without a family after those of fill.sql, for benchmarks of writes, and
-- sign-ins with issuer :issuer for them and for the Parent Admins of all families. Of each :block
-- accounts the last third are invited: account n by the Parent Admin of family n % :families + 1,
-- by an invitation whose id is derived from n. All accounts get versions, as triggers would create
-- them. Run as superuser, after fill.sql, with the same :families.
SET session_replication_role = replica;
SET synchronous_commit = off;

\ir ids.sql
CREATE FUNCTION pg_temp.invitation(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN ('00000000-0000-4000-b000-' || lpad(to_hex(n), 12, '0'))::uuid;

INSERT INTO app.users (id, email, email_verified, full_name, role)
SELECT pg_temp.account(n), 'user' || n || '@example.com', true, 'User ' || n, 'parent'
FROM generate_series(3 * :families + 1, 3 * :families + :count) AS n;
INSERT INTO app.user_versions (user_id)
SELECT pg_temp.account(n) FROM generate_series(3 * :families + 1, 3 * :families + :count) AS n;
INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
SELECT 'bench', decode(repeat('00', 24), 'hex') || int8send(n), pg_temp.account(n),
    app.claims_mark('user' || n || '@example.com', true)
FROM generate_series(3 * :families + 1, 3 * :families + :count) AS n;
INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
SELECT :'issuer', sha256(convert_to(:'issuer' || E'\n' || pg_temp.account(n), 'UTF8')),
    pg_temp.account(n), app.claims_mark('user' || n || '@example.com', true)
FROM (
    SELECT 3 * k - 1 FROM generate_series(1, :families) AS k
    UNION ALL
    SELECT generate_series(3 * :families + 1, 3 * :families + :count)
) AS wanted (n);
INSERT INTO app.family_invitations
    (id, family_unit_id, invited_by, invited_email, role, household_role, delivery)
SELECT pg_temp.invitation(n), pg_temp.family(k), pg_temp.account(3 * k - 1),
    'user' || n || '@example.com', 'parent', 'adult', 'email'
FROM generate_series(3 * :families + 1, 3 * :families + :count) AS n,
    LATERAL (SELECT n % :families + 1 AS k) AS family
WHERE (n - 3 * :families - 1) % :block >= :block / 3 * 2;
RESET session_replication_role;
VACUUM (ANALYZE) app.users, app.user_identities, app.user_versions, app.family_versions,
    app.family_invitations;
CHECKPOINT;
