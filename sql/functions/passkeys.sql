-- Passkeys: add one to an account, sign in with it, list and remove passkeys. The programs verify
-- the responses of authenticators. The database stores the public keys, and ensures that each
-- challenge is accepted only once, and that no signature counter decreases.
--
-- Locks: the account, then its passkeys and sessions.

CREATE OR REPLACE FUNCTION app.passkey_buckets(p_address text, p_network text) RETURNS text[]
LANGUAGE sql IMMUTABLE
RETURN ARRAY['passkey:address:' || p_address, 'passkey:network:' || p_network];

-- Counts an attempt to sign in, in a transaction of its own. Returns a row if a limit is
-- reached; then the response is not verified.
CREATE OR REPLACE FUNCTION app.reserve_passkey_attempt(p_address text, p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT r.* FROM app.reserve_hits(
        app.passkey_buckets(p_address, p_network),
        ARRAY[app.max_passkey_attempts_of_address(), app.max_passkey_attempts_of_network()],
        app.password_attempts_window()) AS r;
END $$;

-- Marks a challenge as answered. Refuses one that has expired or was answered before.
CREATE OR REPLACE FUNCTION app.answer_challenge(p_challenge_hash bytea, p_expires timestamptz)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    INSERT INTO app.answered_challenges (challenge_hash, expires_at)
        SELECT p_challenge_hash, p_expires WHERE p_expires > clock_timestamp()
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF410', 'challenge_expired',
            'This took too long, or was sent before. Start again.');
    END IF;
END $$;

-- Data with which a response is verified, and whether its challenge was answered before. Returns no
-- row if no account has this credential.
CREATE OR REPLACE FUNCTION app.passkey_of_credential(
    p_credential_id bytea, p_challenge_hash bytea)
RETURNS TABLE (
    id uuid, user_id uuid, handle uuid, public_key bytea, counter bigint,
    is_backup_eligible boolean, is_answered boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT k.id, k.user_id, coalesce(k.handle, k.user_id), k.public_key, k.counter,
        k.is_backup_eligible, EXISTS (
        SELECT FROM app.answered_challenges AS a WHERE a.challenge_hash = p_challenge_hash)
    FROM app.passkeys AS k
    WHERE sha256(k.credential_id) = sha256(p_credential_id) AND k.credential_id = p_credential_id
$$;

-- Opens a session for the owner of a passkey whose response was verified, and releases the attempt.
-- Returns no row if the passkey has changed since it was read: it was removed, or another response
-- has raised its counter or shown that it may be backed up. If the account's id has changed since
-- then, the session uses the new id.
--
-- If the passkey may be backed up from now on, this is recorded, and an e-mail to its owner is
-- enqueued with the payload p_mail.
CREATE OR REPLACE FUNCTION app.sign_in_by_passkey(
    p_passkey uuid, p_user uuid, p_counter bigint, p_is_backup_eligible boolean,
    p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamptz,
    p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea,
    p_mail jsonb
) RETURNS TABLE (user_id uuid, started_at timestamptz, lasts_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_user uuid := p_user;
    v_was_eligible boolean;
BEGIN
    PERFORM app.answer_challenge(p_challenge_hash, p_challenge_expires);
    PERFORM FROM app.users AS u WHERE u.id = v_user AND u.deleted_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        v_user := app.account_of_former_id(p_user);
        PERFORM FROM app.users AS u WHERE u.id = v_user AND u.deleted_at IS NULL FOR SHARE;
    END IF;
    SELECT k.is_backup_eligible INTO v_was_eligible FROM app.passkeys AS k
        WHERE k.id = p_passkey AND k.user_id = v_user FOR NO KEY UPDATE;
    UPDATE app.passkeys AS k
        SET counter = p_counter, is_backup_eligible = p_is_backup_eligible,
            is_backed_up = p_is_backed_up, last_used_at = now()
        WHERE k.id = p_passkey AND k.user_id = v_user
            AND (p_is_backup_eligible OR NOT k.is_backup_eligible)
            AND (k.counter < p_counter OR (k.counter = 0 AND p_counter = 0));
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF p_is_backup_eligible AND NOT v_was_eligible THEN
        PERFORM jobs.enqueue('mail', 'mail.passkey_synced', NULL,
            p_mail || jsonb_build_object('recipient', v_user));
    END IF;
    PERFORM app.open_session(p_session, v_user, 'passkey', NULL, p_device, p_token_hash, NULL);
    PERFORM app.release_hits(app.passkey_buckets(p_address, p_network));
    user_id := v_user;
    started_at := now();
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.sign_in_by_passkey(
    uuid, uuid, bigint, boolean, boolean, bytea, timestamptz, text, text, uuid, text, bytea,
    jsonb) IS
    'Opens a session for the owner of a passkey whose response was verified.';

-- Account that gets a new passkey, and whether the sign-in is recent enough to add one.
CREATE OR REPLACE FUNCTION app.my_passkey_account(p_token_issued_at bigint)
RETURNS TABLE (id uuid, email text, full_name text, is_fresh boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT u.id, u.email, u.full_name,
        app.is_recent_sign_in(p_token_issued_at)
    FROM app.users AS u WHERE u.id = app.account_id() AND u.deleted_at IS NULL
$$;

-- Passkeys of the account, the oldest first.
CREATE OR REPLACE FUNCTION app.my_passkeys()
RETURNS TABLE (
    id uuid, credential_id bytea, label text, transports text[], is_backed_up boolean,
    created_at timestamptz, last_used_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT k.id, k.credential_id, k.label, k.transports, k.is_backed_up, k.created_at,
        k.last_used_at
    FROM app.passkeys AS k WHERE k.user_id = app.account_id()
    ORDER BY k.created_at, k.id LIMIT 100
$$;

-- Adds a passkey to the caller's account, and enqueues an e-mail to the owner with the payload
-- p_mail. Returns the passkey's id.
CREATE OR REPLACE FUNCTION app.add_my_passkey(
    p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint,
    p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean,
    p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamptz, p_mail jsonb
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_id uuid;
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = v_account AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(v_account);
    END IF;
    PERFORM app.require_recent_sign_in(p_token_issued_at);
    PERFORM app.answer_challenge(p_challenge_hash, p_challenge_expires);
    IF (SELECT count(*) FROM app.passkeys AS k WHERE k.user_id = v_account)
        >= app.max_passkeys() THEN
        PERFORM app.refuse('HF409', 'too_many_passkeys', 'This account has too many passkeys.');
    END IF;
    INSERT INTO app.passkeys AS k (user_id, handle, credential_id, public_key, counter, label,
            model, transports, is_backup_eligible, is_backed_up)
        VALUES (v_account, v_account, p_credential_id, p_public_key, p_counter, p_label, p_model,
            p_transports, p_is_backup_eligible, p_is_backed_up)
        ON CONFLICT DO NOTHING RETURNING k.id INTO v_id;
    IF v_id IS NULL THEN
        PERFORM app.refuse('HF409', 'passkey_exists', 'This passkey was added before.');
    END IF;
    PERFORM app.record_audit('identity.add', NULL, v_account, v_id,
        jsonb_build_object('kind', 'passkey'));
    PERFORM jobs.enqueue('mail', 'mail.passkey_added', NULL,
        p_mail || jsonb_build_object('recipient', v_account));
    RETURN v_id;
END $$;

COMMENT ON FUNCTION app.add_my_passkey(
    bigint, bytea, bytea, bigint, text, uuid, text[], boolean, boolean, bytea, timestamptz,
    jsonb) IS
    'Adds a passkey, whose registration was verified, to the caller''s account.';

-- Removes a passkey of the caller's account, by the rules of remove_my_identity.
CREATE OR REPLACE FUNCTION app.remove_my_passkey(
    p_passkey uuid, p_signed_in_at bigint, p_sign_in_methods text[], p_issuers text[], p_mail jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    PERFORM app.lock_own_address(v_account);
    PERFORM FROM app.users AS u
        WHERE u.id = v_account AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(v_account);
    END IF;
    IF NOT EXISTS (SELECT FROM app.passkeys AS k
                   WHERE k.id = p_passkey AND k.user_id = v_account) THEN
        PERFORM app.refuse('HF404', 'passkey_not_found', 'Passkey not found.');
    END IF;
    PERFORM app.remove_my_identity(p_passkey, p_signed_in_at, p_sign_in_methods, p_issuers, p_mail);
END $$;

-- Passkeys of an account as operators see them.
CREATE OR REPLACE FUNCTION app.operator_passkeys_of(p_user uuid)
RETURNS TABLE (
    id uuid, label text, is_backed_up boolean, created_at timestamptz, last_used_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    RETURN QUERY SELECT k.id, k.label, k.is_backed_up, k.created_at, k.last_used_at
        FROM app.passkeys AS k WHERE k.user_id = p_user ORDER BY k.created_at, k.id LIMIT 100;
END $$;

COMMENT ON FUNCTION app.operator_passkeys_of(uuid) IS
    'The passkeys of an account, without credentials and keys.';

-- Removes a passkey of an account, for an operator, such as that of a stolen device. The owner gets
-- an e-mail with the payload p_mail. Refuses to remove the last way to sign in: an operator who
-- wants to keep a person out blocks the account instead.
CREATE OR REPLACE FUNCTION app.operator_remove_passkey(
    p_user uuid, p_passkey uuid, p_mail jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.lock_own_address(p_user);
    PERFORM app.lock_account_for_operator(p_user);
    PERFORM app.require_no_operator(p_user);
    IF NOT EXISTS (SELECT FROM app.passkeys AS k
                   WHERE k.id = p_passkey AND k.user_id = p_user) THEN
        PERFORM app.refuse('HF404', 'passkey_not_found', 'The account has no such passkey.');
    ELSIF NOT EXISTS (SELECT FROM app.identities_of(p_user) AS i WHERE i.id <> p_passkey) THEN
        PERFORM app.refuse('HF409', 'last_identity', 'This is the last way to sign in.');
    END IF;
    -- The address may be the only sign-in that remains.
    PERFORM app.record_own_address(p_user);
    DELETE FROM app.passkeys AS k WHERE k.id = p_passkey AND k.user_id = p_user;
    PERFORM app.record_audit('identity.remove', NULL, p_user, p_passkey, '{"kind": "passkey"}');
    PERFORM jobs.enqueue('mail', 'mail.identity_removed', NULL,
        p_mail || jsonb_build_object('recipient', p_user, 'identity', 'passkey'));
END $$;

COMMENT ON FUNCTION app.operator_remove_passkey(uuid, uuid, jsonb) IS
    'Removes a passkey of an account, but never the last way to sign in.';

GRANT EXECUTE ON FUNCTION
    app.operator_passkeys_of(uuid), app.operator_remove_passkey(uuid, uuid, jsonb)
    TO hearth_admin;
GRANT EXECUTE ON FUNCTION
    app.reserve_passkey_attempt(text, text), app.passkey_of_credential(bytea, bytea),
    app.sign_in_by_passkey(
        uuid, uuid, bigint, boolean, boolean, bytea, timestamptz, text, text, uuid, text, bytea,
        jsonb),
    app.my_passkey_account(bigint), app.my_passkeys(),
    app.add_my_passkey(
        bigint, bytea, bytea, bigint, text, uuid, text[], boolean, boolean, bytea, timestamptz,
        jsonb),
    app.remove_my_passkey(uuid, bigint, text[], text[], jsonb)
    TO hearth_api;
