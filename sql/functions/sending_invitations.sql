-- Invitations from the inviting side: create, resend, revoke (ending_invitations.sql).
--
-- The application derives the token from the invitation's id and its generation (the number of its
-- link, which each renewal raises). It therefore stores the hash in a second step of the same
-- transaction (add_invitation_secret). A second invitation to the same address renews the first
-- with a new generation, and the old link stops working.

-- Invitations of each account's families, with addresses for members who may see them. Clients
-- can't read this view, because it has the rows of all viewers. It has no security_barrier, so that
-- the planner looks up only the rows of the viewers whom the views below name.
CREATE OR REPLACE VIEW app.visible_invitations AS
SELECT i.id, i.family_unit_id, i.invited_by,
    CASE WHEN me.confides THEN coalesce(i.invited_email, '') ELSE '' END AS invited_email,
    i.role, i.household_role,
    CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired' ELSE i.status END
        AS status,
    i.delivery, i.expires_at, i.created_at, i.accepted_at, i.sent_count, i.last_sent_at,
    CASE WHEN i.delivery = 'email' THEN
        CASE WHEN i.delivery_generation = i.generation THEN i.delivery_status ELSE 'queued' END
    END AS delivery_status,
    i.kind, i.graduate_id, me.user_id AS viewer_id,
    CASE WHEN me.confides THEN coalesce(i.mailbox, '') ELSE '' END AS mailbox,
    coalesce(i.invited_by_key, '') AS invited_by_key
FROM app.family_members AS me
JOIN app.family_invitations AS i ON i.family_unit_id = me.family_unit_id
WHERE me.status = 'active' AND me.household_role <> 'visitor';

-- Invitations that the account may see; none while it acts for a child.
CREATE OR REPLACE VIEW app.invitation_list WITH (security_barrier) AS
SELECT s.* FROM app.visible_invitations AS s WHERE s.viewer_id = app.account_id();

-- Invitations that each caller of a batch may see.
CREATE OR REPLACE VIEW app.invitations_of_batch WITH (security_barrier) AS
SELECT c.caller_index, s.* FROM app.callers AS c
JOIN app.visible_invitations AS s ON s.viewer_id = c.user_id;

ALTER VIEW app.visible_invitations OWNER TO hearth_authz;
ALTER VIEW app.invitation_list OWNER TO hearth_authz;
ALTER VIEW app.invitations_of_batch OWNER TO hearth_authz;

-- Refuses an invitation with invalid fields, or with a household role that no invitation may give.
CREATE OR REPLACE FUNCTION app.require_valid_invitation(
    p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_role NOT IN ('player', 'parent') OR p_role IS NULL THEN
        PERFORM app.refuse_field('role', 'A role is player or parent.');
    ELSIF p_household_role NOT IN ('adult', 'kid', 'visitor') THEN
        PERFORM app.refuse('HF403', 'role_too_high',
            'An invitation makes an adult, a kid or a visitor.');
    ELSIF p_delivery IS NULL OR p_delivery NOT IN ('email', 'link') THEN
        PERFORM app.refuse_field('delivery', 'Delivery is email or link.');
    ELSIF (p_delivery = 'email') <> (app.mailbox_of(app.normalised_email(p_email)) IS NOT NULL)
        OR (p_delivery = 'link' AND p_email IS NOT NULL) THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    END IF;
END $$;

-- Makes a valid invitation in a member's name. If the address has a pending invitation, renews that
-- one, provided that the member may resend it or that its sender is blocked; if p_pauses is true,
-- not before resending is allowed again. The invitation records whether the member is vouched for.
-- The calling function decides who may invite.
--
-- An API key (p_key: its name) invites without a member: of p_inviter only the family is set. It
-- renews its own invitations only.
DROP FUNCTION IF EXISTS app.make_invitation(
    app.family_members, text, text, text, text, boolean);
CREATE OR REPLACE FUNCTION app.make_invitation(
    p_inviter app.family_members, p_email text, p_role text, p_household_role text,
    p_delivery text, p_pauses boolean, p_key text DEFAULT NULL
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_family constant uuid := p_inviter.family_unit_id;
    v_email constant text := app.normalised_email(p_email);
    v_mailbox constant text := app.mailbox_of(v_email);
    v_household_role constant text := coalesce(
        p_household_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_pending app.family_invitations;
BEGIN
    -- An invitation by link is for nobody in particular, and always a new one.
    IF v_mailbox IS NOT NULL THEN
        IF EXISTS (
            SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
            WHERE m.family_unit_id = v_family AND m.status = 'active'
                AND u.mailbox = v_mailbox) THEN
            PERFORM app.refuse('HF409', 'person_already_member',
                'This person is already a member of the family.');
        END IF;
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
            WHERE i.family_unit_id = v_family AND i.mailbox = v_mailbox
                AND i.status = 'pending' AND i.expires_at <= now();
        SELECT i.* INTO v_pending FROM app.family_invitations AS i
            WHERE i.family_unit_id = v_family AND i.mailbox = v_mailbox AND i.status = 'pending';
        IF v_pending.kind = 'graduation'
            OR (v_pending.id IS NOT NULL
                AND app.may_handle_invitation(p_inviter, v_pending) IS NOT TRUE
                AND (v_pending.invited_by_key = p_key) IS NOT TRUE
                AND NOT app.is_blocked(v_pending.invited_by)) THEN
            PERFORM app.refuse('HF409', 'already_invited',
                'Another member has invited this person: resend or revoke that invitation.');
        END IF;
        IF p_pauses THEN
            PERFORM app.require_resend_pause(v_pending.last_sent_at);
        END IF;
    END IF;
    INSERT INTO app.family_invitations AS i
            (family_unit_id, invited_by, invited_by_key, invited_email, role, household_role,
             delivery, vouched, sent_count, last_sent_at)
        VALUES (v_family, p_inviter.user_id, p_key, v_email, p_role, v_household_role,
                p_delivery, coalesce(p_inviter.vouched, false), 1, now())
        ON CONFLICT (family_unit_id, mailbox) WHERE status = 'pending' DO UPDATE SET
            invited_by = excluded.invited_by, invited_by_key = excluded.invited_by_key,
            vouched = excluded.vouched, role = excluded.role,
            household_role = excluded.household_role, generation = i.generation + 1,
            expires_at = excluded.expires_at, sent_count = i.sent_count + 1,
            last_sent_at = excluded.last_sent_at
        RETURNING i.id, i.generation, i.expires_at, i.generation > 1
        INTO invitation_id, generation, expires_at, renewed;
    PERFORM app.record_audit('invitation.create', v_family, p_inviter.user_id, invitation_id,
        jsonb_build_object('role', p_role, 'householdRole', v_household_role,
            'delivery', p_delivery));
    RETURN NEXT;
END $$;

-- Rules: players invite parents, adults invite both, and nobody invites a Parent Admin.
-- (graduation.sql has the invitations by which a child gets an account.)
CREATE OR REPLACE FUNCTION app.create_invitation(
    p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
BEGIN
    PERFORM app.require_consent_to('invitation.create');
    PERFORM app.require_valid_invitation(p_email, p_role, p_household_role, p_delivery);
    PERFORM app.require_allowed(
        app.is_adult(v_caller) OR (app.is_player(v_caller) AND p_role = 'parent'));
    RETURN QUERY SELECT i.* FROM app.make_invitation(
        v_caller, p_email, p_role, p_household_role, p_delivery, true) AS i;
    -- Counted in this transaction, so that a refused request is not counted.
    PERFORM app.count_invitation(v_caller.user_id);
END $$;

COMMENT ON FUNCTION app.create_invitation(uuid, text, text, text, text) IS
    'Makes or renews an invitation; its secret must be stored in the same transaction.';

-- Counts an invitation that an account makes, and refuses it above the limit.
CREATE OR REPLACE FUNCTION app.count_invitation(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_limit record;
BEGIN
    SELECT h.* INTO v_limit FROM app.reserve_hits(
        ARRAY['invite:account:' || p_user], ARRAY[app.max_invitations_made()],
        app.invitations_made_window()) AS h;
    IF v_limit.limited_by IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_invitations',
            MESSAGE = 'Too many invitations. Please try again later.',
            DETAIL = v_limit.retry_after_seconds;
    END IF;
END $$;

-- Refuses to send an invitation again too soon. The error's detail holds the seconds to wait.
CREATE OR REPLACE FUNCTION app.require_resend_pause(p_last_sent_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_wait constant integer := greatest(
        1, ceil(extract(epoch FROM p_last_sent_at + app.resend_pause() - now())));
BEGIN
    IF app.is_within(p_last_sent_at, app.resend_pause()) THEN
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'invitation_just_sent',
            MESSAGE = 'This invitation was sent a moment ago.', DETAIL = v_wait;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.may_handle_invitation(
    p_caller app.family_members, p_invitation app.family_invitations
) RETURNS boolean
LANGUAGE sql STABLE
RETURN (p_caller).governs
    OR ((p_invitation).invited_by = (p_caller).user_id AND (p_caller).confides);

-- Whether a member may send an invitation. Anybody who has the link of a graduation invitation can
-- become the child, so only the child's acting primary guardian may send it, and only if the
-- guardian who created the invitation is not blocked.
CREATE OR REPLACE FUNCTION app.may_send_invitation(
    p_caller app.family_members, p_invitation app.family_invitations
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF (p_invitation).kind = 'graduation' THEN
        RETURN EXISTS (
            SELECT FROM app.family_members AS c
            WHERE c.id = (p_invitation).graduate_id
                AND app.acting_primary_guardian(c) = (p_caller).active_adult_user_id
                AND NOT app.is_blocked((p_invitation).invited_by));
    END IF;
    RETURN app.may_handle_invitation(p_caller, p_invitation);
END $$;

-- Locks the family of a pending invitation that the caller may see. Returns the invitation and the
-- caller's membership.
CREATE OR REPLACE FUNCTION app.pending_invitation_of_family(
    p_invitation uuid, OUT invitation app.family_invitations, OUT caller app.family_members)
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.account_id();
    v_family uuid;
    v_found record;
BEGIN
    SELECT f.id INTO v_family FROM app.family_invitations AS i
        JOIN app.family_units AS f ON f.id = i.family_unit_id
        JOIN app.family_members AS m ON m.family_unit_id = i.family_unit_id
        WHERE i.id = p_invitation AND m.user_id = v_account
            AND m.status = 'active' AND m.household_role <> 'visitor'
        FOR NO KEY UPDATE OF f;
    PERFORM app.require_account();
    SELECT i AS invitation, m AS caller INTO v_found FROM app.family_invitations AS i
        JOIN app.family_members AS m ON m.family_unit_id = v_family
        WHERE i.id = p_invitation AND i.status = 'pending' AND i.expires_at > now()
            AND m.user_id = v_account AND m.status = 'active' AND m.household_role <> 'visitor';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    invitation := v_found.invitation;
    caller := v_found.caller;
END $$;

-- Locks the family of a pending invitation that the caller may handle, and returns the invitation.
CREATE OR REPLACE FUNCTION app.lock_family_of_invitation(p_invitation uuid)
RETURNS app.family_invitations
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_seen constant record := app.pending_invitation_of_family(p_invitation);
BEGIN
    PERFORM app.require_allowed(app.may_handle_invitation(v_seen.caller, v_seen.invitation));
    RETURN v_seen.invitation;
END $$;

-- Locks the family of a pending invitation that the caller may send, and returns the invitation.
CREATE OR REPLACE FUNCTION app.invitation_to_send(p_invitation uuid)
RETURNS app.family_invitations
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_seen constant record := app.pending_invitation_of_family(p_invitation);
BEGIN
    PERFORM app.require_allowed(app.may_send_invitation(v_seen.caller, v_seen.invitation));
    RETURN v_seen.invitation;
END $$;

-- Stores the hash of a generation's token. Each generation has one secret, which the secret of a
-- later generation replaces. The calling function decides who may store one.
CREATE OR REPLACE FUNCTION app.store_invitation_secret(
    p_invitation app.family_invitations, p_generation integer, p_token_hash bytea
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_invitation.generation <> p_generation THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'The invitation has changed.');
    END IF;
    INSERT INTO app.invitation_secrets AS s (invitation_id, generation, token_hash)
        VALUES (p_invitation.id, p_generation, p_token_hash)
        ON CONFLICT (invitation_id) DO UPDATE SET
            generation = excluded.generation, token_hash = excluded.token_hash
            WHERE s.generation < excluded.generation;
END $$;

-- Second step after create_invitation or resend_invitation. As a generation has only one secret, it
-- gives access only to invitations that the caller has just made.
CREATE OR REPLACE FUNCTION app.add_invitation_secret(
    p_invitation uuid, p_generation integer, p_token_hash bytea
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.store_invitation_secret(
        app.invitation_to_send(p_invitation), p_generation, p_token_hash);
END $$;

COMMENT ON FUNCTION app.add_invitation_secret(uuid, integer, bytea) IS
    'Stores the SHA-256 of the token of an invitation''s generation.';

-- Starts a new generation of a pending invitation, to be sent again. Refuses an invitation that was
-- deleted or expired while this transaction waited for the lock. The audit entry names the caller's
-- account, if there is one. The calling function decides who may do so.
CREATE OR REPLACE FUNCTION app.renew_invitation(p_invitation uuid)
RETURNS TABLE (generation integer, expires_at timestamptz, delivery text)
LANGUAGE plpgsql SET search_path = '' AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY UPDATE app.family_invitations AS i SET
            generation = i.generation + 1, expires_at = DEFAULT,
            sent_count = i.sent_count + 1, last_sent_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending'
        RETURNING i.generation, i.expires_at, i.delivery;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    PERFORM app.record_audit('invitation.resend', i.family_unit_id, app.account_id(), i.id)
        FROM app.family_invitations AS i WHERE i.id = p_invitation;
END $$;

CREATE OR REPLACE FUNCTION app.resend_invitation(p_invitation uuid)
RETURNS TABLE (generation integer, expires_at timestamptz, delivery text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.invitation_to_send(p_invitation);
BEGIN
    PERFORM app.require_consent_to('invitation.resend');
    PERFORM app.require_resend_pause(v_invitation.last_sent_at);
    RETURN QUERY SELECT r.* FROM app.renew_invitation(p_invitation) AS r;
END $$;

COMMENT ON FUNCTION app.resend_invitation(uuid) IS
    'Renews an invitation''s link; its secret must be stored in the same transaction.';

CREATE OR REPLACE FUNCTION app.revoke_invitation(p_invitation uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.lock_family_of_invitation(p_invitation);
BEGIN
    PERFORM app.require_consent_to('invitation.revoke');
    PERFORM app.end_invitation(v_invitation);
END $$;

COMMENT ON FUNCTION app.revoke_invitation(uuid) IS
    'Ends a pending invitation; its link stops working.';

GRANT SELECT ON app.invitation_list, app.invitations_of_batch TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.create_invitation(uuid, text, text, text, text),
    app.add_invitation_secret(uuid, integer, bytea), app.resend_invitation(uuid),
    app.revoke_invitation(uuid)
    TO hearth_api;
