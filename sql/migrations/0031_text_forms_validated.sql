-- Brings names that were stored before into their one form, and from then on holds every row to it.
--
-- A child can't be without a name: one of which nothing is left is shown as a dash.
--
-- Locks: the rows changed; SHARE UPDATE EXCLUSIVE on users and family_units while they are read
-- through, which leaves reading and writing alone.

UPDATE app.users AS u SET
        full_name = coalesce(app.normalised_name(u.full_name, 80),
            CASE u.kind WHEN 'managed' THEN '-' END),
        avatar_key = app.normalised_name(u.avatar_key, 64)
    WHERE NOT coalesce(app.is_short_text(u.full_name, 80), true)
        OR NOT coalesce(app.is_short_text(u.avatar_key, 64), true);
UPDATE app.family_units AS f
    SET family_name = coalesce(app.normalised_name(f.family_name, 80), 'My Family')
    WHERE NOT app.is_short_text(f.family_name, 80);

ALTER TABLE app.users VALIDATE CONSTRAINT users_full_name_form;
ALTER TABLE app.users VALIDATE CONSTRAINT users_avatar_key_form;
ALTER TABLE app.family_units VALIDATE CONSTRAINT family_units_name_form;
