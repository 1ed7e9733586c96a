-- Changes of an account's address, by its owner or by an operator.
--
-- The owner requests a code to the new address, and enters it. An operator requests a link to the
-- new address, which changes the address and signs in. The previous address gets a notice of each
-- request. A request has the same effect for every new address, so it does not show whether another
-- account has the address: only the reader of the e-mail learns that.
--
-- Lock order: the e-mail token, the buckets of rate limits, the addresses (advisory locks of the
-- class 1212499274, in the order of their keys), the account, its sessions.

-- Stores the token of a change, and enqueues the e-mail and the notice. An account has one change
-- at a time: earlier tokens stop working.
CREATE OR REPLACE FUNCTION app.open_address_change(
    p_account uuid, p_ticket uuid, p_email text, p_ticket_hash bytea, p_link_hash bytea,
    p_lasts interval, p_mail jsonb, p_notice jsonb, p_locale text
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_previous constant text := (
        SELECT u.email FROM app.users AS u WHERE u.id = p_account AND u.email_verified);
BEGIN
    -- A token that is locked is being used.
    UPDATE app.email_tokens AS t SET used_at = now() WHERE t.id IN (
        SELECT o.id FROM app.email_tokens AS o
        WHERE o.user_id = p_account AND o.used_at IS NULL FOR NO KEY UPDATE SKIP LOCKED);
    INSERT INTO app.email_tokens (id, purpose, email, ticket_hash, link_hash, expires_at, locale,
            user_id, previous_email)
        VALUES (p_ticket, 'change', p_email, p_ticket_hash, p_link_hash, now() + p_lasts, p_locale,
            p_account, v_previous);
    PERFORM jobs.enqueue('mail', 'mail.ticket', NULL,
        p_mail || jsonb_build_object('recipient', p_account), 0::smallint,
        p_not_after => now() + p_lasts);
    IF v_previous IS NOT NULL THEN
        PERFORM jobs.enqueue('mail', 'mail.address_changing', NULL,
            p_notice || jsonb_build_object('recipient', p_account));
    END IF;
END $$;

-- Requests a code with which the caller changes its address. If a limit is reached, returns a row
-- that names it, and sends nothing.
CREATE OR REPLACE FUNCTION app.request_address_change(
    p_ticket uuid, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_signed_in_at bigint,
    p_network text, p_mail jsonb, p_notice jsonb, p_locale text
) RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_email constant text := app.normalised_email(p_email);
BEGIN
    PERFORM app.require_recent_sign_in(p_signed_in_at);
    PERFORM app.require_no_operator(v_account);
    IF app.mailbox_of(v_email) IS NULL THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    END IF;
    IF EXISTS (SELECT FROM app.users AS u WHERE u.id = v_account AND u.email_verified
                AND u.mailbox = app.mailbox_of(v_email)) THEN
        PERFORM app.refuse_field('email', 'This is the address of your account already');
    END IF;
    SELECT r.limited_by, r.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.count_mailed_code(v_email, p_network) AS r;
    IF FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM app.open_address_change(v_account, p_ticket, v_email, p_ticket_hash, p_link_hash,
        app.mailed_code_time(), p_mail, p_notice, p_locale);
END $$;

COMMENT ON FUNCTION app.request_address_change(
    uuid, text, bytea, bytea, bigint, text, jsonb, jsonb, text) IS
    'Mails a code with which the caller changes its address; returns a row if a limit is reached.';

-- Gives an account a proved address in place of its current one, with which nobody can sign in any
-- more. The account's providers no longer change the address. Sessions other than p_except end, and
-- codes and links that were sent to the current address stop working. Refused if the new address
-- leads to another account.
CREATE OR REPLACE FUNCTION app.change_address(p_account uuid, p_email text, p_except uuid)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_mailbox constant text := app.mailbox_of(p_email);
    v_present app.users;
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274, k.key) FROM (
        SELECT DISTINCT hashtext(m.mailbox) AS key FROM (
            SELECT v_mailbox AS mailbox UNION ALL
            SELECT u.mailbox FROM app.users AS u WHERE u.id = p_account AND u.email_verified) AS m
        ORDER BY key) AS k;
    SELECT u.* INTO v_present FROM app.users AS u
        WHERE u.id = p_account AND u.kind = 'account' AND u.deleted_at IS NULL
            AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(p_account);
    END IF;
    PERFORM app.require_no_operator(p_account);
    IF app.account_of_mailbox(v_mailbox) <> p_account THEN
        PERFORM app.refuse('HF409', 'identity_in_use',
            'This sign-in belongs to another account that is in use.');
    END IF;
    IF v_present.email_verified AND v_present.mailbox IS DISTINCT FROM v_mailbox THEN
        -- A locked token is being used by a transaction that waits for the address's lock.
        UPDATE app.email_tokens AS t SET used_at = now(), password_hash = NULL WHERE t.id IN (
            SELECT o.id FROM app.email_tokens AS o
            WHERE o.mailbox = v_present.mailbox AND o.used_at IS NULL
                AND app.account_of_mailbox(o.mailbox) = p_account
            FOR NO KEY UPDATE SKIP LOCKED);
        UPDATE app.email_sign_ins AS e SET removed_at = now()
            WHERE e.user_id = p_account AND e.mailbox = v_present.mailbox AND e.removed_at IS NULL;
        INSERT INTO app.email_sign_ins AS e (user_id, email, removed_at)
            VALUES (p_account, v_present.email, now())
            ON CONFLICT (user_id, email) DO NOTHING;
    END IF;
    UPDATE app.email_sign_ins AS e SET removed_at = now()
        WHERE e.user_id = p_account AND e.mailbox = v_mailbox AND e.removed_at IS NULL
            AND e.email <> p_email;
    INSERT INTO app.email_sign_ins AS e (user_id, email) VALUES (p_account, p_email)
        ON CONFLICT (user_id, email) DO UPDATE
        SET removed_at = NULL, proved_at = CASE WHEN e.removed_at IS NULL THEN e.proved_at
            ELSE now() END;
    UPDATE app.user_identities AS i SET tells_address = false
        WHERE i.user_id = p_account AND i.tells_address;
    UPDATE app.users AS u SET email = p_email, email_verified = true WHERE u.id = p_account;
    PERFORM app.end_sessions_of(p_account, p_except, 'address');
    PERFORM app.record_audit('user.change_address', NULL, p_account, p_account);
END $$;

-- Changes the caller's address after the right code. All sessions except the current one end.
CREATE OR REPLACE FUNCTION app.change_my_address(p_ticket uuid, p_session uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_email text;
BEGIN
    UPDATE app.email_tokens AS t SET used_at = now()
        WHERE t.id = p_ticket AND t.purpose = 'change' AND t.ticket_hash IS NOT NULL
            AND t.user_id = v_account AND t.used_at IS NULL AND t.expires_at > clock_timestamp()
            AND app.is_lasting(t.expires_at, app.reset_link_time())
        RETURNING t.email INTO v_email;
    IF v_email IS NULL THEN
        PERFORM app.refuse('HF410', 'code_expired', 'This code is over; ask for another one.');
    END IF;
    PERFORM app.release_hits(ARRAY[app.code_guess_bucket(v_account, NULL)]);
    PERFORM app.change_address(v_account, v_email, p_session);
END $$;

COMMENT ON FUNCTION app.change_my_address(uuid, uuid) IS
    'Changes the caller''s address to that of an e-mail token whose code was right.';

-- Requests a link that changes an account's address, for an operator.
CREATE OR REPLACE FUNCTION app.operator_request_address_change(
    p_user uuid, p_ticket uuid, p_email text, p_link_hash bytea, p_mail jsonb, p_notice jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user constant app.users := app.lock_account_for_operator(p_user);
    v_email constant text := app.normalised_email(p_email);
    v_owner uuid;
BEGIN
    PERFORM app.require_no_operator(p_user);
    IF app.mailbox_of(v_email) IS NULL THEN
        PERFORM app.refuse_field('email', 'This is not an e-mail address.');
    END IF;
    IF v_user.email_verified AND v_user.mailbox = app.mailbox_of(v_email) THEN
        PERFORM app.refuse_field('email', 'This is the address of the account already.');
    END IF;
    v_owner := app.account_of_mailbox(app.mailbox_of(v_email));
    IF v_owner <> p_user THEN
        PERFORM app.refuse('HF409', 'identity_in_use',
            'This address signs in to another account.');
    END IF;
    PERFORM app.open_address_change(p_user, p_ticket, v_email, NULL, p_link_hash,
        app.reset_link_time(), p_mail, p_notice, v_user.locale);
    PERFORM app.record_audit('user.request_address', NULL, p_user, p_user);
END $$;

COMMENT ON FUNCTION app.operator_request_address_change(uuid, uuid, text, bytea, jsonb, jsonb) IS
    'Mails a link that changes the address of an account and opens a session for it.';

-- Data of the notice to the previous address. State: due; gone, if there was no previous address or
-- the token is purged; held_off; suppressed.
CREATE OR REPLACE FUNCTION app.mail_of_address_change(p_ticket uuid)
RETURNS TABLE (state text, email text, recipient_name text, locale text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE WHEN t.previous_email IS NULL THEN 'gone'
            ELSE app.mailbox_status(app.mailbox_of(t.previous_email)) END,
        coalesce(t.previous_email, ''), coalesce(u.full_name, ''), u.locale
    FROM (SELECT) AS always
    LEFT JOIN (app.email_tokens AS t JOIN app.users AS u ON u.id = t.user_id)
        ON t.id = p_ticket AND u.deleted_at IS NULL;
$$;

GRANT EXECUTE ON FUNCTION
    app.request_address_change(uuid, text, bytea, bytea, bigint, text, jsonb, jsonb, text),
    app.change_my_address(uuid, uuid)
    TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.operator_request_address_change(uuid, uuid, text, bytea, jsonb, jsonb)
    TO hearth_admin;
GRANT EXECUTE ON FUNCTION app.mail_of_address_change(uuid) TO hearth_worker;
