-- Which token is believed, who can look a sign-in up, and what an erased user may still do.
--
-- Of two tokens of one sign-in the one that was issued later is believed: an older one, still
-- valid, doesn't put an older address back. claims_issued_at is the issue time (iat, seconds since
-- 1970) of the token that brought the news; null until a token that tells its own has. A token
-- that brings nothing new is not written down: begin_request only reads.
--
-- sign_ins shows one row: that of the hash which begin_request has just been given. delegations
-- shows those of the account whose request has begun. So the API's role can list neither sign-ins
-- nor who guards whom.
--
-- A user that was erased since its token was first seen changes nothing and reads nothing of
-- itself.
--
-- Locks: ACCESS EXCLUSIVE on user_identities and on the views, for an instant: a column without a
-- default, definitions.

ALTER TABLE app.user_identities ADD COLUMN claims_issued_at bigint;

CREATE OR REPLACE VIEW app.sign_ins WITH (security_barrier) AS
SELECT i.issuer, i.subject_hash, i.user_id, i.claims_mark
FROM app.user_identities AS i
WHERE i.subject_hash = decode(current_setting('hearth.sign_in', true), 'hex');

CREATE OR REPLACE VIEW app.delegations WITH (security_barrier) AS
SELECT m.user_id AS member_id, m.active_guardian_id AS guardian_id
FROM app.family_members AS m
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = m.active_guardian_id
WHERE m.status = 'active' AND m.user_kind = 'managed' AND g.status = 'active'
    AND m.active_guardian_id = app.account_id();

-- As before, and names the hash for sign_ins first. No condition joins the two sides, so that the
-- planner has one plan only: the left side, then the look-up.
CREATE OR REPLACE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            -- Left over from a call before, in this transaction: cleared, and so never true.
            WHEN current_setting('hearth.guardian_id', true) <> ''
                AND set_config('hearth.guardian_id', '', true) <> '' THEN NULL
            WHEN set_config('hearth.user_id',
                CASE WHEN t.fresh THEN s.user_id::text ELSE '' END, true) <> '' THEN 'known'
            WHEN s.user_id IS NULL THEN 'unknown'
            ELSE 'stale'
        END,
        CASE WHEN t.fresh THEN s.user_id END,
        CASE WHEN t.fresh THEN s.user_id END
    FROM (SELECT set_config('hearth.sign_in', encode(p_subject_hash, 'hex'), true)) AS named
    LEFT JOIN app.sign_ins AS s ON s.subject_hash = p_subject_hash AND s.issuer = p_issuer
    CROSS JOIN LATERAL (
        SELECT s.user_id IS NOT NULL
            AND (p_email_verified IS NULL
                 OR s.claims_mark = app.claims_mark(p_email, p_email_verified)) AS fresh) AS t;
END;

DROP FUNCTION app.see_user(text, bytea, uuid, text, boolean, text, text, uuid);

-- First sight, or news of a token. p_adopt_id is the subject of a primary issuer, if it is a UUID:
-- it becomes the user's id, so that direct clients find their rows by it; an id that is anybody
-- else's, a managed child's included, is never adopted. Name and role are defaults for a new user
-- and change nothing later. E-mail and verification follow the token issued last (p_issued_at;
-- null counts as before all others). Of two issued in one second, such as the two that some issuers
-- give at each sign-in, the one that tells more counts; so no two of them take turns.
--
-- The request begins as the user it is, whichever token was believed.
--
-- Concurrent first sights of one sign-in wait for each other, by an advisory lock of the class
-- 1212499273.
CREATE FUNCTION app.see_user(
    p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean,
    p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint DEFAULT NULL
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
    v_verified constant boolean := coalesce(p_email_verified AND v_email IS NOT NULL, false);
    v_mark constant bigint := app.claims_mark(p_email, p_email_verified);
    v_role constant text := CASE WHEN p_role IN ('player', 'parent') THEN p_role ELSE 'parent' END;
    v_known record;
    v_user uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(1212499273, hashtext(encode(p_subject_hash, 'hex')));
    SELECT u.id, u.email, u.email_verified, i.claims_mark <> v_mark AND (
            i.claims_issued_at IS NULL
            OR p_issued_at > i.claims_issued_at
            OR (p_issued_at = i.claims_issued_at
                AND (v_verified, v_email IS NOT NULL) > (u.email_verified, u.email IS NOT NULL))
        ) AS is_news
        INTO v_known
        FROM app.user_identities AS i JOIN app.users AS u ON u.id = i.user_id
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
    IF v_known.is_news THEN
        UPDATE app.user_identities AS i SET claims_mark = v_mark, claims_issued_at = p_issued_at
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.users AS u SET email = v_email, email_verified = v_verified
            WHERE u.id = v_known.id AND u.deleted_at IS NULL
            AND (u.email, u.email_verified) IS DISTINCT FROM (v_email, v_verified);
    ELSIF v_known.id IS NULL THEN
        INSERT INTO app.users (id, email, email_verified, full_name, role)
            VALUES (coalesce(p_adopt_id, gen_random_uuid()), v_email, v_verified,
                    app.normalised_name(p_full_name, 80), v_role)
            ON CONFLICT (id) DO NOTHING
            RETURNING id INTO v_user;
        IF v_user IS NULL THEN
            INSERT INTO app.users (email, email_verified, full_name, role)
                VALUES (v_email, v_verified, app.normalised_name(p_full_name, 80), v_role)
                RETURNING id INTO v_user;
        END IF;
        INSERT INTO app.user_identities
                (issuer, subject_hash, user_id, claims_mark, claims_issued_at)
            VALUES (p_issuer, p_subject_hash, v_user, v_mark, p_issued_at);
    END IF;
    RETURN QUERY SELECT b.* FROM app.begin_request(
        p_issuer, p_subject_hash, NULL, NULL, p_acting_as) AS b;
END $$;

COMMENT ON FUNCTION app.see_user(text, bytea, uuid, text, boolean, text, text, uuid, bigint) IS
    'Creates or refreshes the user of a verified token and begins its request.';

GRANT EXECUTE ON FUNCTION
    app.see_user(text, bytea, uuid, text, boolean, text, text, uuid, bigint) TO hearth_api;

-- The account that may change something: refused while acting, to nobody at all, and to a user that
-- was erased since its token was first seen.
CREATE OR REPLACE FUNCTION app.require_account() RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.user_id() IS NOT NULL AND app.account_id() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_while_acting', 'Not while acting for a member.');
    ELSIF NOT EXISTS (
        SELECT FROM app.users AS u WHERE u.id = app.account_id() AND u.deleted_at IS NULL) THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    RETURN app.account_id();
END $$;

CREATE OR REPLACE VIEW app.my_profile WITH (security_barrier) AS
SELECT u.id, u.kind, u.email, u.email_verified, u.full_name, u.role, u.avatar_key, u.avatar_url,
    u.created_at, u.updated_at
FROM app.users AS u
WHERE u.id = app.user_id() AND u.deleted_at IS NULL;

CREATE OR REPLACE FUNCTION app.update_profile(
    p_full_name text, p_avatar_key text, p_avatar_url text, p_role text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_subject constant uuid := app.user_id();
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = v_subject AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    IF p_role IS NOT NULL THEN
        PERFORM app.require_account();
        IF p_role NOT IN ('player', 'parent') THEN
            PERFORM app.refuse('HF400', 'role_unknown', 'A role is player or parent.');
        ELSIF EXISTS (
            SELECT FROM app.users AS u JOIN app.family_members AS m ON m.user_id = u.id
            WHERE u.id = v_subject AND u.role <> p_role AND m.status IN ('active', 'invited')) THEN
            PERFORM app.refuse('HF409', 'role_fixed_in_family',
                'The role can be changed only while you belong to no family.');
        END IF;
    END IF;
    UPDATE app.users AS u SET
            full_name = coalesce(p_full_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END,
            avatar_url = CASE WHEN p_avatar_url IS NULL THEN u.avatar_url
                              ELSE nullif(p_avatar_url, '') END,
            role = coalesce(p_role, u.role)
        WHERE u.id = v_subject;
    PERFORM app.record_audit('profile.update',
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = v_subject AND m.user_kind = 'managed'),
        v_subject, v_subject);
END $$;
