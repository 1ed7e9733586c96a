-- Register of family codes, log of events that concern codes, and data that limits the guessing of
-- codes.
--
-- The API and direct clients can't access these tables: only functions do. (Operators may read the
-- register and the log.)

-- One register with one primary key holds live and retired codes. So all codes are unique, and as
-- long as an old code is in the register, no other family gets it. A family's column family_code
-- refers to the family's live code here, by a foreign key that includes the state: a family can't
-- show a code that is retired or belongs to another family. Both foreign keys are checked at the
-- commit, because a family and its code are inserted in one transaction.
--
-- A direct client may choose the code of the family that it creates. Apps generate such a code from
-- all letters and digits; codes that Hearth generates have no characters that can be mistaken for
-- each other. A setting says how many characters a new code has.
--
-- reason: 'given_up' is for the code of a family whose only member, a player, has joined another
-- family. Such a code is treated as unknown, like one that was regenerated.
CREATE TABLE app.family_codes (
    code text COLLATE "C" NOT NULL,
    family_unit_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'live',
    generated_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    reason text,
    CONSTRAINT family_codes_pkey PRIMARY KEY (code),
    CONSTRAINT family_codes_form CHECK (code ~ '^FAM-[A-Z0-9]{6,8}$'),
    CONSTRAINT family_codes_state_known CHECK (state IN ('live', 'retired')),
    CONSTRAINT family_codes_reason_known CHECK (reason IN ('regenerated', 'expired', 'given_up')),
    CONSTRAINT family_codes_retired_is_dated CHECK (
        (state = 'retired') = (retired_at IS NOT NULL)
        AND (state = 'retired') = (reason IS NOT NULL)),
    CONSTRAINT family_codes_family_code_state_key UNIQUE (family_unit_id, code, state),
    CONSTRAINT family_codes_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE UNIQUE INDEX family_codes_one_live ON app.family_codes (family_unit_id)
    WHERE state = 'live';
CREATE INDEX family_codes_retired ON app.family_codes (retired_at) WHERE state = 'retired';

COMMENT ON TABLE app.family_codes IS 'Register of family codes, live and recently retired.';

ALTER TABLE app.family_codes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_codes_owner ON app.family_codes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_codes_operator_reads ON app.family_codes
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.family_codes TO hearth_admin;

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
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX family_code_usage_log_at ON app.family_code_usage_log (at);
CREATE INDEX family_code_usage_log_family ON app.family_code_usage_log (family_unit_id, at DESC);
CREATE INDEX family_code_usage_log_user ON app.family_code_usage_log (user_id)
    WHERE user_id IS NOT NULL;

COMMENT ON TABLE app.family_code_usage_log IS
    'Log of events that concern codes; it contains no codes and no addresses.';

ALTER TABLE app.family_code_usage_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_code_usage_log_owner ON app.family_code_usage_log TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_code_usage_log_operator_reads ON app.family_code_usage_log
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.family_code_usage_log TO hearth_admin;

-- The table has no row until hearth-api stores its settings.
CREATE TABLE app.code_settings (
    is_only boolean NOT NULL DEFAULT true,
    code_length smallint NOT NULL,
    wrong_codes_a_minute integer NOT NULL,
    CONSTRAINT code_settings_pkey PRIMARY KEY (is_only),
    CONSTRAINT code_settings_is_one_row CHECK (is_only),
    CONSTRAINT code_settings_length_range CHECK (code_length BETWEEN 6 AND 8),
    CONSTRAINT code_settings_rate_range CHECK (wrong_codes_a_minute BETWEEN 1 AND 1000000)
);

COMMENT ON TABLE app.code_settings IS 'Settings of the operator for codes; one row at most.';

ALTER TABLE app.code_settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY code_settings_owner ON app.code_settings TO hearth_owner
    USING (true) WITH CHECK (true);

-- Codes that accounts have tried. The table holds digests instead of codes.
CREATE TABLE app.code_lookups (
    user_id uuid NOT NULL,
    code_digest bytea NOT NULL,
    is_counted boolean NOT NULL DEFAULT false,
    looked_up_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT code_lookups_pkey PRIMARY KEY (user_id, code_digest),
    CONSTRAINT code_lookups_user_fkey FOREIGN KEY (user_id) REFERENCES app.users (id)
        ON DELETE CASCADE,
    CONSTRAINT code_lookups_digest_size CHECK (octet_length(code_digest) = 32)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX code_lookups_at ON app.code_lookups (looked_up_at);

COMMENT ON TABLE app.code_lookups IS
    'Digests of the distinct codes that each account has recently looked up.';
COMMENT ON COLUMN app.code_lookups.is_counted IS
    'Whether the code was wrong and is counted in app.wrong_codes.';

ALTER TABLE app.code_lookups ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY code_lookups_owner ON app.code_lookups TO hearth_owner
    USING (true) WITH CHECK (true);

-- Counts of wrong codes. While too many come in, joining by a code requires approval. The table has
-- the counts of the last hour or two, minute by minute. Each minute has several rows (shards), and
-- the fill factor leaves room for the row versions that counting makes.
CREATE TABLE app.wrong_codes (
    minute timestamptz NOT NULL,
    shard smallint NOT NULL,
    codes integer NOT NULL,
    CONSTRAINT wrong_codes_pkey PRIMARY KEY (minute, shard),
    CONSTRAINT wrong_codes_codes_positive CHECK (codes > 0)
) WITH (fillfactor = 50);

COMMENT ON TABLE app.wrong_codes IS 'Wrong codes of the whole installation, minute by minute.';

ALTER TABLE app.wrong_codes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY wrong_codes_owner ON app.wrong_codes TO hearth_owner USING (true) WITH CHECK (true);

-- Hours of the last eight days in which there were wrong codes.
CREATE TABLE app.wrong_code_hours (
    hour timestamptz NOT NULL,
    codes_a_minute integer NOT NULL,
    CONSTRAINT wrong_code_hours_pkey PRIMARY KEY (hour),
    CONSTRAINT wrong_code_hours_codes_positive CHECK (codes_a_minute >= 0)
);

COMMENT ON TABLE app.wrong_code_hours IS
    'Average number of wrong codes per minute in each hour, capped so that an attack raises the '
    'usual number slowly.';

ALTER TABLE app.wrong_code_hours ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY wrong_code_hours_owner ON app.wrong_code_hours TO hearth_owner
    USING (true) WITH CHECK (true);

-- The table has no row until wrong codes make approval required for the first time.
CREATE TABLE app.automatic_approval (
    is_only boolean NOT NULL DEFAULT true,
    began_at timestamptz NOT NULL,
    lasts_until timestamptz NOT NULL,
    CONSTRAINT automatic_approval_pkey PRIMARY KEY (is_only),
    CONSTRAINT automatic_approval_is_one_row CHECK (is_only),
    CONSTRAINT automatic_approval_ends_later CHECK (lasts_until > began_at)
);

COMMENT ON TABLE app.automatic_approval IS
    'Period in which joining by a code requires approval in every family.';

ALTER TABLE app.automatic_approval ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY automatic_approval_owner ON app.automatic_approval TO hearth_owner
    USING (true) WITH CHECK (true);
