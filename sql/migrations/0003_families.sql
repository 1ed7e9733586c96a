-- Families: the tenants.
--
-- A trigger generates a family's code, or takes the one that a direct client has chosen
-- (codes.sql). The register of all codes is in 0006_codes.sql. code_state is 'live' while the
-- family has a code: with it a foreign key ensures that this code is live in the register.
--
-- The constraint on the name repeats the conditions of app.is_short_text instead of calling it: a
-- constraint runs with the rights of the role that writes, and the writing roles have no right to
-- execute functions that only constraints need.
--
-- The policies that say who may read and change which family depend on memberships. They are in
-- 0004_members.sql.
--
-- Locks: none, all objects are new.

CREATE TABLE app.family_units (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    created_by_user_id uuid NOT NULL,
    created_by_kind text NOT NULL DEFAULT 'account',
    family_name text NOT NULL DEFAULT 'My Family',
    family_code text,
    code_state text GENERATED ALWAYS AS (CASE WHEN family_code IS NOT NULL THEN 'live' END) STORED,
    code_generated_at timestamptz,
    code_expires_at timestamptz,
    home_latitude double precision,
    home_longitude double precision,
    player_details jsonb NOT NULL DEFAULT '{}',
    member_limit smallint NOT NULL DEFAULT 8,
    approval_required boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Since when the family has had no active member: at first, since it was created. Null while it
    -- has one.
    emptied_at timestamptz DEFAULT now(),
    CONSTRAINT family_units_pkey PRIMARY KEY (id),
    CONSTRAINT family_units_creator_has_account CHECK (created_by_kind = 'account'),
    CONSTRAINT family_units_created_by_fkey FOREIGN KEY (created_by_user_id, created_by_kind)
        REFERENCES app.users (id, kind),
    CONSTRAINT family_units_name_form CHECK (
        char_length(family_name) BETWEEN 1 AND 80
        AND family_name IS NFC NORMALIZED
        AND family_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'
        AND family_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'
        AND family_name !~ ('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'
            || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'
            || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'
            || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]')),
    CONSTRAINT family_units_code_has_date CHECK (
        family_code IS NULL OR code_generated_at IS NOT NULL),
    CONSTRAINT family_units_latitude_range CHECK (home_latitude BETWEEN -90 AND 90),
    CONSTRAINT family_units_longitude_range CHECK (home_longitude BETWEEN -180 AND 180),
    CONSTRAINT family_units_player_details_form CHECK (
        jsonb_typeof(player_details) = 'object' AND octet_length(player_details::text) <= 4096),
    CONSTRAINT family_units_member_limit_range CHECK (member_limit BETWEEN 1 AND 64)
);

CREATE INDEX family_units_created_by ON app.family_units (created_by_user_id);
CREATE INDEX family_units_code_expires ON app.family_units (code_expires_at)
    WHERE family_code IS NOT NULL AND code_expires_at IS NOT NULL;
CREATE INDEX family_units_emptied ON app.family_units (emptied_at) WHERE emptied_at IS NOT NULL;

COMMENT ON TABLE app.family_units IS 'Families: the tenants.';

ALTER TABLE app.family_units ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_units FORCE ROW LEVEL SECURITY;
CREATE POLICY family_units_owner ON app.family_units TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_units_authz ON app.family_units FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_units TO hearth_authz;
