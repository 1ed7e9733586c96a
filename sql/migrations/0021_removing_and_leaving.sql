-- Members go: removed by another, or leaving.
--
-- Nobody is deleted: the row stays as `removed`, and tells by whom. With a member go the pending
-- invitations it made. The children it guards go to the adult that the request names, in the same
-- transaction, or they stand in the way.
--
-- Locks: none, all objects are new. At run time: the family's row, then the rows changed.

-- What both have in common; who may, is decided by then.
CREATE FUNCTION app.end_membership(p_member app.family_members) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = app.actor_id()
        WHERE m.id = (p_member).id;
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.family_unit_id = (p_member).family_unit_id
            AND i.invited_by = (p_member).user_id AND i.status = 'pending'
        RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
END;

-- The admin removes anyone else; the creator anyone but the admin and managed members; a guardian
-- the children it guards. Who waits for approval is refused by removing it.
-- p_reassign_to is the admin's to use: so it is never helpless against a bad guardian.
CREATE FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_me, p_member);
BEGIN
    IF v_target.id = v_me.id THEN
        PERFORM app.refuse('HF400', 'cannot_remove_self',
            'You cannot remove yourself from the family');
    END IF;
    PERFORM app.require_allowed(
        app.is_admin(v_me)
        OR (v_target.active_guardian_id = v_me.user_id AND app.is_adult(v_me))
        OR (app.is_creator(v_me) AND v_target.user_kind = 'account'
            AND NOT app.is_admin(v_target)));
    PERFORM app.require_allowed(p_reassign_to IS NULL OR app.is_admin(v_me));
    PERFORM app.require_allowed(p_rotate_code IS NOT TRUE OR app.may_regenerate_code(v_me));
    PERFORM app.hand_over_wards(v_target, p_reassign_to);
    PERFORM app.end_membership(v_target);
    IF p_rotate_code THEN
        PERFORM app.replace_code(v_me.family_unit_id, NULL);
    END IF;
    PERFORM app.record_audit(
        CASE v_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
        v_me.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('was', v_target.status, 'rotatedCode', coalesce(p_rotate_code, false)));
END $$;

COMMENT ON FUNCTION app.remove_member(uuid, uuid, boolean) IS
    'Removes another member; see the rule in its definition.';

-- The admin stays while another adult could take over: transfer first.
CREATE FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
BEGIN
    IF app.is_admin(v_me) AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.active_adult_user_id IS NOT NULL
            AND m.id <> v_me.id) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'Make another adult Parent Admin before you leave.');
    END IF;
    PERFORM app.hand_over_wards(v_me, p_reassign_to);
    PERFORM app.end_membership(v_me);
    PERFORM app.record_audit('member.leave', p_family, v_me.user_id, v_me.id);
END $$;

COMMENT ON FUNCTION app.leave_family(uuid, uuid) IS
    'Ends the caller''s own membership; its children go to the adult named.';

GRANT EXECUTE ON FUNCTION
    app.remove_member(uuid, uuid, boolean), app.leave_family(uuid, uuid)
    TO hearth_api;
