-- hearth: no-transaction
--
-- What makes guessing codes harder: codes of six to eight characters, and how many new ones have.
-- code_settings has no row until hearth-api stores its settings.
--
-- Locks: app.family_codes for a moment (ACCESS EXCLUSIVE); while the constraint is validated, its
-- rows can be read and changed (SHARE UPDATE EXCLUSIVE).

ALTER TABLE app.family_codes
    DROP CONSTRAINT family_codes_form,
    ADD CONSTRAINT family_codes_form CHECK (code ~ '^FAM-[A-Z0-9]{6,8}$') NOT VALID;
ALTER TABLE app.family_codes VALIDATE CONSTRAINT family_codes_form;

CREATE TABLE app.code_settings (
    is_only boolean NOT NULL DEFAULT true,
    code_length smallint NOT NULL,
    CONSTRAINT code_settings_pkey PRIMARY KEY (is_only),
    CONSTRAINT code_settings_is_one_row CHECK (is_only),
    CONSTRAINT code_settings_length_range CHECK (code_length BETWEEN 6 AND 8)
);

COMMENT ON TABLE app.code_settings IS 'What the operator has settled about codes; one row at most.';

ALTER TABLE app.code_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.code_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY code_settings_owner ON app.code_settings TO hearth_owner
    USING (true) WITH CHECK (true);
