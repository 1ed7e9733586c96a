-- The log of sign-ins (app.sign_ins_log).
--
-- The API records events after it has responded, with record_sign_ins, in the same way for each
-- attempt: the account that an attempt was about is looked up here. An attempt at an address
-- without an account is discarded.
--
-- Locks: each user FOR KEY SHARE, so that no row is added to an account that is being erased; then
-- an advisory lock of the user, so that the limit holds. Users are locked in the order of their
-- ids.

-- Rows of an account in an hour; further events are only counted.
CREATE OR REPLACE FUNCTION app.max_sign_ins_an_hour() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- Account of an event; null if there is none. An event names the account, its session, the address,
-- the SHA-256 of the secret of an e-mail token or of its link, a passkey's credential, or a
-- sign-in at another issuer. PL/pgSQL plans only the look-up that the event needs, and keeps its
-- plan.
CREATE OR REPLACE FUNCTION app.account_of_sign_in(
    p_account uuid, p_session uuid, p_email text, p_ticket text, p_link text, p_credential text,
    p_issuer text, p_subject text
) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF p_account IS NOT NULL THEN
        RETURN coalesce(
            (SELECT u.id FROM app.users AS u WHERE u.id = p_account),
            app.account_of_former_id(p_account));
    ELSIF p_session IS NOT NULL THEN
        RETURN (SELECT s.user_id FROM app.sessions AS s WHERE s.id = p_session);
    ELSIF p_email IS NOT NULL THEN
        RETURN app.account_of_mailbox(app.mailbox_of(p_email));
    ELSIF p_ticket IS NOT NULL THEN
        RETURN (SELECT app.account_of_mailbox(t.mailbox) FROM app.email_tokens AS t
            WHERE t.ticket_hash = decode(p_ticket, 'hex'));
    ELSIF p_link IS NOT NULL THEN
        RETURN (SELECT app.account_of_mailbox(t.mailbox) FROM app.email_tokens AS t
            WHERE t.link_hash = decode(p_link, 'hex'));
    ELSIF p_credential IS NOT NULL THEN
        RETURN (SELECT k.user_id FROM app.passkeys AS k
            WHERE sha256(k.credential_id) = sha256(decode(p_credential, 'hex'))
                AND k.credential_id = decode(p_credential, 'hex'));
    END IF;
    RETURN (SELECT i.user_id FROM app.user_identities AS i
        WHERE i.subject_hash = decode(p_subject, 'hex') AND i.issuer = p_issuer);
END $$;

-- Records events: an array of objects, in the field `events`, with kind, way, browser, network, the
-- milliseconds since the event, and what names the account, as account_of_sign_in takes it. Returns
-- the number of events that belong to an account.
CREATE OR REPLACE FUNCTION app.record_sign_ins(p_events jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_event record;
    v_count integer := 0;
    v_hour timestamptz;
BEGIN
    FOR v_event IN
        SELECT e.kind, e.way, e.browser,
            CASE WHEN e.network ~ '^[0-9a-f.:]{1,45}/(24|64)$' THEN e.network END AS network,
            clock_timestamp() - e.ms * interval '1 millisecond' AS at,
            app.account_of_sign_in(e.account, e.session, e.email, e.ticket, e.link, e.credential,
                e.issuer, e.subject) AS account
        FROM ROWS FROM (jsonb_to_recordset(p_events -> 'events') AS (
            kind text, way text, browser text, network text, ms bigint, account uuid, session uuid,
            email text, ticket text, link text, credential text, issuer text, subject text))
            WITH ORDINALITY AS e
        ORDER BY account, e.ordinality
    LOOP
        -- If the account was created after the event, the event was about an erased account with
        -- the same id.
        PERFORM FROM app.users AS u
            WHERE u.id = v_event.account AND u.kind = 'account' AND u.deleted_at IS NULL
                AND u.created_at <= v_event.at + interval '1 second'
            FOR KEY SHARE;
        IF FOUND THEN
            PERFORM pg_advisory_xact_lock(1212499276, hashtext(v_event.account::text));
            v_hour := date_trunc('hour', v_event.at, 'UTC');
            v_count := v_count + 1;
            IF (SELECT count(*) FROM (
                    SELECT FROM app.sign_ins_log AS l
                    WHERE l.user_id = v_event.account AND l.at >= v_hour
                        AND l.at < v_hour + interval '1 hour' AND l.kind <> 'more'
                    LIMIT app.max_sign_ins_an_hour()) AS rows) < app.max_sign_ins_an_hour() THEN
                INSERT INTO app.sign_ins_log (at, user_id, kind, way, browser, network)
                    VALUES (v_event.at, v_event.account, v_event.kind, v_event.way,
                        v_event.browser, v_event.network);
            ELSE
                UPDATE app.sign_ins_log AS l SET more = l.more + 1
                    WHERE l.user_id = v_event.account AND l.at >= v_hour
                        AND l.at < v_hour + interval '1 hour' AND l.kind = 'more';
                IF NOT FOUND THEN
                    INSERT INTO app.sign_ins_log (at, user_id, kind, more)
                        VALUES (v_event.at, v_event.account, 'more', 1);
                END IF;
            END IF;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;

COMMENT ON FUNCTION app.record_sign_ins(jsonb) IS
    'Records events of accounts in the log of sign-ins; returns how many belong to an account.';

-- The latest events of the caller's account, the newest first.
CREATE OR REPLACE FUNCTION app.my_sign_ins(p_limit integer)
RETURNS TABLE (
    id uuid, at timestamptz, kind text, way text, browser text, network text, more integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT l.id, l.at, l.kind, l.way, l.browser, l.network, l.more FROM app.sign_ins_log AS l
    WHERE l.user_id = app.account_id() ORDER BY l.at DESC, l.id DESC LIMIT p_limit
$$;

COMMENT ON FUNCTION app.my_sign_ins(integer) IS
    'The latest events in the log of sign-ins of the caller''s account.';

CREATE OR REPLACE FUNCTION app.export_of_sign_ins(p_user uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'at', app.api_timestamp(l.at), 'kind', l.kind, 'way', l.way, 'browser', l.browser,
            'network', l.network, 'more', l.more) ORDER BY l.at, l.id), '[]')
    FROM app.sign_ins_log AS l WHERE l.user_id = p_user;
$$;

-- The partitions of months: name and end, the oldest first.
CREATE OR REPLACE FUNCTION app.sign_in_parts() RETURNS TABLE (name text, ends_at timestamptz)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT c.relname::text, substring(
        pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'app.sign_ins_log'::regclass
        AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
    ORDER BY 2;
$$;

-- Drops the oldest partition that ended at least p_age ago and is not in use; if there is none,
-- creates the partitions of this month and the next two. Waits for locks for a tenth of a second at
-- most, because sign-ins wait behind; after that, the next run continues.
CREATE OR REPLACE FUNCTION app.maintain_sign_in_months(p_age interval) RETURNS void
LANGUAGE plpgsql SET search_path = '' SET lock_timeout = '100ms' AS $$
DECLARE
    v_part record;
    v_month timestamp;
    v_name text;
BEGIN
    FOR v_part IN SELECT p.* FROM app.sign_in_parts() AS p WHERE p.ends_at <= now() - p_age LOOP
        BEGIN
            EXECUTE format('LOCK TABLE app.%I IN ACCESS EXCLUSIVE MODE NOWAIT', v_part.name);
            LOCK TABLE ONLY app.sign_ins_log IN ACCESS EXCLUSIVE MODE;
            LOCK TABLE app.sign_ins_log_other IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('DROP TABLE app.%I', v_part.name);
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            NULL;
        END;
        RETURN;
    END LOOP;
    FOR v_month IN
        SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n)
        FROM generate_series(0, 2) AS n
    LOOP
        v_name := 'sign_ins_log_' || to_char(v_month, 'YYYYMM');
        -- Rows that were stored before their month had a partition stay in sign_ins_log_other.
        IF to_regclass('app.' || v_name) IS NULL AND NOT EXISTS (
            SELECT FROM app.sign_ins_log AS o
            WHERE o.at >= v_month AT TIME ZONE 'UTC'
                AND o.at < (v_month + interval '1 month') AT TIME ZONE 'UTC') THEN
            BEGIN
                LOCK TABLE ONLY app.sign_ins_log IN ACCESS EXCLUSIVE MODE;
                LOCK TABLE app.sign_ins_log_other IN ACCESS EXCLUSIVE MODE NOWAIT;
                EXECUTE format(
                    'CREATE TABLE app.%I PARTITION OF app.sign_ins_log '
                    'FOR VALUES FROM (%L) TO (%L)', v_name, v_month AT TIME ZONE 'UTC',
                    (v_month + interval '1 month') AT TIME ZONE 'UTC');
                EXECUTE format(
                    'ALTER TABLE app.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
                    v_name);
            EXCEPTION
                WHEN duplicate_table THEN
                    NULL;
                WHEN lock_not_available THEN
                    RETURN;
            END;
        END IF;
    END LOOP;
END $$;

-- Purges events that are older than p_age. The first batch also maintains the partitions.
CREATE OR REPLACE FUNCTION app.purge_sign_ins(
    p_age interval, p_batch integer, p_from timestamptz, OUT changed integer,
    OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF p_from IS NULL THEN
        PERFORM app.maintain_sign_in_months(p_age);
    END IF;
    SELECT * INTO changed, reached FROM app.purge_rows(
        'app.sign_ins_log', '{at, id}', 'at', 'true', p_age, p_batch, p_from);
END $$;

GRANT EXECUTE ON FUNCTION app.record_sign_ins(jsonb), app.my_sign_ins(integer) TO hearth_api;
GRANT EXECUTE ON FUNCTION app.purge_sign_ins(interval, integer, timestamptz) TO hearth_worker;
