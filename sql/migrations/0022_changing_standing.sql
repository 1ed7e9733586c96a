-- Who stands where: household roles, the Parent Admin's seat, approval of who waits.
--
-- One seat, held by a partial unique index; a transfer vacates it and fills it in one transaction,
-- so that nobody ever sees two, or none.
--
-- A vacant seat may not fall to whoever holds a leaked code. While the creator is active it is
-- claimed by the creator, by an adult who came by invitation, or by the adult whom the creator
-- names. With the creator gone, or no more than a visitor, any adult may claim it.
--
-- Locks: none, all objects are new. At run time: the family's row, then the rows changed.

CREATE FUNCTION app.seat_is_taken(p_family uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND m.status = 'active'
        AND m.household_role = 'parent_admin');

CREATE FUNCTION app.creator_is_active(p_family uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND m.is_creator AND m.confides);

-- Whether the caller may put the target into the seat, were it vacant.
CREATE FUNCTION app.may_seat(p_me app.family_members, p_target app.family_members)
RETURNS boolean
LANGUAGE sql STABLE
RETURN app.is_adult(p_target) AND CASE
    WHEN app.is_creator(p_me) THEN true
    WHEN (p_me).id <> (p_target).id THEN false
    ELSE (p_me).joined_via = 'invitation'
        OR NOT app.creator_is_active((p_me).family_unit_id)
END;

-- The admin sets others to adult, kid or visitor; everybody lowers itself; the seat as above.
-- Managed members stay what they are. Taking a guardian below adult hands its children over.
CREATE FUNCTION app.set_household_role(
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
    PERFORM app.record_audit('member.set_role', v_me.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

COMMENT ON FUNCTION app.set_household_role(uuid, text, uuid) IS
    'Changes a member''s standing; see the rule in its definition.';

CREATE FUNCTION app.transfer_admin(p_family uuid, p_member uuid) RETURNS void
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
    UPDATE app.family_members AS m SET household_role = 'parent_admin' WHERE m.id = v_target.id;
    PERFORM app.record_audit('admin.transfer', p_family, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_me.id));
END $$;

COMMENT ON FUNCTION app.transfer_admin(uuid, uuid) IS
    'Hands the caller''s seat as Parent Admin to another adult.';

-- Lets in who waits. A player may have found another family meanwhile; the seats may be taken.
CREATE FUNCTION app.approve_member(p_member uuid) RETURNS void
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
    UPDATE app.family_members AS m SET status = 'active', added_at = now()
        WHERE m.id = v_target.id;
    IF v_target.role = 'player' THEN
        PERFORM app.fill_player_name(v_me.family_unit_id, v_target.user_id);
    END IF;
    PERFORM app.record_audit(
        'member.approve', v_me.family_unit_id, v_target.user_id, v_target.id);
END $$;

COMMENT ON FUNCTION app.approve_member(uuid) IS 'Lets in a person who waits at the door.';

-- Refuses where the person can't be seated as such; locks its row, after the family's, so that
-- nothing changes before the membership is written.
CREATE FUNCTION app.seat_person(p_family uuid, p_user uuid, p_role text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;
    IF p_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    ELSIF app.lowest_free_slot(p_family) IS NULL THEN
        PERFORM app.refuse('HF409', 'family_full', 'This family is full.');
    END IF;
END $$;

GRANT EXECUTE ON FUNCTION
    app.set_household_role(uuid, text, uuid), app.transfer_admin(uuid, uuid),
    app.approve_member(uuid)
    TO hearth_api;
