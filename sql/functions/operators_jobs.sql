-- Operators' actions on background work: jobs, mail, purging.

-- Retries a dead job, or makes a waiting one due now. Returns false if there is no such job.
CREATE OR REPLACE FUNCTION app.operator_retry_job(p_job bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT d.family_unit_id INTO v_family FROM jobs.dead AS d WHERE d.id = p_job FOR UPDATE;
    IF FOUND THEN
        PERFORM jobs.retry(p_job);
    ELSE
        UPDATE jobs.live AS j SET run_at = clock_timestamp()
            WHERE j.id = p_job AND j.state = 'ready' RETURNING j.family_unit_id INTO v_family;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    PERFORM app.record_audit('job.retry', v_family, NULL, NULL,
        jsonb_build_object('job', p_job));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_retry_job(bigint) IS 'Runs a dead or waiting job now.';

DROP FUNCTION IF EXISTS app.operator_retry_jobs(text, text, text, integer, bigint);

-- Retries up to p_batch dead jobs whose last error contains a text, of a queue and a kind (null:
-- any), with ids above p_after, and notifies the workers. With p_is_group, the text is the
-- beginning of the error by which the console groups dead jobs, and only jobs of that group are
-- retried. A job stays dead if another one with its unique key is waiting or running. Returns the
-- number of retried and skipped jobs, and the last id.
CREATE OR REPLACE FUNCTION app.operator_retry_jobs(
    p_error text, p_is_group boolean, p_queue text, p_kind text, p_batch integer, p_after bigint,
    OUT retried integer, OUT skipped integer, OUT reached bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_job record;
BEGIN
    PERFORM app.require_operator();
    IF coalesce(p_error, '') = '' THEN
        PERFORM app.refuse_field('error', 'A part of the error says which jobs are retried.');
    END IF;
    retried := 0;
    skipped := 0;
    FOR v_job IN
        SELECT d.id, d.queue FROM jobs.dead AS d
        WHERE d.id > p_after
            AND CASE WHEN p_is_group THEN app.error_group(d.last_error) = p_error
                     ELSE strpos(d.last_error, p_error) > 0 END
            AND (p_queue IS NULL OR d.queue = p_queue) AND (p_kind IS NULL OR d.kind = p_kind)
        ORDER BY d.id LIMIT p_batch FOR UPDATE
    LOOP
        reached := v_job.id;
        BEGIN
            PERFORM jobs.retry(v_job.id);
            retried := retried + 1;
            PERFORM pg_notify('hearth_jobs', v_job.queue);
        EXCEPTION WHEN unique_violation THEN
            skipped := skipped + 1;
        END;
    END LOOP;
    IF retried > 0 THEN
        PERFORM app.record_audit('job.retry', NULL, NULL, NULL, jsonb_strip_nulls(
            jsonb_build_object('jobs', retried, 'queue', p_queue, 'kind', p_kind)));
    END IF;
END $$;

COMMENT ON FUNCTION app.operator_retry_jobs(text, boolean, text, text, integer, bigint) IS
    'Retries dead jobs whose last error contains a text, or those of a group; returns how many, '
    'and the last id.';

-- Cancels a dead, waiting or running job; the result of a running job is then ignored. Returns
-- false if there is no such job.
CREATE OR REPLACE FUNCTION app.operator_cancel_job(p_job bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT d.family_unit_id INTO v_family FROM jobs.dead AS d WHERE d.id = p_job FOR UPDATE;
    IF FOUND THEN
        WITH deleted AS (DELETE FROM jobs.dead AS d WHERE d.id = p_job RETURNING d.*)
        INSERT INTO jobs.history (id, enqueued_at, family_unit_id, attempt, queue, kind, outcome,
                recipient)
            SELECT d.id, d.enqueued_at, d.family_unit_id, d.attempt, d.queue, d.kind, 'cancelled',
                jobs.recipient_of(d.queue, d.payload)
            FROM deleted AS d;
    ELSE
        SELECT j.family_unit_id INTO v_family FROM jobs.live AS j WHERE j.id = p_job;
        IF NOT jobs.cancel(p_job) THEN
            RETURN false;
        END IF;
    END IF;
    PERFORM app.record_audit('job.cancel', v_family, NULL, NULL,
        jsonb_build_object('job', p_job));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_cancel_job(bigint) IS 'Cancels a job in any state.';

-- The audit log contains only ids, not the address.
CREATE OR REPLACE FUNCTION app.operator_unsuppress_address(p_email text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_refused boolean;
BEGIN
    PERFORM app.require_operator();
    DELETE FROM app.refused_invitations AS r WHERE r.mailbox = app.mailbox_of(p_email);
    v_refused := FOUND;
    IF NOT app.unsuppress_address(p_email) AND NOT v_refused THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('mail.unsuppress', NULL,
        (SELECT p.id FROM app.people_of_address(p_email) AS p LIMIT 1), NULL);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_unsuppress_address(text) IS
    'Allows e-mail to an address again: deletes its suppression, the recorded rejections and the '
    'refusals of invitations; false if there were none.';

-- An operator's address is refused: it gets the notices about operators' passkeys.
CREATE OR REPLACE FUNCTION app.operator_suppress_address(p_email text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.require_no_operator(p.id) FROM app.people_of_address(p_email) AS p;
    PERFORM app.suppress_address(app.normalised_email(p_email), 'an operator wants it so');
    PERFORM app.record_audit('mail.suppress', NULL,
        (SELECT p.id FROM app.people_of_address(p_email) AS p LIMIT 1), NULL);
END $$;

COMMENT ON FUNCTION app.operator_suppress_address(text) IS
    'Stops all e-mail to an address.';

-- Records a message with which an operator tests the delivery to an address. The message is sent
-- after the commit. Refuses an address that must get no e-mail.
CREATE OR REPLACE FUNCTION app.operator_test_mail(p_email text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_mailbox constant text := app.mailbox_of(app.normalised_email(p_email));
BEGIN
    PERFORM app.require_operator();
    IF v_mailbox IS NULL THEN
        PERFORM app.refuse_field('email', 'This is not an e-mail address.');
    ELSIF app.mailbox_status(v_mailbox) = 'suppressed' THEN
        PERFORM app.refuse('HF409', 'address_suppressed', 'No e-mail goes to this address.');
    END IF;
    PERFORM app.record_audit('mail.test', NULL,
        (SELECT p.id FROM app.people_of_address(v_mailbox) AS p LIMIT 1), NULL);
END $$;

COMMENT ON FUNCTION app.operator_test_mail(text) IS
    'Records a test message of an operator; refused if the address gets no e-mail.';

-- Counts the rows that a purge would change now, under the names that operator_purge takes. The
-- arguments are the retention times of the settings.
DROP FUNCTION IF EXISTS app.count_purgeable(
    interval, interval, interval, interval, interval, interval, interval, interval);
CREATE OR REPLACE FUNCTION app.count_purgeable(
    p_invitations interval, p_retired_codes interval, p_code_usage_log interval,
    p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval,
    p_empty_families interval, p_ended_sessions interval, p_sign_ins interval
) RETURNS TABLE (object text, due bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT 'expired_invitations', count(*) FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at <= now()
    UNION ALL SELECT 'expired_codes', count(*) FROM app.family_units AS f
        WHERE f.family_code IS NOT NULL AND f.code_expires_at <= now()
    UNION ALL SELECT 'closed_invitations', count(*) FROM app.family_invitations AS i
        WHERE i.closed_at <= now() - p_invitations
    UNION ALL SELECT 'retired_codes', count(*) FROM app.family_codes AS c
        WHERE c.state = 'retired' AND c.retired_at <= now() - p_retired_codes
    UNION ALL SELECT 'code_usage_log', count(*) FROM app.family_code_usage_log AS l
        WHERE l.at <= now() - p_code_usage_log
    UNION ALL SELECT 'rate_limits', count(*) FROM app.rate_limits AS r
        WHERE r.window_start <= now() - p_rate_limits
    UNION ALL SELECT 'code_lookups', count(*) FROM app.code_lookups AS l
        WHERE l.looked_up_at <= now() - p_rate_limits
    UNION ALL SELECT 'idempotency_keys', count(*) FROM app.idempotency_keys AS k
        WHERE k.created_at <= now() - p_idempotency_keys
    UNION ALL SELECT 'removed_members', count(*) FROM app.family_members AS m
        WHERE m.status = 'removed' AND m.user_kind = 'managed' AND m.erased_at IS NULL
            AND m.removed_at <= now() - p_removed_members
    UNION ALL SELECT 'empty_families', count(*) FROM app.family_units AS f
        WHERE f.emptied_at <= now() - p_empty_families
    UNION ALL SELECT 'family_changes', count(*) FROM app.family_changes AS c
        WHERE c.changed_at <= now() - app.change_retention()
    UNION ALL SELECT 'user_changes', count(*) FROM app.user_changes AS c
        WHERE c.changed_at <= now() - app.change_retention()
    UNION ALL SELECT 'ended_sessions', count(*) FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at) <= now() - p_ended_sessions
    UNION ALL SELECT 'sign_ins_log', count(*) FROM app.sign_ins_log AS l
        WHERE l.at <= now() - p_sign_ins
    UNION ALL SELECT 'mailed_tickets', count(*) FROM app.email_tokens AS t
        WHERE t.expires_at <= now() - p_rate_limits;
$$;

COMMENT ON FUNCTION app.count_purgeable(
    interval, interval, interval, interval, interval, interval, interval, interval, interval) IS
    'Numbers of rows that a purge would change now.';

-- Runs one batch of the purging that the worker does every minute and every hour.
CREATE OR REPLACE FUNCTION app.operator_purge(
    p_object text, p_age interval, p_batch integer, p_from timestamptz,
    OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    SELECT * INTO changed, reached FROM app.upkeep_batch(p_object, p_age, p_batch, p_from);
END $$;

COMMENT ON FUNCTION app.operator_purge(text, interval, integer, timestamptz) IS
    'Expires or purges rows of an object, p_batch at most, from a time on; returns how many, and '
    'the time reached.';

CREATE OR REPLACE FUNCTION app.record_purge(p_counts jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.record_audit('purge.run', NULL, NULL, NULL, p_counts);
END $$;

COMMENT ON FUNCTION app.record_purge(jsonb) IS 'Records an audit entry for an operator''s purge.';

GRANT EXECUTE ON FUNCTION
    app.operator_retry_job(bigint),
    app.operator_retry_jobs(text, boolean, text, text, integer, bigint),
    app.operator_cancel_job(bigint),
    app.operator_unsuppress_address(text), app.operator_suppress_address(text),
    app.operator_test_mail(text),
    app.count_purgeable(
        interval, interval, interval, interval, interval, interval, interval, interval, interval),
    app.operator_purge(text, interval, integer, timestamptz), app.record_purge(jsonb)
    TO hearth_admin;
