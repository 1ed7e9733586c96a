-- Household roles, the right to change them, and the Parent Admin's seat.
--
-- A partial unique index enforces a single seat. A transfer vacates and fills it in one
-- transaction, so no reader finds two Parent Admins, or none.
--
-- A vacant seat must not go to a person with a leaked code, or to people invited by such a person.
-- An adult who created the family or is vouched for may claim it, and the creator (even as a
-- player) may give it to an adult. Another adult may claim it only if no active member has a prior
-- right: if no adult is vouched for, and the creator is gone, or others have made it a visitor or,
-- as a parent, a kid. A member with entered_after_key (0017_api_keys.sql) may not even then.
--
-- A blocked member is treated as absent (blocking.sql): its prior right is ignored, and its seat is
-- treated as vacant. It keeps the seat until somebody claims it.

CREATE OR REPLACE FUNCTION app.is_adult(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).active_adult_user_id IS NOT NULL;

-- Whether the member is the family's player, with an account of its own.
CREATE OR REPLACE FUNCTION app.is_player(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).confides AND (p_member).role = 'player';

CREATE OR REPLACE FUNCTION app.is_admin(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).status = 'active' AND (p_member).household_role = 'parent_admin';

CREATE OR REPLACE FUNCTION app.is_creator(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).confides AND (p_member).is_creator;

-- Whether the caller may admit people: the creator, the admin, and members who stand in for these
-- two while both are gone.
CREATE OR REPLACE FUNCTION app.may_admit(p_caller app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_caller).governs OR (p_caller).stands_in;

-- Whether the caller may renew the code: members who may admit people, and any player; not a parent
-- who merely joined.
CREATE OR REPLACE FUNCTION app.may_regenerate_code(p_caller app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN app.may_admit(p_caller) OR app.is_player(p_caller);

CREATE OR REPLACE FUNCTION app.rank_of_household_role(p_household_role text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_position(ARRAY['visitor', 'kid', 'adult', 'parent_admin'], p_household_role);

-- The lower of two household roles, which has fewer rights.
CREATE OR REPLACE FUNCTION app.lower_household_role(p_first text, p_second text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN app.rank_of_household_role(p_second) < app.rank_of_household_role(p_first) THEN p_second
    ELSE p_first
END;

-- The highest household role that a member may choose (its ceiling) after others gave it this role.
CREATE OR REPLACE FUNCTION app.ceiling_of_household_role(p_household_role text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE p_household_role WHEN 'parent_admin' THEN 'adult' ELSE p_household_role END;

CREATE OR REPLACE FUNCTION app.seat_is_taken(p_family uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND m.status = 'active'
        AND m.household_role = 'parent_admin' AND NOT app.is_blocked(m.user_id));

-- Whether another adult of the member's family could take over the seat.
CREATE OR REPLACE FUNCTION app.has_possible_successor(p_admin app.family_members) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = (p_admin).family_unit_id AND m.id <> (p_admin).id
        AND m.active_adult_user_id IS NOT NULL AND NOT app.is_blocked(m.user_id));

-- Whether the member is the family's creator and has chosen a lower household role for itself, and
-- nobody else has reduced its ceiling. The creator may then raise the role again at any time, and
-- the creator's rights stay reserved until then.
CREATE OR REPLACE FUNCTION app.creator_lowered_own_role(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_member).is_creator AND (p_member).status = 'active' AND NOT (p_member).confides
    AND (p_member).household_ceiling
        = CASE (p_member).role WHEN 'player' THEN 'kid' ELSE 'adult' END;

-- Whether the member has a prior right to the family's seat, vacant or not: the creator (even with
-- a lower role of its own choice), or a vouched adult.
CREATE OR REPLACE FUNCTION app.has_right_to_seat(p_member app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN ((p_member).is_creator AND (p_member).confides) OR app.creator_lowered_own_role(p_member)
    OR ((p_member).vouched AND (p_member).active_adult_user_id IS NOT NULL);

-- Whether an active member has a prior right to the family's seat.
CREATE OR REPLACE FUNCTION app.seat_is_reserved(p_family uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND app.has_right_to_seat(m)
        AND NOT app.is_blocked(m.user_id));

-- Returns every member of every family, and whether it should stand in for creator and Parent Admin
-- (0005_families_and_members.sql). A creator with a lower role of its own choice is not gone; a
-- blocked member is.
CREATE OR REPLACE FUNCTION app.expected_stand_ins()
RETURNS TABLE (id uuid, family_unit_id uuid, stands_in boolean)
LANGUAGE sql STABLE
BEGIN ATOMIC
SELECT o.id, o.family_unit_id,
    o.active_adult_user_id IS NOT NULL AND b.id IS NULL
        AND NOT bool_or(o.status = 'active' AND b.id IS NULL
            AND (o.household_role = 'parent_admin'
                 OR (o.is_creator AND o.confides) OR app.creator_lowered_own_role(o))) OVER f
        AND (o.vouched
             OR NOT (o.entered_after_key
                     OR bool_or(o.vouched AND o.active_adult_user_id IS NOT NULL
                                AND b.id IS NULL) OVER f))
        AS stands_in
FROM app.family_members AS o
LEFT JOIN app.users AS b ON b.id = o.user_id AND b.blocked_at IS NOT NULL
WINDOW f AS (PARTITION BY o.family_unit_id);
END;

-- Updates stands_in of the family's members to expected_stand_ins. Returns how many it has changed.
-- While the family has a Parent Admin, nobody is to stand in, so if nobody does, nothing changes.
CREATE OR REPLACE FUNCTION app.update_stand_ins_of(p_family uuid) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = p_family AND m.status = 'active'
            AND m.household_role = 'parent_admin' AND u.blocked_at IS NULL)
        AND NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = p_family AND m.stands_in) THEN
        RETURN 0;
    END IF;
    UPDATE app.family_members AS m SET stands_in = n.stands_in
        FROM app.expected_stand_ins() AS n
        WHERE n.family_unit_id = p_family AND m.id = n.id AND m.stands_in <> n.stands_in;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

-- Runs after every change of a column of a membership on which expected_stand_ins depends.
CREATE OR REPLACE FUNCTION app.update_stand_ins() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.update_stand_ins_of(NEW.family_unit_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER update_stand_ins_new AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION app.update_stand_ins();
CREATE OR REPLACE TRIGGER update_stand_ins_changed AFTER UPDATE ON app.family_members
    FOR EACH ROW
    WHEN ((NEW.status, NEW.role, NEW.household_role, NEW.household_ceiling, NEW.vouched,
           NEW.user_kind, NEW.entered_after_key) IS DISTINCT FROM
          (OLD.status, OLD.role, OLD.household_role, OLD.household_ceiling, OLD.vouched,
           OLD.user_kind, OLD.entered_after_key))
    EXECUTE FUNCTION app.update_stand_ins();

-- Whether p_caller may give the vacant seat to p_target, who must be an adult and not blocked. The
-- creator may give it to any such adult; others may only claim it for themselves, if they are
-- vouched for, or if no member has a prior right and they did not enter after a key.
CREATE OR REPLACE FUNCTION app.may_give_admin_seat(
    p_caller app.family_members, p_target app.family_members)
RETURNS boolean
LANGUAGE sql STABLE
RETURN app.is_adult(p_target) AND NOT app.is_blocked((p_target).user_id) AND CASE
    WHEN app.is_creator(p_caller) THEN true
    WHEN (p_caller).id <> (p_target).id THEN false
    ELSE (p_caller).vouched
        OR NOT ((p_caller).entered_after_key
                OR app.seat_is_reserved((p_caller).family_unit_id))
END;

-- Revokes those pending invitations of the member that it may no longer send: adults invite
-- anybody, players invite parents.
CREATE OR REPLACE FUNCTION app.revoke_invitations_beyond_rights(p_member uuid) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    SELECT app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_members AS m
        JOIN app.family_invitations AS i
            ON i.family_unit_id = m.family_unit_id AND i.invited_by = m.user_id
        WHERE m.id = p_member AND i.status = 'pending'
            AND (NOT m.confides OR (m.role = 'player' AND i.role = 'player'))));
END;

-- Refuses a change of a household role that p_caller may not make. The admin gives others adult,
-- kid or visitor, which is their ceiling from then on. Every account may choose for itself any
-- household role up to its ceiling, visitor included. The rules for the seat are at the top; a
-- member that claims a taken seat always gets the same refusal. Managed members stay kids.
CREATE OR REPLACE FUNCTION app.require_role_change(
    p_caller app.family_members, p_target app.family_members, p_household_role text
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_is_self constant boolean := p_target.id = p_caller.id;
BEGIN
    IF app.rank_of_household_role(p_household_role) IS NULL THEN
        PERFORM app.refuse_field('householdRole',
            'A household role is parent_admin, adult, kid or visitor.');
    END IF;
    PERFORM app.require_allowed(p_target.user_kind = 'account');
    IF p_target.status <> 'active' THEN
        PERFORM app.refuse('HF409', 'member_is_waiting', 'This person waits for approval.');
    END IF;
    IF p_household_role = 'parent_admin' AND NOT app.is_admin(p_target) THEN
        PERFORM app.require_allowed(p_caller.governs OR v_is_self);
        IF app.seat_is_taken(p_caller.family_unit_id) THEN
            PERFORM app.refuse('HF409', 'parent_admin_exists',
                'A Parent Admin already exists for this family.');
        END IF;
        PERFORM app.require_allowed(app.may_give_admin_seat(p_caller, p_target));
    ELSE
        PERFORM app.require_allowed(CASE WHEN v_is_self
            THEN app.is_admin(p_caller)
                OR app.rank_of_household_role(p_household_role)
                    <= app.rank_of_household_role(p_caller.household_ceiling)
            ELSE app.is_admin(p_caller) END);
    END IF;
END $$;

-- Makes a blocked Parent Admin of p_next's family an adult, so that a family never has two Parent
-- Admins. The calling function decides whether p_next gets the seat.
CREATE OR REPLACE FUNCTION app.vacate_seat_of_blocked(p_next app.family_members) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_former app.family_members;
BEGIN
    UPDATE app.family_members AS m SET household_role = 'adult'
        WHERE m.family_unit_id = p_next.family_unit_id AND m.id IS DISTINCT FROM p_next.id
            AND app.is_admin(m) AND app.is_blocked(m.user_id)
        RETURNING m.* INTO v_former;
    IF FOUND THEN
        PERFORM app.record_audit(
            'member.set_role', v_former.family_unit_id, v_former.user_id, v_former.id,
            jsonb_build_object('from', 'parent_admin', 'to', 'adult'));
    END IF;
END $$;

-- Enqueues an e-mail about the new Parent Admin of a family to each adult of the family who is not
-- blocked, the new Parent Admin included.
CREATE OR REPLACE FUNCTION app.enqueue_new_admin_mails(p_admin app.family_members) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.enqueue_family_mail(
            'mail.admin_changed', a.family_unit_id, a.user_id, p_admin.user_id)
        FROM app.family_members AS a
        WHERE a.family_unit_id = p_admin.family_unit_id AND a.active_adult_user_id IS NOT NULL
            AND NOT app.is_blocked(a.user_id);
END $$;

-- Changes a household role. If a guardian is demoted below adult, the adult p_reassign_to takes
-- over the children who have no other guardian. A Parent Admin whom the creator names is vouched
-- for from then on. Enqueues e-mails to a guardian who is replaced by another person's change, and
-- to the adults about a new Parent Admin.
--
-- p_changed_at: when the change was made, if not now; p_base_version: the family's version that its
-- author had read, null if unknown; p_is_late: whether the program has found that the role was
-- changed or confirmed after p_changed_at, and therefore requires no new guardian. If this is no
-- longer right, the program runs the transaction again.
--
-- Returns a row if there is a conflict with another person's change: which change was kept, the
-- author and time of the other person's change, and the household role that it gave.
CREATE OR REPLACE FUNCTION app.change_household_role(
    p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamptz,
    p_base_version bigint, p_is_late boolean)
RETURNS TABLE (kept text, by_member_id uuid, at timestamptz, household_role text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_caller, p_member);
    v_is_self constant boolean := v_target.id = v_caller.id;
    v_now constant timestamptz := clock_timestamp();
    v_changed_at constant timestamptz := least(coalesce(p_changed_at, v_now), v_now);
    v_last app.role_changes;
    v_is_late boolean;
    v_changed_by uuid;
BEGIN
    PERFORM app.require_consent_to('member.set_role');
    PERFORM app.require_role_change(v_caller, v_target, p_household_role);
    SELECT c.* INTO v_last FROM app.role_changes AS c WHERE c.member_id = v_target.id;
    v_is_late := coalesce(
        v_changed_at < v_now AND v_changed_at < app.role_last_requested_at(v_last), false);
    IF v_is_late <> p_is_late THEN
        RAISE EXCEPTION 'the household role was changed in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    -- A late change conflicts with the last change or confirmation of the role; any other change
    -- conflicts with the last change.
    v_changed_by := CASE WHEN v_is_late AND v_last.confirmed_at IS NOT NULL THEN v_last.confirmed_by
                 ELSE v_last.changed_by END;
    IF v_changed_by IS DISTINCT FROM v_caller.user_id
        AND v_target.household_role <> p_household_role
        AND (v_is_late OR app.is_unseen(v_last, p_base_version)) THEN
        RETURN QUERY SELECT CASE WHEN v_is_late THEN 'theirs' ELSE 'yours' END,
            (SELECT m.id FROM app.family_members AS m
             WHERE m.family_unit_id = v_caller.family_unit_id AND m.user_id = v_changed_by),
            CASE WHEN v_is_late THEN app.role_last_requested_at(v_last) ELSE v_last.changed_at END,
            v_target.household_role;
        IF NOT v_is_late THEN
            PERFORM app.record_role_conflict(v_caller, v_last, v_changed_at);
        END IF;
    END IF;
    IF v_is_late THEN
        RETURN;
    ELSIF v_target.household_role = p_household_role THEN
        PERFORM app.confirm_role(v_target, v_changed_at);
    END IF;
    IF app.rank_of_household_role(p_household_role) < app.rank_of_household_role('adult') THEN
        PERFORM app.hand_over_children(v_target, p_reassign_to);
    END IF;
    IF p_household_role = 'parent_admin' THEN
        PERFORM app.vacate_seat_of_blocked(v_target);
    END IF;
    PERFORM set_config('hearth.changed_at', v_changed_at::text, true);
    UPDATE app.family_members AS m SET household_role = p_household_role,
            household_ceiling = CASE WHEN v_is_self THEN m.household_ceiling
                                     ELSE app.ceiling_of_household_role(p_household_role) END,
            vouched = m.vouched OR (p_household_role = 'parent_admin' AND NOT v_is_self)
        WHERE m.id = v_target.id;
    PERFORM set_config('hearth.changed_at', '', true);
    IF p_household_role = 'parent_admin' AND NOT app.is_admin(v_target) THEN
        PERFORM app.enqueue_new_admin_mails(v_target);
    END IF;
    PERFORM app.revoke_invitations_beyond_rights(v_target.id);
    PERFORM app.record_audit(
        'member.set_role', v_caller.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

COMMENT ON FUNCTION app.change_household_role(uuid, text, uuid, timestamptz, bigint, boolean) IS
    'Changes a member''s household role, unless it was changed or confirmed after p_changed_at.';

-- Gives the Parent Admin's seat to another adult. The calling function checks the right.
CREATE OR REPLACE FUNCTION app.transfer_admin_seat(
    p_from app.family_members, p_to app.family_members)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF app.is_adult(p_to) IS NOT TRUE OR app.is_blocked(p_to.user_id) OR p_to.id = p_from.id THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    UPDATE app.family_members AS m SET household_role = 'adult' WHERE m.id = p_from.id;
    UPDATE app.family_members AS m SET household_role = 'parent_admin', vouched = true
        WHERE m.id = p_to.id;
    PERFORM app.record_audit('admin.transfer', p_from.family_unit_id, p_to.user_id, p_to.id,
        jsonb_build_object('from', p_from.id));
END $$;

CREATE OR REPLACE FUNCTION app.transfer_admin(p_family uuid, p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
    v_next app.family_members;
BEGIN
    PERFORM app.require_consent_to('admin.transfer');
    PERFORM app.require_allowed(app.is_admin(v_caller));
    v_next := app.member_in_family_of(v_caller, p_member);
    PERFORM app.transfer_admin_seat(v_caller, v_next);
    PERFORM app.enqueue_new_admin_mails(v_next);
END $$;

COMMENT ON FUNCTION app.transfer_admin(uuid, uuid) IS
    'Transfers the caller''s seat as Parent Admin to another adult, and enqueues e-mails to the '
    'adults.';

GRANT EXECUTE ON FUNCTION
    app.change_household_role(uuid, text, uuid, timestamptz, bigint, boolean),
    app.transfer_admin(uuid, uuid)
    TO hearth_api;
