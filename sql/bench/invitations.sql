-- Adds :rows invitations that ended long ago to the families of fill.sql, and one pending
-- invitation to each family, all with their secrets. Run as superuser: psql -v families=20000 -v
-- rows=1000000 -f ...
SET session_replication_role = replica;
SET synchronous_commit = off;

\ir ids.sql

-- The invitations of all families are interleaved, as in production; half of them are e-mailed.
INSERT INTO app.family_invitations
    (family_unit_id, invited_by, invited_email, role, household_role, status, delivery, expires_at,
     created_at, closed_at)
SELECT pg_temp.family(k), pg_temp.account(3 * k - 1),
    CASE WHEN n % 2 = 0 THEN 'guest' || n || '@example.org' END, 'parent', 'adult', 'expired',
    CASE WHEN n % 2 = 0 THEN 'email' ELSE 'link' END, now() - interval '8 days',
    now() - interval '15 days', now() - interval '8 days' - n * interval '0.1 second'
FROM generate_series(1, :rows) AS n, LATERAL (SELECT 1 + n::bigint * 7919 % :families AS k) AS family;
INSERT INTO app.family_invitations
    (family_unit_id, invited_by, role, household_role, delivery)
SELECT pg_temp.family(k), pg_temp.account(3 * k - 1), 'parent', 'adult', 'link'
FROM generate_series(1, :families) AS k;
INSERT INTO app.invitation_secrets (invitation_id, generation, token_hash)
SELECT i.id, 1, sha256(i.id::text::bytea) FROM app.family_invitations AS i;
RESET session_replication_role;
VACUUM (ANALYZE, FREEZE) app.family_invitations, app.invitation_secrets;
CHECKPOINT;
