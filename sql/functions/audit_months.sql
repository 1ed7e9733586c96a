-- hearth: after audit.sql, operators.sql, monitoring.sql
-- The months of the audit log: created ahead, exported, dropped.
--
-- app.audit_log is partitioned by month, in UTC. audit_log_other, the default partition, holds
-- entries for whose month there was no partition. Partitions are dropped whole; entries of
-- audit_log_other are deleted in batches.
--
-- An export is recorded (app.audit_exports) after its file is complete and has its final name. An
-- entry is dropped only if a recorded export contains it, unless the operator permits dropping
-- without an export. Nothing can be added to an exported month: each entry has the time at which it
-- was written, and an export begins only when the month has been over for an hour and no
-- transaction from it is open.

-- The months, among this one and the next two, that have no partition and can get one; each as its
-- first day. Entries of the month that were written before prevent the partition, and stay in
-- audit_log_other. A partition in another schema, or another table of this name, prevents it too;
-- `hearth-admin doctor` reports both.
CREATE OR REPLACE FUNCTION app.audit_months_without_part() RETURNS SETOF date
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT m.month::date
    FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month'
          FROM generate_series(0, 2) AS n) AS m (month)
    WHERE to_regclass('app.audit_log_' || to_char(m.month, 'YYYYMM')) IS NULL
        AND NOT EXISTS (
            SELECT FROM app.audit_parts() AS p
            WHERE p.ends_at = (m.month + interval '1 month') AT TIME ZONE 'UTC')
        AND NOT EXISTS (
            SELECT FROM app.audit_log AS a
            WHERE a.at >= m.month AT TIME ZONE 'UTC'
                AND a.at < (m.month + interval '1 month') AT TIME ZONE 'UTC')
    ORDER BY m.month;
$$;

-- Creates the partitions of this month and the next two. Attaching a partition waits for
-- transactions that read the whole audit log or write to audit_log_other. The wait lasts a tenth of
-- a second at most, because later statements wait behind it; after a timeout the next call creates
-- this partition and the rest.
CREATE OR REPLACE FUNCTION app.make_audit_months() RETURNS void
LANGUAGE plpgsql SET search_path = '' SET lock_timeout = '100ms' AS $$
DECLARE
    v_begin timestamp;
    v_name text;
BEGIN
    FOR v_begin IN SELECT m.month FROM app.audit_months_without_part() AS m (month) LOOP
        v_name := 'audit_log_' || to_char(v_begin, 'YYYYMM');
        BEGIN
            EXECUTE format(
                'CREATE TABLE app.%I (LIKE app.audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
                    WITH (%s)', v_name, app.settings_of_audit_months());
            EXECUTE format('ALTER TABLE app.%I ENABLE ROW LEVEL SECURITY', v_name);
            EXECUTE format('ALTER TABLE app.%I FORCE ROW LEVEL SECURITY', v_name);
            EXECUTE format(
                'ALTER TABLE app.audit_log ATTACH PARTITION app.%I FOR VALUES FROM (%L) TO (%L)',
                v_name, v_begin AT TIME ZONE 'UTC',
                (v_begin + interval '1 month') AT TIME ZONE 'UTC');
        EXCEPTION
            WHEN duplicate_table OR check_violation THEN
                NULL;
            WHEN lock_not_available THEN
                RETURN;
        END;
    END LOOP;
END $$;

-- For `hearth-admin doctor`: the months whose partition the worker should have created, such as
-- 2026-03. The worker creates them within an hour of the start of a month. Returns none for a
-- database that is less than a day old.
CREATE OR REPLACE FUNCTION app.audit_months_missing() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT to_char(m.month, 'YYYY-MM')
    FROM app.audit_months_without_part() AS m (month)
    WHERE m.month - interval '2 months' < now() AT TIME ZONE 'UTC' - interval '1 day'
        AND (EXISTS (SELECT FROM app.audit_parts())
             OR EXISTS (SELECT FROM app.audit_log AS a WHERE a.at < now() - interval '1 day'))
    ORDER BY m.month;
$$;

COMMENT ON FUNCTION app.audit_months_missing() IS
    'Months whose partition of the audit log should exist by now, and does not.';

-- Creates the missing partitions. Returns the months that got one.
CREATE OR REPLACE FUNCTION app.operator_make_audit_months() RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_missing text[];
    v_made text[];
BEGIN
    PERFORM app.require_operator();
    v_missing := ARRAY(SELECT app.audit_months_missing());
    PERFORM app.make_audit_months();
    v_made := ARRAY(
        SELECT m.month FROM unnest(v_missing) AS m (month)
        EXCEPT SELECT app.audit_months_missing() ORDER BY 1);
    IF cardinality(v_made) > 0 THEN
        PERFORM app.record_audit('doctor.repair', NULL, NULL, NULL,
            jsonb_build_object('fault', 'audit_month_missing', 'months', v_made));
    END IF;
    RETURN QUERY SELECT unnest(v_made);
END $$;

COMMENT ON FUNCTION app.operator_make_audit_months() IS
    'Creates the partitions that audit_months_missing returns; returns their months.';

-- Only a change of an account's id (account_ids.sql) changes entries of a month that is over, so a
-- vacuum has little to do but freeze it once.
CREATE OR REPLACE FUNCTION app.settings_of_audit_months() RETURNS text
LANGUAGE sql IMMUTABLE
RETURN 'autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.05';

-- The partitions of the audit log and their ends. audit_log_other, which has no end, is not
-- included.
CREATE OR REPLACE FUNCTION app.audit_parts() RETURNS TABLE (name text, ends_at timestamptz)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT c.relname::text, substring(
        pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'app.audit_log'::regclass
        AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
    ORDER BY 2;
$$;

-- The end of the recorded exports: they contain all entries before it. Null if there is none.
CREATE OR REPLACE FUNCTION app.audit_exported_until() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT max(e.ends_at) FROM app.audit_exports AS e;
$$;

COMMENT ON FUNCTION app.audit_exported_until() IS
    'The moment before which every audit entry has been exported; null if none has been exported.';

-- The time before which entries may be dropped because they are older than p_age: the start of a
-- month, and with p_exported_only at most the end of the exports. Null if none may be dropped.
CREATE OR REPLACE FUNCTION app.audit_cutoff(p_age interval, p_exported_only boolean)
RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = '' AS $$
    -- Not least(): it ignores nulls, and each null here means that no entry may be dropped.
    SELECT CASE WHEN NOT p_exported_only OR c.month <= app.audit_exported_until() THEN c.month
        WHEN c.month > app.audit_exported_until() THEN app.audit_exported_until() END
    FROM (SELECT date_trunc('month', (now() - p_age) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')
        AS c (month);
$$;

-- Drops the oldest free partition that ends by p_cutoff, and records this in the audit log. Returns
-- 1, or 0 if no partition was dropped. To drop all, call it again in the next transaction with
-- p_from = `reached`, which skips the earlier partitions that were in use.
--
-- Dropping a partition locks the whole audit log until the transaction ends, and every change
-- writes to the audit log. Therefore one transaction drops only one partition, and the partition is
-- locked first, without waiting: one in use is skipped. The lock of the audit log waits for a tenth
-- of a second at most, because all later statements wait behind it; after a timeout no partition is
-- dropped. Once the audit log is locked, nothing waits.
CREATE OR REPLACE FUNCTION app.drop_audit_part(
    p_cutoff timestamptz, p_from timestamptz, OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SET search_path = '' SET lock_timeout = '100ms' AS $$
DECLARE
    v_part record;
    v_is_free boolean;
BEGIN
    changed := 0;
    FOR v_part IN
        SELECT p.* FROM app.audit_parts() AS p
        WHERE p.ends_at <= p_cutoff AND p.ends_at > coalesce(p_from, '-infinity')
    LOOP
        v_is_free := false;
        -- If this block fails, its locks are released.
        BEGIN
            EXECUTE format('LOCK TABLE app.%I IN ACCESS EXCLUSIVE MODE NOWAIT', v_part.name);
            v_is_free := true;
            LOCK TABLE ONLY app.audit_log IN ACCESS EXCLUSIVE MODE;
            -- DETACH locks the default partition too, because the partition's constraint changes.
            LOCK TABLE app.audit_log_other IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('ALTER TABLE app.audit_log DETACH PARTITION app.%I', v_part.name);
            EXECUTE format('DROP TABLE app.%I', v_part.name);
            INSERT INTO app.audit_log (actor_user_id, actor_label, action, details)
                VALUES (app.actor_id(), coalesce(app.operator_label(), 'job:upkeep.purge'),
                        'audit.drop', jsonb_build_object('part', v_part.name));
            changed := 1;
            reached := v_part.ends_at;
            RETURN;
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            -- If the audit log itself is in use, the next partition can't be dropped either.
            IF v_is_free THEN
                RETURN;
            END IF;
        END;
    END LOOP;
END $$;

-- Deletes at most p_batch entries before the cutoff, from p_from on, as upkeep.sql describes. While
-- a partition that ends by the cutoff exists it deletes nothing, because that partition is dropped
-- whole when it is free. It locks no row first: besides purges, only changes of account ids
-- (account_ids.sql) write to existing entries.
CREATE OR REPLACE FUNCTION app.delete_audit_entries(
    p_cutoff timestamptz, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    changed := 0;
    -- Nothing drops a partition that an operator has moved to another schema, so deletions don't
    -- wait for such a partition.
    IF EXISTS (
        SELECT FROM app.audit_parts() AS p
        WHERE p.ends_at <= p_cutoff AND to_regclass(format('app.%I', p.name)) IS NOT NULL) THEN
        RETURN;
    END IF;
    WITH due AS (
        SELECT a.at, a.id FROM app.audit_log AS a
        WHERE a.at >= coalesce(p_from, '-infinity') AND a.at < p_cutoff
        ORDER BY a.at LIMIT p_batch),
    deleted AS (
        DELETE FROM app.audit_log AS a USING due WHERE a.at = due.at AND a.id = due.id
            RETURNING due.at)
    SELECT count(*), max(at) INTO changed, reached FROM deleted;
END $$;

-- Drops a partition that is older than p_age, as drop_audit_part describes; drops none if p_age is
-- null. If none was dropped, creates the partitions for coming months: never in a transaction that
-- has locked the audit log.
CREATE OR REPLACE FUNCTION app.maintain_audit_months(
    p_age interval, p_exported_only boolean, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    SELECT d.changed, d.reached INTO changed, reached
        FROM app.drop_audit_part(app.audit_cutoff(p_age, p_exported_only), p_from) AS d;
    IF changed = 0 THEN
        PERFORM app.make_audit_months();
    END IF;
END $$;

-- Deletes entries that are older than p_age (null: none) and outside the partitions that are
-- dropped whole.
CREATE OR REPLACE FUNCTION app.purge_audit_entries(
    p_age interval, p_exported_only boolean, p_batch integer, p_from timestamptz,
    OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    SELECT d.changed, d.reached INTO changed, reached FROM app.delete_audit_entries(
        app.audit_cutoff(p_age, p_exported_only), p_batch, p_from) AS d;
END $$;

-- Counts what a purge would drop now, under the names that purges report: days of the job history,
-- months of the audit log, and audit entries outside those months. If p_audit is null, neither
-- months nor entries are counted.
CREATE OR REPLACE FUNCTION app.count_purgeable_parts(
    p_job_history interval, p_audit interval, p_exported_only boolean
) RETURNS TABLE (object text, due bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_prefix constant text := CASE WHEN p_exported_only THEN '' ELSE 'unexported_' END;
    v_cutoff constant timestamptz := app.audit_cutoff(p_audit, p_exported_only);
    v_part record;
    v_from timestamptz := '-infinity';
    v_months bigint := 0;
    v_entries bigint := 0;
BEGIN
    -- Counts the entries before, between and after the partitions that are dropped; those in them
    -- are not read.
    FOR v_part IN
        SELECT p.ends_at,
            (p.ends_at AT TIME ZONE 'UTC' - interval '1 month') AT TIME ZONE 'UTC' AS begins_at
        FROM app.audit_parts() AS p WHERE p.ends_at <= v_cutoff ORDER BY p.ends_at
    LOOP
        v_entries := v_entries + (
            SELECT count(*) FROM app.audit_log AS a
            WHERE a.at >= v_from AND a.at < v_part.begins_at);
        v_from := v_part.ends_at;
        v_months := v_months + 1;
    END LOOP;
    v_entries := v_entries + (
        SELECT count(*) FROM app.audit_log AS a WHERE a.at >= v_from AND a.at < v_cutoff);
    RETURN QUERY VALUES
        ('job_history_days',
            (SELECT count(*) FROM jobs.old_history_days(p_job_history))),
        (v_prefix || 'audit_months', v_months),
        (v_prefix || 'audit_entries', v_entries);
END $$;

COMMENT ON FUNCTION app.count_purgeable_parts(interval, interval, boolean) IS
    'Counts the partitions and entries of the audit log and the days of job history that a purge '
    'would drop now.';

-- The reason why entries with a time before p_before may still be written; null if they can't be. A
-- transaction of unknown age may have begun a day ago.
CREATE OR REPLACE FUNCTION app.audit_month_blocker(
    p_before timestamptz, p_now timestamptz, p_oldest_seconds double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = '' AS $$
    SELECT CASE
        WHEN p_now < p_before + interval '1 hour' THEN
            'The month before has not been over for an hour yet: entries may still come.'
        WHEN p_now - make_interval(secs => coalesce(p_oldest_seconds, 86400)) < p_before THEN
            'A transaction of the month before is still open: its entries may still come.'
    END;
$$;

-- Refuses a time that is not the start of a month, or before which entries may still be written.
CREATE OR REPLACE FUNCTION app.require_audit_end(p_before timestamptz) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_reason constant text := app.audit_month_blocker(
        p_before, now(), app.oldest_transaction_seconds());
BEGIN
    PERFORM app.require_operator();
    IF p_before IS NULL
        OR date_trunc('month', p_before AT TIME ZONE 'UTC') <> p_before AT TIME ZONE 'UTC' THEN
        PERFORM app.refuse_field(
            'before', 'The audit log is exported and dropped by whole months.');
    END IF;
    IF v_reason IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'audit_month_open', v_reason);
    END IF;
END $$;

-- Writes the audit row of an export. Its transaction must be committed before the export reads.
CREATE OR REPLACE FUNCTION app.begin_audit_export(p_before timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.record_audit('audit.export', NULL, NULL, NULL,
        jsonb_build_object('before', to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM')));
END $$;

COMMENT ON FUNCTION app.begin_audit_export(timestamptz) IS
    'Begins an export of all entries before a month; refused while entries may still be written.';

-- Records an export whose file is complete and has its final name. From now on its entries can be
-- dropped.
CREATE OR REPLACE FUNCTION app.record_audit_export(p_before timestamptz, p_entries bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.at >= p_before AND a.at < now() AND a.action = 'audit.export'
            AND a.actor_label = app.operator_label()
            AND a.details ->> 'before' = to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM'))
    THEN
        PERFORM app.refuse('HF409', 'export_not_begun',
            'An export begins with its row in the audit log.');
    END IF;
    INSERT INTO app.audit_exports (ends_at, entry_count, exported_by)
        VALUES (p_before, p_entries, app.operator_label());
END $$;

COMMENT ON FUNCTION app.record_audit_export(timestamptz, bigint) IS
    'Records that a file contains all entries before a month.';

-- Drops one partition that ends by the given time, as drop_audit_part describes. The first call
-- (p_from is null) writes an audit row. operator_delete_audit_entries deletes the entries outside
-- the partitions.
CREATE OR REPLACE FUNCTION app.operator_drop_audit_part(
    p_before timestamptz, p_exported_only boolean, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.require_audit_export(p_before, p_exported_only);
    IF p_from IS NULL THEN
        PERFORM app.record_audit('audit.drop', NULL, NULL, NULL, jsonb_build_object(
            'before', to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM'),
            'exported', p_before <= coalesce(app.audit_exported_until(), '-infinity')));
    END IF;
    SELECT d.changed, d.reached INTO changed, reached
        FROM app.drop_audit_part(p_before, p_from) AS d;
END $$;

COMMENT ON FUNCTION app.operator_drop_audit_part(timestamptz, boolean, timestamptz) IS
    'Drops a partition of the audit log that ends by p_before and after p_from; returns how many '
    'were dropped and the end of the last.';

CREATE OR REPLACE FUNCTION app.operator_audit_parts(p_before timestamptz)
RETURNS TABLE (name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT p.name FROM app.audit_parts() AS p WHERE p.ends_at <= p_before;
$$;

COMMENT ON FUNCTION app.operator_audit_parts(timestamptz) IS
    'The partitions of the audit log that end by this moment.';

CREATE OR REPLACE FUNCTION app.operator_delete_audit_entries(
    p_before timestamptz, p_exported_only boolean, p_batch integer, p_from timestamptz,
    OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.require_audit_export(p_before, p_exported_only);
    SELECT d.changed, d.reached INTO changed, reached
        FROM app.delete_audit_entries(p_before, p_batch, p_from) AS d;
END $$;

COMMENT ON FUNCTION app.operator_delete_audit_entries(timestamptz, boolean, integer, timestamptz) IS
    'Deletes at most p_batch entries from p_from on and before p_before; returns how many, and the '
    'time of the last.';

CREATE OR REPLACE FUNCTION app.require_audit_export(p_before timestamptz, p_exported_only boolean)
RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF p_exported_only AND p_before > coalesce(app.audit_exported_until(), '-infinity') THEN
        PERFORM app.refuse('HF409', 'audit_not_exported',
            'Not all of these entries have been exported.');
    END IF;
END $$;

GRANT EXECUTE ON FUNCTION
    app.maintain_audit_months(interval, boolean, timestamptz),
    app.purge_audit_entries(interval, boolean, integer, timestamptz)
    TO hearth_worker;
GRANT EXECUTE ON FUNCTION
    app.begin_audit_export(timestamptz), app.record_audit_export(timestamptz, bigint),
    app.audit_exported_until(),
    app.operator_drop_audit_part(timestamptz, boolean, timestamptz),
    app.audit_months_missing(), app.operator_make_audit_months(),
    app.count_purgeable_parts(interval, interval, boolean),
    app.operator_audit_parts(timestamptz),
    app.operator_delete_audit_entries(timestamptz, boolean, integer, timestamptz)
    TO hearth_admin;
