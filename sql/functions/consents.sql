-- Consent of guardians for children, and of accounts for themselves: purposes, giving, withdrawing.
--
-- Any guardian of a child may give and withdraw consent. Consent is given to the current version of
-- a text; giving it again replaces the earlier consent. A withdrawal takes effect with the next
-- statement, because policies read the table (0008_consents.sql). A consent of an account for
-- itself records a change for the account's own clients.
--
-- The application compares an e-mailed code, because the code is derived from a key that the
-- database does not have. Attempts are counted before.

-- Stores the purposes of HEARTH_CONSENTS_FILE when the API starts. All instances have the same
-- file; that of the last started instance applies. p_refuses: for each purpose the permissions that
-- are refused without it, separated by blanks.
CREATE OR REPLACE FUNCTION app.apply_consent_purposes(
    p_purposes text[], p_versions text[], p_required text[], p_for_accounts text[],
    p_refuses text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274);
    DELETE FROM app.consent_purposes AS p WHERE p.purpose <> ALL (p_purposes);
    INSERT INTO app.consent_purposes AS p
            (purpose, version, is_required, is_for_accounts, refuses)
        SELECT n.purpose, n.version, n.purpose = ANY (p_required),
            n.purpose = ANY (p_for_accounts),
            coalesce(string_to_array(nullif(n.refuses, ''), ' '), '{}')
        FROM unnest(p_purposes, p_versions, p_refuses) AS n (purpose, version, refuses)
        ON CONFLICT (purpose) DO UPDATE
            SET version = excluded.version, is_required = excluded.is_required,
                is_for_accounts = excluded.is_for_accounts, refuses = excluded.refuses
            WHERE (p.version, p.is_required, p.is_for_accounts, p.refuses)
                <> (excluded.version, excluded.is_required, excluded.is_for_accounts,
                    excluded.refuses);
END $$;

COMMENT ON FUNCTION app.apply_consent_purposes(text[], text[], text[], text[], text[]) IS
    'Replaces the purposes of consent: names, versions of the texts, which are required, which are '
    'for accounts, and what is refused without them.';

-- Refuses an unknown purpose, one of the other kind (for children or for accounts), and any version
-- of the text except the current one.
CREATE OR REPLACE FUNCTION app.require_consent_version(
    p_purpose text, p_version text, p_is_for_accounts boolean) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_version constant text := (
        SELECT p.version FROM app.consent_purposes AS p
        WHERE p.purpose = p_purpose AND p.is_for_accounts = p_is_for_accounts);
BEGIN
    IF v_version IS NULL THEN
        PERFORM app.refuse('HF404', 'purpose_not_found', 'There is no such purpose.');
    ELSIF p_version IS DISTINCT FROM v_version THEN
        PERFORM app.refuse('HF409', 'consent_outdated', 'The text has another version now.');
    END IF;
END $$;

-- Number of times that consent to a purpose was given for a child, or ended. An e-mailed code is
-- made for one such number, so it can be used once, and a withdrawal invalidates it.
CREATE OR REPLACE FUNCTION app.consent_generation(p_member uuid, p_purpose text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT count(*) + count(c.ended_at) FROM app.consents AS c
    WHERE c.member_id = p_member AND c.purpose = p_purpose;
$$;

-- Gives a guardian's consent for a child. If consent to this version is in force, nothing changes
-- unless the new proof is stronger (a code instead of a sign-in). p_code_generation: the
-- consent_generation for which the code is valid; null if the code is wrong.
CREATE OR REPLACE FUNCTION app.give_consent(
    p_member uuid, p_purpose text, p_version text, p_method text, p_code_generation bigint
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
BEGIN
    PERFORM app.require_consent_version(p_purpose, p_version, false);
    IF p_method IS NULL OR p_method NOT IN ('signed_in', 'email_code') THEN
        PERFORM app.refuse_field('method', 'A method is signed_in or email_code.');
    END IF;
    IF p_method = 'email_code' AND p_code_generation IS NOT NULL THEN
        PERFORM app.release_hits(ARRAY[app.code_guess_bucket(app.account_id(), NULL)]);
    END IF;
    IF EXISTS (
        SELECT FROM app.consents AS c
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.version = p_version
            AND c.ended_at IS NULL AND c.method IN ('email_code', p_method)) THEN
        RETURN;
    ELSIF p_method = 'email_code' AND p_code_generation
        IS DISTINCT FROM app.consent_generation(v_child.id, p_purpose) THEN
        PERFORM app.refuse('HF400', 'code_wrong', 'The code is wrong, too old or already used.');
    END IF;
    UPDATE app.consents AS c SET ended_at = now(), ended_by = app.account_id()
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.ended_at IS NULL;
    INSERT INTO app.consents (family_unit_id, member_id, purpose, version, method, given_by)
        VALUES (v_child.family_unit_id, v_child.id, p_purpose, p_version, p_method,
                app.account_id());
    PERFORM app.mark_member_changed(v_child.id);
    PERFORM app.record_audit('consent.give', v_child.family_unit_id, v_child.user_id, v_child.id,
        jsonb_build_object('purpose', p_purpose, 'version', p_version, 'method', p_method));
END $$;

COMMENT ON FUNCTION app.give_consent(uuid, text, text, text, bigint) IS
    'Gives consent for a child of which the caller is a guardian.';

-- Changes nothing if no consent is in force.
CREATE OR REPLACE FUNCTION app.withdraw_consent(p_member uuid, p_purpose text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
    v_version text;
BEGIN
    UPDATE app.consents AS c SET ended_at = now(), ended_by = app.account_id()
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.ended_at IS NULL
        RETURNING c.version INTO v_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM app.mark_member_changed(v_child.id);
    PERFORM app.record_audit('consent.withdraw', v_child.family_unit_id, v_child.user_id,
        v_child.id, jsonb_build_object('purpose', p_purpose, 'version', v_version));
END $$;

COMMENT ON FUNCTION app.withdraw_consent(uuid, text) IS
    'Withdraws consent for a child of which the caller is a guardian.';

-- Makes a change that is stored elsewhere appear as a change of the member.
CREATE OR REPLACE FUNCTION app.mark_member_changed(p_member uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.family_members AS m SET updated_at = now() WHERE m.id = p_member;
END;

-- Counts an attempt at an e-mailed code. If it returns a row, the program must not check the code.
CREATE OR REPLACE FUNCTION app.reserve_consent_attempt()
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    SELECT r.* FROM app.reserve_code_guess_of(
        app.require_account(), 'consent:account:' || app.account_id(),
        app.max_consent_attempts()) AS r;
$$;

COMMENT ON FUNCTION app.reserve_consent_attempt() IS
    'Counts an attempt at the code that proves a consent; returns a row if there were too many.';

-- Consents that each account is asked for and has not given: required ones, and those without which
-- something is refused. As with app.visible_members, no client may read this view.
CREATE OR REPLACE VIEW app.consents_missing AS
SELECT u.id AS viewer_id, p.purpose, p.version, p.refuses
FROM app.users AS u CROSS JOIN app.consent_purposes AS p
WHERE u.kind = 'account' AND p.is_for_accounts AND (p.is_required OR p.refuses <> '{}')
    AND NOT EXISTS (
        SELECT FROM app.account_consents AS c
        WHERE c.user_id = u.id AND c.purpose = p.purpose AND c.version = p.version
            AND c.ended_at IS NULL);

-- The subject's missing consents. A child for whom a guardian acts has none.
CREATE OR REPLACE VIEW app.my_missing_consents WITH (security_barrier) AS
SELECT m.* FROM app.consents_missing AS m WHERE m.viewer_id = app.user_id();

-- The missing consents of each caller of a batch.
CREATE OR REPLACE VIEW app.missing_consents_of_batch WITH (security_barrier) AS
SELECT c.caller_index, m.* FROM app.callers AS c
JOIN app.consents_missing AS m ON m.viewer_id = c.user_id;

ALTER VIEW app.consents_missing OWNER TO hearth_authz;
ALTER VIEW app.my_missing_consents OWNER TO hearth_authz;
ALTER VIEW app.missing_consents_of_batch OWNER TO hearth_authz;

-- Whether the action is refused to the account that makes the request, because its own consent is
-- missing. If there is no account, as for operators, nothing is refused.
CREATE OR REPLACE FUNCTION app.lacks_consent_to(p_action text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.consent_purposes AS p
        WHERE p_action = ANY (p.refuses) AND app.actor_id() IS NOT NULL AND NOT EXISTS (
            SELECT FROM app.account_consents AS c
            WHERE c.user_id = app.actor_id() AND c.purpose = p.purpose AND c.version = p.version
                AND c.ended_at IS NULL));
END $$;

CREATE OR REPLACE FUNCTION app.require_consent_to(p_action text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.lacks_consent_to(p_action) THEN
        PERFORM app.refuse('HF403', 'consent_missing',
            'The account has not given a consent that this requires.');
    END IF;
END $$;

-- A profile names the consents that the account lacks. So a consent is recorded like a request to
-- join, which changes the profile alone (changes_meaning.sql).
CREATE OR REPLACE FUNCTION app.record_change_of_consent() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO app.pending_changes (kind, user_id) VALUES ('request', NEW.user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_change AFTER INSERT OR UPDATE ON app.account_consents
    FOR EACH ROW EXECUTE FUNCTION app.record_change_of_consent();

-- Gives the account's consent for itself. If consent to this version is in force, nothing changes.
CREATE OR REPLACE FUNCTION app.give_own_consent(p_purpose text, p_version text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    PERFORM app.lock_account(v_account);
    PERFORM app.require_consent_version(p_purpose, p_version, true);
    IF EXISTS (
        SELECT FROM app.account_consents AS c
        WHERE c.user_id = v_account AND c.purpose = p_purpose AND c.version = p_version
            AND c.ended_at IS NULL) THEN
        RETURN;
    END IF;
    UPDATE app.account_consents AS c SET ended_at = now()
        WHERE c.user_id = v_account AND c.purpose = p_purpose AND c.ended_at IS NULL;
    INSERT INTO app.account_consents (user_id, purpose, version)
        VALUES (v_account, p_purpose, p_version);
    PERFORM app.record_audit('consent.give', NULL, v_account, v_account,
        jsonb_build_object('purpose', p_purpose, 'version', p_version, 'method', 'self'));
END $$;

COMMENT ON FUNCTION app.give_own_consent(text, text) IS 'Gives the account''s consent for itself.';

-- Changes nothing if no consent is in force. A withdrawal takes effect with the next statement.
CREATE OR REPLACE FUNCTION app.withdraw_own_consent(p_purpose text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_version text;
BEGIN
    PERFORM app.lock_account(v_account);
    UPDATE app.account_consents AS c SET ended_at = now()
        WHERE c.user_id = v_account AND c.purpose = p_purpose AND c.ended_at IS NULL
        RETURNING c.version INTO v_version;
    IF FOUND THEN
        PERFORM app.record_audit('consent.withdraw', NULL, v_account, v_account,
            jsonb_build_object('purpose', p_purpose, 'version', v_version));
    END IF;
END $$;

COMMENT ON FUNCTION app.withdraw_own_consent(text) IS
    'Withdraws the account''s consent for itself.';

GRANT SELECT ON app.my_missing_consents, app.missing_consents_of_batch TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.apply_consent_purposes(text[], text[], text[], text[], text[]),
    app.give_consent(uuid, text, text, text, bigint), app.withdraw_consent(uuid, text),
    app.reserve_consent_attempt(), app.give_own_consent(text, text),
    app.withdraw_own_consent(text)
    TO hearth_api;
