-- What goes with a standing, and what an erasure leaves alone.
--
-- Whoever is lowered so far that it may invite nobody loses the pending invitations that it sent, as
-- whoever goes does. An address that an erased person had not verified may be somebody else's: mail
-- to it stays held off. And an account that is erased while its request is under way can't write its
-- name any more: the request began before, and the row is still its own.
--
-- Locks: those of CREATE OR REPLACE FUNCTION and ALTER POLICY (ACCESS EXCLUSIVE on users), for an
-- instant; the rows of the invitations that are revoked here.

-- Only adults and players invite; who stays one of them keeps its invitations.
CREATE FUNCTION app.revoke_what_it_may_not_send(p_member uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        FROM app.family_members AS m
        WHERE m.id = p_member AND NOT m.confides AND i.family_unit_id = m.family_unit_id
            AND i.invited_by = m.user_id AND i.status = 'pending'
        RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
END;

CREATE OR REPLACE FUNCTION app.set_household_role(
    p_member uuid, p_household_role text, p_reassign_to uuid
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_me, p_member);
    v_itself constant boolean := v_target.id = v_me.id;
BEGIN
    IF app.rank_of(p_household_role) IS NULL THEN
        PERFORM app.refuse('HF400', 'household_role_unknown',
            'A household role is parent_admin, adult, kid or visitor.');
    END IF;
    PERFORM app.require_allowed(v_target.user_kind = 'account');
    IF v_target.status <> 'active' THEN
        PERFORM app.refuse('HF409', 'member_is_waiting', 'This person waits for approval.');
    END IF;
    IF p_household_role = 'parent_admin' AND NOT app.is_admin(v_target) THEN
        PERFORM app.require_allowed(v_me.governs OR (v_itself AND app.is_adult(v_me)));
        IF app.seat_is_taken(v_me.family_unit_id) THEN
            PERFORM app.refuse('HF409', 'parent_admin_exists',
                'A Parent Admin already exists for this family.');
        END IF;
        PERFORM app.require_allowed(app.may_seat(v_me, v_target));
    ELSE
        PERFORM app.require_allowed(CASE WHEN v_itself
            THEN v_me.household_role <> 'visitor'
                AND app.rank_of(p_household_role) <= app.rank_of(v_me.household_role)
            ELSE app.is_admin(v_me) END);
    END IF;
    IF app.rank_of(p_household_role) < app.rank_of('adult') THEN
        PERFORM app.hand_over_wards(v_target, p_reassign_to);
    END IF;
    UPDATE app.family_members AS m SET household_role = p_household_role WHERE m.id = v_target.id;
    PERFORM app.revoke_what_it_may_not_send(v_target.id);
    PERFORM app.record_audit('member.set_role', v_me.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

CREATE OR REPLACE FUNCTION app.operator_set_household_role(
    p_member uuid, p_household_role text, p_reassign_to uuid
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.operate_on_member(p_member);
BEGIN
    IF app.rank_of(p_household_role) IS NULL THEN
        PERFORM app.refuse('HF400', 'household_role_unknown',
            'A household role is parent_admin, adult, kid or visitor.');
    ELSIF v_target.user_kind <> 'account' THEN
        PERFORM app.refuse('HF403', 'not_allowed', 'A managed member stays a kid.');
    ELSIF v_target.status <> 'active' THEN
        PERFORM app.refuse('HF409', 'member_is_waiting', 'This person waits for approval.');
    ELSIF p_household_role = 'parent_admin' AND NOT app.is_admin(v_target) THEN
        IF app.seat_is_taken(v_target.family_unit_id) THEN
            PERFORM app.refuse('HF409', 'parent_admin_exists',
                'A Parent Admin already exists for this family.');
        ELSIF v_target.role <> 'parent' THEN
            PERFORM app.refuse('HF409', 'admin_not_adult',
                'The next Parent Admin is another adult with an account.');
        END IF;
    END IF;
    IF app.rank_of(p_household_role) < app.rank_of('adult') THEN
        PERFORM app.hand_over_wards(v_target, p_reassign_to);
    END IF;
    UPDATE app.family_members AS m SET household_role = p_household_role WHERE m.id = p_member;
    PERFORM app.revoke_what_it_may_not_send(p_member);
    PERFORM app.record_audit('member.set_role', v_target.family_unit_id, v_target.user_id,
        p_member, jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

-- Those whose inviter was lowered before.
SELECT app.revoke_what_it_may_not_send(m.id)
FROM app.family_members AS m
WHERE m.status = 'active' AND NOT m.confides
    AND EXISTS (
        SELECT FROM app.family_invitations AS i
        WHERE i.family_unit_id = m.family_unit_id AND i.invited_by = m.user_id
            AND i.status = 'pending');

-- As before, but for the address.
CREATE OR REPLACE FUNCTION app.erase_traces_of(p_user app.users) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    DELETE FROM app.member_preferences AS p WHERE p.user_id = p_user.id;
    DELETE FROM app.code_lookups AS l WHERE l.user_id = p_user.id;
    DELETE FROM app.idempotency_keys AS k
        WHERE k.actor_id = p_user.id OR k.subject_id = p_user.id;
    DELETE FROM app.rate_limits AS r
        WHERE r.bucket IN ('code:account:' || p_user.id, 'invite:account:' || p_user.id);
    DELETE FROM app.suppressed_addresses AS x
        WHERE x.email = p_user.email AND p_user.email_verified;
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

ALTER POLICY users_self_or_guardian_changes ON app.users
    USING (
        deleted_at IS NULL
        AND (id = (SELECT app.user_id())
             OR id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w))))
    WITH CHECK (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)));
