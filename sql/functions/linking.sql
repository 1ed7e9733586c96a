-- Linking of sign-ins: a person who has got an account with a mailed code and then signs in at a
-- provider that confirms the same address is signed in to that account.
--
-- An address links only if it is proved on both sides: the provider confirms it, and the account
-- has proved it by e-mail. An account that already has a sign-in of that provider gets no second
-- one, because the second one belongs to another person at that provider. A sign-in that was
-- removed from an account is never added by its address again. The person gets an e-mail, which
-- says how to undo the link. Nothing is added to the account of an operator.
--
-- Locks: the address, as in prove_address (email_tokens.sql), so that a code and a token that
-- arrive together don't create two accounts; then the locks of lock_person (erasure.sql).

-- Account to which a new sign-in is added, or null.
CREATE OR REPLACE FUNCTION app.account_to_link(
    p_issuer text, p_subject_hash bytea, p_mailbox text, p_is_primary boolean) RETURNS uuid
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT u.id FROM app.email_sign_ins AS e
    JOIN app.users AS u ON u.id = e.user_id AND u.kind = 'account' AND u.deleted_at IS NULL
        -- The e-mail about the link goes to this address.
        AND u.email_verified
        AND NOT app.is_operator(u.id)
    WHERE e.mailbox = p_mailbox AND e.removed_at IS NULL
        AND NOT EXISTS (
            SELECT FROM app.unlinked_sign_ins AS x
            WHERE x.subject_hash = p_subject_hash AND x.issuer = p_issuer)
        AND NOT EXISTS (
            SELECT FROM app.user_identities AS i
            WHERE i.user_id = u.id AND i.issuer = p_issuer)
        AND NOT (p_is_primary AND app.has_primary_sign_in(u.id, p_issuer))
$$;

-- Applies the role that a new sign-in states (null: none) to an account that still has the default
-- role. An account that is in several families, or that got the Parent Admin's seat from others,
-- keeps its role, and its owner can still choose one. The caller has locked the account and its
-- families.
CREATE OR REPLACE FUNCTION app.apply_token_role(p_account uuid, p_role text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_role = 'player' AND EXISTS (
            SELECT FROM app.users AS u WHERE u.id = p_account AND u.role_is_default)
        AND cardinality(app.families_of(p_account)) <= 1 AND NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.user_id = p_account AND m.household_role = 'parent_admin'
                AND m.status = 'active' AND app.household_role_set_by_others(m)) THEN
        PERFORM app.become_player(p_account, app.families_and_requests_of(p_account));
    ELSE
        PERFORM app.record_stated_role(p_account, p_role);
    END IF;
END $$;

-- Adds a new sign-in to the account that has proved its address. Returns that account, or null.
CREATE OR REPLACE FUNCTION app.link_by_address(
    p_issuer text, p_subject_hash bytea, p_email text, p_is_primary boolean, p_mark bigint,
    p_issued_at bigint, p_name text, p_role text) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_mailbox constant text := app.mailbox_of(p_email);
    v_account uuid;
BEGIN
    IF v_mailbox IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM pg_advisory_xact_lock(1212499274, hashtext(v_mailbox));
    v_account := app.account_to_link(p_issuer, p_subject_hash, v_mailbox, p_is_primary);
    IF v_account IS NULL THEN
        RETURN NULL;
    ELSIF (app.lock_person(v_account)).id IS NULL THEN
        IF EXISTS (SELECT FROM app.former_ids AS o WHERE o.former_id = v_account) THEN
            RAISE EXCEPTION 'the id of the account has changed'
                USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN NULL;
    END IF;
    -- Checked again, because the result may have changed while this transaction waited for the
    -- locks. A statement of its own, because a STABLE function uses the snapshot of the statement
    -- that calls it.
    IF app.account_to_link(p_issuer, p_subject_hash, v_mailbox, p_is_primary)
        IS DISTINCT FROM v_account THEN
        RETURN NULL;
    END IF;
    INSERT INTO app.user_identities AS i (issuer, subject_hash, user_id, claims_mark,
            claims_issued_at, lacks_name, tells_address)
        VALUES (p_issuer, p_subject_hash, v_account, p_mark, p_issued_at, p_name IS NULL, false);
    INSERT INTO app.audit_log (actor_user_id, subject_user_id, action, target_id, details)
        VALUES (v_account, v_account, 'identity.add', v_account,
            '{"kind": "issuer", "by": "address"}');
    -- A blocked account stays as it is. Its sign-in is stored all the same, so that the person
    -- doesn't get a second account.
    IF app.is_blocked(v_account) THEN
        RETURN v_account;
    END IF;
    UPDATE app.users AS u SET full_name = p_name
        WHERE u.id = v_account AND u.full_name IS NULL AND p_name IS NOT NULL;
    PERFORM app.apply_token_role(v_account, p_role);
    PERFORM jobs.enqueue('mail', 'mail.sign_in_linked', NULL, jsonb_build_object(
        'recipient', v_account, 'issuer', p_issuer,
        'messageId', replace(gen_random_uuid()::text, '-', ''),
        'date', extract(epoch FROM now())::bigint));
    RETURN v_account;
END $$;

-- Whether the sign-in of this request created the caller's account, rather than found it.
CREATE OR REPLACE FUNCTION app.sign_in_created_account() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.user_identities AS i JOIN app.users AS u ON u.id = i.user_id
        WHERE i.subject_hash =
                decode(nullif(current_setting('hearth.sign_in', true), ''), 'hex')
            AND i.user_id = app.account_id() AND u.created_at = i.created_at);
END $$;

COMMENT ON FUNCTION app.sign_in_created_account() IS
    'Whether the sign-in of this request created the caller''s account.';

GRANT EXECUTE ON FUNCTION app.sign_in_created_account() TO hearth_api;
