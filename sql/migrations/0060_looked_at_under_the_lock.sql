-- What was read before a lock is looked at again once it is held.
--
-- A link that a resend or a second invitation had killed let its holder in all the same, if the
-- acceptance was waiting for the family's lock while that was done: which invitation a token leads
-- to was read before, and believed after. The same with accounts that were erased while they joined
-- or made a family, with families that an account joined while it was being erased, with
-- invitations that a direct client deleted while they were revoked or sent again, and with faults
-- that were mended by others before the repair.
--
-- The rule, for every function: lock first, then read; what had to be read to know what to lock is
-- read again under the lock. The order of locks is the family's row, then users, then the rest.
-- Where another takes a row's own lock alone (a direct DELETE, the jobs that expire), the change
-- itself names the state that it needs and looks whether it has changed a row.
--
-- Locks: those of CREATE OR REPLACE FUNCTION, for an instant.

-- The invitation that the account is about to answer: by its token, or by its id where it is
-- addressed to the account.
CREATE FUNCTION app.invitation_to_answer(p_token_hash bytea, p_invitation uuid) RETURNS uuid
LANGUAGE sql STABLE
RETURN CASE WHEN p_token_hash IS NULL THEN app.invitation_to_account(p_invitation)
            ELSE app.invitation_of_token(p_token_hash) END;

REVOKE ALL ON FUNCTION app.invitation_to_answer(bytea, uuid) FROM PUBLIC;

-- Locks and checks it. Under the lock the token may lead nowhere any more.
CREATE FUNCTION app.open_invitation(p_token_hash bytea, p_invitation uuid)
RETURNS app.family_invitations
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_id constant uuid := app.invitation_to_answer(p_token_hash, p_invitation);
    v_invitation app.family_invitations;
    v_state text;
BEGIN
    PERFORM FROM app.family_invitations AS i JOIN app.family_units AS f ON f.id = i.family_unit_id
        WHERE i.id = v_id FOR NO KEY UPDATE OF f;
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = v_id AND i.id = app.invitation_to_answer(p_token_hash, p_invitation);
    v_state := app.state_of_invitation(v_invitation);
    IF v_state = 'absent' THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    ELSIF v_state = 'expired' THEN
        PERFORM app.refuse('HF410', 'invitation_expired', 'This invitation has expired.');
    ELSIF v_state <> 'pending' AND v_invitation.accepted_by IS DISTINCT FROM v_account THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    ELSIF v_state = 'pending' AND v_invitation.delivery = 'email' AND NOT EXISTS (
        SELECT FROM app.users AS u
        WHERE u.id = v_account AND u.email_verified AND u.email = v_invitation.invited_email) THEN
        PERFORM app.refuse('HF403', 'invitation_for_other_email',
            'This invite was sent to a different email address. '
            'Please sign in with the account that received the invite.');
    END IF;
    RETURN v_invitation;
END $$;

REVOKE ALL ON FUNCTION app.open_invitation(bytea, uuid) FROM PUBLIC;

CREATE OR REPLACE FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid)
RETURNS TABLE (outcome text, family_unit_id uuid, member_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_invitation constant app.family_invitations :=
        app.open_invitation(p_token_hash, p_invitation);
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

CREATE OR REPLACE FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations :=
        app.open_invitation(p_token_hash, p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'declined', closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    END IF;
    PERFORM app.record_audit('invitation.decline', v_invitation.family_unit_id, app.account_id(),
        v_invitation.id);
END $$;

DROP FUNCTION app.open_invitation(uuid);

-- Nobody is seated whose account was erased while it waited for its lock.
CREATE OR REPLACE FUNCTION app.seat_person(p_family uuid, p_user uuid, p_role text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = p_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    ELSIF p_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    ELSIF app.lowest_free_slot(p_family) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF409', CONSTRAINT = 'family_full',
            MESSAGE = 'This family is full.',
            DETAIL = (SELECT f.member_limit FROM app.family_units AS f WHERE f.id = p_family);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.join_by_code(p_code text, p_address text, p_network text)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family_id uuid;
    v_family app.family_units;
    v_role text;
    v_was app.family_members;
BEGIN
    SELECT l.refusal, l.family_id INTO outcome, v_family_id
        FROM app.lock_family_of_code(p_code) AS l;
    IF outcome IS NULL THEN
        SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = v_family_id;
        SELECT u.role INTO v_role FROM app.users AS u
            WHERE u.id = v_account AND u.deleted_at IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN
            PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
        END IF;
        SELECT m.* INTO v_was FROM app.family_members AS m
            WHERE m.family_unit_id = v_family.id AND m.user_id = v_account;
        IF v_was.role = 'parent' AND v_was.household_role IN ('kid', 'visitor') THEN
            v_role := v_was.role;
        END IF;
        outcome := CASE
            WHEN v_was.status = 'active' THEN 'already_member'
            WHEN v_was.status = 'removed' AND v_was.removed_by IS DISTINCT FROM v_account
                THEN 'removed_from_family'
            WHEN v_role = 'player' AND EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player')
                THEN 'player_has_family'
            WHEN v_family.approval_required AND v_was.status IS DISTINCT FROM 'invited'
                AND (SELECT count(*) FROM app.family_members AS m
                     WHERE m.family_unit_id = v_family.id AND m.status = 'invited')
                    >= app.waiting_limit()
                THEN 'family_full'
            WHEN v_family.approval_required THEN 'waiting'
            WHEN app.lowest_free_slot(v_family.id) IS NULL THEN 'family_full'
            ELSE 'joined'
        END;
        family_unit_id := v_family_id;
        family_name := v_family.family_name;
        member_limit := v_family.member_limit;
        member_id := v_was.id;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    END IF;

    IF outcome IN ('joined', 'waiting') THEN
        INSERT INTO app.family_members AS m
                (family_unit_id, user_id, role, household_role, status, joined_via)
            VALUES (v_family.id, v_account, v_role,
                    CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END,
                    CASE outcome WHEN 'joined' THEN 'active' ELSE 'invited' END, 'code')
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role,
                household_role = app.lower_standing(m.household_role, excluded.household_role),
                status = excluded.status, joined_via = 'code', added_at = now(),
                removed_at = NULL, removed_by = NULL
            RETURNING m.id INTO member_id;
        IF outcome = 'joined' AND v_role = 'player' THEN
            PERFORM app.fill_player_name(v_family.id, v_account);
        END IF;
        PERFORM app.record_audit('code.join', v_family.id, v_account, member_id,
            jsonb_build_object('outcome', outcome));
    END IF;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_family_id, v_account,
                CASE WHEN outcome IN ('joined', 'waiting') THEN 'joined' ELSE 'rejected' END);
    RETURN NEXT;
END $$;

CREATE OR REPLACE FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean)
RETURNS TABLE (family_unit_id uuid, family_name text, family_code text,
               code_generated_at timestamptz, existed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_role text;
    v_family uuid;
    v_member uuid;
BEGIN
    IF p_role NOT IN ('player', 'parent') THEN
        PERFORM app.refuse('HF400', 'role_unknown', 'A role is player or parent.');
    END IF;
    SELECT coalesce(p_role, u.role) INTO v_role
        FROM app.users AS u WHERE u.id = v_account AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    END IF;
    v_family := app.first_family_of(v_account);

    IF v_family IS NOT NULL AND NOT p_always_new THEN
        RETURN QUERY SELECT l.family_unit_id, l.family_name, l.family_code, l.code_generated_at,
                true
            FROM app.my_family_list AS l WHERE l.family_unit_id = v_family;
        RETURN;
    END IF;
    IF v_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    -- The side that is chosen for a first family becomes the account's own.
    IF v_family IS NULL THEN
        UPDATE app.users AS u SET role = v_role WHERE u.id = v_account AND u.role <> v_role;
    END IF;

    INSERT INTO app.family_units AS f (created_by_user_id, family_name, emptied_at)
        VALUES (v_account, coalesce(p_family_name, 'My Family'), NULL)
        RETURNING f.id, f.family_name, f.family_code, f.code_generated_at
        INTO create_family.family_unit_id, create_family.family_name, create_family.family_code,
             create_family.code_generated_at;
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (create_family.family_unit_id, v_account, v_role,
                CASE v_role WHEN 'parent' THEN 'parent_admin' ELSE 'kid' END, 'created')
        RETURNING m.id INTO v_member;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (create_family.family_unit_id, v_account, 'generated');
    PERFORM app.record_audit('family.create', create_family.family_unit_id, v_account,
        create_family.family_unit_id, jsonb_build_object('role', v_role));
    existed := false;
    RETURN NEXT;
END $$;

-- The same for a family made by an INSERT.
CREATE OR REPLACE FUNCTION app.limit_families_created() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = NEW.created_by_user_id AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF401', 'not_signed_in', 'Nobody is signed in.');
    ELSIF (SELECT count(*) FROM app.family_units AS f
        WHERE f.created_by_user_id = NEW.created_by_user_id) > 5 THEN
        PERFORM app.refuse('HF409', 'too_many_families', 'At most 5 families per account.');
    END IF;
    RETURN NULL;
END $$;

-- And for who enters one by an INSERT. It raises nothing, being ahead of the policy's check:
-- without a kind the row is refused after it. The family's row is locked first, by the look for a
-- seat.
CREATE OR REPLACE FUNCTION app.seat_new_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.slot := CASE WHEN NEW.status = 'active' THEN app.lowest_free_slot(NEW.family_unit_id) END;
    NEW.is_creator := EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = NEW.family_unit_id AND f.created_by_user_id = NEW.user_id);
    SELECT u.kind INTO NEW.user_kind FROM app.users AS u
        WHERE u.id = NEW.user_id AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NEW.household_role IS NULL THEN
        NEW.household_role := CASE
            WHEN NEW.role = 'player' THEN 'kid'
            WHEN NEW.joined_via = 'created' AND NEW.is_creator THEN 'parent_admin'
            ELSE 'adult'
        END;
    END IF;
    NEW.vouched := NEW.user_kind = 'account'
        AND (NEW.vouched OR NEW.is_creator OR NEW.joined_via = 'operator');
    RETURN NEW;
END $$;

-- An account can join a family until its own row is locked: then the families are gone through
-- again.
CREATE OR REPLACE FUNCTION app.erase_user(p_user uuid, p_heirs uuid[])
RETURNS TABLE (memberships integer, sign_ins integer, invitations integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user app.users;
    v_member app.family_members;
BEGIN
    PERFORM app.require_operator();
    PERFORM FROM app.family_units AS f
        WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                       WHERE m.user_id = p_user)
        ORDER BY f.id FOR NO KEY UPDATE;
    DELETE FROM app.user_identities AS i WHERE i.user_id = p_user;
    GET DIAGNOSTICS sign_ins = ROW_COUNT;
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = p_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'user_not_found',
            'There is no such person, or what was known of it is erased already.');
    END IF;
    -- Out of order for those that are new: who meets a deadlock here is told to try again.
    PERFORM FROM app.family_units AS f
        WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                       WHERE m.user_id = p_user)
        ORDER BY f.id FOR NO KEY UPDATE;

    memberships := 0;
    FOR v_member IN
        SELECT m.* FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status <> 'removed' ORDER BY m.family_unit_id
    LOOP
        PERFORM app.hand_over_wards(v_member, (
            SELECT h.id FROM app.family_members AS h
            WHERE h.id = ANY (p_heirs) AND h.family_unit_id = v_member.family_unit_id
            ORDER BY h.id LIMIT 1));
        PERFORM app.end_membership(v_member);
        PERFORM app.record_audit(
            CASE v_user.kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
            v_member.family_unit_id, p_user, v_member.id, '{"erased": true}');
        memberships := memberships + 1;
    END LOOP;

    invitations := app.erase_invitations_of(v_user);
    PERFORM app.erase_traces_of(v_user);
    UPDATE app.users AS u SET full_name = NULL, email = NULL, email_verified = false,
            avatar_key = NULL, avatar_url = NULL, deleted_at = now()
        WHERE u.id = p_user;
    PERFORM app.record_audit('user.erase', NULL, p_user, p_user, jsonb_build_object(
        'memberships', memberships, 'signIns', sign_ins, 'invitations', invitations));
    RETURN NEXT;
END $$;

-- What was deleted or has expired meanwhile is neither sent again nor revoked.
CREATE OR REPLACE FUNCTION app.resend_invitation(p_invitation uuid)
RETURNS TABLE (generation integer, expires_at timestamptz, delivery text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.enter_family_of_invitation(p_invitation);
    v_wait constant integer := ceil(extract(
        epoch FROM v_invitation.last_sent_at + interval '1 minute' - now()));
BEGIN
    IF v_wait > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'invitation_just_sent',
            MESSAGE = 'This invitation was sent a moment ago.', DETAIL = v_wait;
    END IF;
    UPDATE app.family_invitations AS i SET
            generation = i.generation + 1, expires_at = now() + interval '7 days',
            sent_count = i.sent_count + 1, last_sent_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending'
        RETURNING i.generation, i.expires_at, i.delivery
        INTO resend_invitation.generation, resend_invitation.expires_at,
             resend_invitation.delivery;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    PERFORM app.record_audit('invitation.resend', v_invitation.family_unit_id, app.account_id(),
        p_invitation);
    RETURN NEXT;
END $$;

CREATE OR REPLACE FUNCTION app.revoke_invitation(p_invitation uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.enter_family_of_invitation(p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = p_invitation;
    PERFORM app.record_audit('invitation.revoke', v_invitation.family_unit_id, app.account_id(),
        p_invitation);
END $$;

CREATE OR REPLACE FUNCTION app.operator_resend_invitation(p_invitation uuid)
RETURNS TABLE (generation integer, expires_at timestamptz, delivery text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.operate_on_invitation(p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET
            generation = i.generation + 1, expires_at = now() + interval '7 days',
            sent_count = i.sent_count + 1, last_sent_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending'
        RETURNING i.generation, i.expires_at, i.delivery
        INTO operator_resend_invitation.generation, operator_resend_invitation.expires_at,
             operator_resend_invitation.delivery;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    PERFORM app.record_audit('invitation.resend', v_invitation.family_unit_id, NULL, p_invitation);
    RETURN NEXT;
END $$;

CREATE OR REPLACE FUNCTION app.operator_revoke_invitation(p_invitation uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.operate_on_invitation(p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = p_invitation;
    PERFORM app.record_audit('invitation.revoke', v_invitation.family_unit_id, NULL, p_invitation);
END $$;

-- What an operator was told is wrong is mended only if it still is.
CREATE OR REPLACE FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family app.family_units;
    v_count integer := 0;
BEGIN
    v_family := app.operate_on_family(p_family);
    IF p_kind = 'child_without_guardian' THEN
        UPDATE app.family_members AS m SET parent_user_id = app.best_guardian(p_family)
            WHERE m.id = p_subject AND m.family_unit_id = p_family AND m.status = 'active'
                AND m.user_kind = 'managed' AND app.best_guardian(p_family) IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM app.family_members AS g
                    WHERE g.family_unit_id = p_family
                        AND g.active_adult_user_id = m.parent_user_id);
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'seat_wrong' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.id = p_subject AND m.family_unit_id = p_family
            AND ((m.status = 'active') <> (m.slot IS NOT NULL) OR m.slot > v_family.member_limit
                 OR EXISTS (SELECT FROM app.family_members AS o
                            WHERE o.family_unit_id = p_family AND o.slot = m.slot
                                AND o.id < m.id))) THEN
        v_count := app.repair_seat(p_family, p_subject);
    ELSIF p_kind = 'code_wrong' AND (
        v_family.family_code IS DISTINCT FROM (
            SELECT c.code FROM app.family_codes AS c
            WHERE c.family_unit_id = p_family AND c.state = 'live')
        OR (v_family.family_code IS NULL
            AND (v_family.code_expires_at IS NULL OR v_family.code_expires_at > now()))) THEN
        UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = p_family;
        PERFORM app.replace_code(p_family, CASE WHEN v_family.code_expires_at > now()
                                                THEN v_family.code_expires_at END);
        v_count := 1;
    ELSIF p_kind = 'emptiness_wrong' THEN
        UPDATE app.family_units AS f SET emptied_at = CASE WHEN NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = p_family AND m.status = 'active') THEN now() END
            WHERE f.id = p_family AND (f.emptied_at IS NULL) <> EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = p_family AND m.status = 'active');
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'invitation_overdue' THEN
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
            WHERE i.id = p_subject AND i.status = 'pending' AND i.expires_at <= now();
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'code_overdue' AND v_family.code_expires_at <= now() THEN
        UPDATE app.family_codes AS c
            SET state = 'retired', retired_at = now(), reason = 'expired'
            WHERE c.family_unit_id = p_family AND c.state = 'live';
        UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = p_family;
        GET DIAGNOSTICS v_count = ROW_COUNT;
    END IF;
    IF v_count > 0 THEN
        PERFORM app.record_audit('doctor.repair', p_family, NULL, coalesce(p_subject, p_family),
            jsonb_build_object('fault', p_kind));
    END IF;
    RETURN v_count > 0;
END $$;

-- A lease that ended in the instant in which its lock was free again is no lease.
CREATE OR REPLACE FUNCTION jobs.claim(
    p_worker integer, p_queue text, p_kinds text[], p_limit integer,
    p_after_at timestamptz[], p_after_id bigint[], p_starting integer, p_noted text[]
) RETURNS TABLE (
    id bigint, token bigint, kind text, family_unit_id uuid, priority smallint,
    run_at timestamptz, expired boolean, attempt smallint, careful boolean, started boolean,
    payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_now constant timestamptz := clock_timestamp();
    v_limit integer := p_limit;
    v_token bigint;
    v_count integer;
    v_held boolean := false;
    v_probe timestamptz;
BEGIN
    -- Two statements: what one sees was settled before it took its lock.
    IF pg_try_advisory_xact_lock_shared(jobs.lease_lock_class(), p_worker) THEN
        v_held := EXISTS (SELECT FROM jobs.workers AS w WHERE w.id = p_worker);
    END IF;
    IF NOT v_held THEN
        RAISE EXCEPTION USING ERRCODE = 'JQ001', CONSTRAINT = 'lease_lost',
            MESSAGE = 'This worker''s lease was lost.';
    END IF;
    SELECT q.probe_at INTO v_probe FROM jobs.paused_queues AS q WHERE q.queue = p_queue;
    IF FOUND THEN
        PERFORM FROM jobs.paused_queues AS q
            WHERE q.queue = p_queue AND q.probe_at <= v_now FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        v_limit := 1;
    END IF;
    v_token := nextval('jobs.tokens');
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT n.place
        FROM unnest(p_after_at, p_after_id) WITH ORDINALITY AS b (after_at, after_id, number)
        CROSS JOIN LATERAL (
            SELECT j.ctid AS place FROM jobs.live AS j
            WHERE j.queue = p_queue AND j.priority = (b.number - 1)::smallint
                AND (j.run_at, j.id) > (least(b.after_at, v_now - interval '1 second'), b.after_id)
                AND j.run_at <= v_now
                AND j.state = 'ready' AND j.kind = ANY (p_kinds)
            ORDER BY j.run_at, j.id LIMIT v_limit FOR UPDATE SKIP LOCKED) AS n
        LIMIT v_limit),
    -- Beside the walk: numbering would make it lock a row more than it takes.
    numbered AS (SELECT f.place, row_number() OVER () AS number FROM found AS f)
    UPDATE jobs.live AS j SET state = 'running', worker = p_worker, token = v_token,
            is_started = f.number <= p_starting AND coalesce(j.not_after > v_now, true)
                AND (j.kind = ANY (p_noted) OR j.is_suspect OR j.crashes > 0)
        FROM numbered AS f WHERE j.ctid = f.place
        RETURNING j.id, j.token, j.kind, j.family_unit_id, j.priority, j.run_at,
            coalesce(j.not_after <= v_now, false), j.attempt, j.is_suspect OR j.crashes > 0,
            j.is_started, j.payload;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_probe IS NOT NULL AND v_count > 0 THEN
        UPDATE jobs.paused_queues AS q SET probe_at = v_now + interval '30 seconds'
            WHERE q.queue = p_queue;
    END IF;
END $$;
