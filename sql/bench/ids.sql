-- The ids of accounts and families by their numbers, for the files that include this one.
CREATE FUNCTION pg_temp.account(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid;
CREATE FUNCTION pg_temp.family(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid;
