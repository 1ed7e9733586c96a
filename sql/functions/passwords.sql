-- Passwords: sign in, reset, change. The programs hash and compare passwords. The database stores
-- the hashes, and counts attempts before the comparison.
--
-- A hash may be replaced after a program has compared it. Functions that follow a comparison
-- therefore take the compared hash, and do nothing if another one is stored by then.

CREATE OR REPLACE FUNCTION app.password_buckets(p_email text, p_address text, p_network text)
RETURNS text[]
LANGUAGE sql STABLE
RETURN ARRAY[
    'password:account:' || encode(
        sha256(convert_to(coalesce(app.mailbox_of(p_email), p_email), 'UTF8')), 'hex'),
    'password:address:' || p_address, 'password:network:' || p_network];

-- Counts an attempt, in a transaction of its own. Returns a row if a limit is reached; then the
-- password is not compared. The attempt is counted for the address whether or not an account signs
-- in with it.
CREATE OR REPLACE FUNCTION app.reserve_password_attempt(
    p_email text, p_address text, p_network text
) RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT r.* FROM app.reserve_hits(
        app.password_buckets(p_email, p_address, p_network),
        ARRAY[app.max_password_attempts_of_account(), app.max_password_attempts_of_address(),
            app.max_password_attempts_of_network()],
        app.password_attempts_window()) AS r;
END $$;

-- Releases an attempt with the right password, or one whose password was not compared.
CREATE OR REPLACE FUNCTION app.release_password_attempt(
    p_email text, p_address text, p_network text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.release_hits(app.password_buckets(p_email, p_address, p_network));
END $$;

-- Returns the password hash of the account to which an address leads; no row if there is none.
CREATE OR REPLACE FUNCTION app.password_of_address(p_email text)
RETURNS TABLE (user_id uuid, hash text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT p.user_id, p.hash FROM app.passwords AS p
        WHERE p.user_id = app.account_of_mailbox(app.mailbox_of(p_email));
END $$;

-- Opens a session after the right password, and releases the attempt. Returns no row if the
-- password was replaced since it was compared. p_new_hash, if not null, is a new hash of the same
-- password.
CREATE OR REPLACE FUNCTION app.sign_in_by_password(
    p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text,
    p_session uuid, p_device text, p_token_hash bytea
) RETURNS TABLE (user_id uuid, started_at timestamptz, lasts_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
BEGIN
    UPDATE app.passwords AS p SET hash = coalesce(p_new_hash, p.hash)
        WHERE p.user_id = p_user AND p.hash = p_seen_hash;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM app.open_session(p_session, p_user, 'password', NULL, p_device, p_token_hash, NULL);
    PERFORM app.release_hits(
        app.password_buckets(p_email, p_address, p_network));
    user_id := p_user;
    started_at := now();
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.sign_in_by_password(
    uuid, text, text, text, text, text, uuid, text, bytea) IS
    'Opens a session for an account whose password was right.';

-- Account whose password a link resets, read before the new password is hashed. Returns no row if
-- the link is no longer valid.
CREATE OR REPLACE FUNCTION app.password_reset_user(p_link_hash bytea)
RETURNS TABLE (email text, full_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT t.email, u.full_name FROM app.email_tokens AS t
    JOIN app.users AS u ON u.id = app.account_of_mailbox(t.mailbox)
    WHERE t.link_hash = p_link_hash AND t.purpose = 'reset' AND t.used_at IS NULL
        AND app.is_lasting(t.expires_at, app.reset_link_time())
$$;

-- Stores a new password. Ends all sessions except p_except and all links to reset the password,
-- records the account's verified address as a way to sign in (record_own_address), and enqueues an
-- e-mail to the owner.
CREATE OR REPLACE FUNCTION app.set_password(p_user uuid, p_hash text, p_except uuid, p_mail jsonb)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_is_first boolean;
BEGIN
    INSERT INTO app.passwords AS p (user_id, hash) VALUES (p_user, p_hash)
        ON CONFLICT (user_id) DO NOTHING;
    v_is_first := FOUND;
    IF NOT v_is_first THEN
        UPDATE app.passwords AS p SET hash = p_hash, set_at = now() WHERE p.user_id = p_user;
    END IF;
    PERFORM app.record_own_address(p_user);
    PERFORM app.end_sessions_of(p_user, p_except, 'password');
    UPDATE app.email_tokens AS t SET used_at = now()
        WHERE t.purpose = 'reset' AND t.used_at IS NULL AND t.mailbox IN (
            SELECT e.mailbox FROM app.email_sign_ins AS e
            WHERE e.user_id = p_user AND e.removed_at IS NULL
            UNION SELECT u.mailbox FROM app.users AS u WHERE u.id = p_user AND u.email_verified);
    PERFORM jobs.enqueue('mail',
        CASE WHEN v_is_first THEN 'mail.password_set' ELSE 'mail.password_changed' END, NULL,
        p_mail || jsonb_build_object('recipient', p_user));
END $$;

-- Uses a link to set a password, and ends every session. Returns false if the link is no longer
-- valid.
CREATE OR REPLACE FUNCTION app.reset_password(p_link_hash bytea, p_hash text, p_mail jsonb)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_mailbox text;
    v_user uuid;
BEGIN
    UPDATE app.email_tokens AS t SET used_at = now()
        WHERE t.link_hash = p_link_hash AND t.purpose = 'reset' AND t.used_at IS NULL
            AND t.expires_at > clock_timestamp()
            AND app.is_lasting(t.expires_at, app.reset_link_time())
        RETURNING t.mailbox INTO v_mailbox;
    IF v_mailbox IS NULL THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(1212499274, hashtext(v_mailbox));
    v_user := app.account_of_mailbox(v_mailbox);
    PERFORM FROM app.users AS u
        WHERE u.id = v_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.require_not_blocked(v_user);
    PERFORM app.set_password(v_user, p_hash, NULL, p_mail);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.reset_password(bytea, text, jsonb) IS
    'Sets a password with a mailed link; returns whether the link was still valid.';

-- Mails the owner of an account a link to reset the password, for an operator, and returns the
-- address. It is the account's current one, otherwise the one that was proved last. An address that
-- leads to another account is not used: its link would reset that account's password.
CREATE OR REPLACE FUNCTION app.operator_send_reset(
    p_user uuid, p_ticket uuid, p_link_hash bytea, p_mail jsonb
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user constant app.users := app.lock_account_for_operator(p_user);
    v_email text;
BEGIN
    PERFORM app.require_no_operator(p_user);
    PERFORM app.require_not_blocked(p_user);
    SELECT a.email INTO v_email FROM (
        SELECT v_user.email AS email, v_user.mailbox AS mailbox, true AS is_present,
            NULL::timestamptz AS proved_at WHERE v_user.email_verified
        UNION ALL
        SELECT e.email, e.mailbox, false, e.proved_at FROM app.email_sign_ins AS e
        WHERE e.user_id = p_user AND e.removed_at IS NULL) AS a
        WHERE app.account_of_mailbox(a.mailbox) = p_user
        ORDER BY a.is_present DESC, a.proved_at DESC, a.email LIMIT 1;
    IF v_email IS NULL THEN
        PERFORM app.refuse('HF409', 'no_verified_address',
            'The account has no verified e-mail address that signs in to it.');
    ELSIF app.mailbox_status(app.mailbox_of(v_email)) = 'suppressed' THEN
        PERFORM app.refuse('HF409', 'address_suppressed', 'No e-mail goes to this address.');
    END IF;
    INSERT INTO app.email_tokens (id, purpose, email, link_hash, expires_at, locale)
        VALUES (p_ticket, 'reset', v_email, p_link_hash, now() + app.reset_link_time(),
            v_user.locale);
    PERFORM jobs.enqueue('mail', 'mail.ticket', NULL,
        p_mail || jsonb_build_object('recipient', p_user), 0::smallint,
        p_not_after => now() + app.reset_link_time());
    PERFORM app.record_audit('user.send_reset', NULL, p_user, p_user);
    RETURN v_email;
END $$;

COMMENT ON FUNCTION app.operator_send_reset(uuid, uuid, bytea, jsonb) IS
    'Mails the owner of an account a link to reset the password; returns the address.';

-- Password hash of the account, the data with which a new password is judged, and whether the
-- sign-in is recent enough to set a first password.
CREATE OR REPLACE FUNCTION app.my_password(p_signed_in_at bigint)
RETURNS TABLE (hash text, email text, full_name text, is_fresh boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT p.hash, u.email, u.full_name, app.is_recent_sign_in(p_signed_in_at)
    FROM app.users AS u LEFT JOIN app.passwords AS p ON p.user_id = u.id
    WHERE u.id = app.account_id() AND u.deleted_at IS NULL
$$;

-- Sets the account's password in place of the one that was compared (p_seen_hash). If there was
-- none, the sign-in must be recent and the account must have an address to sign in with, because
-- the password could not be used otherwise. All sessions except the current one end. Returns false
-- if the password was replaced since the comparison.
CREATE OR REPLACE FUNCTION app.change_my_password(
    p_seen_hash text, p_hash text, p_session uuid, p_signed_in_at bigint, p_mail jsonb
) RETURNS boolean
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
    IF (SELECT p.hash FROM app.passwords AS p WHERE p.user_id = v_account)
        IS DISTINCT FROM p_seen_hash THEN
        RETURN false;
    END IF;
    IF p_seen_hash IS NULL THEN
        PERFORM app.require_recent_sign_in(p_signed_in_at);
        IF NOT EXISTS (
            SELECT FROM app.identities_of(v_account) AS i WHERE i.kind = 'email') THEN
            PERFORM app.refuse('HF409', 'no_verified_address',
                'This account has no e-mail address to sign in with.');
        END IF;
    END IF;
    PERFORM app.set_password(v_account, p_hash, p_session, p_mail);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.change_my_password(text, text, uuid, bigint, jsonb) IS
    'Sets the caller''s password; returns false if the old one was replaced since it was compared.';

GRANT EXECUTE ON FUNCTION
    app.reserve_password_attempt(text, text, text),
    app.release_password_attempt(text, text, text), app.password_of_address(text),
    app.sign_in_by_password(uuid, text, text, text, text, text, uuid, text, bytea),
    app.password_reset_user(bytea), app.reset_password(bytea, text, jsonb), app.my_password(bigint),
    app.change_my_password(text, text, uuid, bigint, jsonb)
    TO hearth_api;
GRANT EXECUTE ON FUNCTION app.operator_send_reset(uuid, uuid, bytea, jsonb) TO hearth_admin;
