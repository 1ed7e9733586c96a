-- Idempotency: a request that is sent twice has one effect and one response.
--
-- A key belongs to an account, its subject, and a route (method and path pattern). The key's claim,
-- the request's effect and the stored response are one transaction. It begins with
-- claim_idempotency_key, which writes nothing, and ends with store_idempotent_response. Effect and
-- response are committed together or not at all, so no claim remains.
--
-- During the transaction an advisory lock of the class 1212499274 holds the key. No request waits
-- for it: a concurrent request with the same key gets the outcome `running`. It is the first lock
-- of its transaction, before any lock on a family. The program authorises the caller again before a
-- replay. The keys of an account per day are limited (limits.sql).
--
-- Each stored response has a format number, so that a program never gets one that only newer
-- programs can read.

-- Locks a key of the caller until the transaction ends; false if another transaction has locked it.
CREATE OR REPLACE FUNCTION app.lock_idempotency_key(p_route text, p_key text) RETURNS boolean
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RETURN pg_try_advisory_xact_lock(1212499274, hashtext(
        concat_ws(chr(10), app.actor_id(), app.user_id(), p_route, p_key)));
END $$;

COMMENT ON FUNCTION app.lock_idempotency_key(text, text) IS
    'Locks an idempotency key of the caller until the transaction ends; false if another has '
    'locked it.';

-- Outcomes: claimed (continue, and store the response in this transaction), replay (status and
-- response as stored), running (in another transaction now), other_request (the key was used with
-- another body), newer (stored in a newer format than p_format). If the key is not claimed, the
-- caller is cleared, so the rest of the batch does nothing.
CREATE OR REPLACE FUNCTION app.claim_idempotency_key(
    p_route text, p_key text, p_request_digest bytea, p_format smallint)
RETURNS TABLE (outcome text, status smallint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_subject constant uuid := app.user_id();
    v_day constant interval := app.idempotency_key_retention();
    v_stored app.idempotency_keys;
    v_wait integer;
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF app.lock_idempotency_key(p_route, p_key) THEN
        -- Older keys are ignored, whether they are purged or not.
        SELECT k.* INTO v_stored FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND k.subject_id = v_subject
                AND k.route = p_route AND k.key = p_key AND k.created_at > now() - v_day;
        outcome := CASE
            WHEN v_stored.key IS NULL THEN 'claimed'
            WHEN v_stored.request_digest <> p_request_digest THEN 'other_request'
            WHEN v_stored.format > p_format THEN 'newer'
            ELSE 'replay'
        END;
    ELSE
        outcome := 'running';
    END IF;
    IF outcome = 'claimed' THEN
        -- A repeated key is never refused; only a new one can exceed the limit.
        SELECT ceil(extract(epoch FROM min(k.created_at) + v_day - now())) INTO v_wait
            FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND app.is_within(k.created_at, v_day)
            HAVING count(*) >= app.max_idempotency_keys();
        IF v_wait IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_keys',
                MESSAGE = 'Too many idempotency keys in a day.', DETAIL = v_wait;
        END IF;
    ELSE
        PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    END IF;
    IF outcome = 'replay' THEN
        status := v_stored.status;
        answer := v_stored.answer;
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.claim_idempotency_key(text, text, bytea, smallint) IS
    'Begins the transaction of a request with a key, or returns the outcome of an earlier request '
    'with that key; one row.';

CREATE OR REPLACE FUNCTION app.store_idempotent_response(
    p_route text, p_key text, p_request_digest bytea,
    p_status smallint, p_format smallint, p_answer text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_actor constant uuid := app.actor_id();
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    INSERT INTO app.idempotency_keys AS k
            (actor_id, subject_id, route, key, request_digest, status, format, answer)
        VALUES (v_actor, app.user_id(), p_route, p_key, p_request_digest,
                p_status, p_format, p_answer)
        ON CONFLICT (actor_id, subject_id, route, key) DO UPDATE SET
            request_digest = excluded.request_digest, created_at = now(),
            status = excluded.status, format = excluded.format, answer = excluded.answer
            WHERE k.created_at <= now() - app.idempotency_key_retention();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'idempotency_key_in_use', 'The key is another request''s.');
    END IF;
END $$;

COMMENT ON FUNCTION app.store_idempotent_response(text, text, bytea, smallint, smallint, text) IS
    'Stores the response for a claimed key, in the transaction of the claim.';

GRANT EXECUTE ON FUNCTION
    app.claim_idempotency_key(text, text, bytea, smallint),
    app.store_idempotent_response(text, text, bytea, smallint, smallint, text)
    TO hearth_api;
