-- Adds an audit log of :months months to a filled database, each month in its own partition, and
-- the same entries in one table, app.audit_log_whole. Run as superuser, after fill.sql, with the
-- same :families. The first 500 families have as many entries as there are months, the next 100 a
-- thousand, and all others ten times as many as months, all at random times.
SET timezone = 'UTC';
SET synchronous_commit = off;
SELECT set_config('bench.months', :'months', false);

-- Creates the partitions of this month and the next two, as the worker does, and then the earlier
-- ones.
SELECT app.make_audit_months();
DO $$
DECLARE
    v_begin timestamp;
    v_name text;
BEGIN
    FOR v_begin IN
        SELECT date_trunc('month', now()) - n * interval '1 month'
        FROM generate_series(1, current_setting('bench.months')::integer - 1) AS n
    LOOP
        v_name := 'audit_log_' || to_char(v_begin, 'YYYYMM');
        EXECUTE format('CREATE TABLE app.%I PARTITION OF app.audit_log FOR VALUES FROM (%L) TO (%L)',
            v_name, v_begin, v_begin + interval '1 month');
        EXECUTE format('ALTER TABLE app.%I ENABLE ROW LEVEL SECURITY', v_name);
        EXECUTE format('ALTER TABLE app.%I FORCE ROW LEVEL SECURITY', v_name);
    END LOOP;
END $$;

INSERT INTO app.audit_log (id, at, family_unit_id, actor_user_id, action, target_id, details)
SELECT gen_random_uuid(), now() - random() * :months * interval '29 days', f.id,
    f.created_by_user_id, 'member.set_role', gen_random_uuid(), '{"role": "adult"}'
FROM (
    SELECT *, row_number() OVER (ORDER BY id) AS number FROM app.family_units) AS f
CROSS JOIN LATERAL generate_series(1, CASE
    WHEN f.number <= 500 THEN :months WHEN f.number <= 600 THEN 1000 ELSE 10 * :months END);

CREATE TABLE app.audit_log_whole (LIKE app.audit_log INCLUDING ALL);
INSERT INTO app.audit_log_whole SELECT * FROM app.audit_log ORDER BY at;
ALTER TABLE app.audit_log_whole OWNER TO hearth_owner;
ALTER TABLE app.audit_log_whole ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.audit_log_whole FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_log_authz ON app.audit_log_whole FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.audit_log_whole TO hearth_authz;
VACUUM (ANALYZE, FREEZE) app.audit_log;
VACUUM (ANALYZE, FREEZE) app.audit_log_whole;
CHECKPOINT;
