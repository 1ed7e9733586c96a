-- Requests to join a family that wait for its approval: list, notify, approve, withdraw. They are
-- made by the family's code (joining.sql), and rejected by app.remove_member (members.sql).

-- Open requests of each person to join families. A person who waits sees nothing of a family but
-- its name, which the preview of the code has shown. Clients can't read this view. It has no
-- security_barrier, for the reason given at app.visible_members.
CREATE OR REPLACE VIEW app.visible_requests AS
SELECT m.family_unit_id, f.family_name, m.role, m.added_at AS requested_at, m.user_id AS viewer_id
FROM app.family_members AS m
JOIN app.family_units AS f ON f.id = m.family_unit_id
WHERE m.status = 'invited';

-- Requests of the subject. Empty while a guardian acts for a child, because a child has none.
CREATE OR REPLACE VIEW app.my_requests WITH (security_barrier) AS
SELECT s.* FROM app.visible_requests AS s WHERE s.viewer_id = app.user_id();

-- Requests of each caller of a batch.
CREATE OR REPLACE VIEW app.requests_of_batch WITH (security_barrier) AS
SELECT c.caller_index, s.* FROM app.callers AS c
JOIN app.visible_requests AS s ON s.viewer_id = c.user_id;

ALTER VIEW app.visible_requests OWNER TO hearth_authz;
ALTER VIEW app.my_requests OWNER TO hearth_authz;
ALTER VIEW app.requests_of_batch OWNER TO hearth_authz;

-- Enqueues an e-mail about a request to join for each member who may approve it. Enqueues none if
-- the account, or all accounts together, have asked the family too often in the window: then only
-- the list of members shows the request.
CREATE OR REPLACE FUNCTION app.enqueue_request_mail(p_family uuid, p_account uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_admitting constant uuid[] := ARRAY(
        SELECT m.user_id FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active' AND app.may_admit(m)
            AND NOT app.is_blocked(m.user_id)
        ORDER BY m.id);
    v_recipient uuid;
BEGIN
    IF v_admitting = '{}' OR NOT app.reserve_within_limits(
        ARRAY['request-mail:' || p_family, 'request-mail:' || p_family || ':' || p_account],
        ARRAY[app.max_request_mails(), app.max_request_mails_of_account()],
        app.request_mails_window()) THEN
        RETURN;
    END IF;
    FOREACH v_recipient IN ARRAY v_admitting LOOP
        PERFORM app.enqueue_family_mail('mail.join_requested', p_family, v_recipient, p_account);
    END LOOP;
END $$;

-- Locks the family that a player waits to join and the player's own family, in the order of their
-- ids, if the caller may approve the player. Returns the player's own family, or null.
CREATE OR REPLACE FUNCTION app.lock_for_approval(p_member uuid) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_families uuid[];
BEGIN
    SELECT ARRAY[m.family_unit_id, app.player_family_of(m.user_id)] INTO v_families
        FROM app.family_members AS m
        JOIN app.family_members AS me ON me.family_unit_id = m.family_unit_id
        WHERE m.id = p_member AND m.status = 'invited' AND m.role = 'player'
            AND me.user_id = app.account_id() AND app.may_admit(me);
    PERFORM app.lock_families(v_families);
    RETURN v_families[2];
END $$;

-- Enqueues an e-mail to a waiting person whom the family can't admit, because the account has
-- another role than the one in which it asked to join. At most one e-mail a day.
CREATE OR REPLACE FUNCTION app.enqueue_role_mismatch_mail(p_family uuid, p_account uuid)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF app.reserve_within_limits(
        ARRAY['role-mail:' || p_family || ':' || p_account], ARRAY[1],
        app.request_mails_window()) THEN
        PERFORM app.enqueue_family_mail('mail.request_in_other_role', p_family, p_account);
    END IF;
END $$;

-- Approves a waiting person and enqueues an e-mail to that person. A player who lives alone in its
-- family leaves that family. Refuses if the player has joined another family in the meantime, or if
-- no slot is free.
--
-- Outcomes: approved; role_mismatch, if the account has another role than the one in which it asked
-- to join. The foreign key family_members_role_of_account prevents that, so it occurs only in a
-- damaged database.
CREATE OR REPLACE FUNCTION app.approve_member(p_member uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller app.family_members;
    v_target app.family_members;
    v_own_family uuid;
BEGIN
    v_own_family := app.lock_for_approval(p_member);
    PERFORM app.require_consent_to('member.approve');
    v_caller := app.lock_family_of_member(p_member);
    -- A caller who may not approve must not learn who waits: for such a caller the member does not
    -- exist.
    v_target := app.member_in_family_of(v_caller, p_member);
    PERFORM app.require_allowed(app.may_admit(v_caller));
    IF v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This person is already a member of your family.');
    END IF;
    IF app.lock_account(v_target.user_id) <> v_target.role THEN
        PERFORM app.enqueue_role_mismatch_mail(v_caller.family_unit_id, v_target.user_id);
        RETURN 'role_mismatch';
    END IF;
    IF v_target.role = 'player' THEN
        v_own_family := app.locked_player_family(v_target.user_id, v_own_family);
        IF v_own_family IS NOT NULL
            AND app.is_only_active_member(v_own_family, v_target.user_id) THEN
            PERFORM app.leave_own_family(
                v_own_family, v_target.user_id, v_caller.family_unit_id, 'player');
        END IF;
    END IF;
    PERFORM app.require_room_for(v_caller.family_unit_id, v_target.user_id, v_target.role);
    UPDATE app.family_members AS m SET status = 'active', vouched = true, added_at = now()
        WHERE m.id = v_target.id;
    IF v_target.role = 'player' THEN
        PERFORM app.fill_player_name(v_caller.family_unit_id, v_target.user_id);
    END IF;
    PERFORM app.enqueue_family_mail(
        'mail.request_approved', v_caller.family_unit_id, v_target.user_id);
    PERFORM app.record_audit(
        'member.approve', v_caller.family_unit_id, v_target.user_id, v_target.id);
    RETURN 'approved';
END $$;

COMMENT ON FUNCTION app.approve_member(uuid) IS
    'Approves a person who waits to join; returns approved or role_mismatch.';

-- Withdraws the account's request to join. Refuses if the family has approved the request
-- meanwhile, so that a withdrawal never ends a membership.
CREATE OR REPLACE FUNCTION app.withdraw_request(p_family uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_own_family_member(p_family);
BEGIN
    IF v_caller.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'The family has approved you already.');
    END IF;
    PERFORM app.end_membership(v_caller);
    PERFORM app.record_audit('member.leave', p_family, v_caller.user_id, v_caller.id,
        jsonb_build_object('was', v_caller.status));
END $$;

COMMENT ON FUNCTION app.withdraw_request(uuid) IS
    'Withdraws the caller''s request to join; refuses if the caller is a member already.';

GRANT SELECT ON app.my_requests, app.requests_of_batch TO hearth_api;
GRANT EXECUTE ON FUNCTION app.approve_member(uuid), app.withdraw_request(uuid) TO hearth_api;
