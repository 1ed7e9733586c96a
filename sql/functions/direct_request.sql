-- Begins the request of a direct client. PostgREST calls this (db-pre-request) at the start of each
-- request's transaction, as the token's role and with its verified claims in request.jwt.claims.
--
-- PostgREST has verified the signature. The table of trusted issuers decides again which tokens are
-- accepted, so that a key shared with another service gives no access. Tokens of other issuers and
-- audiences, with other database roles, and service and anonymous keys are refused. The request of
-- an anonymous user does not begin, so it reads no rows. A token is refused, too, if an account of
-- its sign-in was erased after the token was issued.
--
-- Tokens are read as in Hearth's API (module Identity); tests compare the two. Errors are PTnnn,
-- which PostgREST turns into HTTP status nnn.

CREATE OR REPLACE FUNCTION gateway.refuse_token() RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'PT401', MESSAGE = 'This token is not accepted here.';
END $$;

-- Returns a text claim; null if it is absent, null or empty. Refuses other types.
CREATE OR REPLACE FUNCTION gateway.text_claim(p_claims jsonb, p_name text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF jsonb_typeof(p_claims -> p_name) NOT IN ('string', 'null') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN nullif(p_claims ->> p_name, '');
END $$;

-- Returns a value of the token; null if it is not a text, or is empty.
CREATE OR REPLACE FUNCTION gateway.text_or_null(p_value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE jsonb_typeof(p_value) WHEN 'string' THEN nullif(p_value #>> '{}', '') END;

-- Whether the issuer has verified the address. It never reads user_metadata, which users can write.
CREATE OR REPLACE FUNCTION gateway.email_is_verified(
    p_kind text, p_emails_confirmed boolean, p_claims jsonb)
RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(CASE p_kind
    WHEN 'supabase' THEN p_emails_confirmed
    WHEN 'apple' THEN p_claims ->> 'email_verified' = 'true'
    ELSE p_claims -> 'email_verified' = 'true'::jsonb
END AND p_claims ->> 'email' IS NOT NULL, false);

-- Cognito's access tokens have their audience in client_id.
CREATE OR REPLACE FUNCTION gateway.audience_matches(p_kind text, p_audiences text[], p_claims jsonb)
RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(CASE
    WHEN p_kind = 'cognito' AND p_claims -> 'token_use' = '"access"'::jsonb
        THEN gateway.text_or_null(p_claims -> 'client_id') = ANY (p_audiences)
    WHEN p_kind = 'cognito' AND p_claims -> 'token_use' IS DISTINCT FROM '"id"'::jsonb THEN false
    WHEN jsonb_typeof(p_claims -> 'aud') = 'array' THEN p_claims -> 'aud' ?| p_audiences
    ELSE gateway.text_or_null(p_claims -> 'aud') = ANY (p_audiences)
END, false);

-- The time of issue in seconds since 1970, or null. PostgREST has compared the token's times with
-- the clock. The time of issue is checked again, with 60 seconds of leeway, because otherwise no
-- later token could replace the data of a token from the future.
CREATE OR REPLACE FUNCTION gateway.issue_time(p_claims jsonb) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_seconds numeric;
BEGIN
    IF NOT p_claims ? 'iat' THEN
        RETURN NULL;
    ELSIF jsonb_typeof(p_claims -> 'iat') <> 'number' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_seconds := floor((p_claims ->> 'iat')::numeric);
    IF v_seconds > extract(epoch FROM clock_timestamp()) + 60 THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN greatest(v_seconds, 0);
END $$;

-- The subject: 1 to 255 characters without controls. From a primary issuer it is a UUID, returned
-- in lower case.
CREATE OR REPLACE FUNCTION gateway.subject(p_is_primary boolean, p_claims jsonb) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_subject constant text := gateway.text_claim(p_claims, 'sub');
BEGIN
    IF v_subject IS NULL OR char_length(v_subject) > 255 OR v_subject ~ '[\u0001-\u001F\u007F]'
        OR (p_is_primary
            AND v_subject !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN CASE WHEN p_is_primary THEN lower(v_subject) ELSE v_subject END;
END $$;

-- Only Supabase has anonymous users; its claim is refused if it is not a boolean.
CREATE OR REPLACE FUNCTION gateway.is_anonymous(p_kind text, p_claims jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF p_kind = 'supabase'
        AND jsonb_typeof(p_claims -> 'is_anonymous') NOT IN ('boolean', 'null') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN p_kind = 'supabase' AND coalesce(p_claims -> 'is_anonymous' = 'true'::jsonb, false);
END $$;

CREATE OR REPLACE FUNCTION gateway.refuse_blocked() RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'PT403', MESSAGE = 'This account is blocked.';
END $$;

-- The name in the token, which is the default for a user without a name. A name without acceptable
-- characters is treated as absent.
CREATE OR REPLACE FUNCTION gateway.name_claim(p_kind text, p_claims jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE p_kind
    WHEN 'supabase' THEN coalesce(
        app.normalised_name(
            gateway.text_or_null(p_claims -> 'user_metadata' -> 'full_name'), 80),
        app.normalised_name(gateway.text_or_null(p_claims -> 'user_metadata' -> 'name'), 80))
    ELSE app.normalised_name(gateway.text_or_null(p_claims -> 'name'), 80)
END;

-- The member for whom the request acts; null without the header.
CREATE OR REPLACE FUNCTION gateway.acting_as() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_header constant text :=
        nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-acting-as-member';
BEGIN
    IF v_header !~* '^(managed_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'PT400', MESSAGE = 'X-Acting-As-Member is malformed.';
    END IF;
    RETURN right(v_header, 36)::uuid;
END $$;

-- Begins a request whose token Hearth has issued; the session identifies the account, not a
-- sign-in. Delegated tokens (`act`) are for services that understand them, and are refused here.
CREATE OR REPLACE FUNCTION gateway.begin_session(p_claims jsonb, p_acting uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_uuid constant text := '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
    v_session constant text := gateway.text_claim(p_claims, 'sid');
    v_user constant text := gateway.text_claim(p_claims, 'sub');
    v_outcome text;
BEGIN
    -- The subject is not null: gateway.subject has checked it.
    IF v_session IS NULL OR v_session !~ v_uuid OR v_user !~ v_uuid OR p_claims ? 'act' THEN
        PERFORM gateway.refuse_token();
    END IF;
    SELECT b.outcome INTO v_outcome
        FROM app.begin_session(v_session::uuid, v_user::uuid, p_acting) AS b;
    IF v_outcome = 'session_ended' THEN
        IF EXISTS (
            SELECT FROM app.sessions AS s
            WHERE s.id = v_session::uuid AND s.user_id = v_user::uuid
                AND app.is_blocked(s.user_id)) THEN
            PERFORM gateway.refuse_blocked();
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'PT401', MESSAGE = 'This session has ended.';
    END IF;
    RETURN v_outcome;
END $$;

-- Makes the commit of a request that may change something wait for the synchronous standby, if
-- there is one, even if the request changes nothing. PostgREST makes reads read-only.
CREATE OR REPLACE FUNCTION gateway.wait_for_standby() RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    SELECT pg_catalog.pg_logical_emit_message(true, 'hearth', '')
    WHERE current_setting('synchronous_standby_names') <> ''
        AND current_setting('transaction_read_only') = 'off'
$$;

-- Comparing token_use gives null for a token without it. audience_matches refuses such a token if
-- it is Cognito's.
CREATE OR REPLACE FUNCTION gateway.begin_request() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
    v_issuer app.trusted_issuers;
    v_subject text;
    v_hash bytea;
    v_email text;
    v_verified boolean;
    v_name text;
    v_issued_at bigint;
    v_acting constant uuid := gateway.acting_as();
    v_outcome text;
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    SELECT i.* INTO v_issuer FROM app.trusted_issuers AS i WHERE i.issuer = v_claims ->> 'iss';
    IF current_setting('role', true) IS DISTINCT FROM 'authenticated'
        OR coalesce(v_claims ->> 'role', 'authenticated') <> 'authenticated'
        OR v_issuer.issuer IS NULL
        OR NOT gateway.audience_matches(v_issuer.kind, v_issuer.audiences, v_claims)
        OR v_issuer.token_use <> v_claims ->> 'token_use' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_subject := gateway.subject(v_issuer.is_primary, v_claims);
    v_email := app.normalised_email(gateway.text_claim(v_claims, 'email'));
    v_issued_at := gateway.issue_time(v_claims);
    IF v_issuer.kind = 'hearth' THEN
        v_outcome := gateway.begin_session(v_claims, v_acting);
    ELSIF gateway.is_anonymous(v_issuer.kind, v_claims) THEN
        -- Without an account the request can't act for any member, even if it names one.
        v_outcome := 'acting_refused';
    ELSE
        v_hash := sha256(convert_to(v_issuer.issuer || E'\n' || v_subject, 'UTF8'));
        -- As in the API, an address that is not stored does not count as verified.
        v_verified := v_email IS NOT NULL
            AND gateway.email_is_verified(v_issuer.kind, v_issuer.emails_confirmed, v_claims);
        v_name := gateway.name_claim(v_issuer.kind, v_claims);
        SELECT b.outcome INTO v_outcome FROM app.begin_request(
            v_issuer.issuer, v_hash, v_email, v_verified, v_name IS NOT NULL, v_acting) AS b;
    END IF;
    IF v_outcome IN ('unknown', 'stale') AND app.was_erased(v_hash, v_issued_at) THEN
        PERFORM gateway.refuse_token();
    END IF;
    IF v_outcome IN ('unknown', 'stale')
        AND current_setting('transaction_read_only') = 'off' THEN
        SELECT s.outcome INTO v_outcome FROM app.upsert_user(
            v_issuer.issuer, v_hash, CASE WHEN v_issuer.is_primary THEN v_subject::uuid END,
            v_email, v_verified, v_name,
            CASE v_issuer.kind WHEN 'supabase'
                THEN gateway.text_or_null(v_claims -> 'user_metadata' -> 'role') END,
            v_acting, v_issued_at, v_issuer.links_verified_addresses) AS s;
    ELSIF v_outcome = 'stale' THEN
        -- A read can't update the user, so it continues with the stored data.
        SELECT b.outcome INTO v_outcome
            FROM app.begin_request(v_issuer.issuer, v_hash, NULL, NULL, NULL, v_acting) AS b;
    END IF;
    IF v_outcome = 'blocked' THEN
        PERFORM gateway.refuse_blocked();
    END IF;
    IF v_outcome <> 'known' AND v_acting IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'PT403', MESSAGE = 'Not allowed to act for this member.';
    END IF;
    PERFORM gateway.wait_for_standby();
END $$;

COMMENT ON FUNCTION gateway.begin_request() IS
    'Begins the request of a direct client; PostgREST''s db-pre-request.';

GRANT EXECUTE ON FUNCTION gateway.begin_request() TO authenticated;
