-- Tables for operating the service: operators, the log of sign-ins, processes, and doctor's
-- results.
--
-- Operators are accounts that may administer this service, each with one role. While an account has
-- such a role, it can't be erased or blocked, its id and its verified address don't change, and no
-- sign-in is added to it. Once there has been an admin, there always is one. Only functions for
-- operators write the table (operator_roles.sql).
--
-- The log of sign-ins records the events of each account, for the account's owner: how and when
-- somebody signed in, failed to sign in, set a password or ended a session; with the browser's name
-- and the network (/24 or /64), never the full address. Rows are deleted with the account, and
-- otherwise after HEARTH_KEEP_SIGN_INS_DAYS. The log has monthly partitions, like the audit log:
-- the worker creates those of the coming months, and drops as a whole those that are too old. Rows
-- of a month without a partition go to sign_ins_log_other. No foreign key refers to users, because
-- each partition would have one; app.record_sign_ins locks the user instead, and erase_traces_of
-- deletes the rows.
--
-- Each process of the API, of the worker and of the console renews a row of its own every minute,
-- and adds a sample of its main counters. Both are deleted after seven days (processes.sql).
--
-- signing_keys: the public keys with which a process of the API verifies Hearth's own tokens, with
-- the times of their creation. The console shows how old they are, and verifies tokens with them,
-- so it needs no file with private keys.
--
-- doctor_results holds the number of faults that doctor last found in each area, for metrics. The
-- worker examines four areas every day, and 'hearth-admin doctor' stores its results too. The four
-- areas begin with 0 findings, so that the age of each result is known before the first
-- examination.

CREATE TABLE app.operators (
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    role text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL,
    CONSTRAINT operators_pkey PRIMARY KEY (user_id),
    CONSTRAINT operators_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind),
    CONSTRAINT operators_only_accounts CHECK (user_kind = 'account'),
    CONSTRAINT operators_role_known CHECK (role IN ('viewer', 'support', 'admin')),
    CONSTRAINT operators_added_by_form CHECK (added_by ~ '^[^[:cntrl:]]{1,90}$')
);

COMMENT ON TABLE app.operators IS 'Accounts that may administer this service, with their roles.';
COMMENT ON COLUMN app.operators.added_by IS
    'Label of the operator who gave the role, as in the audit log.';

ALTER TABLE app.operators ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY operators_owner ON app.operators TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY operators_operator_reads ON app.operators FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.operators TO hearth_admin;

CREATE TABLE app.sign_ins_log (
    id uuid NOT NULL DEFAULT app.uuid_v7(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    user_id uuid NOT NULL,
    kind text NOT NULL,
    way text,
    browser text,
    network text,
    more integer NOT NULL DEFAULT 0,
    CONSTRAINT sign_ins_log_pkey PRIMARY KEY (at, id),
    CONSTRAINT sign_ins_log_kind_known CHECK (kind IN (
        'sign_in', 'failed', 'password_change', 'password_reset', 'sign_out', 'more')),
    CONSTRAINT sign_ins_log_way_known CHECK (
        way IN ('exchange', 'email', 'password', 'passkey')),
    CONSTRAINT sign_ins_log_browser_form CHECK (
        char_length(browser) BETWEEN 1 AND 80 AND browser !~ '[[:cntrl:]]'),
    CONSTRAINT sign_ins_log_network_form CHECK (network ~ '^[0-9a-f.:]{1,45}/(24|64)$'),
    CONSTRAINT sign_ins_log_only_more_counts CHECK ((kind = 'more') = (more > 0))
) PARTITION BY RANGE (at);

CREATE INDEX sign_ins_log_of_user ON app.sign_ins_log (user_id, at DESC, id DESC);

COMMENT ON TABLE app.sign_ins_log IS
    'Sign-ins, failed attempts, changes of passwords and ended sessions of accounts.';
COMMENT ON COLUMN app.sign_ins_log.more IS
    'Number of further events of the hour, which have no rows of their own.';

ALTER TABLE app.sign_ins_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY sign_ins_log_owner ON app.sign_ins_log TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY sign_ins_log_operator_reads ON app.sign_ins_log FOR SELECT TO hearth_admin
    USING (true);
GRANT SELECT ON app.sign_ins_log TO hearth_admin;

CREATE TABLE app.sign_ins_log_other PARTITION OF app.sign_ins_log DEFAULT;
ALTER TABLE app.sign_ins_log_other ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE TABLE app.processes (
    id uuid NOT NULL,
    program text NOT NULL,
    version text NOT NULL,
    revision text NOT NULL,
    host text NOT NULL,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    signing_keys jsonb,
    CONSTRAINT processes_pkey PRIMARY KEY (id),
    CONSTRAINT processes_texts_form CHECK (
        program ~ '^[[:graph:]]{1,40}$' AND version ~ '^[[:graph:]]{1,80}$'
        AND revision ~ '^[[:graph:]]{1,80}$' AND host ~ '^[[:graph:]]{1,200}$'),
    CONSTRAINT processes_signing_keys_form CHECK (
        signing_keys IS NULL
        OR (jsonb_typeof(signing_keys -> 'keys') = 'array') IS TRUE
            AND octet_length(signing_keys::text) <= 4096)
) WITH (fillfactor = 50);

COMMENT ON TABLE app.processes IS 'Processes of the API, the worker and the console.';
COMMENT ON COLUMN app.processes.host IS 'Host name and process id.';
COMMENT ON COLUMN app.processes.signing_keys IS
    'JSON Web Key Set of the API''s public keys, with times of creation; null without such keys.';

ALTER TABLE app.processes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY processes_owner ON app.processes TO hearth_owner USING (true) WITH CHECK (true);
CREATE POLICY processes_operator_reads ON app.processes FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.processes TO hearth_admin;

CREATE TABLE app.process_samples (
    process_id uuid NOT NULL,
    at timestamptz NOT NULL,
    counters jsonb NOT NULL,
    CONSTRAINT process_samples_pkey PRIMARY KEY (process_id, at),
    CONSTRAINT process_samples_process_fkey FOREIGN KEY (process_id)
        REFERENCES app.processes (id) ON DELETE CASCADE,
    CONSTRAINT process_samples_counters_form CHECK (
        jsonb_typeof(counters) = 'object' AND octet_length(counters::text) <= 2048)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- For the console: the longest wait of a due job in each hour.
CREATE INDEX process_samples_longest_wait ON app.process_samples (
    process_id, date_bin(interval '1 hour', at, timestamptz 'epoch'),
    ((counters ->> 'hearth_jobs_oldest_ready_seconds')::numeric))
    WHERE jsonb_typeof(counters -> 'hearth_jobs_oldest_ready_seconds') = 'number';

COMMENT ON TABLE app.process_samples IS 'Main counters of each process, by the minute.';

ALTER TABLE app.process_samples ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY process_samples_owner ON app.process_samples TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY process_samples_operator_reads ON app.process_samples FOR SELECT TO hearth_admin
    USING (true);
GRANT SELECT ON app.process_samples TO hearth_admin;

CREATE TABLE app.doctor_results (
    area text COLLATE "C" NOT NULL,
    findings integer NOT NULL,
    examined_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT doctor_results_pkey PRIMARY KEY (area),
    CONSTRAINT doctor_results_area_known CHECK (area IN (
        'data', 'addresses', 'timestamps', 'audit_log', 'schema', 'rights', 'issuers')),
    CONSTRAINT doctor_results_findings_positive CHECK (findings >= 0)
);

COMMENT ON TABLE app.doctor_results IS 'The number of faults that doctor last found in each area.';

ALTER TABLE app.doctor_results ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY doctor_results_owner ON app.doctor_results TO hearth_owner
    USING (true) WITH CHECK (true);

INSERT INTO app.doctor_results (area, findings)
    VALUES ('data', 0), ('addresses', 0), ('timestamps', 0), ('audit_log', 0);
