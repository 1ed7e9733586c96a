-- Begins the request of a direct client: PostgREST calls this ahead of every statement
-- (db-pre-request), as the role of the token and with its verified claims in request.jwt.claims.
--
-- PostgREST has checked the signature; whose tokens count is decided here again, by the table of
-- trusted issuers, so that a key shared with something else opens nothing. Refused: other issuers
-- and audiences, other database roles, service and anonymous keys. An anonymous user begins
-- nothing, and so reads its own empty state.
--
-- Errors are PTnnn, which PostgREST turns into HTTP status nnn.
--
-- Locks: none, all objects are new. At run time, at first sight of a sign-in: see see_user.

-- Whether the issuer vouches for the address. Never from user_metadata, which users write.
CREATE FUNCTION gateway.email_is_verified(p_kind text, p_emails_confirmed boolean, p_claims jsonb)
RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(CASE p_kind
    WHEN 'supabase' THEN p_emails_confirmed
    WHEN 'apple' THEN p_claims ->> 'email_verified' = 'true'
    ELSE p_claims -> 'email_verified' = 'true'::jsonb
END AND p_claims ->> 'email' IS NOT NULL, false);

CREATE FUNCTION gateway.is_for_us(p_audiences text[], p_claims jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(CASE jsonb_typeof(p_claims -> 'aud')
    WHEN 'string' THEN p_claims ->> 'aud' = ANY (p_audiences)
    WHEN 'array' THEN p_claims -> 'aud' ?| p_audiences
    ELSE p_claims ->> 'client_id' = ANY (p_audiences)
END, false);

CREATE FUNCTION gateway.acting_as() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_header constant text :=
        nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-acting-as-member';
BEGIN
    IF v_header IS NULL THEN
        RETURN NULL;
    ELSIF v_header !~* '^(managed_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'PT400', MESSAGE = 'X-Acting-As-Member is malformed.';
    END IF;
    RETURN right(v_header, 36)::uuid;
END $$;

CREATE FUNCTION gateway.begin_request() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
    v_issuer app.trusted_issuers;
    v_adopt uuid;
    v_subject text := v_claims ->> 'sub';
    v_hash bytea;
    v_email constant text := app.normalised_email(v_claims ->> 'email');
    v_verified boolean;
    v_acting constant uuid := gateway.acting_as();
    v_outcome text;
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    SELECT i.* INTO v_issuer FROM app.trusted_issuers AS i WHERE i.issuer = v_claims ->> 'iss';
    IF current_setting('role', true) IS DISTINCT FROM 'authenticated'
        OR coalesce(v_claims ->> 'role', 'authenticated') <> 'authenticated'
        OR v_issuer.issuer IS NULL OR coalesce(v_subject, '') = ''
        OR octet_length(v_subject) > 512
        OR NOT gateway.is_for_us(v_issuer.audiences, v_claims) THEN
        RAISE EXCEPTION USING ERRCODE = 'PT401', MESSAGE = 'This token is not accepted here.';
    END IF;
    IF v_claims -> 'is_anonymous' = 'true'::jsonb THEN
        RETURN;
    END IF;
    IF v_issuer.is_primary
        AND v_subject ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
        v_subject := lower(v_subject);
        v_adopt := v_subject::uuid;
    END IF;
    v_hash := sha256(convert_to(v_issuer.issuer || E'\n' || v_subject, 'UTF8'));
    v_verified := gateway.email_is_verified(v_issuer.kind, v_issuer.emails_confirmed, v_claims);
    SELECT b.outcome INTO v_outcome
        FROM app.begin_request(v_issuer.issuer, v_hash, v_email, v_verified, v_acting) AS b;
    IF v_outcome IN ('unknown', 'stale')
        AND current_setting('transaction_read_only') = 'off' THEN
        SELECT s.outcome INTO v_outcome FROM app.see_user(
            v_issuer.issuer, v_hash, v_adopt, v_email, v_verified,
            coalesce(v_claims -> 'user_metadata' ->> 'full_name', v_claims ->> 'name'),
            v_claims -> 'user_metadata' ->> 'role', v_acting) AS s;
    ELSIF v_outcome = 'stale' THEN
        -- A read can't refresh the user; it goes on as the user that it is.
        SELECT b.outcome INTO v_outcome
            FROM app.begin_request(v_issuer.issuer, v_hash, NULL, NULL, v_acting) AS b;
    END IF;
    IF v_outcome = 'acting_refused' OR (v_outcome <> 'known' AND v_acting IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'PT403', MESSAGE = 'Not allowed to act for this member.';
    END IF;
END $$;

COMMENT ON FUNCTION gateway.begin_request() IS
    'Begins the request of a direct client; PostgREST''s db-pre-request.';

GRANT EXECUTE ON FUNCTION gateway.begin_request() TO authenticated;
