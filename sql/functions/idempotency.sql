-- The same request sent twice has one effect and one response.
--
-- A key belongs to an account, its subject, and a route (method and path pattern). The key's claim,
-- the request's effect and the stored response are one transaction. It begins with
-- claim_idempotency_key (four arguments), which writes nothing, and ends with
-- store_idempotent_response. Both are committed or neither, so no claim is left behind.
--
-- During the transaction an advisory lock of the class 1212499274 holds the key. Nobody waits for
-- it: the same request sent concurrently gets the outcome `running`. It is the first lock of its
-- transaction, before any lock on a family. The program authorises the caller again before a
-- replay. An account has a limited number of keys a day (limits.sql).
--
-- Each stored response has a format number, so that a program never gets one that only later
-- programs can read.
--
-- Programs of the previous release claim a key in a transaction of its own (three arguments), and
-- finish or release it in another. A claim whose process died expires after 30 seconds; then the
-- next request takes it over, and the first can't finish it. For these programs a held key, or a
-- response of a later format, counts as running.

-- Locks a key of the caller until the transaction ends; false if another transaction has locked it.
CREATE OR REPLACE FUNCTION app.lock_idempotency_key(p_route text, p_key text) RETURNS boolean
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    SELECT pg_try_advisory_xact_lock(1212499274, hashtext(
        concat_ws(chr(10), app.actor_id(), app.user_id(), p_route, p_key)));
$$;

COMMENT ON FUNCTION app.lock_idempotency_key(text, text) IS
    'Holds an idempotency key of the caller''s until the transaction ends, unless another does.';

-- Outcomes: claimed (continue, and store the response in this transaction), replay (status and
-- response as stored), running (elsewhere, now), other_request (the key was used for another body),
-- newer (stored in a later format than p_format). Unless it is claimed, the request loses its
-- caller, so the rest of the batch does nothing.
CREATE OR REPLACE FUNCTION app.claim_idempotency_key(
    p_route text, p_key text, p_request_digest bytea, p_format smallint)
RETURNS TABLE (outcome text, status smallint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_subject constant uuid := app.user_id();
    v_day constant interval := app.idempotency_keys_kept();
    v_kept app.idempotency_keys;
    v_wait integer;
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF app.lock_idempotency_key(p_route, p_key) THEN
        -- Kept for so long, purged or not.
        SELECT k.* INTO v_kept FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND k.subject_id = v_subject
                AND k.route = p_route AND k.key = p_key AND k.created_at > now() - v_day;
        outcome := CASE
            WHEN v_kept.key IS NULL THEN 'claimed'
            WHEN v_kept.request_digest <> p_request_digest THEN 'other_request'
            WHEN v_kept.claim IS NOT NULL THEN 'running'
            WHEN v_kept.format > p_format THEN 'newer'
            ELSE 'replay'
        END;
    ELSE
        outcome := 'running';
    END IF;
    IF outcome = 'claimed' THEN
        -- A repetition is always answered; only a new key can be one too many.
        SELECT ceil(extract(epoch FROM min(k.created_at) + v_day - now())) INTO v_wait
            FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND app.is_within(k.created_at, v_day)
            HAVING count(*) >= app.max_idempotency_keys();
        IF v_wait IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_keys',
                MESSAGE = 'Too many idempotency keys in a day.', DETAIL = v_wait;
        END IF;
    ELSE
        PERFORM app.set_caller(NULL, NULL);
    END IF;
    IF outcome = 'replay' THEN
        status := v_kept.status;
        answer := v_kept.answer;
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.claim_idempotency_key(text, text, bytea, smallint) IS
    'Begins the transaction of a request under a key, or returns what became of it; one row.';

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
            request_digest = excluded.request_digest, claim = NULL, claimed_at = now(),
            created_at = now(), status = excluded.status, format = excluded.format,
            answer = excluded.answer
            WHERE k.created_at <= now() - app.idempotency_keys_kept();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'idempotency_key_in_use', 'The key is another request''s.');
    END IF;
END $$;

COMMENT ON FUNCTION app.store_idempotent_response(text, text, bytea, smallint, smallint, text) IS
    'Keeps the answer of a claimed key for its replay, in the transaction of the claim.';

-- Outcomes: claimed (continue, then finish with the claim), replay (status and response as stored),
-- running (elsewhere, now), other_request (the key was used for another body).
CREATE OR REPLACE FUNCTION app.claim_idempotency_key(
    p_route text, p_key text, p_request_digest bytea)
RETURNS TABLE (outcome text, claim uuid, status smallint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_claim constant uuid := gen_random_uuid();
    v_day constant interval := app.idempotency_keys_kept();
    v_kept app.idempotency_keys;
    v_wait integer;
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF NOT app.lock_idempotency_key(p_route, p_key) THEN
        outcome := 'running';
        RETURN NEXT;
        RETURN;
    END IF;
    -- Kept for so long, purged or not.
    INSERT INTO app.idempotency_keys AS k
            (actor_id, subject_id, route, key, request_digest, claim)
        VALUES (v_actor, app.user_id(), p_route, p_key, p_request_digest, v_claim)
        ON CONFLICT (actor_id, subject_id, route, key) DO UPDATE SET
            request_digest = excluded.request_digest, claim = excluded.claim,
            claimed_at = now(), created_at = now(), status = NULL, answer = NULL, format = 1
            WHERE k.created_at <= now() - v_day
                OR (k.claim IS NOT NULL
                    AND app.is_within(k.claimed_at, interval '30 seconds') IS NOT TRUE
                    AND k.request_digest = excluded.request_digest);
    SELECT k.* INTO STRICT v_kept FROM app.idempotency_keys AS k
        WHERE k.actor_id = v_actor AND k.subject_id = app.user_id()
            AND k.route = p_route AND k.key = p_key;
    outcome := CASE
        WHEN v_kept.claim = v_claim THEN 'claimed'
        WHEN v_kept.request_digest <> p_request_digest THEN 'other_request'
        WHEN v_kept.claim IS NOT NULL OR v_kept.format > 1 THEN 'running'
        ELSE 'replay'
    END;
    claim := CASE outcome WHEN 'claimed' THEN v_claim END;
    status := v_kept.status;
    answer := v_kept.answer;
    IF outcome = 'claimed' THEN
        -- A repetition is always answered; only a new key can be one too many.
        SELECT ceil(extract(epoch FROM min(k.created_at) + v_day - now())) INTO v_wait
            FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND app.is_within(k.created_at, v_day)
            HAVING count(*) > app.max_idempotency_keys();
        IF v_wait IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_keys',
                MESSAGE = 'Too many idempotency keys in a day.', DETAIL = v_wait;
        END IF;
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.claim_idempotency_key(text, text, bytea) IS
    'For programs of the previous release: claims a key in a transaction of its own; one row.';

-- False: the claim had expired and another request has it now.
CREATE OR REPLACE FUNCTION app.finish_idempotency_key(
    p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text
) RETURNS boolean
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    WITH finished AS (
        UPDATE app.idempotency_keys AS k
        SET claim = NULL, status = p_status, answer = p_answer
        WHERE k.actor_id = app.actor_id() AND k.subject_id = app.user_id()
            AND k.route = p_route AND k.key = p_key AND k.claim = p_claim
        RETURNING 1)
    SELECT EXISTS (SELECT FROM finished);
$$;

COMMENT ON FUNCTION app.finish_idempotency_key(text, text, uuid, smallint, text) IS
    'Keeps the answer of a claimed key for its replay.';

CREATE OR REPLACE FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    DELETE FROM app.idempotency_keys AS k
    WHERE k.actor_id = app.actor_id() AND k.subject_id = app.user_id()
        AND k.route = p_route AND k.key = p_key AND k.claim = p_claim;
$$;

COMMENT ON FUNCTION app.give_up_idempotency_key(text, text, uuid) IS
    'Forgets a claimed key whose answer must not be replayed.';

GRANT EXECUTE ON FUNCTION
    app.claim_idempotency_key(text, text, bytea, smallint),
    app.store_idempotent_response(text, text, bytea, smallint, smallint, text),
    app.claim_idempotency_key(text, text, bytea),
    app.finish_idempotency_key(text, text, uuid, smallint, text),
    app.give_up_idempotency_key(text, text, uuid)
    TO hearth_api;
