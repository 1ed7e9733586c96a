-- What others can make grow has a bound, and a link from before undoes nothing.
--
-- Thirty people at most wait for a family's approval: with the 64 seats that it can have, no list of
-- members is longer than a hundred. An account has a thousand idempotency keys a day. A link that
-- was made before somebody was removed does not bring them back, for nobody invited them since; who
-- left by themselves comes back by it as no more than they were. And an invitation once accepted
-- says so to a member only: who was removed since, or left, is not in the family.
--
-- Locks: none but those of CREATE OR REPLACE FUNCTION, for an instant.

-- How many may wait for a family's approval.
CREATE FUNCTION app.waiting_limit() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 30;

REVOKE ALL ON FUNCTION app.waiting_limit() FROM PUBLIC;

CREATE OR REPLACE FUNCTION app.join_by_code(p_code text, p_address text, p_network text)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family_id uuid;
    v_family app.family_units;
    v_role text;
    v_was app.family_members;
BEGIN
    SELECT l.refusal, l.family_id INTO outcome, v_family_id
        FROM app.lock_family_of_code(p_code) AS l;
    IF outcome IS NULL THEN
        SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = v_family_id;
        SELECT u.role INTO v_role FROM app.users AS u WHERE u.id = v_account FOR NO KEY UPDATE;
        SELECT m.* INTO v_was FROM app.family_members AS m
            WHERE m.family_unit_id = v_family.id AND m.user_id = v_account;
        IF v_was.role = 'parent' AND v_was.household_role IN ('kid', 'visitor') THEN
            v_role := v_was.role;
        END IF;
        outcome := CASE
            WHEN v_was.status = 'active' THEN 'already_member'
            WHEN v_was.status = 'removed' AND v_was.removed_by IS DISTINCT FROM v_account
                THEN 'removed_from_family'
            WHEN v_role = 'player' AND EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player')
                THEN 'player_has_family'
            WHEN v_family.approval_required AND v_was.status IS DISTINCT FROM 'invited'
                AND (SELECT count(*) FROM app.family_members AS m
                     WHERE m.family_unit_id = v_family.id AND m.status = 'invited')
                    >= app.waiting_limit()
                THEN 'family_full'
            WHEN v_family.approval_required THEN 'waiting'
            WHEN app.lowest_free_slot(v_family.id) IS NULL THEN 'family_full'
            ELSE 'joined'
        END;
        family_unit_id := v_family_id;
        family_name := v_family.family_name;
        member_limit := v_family.member_limit;
        member_id := v_was.id;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    END IF;

    IF outcome IN ('joined', 'waiting') THEN
        INSERT INTO app.family_members AS m
                (family_unit_id, user_id, role, household_role, status, joined_via)
            VALUES (v_family.id, v_account, v_role,
                    CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END,
                    CASE outcome WHEN 'joined' THEN 'active' ELSE 'invited' END, 'code')
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role,
                household_role = app.lower_standing(m.household_role, excluded.household_role),
                status = excluded.status, joined_via = 'code', added_at = now(),
                removed_at = NULL, removed_by = NULL
            RETURNING m.id INTO member_id;
        IF outcome = 'joined' AND v_role = 'player' THEN
            PERFORM app.fill_player_name(v_family.id, v_account);
        END IF;
        PERFORM app.record_audit('code.join', v_family.id, v_account, member_id,
            jsonb_build_object('outcome', outcome));
    END IF;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_family_id, v_account,
                CASE WHEN outcome IN ('joined', 'waiting') THEN 'joined' ELSE 'rejected' END);
    RETURN NEXT;
END $$;

-- As before, but for links from before a membership's end, and for who is no member any more.
CREATE OR REPLACE FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid)
RETURNS TABLE (outcome text, family_unit_id uuid, member_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_invitation constant app.family_invitations := app.open_invitation(
        CASE WHEN p_token_hash IS NULL THEN app.invitation_to_account(p_invitation)
             ELSE app.invitation_of_token(p_token_hash) END);
    v_account constant uuid := app.account_id();
    v_was app.family_members;
    v_role text := v_invitation.role;
    v_household_role text := v_invitation.household_role;
BEGIN
    family_unit_id := v_invitation.family_unit_id;
    SELECT m.* INTO v_was FROM app.family_members AS m
        WHERE m.family_unit_id = v_invitation.family_unit_id AND m.user_id = v_account;
    member_id := v_was.id;
    IF v_invitation.status = 'accepted' AND v_was.status = 'active' THEN
        outcome := 'already_accepted';
        RETURN NEXT;
        RETURN;
    ELSIF v_was.status = 'active' AND v_invitation.delivery = 'link' THEN
        outcome := 'already_member';
        RETURN NEXT;
        RETURN;
    ELSIF v_was.status = 'removed' AND v_invitation.delivery = 'link'
        AND v_invitation.last_sent_at <= v_was.removed_at THEN
        IF v_was.removed_by IS DISTINCT FROM v_account THEN
            PERFORM app.refuse('HF409', 'removed_from_family',
                'Who was removed comes back by an invitation made since.');
        END IF;
        v_household_role := app.lower_standing(v_was.household_role, v_household_role);
        -- A grown-up whom the family made a kid or a visitor would be more as a player.
        IF v_was.role = 'parent' AND v_was.household_role IN ('kid', 'visitor') THEN
            v_role := v_was.role;
        END IF;
    END IF;

    UPDATE app.family_invitations AS i SET
            status = 'accepted', accepted_at = now(), accepted_by = v_account, closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    ELSIF v_was.status = 'active' THEN
        outcome := 'already_member';
    ELSE
        PERFORM app.seat_person(v_invitation.family_unit_id, v_account, v_role);
        -- The side that a first family gives becomes the account's own.
        UPDATE app.users AS u SET role = v_role
            WHERE u.id = v_account AND u.role <> v_role AND NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.user_id = v_account AND m.status = 'active');
        INSERT INTO app.family_members AS m
                (family_unit_id, user_id, role, household_role, joined_via)
            VALUES (v_invitation.family_unit_id, v_account, v_role, v_household_role, 'invitation')
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role, household_role = excluded.household_role,
                status = 'active', joined_via = 'invitation', added_at = now(),
                removed_at = NULL, removed_by = NULL
            RETURNING m.id INTO member_id;
        IF v_role = 'player' THEN
            PERFORM app.fill_player_name(v_invitation.family_unit_id, v_account);
        END IF;
        outcome := 'joined';
    END IF;
    PERFORM app.record_audit('invitation.accept', v_invitation.family_unit_id, v_account,
        v_invitation.id, jsonb_build_object('outcome', outcome));
    RETURN NEXT;
END $$;

CREATE OR REPLACE FUNCTION app.claim_idempotency_key(
    p_route text, p_key text, p_request_digest bytea)
RETURNS TABLE (outcome text, claim uuid, status smallint, answer text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_claim constant uuid := gen_random_uuid();
    v_day constant interval := interval '24 hours';
    v_kept app.idempotency_keys;
    v_wait integer;
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
            WHERE k.created_at <= now() - v_day
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
    IF outcome = 'claimed' THEN
        -- A repetition is always answered; only a new key can be one too many.
        SELECT ceil(extract(epoch FROM min(k.created_at) + v_day - now())) INTO v_wait
            FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND k.created_at > now() - v_day
            HAVING count(*) > 1000;
        IF v_wait IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_keys',
                MESSAGE = 'Too many idempotency keys in a day.', DETAIL = v_wait;
        END IF;
    END IF;
    RETURN NEXT;
END $$;
