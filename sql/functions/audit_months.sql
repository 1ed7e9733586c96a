-- hearth: after audit.sql, operators.sql, monitoring.sql
-- The months of the audit trail: made ahead, exported, dropped.
--
-- app.audit_log is divided by month, in UTC. audit_log_other holds what came when its month had no
-- part. Months are dropped whole; from audit_log_other, entries are deleted in batches.
--
-- An export is recorded (app.audit_exports) after its file is complete and in its place. An entry
-- is dropped only if a recorded export has it, unless the operator has said that exports don't
-- matter. Nothing can be added to an exported month: each entry has the time at which it was
-- written, and an export begins only when the month has been over for an hour and no transaction is
-- left from it.

-- The months among this one and the next two, by their first days, that have no part and can have
-- one. Entries that came before there was a part for them prevent it: then the entries of the month
-- stay in audit_log_other. So does a part in another schema, or a table of that name that is no
-- part: doctor tells of both.
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

-- The parts of this month and the next two. Attaching one waits for those who read the whole trail
-- or write to audit_log_other, a tenth of a second at most, because those who come later wait
-- behind it; then it and the others are left for the next time.
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

-- For doctor: the months whose part the worker should have made, such as 2026-03. It makes them
-- within the hour of a month's beginning; a database that is hardly a day old has none yet.
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
    'Months whose part of the trail should be there by now, and is not.';

-- Makes the parts that are missing. Returns the months that have one only now.
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
    'Makes the parts of the trail that audit_months_missing names; returns their months.';

-- A month is never changed once it is over: what is left for a vacuum is freezing it, once.
CREATE OR REPLACE FUNCTION app.settings_of_audit_months() RETURNS text
LANGUAGE sql IMMUTABLE
RETURN 'autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.05';

-- The parts of the trail and where they end; audit_log_other, which has no end, isn't one of them.
CREATE OR REPLACE FUNCTION app.audit_parts() RETURNS TABLE (name text, ends_at timestamptz)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT c.relname::text, substring(
        pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'app.audit_log'::regclass
        AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
    ORDER BY 2;
$$;

-- Up to where all entries are in recorded exports; null if nothing was exported.
CREATE OR REPLACE FUNCTION app.audit_exported_until() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT max(e.ends_at) FROM app.audit_exports AS e;
$$;

COMMENT ON FUNCTION app.audit_exported_until() IS
    'The moment before which every entry of the trail has been exported; null: none.';

-- The beginning of the month up to which entries of that age can go; null: none of them.
CREATE OR REPLACE FUNCTION app.audit_cutoff(p_age interval, p_exported_only boolean)
RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = '' AS $$
    -- least() ignores nulls, and each null here means that nothing goes.
    SELECT CASE WHEN NOT p_exported_only OR c.month <= app.audit_exported_until() THEN c.month
        WHEN c.month > app.audit_exported_until() THEN app.audit_exported_until() END
    FROM (SELECT date_trunc('month', (now() - p_age) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')
        AS c (month);
$$;

-- Drops one part that ends by then, the oldest that is free, and notes it in the trail. Returns 1,
-- or 0 if there is none; whoever wants to drop them all calls it again in the next transaction,
-- from where this one has reached: parts before that were in use.
--
-- Dropping a part locks the whole trail until the transaction ends, and whoever changes anything
-- writes to the trail. Therefore it is one part in a transaction, nothing is waited for once the
-- trail is locked, and the part itself is locked before: a part in use is passed over at once. For
-- the trail it waits a tenth of a second, because all who come later wait behind it. If that isn't
-- enough, none is dropped this time.
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
        -- What is locked in this block is free again when it fails.
        BEGIN
            EXECUTE format('LOCK TABLE app.%I IN ACCESS EXCLUSIVE MODE NOWAIT', v_part.name);
            v_is_free := true;
            LOCK TABLE ONLY app.audit_log IN ACCESS EXCLUSIVE MODE;
            -- Dropping a part locks it as well: what it takes in is no longer the same.
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
            -- The trail is in use, and would be for the next part as well.
            IF v_is_free THEN
                RETURN;
            END IF;
        END;
    END LOOP;
END $$;

-- Deletes at most so many entries before the cutoff, from p_from on, as upkeep.sql describes: none
-- while there is a part that ends by then, which goes as a whole once it is in use no more. No row
-- is locked first: nothing but a purge ever changes an entry.
CREATE OR REPLACE FUNCTION app.delete_audit_entries(
    p_cutoff timestamptz, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    changed := 0;
    -- What somebody has moved to another schema is dropped by nobody.
    IF EXISTS (
        SELECT FROM app.audit_parts() AS p
        WHERE p.ends_at <= p_cutoff AND to_regclass(format('app.%I', p.name)) IS NOT NULL) THEN
        RETURN;
    END IF;
    WITH due AS (
        SELECT a.at, a.id FROM app.audit_log AS a
        WHERE a.at >= coalesce(p_from, '-infinity') AND a.at < p_cutoff
        ORDER BY a.at LIMIT p_batch),
    gone AS (
        DELETE FROM app.audit_log AS a USING due WHERE a.at = due.at AND a.id = due.id
            RETURNING due.at)
    SELECT count(*), max(at) INTO changed, reached FROM gone;
END $$;

-- Drops a part that is older than p_age (null: none), as drop_audit_part describes. When there is
-- none any more it makes the parts ahead: never in a transaction that has the trail locked.
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

-- Entries that are older than p_age (null: none) and aren't dropped with a month.
CREATE OR REPLACE FUNCTION app.purge_audit_entries(
    p_age interval, p_exported_only boolean, p_batch integer, p_from timestamptz,
    OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    SELECT d.changed, d.reached INTO changed, reached FROM app.delete_audit_entries(
        app.audit_cutoff(p_age, p_exported_only), p_batch, p_from) AS d;
END $$;

-- What a purge would drop now of what is divided by time, by the names that it reports: days of the
-- history of jobs; months of the trail, and its entries that aren't dropped with a month. p_audit
-- is null where nothing of the trail goes.
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
    -- Entries before, between and behind the parts that are dropped, whose own are not looked at.
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
    'How many parts of the trail and of the history of jobs a purge would drop now.';

-- Why entries from before that moment may still come; null: they can't. A transaction whose age is
-- not known may have begun a day ago.
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

-- Refuses a moment that begins no month, or before which entries may still come.
CREATE OR REPLACE FUNCTION app.require_audit_end(p_before timestamptz) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_reason constant text := app.audit_month_blocker(
        p_before, now(), app.oldest_transaction_seconds());
BEGIN
    PERFORM app.require_operator();
    IF p_before IS NULL
        OR date_trunc('month', p_before AT TIME ZONE 'UTC') <> p_before AT TIME ZONE 'UTC' THEN
        PERFORM app.refuse_field('before', 'The trail is exported and dropped by whole months.');
    END IF;
    IF v_reason IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'audit_month_open', v_reason);
    END IF;
END $$;

-- Leaves the row of an export in the trail; its transaction has to be committed before the reading.
CREATE OR REPLACE FUNCTION app.begin_audit_export(p_before timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.record_audit('audit.export', NULL, NULL, NULL,
        jsonb_build_object('before', to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM')));
END $$;

COMMENT ON FUNCTION app.begin_audit_export(timestamptz) IS
    'Begins an export of all entries before a month; refused while entries may still come.';

-- The file is complete and in its place: from now on what it holds can be dropped.
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
            'An export begins with its row in the audit trail.');
    END IF;
    INSERT INTO app.audit_exports (ends_at, entry_count, exported_by)
        VALUES (p_before, p_entries, app.operator_label());
END $$;

COMMENT ON FUNCTION app.record_audit_export(timestamptz, bigint) IS
    'Records that all entries before a month are in a file.';

-- Drops one part before a moment, as drop_audit_part describes; the first call (p_from is null)
-- leaves a row in the trail. The rest is for operator_delete_audit_entries.
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
    'Drops a part of the trail that ends by then and behind another moment; how many, how far.';

CREATE OR REPLACE FUNCTION app.operator_audit_parts(p_before timestamptz)
RETURNS TABLE (name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT p.name FROM app.audit_parts() AS p WHERE p.ends_at <= p_before;
$$;

COMMENT ON FUNCTION app.operator_audit_parts(timestamptz) IS
    'The parts of the trail that end by then.';

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
    'Deletes so many entries before a moment at most, from another on; how many, and how far.';

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
