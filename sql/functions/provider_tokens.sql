-- Refresh tokens of identity providers: store, check, revoke.
--
-- The programs encrypt and decrypt the tokens, and ask the provider. A check is claimed before it
-- is made, so that only one of many concurrent refreshes asks the provider. A claim without a
-- result is repeated an hour later.

-- Stores the token that came with a sign-in of the caller's account, in place of an earlier one.
CREATE OR REPLACE FUNCTION app.store_provider_token(
    p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    INSERT INTO app.provider_tokens AS p
            (issuer, subject_hash, client, user_id, sealed, check_at)
        SELECT i.issuer, i.subject_hash, p_client, i.user_id, p_sealed,
            now() + app.provider_check_time()
        FROM app.user_identities AS i
        WHERE i.issuer = p_issuer AND i.subject_hash = p_subject_hash AND i.user_id = v_account
        ON CONFLICT (subject_hash, issuer) DO UPDATE SET client = excluded.client,
            user_id = excluded.user_id, sealed = excluded.sealed, obtained_at = now(),
            check_at = excluded.check_at;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
END $$;

COMMENT ON FUNCTION app.store_provider_token(text, bytea, text, bytea) IS
    'Stores a provider''s refresh token of the caller''s account.';

-- Claims the check of a token that is due, when a session is refreshed that began with a token of
-- the same issuer. Returns at most one row.
CREATE OR REPLACE FUNCTION app.claim_provider_check(p_session uuid)
RETURNS TABLE (token uuid, issuer text, client text, sealed bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
    UPDATE app.provider_tokens AS p SET check_at = now() + interval '1 hour'
        FROM app.sessions AS s
        WHERE s.id = p_session AND s.user_id = app.account_id() AND s.ended_at IS NULL
            AND p.id = (
                SELECT o.id FROM app.provider_tokens AS o
                WHERE o.user_id = s.user_id AND o.issuer = s.issuer 
                    AND app.is_due(o.check_at, app.provider_check_time())
                ORDER BY o.check_at, o.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING p.id, p.issuer, p.client, p.sealed;
END $$;

COMMENT ON FUNCTION app.claim_provider_check(uuid) IS
    'Claims a provider''s refresh token that is due to be checked; at most one row.';

-- Records the provider's response about a token of the caller's account. If the person has
-- withdrawn the app's access, the token is deleted, and the sessions that began with this provider
-- end.
CREATE OR REPLACE FUNCTION app.record_provider_check(p_token uuid, p_is_valid boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_issuer text;
BEGIN
    IF p_is_valid THEN
        UPDATE app.provider_tokens AS p SET check_at = now() + app.provider_check_time()
            WHERE p.id = p_token AND p.user_id = v_account;
        RETURN;
    END IF;
    DELETE FROM app.provider_tokens AS p WHERE p.id = p_token AND p.user_id = v_account
        RETURNING p.issuer INTO v_issuer;
    UPDATE app.sessions AS s SET ended_at = clock_timestamp(), end_reason = 'provider'
        WHERE s.user_id = v_account AND s.issuer = v_issuer AND s.ended_at IS NULL
            AND s.ends_at > now();
END $$;

COMMENT ON FUNCTION app.record_provider_check(uuid, boolean) IS
    'Records a provider''s response about a refresh token of the caller''s account.';

-- Enqueues jobs that revoke the tokens of an account at the provider: all tokens, or those of one
-- sign-in if p_subject_hash is not null. A job names only the token.
CREATE OR REPLACE FUNCTION app.revoke_provider_tokens(p_user uuid, p_subject_hash bytea)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_token uuid;
BEGIN
    FOR v_token IN
        UPDATE app.provider_tokens AS p SET user_id = NULL, subject_hash = NULL
            WHERE p.user_id = p_user
                AND p.subject_hash = coalesce(p_subject_hash, p.subject_hash)
            RETURNING p.id
    LOOP
        PERFORM jobs.enqueue(
            'providers', 'provider.revoke', NULL, jsonb_build_object('token', v_token),
            p_unique_key => v_token::text);
    END LOOP;
END $$;

-- Returns the token that a job is to revoke; no row if it is revoked already.
CREATE OR REPLACE FUNCTION app.provider_token_to_revoke(p_token uuid)
RETURNS TABLE (issuer text, client text, sealed bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT p.issuer, p.client, p.sealed FROM app.provider_tokens AS p
    WHERE p.id = p_token AND p.user_id IS NULL
$$;

-- Deletes a token that was revoked.
CREATE OR REPLACE FUNCTION app.delete_provider_token(p_token uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    DELETE FROM app.provider_tokens AS p WHERE p.id = p_token AND p.user_id IS NULL
$$;

GRANT EXECUTE ON FUNCTION
    app.store_provider_token(text, bytea, text, bytea), app.claim_provider_check(uuid),
    app.record_provider_check(uuid, boolean)
    TO hearth_api;
GRANT EXECUTE ON FUNCTION app.provider_token_to_revoke(uuid), app.delete_provider_token(uuid)
    TO hearth_worker;
