-- Operators' changes of memberships and household roles.

-- Makes another adult the Parent Admin, even if the seat is taken, and enqueues e-mails to the
-- adults. The previous Parent Admin becomes an adult, so a family never has two.
CREATE OR REPLACE FUNCTION app.operator_transfer_admin(p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.lock_member_for_operator(p_member);
    v_before uuid;
BEGIN
    IF app.is_adult(v_target) IS NOT TRUE OR app.is_blocked(v_target.user_id)
        OR app.is_admin(v_target) THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    UPDATE app.family_members AS m SET household_role = 'adult'
        WHERE m.family_unit_id = v_target.family_unit_id AND m.status = 'active'
            AND m.household_role = 'parent_admin'
        RETURNING m.id INTO v_before;
    UPDATE app.family_members AS m SET household_role = 'parent_admin', vouched = true
        WHERE m.id = p_member;
    PERFORM app.enqueue_new_admin_mails(v_target);
    PERFORM app.record_audit('admin.transfer', v_target.family_unit_id, v_target.user_id, p_member,
        jsonb_build_object('from', v_before));
END $$;

COMMENT ON FUNCTION app.operator_transfer_admin(uuid) IS
    'Makes an adult the Parent Admin; the previous one becomes an adult.';

DROP FUNCTION IF EXISTS app.operator_add_member(uuid, uuid, text, text);

-- Adds an account to a family. Refuses a second Parent Admin. A removed member becomes a member
-- again, possibly with a higher household role than before. The account leaves the families in
-- which it lives alone, as for an invitation (leaving_own_family.sql).
--
-- A waiting person who becomes what it asked to be is approved, as by a member (join_requests.sql):
-- the audit log says so, and the membership still tells that the person came by the code. With
-- p_only_approves, nobody else is added, such as a person whom the family has rejected meanwhile.
CREATE OR REPLACE FUNCTION app.operator_add_member(
    p_family uuid, p_user uuid, p_role text, p_household_role text,
    p_only_approves boolean DEFAULT false
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family app.family_units;
    v_user app.users;
    v_own_families uuid[];
    v_role text := p_role;
    v_household_role text := p_household_role;
    v_refusal text;
    v_waiting app.family_members;
    v_is_approval boolean;
    v_former app.family_members;
    v_member uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT app.families_to_leave(u.id, coalesce(p_role, u.role)) INTO v_own_families
        FROM app.users AS u WHERE u.id = p_user;
    PERFORM app.lock_families(v_own_families || p_family);
    v_family := app.lock_family_for_operator(p_family);
    v_user := app.lock_account_for_operator(p_user);
    v_role := coalesce(v_role, v_user.role);
    v_own_families := app.locked_families_to_leave(p_user, v_role, v_own_families);
    v_household_role := coalesce(
        v_household_role, CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = v_family.id AND m.user_id = p_user AND m.status = 'active') THEN
        PERFORM app.refuse('HF409', 'person_already_member',
            'This person is already a member of the family.');
    ELSIF v_household_role = 'parent_admin' AND app.seat_is_taken(p_family) THEN
        PERFORM app.refuse('HF409', 'parent_admin_exists',
            'A Parent Admin already exists for this family.');
    ELSIF v_household_role = 'parent_admin'
        AND (v_role <> 'parent' OR v_user.blocked_at IS NOT NULL) THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    SELECT m.* INTO v_waiting FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = p_user AND m.status = 'invited';
    v_is_approval := coalesce(
        (v_waiting.role, v_waiting.household_role) = (v_role, v_household_role), false);
    IF p_only_approves AND NOT v_is_approval THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This person no longer waits for approval, or has asked for another role.');
    END IF;
    v_refusal := app.membership_refusal(v_role, p_family, p_user);
    IF v_refusal = 'role_mismatch' THEN
        PERFORM app.refuse('HF409', 'role_mismatch',
            'The account has the other role in another family.');
    ELSIF v_refusal IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    PERFORM app.leave_own_families(v_own_families, p_user, p_family, v_role);
    PERFORM app.require_room_for(p_family, p_user, v_role);
    IF p_role IS NOT NULL AND v_user.role_is_default THEN
        PERFORM app.record_stated_role(p_user, p_role);
    END IF;
    IF v_household_role = 'parent_admin' THEN
        SELECT m.* INTO v_former FROM app.family_members AS m
            WHERE m.family_unit_id = p_family AND m.user_id = p_user;
        v_former.family_unit_id := p_family;
        PERFORM app.vacate_seat_of_blocked(v_former);
    END IF;
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (p_family, p_user, v_role, v_household_role, 'operator')
        ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
            role = excluded.role, household_role = excluded.household_role,
            household_ceiling = excluded.household_ceiling,
            status = 'active',
            joined_via = CASE WHEN v_is_approval THEN m.joined_via ELSE 'operator' END,
            vouched = true, added_at = now(), removed_at = NULL, removed_by = NULL
        RETURNING m.id INTO v_member;
    IF v_role = 'player' THEN
        PERFORM app.fill_player_name(p_family, p_user);
    END IF;
    IF v_waiting.id IS NOT NULL THEN
        PERFORM app.enqueue_family_mail('mail.request_approved', p_family, p_user);
    END IF;
    IF v_is_approval THEN
        PERFORM app.record_audit('member.approve', p_family, p_user, v_member);
    ELSE
        PERFORM app.record_audit('member.add', p_family, p_user, v_member,
            jsonb_build_object('role', v_role, 'householdRole', v_household_role));
    END IF;
    RETURN v_member;
END $$;

COMMENT ON FUNCTION app.operator_add_member(uuid, uuid, text, text, boolean) IS
    'Adds an account to a family, or approves it; returns the id of its membership.';

-- Removes a member, and returns it as it was. p_seen_status is the status that the operator has
-- seen: a person who waited then is not removed if the family has admitted it meanwhile.
CREATE OR REPLACE FUNCTION app.remove_member_for_operator(
    p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_seen_status text
) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF app.is_admin(v_target) AND app.has_possible_successor(v_target) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'This member is the Parent Admin: make another adult Parent Admin first.');
    END IF;
    IF p_seen_status = 'invited' AND v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'The family has approved this person meanwhile.');
    END IF;
    PERFORM app.remove_from_family(v_target, p_reassign_to, p_rotate_code);
    RETURN v_target;
END $$;

CREATE OR REPLACE FUNCTION app.operator_remove_member(
    p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_seen_status text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.enqueue_removal_mail(
        app.remove_member_for_operator(p_member, p_reassign_to, p_rotate_code, p_seen_status));
END $$;

COMMENT ON FUNCTION app.operator_remove_member(uuid, uuid, boolean, text) IS
    'Removes a member and enqueues e-mails to it; the named adult takes over its children.';

-- Changes a household role. Enqueues e-mails to a guardian who is replaced, and to the adults about
-- a new Parent Admin.
CREATE OR REPLACE FUNCTION app.operator_set_household_role(
    p_member uuid, p_household_role text, p_reassign_to uuid
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF app.rank_of_household_role(p_household_role) IS NULL THEN
        PERFORM app.refuse_field('householdRole',
            'A household role is parent_admin, adult, kid or visitor.');
    ELSIF v_target.user_kind <> 'account' THEN
        PERFORM app.refuse('HF403', 'standing_too_low', 'A managed member stays a kid.');
    ELSIF v_target.status <> 'active' THEN
        PERFORM app.refuse('HF409', 'member_is_waiting', 'This person waits for approval.');
    ELSIF p_household_role = 'parent_admin' AND NOT app.is_admin(v_target) THEN
        IF app.seat_is_taken(v_target.family_unit_id) THEN
            PERFORM app.refuse('HF409', 'parent_admin_exists',
                'A Parent Admin already exists for this family.');
        ELSIF v_target.role <> 'parent' OR app.is_blocked(v_target.user_id) THEN
            PERFORM app.refuse('HF409', 'admin_not_adult',
                'The next Parent Admin is another adult with an account.');
        END IF;
    END IF;
    IF app.rank_of_household_role(p_household_role) < app.rank_of_household_role('adult') THEN
        PERFORM app.hand_over_children(v_target, p_reassign_to);
    ELSIF p_household_role = 'parent_admin' THEN
        PERFORM app.vacate_seat_of_blocked(v_target);
    END IF;
    UPDATE app.family_members AS m SET household_role = p_household_role,
            household_ceiling = app.ceiling_of_household_role(p_household_role),
            vouched = m.vouched OR p_household_role = 'parent_admin'
        WHERE m.id = p_member;
    IF p_household_role = 'parent_admin' AND NOT app.is_admin(v_target) THEN
        PERFORM app.enqueue_new_admin_mails(v_target);
    END IF;
    PERFORM app.revoke_invitations_beyond_rights(p_member);
    PERFORM app.record_audit('member.set_role', v_target.family_unit_id, v_target.user_id,
        p_member, jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

COMMENT ON FUNCTION app.operator_set_household_role(uuid, text, uuid) IS
    'Changes a member''s household role; gives the Parent Admin''s seat only while it is vacant.';

CREATE OR REPLACE FUNCTION app.operator_add_managed_member(
    p_guardian_member uuid, p_display_name text, p_avatar_key text
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_guardian constant app.family_members := app.lock_member_for_operator(p_guardian_member);
BEGIN
    IF app.is_adult(v_guardian) IS NOT TRUE OR app.is_blocked(v_guardian.user_id) THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is an adult of the family with an account.');
    END IF;
    RETURN app.insert_child(v_guardian, p_display_name, p_avatar_key, 'operator');
END $$;

COMMENT ON FUNCTION app.operator_add_managed_member(uuid, text, text) IS
    'Adds a child with the adult named as its guardian; returns its id.';

-- Locks the family of a managed member, and returns the member. It is active, because a child never
-- waits for approval.
CREATE OR REPLACE FUNCTION app.lock_child_for_operator(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF v_child.user_kind <> 'managed' THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'This is no managed member.');
    END IF;
    RETURN v_child;
END $$;

-- Replaces the primary guardian of a child, and enqueues an e-mail to the former one.
-- p_seen_guardian is the primary guardian whom the operator has seen: if it is another by now,
-- nothing is changed.
DROP FUNCTION IF EXISTS app.operator_reassign_managed_member(uuid, uuid);
CREATE OR REPLACE FUNCTION app.operator_reassign_managed_member(
    p_member uuid, p_guardian_member uuid, p_seen_guardian uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.lock_child_for_operator(p_member);
    v_guardian app.family_members;
BEGIN
    IF v_child.parent_user_id IS DISTINCT FROM p_seen_guardian THEN
        PERFORM app.refuse('HF409', 'guardian_changed',
            'The child has another primary guardian by now. Check who it is, then try again.');
    END IF;
    v_guardian := app.member_in_family_of(v_child, p_guardian_member);
    PERFORM app.reassign_child(v_child, v_child.parent_user_id, v_guardian);
    PERFORM app.enqueue_family_mail('mail.guardian_replaced', v_child.family_unit_id,
        v_child.parent_user_id, v_guardian.user_id);
END $$;

COMMENT ON FUNCTION app.operator_reassign_managed_member(uuid, uuid, uuid) IS
    'Makes another adult a child''s primary guardian, and enqueues an e-mail to the former one.';

CREATE OR REPLACE FUNCTION app.operator_add_guardian(p_member uuid, p_guardian_member uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN app.make_guardian(app.lock_child_for_operator(p_member), p_guardian_member);
END $$;

COMMENT ON FUNCTION app.operator_add_guardian(uuid, uuid) IS
    'Makes an adult a guardian of a child, and enqueues an e-mail to it; false if it is one '
    'already.';

CREATE OR REPLACE FUNCTION app.operator_remove_guardian(p_member uuid, p_guardian_member uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.lock_child_for_operator(p_member);
BEGIN
    PERFORM app.dismiss_guardian(v_child, app.member_in_family_of(v_child, p_guardian_member));
END $$;

COMMENT ON FUNCTION app.operator_remove_guardian(uuid, uuid) IS
    'Ends a guardianship of a child that has another guardian, and enqueues an e-mail to the '
    'former guardian.';

CREATE OR REPLACE FUNCTION app.operator_promote_guardian(p_member uuid, p_guardian_member uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.promote_guardian(app.lock_child_for_operator(p_member), p_guardian_member);
END $$;

COMMENT ON FUNCTION app.operator_promote_guardian(uuid, uuid) IS
    'Makes a guardian of a child its primary guardian.';

GRANT EXECUTE ON FUNCTION
    app.operator_transfer_admin(uuid),
    app.operator_add_member(uuid, uuid, text, text, boolean),
    app.operator_remove_member(uuid, uuid, boolean, text),
    app.operator_set_household_role(uuid, text, uuid),
    app.operator_add_managed_member(uuid, text, text),
    app.operator_reassign_managed_member(uuid, uuid, uuid),
    app.operator_add_guardian(uuid, uuid), app.operator_remove_guardian(uuid, uuid),
    app.operator_promote_guardian(uuid, uuid)
    TO hearth_admin;
