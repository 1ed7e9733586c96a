-- Functions whose results have other columns than before: they are dropped, and sql/functions makes
-- them anew.
--
-- Locks: none but on the functions.

DROP FUNCTION IF EXISTS app.try_mailed_code(bytea);
