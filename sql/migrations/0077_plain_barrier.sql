-- The functions that begin a request have other signatures than before, and look up the caller
-- themselves: they and the views that they read are dropped, and sql/functions makes the functions
-- anew. The views of conditional reads became a function (conditional_reads.sql).
--
-- Locks: ACCESS EXCLUSIVE on the views, for an instant.

DROP FUNCTION IF EXISTS app.begin_request(text, bytea, text, boolean, uuid);
DROP FUNCTION IF EXISTS app.begin_request(text, bytea, text, boolean);
DROP FUNCTION IF EXISTS app.begin_request(text, bytea, text, boolean, boolean, uuid);
DROP FUNCTION IF EXISTS app.begin_request(text, bytea, text, boolean, boolean);
DROP FUNCTION IF EXISTS app.begin_session(uuid, uuid, uuid);
DROP FUNCTION IF EXISTS app.begin_session(uuid, uuid);
DROP VIEW IF EXISTS app.sign_ins;
DROP VIEW IF EXISTS app.live_sessions;
DROP VIEW IF EXISTS app.delegations;
DROP VIEW IF EXISTS app.sign_in_versions;
DROP VIEW IF EXISTS app.session_versions;
