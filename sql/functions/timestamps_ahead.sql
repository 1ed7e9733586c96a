-- Comparisons of stored times with the present.
--
-- A clock that was ahead for a while leaves times in the future behind. Nobody should have to wait
-- until such a time is reached. A correct time of a past event is ahead of the clock by a minute at
-- most, which allows for differences between clocks and between the starts of transactions. A
-- correct planned time is ahead by the longest planned delay at most. Conditions that would refuse
-- or delay something use the functions below; other conditions treat a time in the future as the
-- present. app.timestamp_columns lists every stored time with its kind; doctor finds times that are
-- too far ahead, and repairs them.

-- Whether an event happened within the last p_span. False for a time that is more than a minute
-- ahead.
CREATE OR REPLACE FUNCTION app.is_within(p_at timestamptz, p_span interval) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN p_at > now() - p_span AND p_at <= now() + interval '1 minute';

-- Whether a period of at most p_span, counted from now, still lasts until p_until. A period that
-- ends more than a minute later than that was stored by a clock that was ahead, and is over.
CREATE OR REPLACE FUNCTION app.is_lasting(p_until timestamptz, p_span interval) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN p_until > now() AND p_until <= now() + p_span + interval '1 minute';

-- Whether an action that is planned at most p_span ahead is due. A time that is more than a minute
-- further ahead was stored by a clock that was ahead, and is due.
CREATE OR REPLACE FUNCTION app.is_due(p_at timestamptz, p_span interval) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN p_at <= now() OR p_at > now() + p_span + interval '1 minute';

-- Every stored time, by table and column. Kinds:
--   past   time of an event; a time in the future is repaired to now minus span
--   due    time of an action, at most span ahead; a time beyond that is repaired to now. Also the
--          end of a period that is_lasting compares: the period is then over
--   end    end of a period of at most span; a time beyond that is repaired to now plus span
--   count  rows that count the events of that time; rows with a time in the future are deleted
--   free   a time that people choose, that is only shown or sorted by, or that must never change
CREATE OR REPLACE FUNCTION app.timestamp_columns()
RETURNS TABLE (table_name text, column_name text, kind text, span interval)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT m.table_name, m.column_name, m.kind, m.span FROM (VALUES
        ('app.account_consents', 'ended_at', 'free', interval '0'),
        ('app.account_consents', 'given_at', 'free', interval '0'),
        ('app.answered_challenges', 'expires_at', 'end', interval '10 minutes'),
        ('app.api_keys', 'created_at', 'free', interval '0'),
        ('app.api_keys', 'expires_at', 'free', interval '0'),
        ('app.api_keys', 'last_used_at', 'free', interval '0'),
        ('app.api_keys', 'previous_until', 'due', app.max_key_overlap()),
        ('app.api_keys', 'revoked_at', 'free', interval '0'),
        ('app.api_keys', 'window_start', 'past', interval '0'),
        ('app.audit_exports', 'ends_at', 'free', interval '0'),
        ('app.audit_exports', 'exported_at', 'free', interval '0'),
        ('app.audit_log', 'at', 'free', interval '0'),
        ('app.former_ids', 'since', 'free', interval '0'),
        ('app.unlinked_sign_ins', 'removed_at', 'free', interval '0'),
        ('app.automatic_approval', 'began_at', 'free', interval '0'),
        ('app.automatic_approval', 'lasts_until', 'due', app.automatic_approval_time()),
        ('app.code_lookups', 'looked_up_at', 'past', interval '0'),
        ('app.console_links', 'expires_at', 'due', app.console_link_time()),
        ('app.console_passkeys', 'created_at', 'free', interval '0'),
        ('app.console_passkeys', 'last_used_at', 'free', interval '0'),
        ('app.console_sessions', 'ends_at', 'due', app.console_session_time()),
        ('app.console_sessions', 'proved_at', 'past', app.console_proof_time()),
        ('app.console_sessions', 'started_at', 'free', interval '0'),
        ('app.consents', 'ended_at', 'free', interval '0'),
        ('app.consents', 'given_at', 'free', interval '0'),
        ('app.doctor_results', 'examined_at', 'past', interval '0'),
        ('app.domain_labels', 'noted_at', 'past', interval '0'),
        ('app.email_sign_ins', 'proved_at', 'free', interval '0'),
        ('app.email_sign_ins', 'removed_at', 'free', interval '0'),
        ('app.erasures', 'erased_at', 'past', interval '0'),
        ('app.family_attributes', 'updated_at', 'free', interval '0'),
        ('app.family_changes', 'changed_at', 'past', interval '0'),
        ('app.family_code_usage_log', 'at', 'past', interval '0'),
        ('app.family_codes', 'generated_at', 'free', interval '0'),
        ('app.family_codes', 'retired_at', 'past', interval '0'),
        ('app.family_invitations', 'accepted_at', 'free', interval '0'),
        ('app.family_invitations', 'closed_at', 'past', interval '0'),
        ('app.family_invitations', 'created_at', 'free', interval '0'),
        ('app.family_invitations', 'expires_at', 'end', interval '7 days'),
        ('app.family_invitations', 'last_sent_at', 'past', interval '0'),
        ('app.family_members', 'added_at', 'free', interval '0'),
        ('app.family_members', 'barred_at', 'past', interval '0'),
        ('app.family_members', 'created_at', 'free', interval '0'),
        ('app.family_members', 'erased_at', 'free', interval '0'),
        ('app.family_members', 'rejected_at', 'past', interval '0'),
        ('app.family_members', 'removed_at', 'past', interval '0'),
        ('app.family_members', 'requests_blocked_at', 'past', interval '0'),
        ('app.family_members', 'updated_at', 'free', interval '0'),
        ('app.family_units', 'code_expires_at', 'free', interval '0'),
        ('app.family_units', 'code_generated_at', 'free', interval '0'),
        ('app.family_units', 'created_at', 'past', interval '0'),
        ('app.family_units', 'emptied_at', 'past', interval '0'),
        ('app.family_units', 'updated_at', 'free', interval '0'),
        ('app.family_versions', 'purged_raised_at', 'free', interval '0'),
        ('app.family_versions', 'raised_at', 'free', interval '0'),
        ('app.guardianships', 'since', 'free', interval '0'),
        ('app.idempotency_keys', 'created_at', 'past', interval '0'),
        ('app.mail_verdicts', 'held_since', 'past', app.mail_hold_time()),
        ('app.mail_verdicts', 'tried_at', 'past', app.mail_hold_pause()),
        ('app.email_tokens', 'expires_at', 'due', app.reset_link_time()),
        ('app.email_tokens', 'opened_at', 'free', interval '0'),
        ('app.email_tokens', 'used_at', 'free', interval '0'),
        ('app.member_preferences', 'updated_at', 'free', interval '0'),
        ('app.operators', 'added_at', 'free', interval '0'),
        ('app.page_tickets', 'expires_at', 'due', app.page_ticket_time()),
        ('app.passkeys', 'created_at', 'free', interval '0'),
        ('app.passkeys', 'last_used_at', 'free', interval '0'),
        ('app.passwords', 'set_at', 'free', interval '0'),
        ('app.process_samples', 'at', 'count', interval '0'),
        ('app.processes', 'seen_at', 'past', interval '0'),
        ('app.processes', 'since', 'free', interval '0'),
        ('app.provider_tokens', 'check_at', 'due', app.provider_check_time()),
        ('app.provider_tokens', 'obtained_at', 'free', interval '0'),
        ('app.rate_limits', 'window_start', 'past', interval '0'),
        ('app.refresh_tokens', 'issued_at', 'past', interval '0'),
        ('app.refresh_tokens', 'previous_issued_at', 'past', interval '0'),
        ('app.refused_invitations', 'since', 'free', interval '0'),
        ('app.role_changes', 'changed_at', 'past', interval '0'),
        ('app.role_changes', 'confirmed_at', 'past', interval '0'),
        ('app.role_conflicts', 'at', 'free', interval '0'),
        ('app.role_conflicts', 'noted_at', 'past', interval '0'),
        ('app.sessions', 'conflicts_seen_at', 'past', interval '0'),
        ('app.sessions', 'ended_at', 'past', interval '0'),
        ('app.sessions', 'ends_at', 'end', app.session_idle_time()),
        ('app.sessions', 'last_used_at', 'past', interval '0'),
        ('app.sessions', 'signed_in_at', 'past', app.fresh_proof_time()),
        ('app.sessions', 'started_at', 'past', app.fresh_proof_time()),
        ('app.sign_ins_log', 'at', 'free', interval '0'),
        ('app.standby_readers', 'renewed_at', 'past', interval '1 minute'),
        ('app.suppressed_addresses', 'since', 'free', interval '0'),
        ('app.trusted_issuers', 'updated_at', 'free', interval '0'),
        ('app.user_aliases', 'since', 'free', interval '0'),
        ('app.user_changes', 'changed_at', 'past', interval '0'),
        ('app.user_identities', 'created_at', 'free', interval '0'),
        ('app.user_versions', 'purged_raised_at', 'free', interval '0'),
        ('app.user_versions', 'raised_at', 'free', interval '0'),
        ('app.users', 'blocked_at', 'free', interval '0'),
        ('app.users', 'created_at', 'free', interval '0'),
        ('app.users', 'deleted_at', 'free', interval '0'),
        ('app.users', 'updated_at', 'free', interval '0'),
        ('app.webhook_attempts', 'at', 'past', interval '0'),
        ('app.webhook_deliveries', 'first_failed_at', 'past', interval '0'),
        ('app.webhook_deliveries', 'settled_at', 'free', interval '0'),
        ('app.webhook_endpoints', 'created_at', 'free', interval '0'),
        ('app.webhook_endpoints', 'failing_since', 'past', interval '0'),
        ('app.webhook_endpoints', 'paused_at', 'free', interval '0'),
        ('app.webhook_endpoints', 'previous_until', 'free', interval '0'),
        ('app.webhook_endpoints', 'retry_at', 'due', app.longest_webhook_pause()),
        ('app.webhook_events', 'occurred_at', 'past', interval '0'),
        ('app.wrong_code_hours', 'hour', 'count', interval '0'),
        ('app.wrong_codes', 'minute', 'count', interval '0'),
        ('jobs.attempts', 'failed_at', 'past', interval '0'),
        ('jobs.dead', 'died_at', 'past', interval '0'),
        ('jobs.dead', 'enqueued_at', 'free', interval '0'),
        ('jobs.dead', 'not_after', 'free', interval '0'),
        ('jobs.dead', 'run_at', 'free', interval '0'),
        ('jobs.history', 'enqueued_at', 'free', interval '0'),
        ('jobs.history', 'finished_at', 'past', interval '0'),
        ('jobs.live', 'enqueued_at', 'past', interval '0'),
        ('jobs.live', 'not_after', 'free', interval '0'),
        ('jobs.live', 'run_at', 'due', jobs.max_delay()),
        ('jobs.paused_queues', 'probe_at', 'due', interval '30 seconds'),
        ('jobs.paused_queues', 'since', 'past', interval '0'),
        ('jobs.schedules', 'last_at', 'free', interval '0'),
        ('jobs.schedules', 'next_at', 'due', interval '8 days'),
        ('jobs.workers', 'renewed_at', 'past', interval '0'),
        ('jobs.workers', 'started_at', 'free', interval '0')
    ) AS m (table_name, column_name, kind, span);
$$;

-- Columns of a table with times that are further ahead of the clock than a correct time can be: the
-- number of rows, and the furthest time.
CREATE OR REPLACE FUNCTION app.future_timestamps(p_table text)
RETURNS TABLE (table_name text, column_name text, ahead bigint, furthest timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_counts text;
    v_rows text;
BEGIN
    SELECT string_agg(format('count(*) FILTER (WHERE t.%1$I > %3$L) AS ahead_%2$s,'
                ' max(t.%1$I) AS furthest_%2$s', m.column_name, m.number,
                    now() + interval '1 minute'
                    + CASE WHEN m.kind IN ('due', 'end') THEN m.span ELSE interval '0' END), ', '),
            string_agg(
                format('(%1$L, s.ahead_%2$s, s.furthest_%2$s)', m.column_name, m.number), ', ')
        INTO v_counts, v_rows
        FROM (
            SELECT l.*, row_number() OVER (ORDER BY l.column_name) AS number
            FROM app.timestamp_columns() AS l
            WHERE l.table_name = p_table AND l.kind <> 'free') AS m;
    IF v_counts IS NULL THEN
        RETURN;
    END IF;
    -- One scan for all columns of the table.
    RETURN QUERY EXECUTE format(
        'SELECT %L, c.column_name, c.ahead, c.furthest FROM (SELECT %s FROM %s AS t) AS s,
            LATERAL (VALUES %s) AS c (column_name, ahead, furthest)
            WHERE c.ahead > 0 ORDER BY c.column_name',
        p_table, v_counts, p_table::regclass, v_rows);
END $$;

COMMENT ON FUNCTION app.future_timestamps(text) IS
    'Columns of a table with times that only a clock that was ahead can have stored.';

-- Repairs the times of a column that are too far ahead of the clock. Returns the number of rows.
CREATE OR REPLACE FUNCTION app.repair_timestamps(p_table text, p_column text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_entry record;
    v_count bigint;
BEGIN
    PERFORM app.require_operator();
    SELECT m.* INTO v_entry FROM app.timestamp_columns() AS m
        WHERE m.table_name = p_table AND m.column_name = p_column AND m.kind <> 'free';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % has no timestamp column %', p_table, p_column;
    END IF;
    IF v_entry.kind = 'count' THEN
        EXECUTE format('DELETE FROM %s AS t WHERE t.%I > %L', p_table::regclass, p_column,
            now() + interval '1 minute');
    ELSE
        EXECUTE format('UPDATE %1$s AS t SET %2$I = %3$L WHERE t.%2$I > %4$L',
            p_table::regclass, p_column,
            now() + CASE v_entry.kind WHEN 'past' THEN -v_entry.span
                WHEN 'end' THEN v_entry.span ELSE interval '0' END,
            now() + interval '1 minute' + CASE v_entry.kind WHEN 'past' THEN interval '0'
                ELSE v_entry.span END);
    END IF;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 THEN
        PERFORM app.record_audit('doctor.repair', NULL, NULL, NULL, jsonb_build_object(
            'fault', 'moment_ahead', 'table', p_table, 'column', p_column, 'rows', v_count));
    END IF;
    RETURN v_count;
END $$;

COMMENT ON FUNCTION app.repair_timestamps(text, text) IS
    'Repairs times of a column that only a clock that was ahead can have stored; returns the rows.';

GRANT EXECUTE ON FUNCTION
    app.timestamp_columns(), app.future_timestamps(text), app.repair_timestamps(text, text),
    app.is_within(timestamptz, interval)
    TO hearth_admin;
-- For a view of the console, which runs functions with the rights of its reader.
GRANT EXECUTE ON FUNCTION app.is_within(timestamptz, interval) TO hearth_viewer;
