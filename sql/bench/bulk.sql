-- Adds an adult to each of :members families in one statement, times it, and rolls it back. Run as
-- superuser after fill.sql with :families families, and write-accounts.sql with as many accounts.
BEGIN;
\timing on
INSERT INTO app.family_members
    (family_unit_id, user_id, user_kind, role, household_role, joined_via)
SELECT ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid,
    ('00000000-0000-4000-8000-' || lpad(to_hex(3 * :families + n), 12, '0'))::uuid,
    'account', 'parent', 'adult', 'code'
FROM generate_series(1, :members) AS n;
SET CONSTRAINTS ALL IMMEDIATE;
\timing off
ROLLBACK;
