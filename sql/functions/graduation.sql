-- Graduation: a child without an account gets one of its own. Its primary guardian invites it, and
-- the account that accepts becomes the member.
--
-- The invitation is one of the family's, of the kind `graduation`: it is revoked, declined and
-- expires like the others (sending_invitations.sql, answering_invitations.sql). Only the child's
-- primary guardian may send it again, because whoever holds the link may become the child and read
-- its preferences. It ends with the child's membership.
--
-- In one transaction the membership gets the account as its user, the guardianships end, and the
-- managed user becomes an alias without a name. Apart from its user, its roles and whether it is
-- vouched for, the membership stays: its id, slot, date, preferences, consents and audit log.
--
-- Lock order: the rows of all families concerned by id, then the account's.

-- The families in which the account is an active member.
CREATE OR REPLACE FUNCTION app.families_of(p_user uuid) RETURNS uuid[]
LANGUAGE sql STABLE
RETURN ARRAY(
    SELECT m.family_unit_id FROM app.family_members AS m
    WHERE m.user_id = p_user AND m.status = 'active' ORDER BY m.family_unit_id);

-- Returns 'member' or 'graduation'; null if there is no such invitation.
CREATE OR REPLACE FUNCTION app.kind_of_invitation(p_invitation uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN (SELECT i.kind FROM app.family_invitations AS i WHERE i.id = p_invitation);
END $$;

COMMENT ON FUNCTION app.kind_of_invitation(uuid) IS
    'Whether an invitation is for a new member or for a child that gets an account.';

-- Refuses an invitation with impossible values, or to an address that belongs to a member or has
-- another pending invitation of the family.
CREATE OR REPLACE FUNCTION app.require_graduation_form(
    p_child app.family_members, p_given text, p_email text, p_role text, p_household_role text,
    p_delivery text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_role IS NULL OR p_role NOT IN ('player', 'parent') THEN
        PERFORM app.refuse_field('role', 'A role is player or parent.');
    ELSIF (p_role = 'player') IS DISTINCT FROM (p_household_role = 'kid')
        OR (p_role = 'parent') IS DISTINCT FROM (p_household_role = 'adult') THEN
        PERFORM app.refuse_field('householdRole', 'A player is a kid, a parent an adult.');
    ELSIF p_delivery IS NULL OR p_delivery NOT IN ('email', 'link') THEN
        PERFORM app.refuse_field('delivery', 'Delivery is email or link.');
    ELSIF (p_delivery = 'email') <> (app.mailbox_of(p_email) IS NOT NULL)
        OR (p_delivery = 'link' AND p_given IS NOT NULL) THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    ELSIF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = p_child.family_unit_id AND m.status = 'active'
            AND u.mailbox = app.mailbox_of(p_email)) THEN
        PERFORM app.refuse('HF409', 'person_already_member',
            'This person is already a member of your family');
    ELSIF EXISTS (
        SELECT FROM app.family_invitations AS i
        WHERE i.family_unit_id = p_child.family_unit_id AND i.mailbox = app.mailbox_of(p_email)
            AND i.status = 'pending' AND i.graduate_id IS DISTINCT FROM p_child.id) THEN
        PERFORM app.refuse('HF409', 'already_invited', 'This person has been invited already.');
    END IF;
END $$;

-- Creates the child's invitation, or renews it with all given values. If the invitation is new, the
-- other guardians get an e-mail about it.
CREATE OR REPLACE FUNCTION app.issue_graduation(
    p_child app.family_members, p_inviter app.family_members, p_email text, p_role text,
    p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_email constant text := app.normalised_email(p_email);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        WHERE i.family_unit_id = p_child.family_unit_id AND i.status = 'pending'
            AND i.expires_at <= now()
            AND (i.graduate_id = p_child.id OR i.mailbox = app.mailbox_of(v_email));
    PERFORM app.require_graduation_form(
        p_child, p_email, v_email, p_role, p_household_role, p_delivery);
    UPDATE app.family_invitations AS i SET
            invited_by = p_inviter.user_id, vouched = p_inviter.vouched,
            invited_email = v_email, delivery = p_delivery, role = p_role,
            household_role = p_household_role, generation = i.generation + 1,
            expires_at = DEFAULT, sent_count = i.sent_count + 1, last_sent_at = now()
        WHERE i.graduate_id = p_child.id AND i.status = 'pending'
        RETURNING i.id, i.generation, i.expires_at, true
        INTO invitation_id, generation, expires_at, renewed;
    IF NOT FOUND THEN
        INSERT INTO app.family_invitations AS i
                (family_unit_id, invited_by, invited_email, kind, graduate_id, role,
                 household_role, delivery, vouched, sent_count, last_sent_at)
            VALUES (p_child.family_unit_id, p_inviter.user_id, v_email, 'graduation', p_child.id,
                    p_role, p_household_role, p_delivery, p_inviter.vouched, 1, now())
            RETURNING i.id, i.generation, i.expires_at, false
            INTO invitation_id, generation, expires_at, renewed;
        PERFORM app.enqueue_family_mail('mail.graduation_started', p_child.family_unit_id,
                w.guardian_user_id, p_child.id)
            FROM app.guardianships AS w
            WHERE w.member_id = p_child.id
                AND w.guardian_user_id IS DISTINCT FROM app.account_id()
            ORDER BY w.slot;
    END IF;
    PERFORM app.record_audit('managed.graduate', p_child.family_unit_id, p_child.user_id,
        invitation_id, jsonb_build_object('role', p_role, 'householdRole', p_household_role,
            'delivery', p_delivery));
    RETURN NEXT;
END $$;

-- The child's primary guardian may call this function. A call is counted as an invitation that the
-- guardian makes.
CREATE OR REPLACE FUNCTION app.start_graduation(
    p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_primarily_guarded_child(p_member);
    v_caller app.family_members;
BEGIN
    PERFORM app.require_consent_to('managed.graduate');
    SELECT m.* INTO v_caller FROM app.family_members AS m
        WHERE m.family_unit_id = v_child.family_unit_id AND m.user_id = app.account_id();
    PERFORM app.count_invitation(v_caller.user_id);
    RETURN QUERY SELECT i.* FROM app.issue_graduation(
        v_child, v_caller, p_email, p_role, p_household_role, p_delivery) AS i;
END $$;

COMMENT ON FUNCTION app.start_graduation(uuid, text, text, text, text) IS
    'Invites a child of the caller to get an account; the caller must store the invitation''s '
    'secret next.';

-- The reason why the account can't become the child; null if it can. It must be neither a member
-- nor the creator of the family, belong to no family with others, and not wait for approval to join
-- another family in the other role. Returns an outcome of join_by_invitation, or refuses with
-- not_the_graduate.
CREATE OR REPLACE FUNCTION app.graduation_refusal(
    p_former app.family_members, p_family uuid, p_role text, p_own_families uuid[], p_account uuid)
RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_player constant uuid := app.player_family_of(p_account);
BEGIN
    IF p_former.status = 'active' OR EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = p_family AND f.created_by_user_id = p_account) THEN
        PERFORM app.refuse('HF409', 'not_the_graduate',
            'This account is a member of the family, or created it.');
    ELSIF NOT app.is_only_active_member(v_player, p_account) THEN
        RETURN 'player_has_family';
    ELSIF EXISTS (
        SELECT FROM unnest(p_own_families) AS o (id)
        WHERE NOT app.is_only_active_member(o.id, p_account)) THEN
        PERFORM app.refuse('HF409', 'not_the_graduate',
            'This account belongs to another family.');
    ELSIF EXISTS (
        SELECT FROM app.users AS u JOIN app.family_members AS m ON m.user_id = u.id
        WHERE u.id = p_account AND u.role <> p_role AND m.status = 'invited'
            AND m.family_unit_id <> p_family) THEN
        RETURN 'role_mismatch';
    END IF;
    RETURN NULL;
END $$;

-- Makes the account the user of the child's membership. The caller has locked the family and the
-- account.
CREATE OR REPLACE FUNCTION app.become_member(
    p_child app.family_members, p_account uuid, p_role text, p_household_role text,
    p_vouched boolean) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_child app.users;
BEGIN
    -- The account's own ended or waiting membership in the family is obsolete: it is this member
    -- now.
    DELETE FROM app.family_members AS m
        WHERE m.family_unit_id = p_child.family_unit_id AND m.user_id = p_account
            AND m.status <> 'active';
    SELECT u.* INTO v_child FROM app.users AS u WHERE u.id = p_child.user_id FOR UPDATE;
    UPDATE app.users AS u SET
            role = p_role, role_is_default = false,
            full_name = coalesce(u.full_name, v_child.full_name),
            avatar_key = coalesce(u.avatar_key, v_child.avatar_key)
        WHERE u.id = p_account;
    INSERT INTO app.user_aliases (alias_id, account_id) VALUES (v_child.id, p_account);
    UPDATE app.users AS u SET full_name = NULL, avatar_key = NULL, deleted_at = now()
        WHERE u.id = v_child.id;
    UPDATE app.family_members AS m SET
            user_id = p_account, user_kind = 'account', parent_user_id = NULL, role = p_role,
            household_role = p_household_role,
            household_ceiling = app.ceiling_of_household_role(p_household_role),
            vouched = p_vouched OR m.joined_via = 'operator'
        WHERE m.id = p_child.id;
END $$;

-- Accepts a graduation. Rows and outcomes are those of join_by_invitation.
CREATE OR REPLACE FUNCTION app.graduate(p_token_hash bytea, p_invitation uuid)
RETURNS TABLE (
    outcome text, family_unit_id uuid, member_id uuid, left_family_id uuid, own_family_id uuid,
    own_family_name text, invited_role text)
LANGUAGE plpgsql SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_account constant uuid := app.require_account();
    v_own_families constant uuid[] := app.families_of(v_account);
    v_seen constant uuid := app.invitation_to_answer(p_token_hash, p_invitation);
    v_invitation app.family_invitations;
    v_child app.family_members;
    v_former app.family_members;
    v_household_role text;
BEGIN
    PERFORM app.lock_families(v_own_families || (
        SELECT i.family_unit_id FROM app.family_invitations AS i WHERE i.id = v_seen));
    v_invitation := app.locked_invitation(v_seen, p_token_hash, p_invitation);
    family_unit_id := v_invitation.family_unit_id;
    invited_role := v_invitation.role;
    SELECT m.* INTO v_child FROM app.family_members AS m WHERE m.id = v_invitation.graduate_id;
    member_id := v_child.id;
    IF v_invitation.status = 'accepted' AND v_child.user_id = v_account
        AND v_child.status = 'active' THEN
        outcome := 'already_accepted';
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM app.lock_account(v_account);
    IF NOT app.families_of(v_account) <@ v_own_families THEN
        RAISE EXCEPTION 'the account has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    SELECT m.* INTO v_former FROM app.family_members AS m
        WHERE m.family_unit_id = v_child.family_unit_id AND m.user_id = v_account;
    outcome := app.graduation_refusal(
        v_former, v_child.family_unit_id, v_invitation.role, v_own_families, v_account);
    IF outcome IS NOT NULL THEN
        SELECT f.id, f.family_name INTO own_family_id, own_family_name
            FROM app.family_units AS f
            WHERE outcome = 'player_has_family' AND f.id = app.player_family_of(v_account);
        RETURN NEXT;
        RETURN;
    END IF;
    v_household_role := app.initial_household_role(v_invitation, v_former);
    UPDATE app.family_invitations AS i SET
            status = 'accepted', accepted_at = now(), accepted_by = v_account, closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND OR v_child.active_guardian_id IS NULL THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    END IF;
    left_family_id := app.leave_own_families(
        app.families_of(v_account), v_account, v_child.family_unit_id, v_invitation.role);
    PERFORM app.enqueue_family_mail('mail.graduated', v_child.family_unit_id, w.guardian_user_id,
            v_child.id)
        FROM app.guardianships AS w WHERE w.member_id = v_child.id ORDER BY w.slot;
    PERFORM app.become_member(
        v_child, v_account, v_invitation.role, v_household_role, v_invitation.vouched);
    outcome := 'joined';
    PERFORM app.record_audit('invitation.accept', v_child.family_unit_id, v_account,
        v_invitation.id, jsonb_build_object('outcome', 'graduated', 'memberId', v_child.id));
    RETURN NEXT;
END $$;

-- For operators, on behalf of the child's primary guardian.
CREATE OR REPLACE FUNCTION app.operator_start_graduation(
    p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.lock_child_for_operator(p_member);
    v_guardian app.family_members;
BEGIN
    SELECT m.* INTO v_guardian FROM app.family_members AS m
        WHERE m.family_unit_id = v_child.family_unit_id
            AND m.user_id = app.acting_primary_guardian(v_child);
    RETURN QUERY SELECT i.* FROM app.issue_graduation(
        v_child, v_guardian, p_email, p_role, p_household_role, p_delivery) AS i;
END $$;

COMMENT ON FUNCTION app.operator_start_graduation(uuid, text, text, text, text) IS
    'Invites a child to get an account of its own, on behalf of its primary guardian.';

GRANT EXECUTE ON FUNCTION app.start_graduation(uuid, text, text, text, text) TO hearth_api;
GRANT EXECUTE ON FUNCTION app.kind_of_invitation(uuid) TO hearth_api, hearth_worker;
GRANT EXECUTE ON FUNCTION app.operator_start_graduation(uuid, text, text, text, text)
    TO hearth_admin;
