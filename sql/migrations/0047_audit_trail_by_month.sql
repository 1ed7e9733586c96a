-- The audit trail, divided into monthly partitions, so that an old month can be dropped as a whole.
--
-- The worker creates the partitions of the coming months, as it does for the days of jobs.history.
-- Entries of a month without a partition go to audit_log_other. The former table becomes the
-- partition audit_log_earlier as it is: no row is copied or checked, because 0046 has checked where
-- the partition ends. If it is empty, as on a new database, it is dropped.
--
-- New ids are ordered by time (UUID version 7), so that new entries are close together in the index
-- of the primary key. Older entries keep their random ids. Lists are paged by time and id, as
-- before.
--
-- The partitioned table has the rights and policies. Its partitions have none, and row-level
-- security is forced on them.
--
-- Locks: ACCESS EXCLUSIVE on app.audit_log and app.audit_trail, for a moment.

-- As in RFC 9562: milliseconds since 1970, then 1/4096ths of a millisecond, then 62 random bits.
CREATE FUNCTION app.id_of_now() RETURNS uuid
LANGUAGE sql VOLATILE
RETURN (
    overlay(
        lpad(to_hex((extract(epoch FROM clock_timestamp()) * 4096000)::bigint), 15, '0')
        PLACING '7' FROM 13 FOR 0)
    || right(gen_random_uuid()::text, 17))::uuid;

COMMENT ON FUNCTION app.id_of_now() IS 'A new id that is greater than those made before.';

-- hearth: allow rename: a table with this name and these columns takes its place in this transaction
ALTER TABLE app.audit_log RENAME TO audit_log_earlier;
ALTER TABLE app.audit_log_earlier DROP CONSTRAINT audit_log_pkey;
ALTER TABLE app.audit_log_earlier
    ADD CONSTRAINT audit_log_earlier_pkey PRIMARY KEY USING INDEX audit_log_earlier_key;
ALTER INDEX app.audit_log_of_family RENAME TO audit_log_earlier_of_family;
ALTER INDEX app.audit_log_of_person RENAME TO audit_log_earlier_of_person;

CREATE TABLE app.audit_log (
    id uuid NOT NULL DEFAULT app.id_of_now(),
    -- clock_timestamp(), not now(): so the rows of one transaction keep their order.
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    family_unit_id uuid,
    actor_user_id uuid,
    actor_label text,
    subject_user_id uuid,
    action text NOT NULL,
    target_id uuid,
    details jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT audit_log_pkey PRIMARY KEY (at, id),
    CONSTRAINT audit_log_action_form CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
    CONSTRAINT audit_log_label_form CHECK (
        actor_label ~ '^(operator|sql|job):[^[:cntrl:]]{1,80}$'),
    CONSTRAINT audit_log_details_form CHECK (
        jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 4096)
) PARTITION BY RANGE (at);

CREATE INDEX audit_log_of_family ON app.audit_log (family_unit_id, at DESC, id DESC);
-- For a person's own export: the entries that are about a person and belong to no family.
CREATE INDEX audit_log_of_person ON app.audit_log (subject_user_id, at)
    WHERE family_unit_id IS NULL;

COMMENT ON TABLE app.audit_log IS 'Who did what, to whom: append only.';

ALTER TABLE app.audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_log_owner_append ON app.audit_log FOR INSERT TO hearth_owner WITH CHECK (true);
CREATE POLICY audit_log_owner_read ON app.audit_log FOR SELECT TO hearth_owner USING (true);
CREATE POLICY audit_log_owner_purge ON app.audit_log FOR DELETE TO hearth_owner USING (true);
CREATE POLICY audit_log_authz ON app.audit_log FOR SELECT TO hearth_authz USING (true);
CREATE POLICY audit_log_operator_reads ON app.audit_log FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.audit_log TO hearth_authz, hearth_admin;

-- For entries of a month that has no partition.
CREATE TABLE app.audit_log_other PARTITION OF app.audit_log DEFAULT;
ALTER TABLE app.audit_log_other ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.audit_log_other FORCE ROW LEVEL SECURITY;

-- Views and functions stay bound to the table that they were created with, even if it is renamed.
-- Those bound to the former table are created again with the same text, and so use the new
-- app.audit_log. On a new database there are none yet.
DO $$
DECLARE
    v_object record;
BEGIN
    PERFORM set_config('search_path', '', true);
    FOR v_object IN
        SELECT DISTINCT format('CREATE OR REPLACE VIEW %s WITH (%s) AS %s', v.oid::regclass,
            array_to_string(coalesce(v.reloptions, '{security_barrier=false}'), ', '),
            pg_get_viewdef(v.oid)) AS statement
        FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
        JOIN pg_class AS v ON v.oid = r.ev_class
        WHERE d.classid = 'pg_rewrite'::regclass
            AND d.refobjid = 'app.audit_log_earlier'::regclass
        UNION ALL
        SELECT DISTINCT pg_get_functiondef(d.objid)
        FROM pg_depend AS d
        WHERE d.classid = 'pg_proc'::regclass AND d.refobjid = 'app.audit_log_earlier'::regclass
    LOOP
        EXECUTE replace(v_object.statement, 'app.audit_log_earlier', 'app.audit_log');
    END LOOP;
END $$;

DO $$
DECLARE
    v_end timestamptz;
BEGIN
    IF NOT EXISTS (SELECT FROM app.audit_log_earlier) THEN
        DROP TABLE app.audit_log_earlier;
        RETURN;
    END IF;
    SELECT substring(pg_get_constraintdef(c.oid) FROM '''([^'']+)''')::timestamptz INTO v_end
        FROM pg_constraint AS c
        WHERE c.conrelid = 'app.audit_log_earlier'::regclass
            AND c.conname = 'audit_log_earlier_end';
    EXECUTE format(
        'ALTER TABLE app.audit_log ATTACH PARTITION app.audit_log_earlier
            FOR VALUES FROM (MINVALUE) TO (%L)', v_end);
    ALTER TABLE app.audit_log_earlier DROP CONSTRAINT audit_log_earlier_end;
    DROP POLICY audit_log_owner_append ON app.audit_log_earlier;
    DROP POLICY audit_log_owner_read ON app.audit_log_earlier;
    DROP POLICY audit_log_owner_purge ON app.audit_log_earlier;
    DROP POLICY audit_log_authz ON app.audit_log_earlier;
    DROP POLICY audit_log_operator_reads ON app.audit_log_earlier;
    REVOKE ALL ON app.audit_log_earlier FROM hearth_authz, hearth_admin;
END $$;

-- Exports by operators: each contains all entries before ends_at. Entries that no export contains
-- are not dropped, unless an operator says that they need not be exported.
CREATE TABLE app.audit_exports (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    ends_at timestamptz NOT NULL,
    entry_count bigint NOT NULL,
    exported_by text NOT NULL,
    exported_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT audit_exports_pkey PRIMARY KEY (id),
    CONSTRAINT audit_exports_count_range CHECK (entry_count >= 0)
);

COMMENT ON TABLE app.audit_exports IS 'Up to which moment the audit trail has been exported.';

ALTER TABLE app.audit_exports ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.audit_exports FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_exports_owner ON app.audit_exports TO hearth_owner
    USING (true) WITH CHECK (true);
