-- The same request sent twice has one effect and one answer.
--
-- A key belongs to an account, its subject, and a route (method and path pattern). It is claimed
-- before the effect; the answer is kept after it, or the claim given up where the answer must not
-- be replayed. A claim whose process died lapses after 30 seconds: then the next request takes it
-- over, and the first can no longer finish it. Who is asking is authorised again before a replay;
-- that is the caller's part.
--
-- Locks: none, all objects are new. At run time: the key's row.

-- Outcomes: claimed (go on, then finish with the claim), replay (status and answer as kept),
-- running (elsewhere, now), other_request (the key was used for another body).
CREATE FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea)
RETURNS TABLE (outcome text, claim uuid, status smallint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_claim constant uuid := gen_random_uuid();
    v_kept app.idempotency_keys;
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    -- Kept 24 hours, purged or not.
    INSERT INTO app.idempotency_keys AS k
            (actor_id, subject_id, route, key, request_digest, claim)
        VALUES (v_actor, app.user_id(), p_route, p_key, p_request_digest, v_claim)
        ON CONFLICT (actor_id, subject_id, route, key) DO UPDATE SET
            request_digest = excluded.request_digest, claim = excluded.claim,
            claimed_at = now(), created_at = now(), status = NULL, answer = NULL
            WHERE k.created_at <= now() - interval '24 hours'
                OR (k.claim IS NOT NULL AND k.claimed_at <= now() - interval '30 seconds'
                    AND k.request_digest = excluded.request_digest);
    SELECT k.* INTO STRICT v_kept FROM app.idempotency_keys AS k
        WHERE k.actor_id = v_actor AND k.subject_id = app.user_id()
            AND k.route = p_route AND k.key = p_key;
    outcome := CASE
        WHEN v_kept.claim = v_claim THEN 'claimed'
        WHEN v_kept.request_digest <> p_request_digest THEN 'other_request'
        WHEN v_kept.claim IS NOT NULL THEN 'running'
        ELSE 'replay'
    END;
    claim := CASE outcome WHEN 'claimed' THEN v_claim END;
    status := v_kept.status;
    answer := v_kept.answer;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.claim_idempotency_key(text, text, bytea) IS
    'Claims a key for the request, or tells what became of it; one row.';

-- False: the claim had lapsed and is another's by now.
CREATE FUNCTION app.finish_idempotency_key(
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

CREATE FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    DELETE FROM app.idempotency_keys AS k
    WHERE k.actor_id = app.actor_id() AND k.subject_id = app.user_id()
        AND k.route = p_route AND k.key = p_key AND k.claim = p_claim;
$$;

COMMENT ON FUNCTION app.give_up_idempotency_key(text, text, uuid) IS
    'Forgets a claimed key whose answer must not be replayed.';

GRANT EXECUTE ON FUNCTION
    app.claim_idempotency_key(text, text, bytea),
    app.finish_idempotency_key(text, text, uuid, smallint, text),
    app.give_up_idempotency_key(text, text, uuid)
    TO hearth_api;
