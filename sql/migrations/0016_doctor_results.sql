-- The number of faults that doctor last found in each area, for metrics.
--
-- The worker examines four areas every day, and 'hearth-admin doctor' stores its results too. The
-- four areas begin without findings, so that their age is known before the first examination.
--
-- Locks: none, except of the new table.

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
