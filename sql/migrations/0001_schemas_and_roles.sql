-- The schemas, who may look into them, and whom a request is for.
--
--   app      tables, and the functions and views of Hearth's own services
--   api      what a direct client (PostgREST, Supabase) sees: views, nothing else
--   gateway  the function that begins a direct client's request; `authenticated` can look up
--            nothing in `app`, so what it calls by name has to stand here
--   jobs     the job queue
--
-- The roles are made by 'hearth-migrate bootstrap' from hearth-migrate.json.
--
-- PUBLIC gets nothing: objects are born without the EXECUTE and USAGE that PostgreSQL grants to
-- everybody by default.
--
-- Whom a request is for stands in two settings, local to the transaction, written by the function
-- that begins a request:
--   hearth.user_id      the subject: the account, or the managed member being acted for
--   hearth.guardian_id  the account that acts for the subject; empty while nobody does
-- After a commit a setting is '' and not null: hence nullif. Unset, all three functions answer
-- null, and no comparison with null lets a row through.
--
-- Locks: none, all objects are new.

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;

CREATE SCHEMA app;
CREATE SCHEMA api;
CREATE SCHEMA gateway;
CREATE SCHEMA jobs;

COMMENT ON SCHEMA app IS 'Tables of Hearth, and what its own services may call.';
COMMENT ON SCHEMA api IS 'Views for direct clients; row-level security decides what they show.';
COMMENT ON SCHEMA gateway IS 'Begins the request of a direct client.';
COMMENT ON SCHEMA jobs IS 'The job queue; knows nothing of what the jobs are about.';

GRANT USAGE ON SCHEMA app TO hearth_api, hearth_worker, hearth_admin;
-- It owns the views that read across families; nobody signs in as it, and no code runs as it.
GRANT CREATE ON SCHEMA app TO hearth_authz;
GRANT USAGE ON SCHEMA api, gateway TO authenticated;
GRANT USAGE ON SCHEMA jobs TO hearth_api, hearth_worker, hearth_admin;

-- Policies rest on these three, so they stand here and not in a repeatable file. SQL bodies are
-- bound when the function is created, and are inlined by the planner: they need no pinned search
-- path and cost no call.

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

-- Rights that are not passed on while acting are asked of this one.
CREATE FUNCTION app.account_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
    WHEN coalesce(current_setting('hearth.guardian_id', true), '') = ''
    THEN nullif(current_setting('hearth.user_id', true), '')::uuid
END;

COMMENT ON FUNCTION app.account_id() IS 'The signed-in account while it acts as itself, or null.';

GRANT EXECUTE ON FUNCTION app.user_id(), app.actor_id(), app.account_id()
    TO hearth_api, hearth_worker, hearth_admin, hearth_authz, authenticated;
