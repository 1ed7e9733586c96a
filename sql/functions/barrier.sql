-- The barrier between tenants: for whom a transaction shows rows. docs/security.md shows this file.
--
-- Policies and views show the rows of whom three settings name, and no row while they are empty.
-- The settings end with the transaction. Only set_caller writes them.
--
-- The API sends one of these functions before the statements of each request, with claims that it
-- has verified. Outcomes, with the caller only if it is `known`:
--   known           the request may go on
--   unknown         first sight of this sign-in: call see_user, then go on
--   stale           the token brings another address or verification than the last one, or a name
--                   that is missing, or an erasure of this sign-in is remembered: call see_user
--   session_ended   the session was ended, has run out, is another account's, or never was
--   acting_refused  the account may not act for this member, whatever the reason

-- Sets the subject, whose rows are visible, and the account that makes the request: its guardian,
-- if they differ. Both are null for nobody. p_callers is for batches only (batches.sql). Callers
-- pass variables, which no longer depend on the settings.
CREATE OR REPLACE FUNCTION app.set_caller(
    p_subject uuid, p_account uuid, p_callers uuid[] DEFAULT NULL) RETURNS text
LANGUAGE sql VOLATILE
RETURN concat(
    set_config('hearth.user_id', coalesce(p_subject::text, ''), true),
    set_config('hearth.guardian_id', coalesce(nullif(p_account, p_subject)::text, ''), true),
    set_config('hearth.callers', coalesce(p_callers::text, ''), true));

-- Whether an account is the guardian of this managed member, both active in the same family.
CREATE OR REPLACE FUNCTION app.may_act_for(p_account uuid, p_member uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.guardianships AS w
        JOIN app.family_members AS m ON m.id = w.member_id
        JOIN app.family_members AS g
            ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
        WHERE w.guardian_user_id = p_account AND g.status = 'active'
            AND m.user_id = p_member AND m.user_kind = 'managed' AND m.status = 'active');
END $$;

-- Begins the request of another issuer's token, perhaps on behalf of a managed member. With
-- p_email_verified null it is not compared with what the last token brought.
CREATE OR REPLACE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean DEFAULT NULL, p_acting_as uuid DEFAULT NULL,
    OUT outcome text, OUT user_id uuid, OUT actor_id uuid
) LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account uuid;
    v_is_current boolean;
BEGIN
    SELECT i.user_id, app.tells_nothing_new(
            i.claims_mark, i.lacks_name, p_email, p_email_verified, p_brings_name)
        INTO v_account, v_is_current
        FROM app.user_identities AS i
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
    IF v_account IS NULL THEN
        outcome := 'unknown';
    ELSIF v_is_current IS NOT TRUE THEN
        outcome := 'stale';
    ELSIF p_acting_as IS NULL THEN
        outcome := 'known'; user_id := v_account; actor_id := v_account;
    ELSIF app.may_act_for(v_account, p_acting_as) THEN
        outcome := 'known'; user_id := p_acting_as; actor_id := v_account;
    ELSE
        outcome := 'acting_refused';
    END IF;
    PERFORM app.set_caller(user_id, actor_id),
        set_config('hearth.sign_in', encode(p_subject_hash, 'hex'), true);
END $$;

-- Begins the request of a token of Hearth's own: of this session of this account, whose id may be
-- one that it had before (account_ids.sql).
CREATE OR REPLACE FUNCTION app.begin_session(
    p_session uuid, p_user uuid, p_acting_as uuid DEFAULT NULL,
    OUT outcome text, OUT user_id uuid, OUT actor_id uuid
) LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account uuid;
BEGIN
    SELECT s.user_id INTO v_account FROM app.unended_sessions AS s
        WHERE s.id = p_session AND (s.user_id = p_user OR p_user = ANY (s.former_user_ids));
    IF v_account IS NULL THEN
        outcome := 'session_ended';
    ELSIF p_acting_as IS NULL THEN
        outcome := 'known'; user_id := v_account; actor_id := v_account;
    ELSIF app.may_act_for(v_account, p_acting_as) THEN
        outcome := 'known'; user_id := p_acting_as; actor_id := v_account;
    ELSE
        outcome := 'acting_refused';
    END IF;
    PERFORM app.set_caller(user_id, actor_id),
        set_config('hearth.session', coalesce(p_session::text, ''), true);
END $$;

COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean, uuid) IS
    'Begins the request of a verified token, perhaps on behalf of a managed member; see outcome.';
COMMENT ON FUNCTION app.begin_session(uuid, uuid, uuid) IS
    'Begins the request of a session''s token, perhaps on behalf of a managed member; see outcome.';

GRANT EXECUTE ON FUNCTION
    app.begin_request(text, bytea, text, boolean, boolean, uuid),
    app.begin_session(uuid, uuid, uuid) TO hearth_api;
