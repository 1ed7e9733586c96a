-- Operators' changes of webhooks. The audit log has the endpoint's id, never its URL, which may
-- contain a secret.

CREATE OR REPLACE FUNCTION app.lock_webhook_for_operator(p_endpoint uuid)
RETURNS app.webhook_endpoints
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_endpoint app.webhook_endpoints;
BEGIN
    PERFORM app.require_operator();
    SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'webhook_not_found', 'There is no such webhook.');
    END IF;
    RETURN v_endpoint;
END $$;

-- The caller chooses the id, because the secret is derived from it.
CREATE OR REPLACE FUNCTION app.operator_add_webhook(
    p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    INSERT INTO app.webhook_endpoints (id, url, description, event_types, secret_hash)
        VALUES (p_endpoint, p_url, p_description, p_event_types, p_secret_hash);
    PERFORM app.record_audit('webhook.add', NULL, NULL, p_endpoint,
        jsonb_build_object('eventTypes', p_event_types));
END $$;

COMMENT ON FUNCTION app.operator_add_webhook(uuid, text, text, text[], bytea) IS
    'Adds an endpoint that receives events from now on.';

-- Gives an endpoint its next secret. The previous secret also signs requests for p_overlap.
CREATE OR REPLACE FUNCTION app.operator_rotate_webhook(
    p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
BEGIN
    IF p_generation <> v_endpoint.secret_generation + 1 THEN
        PERFORM app.refuse('HF409', 'webhook_changed', 'Somebody else has rotated this secret.');
    END IF;
    UPDATE app.webhook_endpoints AS e SET
            secret_generation = p_generation, secret_hash = p_secret_hash,
            previous_secret_hash = CASE WHEN p_overlap > interval '0' THEN e.secret_hash END,
            previous_until = CASE WHEN p_overlap > interval '0' THEN now() + p_overlap END
        WHERE e.id = p_endpoint;
    PERFORM app.record_audit('webhook.rotate', NULL, NULL, p_endpoint);
END $$;

COMMENT ON FUNCTION app.operator_rotate_webhook(uuid, integer, bytea, interval) IS
    'Gives an endpoint its next secret; the previous one also signs for a while.';

CREATE OR REPLACE FUNCTION app.operator_remove_webhook(p_endpoint uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.lock_webhook_for_operator(p_endpoint);
    DELETE FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint;
    PERFORM app.record_audit('webhook.remove', NULL, NULL, p_endpoint);
END $$;

COMMENT ON FUNCTION app.operator_remove_webhook(uuid) IS
    'Removes an endpoint with its deliveries.';

-- Returns false if the endpoint was paused already.
CREATE OR REPLACE FUNCTION app.operator_pause_webhook(p_endpoint uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
BEGIN
    IF v_endpoint.paused_at IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM app.pause_webhook(p_endpoint, 'An operator paused it.');
    PERFORM app.record_audit('webhook.pause', NULL, NULL, p_endpoint);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_pause_webhook(uuid) IS
    'Stops the deliveries to an endpoint; its events are kept.';

-- Ends a pause. From now on each pending delivery is tried for another three days. Returns the
-- number of deliveries that were enqueued.
CREATE OR REPLACE FUNCTION app.operator_resume_webhook(p_endpoint uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
BEGIN
    UPDATE app.webhook_endpoints AS e SET paused_at = NULL, pause_reason = NULL,
            failures = 0, failing_since = NULL, retry_at = NULL
        WHERE e.id = v_endpoint.id;
    UPDATE app.webhook_deliveries AS d SET first_failed_at = NULL
        WHERE d.endpoint_id = p_endpoint AND d.state = 'pending' AND d.first_failed_at IS NOT NULL;
    PERFORM app.record_audit('webhook.resume', NULL, NULL, p_endpoint);
    RETURN app.enqueue_first_webhooks(p_endpoint);
END $$;

COMMENT ON FUNCTION app.operator_resume_webhook(uuid) IS
    'Ends a pause; the pending events are sent in order.';

-- Sends events again: those whose delivery failed (p_failed), one event (p_event), or all since a
-- time (p_since), including events older than the endpoint. Pending deliveries stay as they are.
-- Returns the number of events.
CREATE OR REPLACE FUNCTION app.operator_replay_webhook(
    p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamptz
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
    v_count integer;
    v_enqueued integer := 0;
BEGIN
    INSERT INTO app.webhook_deliveries AS d (endpoint_id, event_number, family_unit_id)
        SELECT p_endpoint, n.number, n.family_unit_id FROM app.webhook_events AS n
        WHERE n.event_type <> 'webhook.test'
            AND (v_endpoint.event_types = '{}' OR n.event_type = ANY (v_endpoint.event_types))
            AND (n.id = p_event OR n.occurred_at >= p_since OR (p_failed AND EXISTS (
                SELECT FROM app.webhook_deliveries AS f
                WHERE f.endpoint_id = p_endpoint AND f.event_number = n.number
                    AND f.state = 'failed')))
        ORDER BY n.number
        ON CONFLICT (endpoint_id, event_number) DO UPDATE SET
            state = 'pending', settled_at = NULL, first_failed_at = NULL
        WHERE d.state <> 'pending';
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_endpoint.paused_at IS NULL THEN
        v_enqueued := app.enqueue_first_webhooks(p_endpoint);
    END IF;
    -- A pending event whose job had died is sent again as well.
    v_count := greatest(v_count, v_enqueued);
    IF v_count > 0 THEN
        PERFORM app.record_audit('webhook.replay', NULL, NULL, p_endpoint,
            jsonb_build_object('events', v_count));
    END IF;
    RETURN v_count;
END $$;

COMMENT ON FUNCTION app.operator_replay_webhook(uuid, boolean, uuid, timestamptz) IS
    'Sends events to an endpoint again; returns their number.';

-- Sends a test event, which is tried once, even while the endpoint is paused. Deletes the events of
-- earlier tests. Returns the event's number.
CREATE OR REPLACE FUNCTION app.operator_test_webhook(p_endpoint uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_number bigint;
BEGIN
    PERFORM app.lock_webhook_for_operator(p_endpoint);
    DELETE FROM app.webhook_events AS n USING app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.event_number = n.number
            AND d.state <> 'pending' AND n.event_type = 'webhook.test';
    INSERT INTO app.webhook_events AS n (event_type, data)
        VALUES ('webhook.test', jsonb_build_object('webhookId', p_endpoint))
        RETURNING n.number INTO v_number;
    PERFORM app.queue_webhook(p_endpoint, v_number, NULL);
    PERFORM app.record_audit('webhook.test', NULL, NULL, p_endpoint);
    RETURN v_number;
END $$;

COMMENT ON FUNCTION app.operator_test_webhook(uuid) IS
    'Sends a test event to an endpoint; returns the event''s number.';

GRANT EXECUTE ON FUNCTION
    app.operator_add_webhook(uuid, text, text, text[], bytea),
    app.operator_rotate_webhook(uuid, integer, bytea, interval),
    app.operator_remove_webhook(uuid), app.operator_pause_webhook(uuid),
    app.operator_resume_webhook(uuid),
    app.operator_replay_webhook(uuid, boolean, uuid, timestamptz),
    app.operator_test_webhook(uuid)
    TO hearth_admin;
