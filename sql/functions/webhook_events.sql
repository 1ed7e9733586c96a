-- Events for webhooks, recorded in the transaction of the change, whoever makes it.
--
-- Triggers on the tables record them, so that functions, direct clients, operators and the worker
-- all cause the same events. An event is recorded only while an endpoint wants its type, or an API
-- key may read events. After the last such key ends, events are recorded for as long as a cursor of
-- that key stays valid (app.event_stream_time), so that a key that replaces it misses none.
--
-- Order: record_event holds the lock of the family's row, so the events of a family get their
-- numbers in the order in which the changes commit. Of an endpoint's pending deliveries for a
-- family, only the first has a job; the transaction that ends it enqueues the next. An event behind
-- a pending delivery gets no job of its own. queue_webhook locks the last pending delivery: either
-- that delivery has ended when the lock is granted, and the event gets its own job, or the
-- transaction that ends it sees the event.
--
-- Lock order: the family's row, endpoints (FOR KEY SHARE), deliveries.

-- Id in the form of the API: ids of managed members have a prefix.
CREATE OR REPLACE FUNCTION app.public_id(p_id uuid, p_kind text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE p_kind WHEN 'managed' THEN 'managed_' ELSE '' END || p_id::text;

-- Enqueues the job of a delivery, due when every read shows the change (app.standby_delay), because
-- the receiver may read at once. If the delivery has a job that is due later, moves it forward.
CREATE OR REPLACE FUNCTION app.enqueue_webhook(p_endpoint uuid, p_event bigint, p_family uuid)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_key constant text := p_endpoint || ':' || p_event;
    -- A test announces no change, so it is due at once.
    v_due constant timestamptz := greatest(clock_timestamp(), (
        SELECT least(n.occurred_at, clock_timestamp()) + app.standby_delay()
        FROM app.webhook_events AS n
        WHERE n.number = p_event AND n.event_type <> 'webhook.test'));
BEGIN
    IF jobs.enqueue('webhooks', 'webhook.deliver', p_family,
            jsonb_build_object('endpoint', p_endpoint, 'event', p_event),
            p_run_at => v_due, p_unique_key => v_key) IS NULL THEN
        UPDATE jobs.live AS j SET run_at = v_due
            WHERE j.kind = 'webhook.deliver' AND j.unique_key = v_key AND j.state = 'ready'
                AND j.run_at > v_due;
    END IF;
END $$;

-- Adds a delivery of an event to an endpoint.
CREATE OR REPLACE FUNCTION app.queue_webhook(p_endpoint uuid, p_event bigint, p_family uuid)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_is_first boolean := true;
BEGIN
    IF p_family IS NOT NULL THEN
        PERFORM FROM app.webhook_deliveries AS d
            WHERE d.endpoint_id = p_endpoint AND d.family_unit_id = p_family
                AND d.state = 'pending'
            ORDER BY d.event_number DESC LIMIT 1 FOR NO KEY UPDATE;
        v_is_first := NOT FOUND;
    END IF;
    INSERT INTO app.webhook_deliveries (endpoint_id, event_number, family_unit_id)
        VALUES (p_endpoint, p_event, p_family);
    IF v_is_first THEN
        PERFORM app.enqueue_webhook(p_endpoint, p_event, p_family);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.record_event(p_type text, p_family uuid, p_data jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_is_sent boolean;
    v_is_read boolean;
    v_endpoint uuid;
    v_number bigint;
BEGIN
    SELECT EXISTS (
            SELECT FROM app.webhook_endpoints AS e
            WHERE e.event_types = '{}' OR p_type = ANY (e.event_types)),
        EXISTS (
            SELECT FROM app.api_keys AS k
            WHERE 'events:read' = ANY (k.scopes)
                AND coalesce(least(k.revoked_at, k.expires_at), 'infinity')
                    > now() - app.event_stream_time())
        INTO v_is_sent, v_is_read;
    IF NOT (v_is_sent OR v_is_read) THEN
        RETURN;
    END IF;
    -- As a rule, this transaction holds the lock already.
    PERFORM FROM app.family_units AS f WHERE f.id = p_family FOR NO KEY UPDATE;
    INSERT INTO app.webhook_events AS n (event_type, family_unit_id, data)
        VALUES (p_type, p_family, p_data || jsonb_build_object('actorUserId', app.actor_id()))
        RETURNING n.number INTO v_number;
    IF v_is_sent THEN
        FOR v_endpoint IN
            SELECT e.id FROM app.webhook_endpoints AS e
            WHERE e.event_types = '{}' OR p_type = ANY (e.event_types)
            ORDER BY e.id FOR KEY SHARE
        LOOP
            PERFORM app.queue_webhook(v_endpoint, v_number, p_family);
        END LOOP;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.member_event_data(p_member app.family_members) RETURNS jsonb
LANGUAGE sql STABLE
RETURN jsonb_build_object(
    'familyId', (p_member).family_unit_id,
    'memberId', app.public_id((p_member).id, (p_member).user_kind),
    'userId', app.public_id((p_member).user_id, (p_member).user_kind),
    'isManaged', (p_member).user_kind = 'managed',
    'role', (p_member).role,
    'householdRole', (p_member).household_role,
    'joinedVia', (p_member).joined_via,
    'guardianUserId', (p_member).parent_user_id);

-- Emits the event of a new or returning member.
CREATE OR REPLACE FUNCTION app.emit_member_joined_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.record_event(
        CASE NEW.user_kind WHEN 'managed' THEN 'managed.created' ELSE 'member.joined' END,
        NEW.family_unit_id, app.member_event_data(NEW));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION app.emit_member_changed_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.user_kind <> OLD.user_kind THEN
        PERFORM app.record_event('managed.graduated', NEW.family_unit_id,
            app.member_event_data(NEW) || jsonb_build_object(
                'previousUserId', app.public_id(OLD.user_id, OLD.user_kind)));
    ELSIF NEW.status = OLD.status THEN
        PERFORM app.record_event('member.role_changed', NEW.family_unit_id,
            app.member_event_data(NEW) || jsonb_build_object(
                'previousRole', OLD.role, 'previousHouseholdRole', OLD.household_role));
    ELSIF NEW.removed_by IS NOT DISTINCT FROM NEW.user_id THEN
        PERFORM app.record_event(
            'member.left', NEW.family_unit_id, app.member_event_data(NEW));
    ELSE
        PERFORM app.record_event(
            'member.removed', NEW.family_unit_id, app.member_event_data(NEW));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER emit_member_joined_event AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION app.emit_member_joined_event();
CREATE OR REPLACE TRIGGER emit_member_returned_event AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (OLD.status <> 'active' AND NEW.status = 'active')
    EXECUTE FUNCTION app.emit_member_joined_event();
CREATE OR REPLACE TRIGGER emit_member_changed_event AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (
        OLD.status = 'active' AND (NEW.status <> OLD.status OR NEW.user_kind <> OLD.user_kind
            OR (NEW.role, NEW.household_role) <> (OLD.role, OLD.household_role)))
    EXECUTE FUNCTION app.emit_member_changed_event();

CREATE OR REPLACE FUNCTION app.emit_invitation_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.record_event(
        CASE NEW.status WHEN 'pending' THEN 'invitation.created'
                        ELSE 'invitation.' || NEW.status END,
        NEW.family_unit_id,
        jsonb_build_object(
            'familyId', NEW.family_unit_id, 'invitationId', NEW.id, 'role', NEW.role,
            'householdRole', NEW.household_role, 'delivery', NEW.delivery,
            'invitedByUserId', NEW.invited_by, 'acceptedByUserId', NEW.accepted_by));
    RETURN NULL;
END $$;

-- An invitation that is renewed or sent again causes no event.
CREATE OR REPLACE TRIGGER emit_invitation_created_event AFTER INSERT ON app.family_invitations
    FOR EACH ROW WHEN (NEW.status = 'pending') EXECUTE FUNCTION app.emit_invitation_event();
CREATE OR REPLACE TRIGGER emit_invitation_answered_event AFTER UPDATE ON app.family_invitations
    FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status IN ('accepted', 'declined'))
    EXECUTE FUNCTION app.emit_invitation_event();

-- Emits the event of a new or changed family, with the names of the changed settings, never their
-- values. A new code is not a change of the family.
CREATE OR REPLACE FUNCTION app.emit_family_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_data jsonb := jsonb_build_object(
        'familyId', NEW.id, 'createdByUserId', NEW.created_by_user_id);
BEGIN
    IF TG_OP = 'UPDATE' THEN
        v_data := v_data || jsonb_build_object('changed', to_jsonb(array_remove(ARRAY[
            CASE WHEN NEW.approval_required <> OLD.approval_required
                 THEN 'approvalRequired' END,
            CASE WHEN NEW.family_name <> OLD.family_name THEN 'familyName' END,
            CASE WHEN (NEW.home_latitude, NEW.home_longitude)
                      IS DISTINCT FROM (OLD.home_latitude, OLD.home_longitude) THEN 'home' END,
            CASE WHEN NEW.member_limit <> OLD.member_limit THEN 'memberLimit' END,
            CASE WHEN NEW.player_details <> OLD.player_details
                 THEN 'playerDetails' END], NULL)));
    END IF;
    PERFORM app.record_event(
        CASE TG_OP WHEN 'INSERT' THEN 'family.created' ELSE 'family.updated' END, NEW.id, v_data);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER emit_family_created_event AFTER INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.emit_family_event();
CREATE OR REPLACE TRIGGER emit_family_changed_event AFTER UPDATE ON app.family_units
    FOR EACH ROW WHEN (
        (NEW.family_name, NEW.home_latitude, NEW.home_longitude, NEW.player_details,
         NEW.approval_required, NEW.member_limit) IS DISTINCT FROM
        (OLD.family_name, OLD.home_latitude, OLD.home_longitude, OLD.player_details,
         OLD.approval_required, OLD.member_limit))
    EXECUTE FUNCTION app.emit_family_event();

-- Emits an event when the data of a person is erased: an account, or a removed child. A child that
-- has grown up causes none, because its account keeps the data.
CREATE OR REPLACE FUNCTION app.emit_user_erased_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF EXISTS (SELECT FROM app.user_aliases AS a WHERE a.alias_id = NEW.id) THEN
        RETURN NULL;
    END IF;
    PERFORM app.record_event('account.erased', NULL, jsonb_build_object(
        'userId', app.public_id(NEW.id, NEW.kind), 'isManaged', NEW.kind = 'managed'));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER emit_user_erased_event AFTER UPDATE ON app.users
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION app.emit_user_erased_event();
