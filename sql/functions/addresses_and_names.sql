-- Normal forms of names and addresses.
--
-- Hearth's API (module Domain) and the direct path here normalise texts alike. Tests compare the
-- two.
--
-- Addresses: the dot-string of RFC 5321 with non-ASCII letters as in RFC 6531, a domain with a dot,
-- no invisible characters.
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
