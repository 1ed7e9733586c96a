-- The register of family codes, and the log of events that concern codes.
--
-- One register with one primary key holds live and retired codes. So all codes are unique, and as
-- long as an old code is in the register, no other family gets it. A family's column family_code
-- refers to the family's live code here, by a foreign key that includes the state: a family can't
-- show a code that is retired or belongs to another family. Both foreign keys are checked at the
-- commit, because a family and its code are inserted in one transaction.
--
-- The API and direct clients can't access these tables: only functions do. (Operators may read
-- them, 0011_operators.sql.)
--
-- Locks: none, all objects are new.

CREATE TABLE app.family_codes (
    code text COLLATE "C" NOT NULL,
    family_unit_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'live',
    generated_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    reason text,
    CONSTRAINT family_codes_pkey PRIMARY KEY (code),
    CONSTRAINT family_codes_form CHECK (code ~ '^FAM-[A-HJKMNP-Z2-9]{6}$'),
    CONSTRAINT family_codes_state_known CHECK (state IN ('live', 'retired')),
    CONSTRAINT family_codes_reason_known CHECK (reason IN ('regenerated', 'expired')),
    CONSTRAINT family_codes_retired_is_dated CHECK (
        (state = 'retired') = (retired_at IS NOT NULL)
        AND (state = 'retired') = (reason IS NOT NULL)),
    CONSTRAINT family_codes_family_code_state_key UNIQUE (family_unit_id, code, state),
    CONSTRAINT family_codes_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX family_codes_one_live ON app.family_codes (family_unit_id)
    WHERE state = 'live';
CREATE INDEX family_codes_retired ON app.family_codes (retired_at) WHERE state = 'retired';

COMMENT ON TABLE app.family_codes IS 'Every code that leads, or lately led, to a family.';

ALTER TABLE app.family_units
    ADD CONSTRAINT family_units_code_is_live FOREIGN KEY (id, family_code, code_state)
        REFERENCES app.family_codes (family_unit_id, code, state) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE app.family_code_usage_log (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    family_unit_id uuid,
    user_id uuid,
    action text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT family_code_usage_log_pkey PRIMARY KEY (id),
    CONSTRAINT family_code_usage_log_action_known CHECK (
        action IN ('generated', 'joined', 'regenerated', 'rejected', 'retired'))
);

CREATE INDEX family_code_usage_log_at ON app.family_code_usage_log (at);
CREATE INDEX family_code_usage_log_family ON app.family_code_usage_log (family_unit_id, at DESC);

COMMENT ON TABLE app.family_code_usage_log IS 'What happened to codes: no code, no address in it.';

ALTER TABLE app.family_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY family_codes_owner ON app.family_codes TO hearth_owner
    USING (true) WITH CHECK (true);
ALTER TABLE app.family_code_usage_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_code_usage_log FORCE ROW LEVEL SECURITY;
CREATE POLICY family_code_usage_log_owner ON app.family_code_usage_log TO hearth_owner
    USING (true) WITH CHECK (true);
