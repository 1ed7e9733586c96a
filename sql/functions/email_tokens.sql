-- Sign-in by an e-mailed code or link.
--
-- A request for an e-mail token has the same effect for every address: the payload of the job names
-- the account as recipient, by which operators find the e-mails to it, or the token's own id if
-- there is none. So storing it takes as long, and operators find the e-mail by the address, as long
-- as the token is stored. Only when the worker sends the e-mail does it look up what to send.
--
-- Either the code or the link of a token can be used: the first use of one of them uses up the
-- token. Attempts at the code are counted in a separate transaction, before the code is compared,
-- for the token and for the account.
--
-- "Ticket" in parameters and columns means the e-mail token.
--
-- Lock order of a sign-in: the e-mail token, the buckets of rate limits, the address (an advisory
-- lock of the class 1212499274), the account, its sessions.

-- Counts an e-mail that is to be sent to an address, with a code or a link, at the request of a
-- network. If it returns a row, the e-mail must not be sent. The table of limits stores only hashes
-- of addresses.
CREATE OR REPLACE FUNCTION app.count_mailed_code(p_email text, p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_digest constant text := encode(
        sha256(convert_to(app.mailbox_of(p_email), 'UTF8')), 'hex');
BEGIN
    RETURN QUERY SELECT r.* FROM app.reserve_hits(
        ARRAY['mailed-code:place:' || v_digest || ':' || p_network,
              'mailed-code:address:' || v_digest, 'mailed-code:network:' || p_network],
        ARRAY[app.max_mailed_codes_of_address_by_network(), app.max_mailed_codes_of_address(),
              app.max_mailed_codes_of_network()],
        app.mailed_codes_window()) AS r;
END $$;

-- Creates an e-mail token and enqueues its e-mail; if a limit is reached, returns a row that names
-- it. p_mail is the job's payload, p_locale the language of the requester, p_return_path the
-- encrypted path to which the link leads after signing in. Arguments that don't belong to the
-- purpose are null.
CREATE OR REPLACE FUNCTION app.create_email_token(
    p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea,
    p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb,
    p_locale text, p_return_path bytea
) RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
    v_expires constant timestamptz := now() + CASE p_purpose
        WHEN 'reset' THEN app.reset_link_time() ELSE app.mailed_code_time() END;
BEGIN
    IF app.mailbox_of(v_email) IS NULL THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    END IF;
    SELECT r.limited_by, r.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.count_mailed_code(v_email, p_network) AS r;
    IF FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;
    INSERT INTO app.email_tokens (id, purpose, email, ticket_hash, link_hash, expires_at,
            password_hash, full_name, role, locale, return_path)
        VALUES (p_ticket, p_purpose, v_email, p_ticket_hash, p_link_hash, v_expires,
            p_password_hash, app.normalised_name(p_full_name, 80), p_role, p_locale, p_return_path);
    PERFORM jobs.enqueue('mail', 'mail.ticket', NULL, p_mail || jsonb_build_object('recipient',
            coalesce(app.account_of_mailbox(app.mailbox_of(v_email)), p_ticket)),
        0::smallint, p_not_after => v_expires);
END $$;

COMMENT ON FUNCTION app.create_email_token(
    uuid, text, text, bytea, bytea, text, text, text, text, jsonb, text, bytea) IS
    'Creates an e-mail token for an address and enqueues its e-mail, or returns a limit that is '
    'reached.';

-- The bucket that counts guesses at all e-mailed codes of an account, or of an address without one.
CREATE OR REPLACE FUNCTION app.code_guess_bucket(p_account uuid, p_email text) RETURNS text
LANGUAGE sql STABLE
RETURN 'code-guess:account:'
    || coalesce(p_account::text, encode(sha256(convert_to(p_email, 'UTF8')), 'hex'));

-- Counts a guess at one of an account's e-mailed codes, in the bucket that all its codes share,
-- before the code is compared. If it returns a row, the code must not be compared.
CREATE OR REPLACE FUNCTION app.reserve_code_guess(p_account uuid, p_email text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT r.* FROM app.reserve_hits(
        ARRAY[app.code_guess_bucket(p_account, p_email)], ARRAY[app.max_code_guesses()],
        app.code_guesses_window()) AS r;
END $$;

-- Counts a guess at an account's e-mailed code in two buckets: one for this kind of code, and one
-- for all codes of the account.
CREATE OR REPLACE FUNCTION app.reserve_code_guess_of(
    p_account uuid, p_bucket text, p_limit integer
) RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT r.* FROM app.reserve_hits(
        ARRAY[p_bucket], ARRAY[p_limit], app.fresh_proof_time()) AS r;
    IF FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT r.* FROM app.reserve_code_guess(p_account, NULL) AS r;
    IF FOUND THEN
        PERFORM app.release_hits(ARRAY[p_bucket]);
    END IF;
END $$;

-- Counts an attempt at an e-mail token's code, before it is compared. It returns no row if there is
-- no such token, or no attempt left. If limited_by is not null, there were too many guesses at
-- codes of the account: then no attempt is counted, and the code must not be compared.
--
-- Locks the token before the bucket, as sign_in_by_mail does.
CREATE OR REPLACE FUNCTION app.try_mailed_code(p_ticket_hash bytea)
RETURNS TABLE (
    ticket uuid, link_hash bytea, tries_left integer, limited_by text,
    retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_mailbox text;
    v_account uuid;
BEGIN
    UPDATE app.email_tokens AS t SET tries = t.tries + 1
        WHERE t.ticket_hash = p_ticket_hash AND t.tries < app.max_code_tries()
            AND t.used_at IS NULL AND app.is_lasting(t.expires_at, app.reset_link_time())
        RETURNING t.id, t.link_hash, app.max_code_tries() - t.tries, t.mailbox, t.user_id
        INTO ticket, link_hash, tries_left, v_mailbox, v_account;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT r.limited_by, r.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.reserve_code_guess(
            coalesce(v_account, app.account_of_mailbox(v_mailbox)), v_mailbox) AS r;
    IF FOUND THEN
        UPDATE app.email_tokens AS t SET tries = t.tries - 1 WHERE t.id = ticket;
    END IF;
    RETURN NEXT;
END $$;

-- The account to which an address leads, or null: the account that has proved the address;
-- otherwise the oldest account for which an issuer has verified it, preferring accounts in a
-- family. Takes no lock.
CREATE OR REPLACE FUNCTION app.account_of_mailbox(p_mailbox text) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_account uuid;
BEGIN
    SELECT e.user_id INTO v_account FROM app.email_sign_ins AS e
        WHERE e.mailbox = p_mailbox AND e.removed_at IS NULL;
    IF NOT FOUND THEN
        SELECT u.id INTO v_account FROM app.users AS u
            WHERE u.mailbox = p_mailbox AND u.email_verified AND u.kind = 'account'
                AND u.deleted_at IS NULL
                AND NOT EXISTS (SELECT FROM app.email_sign_ins AS e
                                WHERE e.user_id = u.id AND e.mailbox = p_mailbox)
            ORDER BY EXISTS (SELECT FROM app.family_members AS m
                             WHERE m.user_id = u.id AND m.status = 'active') DESC,
                u.created_at, u.id
            LIMIT 1;
    END IF;
    RETURN v_account;
END $$;

-- Returns the account of an address that has just been proved, under the address's lock. Creates
-- one if there is none.
CREATE OR REPLACE FUNCTION app.prove_address(
    p_email text, p_full_name text, p_role text, OUT user_id uuid, OUT is_new boolean)
LANGUAGE plpgsql SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_mailbox constant text := app.mailbox_of(p_email);
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274, hashtext(v_mailbox));
    user_id := app.account_of_mailbox(v_mailbox);
    is_new := user_id IS NULL;
    IF is_new THEN
        INSERT INTO app.users AS u (email, email_verified, full_name, role, role_is_default)
            VALUES (p_email, true, p_full_name, coalesce(p_role, 'parent'), p_role IS NULL)
            RETURNING u.id INTO user_id;
    END IF;
    IF NOT EXISTS (
        SELECT FROM app.email_sign_ins AS e
        WHERE e.mailbox = v_mailbox AND e.removed_at IS NULL) THEN
        INSERT INTO app.email_sign_ins (user_id, email) VALUES (user_id, p_email)
            ON CONFLICT DO NOTHING;
    END IF;
END $$;

-- Whether a token opens a session. An operator's token for a change of the address does; a person's
-- only changes the address.
CREATE OR REPLACE FUNCTION app.signs_in(p_token app.email_tokens) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN p_token.purpose IN ('sign_in', 'sign_up')
    OR (p_token.purpose = 'change' AND p_token.ticket_hash IS NULL);

-- The address to which a link that signs in was sent, and the account to which it leads, which may
-- be null. The account is also null for an operator's link, because no account has the address
-- until the link is opened. Does not use up the token. Returns no row if the link is used or has
-- expired.
CREATE OR REPLACE FUNCTION app.account_of_link(p_link_hash bytea)
RETURNS TABLE (email text, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT t.email, CASE WHEN t.user_id IS NULL THEN app.account_of_mailbox(t.mailbox) END
    FROM app.email_tokens AS t
    WHERE t.link_hash = p_link_hash AND app.signs_in(t)
        AND t.used_at IS NULL AND app.is_lasting(t.expires_at, app.reset_link_time())
$$;

COMMENT ON FUNCTION app.account_of_link(bytea) IS
    'The address to which a link was sent, and the account to which it leads; at most one row.';

-- Stores the account's verified address as proved, if it leads to this account now. So no account
-- that is created later can get this address. The caller has called lock_own_address.
CREATE OR REPLACE FUNCTION app.record_own_address(p_account uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    INSERT INTO app.email_sign_ins (user_id, email)
        SELECT u.id, u.email FROM app.users AS u
        WHERE u.id = p_account AND u.email_verified
            AND app.account_of_mailbox(u.mailbox) = p_account
        ON CONFLICT DO NOTHING;
END $$;

-- Acquires the lock of prove_address for the account's own address, before the account is locked.
CREATE OR REPLACE FUNCTION app.lock_own_address(p_account uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274, hashtext(u.mailbox)) FROM app.users AS u
        WHERE u.id = p_account AND u.email_verified;
END $$;

-- Uses up an e-mail token, by its id after the right code or by its link, and opens a session.
-- Name, role and password are used only with the code, because the person who requested the token
-- chose them, and may not be the reader of the e-mail. The password is used only for an account
-- that this function creates, because nobody has signed in to an existing one.
CREATE OR REPLACE FUNCTION app.sign_in_by_mail(
    p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea
) RETURNS TABLE (
    user_id uuid, started_at timestamptz, lasts_seconds integer, is_new boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_ticket app.email_tokens;
    v_by_code constant boolean := p_link_hash IS NULL;
BEGIN
    -- Two statements, of which each reads one index.
    IF v_by_code THEN
        SELECT t.* INTO v_ticket FROM app.email_tokens AS t
            WHERE t.id = p_ticket AND app.signs_in(t) FOR NO KEY UPDATE;
    ELSE
        SELECT t.* INTO v_ticket FROM app.email_tokens AS t
            WHERE t.link_hash = p_link_hash AND app.signs_in(t) FOR NO KEY UPDATE;
    END IF;
    IF v_ticket.id IS NULL OR v_ticket.used_at IS NOT NULL
        OR v_ticket.expires_at <= clock_timestamp()
        OR NOT app.is_lasting(v_ticket.expires_at, app.reset_link_time()) THEN
        PERFORM app.refuse('HF410', 'code_expired', 'This code is over; ask for another one.');
    END IF;
    UPDATE app.email_tokens AS t SET used_at = now(), password_hash = NULL
        WHERE t.id = v_ticket.id;
    IF v_by_code THEN
        PERFORM app.release_hits(ARRAY[app.code_guess_bucket(
            app.account_of_mailbox(v_ticket.mailbox), v_ticket.mailbox)]);
    END IF;
    IF v_ticket.purpose = 'change' THEN
        user_id := v_ticket.user_id;
        is_new := false;
        PERFORM app.change_address(user_id, v_ticket.email, NULL);
    ELSE
        SELECT p.user_id, p.is_new INTO user_id, is_new FROM app.prove_address(
            v_ticket.email, CASE WHEN v_by_code THEN v_ticket.full_name END,
            CASE WHEN v_by_code THEN v_ticket.role END) AS p;
    END IF;
    PERFORM app.open_session(p_session, user_id, 'email', NULL, p_device, p_token_hash, NULL);
    IF v_by_code AND is_new AND v_ticket.password_hash IS NOT NULL THEN
        INSERT INTO app.passwords (user_id, hash) VALUES (user_id, v_ticket.password_hash);
    END IF;
    started_at := now();
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.sign_in_by_mail(uuid, bytea, uuid, text, bytea) IS
    'Uses up an e-mail token and opens a session for the account of its address.';

-- The data for a token's e-mail. `purpose` is the token's; for a change of address by link alone,
-- which an operator starts, it is 'change_by_link'. A new address is not proved yet, so its e-mail
-- names nobody. `state` is 'gone' if the token was used or has expired, if it resets a password and
-- no account has the address, or if it is for the console and the address is no operator's.
-- Otherwise it is the address's state: due, held_off or suppressed.
CREATE OR REPLACE FUNCTION app.mail_of_email_token(p_ticket uuid)
RETURNS TABLE (
    state text, email text, recipient_name text, purpose text, has_account boolean,
    link_hash bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_token app.email_tokens;
    v_account uuid;
BEGIN
    SELECT t.* INTO v_token FROM app.email_tokens AS t
        WHERE t.id = p_ticket AND t.used_at IS NULL
            AND app.is_lasting(t.expires_at, app.reset_link_time());
    IF v_token.user_id IS NULL THEN
        v_account := app.account_of_mailbox(v_token.mailbox);
    END IF;
    state := CASE
        WHEN v_token.id IS NULL OR (v_token.purpose = 'reset' AND v_account IS NULL) THEN 'gone'
        WHEN v_token.purpose = 'console' AND app.operator_of_mailbox(v_token.mailbox) IS NULL
        THEN 'gone'
        ELSE app.mailbox_status(v_token.mailbox) END;
    email := coalesce(v_token.email, '');
    recipient_name := coalesce(
        (SELECT u.full_name FROM app.users AS u WHERE u.id = v_account), '');
    purpose := coalesce(CASE
        WHEN v_token.purpose = 'change' AND v_token.ticket_hash IS NULL THEN 'change_by_link'
        ELSE v_token.purpose END, '');
    has_account := v_account IS NOT NULL;
    link_hash := coalesce(v_token.link_hash, '');
    RETURN NEXT;
END $$;

GRANT EXECUTE ON FUNCTION
    app.account_of_link(bytea),
    app.create_email_token(
        uuid, text, text, bytea, bytea, text, text, text, text, jsonb, text, bytea),
    app.try_mailed_code(bytea), app.sign_in_by_mail(uuid, bytea, uuid, text, bytea)
    TO hearth_api;
GRANT EXECUTE ON FUNCTION app.try_mailed_code(bytea) TO hearth_admin;
GRANT EXECUTE ON FUNCTION app.mail_of_email_token(uuid) TO hearth_worker;
