-- Members: list, remove, leave.
--
-- Removing deletes no row: it stays as `removed`, with the remover (but see graduation.sql and the
-- purge of empty families in upkeep.sql). A member's pending
-- invitations end with the membership, and so do those to its verified address, which would undo a
-- removal. If the member is a guardian, the request must name the children's new guardian, or it is
-- refused.

-- A membership's user and family never change, nor does a family's creator. Only a child that has
-- grown up has another user from then on: the account that its managed user leads to. An account's
-- id may change (account_ids.sql).
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

CREATE OR REPLACE TRIGGER keep_identity BEFORE UPDATE ON app.family_members
    FOR EACH ROW
    WHEN ((NEW.id, NEW.family_unit_id, NEW.user_id, NEW.is_creator) IS DISTINCT FROM
          (OLD.id, OLD.family_unit_id, OLD.user_id, OLD.is_creator))
    EXECUTE FUNCTION app.enforce_membership_identity();

-- Records since when a family is empty, for purging.
CREATE OR REPLACE FUNCTION app.record_emptiness() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.status = 'active' THEN
        UPDATE app.family_units AS f SET emptied_at = NULL
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NOT NULL;
    ELSE
        UPDATE app.family_units AS f SET emptied_at = now()
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NULL AND NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'active');
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_emptiness_new AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION app.record_emptiness();
CREATE OR REPLACE TRIGGER note_emptiness_changed AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION app.record_emptiness();

-- What each person sees of the members of its families. The viewer's own membership (`me`) decides
-- which rows there are and what is masked: waiting people are shown to those who may approve them,
-- former members to those who govern, without their addresses. A person without a name is shown by
-- the part of a verified address before its @. Nobody else sees which household roles a person may
-- choose. No client reads this: it has every viewer's rows. It is no barrier, so that the planner
-- looks up the rows of the viewers whom the views below name.
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
    coalesce(u.full_name,
        CASE WHEN u.email_verified THEN regexp_replace(u.email, '@[^@]*$', '') END, 'Member')
        AS display_name,
    coalesce(m.created_at, m.added_at) AS created_at,
    greatest(m.updated_at, u.updated_at) AS updated_at,
    m.stands_in,
    -- app.is_resting_creator, which readers of the view may not call.
    m.is_creator AND m.status = 'active' AND NOT m.confides
        AND m.household_ceiling = CASE m.role WHEN 'player' THEN 'kid' ELSE 'adult' END
        AS is_resting_creator,
    -- The guardians of a managed member, the primary one first, each as one value, so that one
    -- query reads all that is shown of them: its user and its member (16 bytes each), since when
    -- (8, as a timestamptz is sent), and its name. Null of an account.
    CASE WHEN m.user_kind = 'managed' THEN ARRAY(
        SELECT uuid_send(w.guardian_user_id) || uuid_send(g.id) || timestamptz_send(w.since)
            || convert_to(coalesce(u.full_name, CASE WHEN u.email_verified
                THEN regexp_replace(u.email, '@[^@]*$', '') END, 'Member'), 'UTF8')
        FROM app.guardianships AS w
        JOIN app.family_members AS g
            ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
        JOIN app.users AS u ON u.id = w.guardian_user_id
        WHERE w.member_id = m.id
        ORDER BY w.guardian_user_id <> m.parent_user_id, w.since, w.slot)
    END AS guardians,
    -- The same as they are recorded, in no order, for who reads the guardians' own rows as well: of
    -- each the user (16 bytes), since when (8) and the slot (2).
    CASE WHEN m.user_kind = 'managed' THEN ARRAY(
        SELECT uuid_send(w.guardian_user_id) || timestamptz_send(w.since) || int2send(w.slot)
        FROM app.guardianships AS w WHERE w.member_id = m.id)
    END AS guardianships,
    -- The family's version, in the viewer's own row alone: what the entity tag of the list is made
    -- of, and no other statement has to look up.
    CASE WHEN m.user_id = me.user_id THEN v.version END AS family_version,
    CASE WHEN m.user_id = me.user_id THEN v.raised_at END AS family_raised_at,
    me.user_id AS viewer_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
JOIN app.users AS u ON u.id = m.user_id
LEFT JOIN app.family_versions AS v ON v.family_unit_id = me.family_unit_id
WHERE me.status = 'active'
    AND (m.status = 'active' OR me.governs OR (m.status = 'invited' AND me.stands_in));

-- What the subject sees of members and of people who wait.
CREATE OR REPLACE VIEW app.member_list WITH (security_barrier) AS
SELECT s.* FROM app.visible_members AS s
WHERE s.viewer_id = app.user_id() AND s.status <> 'removed';

-- What each caller of a batch sees of them.
CREATE OR REPLACE VIEW app.members_of_batch WITH (security_barrier) AS
SELECT c.place, s.*
FROM app.callers AS c JOIN app.visible_members AS s ON s.viewer_id = c.user_id
WHERE s.status <> 'removed';

-- Who was a member of the families that the account governs.
CREATE OR REPLACE VIEW app.former_member_list WITH (security_barrier) AS
SELECT s.* FROM app.visible_members AS s
WHERE s.viewer_id = app.account_id() AND s.status = 'removed';

ALTER VIEW app.visible_members OWNER TO hearth_authz;
ALTER VIEW app.member_list OWNER TO hearth_authz;
ALTER VIEW app.members_of_batch OWNER TO hearth_authz;
ALTER VIEW app.former_member_list OWNER TO hearth_authz;

-- A parent may have entered a player's name in advance: it fills only an empty name.
CREATE OR REPLACE FUNCTION app.fill_player_name(p_family uuid, p_user uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.users AS u
    SET full_name = app.normalised_name(f.player_details ->> 'playerName', 80)
    FROM app.family_units AS f
    WHERE f.id = p_family AND u.id = p_user AND u.full_name IS NULL
        AND app.normalised_name(f.player_details ->> 'playerName', 80) IS NOT NULL;
END;

-- Ends what nobody can answer once a family has no member any more: the requests of people who wait
-- for it, and its code if it approves who joins.
CREATE OR REPLACE FUNCTION app.close_if_empty(p_family uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active') THEN
        RETURN;
    END IF;
    PERFORM app.end_waiting_for(p_family);
    PERFORM app.retire_code(f.id, app.actor_id())
        FROM app.family_units AS f WHERE f.id = p_family AND f.approval_required;
END $$;

-- Ends a membership or a request to join; the caller's right was checked before. A person removed
-- by another is no longer vouched, and barred until somebody lets it in; a member who leaves keeps
-- its state. The second refusal of a request within a window blocks further ones. A moment in the
-- future, from a clock that was wrong, counts for nothing.
CREATE OR REPLACE FUNCTION app.end_membership(p_member app.family_members) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = app.actor_id(),
            vouched = m.is_creator
                OR (m.vouched AND m.user_id IS NOT DISTINCT FROM app.actor_id()),
            barred_at = CASE WHEN m.user_kind = 'account'
                AND m.user_id IS DISTINCT FROM app.actor_id() THEN now() ELSE m.barred_at END,
            rejected_at = CASE WHEN m.status = 'invited'
                AND m.user_id IS DISTINCT FROM app.actor_id() THEN now() ELSE m.rejected_at END,
            blocked_at = CASE WHEN m.status = 'invited'
                AND m.user_id IS DISTINCT FROM app.actor_id()
                AND m.rejected_at BETWEEN now() - app.rejections_window() AND now()
                THEN now() ELSE m.blocked_at END
        WHERE m.id = (p_member).id;
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.family_unit_id = (p_member).family_unit_id
            AND i.status = 'pending'
            AND (i.invited_by = (p_member).user_id
                 OR i.mailbox = (
                    SELECT u.mailbox FROM app.users AS u
                    WHERE u.id = (p_member).user_id AND u.email_verified))
        RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
    SELECT app.close_if_empty((p_member).family_unit_id);
END;

-- Whether the family's creator may remove a child: nobody answers for any of its guardians, and the
-- Parent Admin's seat is vacant. Otherwise somebody with a leaked code could fill the family with
-- children, and nobody could remove them or their guardian.
CREATE OR REPLACE FUNCTION app.creator_may_remove_child(p_child app.family_members) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p_child.active_guardian_id IS NOT NULL
        AND NOT app.seat_is_taken(p_child.family_unit_id)
        AND NOT EXISTS (
            SELECT FROM app.guardianships AS w JOIN app.family_members AS g
                ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
            WHERE w.member_id = p_child.id AND g.vouched);
$$;

-- When the creator removes a guardian: also removes the children who would have no guardian and are
-- left to the creator, in one step, so that the guardian can't add others in between.
CREATE OR REPLACE FUNCTION app.remove_children_of_creator(
    p_me app.family_members, p_guardian app.family_members) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_child app.family_members;
BEGIN
    FOR v_child IN
        SELECT m.* FROM app.family_members AS m
        WHERE m.family_unit_id = p_me.family_unit_id AND m.active_guardian_id = p_guardian.user_id
            AND app.next_guardian(m.id, p_guardian.user_id) IS NULL
            AND app.is_creator(p_me) AND app.creator_may_remove_child(m)
        ORDER BY m.id
    LOOP
        PERFORM app.end_membership(v_child);
        PERFORM app.record_audit('managed.remove', p_me.family_unit_id, v_child.user_id,
            v_child.id, '{"was": "active", "rotatedCode": false}');
    END LOOP;
END $$;

-- Ends a membership that others end, and hands over the children of a guardian. The calling
-- function decides who may.
CREATE OR REPLACE FUNCTION app.remove_from_family(
    p_target app.family_members, p_reassign_to uuid, p_rotate_code boolean
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.reassign_children_of(p_target, p_reassign_to);
    PERFORM app.end_membership(p_target);
    IF p_rotate_code THEN
        PERFORM app.replace_code(p_target.family_unit_id, NULL);
    END IF;
    PERFORM app.record_audit(
        CASE p_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
        p_target.family_unit_id, p_target.user_id, p_target.id,
        jsonb_build_object('was', p_target.status, 'rotatedCode', coalesce(p_rotate_code, false)));
END $$;

-- The admin removes anyone else; the creator anyone but the admin, and managed members only where
-- creator_may_remove_child; a primary guardian its children. Removing a waiting person rejects the
-- request, and is for whoever may approve it as well. Only the admin may use p_reassign_to, and can
-- thus act against a bad guardian. A guardian whose children are left to the creator goes together
-- with them.
--
-- Returns the member as it was. p_only_waiting: ends no membership, because the request may have
-- been approved a moment ago.
CREATE OR REPLACE FUNCTION app.remove_other_member(
    p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean)
RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_me, p_member);
BEGIN
    PERFORM app.require_consent_to(
        CASE v_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END);
    IF v_target.id = v_me.id THEN
        PERFORM app.refuse('HF400', 'oneself',
            'You cannot remove yourself from the family');
    END IF;
    PERFORM app.require_allowed(
        app.is_admin(v_me)
        OR (v_target.active_guardian_id = v_me.user_id AND app.is_adult(v_me))
        OR (app.is_creator(v_me) AND v_target.user_kind = 'account'
            AND NOT app.is_admin(v_target))
        OR (app.is_creator(v_me) AND app.creator_may_remove_child(v_target))
        OR (v_target.status = 'invited' AND app.may_admit(v_me)));
    PERFORM app.require_allowed(p_reassign_to IS NULL OR app.is_admin(v_me));
    PERFORM app.require_allowed(p_rotate_code IS NOT TRUE OR app.may_regenerate_code(v_me));
    IF p_only_waiting AND v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This request has been approved already.');
    END IF;
    PERFORM app.remove_children_of_creator(v_me, v_target);
    PERFORM app.remove_from_family(v_target, p_reassign_to, p_rotate_code);
    RETURN v_target;
END $$;

-- Tells by e-mail: a former member, that it was removed; whoever waited, that its request was
-- rejected.
CREATE OR REPLACE FUNCTION app.enqueue_removal_mail(p_was app.family_members) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_was.user_kind = 'account' THEN
        PERFORM app.enqueue_family_mail(
            CASE p_was.status WHEN 'invited' THEN 'mail.request_rejected'
                              ELSE 'mail.member_removed' END,
            p_was.family_unit_id, p_was.user_id);
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
    'Removes another member and tells it by e-mail; see the rule at remove_other_member.';

-- The account's membership or its request to join, under the lock of the family. Only a member, or
-- somebody who waits to be one, locks the family.
CREATE OR REPLACE FUNCTION app.lock_own_family_member(p_family uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_me app.family_members;
BEGIN
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
        PERFORM app.require_account();
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_me;
END $$;

-- Ends the account's membership or its request to join. The admin can't leave while another adult
-- could take over: transfer the seat first.
CREATE OR REPLACE FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.lock_own_family_member(p_family);
BEGIN
    IF app.is_admin(v_me) AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.active_adult_user_id IS NOT NULL
            AND m.id <> v_me.id) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'Make another adult Parent Admin before you leave.');
    END IF;
    PERFORM app.reassign_children_of(v_me, p_reassign_to);
    PERFORM app.end_membership(v_me);
    PERFORM app.record_audit('member.leave', p_family, v_me.user_id, v_me.id,
        jsonb_build_object('was', v_me.status));
END $$;

COMMENT ON FUNCTION app.leave_family(uuid, uuid) IS
    'Ends the caller''s own membership, or its waiting for one; '
    'its children go to the adult named.';

GRANT SELECT ON app.member_list, app.members_of_batch, app.former_member_list TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.remove_member(uuid, uuid, boolean, boolean), app.leave_family(uuid, uuid)
    TO hearth_api;
