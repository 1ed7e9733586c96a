-- One person, two doors: somebody who has an account here by a mailed code, and then signs in at a
-- provider that confirms the same address, signs in to that account.
--
-- Only an address that both sides have proved counts: the provider confirms it, and the account has
-- proved it by mail itself. An account with a sign-in of that provider has its own person there. A
-- sign-in that was removed from an account is never added by its address again. The person is told
-- by e-mail, with how to undo it.
--
-- Locks: the address as in prove_address (email_tokens.sql), so that a code and a token that come
-- together don't make two accounts; then those of lock_person (erasure.sql).

-- The account to which a new sign-in is added, or null.
CREATE OR REPLACE FUNCTION app.account_to_link(
    p_issuer text, p_subject_hash bytea, p_mailbox text, p_is_primary boolean) RETURNS uuid
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT u.id FROM app.email_sign_ins AS e
    JOIN app.users AS u ON u.id = e.user_id AND u.kind = 'account' AND u.deleted_at IS NULL
        -- The person is told by e-mail.
        AND u.email_verified
    WHERE e.mailbox = p_mailbox AND e.removed_at IS NULL
        AND NOT EXISTS (
            SELECT FROM app.unlinked_sign_ins AS x
            WHERE x.subject_hash = p_subject_hash AND x.issuer = p_issuer)
        AND NOT EXISTS (
            SELECT FROM app.user_identities AS i
            WHERE i.user_id = u.id AND i.issuer = p_issuer)
        AND NOT (p_is_primary AND app.has_primary_sign_in(u.id, p_issuer))
$$;

-- Gives an account whose role nobody has said the one that its new sign-in tells; null tells none.
-- One in several families, or to whom others gave the seat, stays what it is: its person can
-- still say the role. The account and its families are locked.
CREATE OR REPLACE FUNCTION app.apply_role_of_token(p_account uuid, p_role text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_role = 'player' AND EXISTS (
            SELECT FROM app.users AS u WHERE u.id = p_account AND u.role_is_default)
        AND cardinality(app.families_of(p_account)) <= 1 AND NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.user_id = p_account AND m.household_role = 'parent_admin'
                AND m.status = 'active' AND app.household_role_is_others(m)) THEN
        PERFORM app.become_player(p_account, app.families_and_requests_of(p_account));
    ELSE
        PERFORM app.record_stated_role(p_account, p_role);
    END IF;
END $$;

-- Adds a new sign-in to the account that has proved its address; that account, or null.
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
            RAISE EXCEPTION 'the account has another id since'
                USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN NULL;
    END IF;
    -- Again, because it may have changed while its locks were waited for; in a statement of its
    -- own, because a STABLE function sees what was there when its statement began.
    IF app.account_to_link(p_issuer, p_subject_hash, v_mailbox, p_is_primary)
        IS DISTINCT FROM v_account THEN
        RETURN NULL;
    END IF;
    INSERT INTO app.user_identities AS i (issuer, subject_hash, user_id, claims_mark,
            claims_issued_at, lacks_name, tells_address)
        VALUES (p_issuer, p_subject_hash, v_account, p_mark, p_issued_at, p_name IS NULL, false);
    UPDATE app.users AS u SET full_name = p_name
        WHERE u.id = v_account AND u.full_name IS NULL AND p_name IS NOT NULL;
    PERFORM app.apply_role_of_token(v_account, p_role);
    INSERT INTO app.audit_log (actor_user_id, subject_user_id, action, target_id, details)
        VALUES (v_account, v_account, 'identity.add', v_account,
            '{"kind": "issuer", "by": "address"}');
    PERFORM jobs.enqueue('mail', 'mail.sign_in_linked', NULL, jsonb_build_object(
        'recipient', v_account, 'issuer', p_issuer,
        'messageId', replace(gen_random_uuid()::text, '-', ''),
        'date', extract(epoch FROM now())::bigint));
    RETURN v_account;
END $$;

-- Whether the account whose request has begun was made by its sign-in, and not found by it.
CREATE OR REPLACE FUNCTION app.began_with_sign_in() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.user_identities AS i JOIN app.users AS u ON u.id = i.user_id
        WHERE i.subject_hash =
                decode(nullif(current_setting('hearth.sign_in', true), ''), 'hex')
            AND i.user_id = app.account_id() AND u.created_at = i.created_at)
$$;

COMMENT ON FUNCTION app.began_with_sign_in() IS
    'Whether the account whose request has begun was made by its sign-in.';

GRANT EXECUTE ON FUNCTION app.began_with_sign_in() TO hearth_api;
