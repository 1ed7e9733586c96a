-- Erasure of an account by its owner.
--
-- Erasing requires a fresh proof that the owner is present: a token that was issued recently, or
-- the code that was mailed to the account's verified address. The application compares the code,
-- because the code is derived from a key that the database does not have. Each attempt at the code
-- is counted before the comparison.
--
-- The reasons that prevent an erasure are returned as rows, and then nothing has changed.

-- Whether this sign-in led to an account that was erased after the token was issued. A token
-- without a time of issue is treated as issued before the erasure.
CREATE OR REPLACE FUNCTION app.was_erased(p_subject_hash bytea, p_issued_at bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.erasures AS e
        WHERE e.sign_ins @> ARRAY[p_subject_hash]
            AND coalesce(p_issued_at, 0) <= extract(epoch FROM e.erased_at));
END $$;

COMMENT ON FUNCTION app.was_erased(bytea, bigint) IS
    'Whether the account of a sign-in was erased after the token was issued.';

-- Hash of the claims that the last token of a sign-in stated. Null while an erasure of the sign-in
-- is remembered, so that upsert_user examines each of its tokens.
CREATE OR REPLACE FUNCTION app.stored_claims_mark(
    p_subject_hash bytea, p_email text, p_email_verified boolean) RETURNS bigint
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE WHEN NOT app.was_erased(p_subject_hash, NULL)
        THEN app.claims_mark(p_email, p_email_verified) END;
$$;

-- Hash under which an erasure stores a session of the account, beside the hashes of sign-ins.
CREATE OR REPLACE FUNCTION app.hash_of_session(p_session uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = '' AS $$
    SELECT sha256(convert_to('session ' || p_session, 'UTF8'));
$$;

-- Whether the account of a session was erased; the erasure has deleted the session.
CREATE OR REPLACE FUNCTION app.session_was_erased(p_session uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.erasures AS e
        WHERE e.sign_ins @> ARRAY[app.hash_of_session(p_session)]);
END $$;

COMMENT ON FUNCTION app.session_was_erased(uuid) IS 'Whether the account of a session was erased.';

-- Whether the account of the caller's session was erased, or that of the caller's sign-in after the
-- token was issued. The account's id is not compared, because another account may have it by now.
CREATE OR REPLACE FUNCTION app.caller_was_erased(p_issued_at bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(
        app.session_was_erased(nullif(current_setting('hearth.session', true), '')::uuid)
            OR app.was_erased(
                decode(nullif(current_setting('hearth.sign_in', true), ''), 'hex'), p_issued_at),
        false);
$$;

-- Counts an e-mail with a code to the account's verified address. Returns a row if a limit is
-- reached; then the e-mail must not be sent. If there is no such address, nothing is counted and
-- nothing is sent.
CREATE OR REPLACE FUNCTION app.reserve_mailed_code(p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_mailbox constant text := (
        SELECT u.mailbox FROM app.users AS u WHERE u.id = v_account AND u.email_verified);
BEGIN
    IF v_mailbox IS NULL THEN RETURN; END IF;
    RETURN QUERY SELECT r.* FROM app.count_mailed_code(v_mailbox, p_network) AS r;
END $$;

COMMENT ON FUNCTION app.reserve_mailed_code(text) IS
    'Counts an e-mail with a code to the caller, or returns a limit that is reached.';

-- Counts an e-mail with the code that confirms an erasure, like reserve_mailed_code. Refuses an
-- operator's account, which erase_my_account would refuse to erase.
CREATE OR REPLACE FUNCTION app.reserve_deletion_code(p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_no_operator(app.require_account());
    RETURN QUERY SELECT r.* FROM app.reserve_mailed_code(p_network) AS r;
END $$;

COMMENT ON FUNCTION app.reserve_deletion_code(text) IS
    'Counts an e-mail with the code for an erasure, or returns a limit that is reached.';

-- Counts an attempt at the code. If it returns a row, the code must not be compared.
CREATE OR REPLACE FUNCTION app.reserve_deletion_attempt()
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    SELECT r.* FROM app.reserve_code_guess_of(
        app.require_account(), 'deletion:account:' || app.account_id(),
        app.max_deletion_attempts()) AS r;
$$;

COMMENT ON FUNCTION app.reserve_deletion_attempt() IS
    'Counts an attempt at the code that confirms an erasure; returns a row if there were too many.';

CREATE OR REPLACE FUNCTION app.reserve_export()
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    SELECT r.* FROM app.reserve_hits(
        ARRAY['export:account:' || app.require_account()], ARRAY[app.max_exports()],
        app.exports_window()) AS r;
$$;

COMMENT ON FUNCTION app.reserve_export() IS
    'Counts an export of the caller''s data; returns a row if there were too many.';

-- Children who would have no guardian without the account. For its other children, the next
-- guardian becomes the primary one.
CREATE OR REPLACE FUNCTION app.children_without_other_guardian(p_account uuid)
RETURNS SETOF app.family_members
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT m.* FROM app.guardianships AS w
    JOIN app.family_members AS m ON m.id = w.member_id
    JOIN app.family_members AS g
        ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
    WHERE w.guardian_user_id = p_account AND g.status <> 'removed'
        AND app.longest_serving_guardian(m.id, p_account) IS NULL
    ORDER BY m.id;
$$;

-- Reasons that prevent the erasure of an account, whose row the caller has locked: children whose
-- only guardian it is, unless they get another guardian or are erased too; and the Parent Admin's
-- seat, if another adult could take it and no successor is named.
CREATE OR REPLACE FUNCTION app.erasure_blockers(
    p_account uuid, p_new_guardians uuid[], p_successors uuid[], p_erase_managed boolean)
RETURNS TABLE (outcome text, family_unit_id uuid, member_id uuid)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT 'guardian_has_managed_members', c.family_unit_id, c.id
    FROM app.children_without_other_guardian(p_account) AS c
    WHERE p_erase_managed IS NOT TRUE
        AND NOT EXISTS (SELECT FROM app.family_members AS h
                        WHERE h.id = ANY (p_new_guardians) AND h.family_unit_id = c.family_unit_id)
    UNION ALL
    SELECT 'transfer_admin_first', m.family_unit_id, m.id
    FROM app.family_members AS m
    WHERE m.user_id = p_account AND app.is_admin(m)
        AND app.has_possible_successor(m)
        AND NOT EXISTS (SELECT FROM app.family_members AS s
                        WHERE s.id = ANY (p_successors) AND s.family_unit_id = m.family_unit_id)
    ORDER BY 2, 1, 3;
$$;

-- Refuses named members who are not active members of one of the account's families.
CREATE OR REPLACE FUNCTION app.require_members_of_own_families(p_account uuid, p_members uuid[])
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF EXISTS (
        SELECT FROM unnest(p_members) AS named (id) WHERE NOT EXISTS (
            SELECT FROM app.family_members AS n
            JOIN app.family_members AS m ON m.family_unit_id = n.family_unit_id
            WHERE n.id = named.id AND n.status = 'active'
                AND m.user_id = p_account AND m.status = 'active'))
    THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
END $$;

-- Erases the caller's account. p_new_guardians: new guardians of its children, at most one for each
-- family. p_successors: new holders of its seats, at most one for each family. p_erase_managed:
-- children who get no new guardian are erased.
--
-- Rows: the reasons that prevent the erasure; or `admin_changed` for each adult to be notified
-- (user_id) of a new Parent Admin (other_id), and `erased` at the end, with the id of the erasure
-- (other_id) if there is an address to confirm it to.
CREATE OR REPLACE FUNCTION app.erase_my_account(
    p_token_issued_at bigint, p_code_is_right boolean, p_new_guardians uuid[], p_successors uuid[],
    p_erase_managed boolean)
RETURNS TABLE (
    outcome text, family_unit_id uuid, member_id uuid, user_id uuid, other_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_user app.users;
    v_pair record;
    v_erasure uuid;
BEGIN
    IF p_code_is_right IS NOT TRUE AND (
        app.is_within(to_timestamp(p_token_issued_at), app.fresh_proof_time())) IS NOT TRUE
    THEN
        PERFORM app.refuse('HF403', 'fresh_sign_in_required', 'Sign in again to do this.');
    END IF;
    v_user := app.lock_person(v_account);
    IF v_user.id IS NULL THEN
        PERFORM app.refuse_absent_account(v_account);
    ELSIF app.caller_was_erased(p_token_issued_at) THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    PERFORM app.require_not_blocked(v_account);
    PERFORM app.require_no_operator(v_account);
    PERFORM app.require_members_of_own_families(v_account, p_new_guardians || p_successors);
    RETURN QUERY SELECT b.outcome, b.family_unit_id, b.member_id, NULL::uuid, NULL::uuid
        FROM app.erasure_blockers(v_account, p_new_guardians, p_successors, p_erase_managed) AS b;
    IF FOUND THEN RETURN; END IF;

    FOR v_pair IN
        SELECT m AS holder, s AS successor FROM app.family_members AS m
        JOIN app.family_members AS s ON s.family_unit_id = m.family_unit_id
        WHERE m.user_id = v_account AND app.is_admin(m) AND s.id = ANY (p_successors)
        ORDER BY s.family_unit_id, s.id
    LOOP
        PERFORM app.transfer_admin_seat(v_pair.holder, v_pair.successor);
        RETURN QUERY SELECT 'admin_changed', a.family_unit_id, a.id, a.user_id,
                (v_pair.successor).user_id
            FROM app.family_members AS a
            WHERE a.family_unit_id = (v_pair.successor).family_unit_id
                AND a.active_adult_user_id <> v_account;
    END LOOP;
    IF p_erase_managed THEN
        PERFORM app.erase_locked(app.lock_person(c.id), '{}') FROM (
            SELECT c.id FROM app.children_without_other_guardian(v_account) AS c
            WHERE NOT EXISTS (SELECT FROM app.family_members AS h
                              WHERE h.id = ANY (p_new_guardians)
                                  AND h.family_unit_id = c.family_unit_id)) AS c;
    END IF;
    SELECT e.erasure INTO v_erasure FROM app.erase_locked(v_user, p_new_guardians) AS e;
    UPDATE app.erasures AS e SET email = v_user.email, locale = v_user.locale
        WHERE e.id = v_erasure AND v_user.email_verified;
    RETURN QUERY SELECT 'erased', NULL::uuid, NULL::uuid, NULL::uuid,
        CASE WHEN v_user.email_verified THEN v_erasure END;
END $$;

COMMENT ON FUNCTION app.erase_my_account(bigint, boolean, uuid[], uuid[], boolean) IS
    'Erases the caller''s account, or returns the reasons that prevent it.';

GRANT EXECUTE ON FUNCTION
    app.was_erased(bytea, bigint), app.session_was_erased(uuid), app.reserve_mailed_code(text),
    app.reserve_deletion_code(text), app.reserve_deletion_attempt(), app.reserve_export(),
    app.erase_my_account(bigint, boolean, uuid[], uuid[], boolean)
    TO hearth_api;
