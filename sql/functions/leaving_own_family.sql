-- Leaving the families in which an account lives alone (is the only active member), in order to
-- enter another family.
--
-- Apps create a family for everybody who opens them, and a player belongs to only one family. Such
-- a family must not keep the player out of the family that it should join. A player who is the only
-- active member of its family therefore leaves it by joining another: by a code, by an invitation,
-- or on approval if the request waits. Managed children are members, too.
--
-- An account has one role in all its families. An invitation gives it the other role only if it is
-- the only person in each of its families and nobody waits for approval to join them; it then
-- leaves all of them.
--
-- When the membership ends, the family's code and its pending invitations end as well, and so do
-- the requests of people who wait for approval; these people get an e-mail. The new family takes
-- over the details about the player, if it has none.
--
-- Lock order: the rows of all families in the order of their ids, then the account's.

-- Family in which the person is an active player, or null.
CREATE OR REPLACE FUNCTION app.player_family_of(p_user uuid) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT m.family_unit_id FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status = 'active' AND m.role = 'player');
END $$;

-- Locks the rows of families in the order of their ids, so that no two callers deadlock. Ignores
-- nulls.
CREATE OR REPLACE FUNCTION app.lock_families(p_families uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.family_units AS f WHERE f.id = ANY (p_families)
        ORDER BY f.id FOR NO KEY UPDATE;
END $$;

-- Returns the player's family, read again after the account's row was locked, so that the player
-- can't enter another one. p_seen is the family that was locked before. If the player has entered
-- another family since, raises serialization_failure, and the program runs the transaction again:
-- locking that family now, out of order, would lead to deadlocks between the devices of one player.
CREATE OR REPLACE FUNCTION app.locked_player_family(p_user uuid, p_seen uuid) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_family constant uuid := app.player_family_of(p_user);
BEGIN
    IF v_family IS NOT NULL AND v_family IS DISTINCT FROM p_seen THEN
        RAISE EXCEPTION 'the player has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN v_family;
END $$;

-- Whether the family has no other member and nobody else is waiting for approval to join it.
CREATE OR REPLACE FUNCTION app.is_only_person(p_family uuid, p_user uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN NOT EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND m.status <> 'removed' AND m.user_id <> p_user);

-- Whether an account may take the other role: it waits for approval to join no family other than
-- p_family, and app.is_only_person is true for each of its own families.
CREATE OR REPLACE FUNCTION app.may_switch_role(p_user uuid, p_family uuid) RETURNS boolean
LANGUAGE sql STABLE
RETURN NOT EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.user_id = p_user AND m.status <> 'removed'
        AND m.family_unit_id IS DISTINCT FROM p_family
        AND NOT (m.status = 'active' AND app.is_only_person(m.family_unit_id, p_user)));

-- Families that an account leaves when it enters another one in a role: a player leaves its own,
-- and an account that takes the other role leaves all of its own.
CREATE OR REPLACE FUNCTION app.families_to_leave(p_user uuid, p_role text) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN ARRAY(
        SELECT m.family_unit_id FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE u.id = p_user AND m.status = 'active' AND (p_role = 'player' OR u.role <> p_role)
        ORDER BY m.family_unit_id);
END $$;

-- Returns the families to leave, read again after the account's row was locked, so that the account
-- can't enter another one. p_seen holds the families that were locked before. If there are others,
-- raises serialization_failure, and the program runs the transaction again: locking them now, out
-- of order, would lead to deadlocks between the devices of one account.
CREATE OR REPLACE FUNCTION app.locked_families_to_leave(
    p_user uuid, p_role text, p_seen uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_families constant uuid[] := app.families_to_leave(p_user, p_role);
BEGIN
    IF NOT v_families <@ p_seen THEN
        RAISE EXCEPTION 'the account has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN v_families;
END $$;

-- Whether no other person is an active member of the family. Also true if p_family is null.
CREATE OR REPLACE FUNCTION app.is_only_active_member(p_family uuid, p_user uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active' AND m.user_id <> p_user);
END $$;

-- The names of families, in the order of the ids.
CREATE OR REPLACE FUNCTION app.names_of_families(p_families uuid[]) RETURNS text[]
LANGUAGE sql STABLE SET search_path = ''
RETURN ARRAY(
    SELECT f.family_name FROM unnest(p_families) WITH ORDINALITY AS o (id, place)
    JOIN app.family_units AS f ON f.id = o.id ORDER BY o.place);

-- Ends the requests of people who wait to join a family that has no members any more, and enqueues
-- an e-mail to each. Nobody has rejected them: they may ask again once the family has members.
CREATE OR REPLACE FUNCTION app.end_join_requests(p_family uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_waiting record;
BEGIN
    FOR v_waiting IN
        UPDATE app.family_members AS m
            SET status = 'removed', removed_at = now(), removed_by = m.user_id
            WHERE m.family_unit_id = p_family AND m.status = 'invited'
            RETURNING m.id, m.user_id
    LOOP
        PERFORM app.record_audit('member.remove', p_family, v_waiting.user_id, v_waiting.id,
            '{"was": "invited"}');
        PERFORM app.enqueue_family_mail('mail.waiting_ended', p_family, v_waiting.user_id);
    END LOOP;
END $$;

-- Removes an account from the family in which it lives alone. The caller has locked the account and
-- both families. p_role is the role in which the account enters the other family. Player details
-- are copied only if the account is the player of both families: the details of a parent's family
-- are about somebody else.
CREATE OR REPLACE FUNCTION app.leave_own_family(p_family uuid, p_user uuid, p_to uuid, p_role text)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_member uuid;
    v_role text;
BEGIN
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = p_user
        WHERE m.family_unit_id = p_family AND m.user_id = p_user AND m.status = 'active'
        RETURNING m.id, m.role INTO v_member, v_role;
    PERFORM app.end_join_requests(p_family);
    PERFORM app.retire_code(p_family, p_user);
    PERFORM app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.family_unit_id = p_family AND i.status = 'pending'));
    IF p_role = 'player' AND v_role = 'player' THEN
        UPDATE app.family_units AS t SET player_details = f.player_details
            FROM app.family_units AS f
            WHERE f.id = p_family AND f.player_details <> '{}'
                AND t.id = p_to AND t.player_details = '{}';
    END IF;
    PERFORM app.record_audit('member.leave', p_family, p_user, v_member,
        jsonb_build_object('was', 'active', 'gaveWayTo', p_to));
END $$;

-- Removes an account from all families that it leaves; returns the last of them, or null. The
-- caller has locked the account and these families.
CREATE OR REPLACE FUNCTION app.leave_own_families(
    p_families uuid[], p_user uuid, p_to uuid, p_role text) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_family uuid;
BEGIN
    FOREACH v_family IN ARRAY p_families LOOP
        PERFORM app.leave_own_family(v_family, p_user, p_to, p_role);
    END LOOP;
    RETURN v_family;
END $$;
