-- Who the request is for, as every policy reads it.
--
-- Two settings, local to the transaction, written by the function that begins a request:
--   hearth.user_id      the subject: the account, or the managed member being acted for
--   hearth.guardian_id  the account that acts for the subject; empty while nobody does
-- After a commit a setting is '' and not null: hence nullif. Unset, all three answer null, and no
-- comparison with null lets a row through.
--
-- SQL bodies are bound when the function is created, and are inlined by the planner: they need no
-- pinned search path and cost no call.
--
-- Locks: none, all objects are new.

CREATE FUNCTION app.user_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('hearth.user_id', true), '')::uuid;

CREATE FUNCTION app.actor_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(
    nullif(current_setting('hearth.guardian_id', true), ''),
    nullif(current_setting('hearth.user_id', true), ''))::uuid;

-- Rights that are not passed on while acting are asked of this one.
CREATE FUNCTION app.account_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
    WHEN coalesce(current_setting('hearth.guardian_id', true), '') = ''
    THEN nullif(current_setting('hearth.user_id', true), '')::uuid
END;

COMMENT ON FUNCTION app.user_id() IS 'The subject of the request, or null.';
COMMENT ON FUNCTION app.actor_id() IS 'The account that is signed in, or null.';
COMMENT ON FUNCTION app.account_id() IS 'The signed-in account while it acts as itself, or null.';

GRANT EXECUTE ON FUNCTION app.user_id(), app.actor_id(), app.account_id()
    TO hearth_api, hearth_worker, hearth_admin, hearth_authz, authenticated;

-- The account that may change something: refused while acting, and to nobody at all.
CREATE FUNCTION app.require_account() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.user_id() IS NULL THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    ELSIF app.account_id() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_while_acting', 'Not while acting for a member.');
    END IF;
    RETURN app.account_id();
END $$;

-- Trim, NFC, lower-case of ASCII letters only: look-alikes never match. Null for what can't be an
-- address, so that an odd claim in a token never stands in the way of signing in.
CREATE FUNCTION app.normalised_email(p_email text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT e FROM (
        SELECT translate(
            normalize(btrim(p_email, E' \t\r\n'), NFC),
            'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') AS e
    ) AS n
    WHERE e ~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$' AND octet_length(e) <= 254
        -- Signs that NFC turns into ASCII ones, the Kelvin sign first: they would make the address
        -- somebody else's.
        AND p_email !~ U&'[\212A\037E\1FEF]');

-- Null when nothing is left; bounded, free of control characters.
CREATE FUNCTION app.normalised_name(p_name text, p_limit integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(
    btrim(left(btrim(normalize(regexp_replace(p_name, '[[:cntrl:]]+', ' ', 'g'), NFC)), p_limit)),
    '');
