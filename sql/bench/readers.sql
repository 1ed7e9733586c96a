-- Adds sign-ins with issuer :issuer for the Parent Admins of :readers families, evenly spread over
-- all :families. Run as superuser, after fill.sql.
SET session_replication_role = replica;

\ir ids.sql

INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
SELECT :'issuer', sha256(convert_to(:'issuer' || E'\n' || pg_temp.account(n), 'UTF8')),
    pg_temp.account(n), app.claims_mark('user' || n || '@example.com', true)
FROM (
    SELECT 3 * k - 1 FROM generate_series(1, :families, :families / :readers) AS k LIMIT :readers
) AS wanted (n);
RESET session_replication_role;
VACUUM (ANALYZE) app.user_identities;
CHECKPOINT;
