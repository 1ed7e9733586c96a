-- A name that comes with a later token fills an empty one.
--
-- Some providers tell a name only once their user has given one, and some tell it in one kind of
-- token only. So a sign-in remembers that its user has no name, and then a token that brings one is
-- news. What the user is called already no token changes.
--
-- begin_request has forms that are told whether the token brings a name; those without stay for the
-- programs of the release before. A token brings a name if something is left of it as
-- app.normalised_name has it: whoever begins a request judges that alike, or a token would be news
-- again and again.
--
-- Also here: an anonymous user that acts for a member is refused on the direct path, as by the API.
--
-- Locks: ACCESS EXCLUSIVE on user_identities and the view, for an instant: a column with a constant
-- default, definitions. Then the sign-ins of users without a name are updated, row by row.

ALTER TABLE app.user_identities ADD COLUMN lacks_name boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN app.user_identities.lacks_name IS
    'Whether the user had no name when a token was last looked at: one that brings a name is news.';

UPDATE app.user_identities AS i SET lacks_name = true
FROM app.users AS u
WHERE u.id = i.user_id AND u.full_name IS NULL AND u.deleted_at IS NULL;

CREATE OR REPLACE VIEW app.sign_ins WITH (security_barrier) AS
SELECT i.issuer, i.subject_hash, i.user_id, i.claims_mark, i.lacks_name
FROM app.user_identities AS i
WHERE i.subject_hash = decode(current_setting('hearth.sign_in', true), 'hex');

-- As the form without p_brings_name, which is null or false where the token brings none.
CREATE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean
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
                 OR s.claims_mark = app.claims_mark(p_email, p_email_verified)
                    AND (p_brings_name IS NOT TRUE OR NOT s.lacks_name)) AS fresh) AS t;
END;

COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean) IS
    'Begins the request of a verified token that acts as itself; one row, see outcome.';

CREATE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean, p_acting_as uuid
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            WHEN b.outcome <> 'known' OR p_acting_as IS NULL THEN b.outcome
            WHEN set_config('hearth.guardian_id',
                    CASE WHEN d.honoured THEN b.actor_id::text ELSE '' END, true)
                <> set_config('hearth.user_id',
                    CASE WHEN d.honoured THEN p_acting_as::text ELSE '' END, true) THEN 'known'
            ELSE 'acting_refused'
        END,
        CASE WHEN p_acting_as IS NULL THEN b.user_id WHEN d.honoured THEN p_acting_as END,
        CASE WHEN p_acting_as IS NULL OR d.honoured THEN b.actor_id END
    FROM app.begin_request(
        p_issuer, p_subject_hash, p_email, p_email_verified, p_brings_name) AS b
    CROSS JOIN LATERAL (
        SELECT b.actor_id IS NOT NULL AND p_acting_as IS NOT NULL AND EXISTS (
            SELECT FROM app.delegations AS d
            WHERE d.member_id = p_acting_as AND d.guardian_id = b.actor_id) AS honoured
        OFFSET 0) AS d;
END;

COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean, uuid) IS
    'Begins the request of a verified token, perhaps on behalf of a managed member; one row.';

GRANT EXECUTE ON FUNCTION
    app.begin_request(text, bytea, text, boolean, boolean),
    app.begin_request(text, bytea, text, boolean, boolean, uuid) TO hearth_api;

-- As before, and fills an empty name. Whichever token brings it: what it says of the address is
-- believed by the time of issue, but of an empty name and one that is there no second one is newer.
CREATE OR REPLACE FUNCTION app.see_user(
    p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean,
    p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint DEFAULT NULL
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
    v_verified constant boolean := coalesce(p_email_verified AND v_email IS NOT NULL, false);
    v_mark constant bigint := app.claims_mark(p_email, p_email_verified);
    v_name constant text := app.normalised_name(p_full_name, 80);
    v_role constant text := CASE WHEN p_role IN ('player', 'parent') THEN p_role ELSE 'parent' END;
    v_known record;
    v_user uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(1212499273, hashtext(encode(p_subject_hash, 'hex')));
    SELECT u.id, u.email, u.email_verified, i.lacks_name, i.claims_mark <> v_mark AND (
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
    END IF;
    IF v_known.lacks_name AND v_name IS NOT NULL THEN
        UPDATE app.user_identities AS i SET lacks_name = false
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.users AS u SET full_name = v_name
            WHERE u.id = v_known.id AND u.full_name IS NULL AND u.deleted_at IS NULL;
    ELSIF v_known.id IS NULL THEN
        INSERT INTO app.users (id, email, email_verified, full_name, role)
            VALUES (coalesce(p_adopt_id, gen_random_uuid()), v_email, v_verified, v_name, v_role)
            ON CONFLICT (id) DO NOTHING
            RETURNING id INTO v_user;
        IF v_user IS NULL THEN
            INSERT INTO app.users (email, email_verified, full_name, role)
                VALUES (v_email, v_verified, v_name, v_role)
                RETURNING id INTO v_user;
        END IF;
        INSERT INTO app.user_identities
                (issuer, subject_hash, user_id, claims_mark, claims_issued_at, lacks_name)
            VALUES (p_issuer, p_subject_hash, v_user, v_mark, p_issued_at, v_name IS NULL);
    END IF;
    RETURN QUERY SELECT b.* FROM app.begin_request(
        p_issuer, p_subject_hash, NULL, NULL, p_acting_as) AS b;
END $$;

-- What the token calls its subject, a default for a user who has no name. What nothing is left of
-- counts as absent.
CREATE OR REPLACE FUNCTION gateway.name_claim(p_kind text, p_claims jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE p_kind
    WHEN 'supabase' THEN coalesce(
        app.normalised_name(
            gateway.text_or_null(p_claims -> 'user_metadata' -> 'full_name'), 80),
        app.normalised_name(gateway.text_or_null(p_claims -> 'user_metadata' -> 'name'), 80))
    ELSE app.normalised_name(gateway.text_or_null(p_claims -> 'name'), 80)
END;

CREATE OR REPLACE FUNCTION gateway.begin_request() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
    v_issuer app.trusted_issuers;
    v_subject text;
    v_hash bytea;
    v_email text;
    v_verified boolean;
    v_name text;
    v_issued_at bigint;
    v_acting constant uuid := gateway.acting_as();
    v_outcome text;
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    SELECT i.* INTO v_issuer FROM app.trusted_issuers AS i WHERE i.issuer = v_claims ->> 'iss';
    IF current_setting('role', true) IS DISTINCT FROM 'authenticated'
        OR coalesce(v_claims ->> 'role', 'authenticated') <> 'authenticated'
        OR v_issuer.issuer IS NULL
        OR NOT gateway.is_for_us(v_issuer.kind, v_issuer.audiences, v_claims)
        OR v_issuer.token_use <> v_claims ->> 'token_use' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_subject := gateway.subject(v_issuer.is_primary, v_claims);
    v_email := app.normalised_email(gateway.text_claim(v_claims, 'email'));
    v_issued_at := gateway.issue_time(v_claims);
    IF gateway.is_anonymous(v_issuer.kind, v_claims) THEN
        -- Who has no account acts for nobody, whoever is named.
        v_outcome := CASE WHEN v_acting IS NOT NULL THEN 'acting_refused' ELSE 'known' END;
    ELSE
        v_hash := sha256(convert_to(v_issuer.issuer || E'\n' || v_subject, 'UTF8'));
        -- An address that isn't stored can't be verified: as the API has it.
        v_verified := v_email IS NOT NULL
            AND gateway.email_is_verified(v_issuer.kind, v_issuer.emails_confirmed, v_claims);
        v_name := gateway.name_claim(v_issuer.kind, v_claims);
        SELECT b.outcome INTO v_outcome FROM app.begin_request(
            v_issuer.issuer, v_hash, v_email, v_verified, v_name IS NOT NULL, v_acting) AS b;
    END IF;
    IF v_outcome IN ('unknown', 'stale')
        AND current_setting('transaction_read_only') = 'off' THEN
        SELECT s.outcome INTO v_outcome FROM app.see_user(
            v_issuer.issuer, v_hash, CASE WHEN v_issuer.is_primary THEN v_subject::uuid END,
            v_email, v_verified, v_name,
            CASE v_issuer.kind WHEN 'supabase'
                THEN gateway.text_or_null(v_claims -> 'user_metadata' -> 'role') END,
            v_acting, v_issued_at) AS s;
    ELSIF v_outcome = 'stale' THEN
        -- A read can't refresh the user; it goes on as the user that it is.
        SELECT b.outcome INTO v_outcome
            FROM app.begin_request(v_issuer.issuer, v_hash, NULL, NULL, v_acting) AS b;
    END IF;
    IF v_outcome = 'acting_refused' OR (v_outcome <> 'known' AND v_acting IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'PT403', MESSAGE = 'Not allowed to act for this member.';
    END IF;
END $$;
