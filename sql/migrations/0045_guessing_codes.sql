-- hearth: no-transaction
--
-- What makes guessing codes harder. Codes can have six to eight characters; a setting says how many
-- characters a new code has. Wrong codes are counted; while too many come in, joining by a code
-- waits for approval.
--
-- code_settings has no row until hearth-api stores its settings. automatic_approval has no row
-- until automatic approval begins for the first time.
--
-- wrong_codes has the counts of the last hour or two, minute by minute. Each minute has several
-- rows (shards), and the fill factor leaves room for the row versions that counting makes.
-- wrong_code_hours has the hours of the last eight days in which there were wrong codes.
--
-- Locks: app.family_codes and app.code_lookups for a moment (ACCESS EXCLUSIVE); while the
-- constraint is validated, the rows of family_codes can be read and changed (SHARE UPDATE
-- EXCLUSIVE).

ALTER TABLE app.family_codes
    DROP CONSTRAINT family_codes_form,
    ADD CONSTRAINT family_codes_form CHECK (code ~ '^FAM-[A-Z0-9]{6,8}$') NOT VALID;
ALTER TABLE app.family_codes VALIDATE CONSTRAINT family_codes_form;

CREATE TABLE app.code_settings (
    is_only boolean NOT NULL DEFAULT true,
    code_length smallint NOT NULL,
    wrong_codes_a_minute integer NOT NULL,
    CONSTRAINT code_settings_pkey PRIMARY KEY (is_only),
    CONSTRAINT code_settings_is_one_row CHECK (is_only),
    CONSTRAINT code_settings_length_range CHECK (code_length BETWEEN 6 AND 8),
    CONSTRAINT code_settings_rate_range CHECK (wrong_codes_a_minute BETWEEN 1 AND 1000000)
);

COMMENT ON TABLE app.code_settings IS 'What the operator has settled about codes; one row at most.';

ALTER TABLE app.code_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.code_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY code_settings_owner ON app.code_settings TO hearth_owner
    USING (true) WITH CHECK (true);

ALTER TABLE app.code_lookups ADD COLUMN is_counted boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN app.code_lookups.is_counted IS
    'Whether the code was wrong and stands in app.wrong_codes.';

CREATE TABLE app.wrong_codes (
    minute timestamptz NOT NULL,
    shard smallint NOT NULL,
    codes integer NOT NULL,
    CONSTRAINT wrong_codes_pkey PRIMARY KEY (minute, shard),
    CONSTRAINT wrong_codes_codes_positive CHECK (codes > 0)
) WITH (fillfactor = 50);

COMMENT ON TABLE app.wrong_codes IS 'Wrong codes of the whole installation, minute by minute.';

CREATE TABLE app.wrong_code_hours (
    hour timestamptz NOT NULL,
    codes_a_minute integer NOT NULL,
    CONSTRAINT wrong_code_hours_pkey PRIMARY KEY (hour),
    CONSTRAINT wrong_code_hours_codes_positive CHECK (codes_a_minute >= 0)
);

COMMENT ON TABLE app.wrong_code_hours IS
    'Wrong codes a minute in an hour, as far as they count for what is usual.';

CREATE TABLE app.automatic_approval (
    is_only boolean NOT NULL DEFAULT true,
    began_at timestamptz NOT NULL,
    lasts_until timestamptz NOT NULL,
    CONSTRAINT automatic_approval_pkey PRIMARY KEY (is_only),
    CONSTRAINT automatic_approval_is_one_row CHECK (is_only),
    CONSTRAINT automatic_approval_ends_later CHECK (lasts_until > began_at)
);

COMMENT ON TABLE app.automatic_approval IS
    'Since when joining by a code waits for approval in every family, and until when.';

ALTER TABLE app.wrong_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.wrong_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY wrong_codes_owner ON app.wrong_codes TO hearth_owner USING (true) WITH CHECK (true);
ALTER TABLE app.wrong_code_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.wrong_code_hours FORCE ROW LEVEL SECURITY;
CREATE POLICY wrong_code_hours_owner ON app.wrong_code_hours TO hearth_owner
    USING (true) WITH CHECK (true);
ALTER TABLE app.automatic_approval ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.automatic_approval FORCE ROW LEVEL SECURITY;
CREATE POLICY automatic_approval_owner ON app.automatic_approval TO hearth_owner
    USING (true) WITH CHECK (true);
