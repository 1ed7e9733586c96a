-- Normal forms of names and addresses.
--
-- Hearth's API (module Domain) and the direct path here normalise texts alike. Tests compare the
-- two.
--
-- Addresses: the dot-string of RFC 5321 with non-ASCII letters as in RFC 6531, a domain with a dot,
-- no invisible characters. They are stored as typed, and compared as mailboxes: the local part, and
-- the domain as A-label (migration 0055).
--
-- Names: characters that control text layout (general category Cf: marks of direction, spaces of no
-- width) are removed, except joiners inside the text, which emoji and some scripts need. Otherwise
-- a name could look like another on screen. A trigger does this for direct clients, the API for its
-- own.

-- Contents of bracket expressions, by code point: classes such as [:space:] follow the locale.
-- Unicode's property White_Space.
CREATE OR REPLACE FUNCTION app.white_space() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000';

-- Controls and the separators of lines and paragraphs (general categories Cc, Zl, Zp).
CREATE OR REPLACE FUNCTION app.control_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0001-\u001F\u007F-\u009F\u2028\u2029';

-- General category Cf without the two joiners, U+200C and U+200D.
CREATE OR REPLACE FUNCTION app.format_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F'
    || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD'
    || '\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001'
    || '\U000E0020-\U000E007F';

-- Private use (Co), and the code points that will never be characters.
CREATE OR REPLACE FUNCTION app.unassignable_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\uE000-\uF8FF\uFDD0-\uFDEF\uFFFE\uFFFF\U0001FFFE\U0001FFFF\U0002FFFE\U0002FFFF'
    || '\U0003FFFE\U0003FFFF\U0004FFFE\U0004FFFF\U0005FFFE\U0005FFFF\U0006FFFE\U0006FFFF'
    || '\U0007FFFE\U0007FFFF\U0008FFFE\U0008FFFF\U0009FFFE\U0009FFFF\U000AFFFE\U000AFFFF'
    || '\U000BFFFE\U000BFFFF\U000CFFFE\U000CFFFF\U000DFFFE\U000DFFFF\U000EFFFE\U000EFFFF'
    || '\U000F0000-\U0010FFFF';

-- Without white space and joiners at either end.
CREATE OR REPLACE FUNCTION app.trimmed_text(p_text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text,
    '^[\u200C\u200D' || app.white_space() || ']+|[\u200C\u200D' || app.white_space() || ']+$',
    '', 'g');

-- The normal form of a name, a picture's key or another short text. It does not make it acceptable:
-- excess length and control characters stay.
CREATE OR REPLACE FUNCTION app.normalised_text(p_text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN app.trimmed_text(normalize(
    regexp_replace(p_text, '[' || app.format_characters() || ']+', '', 'g'), NFC));

COMMENT ON FUNCTION app.normalised_text(text) IS
    'A short text in its one form: NFC, trimmed, nothing that steers its layout.';

CREATE OR REPLACE FUNCTION app.is_short_text(p_text text, p_limit integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN char_length(p_text) BETWEEN 1 AND p_limit
    AND p_text = app.normalised_text(p_text)
    AND p_text !~ ('[' || app.control_characters() || ']');

COMMENT ON FUNCTION app.is_short_text(text, integer) IS
    'Whether a text is in its one form, not empty, within the limit, without controls.';

-- A name from a token or from player details, made acceptable; null if nothing is left.
CREATE OR REPLACE FUNCTION app.normalised_name(p_name text, p_limit integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(
    app.trimmed_text(left(
        app.normalised_text(
            regexp_replace(p_name, '[' || app.control_characters() || ']+', ' ', 'g')),
        p_limit)),
    '');

-- Trim, NFC, lower-case of ASCII letters only: look-alikes never match. Null for a malformed
-- address, so that an odd claim in a token never prevents a sign-in.
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

-- The key of a domain that is not ASCII in app.domain_labels: its spelling in lower case. Some
-- letters would become other ones than in IDNA, depending on the database's language and on where
-- they stand (capital I with a dot or an accent, capital sigma, capital sharp s): spelt with one of
-- them, a domain is known only as it is spelt.
CREATE OR REPLACE FUNCTION app.domain_key(p_domain text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN p_domain ~ '[\u00CC\u00CD\u0128\u0130\u03A3\u1E9E]' THEN p_domain
    ELSE normalize(lower(p_domain), NFC) END;

-- The A-label of an address's domain that is not ASCII; null if the domain is ASCII, or if no
-- program has stored the A-label of this spelling.
CREATE OR REPLACE FUNCTION app.a_label_of(p_email text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN p_email !~ '@[!-~]+$' THEN (
    SELECT l.a_label FROM app.domain_labels AS l
    WHERE l.spelling = app.domain_key(split_part(p_email, '@', 2))) END;

-- The form in which an address is compared; null for a malformed one, and for one whose domain's
-- A-label is unknown.
CREATE OR REPLACE FUNCTION app.mailbox_of(p_email text) RETURNS text
LANGUAGE sql STABLE
RETURN (
    SELECT CASE WHEN n.e ~ '@[!-~]+$' THEN n.e
        ELSE split_part(n.e, '@', 1) || '@' || app.a_label_of(n.e) END
    FROM (SELECT app.normalised_email(p_email) AS e OFFSET 0) AS n);

CREATE OR REPLACE FUNCTION app.label_domain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.email_domain := app.a_label_of(to_jsonb(NEW) ->> TG_ARGV[0]);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email ON app.users
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF invited_email
    ON app.family_invitations
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.invited_email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('invited_email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email ON app.mailed_tickets
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email ON app.email_sign_ins
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email
    ON app.suppressed_addresses
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email ON app.refused_invitations
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('email');

-- Stores the A-label of a domain that is not ASCII, which a program has computed, before anything
-- is stored or compared by it; rows that lack it get it. One that was stored within a day stays as
-- it is, so that requests don't wait for each other.
CREATE OR REPLACE FUNCTION app.know_domain(p_spelling text, p_a_label text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key constant text := app.domain_key(p_spelling);
BEGIN
    IF EXISTS (
        SELECT FROM app.domain_labels AS l
        WHERE l.spelling = v_key AND l.noted_at BETWEEN now() - interval '1 day' AND now()) THEN
        RETURN;
    END IF;
    INSERT INTO app.domain_labels AS l (spelling, a_label) VALUES (v_key, p_a_label)
        ON CONFLICT (spelling) DO UPDATE SET noted_at = now();
    -- What the migration could not fill, and what direct clients' tokens told before. Where two
    -- spellings of one mailbox stand in each other's way, the later one stays without: see doctor.
    UPDATE app.users AS u SET email = u.email
        WHERE u.mailbox IS NULL AND u.email IS NOT NULL
            AND app.domain_key(split_part(u.email, '@', 2)) = v_key;
    UPDATE app.email_sign_ins AS e SET email = e.email
        WHERE e.mailbox IS NULL AND app.domain_key(split_part(e.email, '@', 2)) = v_key
            AND NOT EXISTS (SELECT FROM app.email_sign_ins AS o
                            WHERE o.mailbox = app.mailbox_of(e.email) AND o.removed_at IS NULL);
    UPDATE app.family_invitations AS i SET invited_email = i.invited_email
        WHERE i.mailbox IS NULL AND i.invited_email IS NOT NULL
            AND app.domain_key(split_part(i.invited_email, '@', 2)) = v_key
            AND NOT EXISTS (SELECT FROM app.family_invitations AS o
                            WHERE o.family_unit_id = i.family_unit_id AND o.status = 'pending'
                                AND o.mailbox = app.mailbox_of(i.invited_email));
    UPDATE app.suppressed_addresses AS x SET email = x.email
        WHERE x.mailbox IS NULL AND app.domain_key(split_part(x.email, '@', 2)) = v_key
            AND NOT EXISTS (SELECT FROM app.suppressed_addresses AS o
                            WHERE o.mailbox = app.mailbox_of(x.email));
    UPDATE app.refused_invitations AS r SET email = r.email
        WHERE r.mailbox IS NULL AND app.domain_key(split_part(r.email, '@', 2)) = v_key
            AND NOT EXISTS (SELECT FROM app.refused_invitations AS o
                            WHERE o.mailbox = app.mailbox_of(r.email)
                                AND o.family_unit_id IS NOT DISTINCT FROM r.family_unit_id);
END $$;

COMMENT ON FUNCTION app.know_domain(text, text) IS
    'Stores the A-label of a domain that is not ASCII, by its spelling.';

GRANT EXECUTE ON FUNCTION app.know_domain(text, text) TO hearth_api, hearth_admin;

-- Triggers for direct clients' writes. Their condition is evaluated as the writing role: functions
-- run as hearth_owner and get normalised values.

CREATE OR REPLACE FUNCTION app.normalise_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.full_name := app.normalised_text(NEW.full_name);
    NEW.avatar_key := app.normalised_text(NEW.avatar_key);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER normalise BEFORE UPDATE OF full_name, avatar_key ON app.users
    FOR EACH ROW WHEN (current_user <> 'hearth_owner') EXECUTE FUNCTION app.normalise_person();

CREATE OR REPLACE FUNCTION app.normalise_family() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.family_name := app.normalised_text(NEW.family_name);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER normalise BEFORE INSERT OR UPDATE OF family_name ON app.family_units
    FOR EACH ROW WHEN (current_user <> 'hearth_owner') EXECUTE FUNCTION app.normalise_family();
