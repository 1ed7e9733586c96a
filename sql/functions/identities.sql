-- The sign-ins of an account: identities of other issuers, proved addresses, a password, passkeys.
--
-- The id of each sign-in is a hash, which reveals neither subject nor address; a passkey has an id
-- of its own. A password is of use only together with an address: without an address it is not
-- listed, and removing the last address deletes it. A change requires a recent sign-in, and the
-- account's owner gets an e-mail.

-- Refuses a change of the sign-ins if the caller signed in too long ago. p_signed_in_at is in
-- seconds since 1970; null, from a token that lacks this time, is treated as too long ago.
CREATE OR REPLACE FUNCTION app.require_recent_sign_in(p_signed_in_at bigint) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF NOT app.is_recent_sign_in(p_signed_in_at) THEN
        PERFORM app.refuse('HF403', 'sign_in_again', 'Sign in again to do this.');
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.is_recent_sign_in(p_signed_in_at bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(
        app.is_within(to_timestamp(p_signed_in_at), app.fresh_proof_time()), false)
$$;

CREATE OR REPLACE FUNCTION app.identities_of(p_user uuid)
RETURNS TABLE (id uuid, kind text, name text, since timestamptz)
LANGUAGE sql STABLE SET search_path = '' AS $$
    WITH addresses AS (
        SELECT e.email, e.proved_at AS since FROM app.email_sign_ins AS e
        WHERE e.user_id = p_user AND e.removed_at IS NULL
        UNION ALL
        -- A person can sign in with an address that an issuer has verified, even if the address was
        -- never used to sign in.
        SELECT u.email, u.created_at FROM app.users AS u
        WHERE u.id = p_user AND u.email_verified
            AND NOT EXISTS (SELECT FROM app.email_sign_ins AS e
                            WHERE e.user_id = p_user AND e.mailbox = u.mailbox)
            AND app.account_of_mailbox(u.mailbox) = p_user)
    SELECT md5('issuer ' || i.issuer || ' ' || encode(i.subject_hash, 'hex'))::uuid, 'issuer',
        i.issuer, i.created_at
    FROM app.user_identities AS i WHERE i.user_id = p_user
    UNION ALL
    SELECT md5('email ' || p_user || ' ' || a.email)::uuid, 'email', a.email, a.since
    FROM addresses AS a
    UNION ALL
    SELECT md5('password ' || p_user)::uuid, 'password', NULL, p.set_at
    FROM app.passwords AS p WHERE p.user_id = p_user AND EXISTS (SELECT FROM addresses)
    UNION ALL
    SELECT k.id, 'passkey', k.label, k.created_at
    FROM app.passkeys AS k WHERE k.user_id = p_user
$$;

-- The account's own sign-ins, the oldest first.
CREATE OR REPLACE FUNCTION app.my_identities()
RETURNS TABLE (id uuid, kind text, name text, since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT i.id, i.kind, i.name, i.since FROM app.identities_of(app.account_id()) AS i
    ORDER BY i.since, i.kind, i.id LIMIT 100
$$;

-- Whether the account has a usable sign-in other than p_except. p_sign_in_methods are the ways that
-- the programs offer (email, password, passkey), p_issuers the issuers that they trust. With an
-- address a person can sign in with an e-mailed code, or with a password, which an e-mailed link
-- can reset.
CREATE OR REPLACE FUNCTION app.has_other_sign_in(
    p_user uuid, p_except uuid, p_sign_in_methods text[], p_issuers text[]
) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.identities_of(p_user) AS i
        WHERE i.id <> p_except AND CASE i.kind
            WHEN 'issuer' THEN i.name = ANY (p_issuers)
            WHEN 'email' THEN p_sign_in_methods && ARRAY['email', 'password']
            WHEN 'passkey' THEN 'passkey' = ANY (p_sign_in_methods)
            ELSE false END)
$$;

-- Removes a sign-in; with the last address, also removes the password. Enqueues an e-mail with the
-- payload p_mail to the account's owner.
CREATE OR REPLACE FUNCTION app.remove_my_identity(
    p_identity uuid, p_signed_in_at bigint, p_sign_in_methods text[], p_issuers text[], p_mail jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_identity record;
    v_hash bytea;
BEGIN
    PERFORM app.lock_own_address(v_account);
    PERFORM FROM app.users AS u
        WHERE u.id = v_account AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(v_account);
    END IF;
    SELECT i.* INTO v_identity FROM app.identities_of(v_account) AS i WHERE i.id = p_identity;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'identity_not_found', 'There is no such way to sign in.');
    END IF;
    PERFORM app.require_recent_sign_in(p_signed_in_at);
    IF NOT app.has_other_sign_in(v_account, p_identity, p_sign_in_methods, p_issuers) THEN
        PERFORM app.refuse('HF409', 'last_identity', 'This is the last way to sign in.');
    END IF;
    IF v_identity.kind <> 'email' THEN
        -- The address may be the only sign-in that remains.
        PERFORM app.record_own_address(v_account);
    END IF;
    CASE v_identity.kind
        WHEN 'issuer' THEN
            DELETE FROM app.user_identities AS i
                WHERE i.user_id = v_account AND i.issuer = v_identity.name
                    AND md5('issuer ' || i.issuer || ' ' || encode(i.subject_hash, 'hex'))::uuid
                        = p_identity
                RETURNING i.subject_hash INTO v_hash;
            INSERT INTO app.unlinked_sign_ins AS x (issuer, subject_hash, user_id)
                VALUES (v_identity.name, v_hash, v_account)
                ON CONFLICT (subject_hash, issuer) DO UPDATE SET user_id = v_account;
            PERFORM app.revoke_provider_tokens(v_account, v_hash);
        WHEN 'email' THEN
            INSERT INTO app.email_sign_ins AS e (user_id, email, removed_at)
                VALUES (v_account, v_identity.name, now())
                ON CONFLICT (user_id, email) DO UPDATE SET removed_at = now();
            DELETE FROM app.passwords AS p
                WHERE p.user_id = v_account AND NOT EXISTS (
                    SELECT FROM app.identities_of(v_account) AS i WHERE i.kind = 'email');
        WHEN 'password' THEN
            DELETE FROM app.passwords AS p WHERE p.user_id = v_account;
        WHEN 'passkey' THEN
            DELETE FROM app.passkeys AS k WHERE k.user_id = v_account AND k.id = p_identity;
    END CASE;
    PERFORM app.record_audit('identity.remove', NULL, v_account, p_identity,
        jsonb_build_object('kind', v_identity.kind));
    PERFORM jobs.enqueue('mail', 'mail.identity_removed', NULL,
        p_mail || jsonb_build_object('recipient', v_account, 'identity', v_identity.kind));
END $$;

COMMENT ON FUNCTION app.remove_my_identity(uuid, bigint, text[], text[], jsonb) IS
    'Removes a sign-in of the account whose request has begun, but never the last one.';

-- Adds the sign-in of a verified token to the account whose request has begun. A sign-in of another
-- account moves, if that account is not in use: it is in no family, waits for approval to join
-- none, has created none, has neither password nor passkey, and is no operator. If that account has
-- no further sign-in, it is deleted. A token is refused if an account of its sign-in was erased
-- after the token was issued, or if it is not recent: whoever found an old token is not its owner.
-- The account's owner gets an e-mail with the payload p_mail; the owner of the other account gets
-- one, too, if that account keeps other sign-ins.
--
-- Accounts are locked in the order of their ids, so that two concurrent moves in opposite
-- directions don't deadlock.
--
-- p_adopt_id is the subject of a primary issuer: it becomes the account's id (account_ids.sql). An
-- account has one id, and therefore only one sign-in of a primary issuer.
CREATE OR REPLACE FUNCTION app.add_sign_in(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_issued_at bigint, p_signed_in_at bigint, p_mail jsonb, p_adopt_id uuid DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_current_owner uuid;
BEGIN
    PERFORM app.require_recent_sign_in(p_signed_in_at);
    PERFORM pg_advisory_xact_lock(1212499273, hashtext(encode(p_subject_hash, 'hex')));
    SELECT i.user_id INTO v_current_owner FROM app.user_identities AS i
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
    -- Checked after the look-up: if the look-up found no account because of an erasure, the erasure
    -- is visible by now.
    IF app.was_erased(p_subject_hash, p_issued_at) THEN
        PERFORM app.refuse('HF403', 'account_required', 'The account of this sign-in was erased.');
    END IF;
    IF v_current_owner = v_account THEN
        RETURN;
    END IF;
    PERFORM app.require_recent_sign_in(p_issued_at);
    IF p_adopt_id IS NOT NULL THEN
        -- Families are locked before users.
        PERFORM FROM app.family_units AS f
            WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                           WHERE m.user_id IN (v_account, v_current_owner))
            ORDER BY f.id FOR NO KEY UPDATE;
    END IF;
    PERFORM FROM app.users AS u WHERE u.id IN (v_account, v_current_owner) ORDER BY u.id
        FOR NO KEY UPDATE;
    PERFORM app.require_account();
    IF v_current_owner IS DISTINCT FROM (
        SELECT i.user_id FROM app.user_identities AS i
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer) THEN
        RAISE EXCEPTION 'the sign-in leads to another account now'
            USING ERRCODE = 'serialization_failure';
    END IF;
    PERFORM app.require_no_operator(v_account);
    IF p_adopt_id IS NOT NULL AND app.has_primary_sign_in(v_account, p_issuer) THEN
        PERFORM app.refuse('HF409', 'identity_of_issuer_exists',
            'This account has a sign-in of this issuer already.');
    ELSIF v_current_owner IS NULL THEN
        INSERT INTO app.user_identities
                (issuer, subject_hash, user_id, claims_mark, claims_issued_at, tells_address)
            VALUES (p_issuer, p_subject_hash, v_account,
                app.stored_claims_mark(p_subject_hash, p_email, p_email_verified), p_issued_at,
                false);
    ELSIF EXISTS (SELECT FROM app.family_members AS m
                  WHERE m.user_id = v_current_owner AND m.status <> 'removed')
        OR EXISTS (SELECT FROM app.family_units AS f WHERE f.created_by_user_id = v_current_owner)
        OR EXISTS (SELECT FROM app.passwords AS p WHERE p.user_id = v_current_owner)
        OR EXISTS (SELECT FROM app.passkeys AS k WHERE k.user_id = v_current_owner)
        OR app.is_operator(v_current_owner) OR app.is_blocked(v_current_owner) THEN
        PERFORM app.refuse('HF409', 'identity_in_use',
            'This sign-in belongs to another account that is in use.');
    ELSE
        UPDATE app.user_identities AS i SET user_id = v_account, tells_address = false
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.provider_tokens AS p SET user_id = v_account
            WHERE p.subject_hash = p_subject_hash AND p.issuer = p_issuer;
        IF NOT EXISTS (SELECT FROM app.user_identities AS i WHERE i.user_id = v_current_owner)
            AND NOT EXISTS (SELECT FROM app.email_sign_ins AS e
                            WHERE e.user_id = v_current_owner AND e.removed_at IS NULL) THEN
            PERFORM app.end_sessions_of(v_current_owner, NULL, 'moved');
            UPDATE app.users AS u SET full_name = NULL, email = NULL, email_verified = false,
                    avatar_key = NULL, avatar_url = NULL, locale = NULL, deleted_at = now()
                WHERE u.id = v_current_owner;
        ELSE
            PERFORM jobs.enqueue('mail', 'mail.identity_removed', NULL, jsonb_build_object(
                'recipient', v_current_owner, 'identity', 'issuer',
                'messageId', replace(gen_random_uuid()::text, '-', ''),
                'date', extract(epoch FROM now())::bigint));
        END IF;
    END IF;
    PERFORM app.record_audit('identity.add', NULL, v_account, v_account,
        jsonb_build_object('kind', 'issuer'));
    PERFORM jobs.enqueue('mail', 'mail.identity_added', NULL,
        p_mail || jsonb_build_object('recipient', v_account));
    IF p_adopt_id IS NOT NULL THEN
        PERFORM app.adopt_primary_subject(v_account, p_adopt_id);
    END IF;
END $$;

COMMENT ON FUNCTION app.add_sign_in(
    text, bytea, text, boolean, bigint, bigint, jsonb, uuid) IS
    'Adds a sign-in, or moves it here from an account that is not in use.';

GRANT EXECUTE ON FUNCTION
    app.my_identities(), app.remove_my_identity(uuid, bigint, text[], text[], jsonb),
    app.add_sign_in(text, bytea, text, boolean, bigint, bigint, jsonb, uuid)
    TO hearth_api;
