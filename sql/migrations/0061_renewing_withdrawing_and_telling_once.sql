-- An invitation is renewed by those alone who may send it again; who waits can withdraw; one audit
-- row an action.
--
-- Inviting an address that has a pending invitation renewed that one, whoever did it: with another
-- inviter, standing and link. Now it is for those who may resend it (its inviter, creator, admin);
-- others are told `already_invited`, and nothing of it changes.
--
-- Who waits for approval ends that as a member leaves, and otherwise counts as in no family: the
-- account's own side stays free. What was asked for stays what is approved, and as with other first
-- families the side becomes the account's own.
--
-- A direct client makes a family by two INSERTs, of the family and of itself as its first member.
-- That is one action, told by the first.
--
-- Locks: those of CREATE OR REPLACE FUNCTION, for an instant.

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
    v_pending app.family_invitations;
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
    SELECT i.* INTO v_pending FROM app.family_invitations AS i
        WHERE i.family_unit_id = p_family AND i.invited_email = v_email AND i.status = 'pending';
    IF FOUND AND app.may_handle_invitation(v_me, v_pending) IS NOT TRUE THEN
        PERFORM app.refuse('HF409', 'already_invited', 'This person has been invited already.');
    END IF;
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

-- Ends what the account is to a family: a member, or one who waits for its approval.
CREATE OR REPLACE FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_me app.family_members;
BEGIN
    -- Neither: no lock either.
    PERFORM FROM app.family_units AS f
        WHERE f.id = p_family AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.user_id = v_account
                AND m.status IN ('active', 'invited'))
        FOR NO KEY UPDATE;
    SELECT m.* INTO v_me FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = v_account
            AND m.status IN ('active', 'invited');
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    IF app.is_admin(v_me) AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.active_adult_user_id IS NOT NULL
            AND m.id <> v_me.id) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'Make another adult Parent Admin before you leave.');
    END IF;
    PERFORM app.hand_over_wards(v_me, p_reassign_to);
    PERFORM app.end_membership(v_me);
    PERFORM app.record_audit('member.leave', p_family, v_me.user_id, v_me.id,
        jsonb_build_object('was', v_me.status));
END $$;

COMMENT ON FUNCTION app.leave_family(uuid, uuid) IS
    'Ends the caller''s own membership, or its waiting for one; its children go to the adult named.';

CREATE OR REPLACE FUNCTION app.update_profile(
    p_full_name text, p_avatar_key text, p_avatar_url text, p_role text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_subject constant uuid := app.user_id();
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = v_subject AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    IF p_role IS NOT NULL THEN
        PERFORM app.require_account();
        IF p_role NOT IN ('player', 'parent') THEN
            PERFORM app.refuse('HF400', 'role_unknown', 'A role is player or parent.');
        ELSIF EXISTS (
            SELECT FROM app.users AS u JOIN app.family_members AS m ON m.user_id = u.id
            WHERE u.id = v_subject AND u.role <> p_role AND m.status = 'active') THEN
            PERFORM app.refuse('HF409', 'role_fixed_in_family',
                'The role can be changed only while you belong to no family.');
        END IF;
    END IF;
    UPDATE app.users AS u SET
            full_name = coalesce(p_full_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END,
            avatar_url = CASE WHEN p_avatar_url IS NULL THEN u.avatar_url
                              ELSE nullif(p_avatar_url, '') END,
            role = coalesce(p_role, u.role)
        WHERE u.id = v_subject;
    PERFORM app.record_audit('profile.update',
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = v_subject AND m.user_kind = 'managed'),
        v_subject, v_subject);
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
    -- The side that a first family gives becomes the account's own.
    UPDATE app.users AS u SET role = v_target.role
        WHERE u.id = v_target.user_id AND u.role <> v_target.role AND NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.user_id = v_target.user_id AND m.status = 'active');
    UPDATE app.family_members AS m SET status = 'active', vouched = true, added_at = now()
        WHERE m.id = v_target.id;
    IF v_target.role = 'player' THEN
        PERFORM app.fill_player_name(v_me.family_unit_id, v_target.user_id);
    END IF;
    PERFORM app.record_audit(
        'member.approve', v_me.family_unit_id, v_target.user_id, v_target.id);
END $$;

-- The first member of a family that it has made itself is told of already; anybody else was added.
CREATE OR REPLACE FUNCTION app.audit_member_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NOT (NEW.is_creator AND NEW.joined_via = 'created'
            AND NEW.user_id IS NOT DISTINCT FROM app.account_id()) THEN
        PERFORM app.audit_statement_of_client('member.add', NEW.family_unit_id, NEW.user_id, NEW.id,
            jsonb_build_object('role', NEW.role, 'householdRole', NEW.household_role));
    END IF;
    RETURN NULL;
END $$;
