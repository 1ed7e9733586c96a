-- The console for operators: signing in by a one-time link or a passkey of the console, sessions,
-- and passkeys. hearth-console calls these functions as hearth_admin. Each change that an operator
-- makes afterwards goes through the functions for operators, in the name of the session's operator.
--
-- A session is identified by the hash of its token. It ends when the operator loses the role,
-- because its row refers to the role. It is not accepted while the account is blocked or erased.
--
-- Locks: a change begins with the role of the operator, so that nothing is changed while it is
-- revoked, as operator_roles.sql does. Signing in locks it too, after the link or the passkey.

-- Time for which a sign-in or re-authentication of an operator counts as fresh.
CREATE OR REPLACE FUNCTION app.console_proof_time() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '10 minutes';

-- Maximum lifetime of a one-time link (hearth-admin's --minutes).
CREATE OR REPLACE FUNCTION app.console_link_time() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '1 day';

-- Maximum lifetime of a session (HEARTH_CONSOLE_SESSION_HOURS).
CREATE OR REPLACE FUNCTION app.console_session_time() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '7 days';

-- Maximum number of passkeys of an operator.
CREATE OR REPLACE FUNCTION app.max_console_passkeys() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 10;

-- Maximum number of an operator's sessions that a trusted proxy has opened.
CREATE OR REPLACE FUNCTION app.max_proxy_sessions() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 20;

-- The name of an operator in the audit log: the e-mail address, or the account's id if there is no
-- address or it is too long for a label.
CREATE OR REPLACE FUNCTION app.console_name(p_user uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT CASE WHEN char_length(u.email) <= 80 THEN u.email ELSE u.id::text END
    FROM app.users AS u WHERE u.id = p_user
$$;

-- Locks the role of an operator whose account is neither blocked nor erased, and begins a
-- transaction in the operator's name. Refuses everybody else.
CREATE OR REPLACE FUNCTION app.begin_as_operator(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.operators AS o JOIN app.users AS u ON u.id = o.user_id
        WHERE o.user_id = p_user AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR KEY SHARE OF o;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    END IF;
    PERFORM app.begin_operation(app.console_name(p_user));
END $$;

-- Begins a transaction in the name of a session's operator. Refuses if the session has ended, or if
-- the role is lower than the operation requires: both may have changed since the request was
-- admitted. With p_locks, the role does not change until the transaction ends.
CREATE OR REPLACE FUNCTION app.begin_console_operation(
    p_session_hash bytea, p_role text, p_locks boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_roles constant text[] := ARRAY['viewer', 'support', 'admin'];
    v_user uuid;
    v_role text;
BEGIN
    IF p_locks THEN
        PERFORM FROM app.operators AS o JOIN app.console_sessions AS s ON s.user_id = o.user_id
            WHERE s.token_hash = p_session_hash FOR SHARE OF o;
    END IF;
    SELECT s.user_id, s.role INTO v_user, v_role FROM app.console_session(p_session_hash) AS s;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    ELSIF (array_position(v_roles, v_role) >= array_position(v_roles, p_role)) IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'role_does_not_allow',
            format('Your role, %s, does not allow this.', v_role));
    END IF;
    PERFORM app.begin_operation(app.console_name(v_user));
    PERFORM set_config('hearth.console_account', v_user::text, true),
        set_config('hearth.console_role', v_role, true);
END $$;

COMMENT ON FUNCTION app.begin_console_operation(bytea, text, boolean) IS
    'Begins the transaction of the operator of a session, who must have a role.';

CREATE OR REPLACE FUNCTION app.open_console_session(
    p_user uuid, p_method text, p_session_hash bytea, p_hours integer, p_browser text
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    DELETE FROM app.console_sessions AS s WHERE s.user_id = p_user
        AND NOT app.is_lasting(s.ends_at, app.console_session_time());
    INSERT INTO app.console_sessions (token_hash, user_id, method, ends_at, browser)
        VALUES (p_session_hash, p_user, p_method, now() + make_interval(hours => p_hours),
            p_browser);
    PERFORM app.record_audit('operator.sign_in', NULL, p_user, p_user,
        jsonb_build_object('method', p_method));
END $$;

-- Stores the hash of a one-time link for an operator, in place of an earlier link.
CREATE OR REPLACE FUNCTION app.operator_make_console_link(
    p_user uuid, p_token_hash bytea, p_minutes integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM FROM app.operators AS o WHERE o.user_id = p_user FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'operator_not_found', 'This account is no operator.');
    END IF;
    INSERT INTO app.console_links AS l (token_hash, user_id, expires_at)
        VALUES (p_token_hash, p_user, now() + make_interval(mins => p_minutes))
        ON CONFLICT ON CONSTRAINT console_links_user_key DO UPDATE SET
            token_hash = excluded.token_hash, expires_at = excluded.expires_at;
    PERFORM app.record_audit('operator.link', NULL, p_user, p_user);
END $$;

COMMENT ON FUNCTION app.operator_make_console_link(uuid, bytea, integer) IS
    'Stores a one-time link with which an operator signs in to the console.';

-- The e-mail address of the operator of a valid link. Returns no row for any other link.
CREATE OR REPLACE FUNCTION app.console_link_owner(p_token_hash bytea)
RETURNS TABLE (email text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT u.email
    FROM app.console_links AS l JOIN app.users AS u ON u.id = l.user_id
    WHERE l.token_hash = p_token_hash
        AND app.is_lasting(l.expires_at, app.console_link_time())
        AND u.deleted_at IS NULL AND u.blocked_at IS NULL
$$;

-- Uses up a link and opens a session. Returns false if the link is unknown, used or expired.
CREATE OR REPLACE FUNCTION app.console_use_link(
    p_token_hash bytea, p_session_hash bytea, p_hours integer, p_browser text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user uuid;
BEGIN
    DELETE FROM app.console_links AS l
        WHERE l.token_hash = p_token_hash
            AND app.is_lasting(l.expires_at, app.console_link_time())
        RETURNING l.user_id INTO v_user;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.begin_as_operator(v_user);
    PERFORM app.open_console_session(v_user, 'link', p_session_hash, p_hours, p_browser);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.console_use_link(bytea, bytea, integer, text) IS
    'Opens a session with a one-time link; false for a link that is unknown, used or expired.';

-- The operator of a session that has not ended.
CREATE OR REPLACE FUNCTION app.console_session(p_token_hash bytea)
RETURNS TABLE (
    user_id uuid, email text, name text, role text, method text, is_proof_fresh boolean,
    passkeys integer, ends_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = '' SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT s.user_id, u.email, app.console_name(s.user_id), o.role, s.method,
            app.is_within(s.proved_at, app.console_proof_time()),
            (SELECT count(*)::integer FROM app.console_passkeys AS k WHERE k.user_id = s.user_id),
            s.ends_at
        FROM app.console_sessions AS s
        JOIN app.operators AS o ON o.user_id = s.user_id
        JOIN app.users AS u ON u.id = s.user_id
        WHERE s.token_hash = p_token_hash
            AND app.is_lasting(s.ends_at, app.console_session_time())
            AND u.deleted_at IS NULL AND u.blocked_at IS NULL;
END $$;

COMMENT ON FUNCTION app.console_session(bytea) IS
    'The operator of a session; no row once the session has ended or the role was revoked.';

CREATE OR REPLACE FUNCTION app.console_end_session(p_token_hash bytea) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    DELETE FROM app.console_sessions AS s WHERE s.token_hash = p_token_hash
$$;

-- The counters of attempts to sign in from a client's address and from its network.
CREATE OR REPLACE FUNCTION app.console_buckets(p_address text, p_network text) RETURNS text[]
LANGUAGE sql IMMUTABLE
RETURN ARRAY['console:address:' || p_address, 'console:network:' || p_network];

-- Counts an attempt to sign in. The caller runs it in a separate transaction. Returns a row if a
-- limit is reached.
CREATE OR REPLACE FUNCTION app.reserve_console_attempt(p_address text, p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT r.* FROM app.reserve_hits(
        app.console_buckets(p_address, p_network),
        ARRAY[app.max_passkey_attempts_of_address(), app.max_passkey_attempts_of_network()],
        app.password_attempts_window()) AS r;
END $$;

-- Data with which a response of an authenticator is verified. Returns no row if no operator has
-- this credential.
CREATE OR REPLACE FUNCTION app.console_passkey_of_credential(
    p_credential_id bytea, p_challenge_hash bytea)
RETURNS TABLE (
    id uuid, user_id uuid, handle uuid, public_key bytea, counter bigint,
    is_backup_eligible boolean, is_answered boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT k.id, k.user_id, k.user_id, k.public_key, k.counter, k.is_backup_eligible, EXISTS (
        SELECT FROM app.answered_challenges AS a WHERE a.challenge_hash = p_challenge_hash)
    FROM app.console_passkeys AS k
    WHERE sha256(k.credential_id) = sha256(p_credential_id) AND k.credential_id = p_credential_id
$$;

-- Records a verified response: each challenge is accepted once, and the counter never decreases.
-- Returns the passkey's operator; null if the passkey has changed since it was read.
CREATE OR REPLACE FUNCTION app.use_console_passkey(
    p_passkey uuid, p_counter bigint, p_is_backup_eligible boolean, p_is_backed_up boolean,
    p_challenge_hash bytea, p_challenge_expires timestamptz) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_user uuid;
BEGIN
    PERFORM app.answer_challenge(p_challenge_hash, p_challenge_expires);
    UPDATE app.console_passkeys AS k
        SET counter = p_counter, is_backup_eligible = p_is_backup_eligible,
            is_backed_up = p_is_backed_up, last_used_at = now()
        WHERE k.id = p_passkey AND (p_is_backup_eligible OR NOT k.is_backup_eligible)
            AND (k.counter < p_counter OR (k.counter = 0 AND p_counter = 0))
        RETURNING k.user_id INTO v_user;
    RETURN v_user;
END $$;

-- Opens a session after the response of a passkey was verified, and removes the attempt from the
-- counters. Returns false if the passkey has changed since it was read.
CREATE OR REPLACE FUNCTION app.console_sign_in(
    p_passkey uuid, p_counter bigint, p_is_backup_eligible boolean, p_is_backed_up boolean,
    p_challenge_hash bytea, p_challenge_expires timestamptz, p_address text, p_network text,
    p_session_hash bytea, p_hours integer, p_browser text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user constant uuid := app.use_console_passkey(p_passkey, p_counter, p_is_backup_eligible,
        p_is_backed_up, p_challenge_hash, p_challenge_expires);
BEGIN
    IF v_user IS NULL THEN
        RETURN false;
    END IF;
    PERFORM app.begin_as_operator(v_user);
    PERFORM app.open_console_session(v_user, 'passkey', p_session_hash, p_hours, p_browser);
    PERFORM app.release_hits(app.console_buckets(p_address, p_network));
    RETURN true;
END $$;

-- Records that the session's operator has just re-authenticated with a passkey. Returns false if
-- the passkey belongs to another operator or has changed, or if the session has ended.
CREATE OR REPLACE FUNCTION app.console_prove(
    p_session_hash bytea, p_passkey uuid, p_counter bigint, p_is_backup_eligible boolean,
    p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamptz,
    p_address text, p_network text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user constant uuid := app.use_console_passkey(p_passkey, p_counter, p_is_backup_eligible,
        p_is_backed_up, p_challenge_hash, p_challenge_expires);
BEGIN
    -- Only the proxy itself can renew the proof of a session that a proxy opened.
    UPDATE app.console_sessions AS s SET proved_at = now(), method = 'passkey'
        WHERE s.token_hash = p_session_hash AND s.user_id = v_user AND s.method <> 'proxy'
            AND app.is_lasting(s.ends_at, app.console_session_time());
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.release_hits(app.console_buckets(p_address, p_network));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.console_prove(
    bytea, uuid, bigint, boolean, boolean, bytea, timestamptz, text, text) IS
    'Records that the operator of a session has just re-authenticated with a passkey.';

-- Adds a passkey to the operator of a session. Requires a fresh sign-in or re-authentication.
CREATE OR REPLACE FUNCTION app.console_add_passkey(
    p_session_hash bytea, p_credential_id bytea, p_public_key bytea, p_counter bigint,
    p_label text, p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea,
    p_challenge_expires timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user uuid;
    v_is_fresh boolean;
BEGIN
    SELECT s.user_id, s.is_proof_fresh INTO v_user, v_is_fresh
        FROM app.console_session(p_session_hash) AS s;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    ELSIF NOT v_is_fresh THEN
        PERFORM app.refuse('HF403', 'sign_in_again', 'Confirm with a passkey first.');
    END IF;
    PERFORM app.begin_as_operator(v_user);
    PERFORM app.answer_challenge(p_challenge_hash, p_challenge_expires);
    -- Passkeys are added one after another, so that the limit holds.
    PERFORM FROM app.users AS u WHERE u.id = v_user FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM app.console_passkeys AS k WHERE k.user_id = v_user)
        >= app.max_console_passkeys() THEN
        PERFORM app.refuse('HF409', 'too_many_passkeys', 'This account has too many passkeys.');
    END IF;
    INSERT INTO app.console_passkeys AS k (user_id, credential_id, public_key, counter, label,
            is_backup_eligible, is_backed_up)
        VALUES (v_user, p_credential_id, p_public_key, p_counter, p_label, p_is_backup_eligible,
            p_is_backed_up)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'passkey_exists', 'This passkey was added before.');
    END IF;
    PERFORM app.record_audit('operator.passkey_add', NULL, v_user, v_user);
    PERFORM jobs.enqueue('mail', 'mail.operator_passkey', NULL, jsonb_build_object(
            'recipient', o.user_id, 'messageId', replace(gen_random_uuid()::text, '-', ''),
            'date', extract(epoch FROM now())::bigint))
        FROM app.operators AS o WHERE o.role = 'admin';
END $$;

-- The passkeys of the operator of a session, the oldest first.
CREATE OR REPLACE FUNCTION app.console_passkeys_of(p_session_hash bytea)
RETURNS TABLE (
    id uuid, credential_id bytea, label text, created_at timestamptz, last_used_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT k.id, k.credential_id, k.label, k.created_at, k.last_used_at
    FROM app.console_session(p_session_hash) AS s
    JOIN app.console_passkeys AS k ON k.user_id = s.user_id
    ORDER BY k.created_at, k.id LIMIT app.max_console_passkeys()
$$;

-- Removes a passkey of the operator of a session. Requires a fresh sign-in or re-authentication.
-- Returns false if the operator has no such passkey.
CREATE OR REPLACE FUNCTION app.console_remove_passkey(p_session_hash bytea, p_passkey uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user uuid;
    v_is_fresh boolean;
BEGIN
    SELECT s.user_id, s.is_proof_fresh INTO v_user, v_is_fresh
        FROM app.console_session(p_session_hash) AS s;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    ELSIF NOT v_is_fresh THEN
        PERFORM app.refuse('HF403', 'sign_in_again', 'Confirm with a passkey first.');
    END IF;
    PERFORM app.begin_as_operator(v_user);
    DELETE FROM app.console_passkeys AS k WHERE k.id = p_passkey AND k.user_id = v_user;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('operator.passkey_remove', NULL, v_user, v_user);
    RETURN true;
END $$;

-- Records that an operator has looked at a person's page: at most one entry per operator and person
-- in ten minutes, however often the page is loaded.
CREATE OR REPLACE FUNCTION app.operator_view_person(p_user uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.subject_user_id = p_user AND a.family_unit_id IS NULL
            AND a.at > now() - interval '10 minutes' AND a.action = 'user.view'
            AND a.actor_label = app.operator_label()) THEN
        PERFORM app.record_audit('user.view', NULL, p_user, p_user);
    END IF;
END $$;

COMMENT ON FUNCTION app.operator_view_person(uuid) IS
    'Records in the audit log that an operator has looked at a person.';

-- Records that an operator has started an examination with repairs, which may find nothing to
-- repair. Each repair has an entry of its own.
CREATE OR REPLACE FUNCTION app.operator_begin_repairs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.record_audit('doctor.fix', NULL, NULL, NULL);
END $$;

COMMENT ON FUNCTION app.operator_begin_repairs() IS
    'Records in the audit log that an operator has started an examination with repairs.';

-- Pauses a queue until an operator resumes it. Returns false if an operator has already paused it;
-- a pause after a failure, which ends by itself, is replaced. The queue must have jobs, a schedule
-- or a pause, or a registered worker: so a queue can be paused before its first job.
CREATE OR REPLACE FUNCTION app.operator_pause_queue(p_queue text, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_known text[];
BEGIN
    PERFORM app.require_operator();
    IF coalesce(p_reason, '') !~ '^[^[:cntrl:]]{1,200}$' THEN
        PERFORM app.refuse_field('reason', 'The reason has 1 to 200 characters on one line.');
    END IF;
    SELECT array_agg(n.queue ORDER BY n.queue) INTO v_known
        FROM (SELECT s.queue FROM jobs.stats() AS s
              UNION SELECT s.queue FROM jobs.schedules AS s
              UNION SELECT q.queue FROM jobs.paused_queues AS q
              UNION SELECT unnest(w.queues) FROM jobs.workers AS w) AS n;
    IF (p_queue = ANY (v_known)) IS NOT TRUE THEN
        PERFORM app.refuse_field('queue', 'There is no such queue.'
            || coalesce(' The queues are: ' || array_to_string(v_known, ', ') || '.', ''));
    END IF;
    IF NOT jobs.pause(p_queue, p_reason, false) THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('queue.pause', NULL, NULL, NULL,
        jsonb_build_object('queue', p_queue, 'reason', p_reason));
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_pause_queue(text, text) IS
    'Pauses a queue until it is resumed; false if an operator has already paused it.';

-- Resumes a queue at once. Returns false if the queue is not paused.
CREATE OR REPLACE FUNCTION app.operator_resume_queue(p_queue text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT jobs.resume(p_queue) THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('queue.resume', NULL, NULL, NULL,
        jsonb_build_object('queue', p_queue));
    PERFORM pg_notify('hearth_jobs', p_queue);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_resume_queue(text) IS
    'Resumes a queue; false if it is not paused.';

-- Makes a schedule due now. Returns false if there is no schedule of this name.
CREATE OR REPLACE FUNCTION app.operator_run_schedule(p_name text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_queue text;
BEGIN
    PERFORM app.require_operator();
    UPDATE jobs.schedules AS s SET next_at = least(s.next_at, clock_timestamp())
        WHERE s.name = p_name RETURNING s.queue INTO v_queue;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('schedule.run', NULL, NULL, NULL,
        jsonb_build_object('schedule', p_name));
    PERFORM pg_notify('hearth_jobs', v_queue);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_run_schedule(text) IS 'Makes a schedule due now.';

GRANT EXECUTE ON FUNCTION
    app.operator_make_console_link(uuid, bytea, integer), app.console_link_owner(bytea),
    app.console_use_link(bytea, bytea, integer, text), app.console_session(bytea),
    app.begin_console_operation(bytea, text, boolean),
    app.console_end_session(bytea), app.reserve_console_attempt(text, text),
    app.console_passkey_of_credential(bytea, bytea),
    app.console_sign_in(
        uuid, bigint, boolean, boolean, bytea, timestamptz, text, text, bytea, integer, text),
    app.console_prove(
        bytea, uuid, bigint, boolean, boolean, bytea, timestamptz, text, text),
    app.console_add_passkey(
        bytea, bytea, bytea, bigint, text, boolean, boolean, bytea, timestamptz),
    app.console_passkeys_of(bytea), app.console_remove_passkey(bytea, uuid),
    app.operator_view_person(uuid), app.operator_begin_repairs(),
    app.operator_pause_queue(text, text),
    app.operator_resume_queue(text), app.operator_run_schedule(text)
    TO hearth_admin;
