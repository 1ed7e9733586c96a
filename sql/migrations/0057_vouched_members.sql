-- Who is vouched for may claim a vacant seat; who came by a code alone may not, nor whom such a one
-- invites.
--
-- A code that leaked is a code that lets strangers in. While the claim was open to whoever had come
-- by an invitation, a second account was enough: join by code, invite oneself by link, claim the
-- seat, remove the creator. So the membership keeps whether somebody answers for the person:
-- vouched is who made the family, was approved or seated by who governs it, was put in by an
-- operator, or came by an invitation whose sender was vouched when it was sent. The invitation
-- keeps the sender's standing of that moment; sending it again changes nothing of it. Who leaves
-- and comes back stays what it was; who is removed by another is vouched no more.
--
-- The vacant seat is claimed by the creator or a vouched adult. By another adult only where nobody
-- active has a right to it: the creator is gone, or no more than a visitor, and no adult is
-- vouched.
--
-- The next migration brings what was stored before into this form.
--
-- Locks: ACCESS EXCLUSIVE on family_members and family_invitations, for an instant: columns with a
-- constant default.

ALTER TABLE app.family_members ADD COLUMN vouched boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN app.family_members.vouched IS
    'Whether creator, admin, operator or a vouched inviter answers for the person.';

ALTER TABLE app.family_invitations ADD COLUMN vouched boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN app.family_invitations.vouched IS
    'Whether its sender was vouched when it was sent.';

-- Whoever enters, by a function or by an INSERT of its own: the creator, and whom an operator puts
-- in, are vouched; a child never is, it can claim nothing.
CREATE OR REPLACE FUNCTION app.seat_new_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.is_creator := EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = NEW.family_unit_id AND f.created_by_user_id = NEW.user_id);
    SELECT u.kind INTO NEW.user_kind FROM app.users AS u WHERE u.id = NEW.user_id;
    IF NEW.household_role IS NULL THEN
        NEW.household_role := CASE
            WHEN NEW.role = 'player' THEN 'kid'
            WHEN NEW.joined_via = 'created' AND NEW.is_creator THEN 'parent_admin'
            ELSE 'adult'
        END;
    END IF;
    NEW.vouched := NEW.user_kind = 'account'
        AND (NEW.vouched OR NEW.is_creator OR NEW.joined_via = 'operator');
    NEW.slot := CASE WHEN NEW.status = 'active' THEN app.lowest_free_slot(NEW.family_unit_id) END;
    RETURN NEW;
END $$;

-- Whether somebody active has a right to the family's seat, vacant or not: the creator, or a
-- vouched adult.
CREATE FUNCTION app.seat_is_reserved(p_family uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = p_family
        AND ((m.is_creator AND m.confides) OR (m.vouched AND m.active_adult_user_id IS NOT NULL)));

REVOKE ALL ON FUNCTION app.seat_is_reserved(uuid) FROM PUBLIC;

-- Whether the one may take the vacant seat for the other, an adult: the creator names whom it will;
-- everybody else claims it, if vouched or if it is kept for nobody.
CREATE OR REPLACE FUNCTION app.may_seat(p_me app.family_members, p_target app.family_members)
RETURNS boolean
LANGUAGE sql STABLE
RETURN app.is_adult(p_target) AND CASE
    WHEN app.is_creator(p_me) THEN true
    WHEN (p_me).id <> (p_target).id THEN false
    ELSE (p_me).vouched OR NOT app.seat_is_reserved((p_me).family_unit_id)
END;

DROP FUNCTION app.creator_is_active(uuid);

-- Whom the creator names is vouched from then on.
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
    UPDATE app.family_members AS m SET household_role = p_household_role,
            vouched = m.vouched OR (p_household_role = 'parent_admin' AND NOT v_itself)
        WHERE m.id = v_target.id;
    PERFORM app.revoke_what_it_may_not_send(v_target.id);
    PERFORM app.record_audit('member.set_role', v_me.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

CREATE OR REPLACE FUNCTION app.transfer_admin(p_family uuid, p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
    v_target app.family_members;
BEGIN
    PERFORM app.require_allowed(app.is_admin(v_me));
    v_target := app.member_in_family_of(v_me, p_member);
    IF app.is_adult(v_target) IS NOT TRUE OR v_target.id = v_me.id THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    UPDATE app.family_members AS m SET household_role = 'adult' WHERE m.id = v_me.id;
    UPDATE app.family_members AS m SET household_role = 'parent_admin', vouched = true
        WHERE m.id = v_target.id;
    PERFORM app.record_audit('admin.transfer', p_family, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_me.id));
END $$;

CREATE OR REPLACE FUNCTION app.approve_member(p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family_of_member(p_member);
    -- Who may not approve doesn't know who waits either: that is absent to it.
    v_target constant app.family_members := app.member_in_family_of(v_me, p_member);
BEGIN
    PERFORM app.require_allowed(v_me.governs);
    IF v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This person is already a member of your family.');
    END IF;
    PERFORM app.seat_person(v_me.family_unit_id, v_target.user_id, v_target.role);
    UPDATE app.family_members AS m SET status = 'active', vouched = true, added_at = now()
        WHERE m.id = v_target.id;
    IF v_target.role = 'player' THEN
        PERFORM app.fill_player_name(v_me.family_unit_id, v_target.user_id);
    END IF;
    PERFORM app.record_audit(
        'member.approve', v_me.family_unit_id, v_target.user_id, v_target.id);
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
    UPDATE app.family_members AS m SET household_role = p_household_role,
            vouched = m.vouched OR p_household_role = 'parent_admin'
        WHERE m.id = p_member;
    PERFORM app.revoke_what_it_may_not_send(p_member);
    PERFORM app.record_audit('member.set_role', v_target.family_unit_id, v_target.user_id,
        p_member, jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

CREATE OR REPLACE FUNCTION app.operator_transfer_admin(p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.operate_on_member(p_member);
    v_before uuid;
BEGIN
    IF app.is_adult(v_target) IS NOT TRUE OR app.is_admin(v_target) THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    UPDATE app.family_members AS m SET household_role = 'adult'
        WHERE m.family_unit_id = v_target.family_unit_id AND m.status = 'active'
            AND m.household_role = 'parent_admin'
        RETURNING m.id INTO v_before;
    UPDATE app.family_members AS m SET household_role = 'parent_admin', vouched = true
        WHERE m.id = p_member;
    PERFORM app.record_audit('admin.transfer', v_target.family_unit_id, v_target.user_id, p_member,
        jsonb_build_object('from', v_before));
END $$;

CREATE OR REPLACE FUNCTION app.operator_add_member(
    p_family uuid, p_user uuid, p_role text, p_household_role text
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family constant app.family_units := app.operate_on_family(p_family);
    v_user constant app.users := app.operate_on_account(p_user);
    v_role constant text := coalesce(p_role, v_user.role);
    v_household_role constant text := coalesce(
        p_household_role, CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_member uuid;
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = v_family.id AND m.user_id = p_user AND m.status = 'active') THEN
        PERFORM app.refuse('HF409', 'already_member',
            'This person is already a member of the family.');
    ELSIF v_household_role = 'parent_admin' AND app.seat_is_taken(p_family) THEN
        PERFORM app.refuse('HF409', 'parent_admin_exists',
            'A Parent Admin already exists for this family.');
    ELSIF v_household_role = 'parent_admin' AND v_role <> 'parent' THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    PERFORM app.seat_person(p_family, p_user, v_role);
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (p_family, p_user, v_role, v_household_role, 'operator')
        ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
            role = excluded.role, household_role = excluded.household_role,
            status = 'active', joined_via = 'operator', vouched = true, added_at = now(),
            removed_at = NULL, removed_by = NULL
        RETURNING m.id INTO v_member;
    IF v_role = 'player' THEN
        PERFORM app.fill_player_name(p_family, p_user);
    END IF;
    PERFORM app.record_audit('member.add', p_family, p_user, v_member,
        jsonb_build_object('role', v_role, 'householdRole', v_household_role));
    RETURN v_member;
END $$;

-- Nobody answers any more for whom another removes. Who leaves by itself stays who it was.
CREATE OR REPLACE FUNCTION app.end_membership(p_member app.family_members) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = app.actor_id(),
            vouched = m.is_creator
                OR (m.vouched AND m.user_id IS NOT DISTINCT FROM app.actor_id())
        WHERE m.id = (p_member).id;
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.family_unit_id = (p_member).family_unit_id
            AND i.status = 'pending'
            AND (i.invited_by = (p_member).user_id
                 OR i.invited_email = (
                    SELECT u.email FROM app.users AS u
                    WHERE u.id = (p_member).user_id AND u.email_verified))
        RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
END;

CREATE OR REPLACE FUNCTION app.create_invitation(
    p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
    v_email constant text := app.normalised_email(p_email);
    v_household_role constant text := coalesce(
        p_household_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_limit record;
BEGIN
    IF p_role NOT IN ('player', 'parent') OR p_role IS NULL THEN
        PERFORM app.refuse('HF400', 'role_unknown', 'A role is player or parent.');
    ELSIF v_household_role NOT IN ('adult', 'kid', 'visitor') THEN
        PERFORM app.refuse('HF400', 'household_role_not_invitable',
            'An invitation makes an adult, a kid or a visitor.');
    ELSIF p_delivery IS NULL OR p_delivery NOT IN ('email', 'link') THEN
        PERFORM app.refuse('HF400', 'delivery_unknown', 'Delivery is email or link.');
    ELSIF (p_delivery = 'email') <> (v_email IS NOT NULL)
        OR (p_delivery = 'link' AND p_email IS NOT NULL) THEN
        PERFORM app.refuse('HF400', 'email_malformed', 'Please enter a valid email address');
    END IF;
    PERFORM app.require_allowed(
        app.is_adult(v_me) OR (app.is_player(v_me) AND p_role = 'parent'));
    IF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = p_family AND m.status = 'active' AND u.email = v_email) THEN
        PERFORM app.refuse('HF409', 'already_member',
            'This person is already a member of your family');
    END IF;
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        WHERE i.family_unit_id = p_family AND i.invited_email = v_email
            AND i.status = 'pending' AND i.expires_at <= now();
    INSERT INTO app.family_invitations AS i
            (family_unit_id, invited_by, invited_email, role, household_role, delivery,
             vouched, sent_count, last_sent_at)
        VALUES (p_family, v_me.user_id, v_email, p_role, v_household_role, p_delivery,
                v_me.vouched, 1, now())
        ON CONFLICT (family_unit_id, invited_email) WHERE status = 'pending' DO UPDATE SET
            invited_by = excluded.invited_by, vouched = excluded.vouched, role = excluded.role,
            household_role = excluded.household_role, generation = i.generation + 1,
            expires_at = excluded.expires_at, sent_count = i.sent_count + 1,
            last_sent_at = excluded.last_sent_at
        RETURNING i.id, i.generation, i.expires_at, i.generation > 1
        INTO invitation_id, generation, expires_at, renewed;
    PERFORM app.record_audit('invitation.create', p_family, v_me.user_id, invitation_id,
        jsonb_build_object('role', p_role, 'householdRole', v_household_role,
            'delivery', p_delivery));
    -- Counted with the transaction: refusals don't count.
    SELECT h.* INTO v_limit FROM app.reserve_hits(
        ARRAY['invite:account:' || v_me.user_id], ARRAY[10], interval '1 hour') AS h;
    IF v_limit.limited_by IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_invitations',
            MESSAGE = 'Too many invitations. Please try again later.',
            DETAIL = v_limit.retry_after_seconds;
    END IF;
    RETURN NEXT;
END $$;

-- In the name of a member, it is worth what one of the member's is worth.
CREATE OR REPLACE FUNCTION app.operator_create_invitation(
    p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_inviter constant app.family_members := app.operate_on_member(p_inviter_member);
    v_family constant uuid := v_inviter.family_unit_id;
    v_email constant text := app.normalised_email(p_email);
    v_household_role constant text := coalesce(
        p_household_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
BEGIN
    IF (p_delivery = 'email') <> (v_email IS NOT NULL)
        OR (p_delivery = 'link' AND p_email IS NOT NULL) THEN
        PERFORM app.refuse('HF400', 'email_malformed', 'Please enter a valid email address');
    ELSIF v_household_role NOT IN ('adult', 'kid', 'visitor') THEN
        PERFORM app.refuse('HF400', 'household_role_not_invitable',
            'An invitation makes an adult, a kid or a visitor.');
    ELSIF (app.is_adult(v_inviter) OR (app.is_player(v_inviter) AND p_role = 'parent'))
        IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'not_allowed',
            'The member in whose name it is sent may not make this invitation.');
    ELSIF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = v_family AND m.status = 'active' AND u.email = v_email) THEN
        PERFORM app.refuse('HF409', 'already_member',
            'This person is already a member of the family.');
    END IF;
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        WHERE i.family_unit_id = v_family AND i.invited_email = v_email
            AND i.status = 'pending' AND i.expires_at <= now();
    INSERT INTO app.family_invitations AS i
            (family_unit_id, invited_by, invited_email, role, household_role, delivery,
             vouched, sent_count, last_sent_at)
        VALUES (v_family, v_inviter.user_id, v_email, p_role, v_household_role, p_delivery,
                v_inviter.vouched, 1, now())
        ON CONFLICT (family_unit_id, invited_email) WHERE status = 'pending' DO UPDATE SET
            invited_by = excluded.invited_by, vouched = excluded.vouched, role = excluded.role,
            household_role = excluded.household_role, generation = i.generation + 1,
            expires_at = excluded.expires_at, sent_count = i.sent_count + 1,
            last_sent_at = excluded.last_sent_at
        RETURNING i.id, i.generation, i.expires_at, i.generation > 1
        INTO invitation_id, generation, expires_at, renewed;
    PERFORM app.record_audit('invitation.create', v_family, v_inviter.user_id, invitation_id,
        jsonb_build_object('role', p_role, 'householdRole', v_household_role,
            'delivery', p_delivery));
    RETURN NEXT;
END $$;

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
                (family_unit_id, user_id, role, household_role, joined_via, vouched)
            VALUES (v_invitation.family_unit_id, v_account, v_role, v_household_role, 'invitation',
                    v_invitation.vouched)
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role, household_role = excluded.household_role,
                status = 'active', joined_via = 'invitation',
                vouched = m.vouched OR excluded.vouched, added_at = now(),
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

-- What decisions are made from tells it; to members only, as all of it.
CREATE OR REPLACE VIEW app.member_list WITH (security_barrier) AS
SELECT
    m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.added_at,
    m.user_kind = 'managed' AS is_managed,
    m.parent_user_id,
    m.joined_via,
    u.avatar_key,
    u.avatar_url,
    u.full_name,
    u.role AS account_role,
    CASE WHEN me.confides OR m.user_id = me.user_id THEN u.email END AS email,
    m.vouched
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
JOIN app.users AS u ON u.id = m.user_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND me.governs));
