-- Consent of guardians: given, withdrawn, and what the purposes are.
--
-- Any guardian of a child gives and withdraws. Consent is given to the present version of a text;
-- giving it anew ends the one before. A withdrawal counts with the next statement, because policies
-- read the table (0039_consents.sql).
--
-- A mailed code is compared by the application, because it is derived from a key that the database
-- does not have. Attempts at it are counted before.

-- What HEARTH_CONSENTS_FILE says, stored when the API starts. All instances have the same file; the
-- one that started last counts.
CREATE OR REPLACE FUNCTION app.apply_consent_purposes(
    p_purposes text[], p_versions text[], p_required text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274);
    DELETE FROM app.consent_purposes AS p WHERE p.purpose <> ALL (p_purposes);
    INSERT INTO app.consent_purposes AS p (purpose, version, is_required)
        SELECT n.purpose, n.version, n.purpose = ANY (p_required)
        FROM unnest(p_purposes, p_versions) AS n (purpose, version)
        ON CONFLICT (purpose) DO UPDATE
            SET version = excluded.version, is_required = excluded.is_required
            WHERE (p.version, p.is_required) <> (excluded.version, excluded.is_required);
END $$;

COMMENT ON FUNCTION app.apply_consent_purposes(text[], text[], text[]) IS
    'Replaces the purposes of consent: names, versions of the texts, which are required.';

-- Consent that stands already, to the same version and proved alike, stays as it is.
CREATE OR REPLACE FUNCTION app.give_consent(
    p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
    v_version constant text := (
        SELECT p.version FROM app.consent_purposes AS p WHERE p.purpose = p_purpose);
BEGIN
    IF v_version IS NULL THEN
        PERFORM app.refuse('HF404', 'purpose_not_found', 'There is no such purpose.');
    ELSIF p_version IS DISTINCT FROM v_version THEN
        PERFORM app.refuse('HF409', 'consent_outdated', 'The text has another version by now.');
    ELSIF p_method IS NULL OR p_method NOT IN ('signed_in', 'email_code') THEN
        PERFORM app.refuse_field('method', 'A method is signed_in or email_code.');
    ELSIF p_method = 'email_code' AND p_code_is_right IS NOT TRUE THEN
        PERFORM app.refuse('HF400', 'code_wrong', 'The code is wrong or too old.');
    ELSIF EXISTS (
        SELECT FROM app.consents AS c
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.version = p_version
            AND c.ended_at IS NULL AND c.method IN ('email_code', p_method)) THEN
        RETURN;
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

COMMENT ON FUNCTION app.give_consent(uuid, text, text, text, boolean) IS
    'Gives consent for a child that the caller guards.';

-- Withdrawing what does not stand changes nothing.
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
    'Withdraws consent for a child that the caller guards.';

-- A change that is stored elsewhere shows as a change of the member.
CREATE OR REPLACE FUNCTION app.mark_member_changed(p_member uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.family_members AS m SET updated_at = now() WHERE m.id = p_member;
END;

-- Counts an attempt at a mailed code. A row means that it must not be looked at.
CREATE OR REPLACE FUNCTION app.reserve_consent_attempt()
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    SELECT r.* FROM app.reserve_hits(
        ARRAY['consent:account:' || app.require_account()], ARRAY[app.max_consent_attempts()],
        app.fresh_proof_time()) AS r;
$$;

COMMENT ON FUNCTION app.reserve_consent_attempt() IS
    'Counts an attempt at the code that proves a consent; a row means that there were too many.';

GRANT EXECUTE ON FUNCTION
    app.apply_consent_purposes(text[], text[], text[]),
    app.give_consent(uuid, text, text, text, boolean), app.withdraw_consent(uuid, text),
    app.reserve_consent_attempt()
    TO hearth_api;
