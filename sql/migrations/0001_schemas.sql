-- Draws the rooms that everything later stands in, and shuts them.
--
--   app      tables, and the functions and views of Hearth's own services
--   api      what a direct client (PostgREST, Supabase) sees: views, nothing else
--   gateway  the function that begins a direct client's request; `authenticated` can look up
--            nothing in `app`, so what it calls by name has to stand here
--
-- PUBLIC gets nothing: what is created from here on is born without the EXECUTE and USAGE that
-- PostgreSQL grants to everybody by default.
--
-- Errors that functions raise on purpose have an SQLSTATE of class HF, named after the HTTP status
-- that it becomes, and the machine-readable reason in the field CONSTRAINT, where the name of a
-- violated constraint stands too: one look-up serves both.
--   HF400 not acceptable   HF401 nobody is signed in   HF403 refused   HF404 absent, or not yours
--   HF409 in the way of the present state   HF410 over   HF429 too often
--
-- Locks: none, all objects are new.

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC;

CREATE SCHEMA app;
CREATE SCHEMA api;
CREATE SCHEMA gateway;

COMMENT ON SCHEMA app IS 'Tables of Hearth, and what its own services may call.';
COMMENT ON SCHEMA api IS 'Views for direct clients; row-level security decides what they show.';
COMMENT ON SCHEMA gateway IS 'Begins the request of a direct client.';

GRANT USAGE ON SCHEMA app TO hearth_api, hearth_worker, hearth_admin;
GRANT USAGE ON SCHEMA api, gateway TO authenticated;

-- The reasons are a closed list in the application; this is the only place that raises them.
CREATE FUNCTION app.refuse(p_state text, p_reason text, p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = p_state, CONSTRAINT = p_reason, MESSAGE = p_message;
END $$;

COMMENT ON FUNCTION app.refuse(text, text, text) IS
    'Raises an error of class HF: state, reason (as constraint name), sentence for people.';
