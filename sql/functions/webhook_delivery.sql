-- Delivery of webhooks by the worker.
--
-- A job begins a delivery in one transaction, sends the request outside of any transaction, and
-- finishes the delivery in another. If a worker dies in between, the delivery stays pending, and
-- its job runs again.
--
-- While an endpoint fails, one delivery at a time tries it, and after each failure none does until
-- its retry_at: a pause that grows to five minutes. A delivery tries it when its own job is due,
-- whose random delay has a limit that grows to an hour. So an endpoint with many jobs, one for each
-- family, is tried every few minutes, and one with a single job about twice an hour. A delivery
-- that has failed for three days ends as failed. But if the endpoint has had no success in that
-- time either, it is paused, and the delivery stays pending.
--
-- A delivery that has to wait goes back into the queue in the transaction that found this out,
-- which locks what the delivery waits for. The transaction that ends the waiting therefore finds
-- the job in the queue, and makes it due.
--
-- Lock order: the endpoint, then its deliveries, then jobs.

-- Time for which a delivery is tried, and for which an endpoint may fail.
CREATE OR REPLACE FUNCTION app.webhook_retry_period() RETURNS interval
LANGUAGE sql IMMUTABLE RETURN interval '3 days';

-- Longest pause after a failed attempt, in which no delivery tries the endpoint.
CREATE OR REPLACE FUNCTION app.longest_webhook_pause() RETURNS interval
LANGUAGE sql IMMUTABLE RETURN interval '5 minutes';

-- Puts the running job of a delivery back into the queue, due after a random delay of at most 5 s,
-- which doubles with each attempt up to an hour. The worker's token for the job becomes stale.
CREATE OR REPLACE FUNCTION app.postpone_webhook(p_endpoint uuid, p_event bigint) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    UPDATE jobs.live AS j SET
            state = 'ready', worker = NULL, token = NULL, is_started = false,
            attempt = least(j.attempt + 1, j.max_attempts - 2),
            run_at = clock_timestamp()
                + random() * least(3600, 5 * 2 ^ j.attempt) * interval '1 second'
        WHERE j.kind = 'webhook.deliver' AND j.unique_key = p_endpoint || ':' || p_event
            AND j.state = 'running';
$$;

-- Begins a delivery; returns its state and what to send. States: send; gone (the delivery has
-- ended, or its endpoint was removed); paused; wait (an earlier event of the family is pending, or
-- the endpoint fails and is not due for an attempt), in which case the caller no longer holds the
-- job.
CREATE OR REPLACE FUNCTION app.begin_webhook_delivery(p_endpoint uuid, p_event bigint)
RETURNS TABLE (
    state text, url text, event_id uuid, event_type text, occurred_at timestamptz, data jsonb,
    secret_generation integer, secret_hash bytea, previous_secret_hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_delivery app.webhook_deliveries;
    v_endpoint app.webhook_endpoints;
    v_event app.webhook_events;
    v_fails boolean;
BEGIN
    SELECT d.* INTO v_delivery FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.event_number = p_event AND d.state = 'pending';
    SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint;
    SELECT n.* INTO v_event FROM app.webhook_events AS n WHERE n.number = p_event;
    IF v_delivery.endpoint_id IS NULL OR v_endpoint.id IS NULL OR v_event.id IS NULL THEN
        state := 'gone';
    ELSIF v_event.event_type = 'webhook.test' THEN
        state := 'send';
    ELSIF v_endpoint.paused_at IS NOT NULL THEN
        state := 'paused';
    ELSE
        state := 'send';
        PERFORM FROM app.webhook_deliveries AS d
            WHERE d.endpoint_id = p_endpoint AND d.family_unit_id = v_delivery.family_unit_id
                AND d.state = 'pending' AND d.event_number < p_event
            ORDER BY d.event_number LIMIT 1 FOR SHARE;
        IF FOUND THEN
            state := 'wait';
        ELSIF v_endpoint.failures > 0 THEN
            -- Only the delivery that advances retry_at tries the endpoint.
            UPDATE app.webhook_endpoints AS e
                SET retry_at = clock_timestamp() + interval '30 seconds'
                WHERE e.id = p_endpoint AND (e.retry_at <= clock_timestamp()
                    OR app.is_due(e.retry_at, app.longest_webhook_pause()));
            IF NOT FOUND THEN
                SELECT e.failures > 0 INTO v_fails FROM app.webhook_endpoints AS e
                    WHERE e.id = p_endpoint FOR SHARE;
                -- The endpoint may work again, or may have been removed, since it was read.
                state := CASE WHEN coalesce(v_fails, true) THEN 'wait' ELSE 'send' END;
            END IF;
        END IF;
        IF state = 'wait' THEN
            PERFORM app.postpone_webhook(p_endpoint, p_event);
        END IF;
    END IF;
    url := coalesce(v_endpoint.url, '');
    event_id := coalesce(v_event.id, p_endpoint);
    event_type := coalesce(v_event.event_type, '');
    occurred_at := coalesce(v_event.occurred_at, now());
    data := coalesce(v_event.data, '{}');
    secret_generation := coalesce(v_endpoint.secret_generation, 0);
    secret_hash := coalesce(v_endpoint.secret_hash, '');
    previous_secret_hash := CASE WHEN v_endpoint.previous_until > now()
                                 THEN v_endpoint.previous_secret_hash ELSE '' END;
    previous_secret_hash := coalesce(previous_secret_hash, '');
    RETURN NEXT;
END $$;

-- Enqueues the job of the family's next pending event. Returns whether there is one.
CREATE OR REPLACE FUNCTION app.enqueue_next_delivery(p_endpoint uuid, p_family uuid)
RETURNS boolean
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_next bigint;
BEGIN
    SELECT d.event_number INTO v_next FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.family_unit_id = p_family AND d.state = 'pending'
        ORDER BY d.event_number LIMIT 1;
    IF v_next IS NULL THEN
        RETURN false;
    END IF;
    PERFORM app.enqueue_webhook(p_endpoint, v_next, p_family);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION app.pause_webhook(p_endpoint uuid, p_reason text) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    UPDATE app.webhook_endpoints AS e SET paused_at = now(), pause_reason = left(p_reason, 200)
        WHERE e.id = p_endpoint AND e.paused_at IS NULL;
$$;

-- Records that an endpoint works again. The jobs that wait for it become due now, or when every
-- read shows the latest changes (app.standby_delay).
CREATE OR REPLACE FUNCTION app.record_webhook_success(p_endpoint app.webhook_endpoints) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_due constant timestamptz := clock_timestamp() + app.standby_delay();
BEGIN
    UPDATE app.webhook_endpoints AS e SET failures = 0, failing_since = NULL, retry_at = NULL
        WHERE e.id = p_endpoint.id AND e.failures > 0;
    IF FOUND THEN
        UPDATE jobs.live AS j SET run_at = v_due
            WHERE j.queue = 'webhooks' AND j.kind = 'webhook.deliver' AND j.state = 'ready'
                AND j.run_at > v_due
                AND j.payload ->> 'endpoint' = p_endpoint.id::text;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.record_webhook_failure(p_endpoint uuid) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    UPDATE app.webhook_endpoints AS e SET failures = e.failures + 1,
            failing_since = least(e.failing_since, now()),
            retry_at = clock_timestamp()
                + least(300, 5 * 2 ^ least(e.failures, 10)) * (0.5 + random() / 2)
                    * interval '1 second'
        WHERE e.id = p_endpoint;
$$;

DROP FUNCTION IF EXISTS app.finish_webhook_delivery(uuid, bigint, text, smallint, text);

-- Maximum number of attempts that are kept of an endpoint, and the time for which they are kept.
CREATE OR REPLACE FUNCTION app.max_webhook_attempts_kept() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;
CREATE OR REPLACE FUNCTION app.webhook_attempt_retention() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '7 days';

-- Records an attempt at an endpoint.
CREATE OR REPLACE FUNCTION app.record_webhook_attempt(
    p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_ms integer,
    p_content_type text, p_error text
) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    INSERT INTO app.webhook_attempts
            (endpoint_id, event_number, outcome, status, duration_ms, content_type, error)
        VALUES (p_endpoint, p_event, p_outcome, p_status, p_ms,
            nullif(regexp_replace(left(p_content_type, 100), '[^ -~]', '?', 'g'), ''),
            left(p_error, 200));
$$;

-- Finishes an attempt at a delivery. Outcomes: delivered, failed, gone (the endpoint returned 410:
-- it wants no more events). Returns the outcome for the job: done; next (done, and other jobs
-- became due); failed (for the first time) or retry; test_failed; given_up; paused.
CREATE OR REPLACE FUNCTION app.finish_webhook_delivery(
    p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_error text,
    p_ms integer DEFAULT NULL, p_content_type text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_is_test constant boolean := EXISTS (
        SELECT FROM app.webhook_events AS n
        WHERE n.number = p_event AND n.event_type = 'webhook.test');
    v_endpoint app.webhook_endpoints;
    v_delivery app.webhook_deliveries;
    v_is_over boolean;
    v_has_next boolean;
BEGIN
    -- A working endpoint is not locked, so that successes don't wait for each other.
    SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint;
    IF p_outcome <> 'delivered' OR v_endpoint.failures > 0 THEN
        SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e
            WHERE e.id = p_endpoint FOR NO KEY UPDATE;
    END IF;
    v_is_over := p_outcome = 'delivered' OR v_is_test;
    UPDATE app.webhook_deliveries AS d SET
            attempts = d.attempts + 1, last_status = p_status, last_error = left(p_error, 200),
            first_failed_at = CASE WHEN p_outcome = 'delivered' THEN d.first_failed_at
                                   ELSE least(d.first_failed_at, now()) END,
            state = CASE WHEN p_outcome = 'delivered' THEN 'delivered'
                         WHEN v_is_test THEN 'failed' ELSE d.state END,
            settled_at = CASE WHEN v_is_over THEN now() END
        WHERE d.endpoint_id = p_endpoint AND d.event_number = p_event AND d.state = 'pending'
        RETURNING d.* INTO v_delivery;
    -- Another job has delivered the event, or the endpoint was removed.
    IF NOT FOUND THEN
        RETURN 'done';
    END IF;
    PERFORM app.record_webhook_attempt(
        p_endpoint, p_event, p_outcome, p_status, p_ms, p_content_type, p_error);
    IF p_outcome = 'delivered' THEN
        IF v_endpoint.failures > 0 THEN
            PERFORM app.record_webhook_success(v_endpoint);
        END IF;
        v_has_next := app.enqueue_next_delivery(p_endpoint, v_delivery.family_unit_id);
        RETURN CASE WHEN v_has_next OR v_endpoint.failures > 0 THEN 'next' ELSE 'done' END;
    ELSIF v_is_test THEN
        RETURN 'test_failed';
    END IF;
    PERFORM app.record_webhook_failure(p_endpoint);
    IF p_outcome = 'gone' THEN
        PERFORM app.pause_webhook(p_endpoint, 'It answered 410.');
        RETURN 'paused';
    ELSIF v_delivery.first_failed_at > now() - app.webhook_retry_period() THEN
        RETURN CASE v_delivery.attempts WHEN 1 THEN 'failed' ELSE 'retry' END;
    ELSIF v_endpoint.failing_since <= now() - app.webhook_retry_period() THEN
        PERFORM app.pause_webhook(p_endpoint, 'It has failed for three days.');
        RETURN 'paused';
    END IF;
    UPDATE app.webhook_deliveries AS d SET state = 'failed', settled_at = now()
        WHERE d.endpoint_id = p_endpoint AND d.event_number = p_event;
    PERFORM app.enqueue_next_delivery(p_endpoint, v_delivery.family_unit_id);
    RETURN 'given_up';
END $$;

-- Enqueues jobs for the deliveries of an endpoint that should have one: the first pending delivery
-- of each family, and each pending one without a family. Returns the number of jobs. Replaces a
-- dead job.
CREATE OR REPLACE FUNCTION app.enqueue_first_webhooks(p_endpoint uuid) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_first record;
    v_count integer := 0;
BEGIN
    FOR v_first IN
        SELECT f.event_number, f.family_unit_id FROM (
            SELECT DISTINCT ON (d.family_unit_id) d.event_number, d.family_unit_id
            FROM app.webhook_deliveries AS d
            WHERE d.endpoint_id = p_endpoint AND d.state = 'pending'
                AND d.family_unit_id IS NOT NULL
            ORDER BY d.family_unit_id, d.event_number) AS f
        UNION ALL
        SELECT d.event_number, NULL FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.state = 'pending' AND d.family_unit_id IS NULL
        ORDER BY 1
    LOOP
        IF NOT EXISTS (
            SELECT FROM jobs.live AS j
            WHERE j.kind = 'webhook.deliver'
                AND j.unique_key = p_endpoint || ':' || v_first.event_number) THEN
            DELETE FROM jobs.dead AS j
                WHERE j.kind = 'webhook.deliver'
                    AND j.unique_key = p_endpoint || ':' || v_first.event_number;
            PERFORM app.enqueue_webhook(p_endpoint, v_first.event_number, v_first.family_unit_id);
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;

-- Enqueues jobs for deliveries that have lost their job, deletes secrets that a rotation has
-- replaced and attempts beyond the limit, and deletes at most p_batch events older than p_age,
-- delivered or not.
CREATE OR REPLACE FUNCTION app.maintain_webhooks(
    p_age interval, p_batch integer, OUT enqueued integer, OUT purged integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_endpoint uuid;
BEGIN
    UPDATE app.webhook_endpoints AS e SET previous_secret_hash = NULL, previous_until = NULL
        WHERE e.previous_until <= now();
    -- Only the events with the lowest numbers are read. They are the oldest ones, except for small
    -- differences; to find every old event, all recent ones would have to be read too.
    DELETE FROM app.webhook_events AS n
        WHERE n.number IN (
            SELECT f.number FROM (
                SELECT o.number, o.occurred_at FROM app.webhook_events AS o
                ORDER BY o.number LIMIT p_batch) AS f
            WHERE f.occurred_at < now() - p_age);
    GET DIAGNOSTICS purged = ROW_COUNT;
    DELETE FROM app.webhook_attempts AS a USING app.webhook_endpoints AS e
        WHERE a.endpoint_id = e.id AND (
            a.at < now() - app.webhook_attempt_retention()
            OR a.id <= (
                SELECT o.id FROM app.webhook_attempts AS o WHERE o.endpoint_id = e.id
                ORDER BY o.id DESC OFFSET app.max_webhook_attempts_kept() LIMIT 1));
    enqueued := 0;
    FOR v_endpoint IN
        SELECT e.id FROM app.webhook_endpoints AS e WHERE e.paused_at IS NULL ORDER BY e.id
    LOOP
        enqueued := enqueued + app.enqueue_first_webhooks(v_endpoint);
    END LOOP;
END $$;

-- Numbers of endpoints by state, and of pending deliveries, for monitoring.
CREATE OR REPLACE FUNCTION app.webhook_stats()
RETURNS TABLE (working bigint, failing bigint, paused bigint, pending bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT count(*) FILTER (WHERE e.paused_at IS NULL AND e.failures = 0),
        count(*) FILTER (WHERE e.paused_at IS NULL AND e.failures > 0),
        count(*) FILTER (WHERE e.paused_at IS NOT NULL),
        (SELECT count(*) FROM app.webhook_deliveries AS d WHERE d.state = 'pending')
    FROM app.webhook_endpoints AS e;
$$;

GRANT EXECUTE ON FUNCTION
    app.begin_webhook_delivery(uuid, bigint),
    app.finish_webhook_delivery(uuid, bigint, text, smallint, text, integer, text),
    app.maintain_webhooks(interval, integer)
    TO hearth_worker;
GRANT EXECUTE ON FUNCTION app.webhook_stats() TO hearth_api, hearth_worker;
