-- Operators and the work in the background: jobs, mail, purging.
--
-- What concerns a person who is erased goes here too: an address that mail servers refused, and
-- what they said when they did, which tends to repeat it.
--
-- Locks: none, all objects are new or functions replaced in place. At run time: the rows changed.

-- A dead job is as good as new; one that waits for its time is due now. False: neither.
CREATE FUNCTION app.operator_retry_job(p_job bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT d.family_unit_id INTO v_family FROM jobs.dead AS d WHERE d.id = p_job FOR UPDATE;
    IF FOUND THEN
        PERFORM jobs.revive(p_job);
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

COMMENT ON FUNCTION app.operator_retry_job(bigint) IS 'Has a dead or waiting job done now.';

-- Also from under a worker, whose result then comes to nothing. False: there is none.
CREATE FUNCTION app.operator_cancel_job(p_job bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT d.family_unit_id INTO v_family FROM jobs.dead AS d WHERE d.id = p_job FOR UPDATE;
    IF FOUND THEN
        WITH gone AS (DELETE FROM jobs.dead AS d WHERE d.id = p_job RETURNING d.*)
        INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
            SELECT g.id, g.family_unit_id, g.attempt, g.queue, g.kind, 'cancelled' FROM gone AS g;
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

COMMENT ON FUNCTION app.operator_cancel_job(bigint) IS 'Takes a job away, dead or alive.';

-- The trail doesn't tell the address: it names ids only.
CREATE FUNCTION app.operator_unsuppress_address(p_email text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT app.unsuppress_address(p_email) THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('mail.unsuppress', NULL,
        (SELECT u.id FROM app.users AS u
         WHERE u.email = app.normalised_email(p_email) ORDER BY u.created_at, u.id LIMIT 1), NULL);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_unsuppress_address(text) IS
    'Lets e-mail go to an address again; false when nothing held it off.';

-- What a purge would change now, by the names that it reports; ages as the retention tells them.
CREATE FUNCTION app.count_purgeable(
    p_invitations interval, p_retired_codes interval, p_code_usage_log interval,
    p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval,
    p_empty_families interval
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
    UNION ALL SELECT 'idempotency_keys', count(*) FROM app.idempotency_keys AS k
        WHERE k.created_at <= now() - p_idempotency_keys
    UNION ALL SELECT 'removed_members', count(*) FROM app.family_members AS m
        WHERE m.status = 'removed' AND m.user_kind = 'managed' AND m.erased_at IS NULL
            AND m.removed_at <= now() - p_removed_members
    UNION ALL SELECT 'empty_families', count(*) FROM app.family_units AS f
        WHERE f.emptied_at <= now() - p_empty_families;
$$;

COMMENT ON FUNCTION app.count_purgeable(
    interval, interval, interval, interval, interval, interval, interval) IS
    'How much a purge would change now.';

CREATE FUNCTION app.note_purge(p_counts jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.record_audit('purge.run', NULL, NULL, NULL, p_counts);
END $$;

COMMENT ON FUNCTION app.note_purge(jsonb) IS 'Writes down that an operator purged, and how much.';

-- As before, and what the mailer keeps of an address.
CREATE OR REPLACE FUNCTION app.erase_traces_of(p_user app.users) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    DELETE FROM app.member_preferences AS p WHERE p.user_id = p_user.id;
    DELETE FROM app.code_lookups AS l WHERE l.user_id = p_user.id;
    DELETE FROM app.idempotency_keys AS k
        WHERE k.actor_id = p_user.id OR k.subject_id = p_user.id;
    DELETE FROM app.rate_limits AS r
        WHERE r.bucket IN ('code:account:' || p_user.id, 'invite:account:' || p_user.id);
    DELETE FROM app.suppressed_addresses AS x WHERE x.email = p_user.email;
    UPDATE jobs.live AS j SET last_error = 'erased'
        WHERE strpos(lower(j.last_error), p_user.email) > 0;
    UPDATE jobs.dead AS d SET last_error = 'erased'
        WHERE strpos(lower(d.last_error), p_user.email) > 0;
    UPDATE app.family_members AS m SET erased_at = now()
        WHERE m.user_id = p_user.id AND m.user_kind = 'managed';
    -- Details are about the family's player: about this one if they name it, or if no other is
    -- left whom they could be about.
    UPDATE app.family_units AS f SET player_details = '{}'
        FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.family_unit_id = f.id AND f.player_details <> '{}'
            AND (app.normalised_name(f.player_details ->> 'playerName', 80) = p_user.full_name
                 OR (m.role = 'player' AND NOT EXISTS (
                     SELECT FROM app.family_members AS o
                     WHERE o.family_unit_id = f.id AND o.status = 'active'
                         AND o.role = 'player')));
    UPDATE app.family_units AS f
        SET player_details = '{}', home_latitude = NULL, home_longitude = NULL
        FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.family_unit_id = f.id AND f.emptied_at IS NOT NULL;
END $$;

GRANT EXECUTE ON FUNCTION
    app.operator_retry_job(bigint), app.operator_cancel_job(bigint),
    app.operator_unsuppress_address(text), app.note_purge(jsonb),
    app.count_purgeable(interval, interval, interval, interval, interval, interval, interval)
    TO hearth_admin;
