-- Names keep what their script needs: joiners at their ends, tag characters and the Mongolian vowel
-- separator, which app.normalised_text judges by what they stand between, and the signs before
-- Arabic numbers. The constraints repeat what needs no look at neighbouring characters; a trigger
-- judges the rest for direct clients.
--
-- Locks: users and family_units exclusively, for an instant; the rows are checked by the next file.

ALTER TABLE app.users
    DROP CONSTRAINT users_full_name_form,
    ADD CONSTRAINT users_full_name_form CHECK (
        char_length(full_name) BETWEEN 1 AND 80
        AND full_name IS NFC NORMALIZED
        AND full_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND full_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$'
        AND full_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E'
            || '\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3'
            || '\U0001D173-\U0001D17A\U000E0001]')) NOT VALID,
    DROP CONSTRAINT users_avatar_key_form,
    ADD CONSTRAINT users_avatar_key_form CHECK (
        char_length(avatar_key) BETWEEN 1 AND 64
        AND avatar_key IS NFC NORMALIZED
        AND avatar_key !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND avatar_key !~ '[\u0020\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$'
        AND avatar_key !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E'
            || '\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3'
            || '\U0001D173-\U0001D17A\U000E0001]')) NOT VALID;

ALTER TABLE app.family_units
    DROP CONSTRAINT family_units_name_form,
    ADD CONSTRAINT family_units_name_form CHECK (
        char_length(family_name) BETWEEN 1 AND 80
        AND family_name IS NFC NORMALIZED
        AND family_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND family_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$'
        AND family_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E'
            || '\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3'
            || '\U0001D173-\U0001D17A\U000E0001]')) NOT VALID;
