-- Which of Cognito's two kinds of token an issuer's direct clients may bring, as the API has it.
--
-- An access token says nothing of e-mail, and is handed to more programs than an id token: who
-- trusts one kind only must not be brought the other by the direct path.
--
-- Locks: ACCESS EXCLUSIVE on app.trusted_issuers for a moment; it has a few rows.

ALTER TABLE app.trusted_issuers
    ADD COLUMN token_use text,
    ADD CONSTRAINT trusted_issuers_token_use_known CHECK (token_use IN ('id', 'access')),
    ADD CONSTRAINT trusted_issuers_token_use_is_cognitos CHECK (
        token_use IS NULL OR kind = 'cognito');

COMMENT ON COLUMN app.trusted_issuers.token_use IS
    'What a token of Cognito''s must be for; null: either. ''hearth-admin issuers apply'' sets it.';

-- As before, and the token's use. That it has one of the two is seen to by gateway.is_for_us.
CREATE OR REPLACE FUNCTION gateway.begin_request() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
    v_issuer app.trusted_issuers;
    v_subject text;
    v_hash bytea;
    v_email text;
    v_verified boolean;
    v_issued_at bigint;
    v_acting constant uuid := gateway.acting_as();
    v_outcome text;
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    SELECT i.* INTO v_issuer FROM app.trusted_issuers AS i WHERE i.issuer = v_claims ->> 'iss';
    IF current_setting('role', true) IS DISTINCT FROM 'authenticated'
        OR coalesce(v_claims ->> 'role', 'authenticated') <> 'authenticated'
        OR v_issuer.issuer IS NULL
        OR NOT gateway.is_for_us(v_issuer.kind, v_issuer.audiences, v_claims)
        OR v_issuer.token_use <> v_claims ->> 'token_use' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_subject := gateway.subject(v_issuer.is_primary, v_claims);
    v_email := app.normalised_email(gateway.text_claim(v_claims, 'email'));
    v_issued_at := gateway.issue_time(v_claims);
    IF gateway.is_anonymous(v_issuer.kind, v_claims) THEN
        RETURN;
    END IF;
    v_hash := sha256(convert_to(v_issuer.issuer || E'\n' || v_subject, 'UTF8'));
    -- An address that isn't stored can't be verified: as the API has it.
    v_verified := v_email IS NOT NULL
        AND gateway.email_is_verified(v_issuer.kind, v_issuer.emails_confirmed, v_claims);
    SELECT b.outcome INTO v_outcome
        FROM app.begin_request(v_issuer.issuer, v_hash, v_email, v_verified, v_acting) AS b;
    IF v_outcome IN ('unknown', 'stale')
        AND current_setting('transaction_read_only') = 'off' THEN
        SELECT s.outcome INTO v_outcome FROM app.see_user(
            v_issuer.issuer, v_hash, CASE WHEN v_issuer.is_primary THEN v_subject::uuid END,
            v_email, v_verified, gateway.name_claim(v_issuer.kind, v_claims),
            CASE v_issuer.kind WHEN 'supabase'
                THEN gateway.text_or_null(v_claims -> 'user_metadata' -> 'role') END,
            v_acting, v_issued_at) AS s;
    ELSIF v_outcome = 'stale' THEN
        -- A read can't refresh the user; it goes on as the user that it is.
        SELECT b.outcome INTO v_outcome
            FROM app.begin_request(v_issuer.issuer, v_hash, NULL, NULL, v_acting) AS b;
    END IF;
    IF v_outcome = 'acting_refused' OR (v_outcome <> 'known' AND v_acting IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'PT403', MESSAGE = 'Not allowed to act for this member.';
    END IF;
END $$;
