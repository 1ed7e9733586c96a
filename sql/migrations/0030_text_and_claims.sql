-- What both paths read out of a person's text and out of a token, they read alike: Hearth's API
-- (modules Domain and Identity) and the direct path here. Tests hold the two against each other.
--
-- Addresses: the dot-string of RFC 5321 with non-ASCII letters as in RFC 6531, a domain with a dot,
-- nothing that can't be seen.
--
-- Names: characters that steer how text is laid out (general category Cf: marks of direction,
-- spaces of no width) are taken out, except the joiners within, which emoji and scripts need. Else
-- a name could read as another on screen. A trigger does so with what a direct client writes, as
-- the API does with what it is sent.
--
-- The constraints hold for new rows from here on; the next migration brings the old ones into form.
--
-- Locks: ACCESS EXCLUSIVE on users and family_units, for an instant: constraints not validated yet,
-- triggers.

-- Contents of bracket expressions, by code point: classes such as [:space:] follow the locale.
-- Unicode's property White_Space.
CREATE FUNCTION app.white_space() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000';

-- Controls and the separators of lines and paragraphs (general categories Cc, Zl, Zp).
CREATE FUNCTION app.control_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0001-\u001F\u007F-\u009F\u2028\u2029';

-- General category Cf without the two joiners, U+200C and U+200D.
CREATE FUNCTION app.format_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F'
    || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD'
    || '\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001'
    || '\U000E0020-\U000E007F';

-- Private use (Co), and the code points that are for good no characters.
CREATE FUNCTION app.unassignable_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\uE000-\uF8FF\uFDD0-\uFDEF\uFFFE\uFFFF\U0001FFFE\U0001FFFF\U0002FFFE\U0002FFFF'
    || '\U0003FFFE\U0003FFFF\U0004FFFE\U0004FFFF\U0005FFFE\U0005FFFF\U0006FFFE\U0006FFFF'
    || '\U0007FFFE\U0007FFFF\U0008FFFE\U0008FFFF\U0009FFFE\U0009FFFF\U000AFFFE\U000AFFFF'
    || '\U000BFFFE\U000BFFFF\U000CFFFE\U000CFFFF\U000DFFFE\U000DFFFF\U000EFFFE\U000EFFFF'
    || '\U000F0000-\U0010FFFF';

-- Without white space and joiners at either end.
CREATE FUNCTION app.trimmed_text(p_text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text,
    '^[\u200C\u200D' || app.white_space() || ']+|[\u200C\u200D' || app.white_space() || ']+$',
    '', 'g');

-- The one form of a name, a picture's key or another short text. Does not make it acceptable: what
-- is too long or holds a control character stays so.
CREATE FUNCTION app.normalised_text(p_text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN app.trimmed_text(normalize(
    regexp_replace(p_text, '[' || app.format_characters() || ']+', '', 'g'), NFC));

CREATE FUNCTION app.is_short_text(p_text text, p_limit integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN char_length(p_text) BETWEEN 1 AND p_limit
    AND p_text = app.normalised_text(p_text)
    AND p_text !~ ('[' || app.control_characters() || ']');

COMMENT ON FUNCTION app.normalised_text(text) IS
    'A short text in its one form: NFC, trimmed, nothing that steers its layout.';
COMMENT ON FUNCTION app.is_short_text(text, integer) IS
    'Whether a text is in its one form, not empty, within the limit, without controls.';

-- A name found in a token or in player details: made acceptable, or null when nothing is left.
CREATE OR REPLACE FUNCTION app.normalised_name(p_name text, p_limit integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(
    app.trimmed_text(left(
        app.normalised_text(
            regexp_replace(p_name, '[' || app.control_characters() || ']+', ' ', 'g')),
        p_limit)),
    '');

-- Trim, NFC, lower-case of ASCII letters only: look-alikes never match. Null for what is no
-- address, so that an odd claim in a token never stands in the way of signing in.
CREATE OR REPLACE FUNCTION app.normalised_email(p_email text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT n.e FROM (
        SELECT translate(
            normalize(regexp_replace(p_email,
                '^[' || app.white_space() || ']+|[' || app.white_space() || ']+$', '', 'g'), NFC),
            'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') AS e
        -- Computed once, not wherever it is named below.
        OFFSET 0
    ) AS n
    WHERE n.e ~ ('^[a-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+'
            || '(\.[a-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+)*'
            || '@[a-z0-9\u0080-\U0010FFFF-]+(\.[a-z0-9\u0080-\U0010FFFF-]+)+$')
        AND n.e !~ '@(-|.*\.-|.*-\.)|-$'
        AND n.e !~ ('[\u200C\u200D' || app.white_space() || app.control_characters()
            || app.format_characters() || app.unassignable_characters() || ']')
        AND octet_length(n.e) <= 254
        AND octet_length(split_part(n.e, '@', 1)) <= 64
        AND (SELECT max(octet_length(label)) <= 63
             FROM string_to_table(split_part(n.e, '@', 2), '.') AS label)
        -- Signs that NFC turns into ASCII ones, the Kelvin sign first: they would make the address
        -- somebody else's.
        AND p_email !~ '[\u212A\u037E\u1FEF]');

CREATE FUNCTION app.normalise_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.full_name := app.normalised_text(NEW.full_name);
    NEW.avatar_key := app.normalised_text(NEW.avatar_key);
    RETURN NEW;
END $$;

CREATE FUNCTION app.normalise_family() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.family_name := app.normalised_text(NEW.family_name);
    RETURN NEW;
END $$;

-- Judged as the writer: functions are given what is in form already.
CREATE TRIGGER normalise BEFORE UPDATE OF full_name, avatar_key ON app.users
    FOR EACH ROW WHEN (current_user <> 'hearth_owner') EXECUTE FUNCTION app.normalise_person();
CREATE TRIGGER normalise BEFORE INSERT OR UPDATE OF family_name ON app.family_units
    FOR EACH ROW WHEN (current_user <> 'hearth_owner') EXECUTE FUNCTION app.normalise_family();

-- What is_short_text says, written out: a constraint is judged with its writer's rights, and
-- writers have none to functions that only constraints need.
ALTER TABLE app.users
    DROP CONSTRAINT users_full_name_form,
    ADD CONSTRAINT users_full_name_form CHECK (
        char_length(full_name) BETWEEN 1 AND 80
        AND full_name IS NFC NORMALIZED
        AND full_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND full_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'
        AND full_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'
            || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'
            || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'
            || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]')
    ) NOT VALID,
    DROP CONSTRAINT users_avatar_key_form,
    ADD CONSTRAINT users_avatar_key_form CHECK (
        char_length(avatar_key) BETWEEN 1 AND 64
        AND avatar_key IS NFC NORMALIZED
        AND avatar_key !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND avatar_key !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'
        AND avatar_key !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'
            || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'
            || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'
            || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]')
    ) NOT VALID;
ALTER TABLE app.family_units
    DROP CONSTRAINT family_units_name_form,
    ADD CONSTRAINT family_units_name_form CHECK (
        char_length(family_name) BETWEEN 1 AND 80
        AND family_name IS NFC NORMALIZED
        AND family_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND family_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'
        AND family_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'
            || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'
            || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'
            || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]')
    ) NOT VALID;

-- The direct path's token, as module Identity reads one.

CREATE FUNCTION gateway.refuse_token() RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'PT401', MESSAGE = 'This token is not accepted here.';
END $$;

-- A claim that is text, if it is there; null and empty are as good as absent.
CREATE FUNCTION gateway.text_claim(p_claims jsonb, p_name text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF jsonb_typeof(p_claims -> p_name) NOT IN ('string', 'null') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN nullif(p_claims ->> p_name, '');
END $$;

-- A default that its subject wrote: what isn't text counts as absent.
CREATE FUNCTION gateway.text_or_null(p_value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE jsonb_typeof(p_value) WHEN 'string' THEN nullif(p_value #>> '{}', '') END;

DROP FUNCTION gateway.is_for_us(text[], jsonb);

-- Cognito's access tokens name whom they are for as client_id.
CREATE FUNCTION gateway.is_for_us(p_kind text, p_audiences text[], p_claims jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN coalesce(CASE
    WHEN p_kind = 'cognito' AND p_claims -> 'token_use' = '"access"'::jsonb
        THEN gateway.text_or_null(p_claims -> 'client_id') = ANY (p_audiences)
    WHEN p_kind = 'cognito' AND p_claims -> 'token_use' IS DISTINCT FROM '"id"'::jsonb THEN false
    WHEN jsonb_typeof(p_claims -> 'aud') = 'array' THEN p_claims -> 'aud' ?| p_audiences
    ELSE gateway.text_or_null(p_claims -> 'aud') = ANY (p_audiences)
END, false);

-- Seconds since 1970, or null. PostgREST has compared the times of the token with the clock; that
-- of issue is looked at again, because what a token from the future tells would be believed for
-- good. 60 seconds of leeway.
CREATE FUNCTION gateway.issue_time(p_claims jsonb) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_seconds numeric;
BEGIN
    IF NOT p_claims ? 'iat' THEN
        RETURN NULL;
    ELSIF jsonb_typeof(p_claims -> 'iat') <> 'number' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_seconds := floor((p_claims ->> 'iat')::numeric);
    IF v_seconds > extract(epoch FROM clock_timestamp()) + 60 THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN greatest(v_seconds, 0);
END $$;

-- The subject: 1 to 255 characters without controls; of a primary issuer a UUID, in lower case.
CREATE FUNCTION gateway.subject(p_is_primary boolean, p_claims jsonb) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_subject constant text := gateway.text_claim(p_claims, 'sub');
BEGIN
    IF v_subject IS NULL OR char_length(v_subject) > 255 OR v_subject ~ '[\u0001-\u001F\u007F]'
        OR (p_is_primary
            AND v_subject !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN CASE WHEN p_is_primary THEN lower(v_subject) ELSE v_subject END;
END $$;

-- Anonymous users are Supabase's; a word in that claim's place is no answer.
CREATE FUNCTION gateway.is_anonymous(p_kind text, p_claims jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF p_kind = 'supabase'
        AND jsonb_typeof(p_claims -> 'is_anonymous') NOT IN ('boolean', 'null') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN p_kind = 'supabase' AND coalesce(p_claims -> 'is_anonymous' = 'true'::jsonb, false);
END $$;

CREATE OR REPLACE FUNCTION gateway.begin_request() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
    v_issuer app.trusted_issuers;
    v_subject text;
    v_hash bytea;
    v_email text;
    v_verified boolean;
    v_issued_at bigint;
    v_acting constant uuid := gateway.acting_as();
    v_outcome text;
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    SELECT i.* INTO v_issuer FROM app.trusted_issuers AS i WHERE i.issuer = v_claims ->> 'iss';
    IF current_setting('role', true) IS DISTINCT FROM 'authenticated'
        OR coalesce(v_claims ->> 'role', 'authenticated') <> 'authenticated'
        OR v_issuer.issuer IS NULL
        OR NOT gateway.is_for_us(v_issuer.kind, v_issuer.audiences, v_claims) THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_subject := gateway.subject(v_issuer.is_primary, v_claims);
    v_email := app.normalised_email(gateway.text_claim(v_claims, 'email'));
    v_issued_at := gateway.issue_time(v_claims);
    IF gateway.is_anonymous(v_issuer.kind, v_claims) THEN
        RETURN;
    END IF;
    v_hash := sha256(convert_to(v_issuer.issuer || E'\n' || v_subject, 'UTF8'));
    -- An address that isn't stored can't be verified: as the API has it.
    v_verified := v_email IS NOT NULL
        AND gateway.email_is_verified(v_issuer.kind, v_issuer.emails_confirmed, v_claims);
    SELECT b.outcome INTO v_outcome
        FROM app.begin_request(v_issuer.issuer, v_hash, v_email, v_verified, v_acting) AS b;
    IF v_outcome IN ('unknown', 'stale')
        AND current_setting('transaction_read_only') = 'off' THEN
        SELECT s.outcome INTO v_outcome FROM app.see_user(
            v_issuer.issuer, v_hash, CASE WHEN v_issuer.is_primary THEN v_subject::uuid END,
            v_email, v_verified, gateway.name_claim(v_issuer.kind, v_claims),
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

-- What the token calls its subject, a default for a new user.
CREATE FUNCTION gateway.name_claim(p_kind text, p_claims jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE p_kind
    WHEN 'supabase' THEN coalesce(
        gateway.text_or_null(p_claims -> 'user_metadata' -> 'full_name'),
        gateway.text_or_null(p_claims -> 'user_metadata' -> 'name'))
    ELSE gateway.text_or_null(p_claims -> 'name')
END;
