-- Members: list, remove, leave.
--
-- Removing a member deletes no row: the membership stays as `removed`, with the person who removed
-- it (exceptions: graduation.sql, and the purge of empty families in upkeep.sql). A member's
-- pending invitations end with the membership, and so do those to its verified address, because
-- they could undo a removal. If children have no guardian but this member, the request must name
-- their new guardian, or it is refused.

-- Keeps the id, the family, the user and the creator flag of a membership fixed. The user changes
-- in two cases only: the membership of a child that has grown up gets the account in user_aliases,
-- and an account may get another id (account_ids.sql).
CREATE OR REPLACE FUNCTION app.enforce_membership_identity() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF (NEW.id, NEW.family_unit_id, NEW.is_creator)
            = (OLD.id, OLD.family_unit_id, OLD.is_creator)
        AND (app.account_of_former_id(OLD.user_id) = NEW.user_id OR EXISTS (
            SELECT FROM app.user_aliases AS a
            WHERE a.alias_id = OLD.user_id AND a.account_id = NEW.user_id)) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a membership can''t move to another family or user'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'family_members_identity_fixed';
END $$;

CREATE OR REPLACE TRIGGER enforce_identity BEFORE UPDATE ON app.family_members
    FOR EACH ROW
    WHEN ((NEW.id, NEW.family_unit_id, NEW.user_id, NEW.is_creator) IS DISTINCT FROM
          (OLD.id, OLD.family_unit_id, OLD.user_id, OLD.is_creator))
    EXECUTE FUNCTION app.enforce_membership_identity();

-- Records the time at which a family lost its last active member, for the purge of empty families.
CREATE OR REPLACE FUNCTION app.record_empty_since() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.status = 'active' THEN
        -- The family's row is locked (lowest_free_slot). Looking first costs less than an UPDATE
        -- that changes nothing.
        IF EXISTS (
            SELECT FROM app.family_units AS f
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NOT NULL) THEN
            UPDATE app.family_units AS f SET emptied_at = NULL
                WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NOT NULL;
        END IF;
    ELSE
        UPDATE app.family_units AS f SET emptied_at = now()
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NULL AND NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'active');
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_empty_since_new AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION app.record_empty_since();
CREATE OR REPLACE TRIGGER record_empty_since_changed AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION app.record_empty_since();

-- Members of each person's families, as that person may see them. The viewer's own membership
-- (`me`) decides which rows exist and what is masked: people who wait are visible to members who
-- may approve them, and former members to those who govern, without their addresses. Only the
-- person itself sees the limit of the household roles that it may choose. is_gone says that the
-- account is blocked (blocking.sql): decisions depend on it, and no response shows it. Clients
-- can't read this view, because it has the rows of all viewers. It has no security_barrier, so that
-- the planner looks up only the rows of the viewers whom the views below name.
CREATE OR REPLACE VIEW app.visible_members AS
SELECT
    m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.added_at,
    m.removed_at,
    m.user_kind = 'managed' AS is_managed,
    m.parent_user_id,
    m.joined_via,
    u.avatar_key,
    u.avatar_url,
    u.full_name,
    u.role AS account_role,
    CASE WHEN m.status <> 'removed' AND (me.confides OR m.user_id = me.user_id) THEN u.email END
        AS email,
    m.vouched,
    m.is_creator,
    CASE WHEN m.user_id = me.user_id THEN m.household_ceiling END AS household_ceiling,
    app.display_name(u.full_name, u.email, u.email_verified) AS display_name,
    coalesce(m.created_at, m.added_at) AS created_at,
    greatest(m.updated_at, u.updated_at) AS updated_at,
    m.stands_in,
    -- Repeats app.creator_lowered_own_role, which readers of the view may not call.
    m.is_creator AND m.status = 'active' AND NOT m.confides
        AND m.household_ceiling = CASE m.role WHEN 'player' THEN 'kid' ELSE 'adult' END
        AS creator_lowered_own_role,
    -- Guardians of a managed member, the primary one first, each encoded as one value, so that one
    -- query reads all that the list shows of them: the ids of user and member (16 bytes each), the
    -- beginning of the guardianship (8 bytes, the binary format of timestamptz), and the name. Null
    -- for an account.
    CASE WHEN m.user_kind = 'managed' THEN ARRAY(
        SELECT uuid_send(w.guardian_user_id) || uuid_send(g.id) || timestamptz_send(w.since)
            || convert_to(
                app.display_name(u.full_name, u.email, u.email_verified), 'UTF8')
        FROM app.guardianships AS w
        JOIN app.family_members AS g
            ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
        JOIN app.users AS u ON u.id = w.guardian_user_id
        WHERE w.member_id = m.id
        ORDER BY w.guardian_user_id <> m.parent_user_id, w.since, w.slot)
    END AS guardians,
    -- Guardianships of a managed member in no order, for readers that read the guardians' own rows
    -- as well: user (16 bytes), beginning (8) and slot (2) of each.
    CASE WHEN m.user_kind = 'managed' THEN ARRAY(
        SELECT uuid_send(w.guardian_user_id) || timestamptz_send(w.since) || int2send(w.slot)
        FROM app.guardianships AS w WHERE w.member_id = m.id)
    END AS guardianships,
    -- Version of the family, in the viewer's own row only. The entity tag of the list is made from
    -- it, and so no other statement has to look it up.
    CASE WHEN m.user_id = me.user_id THEN v.version END AS family_version,
    CASE WHEN m.user_id = me.user_id THEN v.raised_at END AS family_raised_at,
    me.user_id AS viewer_id,
    m.entered_after_key,
    u.blocked_at IS NOT NULL AS is_gone
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
JOIN app.users AS u ON u.id = m.user_id
LEFT JOIN app.family_versions AS v ON v.family_unit_id = me.family_unit_id
WHERE me.status = 'active'
    AND (m.status = 'active' OR me.governs OR (m.status = 'invited' AND me.stands_in));

-- Members and waiting people whom the subject may see.
CREATE OR REPLACE VIEW app.member_list WITH (security_barrier) AS
SELECT s.* FROM app.visible_members AS s
WHERE s.viewer_id = app.user_id() AND s.status <> 'removed';

-- Members and waiting people whom each caller of a batch may see.
CREATE OR REPLACE VIEW app.members_of_batch WITH (security_barrier) AS
SELECT c.caller_index, s.*
FROM app.callers AS c JOIN app.visible_members AS s ON s.viewer_id = c.user_id
WHERE s.status <> 'removed';

-- Former members of the families that the account governs.
CREATE OR REPLACE VIEW app.former_member_list WITH (security_barrier) AS
SELECT s.* FROM app.visible_members AS s
WHERE s.viewer_id = app.account_id() AND s.status = 'removed';

ALTER VIEW app.visible_members OWNER TO hearth_authz;
ALTER VIEW app.member_list OWNER TO hearth_authz;
ALTER VIEW app.members_of_batch OWNER TO hearth_authz;
ALTER VIEW app.former_member_list OWNER TO hearth_authz;

-- Gives a player without a name the one that a parent may have entered in the player details in
-- advance.
CREATE OR REPLACE FUNCTION app.fill_player_name(p_family uuid, p_user uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.users AS u
    SET full_name = app.normalised_name(f.player_details ->> 'playerName', 80)
    FROM app.family_units AS f
    WHERE f.id = p_family AND u.id = p_user AND u.full_name IS NULL
        AND app.normalised_name(f.player_details ->> 'playerName', 80) IS NOT NULL;
END;

-- If the family has no active member left, ends its join requests, retires its code if the family
-- requires approval, and revokes invitations made with API keys, since nobody could approve
-- anybody.
CREATE OR REPLACE FUNCTION app.close_if_empty(p_family uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active') THEN
        RETURN;
    END IF;
    PERFORM app.end_join_requests(p_family);
    PERFORM app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.family_unit_id = p_family AND i.status = 'pending'
            AND i.invited_by_key IS NOT NULL));
    PERFORM app.retire_code(f.id, app.actor_id())
        FROM app.family_units AS f WHERE f.id = p_family AND f.approval_required;
END $$;

-- Ends a membership or a request to join; the caller of this function has checked the right to do
-- so. A person removed by another is no longer vouched for, unless that person is the creator, and
-- is barred until admitted again. A member who leaves stays vouched for or barred as before. The
-- second rejection of a request within a window blocks further requests to this family (unlike a
-- block of the account, blocking.sql). A rejection with a time in the future, from a clock that was
-- wrong, is ignored.
CREATE OR REPLACE FUNCTION app.end_membership(p_member app.family_members) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    v_by_another constant boolean := (p_member).user_id IS DISTINCT FROM app.actor_id();
BEGIN
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = app.actor_id(),
            vouched = m.is_creator OR (m.vouched AND NOT v_by_another),
            barred_at = CASE WHEN m.user_kind = 'account' AND v_by_another
                THEN now() ELSE m.barred_at END,
            rejected_at = CASE WHEN m.status = 'invited' AND v_by_another
                THEN now() ELSE m.rejected_at END,
            requests_blocked_at = CASE WHEN m.status = 'invited' AND v_by_another
                AND m.rejected_at BETWEEN now() - app.rejections_window() AND now()
                THEN now() ELSE m.requests_blocked_at END
        WHERE m.id = (p_member).id;
    PERFORM app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.family_unit_id = (p_member).family_unit_id AND i.status = 'pending'
            AND (i.invited_by = (p_member).user_id
                 OR i.mailbox = (
                    SELECT u.mailbox FROM app.users AS u
                    WHERE u.id = (p_member).user_id AND u.email_verified))));
    PERFORM app.close_if_empty((p_member).family_unit_id);
END $$;

-- Whether the family's creator may remove a child: the Parent Admin's seat is vacant, and no
-- guardian of the child is vouched for, apart from blocked ones. Without this right, a person with
-- a leaked code could fill the family with children, and nobody could remove them or their
-- guardian.
CREATE OR REPLACE FUNCTION app.creator_may_remove_child(p_child app.family_members) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p_child.active_guardian_id IS NOT NULL
        AND NOT app.seat_is_taken(p_child.family_unit_id)
        AND NOT EXISTS (
            SELECT FROM app.guardianships AS w JOIN app.family_members AS g
                ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
            WHERE w.member_id = p_child.id AND g.vouched AND NOT app.is_blocked(g.user_id));
$$;

-- Removes the children of a guardian whom the creator removes: those who would have no guardian,
-- and whom the creator may remove. Both happen under one lock, so that the guardian can't add other
-- children in between.
CREATE OR REPLACE FUNCTION app.remove_children_with_guardian(p_guardian app.family_members)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_child app.family_members;
BEGIN
    FOR v_child IN
        SELECT m.* FROM app.guardianships AS w JOIN app.family_members AS m ON m.id = w.member_id
        WHERE w.family_unit_id = p_guardian.family_unit_id
            AND w.guardian_user_id = p_guardian.user_id
            AND app.longest_serving_guardian(m.id, p_guardian.user_id) IS NULL
            AND app.creator_may_remove_child(m)
        ORDER BY m.id
    LOOP
        PERFORM app.end_membership(v_child);
        PERFORM app.record_audit('managed.remove', p_guardian.family_unit_id, v_child.user_id,
            v_child.id, '{"was": "active", "rotatedCode": false}');
    END LOOP;
END $$;

-- Ends the membership of another person. Hands over the children whose only guardian the person is,
-- and enqueues an e-mail about that. The calling function decides who may do so.
CREATE OR REPLACE FUNCTION app.remove_from_family(
    p_target app.family_members, p_reassign_to uuid, p_rotate_code boolean
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.hand_over_children(p_target, p_reassign_to);
    PERFORM app.end_membership(p_target);
    IF p_rotate_code THEN
        PERFORM app.replace_code(p_target.family_unit_id, NULL);
    END IF;
    PERFORM app.record_audit(
        CASE p_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
        p_target.family_unit_id, p_target.user_id, p_target.id,
        jsonb_build_object('was', p_target.status, 'rotatedCode', coalesce(p_rotate_code, false)));
END $$;

-- The functions that remove a member:
--   remove_member                       the API's call: the removal and its e-mail
--     remove_other_member               the rules; the member as it was
--       remove_children_with_guardian   the children whom the creator removes with their guardian
--       remove_from_family              hand-over of children, new code, audit entry; operators too
--         end_membership                the membership itself; for leaving and withdrawing too
--
-- Rules: the admin may remove anyone else; the creator anyone but the admin, and managed members
-- only if creator_may_remove_child allows it; a primary guardian its children. Removing a person
-- who waits rejects the request; members who may approve it may do that as well. Only the admin may
-- use p_reassign_to, and can thus act against a bad guardian. A guardian whose children the creator
-- may remove is removed together with them.
--
-- Returns the member as it was. If p_only_waiting is true, ends only a request, no membership: the
-- request may have been approved a moment ago.
CREATE OR REPLACE FUNCTION app.remove_other_member(
    p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean)
RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_caller, p_member);
BEGIN
    PERFORM app.require_consent_to(
        CASE v_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END);
    IF v_target.id = v_caller.id THEN
        PERFORM app.refuse('HF400', 'oneself',
            'You cannot remove yourself from the family');
    END IF;
    PERFORM app.require_allowed(
        app.is_admin(v_caller)
        OR (app.acting_primary_guardian(v_target) = v_caller.user_id AND app.is_adult(v_caller))
        OR (app.is_creator(v_caller) AND v_target.user_kind = 'account'
            AND NOT app.is_admin(v_target))
        OR (app.is_creator(v_caller) AND app.creator_may_remove_child(v_target))
        OR (v_target.status = 'invited' AND app.may_admit(v_caller)));
    PERFORM app.require_allowed(p_reassign_to IS NULL OR app.is_admin(v_caller));
    PERFORM app.require_allowed(p_rotate_code IS NOT TRUE OR app.may_regenerate_code(v_caller));
    IF p_only_waiting AND v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This request has been approved already.');
    END IF;
    IF app.is_creator(v_caller) THEN
        PERFORM app.remove_children_with_guardian(v_target);
    END IF;
    PERFORM app.remove_from_family(v_target, p_reassign_to, p_rotate_code);
    RETURN v_target;
END $$;

-- Enqueues the e-mail about a removal: to a former member, or to a person whose request was
-- rejected.
CREATE OR REPLACE FUNCTION app.enqueue_removal_mail(p_former app.family_members) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_former.user_kind = 'account' THEN
        PERFORM app.enqueue_family_mail(
            CASE p_former.status WHEN 'invited' THEN 'mail.request_rejected'
                              ELSE 'mail.member_removed' END,
            p_former.family_unit_id, p_former.user_id);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.remove_member(
    p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.enqueue_removal_mail(
        app.remove_other_member(p_member, p_reassign_to, p_rotate_code, p_only_waiting));
END $$;

COMMENT ON FUNCTION app.remove_member(uuid, uuid, boolean, boolean) IS
    'Removes another member and enqueues an e-mail to it; rules: see remove_other_member.';

-- Ends the account's membership or its request to join. The admin can't leave while another adult
-- could take over; the seat must be transferred first.
CREATE OR REPLACE FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_own_family_member(p_family);
BEGIN
    IF app.is_admin(v_caller) AND app.has_possible_successor(v_caller) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'Make another adult Parent Admin before you leave.');
    END IF;
    PERFORM app.reassign_children_of(v_caller, p_reassign_to);
    PERFORM app.end_membership(v_caller);
    PERFORM app.record_audit('member.leave', p_family, v_caller.user_id, v_caller.id,
        jsonb_build_object('was', v_caller.status));
END $$;

COMMENT ON FUNCTION app.leave_family(uuid, uuid) IS
    'Ends the caller''s own membership or request to join; the named adult takes over its '
    'children.';

GRANT SELECT ON app.member_list, app.members_of_batch, app.former_member_list TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.remove_member(uuid, uuid, boolean, boolean), app.leave_family(uuid, uuid)
    TO hearth_api;
