-- Sign-ins: the data of a verified token, and what the database stores of it.
--
-- If a sign-in has two valid tokens, the one issued later is used: the older one does not restore
-- an earlier address. A token without changes causes no write: begin_request (barrier.sql) only
-- reads.
--
-- A person who signs in again after an erasure has a new account. No token that was issued before
-- the erasure may lead to it. begin_request does not know when a token was issued. So while the
-- erasure is remembered, the sign-in has no mark (stored_claims_mark), and upsert_user checks each
-- of the sign-in's tokens. This costs other people nothing.
--
-- A token has a name if app.normalised_name returns one. All callers of begin_request must decide
-- this in the same way, or a token would cause a write with each request. The name fills an empty
-- one; no token changes an existing name.

CREATE OR REPLACE FUNCTION app.claims_mark(p_email text, p_email_verified boolean) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(
    CASE WHEN p_email_verified THEN '+' ELSE '-' END || coalesce(p_email, ''), 0);

-- Whether a token changes nothing about its user. p_mark and p_lacks_name are those of its sign-in.
-- If p_email_verified is null, nothing is compared. p_brings_name is null or false if the token has
-- no name. If p_mark is null, the result is null, which callers treat as false.
CREATE OR REPLACE FUNCTION app.claims_unchanged(
    p_mark bigint, p_lacks_name boolean, p_email text, p_email_verified boolean,
    p_brings_name boolean
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_email_verified IS NULL
    OR (p_mark = app.claims_mark(p_email, p_email_verified)
        AND (p_brings_name IS NOT TRUE OR NOT p_lacks_name));

-- Stores the user of a new sign-in, or the changes of a token. p_adopt_id is the subject of a
-- primary issuer, which is a UUID. It becomes the account's id, so that direct clients find their
-- rows by it (adopt_primary_subject in account_ids.sql); an id that any other user has, even a
-- managed child, is never adopted. Name and role are defaults for a new user and change nothing
-- later. E-mail and verification follow the token issued last (p_issued_at; null is treated as
-- earlier than all others), unless the sign-in was added to an existing account (tells_address). Of
-- two tokens issued in one second, such as the two that some issuers send at each sign-in, the one
-- with more data is used, so that they don't alternate. Any token fills an empty name.
--
-- The request begins as this user, whichever token was used. If an account of this sign-in was
-- erased after the token was issued, the token leads to no account, not even to a later one: the
-- outcome is `unknown`.
--
-- If p_links_address is true, a new sign-in with a verified address is added to the account that
-- has proved this address by e-mail (link_by_address in linking.sql), instead of creating an
-- account.
--
-- Concurrent first requests of one sign-in wait for each other, by an advisory lock of the class
-- 1212499273.
CREATE OR REPLACE FUNCTION app.upsert_user(
    p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean,
    p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint DEFAULT NULL,
    p_links_address boolean DEFAULT false
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
    v_verified constant boolean := coalesce(p_email_verified AND v_email IS NOT NULL, false);
    v_mark constant bigint := app.claims_mark(p_email, p_email_verified);
    v_stored_mark bigint;
    v_name constant text := app.normalised_name(p_full_name, 80);
    v_role constant text := CASE WHEN p_role IN ('player', 'parent') THEN p_role END;
    v_sign_in record;
    v_user uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(1212499273, hashtext(encode(p_subject_hash, 'hex')));
    IF app.was_erased(p_subject_hash, p_issued_at) THEN
        RETURN QUERY SELECT b.* FROM app.begin_request(NULL, NULL, NULL, NULL, NULL) AS b;
        RETURN;
    END IF;
    v_stored_mark := app.stored_claims_mark(p_subject_hash, p_email, p_email_verified);
    SELECT u.id, u.email, u.email_verified, i.lacks_name, i.tells_address,
        i.claims_mark IS DISTINCT FROM v_mark AND (
            i.claims_issued_at IS NULL
            OR p_issued_at > i.claims_issued_at
            OR (p_issued_at = i.claims_issued_at AND (
                (v_verified, v_email IS NOT NULL) > (u.email_verified, u.email IS NOT NULL)
                -- The erasure is no longer remembered.
                OR (i.claims_mark IS NULL AND v_stored_mark IS NOT NULL
                    AND (u.email, u.email_verified) IS NOT DISTINCT FROM (v_email, v_verified))))
        ) AS needs_update
        INTO v_sign_in
        FROM app.user_identities AS i JOIN app.users AS u ON u.id = i.user_id
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
    -- Checked again, because an erasure does not wait for this function's lock: if the look-up
    -- found no user because of an erasure, the erasure is visible by now.
    IF v_sign_in.id IS NULL AND app.was_erased(p_subject_hash, p_issued_at) THEN
        RETURN QUERY SELECT b.* FROM app.begin_request(NULL, NULL, NULL, NULL, NULL) AS b;
        RETURN;
    END IF;
    v_stored_mark := app.stored_claims_mark(p_subject_hash, p_email, p_email_verified);
    -- While the account is an operator, its address doesn't change: the sign-in keeps its old mark,
    -- so that a token with another address is examined again once the account is no longer an
    -- operator.
    IF v_sign_in.needs_update AND NOT app.is_operator(v_sign_in.id) THEN
        UPDATE app.user_identities AS i
            SET claims_mark = v_stored_mark, claims_issued_at = p_issued_at
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.users AS u SET email = v_email, email_verified = v_verified
            WHERE u.id = v_sign_in.id AND u.deleted_at IS NULL AND v_sign_in.tells_address
            AND (u.email, u.email_verified) IS DISTINCT FROM (v_email, v_verified);
    END IF;
    IF v_sign_in.lacks_name AND v_name IS NOT NULL THEN
        UPDATE app.user_identities AS i SET lacks_name = false
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.users AS u SET full_name = v_name
            WHERE u.id = v_sign_in.id AND u.full_name IS NULL AND u.deleted_at IS NULL;
    ELSIF v_sign_in.id IS NULL AND p_links_address AND v_verified THEN
        v_sign_in.id := app.link_by_address(
            p_issuer, p_subject_hash, v_email, p_adopt_id IS NOT NULL, v_stored_mark, p_issued_at,
            v_name, v_role);
    END IF;
    IF v_sign_in.id IS NULL THEN
        IF p_adopt_id IS NULL OR app.is_free_id(p_adopt_id) THEN
            INSERT INTO app.users (id, email, email_verified, full_name, role, role_is_default)
                VALUES (coalesce(p_adopt_id, gen_random_uuid()), v_email, v_verified, v_name,
                    coalesce(v_role, 'parent'), v_role IS NULL)
                ON CONFLICT (id) DO NOTHING
                RETURNING id INTO v_user;
        END IF;
        IF v_user IS NULL THEN
            INSERT INTO app.users (email, email_verified, full_name, role, role_is_default)
                VALUES (v_email, v_verified, v_name, coalesce(v_role, 'parent'), v_role IS NULL)
                RETURNING id INTO v_user;
        END IF;
        INSERT INTO app.user_identities
                (issuer, subject_hash, user_id, claims_mark, claims_issued_at, lacks_name)
            VALUES (p_issuer, p_subject_hash, v_user, v_stored_mark, p_issued_at, v_name IS NULL);
    END IF;
    IF v_sign_in.id <> p_adopt_id THEN
        PERFORM app.adopt_primary_subject(v_sign_in.id, p_adopt_id);
    END IF;
    RETURN QUERY SELECT b.* FROM app.begin_request(
        p_issuer, p_subject_hash, NULL, NULL, NULL, p_acting_as) AS b;
END $$;

COMMENT ON FUNCTION app.upsert_user(
    text, bytea, uuid, text, boolean, text, text, uuid, bigint, boolean) IS
    'Creates or updates the user of a verified token and begins its request.';

GRANT EXECUTE ON FUNCTION
    app.claims_mark(text, boolean),
    app.claims_unchanged(bigint, boolean, text, boolean, boolean),
    app.upsert_user(text, bytea, uuid, text, boolean, text, text, uuid, bigint, boolean)
    TO hearth_api;
