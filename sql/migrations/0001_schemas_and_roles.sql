-- The schemas, who may use them, and how a request names its subject and its account.
--
--   app      tables, and the functions and views of Hearth's own services
--   api      what a direct client (PostgREST, Supabase) sees: views, nothing else
--   gateway  the function that begins a direct client's request, and its helpers. `authenticated`
--            has no USAGE on `app`, so it can call by name only functions outside `app`
--   jobs     the job queue
--
-- 'hearth-migrate bootstrap' creates the roles from hearth-migrate.json.
--
--   hearth_owner   owns tables and functions. Row-level security is forced on it too, and each
--                  table has a policy that allows it everything that functions do
--   hearth_authz   owns the views that read across families. Nobody signs in as this role, and no
--                  function runs as it
--   hearth_api     Hearth's API. It reads what policies show its caller, and changes most things by
--                  functions that check who may change them
--   hearth_worker  runs jobs
--   hearth_admin   operators. The role is not a superuser: it reads what policies allow, and makes
--                  changes by functions that check their own conditions. It writes directly to one
--                  table only, trusted_issuers, where a trigger records each change. It can't read
--                  secrets of invitations, hashes of subjects, limits or stored responses, and it
--                  reads preferences only by export_preferences, which records an audit entry
--   authenticated  direct clients. They may insert a family, insert themselves as the family's
--                  first member, and delete an invitation; the API makes these changes by
--                  functions. They have rights to columns that the views of `api` mask, because
--                  these views run with the rights of their caller
--
-- PUBLIC gets nothing: the default privileges below take away the EXECUTE and USAGE that PostgreSQL
-- otherwise grants to everybody on new functions and types.
--
-- Two settings identify the caller of a request. They are local to the transaction, and the
-- function that begins a request writes them:
--   hearth.user_id      the subject: the account itself, or the managed member that it acts for
--   hearth.guardian_id  the account, while it acts for a managed member; otherwise empty
-- (For reads of several callers at once, hearth.callers replaces them: batches.sql.) After the
-- transaction such a setting is '' and not null, so the functions use nullif. Without the settings
-- all three functions return null, and a comparison with null lets no row through.
--
-- Storage parameters of the tables in all files: by default a table is vacuumed when a fifth of its
-- rows are dead, and analysed when a tenth have changed: a table of eight million members is
-- vacuumed only after 1.6 million dead rows. By then the table and its indexes have grown and do
-- not shrink again; scans that an index could answer alone have to read the table, because its
-- pages are not marked as visible to all; and the planner relies on outdated sizes. So tables that
-- grow with the number of people and families are vacuumed when a fiftieth of the rows are dead:
-- often, and a little each time. Tables whose rows come and go are vacuumed when a twentieth of the
-- rows are dead, because the entries of purged rows stay in the index that the purge reads, until
-- the next vacuum. Such a table holds the rows of a week or a month, so a vacuum runs about once
-- for each day's purge. The thresholds keep small databases from being vacuumed all the time.
--
-- Locks: none that anybody waits for. This file and those up to 0018 build a new database.

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;

CREATE SCHEMA app;
CREATE SCHEMA api;
CREATE SCHEMA gateway;
CREATE SCHEMA jobs;

COMMENT ON SCHEMA app IS 'Tables of Hearth, and the functions and views of its own services.';
COMMENT ON SCHEMA api IS 'Views for direct clients; row-level security decides what they show.';
COMMENT ON SCHEMA gateway IS 'Begins the request of a direct client.';
COMMENT ON SCHEMA jobs IS 'The job queue; it does not depend on the contents of jobs.';

GRANT USAGE ON SCHEMA app TO hearth_api, hearth_worker, hearth_admin;
GRANT CREATE ON SCHEMA app TO hearth_authz;
GRANT USAGE ON SCHEMA api, gateway TO authenticated;
GRANT USAGE ON SCHEMA jobs TO hearth_api, hearth_worker, hearth_admin;

-- Policies depend on these three functions, so they are defined here and not in a repeatable file.
-- PostgreSQL binds an SQL body (RETURN) when the function is created, and the planner inlines it:
-- such a function needs no pinned search path, and calling it costs nothing.

CREATE FUNCTION app.user_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('hearth.user_id', true), '')::uuid;

COMMENT ON FUNCTION app.user_id() IS 'The subject of the request, or null.';

CREATE FUNCTION app.actor_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(
    nullif(current_setting('hearth.guardian_id', true), ''),
    nullif(current_setting('hearth.user_id', true), ''))::uuid;

COMMENT ON FUNCTION app.actor_id() IS 'The account that is signed in, or null.';

-- Policies use this function for rights that an account does not have while it acts for a child.
CREATE FUNCTION app.account_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
    WHEN coalesce(current_setting('hearth.guardian_id', true), '') = ''
    THEN nullif(current_setting('hearth.user_id', true), '')::uuid
END;

COMMENT ON FUNCTION app.account_id() IS 'The signed-in account while it acts as itself, or null.';

GRANT EXECUTE ON FUNCTION app.user_id(), app.actor_id(), app.account_id()
    TO hearth_api, hearth_worker, hearth_admin, hearth_authz, authenticated;
