-- Normal forms of names and addresses.
--
-- Hearth's API (module Domain) and these functions, for direct clients, normalise texts in the same
-- way. Tests compare the two.
--
-- Addresses: a dot-string of RFC 5321 with non-ASCII letters as in RFC 6531, a domain with a dot,
-- and no invisible characters. They are stored as typed. They are compared as mailboxes: the local
-- part, and the domain as A-label.
--
-- Names: direction marks, zero-width spaces, noncharacters and other characters that control the
-- layout are removed, because with them one name could look like another. Joiners and tag
-- characters stay where Unicode allows them because a script or an emoji needs them (UAX #31, UTS
-- #51). A name needs a visible character. A trigger normalises names of direct clients; the API
-- normalises its own.

-- These functions return the contents of bracket expressions, by code point, because classes such
-- as [:space:] depend on the locale. This one is Unicode's property White_Space.
CREATE OR REPLACE FUNCTION app.white_space() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000';

-- Controls, line separators and paragraph separators (general categories Cc, Zl, Zp).
CREATE OR REPLACE FUNCTION app.control_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0001-\u001F\u007F-\u009F\u2028\u2029';

-- General category Cf except the two joiners, U+200C and U+200D.
CREATE OR REPLACE FUNCTION app.format_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F'
    || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD'
    || '\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001'
    || '\U000E0020-\U000E007F';

-- Private-use characters (Co) and noncharacters.
CREATE OR REPLACE FUNCTION app.unassignable_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\uE000-\uF8FF\uFDD0-\uFDEF\uFFFE\uFFFF\U0001FFFE\U0001FFFF\U0002FFFE\U0002FFFF'
    || '\U0003FFFE\U0003FFFF\U0004FFFE\U0004FFFF\U0005FFFE\U0005FFFF\U0006FFFE\U0006FFFF'
    || '\U0007FFFE\U0007FFFF\U0008FFFE\U0008FFFF\U0009FFFE\U0009FFFF\U000AFFFE\U000AFFFF'
    || '\U000BFFFE\U000BFFFF\U000CFFFE\U000CFFFF\U000DFFFE\U000DFFFF\U000EFFFE\U000EFFFF'
    || '\U000F0000-\U0010FFFF';

-- Noncharacters, and characters that control the layout of a text: default-ignorable ones of
-- general category Cf, and interlinear annotations. Joiners, tag characters and the Mongolian vowel
-- separator are not listed: whether they may stay depends on their neighbours.
CREATE OR REPLACE FUNCTION app.layout_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFDD0-\uFDEF'
    || '\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U0001FFFE'
    || '\U0001FFFF\U0002FFFE\U0002FFFF\U0003FFFE\U0003FFFF\U0004FFFE\U0004FFFF\U0005FFFE'
    || '\U0005FFFF\U0006FFFE\U0006FFFF\U0007FFFE\U0007FFFF\U0008FFFE\U0008FFFF\U0009FFFE'
    || '\U0009FFFF\U000AFFFE\U000AFFFF\U000BFFFE\U000BFFFF\U000CFFFE\U000CFFFF\U000DFFFE'
    || '\U000DFFFF\U000E0001\U000EFFFE\U000EFFFF\U000FFFFE\U000FFFFF\U0010FFFE\U0010FFFF';

-- Viramas: canonical combining class 9.
CREATE OR REPLACE FUNCTION app.viramas() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E3A\u0EBA'
    || '\u0F84\u1039\u103A\u1714\u1715\u1734\u17D2\u1A60\u1B44\u1BAA\u1BAB\u1BF2\u1BF3\u2D7F'
    || '\uA806\uA82C\uA8C4\uA953\uA9C0\uAAF6\uABED\U00010A3F\U00011046\U00011070\U0001107F'
    || '\U000110B9\U00011133\U00011134\U000111C0\U00011235\U000112EA\U0001134D\U000113CE'
    || '\U000113CF\U000113D0\U00011442\U000114C2\U000115BF\U0001163F\U000116B6\U0001172B'
    || '\U00011839\U0001193D\U0001193E\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F'
    || '\U00011D44\U00011D45\U00011D97\U00011F41\U00011F42\U0001612F';

-- The blocks of scripts with joining letters.
CREATE OR REPLACE FUNCTION app.joining_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u0620-\u065F\u066E-\u06DC\u06DF-\u06EF\u06FA-\u06FF\u0710-\u077F\u07CA-\u07FA'
    || '\u0840-\u085F\u0860-\u088E\u0897-\u08E1\u08E3-\u08FF\u1807\u180B-\u180D\u1820-\u18AA'
    || '\uA840-\uA873\U00010AC0-\U00010AEF\U00010B80-\U00010BAF\U00010D00-\U00010D27'
    || '\U00010F30-\U00010F54\U00010F70-\U00010F85\U00010FB0-\U00010FCB\U0001E900-\U0001E94B';

-- The emoji blocks, and the few emoji outside them.
CREATE OR REPLACE FUNCTION app.emoji_characters() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u2BFF\u3030\u303D\u3297\u3299'
    || '\U0001F000-\U0001FAFF';

-- Removes tag characters outside the tag sequence of an emoji.
CREATE OR REPLACE FUNCTION app.without_stray_tags(p_text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text,
    '([' || app.emoji_characters() || ']\uFE0F?[\U000E0020-\U000E007E]+\U000E007F)'
        || '|[\U000E0020-\U000E007F]',
    '\1', 'g');

-- Returns the text in NFC without stray joiners and vowel separators. A joiner may stay beside a
-- virama and between joining letters; a zero-width joiner also between emoji; a vowel separator
-- between Mongolian letters. After a removal NFC may reorder marks, which changes the neighbours of
-- other joiners, so the function repeats until nothing changes.
CREATE OR REPLACE FUNCTION app.without_stray_joiners(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = '' AS $$
DECLARE
    v_virama constant text := app.viramas();
    v_joining constant text := app.joining_characters();
    v_emoji constant text := app.emoji_characters();
    v_stray constant text :=
        '(?<![' || v_virama || '])(?:(?<![' || v_joining || '])\u200C(?![' || v_virama || '])'
            || '|\u200C(?![' || v_joining || v_virama || '])'
            || '|(?<![' || v_joining || '])(?<![' || v_emoji || ']\uFE0F?)(?<!\U000E007F)'
                || '\u200D(?![' || v_virama || '])'
            || '|(?<![' || v_joining || '])\u200D(?![' || v_emoji || v_virama || '])'
            || '|(?<![' || v_emoji || ']\uFE0F?)(?<!\U000E007F)'
                || '\u200D(?![' || v_joining || v_virama || '])'
            || '|\u200D(?![' || v_joining || v_emoji || v_virama || ']))'
            || '|(?<![\u1820-\u1878\u180B-\u180D])\u180E|\u180E(?![\u1820-\u1878])';
    v_text text := normalize(p_text, NFC);
    v_before text;
BEGIN
    LOOP
        v_before := v_text;
        v_text := normalize(regexp_replace(v_text, v_stray, '', 'g'), NFC);
        EXIT WHEN v_text IS NOT DISTINCT FROM v_before;
    END LOOP;
    RETURN v_text;
END $$;

CREATE OR REPLACE FUNCTION app.trimmed_text(p_text text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(p_text,
    '^[' || app.white_space() || ']+|[' || app.white_space() || ']+$', '', 'g');

-- The normal form of a name, the key of a picture or another short text. The result may still be
-- unacceptable: excess length and control characters stay.
CREATE OR REPLACE FUNCTION app.normalised_text(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = '' AS $$
DECLARE
    v_text text;
BEGIN
    IF p_text ~ '^[!-~]([ -~]*[!-~])?$' THEN
        RETURN p_text;
    END IF;
    v_text := regexp_replace(p_text, '[' || app.layout_characters() || ']+', '', 'g');
    IF v_text ~ '[\u180E\u200C\u200D\U000E0020-\U000E007F]' THEN
        v_text := app.without_stray_joiners(app.without_stray_tags(v_text));
    ELSE
        v_text := normalize(v_text, NFC);
    END IF;
    RETURN app.trimmed_text(v_text);
END $$;

COMMENT ON FUNCTION app.normalised_text(text) IS
    'The normal form of a short text: NFC, trimmed, without characters that control its layout.';

CREATE OR REPLACE FUNCTION app.has_visible_character(p_text text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = '' AS $$
BEGIN
    -- The planner computes app.visible_characters(), which takes milliseconds. So the second
    -- expression is separate: it is planned only for texts without a visible ASCII character.
    IF p_text ~ '[!-~]' THEN
        RETURN true;
    END IF;
    RETURN EXISTS (
        SELECT FROM string_to_table(p_text, NULL) AS c WHERE ascii(c) <@ app.visible_characters());
END $$;

CREATE OR REPLACE FUNCTION app.is_short_text(p_text text, p_limit integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN char_length(p_text) BETWEEN 1 AND p_limit
    AND p_text = app.normalised_text(p_text)
    AND p_text !~ ('[' || app.control_characters() || ']')
    AND app.has_visible_character(p_text);

COMMENT ON FUNCTION app.is_short_text(text, integer) IS
    'Whether a text is in normal form, visible, within the limit and without controls.';

-- The acceptable form of a name from a token or from player details; null if no visible character
-- remains.
CREATE OR REPLACE FUNCTION app.normalised_name(p_name text, p_limit integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = '' AS $$
DECLARE
    v_name constant text := app.normalised_text(left(
        app.normalised_text(
            regexp_replace(p_name, '[' || app.control_characters() || ']+', ' ', 'g')),
        p_limit));
BEGIN
    RETURN CASE WHEN app.has_visible_character(v_name) THEN v_name END;
END $$;

-- The name to show for a person: the full name, or else the local part of a verified address.
-- PostgreSQL inlines the function only for callers who may execute it, so all readers of views with
-- names have that right.
CREATE OR REPLACE FUNCTION app.display_name(
    p_full_name text, p_email text, p_email_verified boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(p_full_name,
    CASE WHEN p_email_verified THEN regexp_replace(p_email, '@[^@]*$', '') END, 'Member');

-- Trims, applies NFC and lower-cases ASCII letters only, so that look-alikes never match. Null for
-- a malformed address, so that an odd claim in a token never prevents a sign-in.
CREATE OR REPLACE FUNCTION app.normalised_email(p_email text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = '' AS $$
DECLARE
    v_email constant text := translate(
        normalize(regexp_replace(p_email,
            '^[' || app.white_space() || ']+|[' || app.white_space() || ']+$', '', 'g'), NFC),
        'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
BEGIN
    IF v_email ~ ('^[a-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+'
            || '(\.[a-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+)*'
            || '@[a-z0-9\u0080-\U0010FFFF-]+(\.[a-z0-9\u0080-\U0010FFFF-]+)+$')
        AND v_email !~ '@(-|.*\.-|.*-\.)|-$'
        AND v_email !~ ('[\u200C\u200D' || app.white_space() || app.control_characters()
            || app.format_characters() || app.unassignable_characters() || ']')
        AND octet_length(v_email) <= 254
        AND octet_length(split_part(v_email, '@', 1)) <= 64
        -- NFC turns these characters into ASCII ones (U+212A, the Kelvin sign, into k), which would
        -- make the address another person's.
        AND p_email !~ '[\u212A\u037E\u1FEF]'
    THEN
        IF octet_length(split_part(v_email, '@', 2)) > 63 THEN
            IF EXISTS (
                SELECT FROM string_to_table(split_part(v_email, '@', 2), '.') AS label
                WHERE octet_length(label) > 63)
            THEN
                RETURN NULL;
            END IF;
        END IF;
        RETURN v_email;
    END IF;
    RETURN NULL;
END $$;

-- The key of a non-ASCII domain in app.domain_labels: its spelling in lower case. Depending on the
-- database's locale and on their position, lower() and IDNA map some letters differently (capital I
-- with a dot or an accent, capital sigma, capital sharp s). A domain with one of them is stored
-- under its exact spelling.
CREATE OR REPLACE FUNCTION app.domain_key(p_domain text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN p_domain ~ '[\u00CC\u00CD\u0128\u0130\u03A3\u1E9E]' THEN p_domain
    ELSE normalize(lower(p_domain), NFC) END;

-- The A-label of the address's domain if that is not ASCII; null if the domain is ASCII, or if no
-- program has stored the A-label of this spelling.
CREATE OR REPLACE FUNCTION app.a_label_of_address(p_email text) RETURNS text
LANGUAGE sql STABLE
RETURN CASE WHEN p_email !~ '@[!-~]+$' THEN (
    SELECT l.a_label FROM app.domain_labels AS l
    WHERE l.spelling = app.domain_key(split_part(p_email, '@', 2))) END;

-- The form by which addresses are compared; null if the address is malformed, or if the A-label of
-- its domain is unknown.
CREATE OR REPLACE FUNCTION app.mailbox_of(p_email text) RETURNS text
LANGUAGE plpgsql STABLE STRICT SET search_path = '' AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
BEGIN
    IF v_email ~ '@[!-~]+$' THEN
        RETURN v_email;
    END IF;
    RETURN split_part(v_email, '@', 1) || '@' || app.a_label_of_address(v_email);
END $$;

CREATE OR REPLACE FUNCTION app.label_domain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.email_domain := app.a_label_of_address(to_jsonb(NEW) ->> TG_ARGV[0]);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email ON app.users
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF invited_email
    ON app.family_invitations
    FOR EACH ROW WHEN (NEW.email_domain IS NOT NULL OR NEW.invited_email !~ '@[!-~]+$')
    EXECUTE FUNCTION app.label_domain('invited_email');
CREATE OR REPLACE TRIGGER label_domain BEFORE INSERT OR UPDATE OF email ON app.email_tokens
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

-- Stores the A-label that a program has computed for a non-ASCII domain, and completes the rows
-- that lack it. Programs call this before they store or compare an address of the domain. A label
-- that was stored within the last day is not written again, so that requests don't wait for each
-- other.
CREATE OR REPLACE FUNCTION app.store_domain_label(p_spelling text, p_ascii_domain text) RETURNS void
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key constant text := app.domain_key(p_spelling);
    v_row record;
BEGIN
    IF EXISTS (
        SELECT FROM app.domain_labels AS l
        WHERE l.spelling = v_key AND l.noted_at BETWEEN now() - interval '1 day' AND now()) THEN
        RETURN;
    END IF;
    INSERT INTO app.domain_labels AS l (spelling, a_label) VALUES (v_key, p_ascii_domain)
        ON CONFLICT (spelling) DO UPDATE SET noted_at = now();
    -- Addresses that were stored before the A-label, such as those from direct clients' tokens. If
    -- two spellings of one mailbox conflict, the later row stays without a mailbox; `hearth-admin
    -- doctor` reports such sign-ins.
    UPDATE app.users AS u SET email = u.email
        WHERE u.mailbox IS NULL AND u.email IS NOT NULL
            AND app.domain_key(split_part(u.email, '@', 2)) = v_key;
    -- Row by row: two spellings may be the same mailbox, and only the first row may have it.
    FOR v_row IN
        SELECT e.user_id, e.email FROM app.email_sign_ins AS e
        WHERE e.mailbox IS NULL AND app.domain_key(split_part(e.email, '@', 2)) = v_key
        ORDER BY e.proved_at, e.user_id, e.email
    LOOP
        UPDATE app.email_sign_ins AS e SET email = e.email
            WHERE e.user_id = v_row.user_id AND e.email = v_row.email
                AND NOT EXISTS (SELECT FROM app.email_sign_ins AS o
                                WHERE o.mailbox = app.mailbox_of(v_row.email)
                                    AND o.removed_at IS NULL);
    END LOOP;
    FOR v_row IN
        SELECT i.id, i.family_unit_id, i.invited_email AS email FROM app.family_invitations AS i
        WHERE i.mailbox IS NULL AND i.invited_email IS NOT NULL
            AND app.domain_key(split_part(i.invited_email, '@', 2)) = v_key
        ORDER BY i.created_at, i.id
    LOOP
        UPDATE app.family_invitations AS i SET invited_email = i.invited_email
            WHERE i.id = v_row.id
                AND NOT EXISTS (SELECT FROM app.family_invitations AS o
                                WHERE o.family_unit_id = v_row.family_unit_id
                                    AND o.status = 'pending'
                                    AND o.mailbox = app.mailbox_of(v_row.email));
    END LOOP;
    FOR v_row IN
        SELECT x.email FROM app.suppressed_addresses AS x
        WHERE x.mailbox IS NULL AND app.domain_key(split_part(x.email, '@', 2)) = v_key
        ORDER BY x.email
    LOOP
        UPDATE app.suppressed_addresses AS x SET email = x.email
            WHERE x.email = v_row.email
                AND NOT EXISTS (SELECT FROM app.suppressed_addresses AS o
                                WHERE o.mailbox = app.mailbox_of(v_row.email));
    END LOOP;
    FOR v_row IN
        SELECT r.ctid AS row_id, r.email, r.family_unit_id FROM app.refused_invitations AS r
        WHERE r.mailbox IS NULL AND app.domain_key(split_part(r.email, '@', 2)) = v_key
        ORDER BY r.since, r.email
    LOOP
        UPDATE app.refused_invitations AS r SET email = r.email
            WHERE r.ctid = v_row.row_id
                AND NOT EXISTS (SELECT FROM app.refused_invitations AS o
                                WHERE o.mailbox = app.mailbox_of(v_row.email)
                                    AND o.family_unit_id IS NOT DISTINCT FROM v_row.family_unit_id);
    END LOOP;
END $$;

COMMENT ON FUNCTION app.store_domain_label(text, text) IS
    'Stores the A-label of a non-ASCII domain under the domain''s spelling.';

GRANT EXECUTE ON FUNCTION app.display_name(text, text, boolean) TO hearth_api, hearth_server;
GRANT EXECUTE ON FUNCTION app.store_domain_label(text, text)
    TO hearth_api, hearth_admin, hearth_server;

-- Triggers for direct clients' writes. Their conditions are evaluated as the writing role.
-- Functions run as hearth_owner and get normalised values, so the triggers skip them.

-- Checks the whole rule for a short text. The tables' constraints repeat only the part that does
-- not depend on neighbouring characters.
CREATE OR REPLACE FUNCTION app.require_short_text(
    p_text text, p_limit integer, p_constraint text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = '' AS $$
BEGIN
    IF NOT app.is_short_text(p_text, p_limit) THEN
        RAISE EXCEPTION 'The text is empty, too long, or has no visible character.'
            USING ERRCODE = 'check_violation', CONSTRAINT = p_constraint;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.normalise_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.full_name := app.normalised_text(NEW.full_name);
    NEW.avatar_key := app.normalised_text(NEW.avatar_key);
    IF NEW.full_name IS DISTINCT FROM OLD.full_name THEN
        PERFORM app.require_short_text(NEW.full_name, 80, 'users_full_name_form');
    END IF;
    IF NEW.avatar_key IS DISTINCT FROM OLD.avatar_key THEN
        PERFORM app.require_short_text(NEW.avatar_key, 64, 'users_avatar_key_form');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER normalise BEFORE UPDATE OF full_name, avatar_key ON app.users
    FOR EACH ROW WHEN (current_user <> 'hearth_owner') EXECUTE FUNCTION app.normalise_person();

CREATE OR REPLACE FUNCTION app.normalise_family() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.family_name := app.normalised_text(NEW.family_name);
    PERFORM app.require_short_text(NEW.family_name, 80, 'family_units_name_form');
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER normalise BEFORE INSERT OR UPDATE OF family_name ON app.family_units
    FOR EACH ROW WHEN (current_user <> 'hearth_owner') EXECUTE FUNCTION app.normalise_family();
