-- Limits of the database, each with its unit.

-- How many may wait for a family's approval.
CREATE OR REPLACE FUNCTION app.waiting_limit() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 30;
