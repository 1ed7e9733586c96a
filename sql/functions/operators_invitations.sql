-- Operators' invitations: create in a member's name, resend, revoke.
--
-- An invitation shows its inviter to the invited person, who does not know the operator. It is
-- therefore made in the name of a member who may invite, and the audit row names the operator. The
-- member's limit on invitations and the pause between two e-mails don't apply to operators.
--
-- As everywhere, the token's hash is stored in a second step of the same transaction.

-- A pending invitation, its family locked.
CREATE OR REPLACE FUNCTION app.lock_invitation_for_operator(p_invitation uuid)
RETURNS app.family_invitations
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_invitation app.family_invitations;
BEGIN
    PERFORM app.require_operator();
    PERFORM FROM app.family_invitations AS i JOIN app.family_units AS f ON f.id = i.family_unit_id
        WHERE i.id = p_invitation FOR NO KEY UPDATE OF f;
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = p_invitation AND i.status = 'pending' AND i.expires_at > now();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    RETURN v_invitation;
END $$;

-- It counts like an invitation by the member in whose name it is made.
CREATE OR REPLACE FUNCTION app.operator_create_invitation(
    p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_inviter constant app.family_members := app.lock_member_for_operator(p_inviter_member);
    v_family constant uuid := v_inviter.family_unit_id;
    v_email constant text := app.normalised_email(p_email);
    v_mailbox constant text := app.mailbox_of(v_email);
    v_household_role constant text := coalesce(
        p_household_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_pending app.family_invitations;
BEGIN
    IF (p_delivery = 'email') <> (v_mailbox IS NOT NULL)
        OR (p_delivery = 'link' AND p_email IS NOT NULL) THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    ELSIF v_household_role NOT IN ('adult', 'kid', 'visitor') THEN
        PERFORM app.refuse('HF403', 'role_too_high',
            'An invitation makes an adult, a kid or a visitor.');
    ELSIF (app.is_adult(v_inviter) OR (app.is_player(v_inviter) AND p_role = 'parent'))
        IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'standing_too_low',
            'The member in whose name it is sent may not make this invitation.');
    ELSIF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = v_family AND m.status = 'active' AND u.mailbox = v_mailbox) THEN
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
            AND app.may_handle_invitation(v_inviter, v_pending) IS NOT TRUE) THEN
        PERFORM app.refuse('HF409', 'already_invited',
            'Another member has invited this person: resend or revoke that invitation.');
    END IF;
    INSERT INTO app.family_invitations AS i
            (family_unit_id, invited_by, invited_email, role, household_role, delivery,
             vouched, sent_count, last_sent_at)
        VALUES (v_family, v_inviter.user_id, v_email, p_role, v_household_role, p_delivery,
                v_inviter.vouched, 1, now())
        ON CONFLICT (family_unit_id, mailbox) WHERE status = 'pending' DO UPDATE SET
            invited_by = excluded.invited_by, vouched = excluded.vouched, role = excluded.role,
            household_role = excluded.household_role, generation = i.generation + 1,
            expires_at = excluded.expires_at, sent_count = i.sent_count + 1,
            last_sent_at = excluded.last_sent_at
        RETURNING i.id, i.generation, i.expires_at, i.generation > 1
        INTO invitation_id, generation, expires_at, renewed;
    PERFORM app.record_audit('invitation.create', v_family, v_inviter.user_id, invitation_id,
        jsonb_build_object('role', p_role, 'householdRole', v_household_role,
            'delivery', p_delivery));
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.operator_create_invitation(uuid, text, text, text, text) IS
    'Makes or renews an invitation in a member''s name; its secret has to follow.';

CREATE OR REPLACE FUNCTION app.operator_keep_invitation_secret(
    p_invitation uuid, p_generation integer, p_token_hash bytea
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.store_invitation_secret(
        app.lock_invitation_for_operator(p_invitation), p_generation, p_token_hash);
END $$;

COMMENT ON FUNCTION app.operator_keep_invitation_secret(uuid, integer, bytea) IS
    'Keeps SHA-256 of the token of an invitation''s generation.';

CREATE OR REPLACE FUNCTION app.operator_resend_invitation(p_invitation uuid)
RETURNS TABLE (generation integer, expires_at timestamptz, delivery text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.lock_invitation_for_operator(p_invitation);
BEGIN
    RETURN QUERY SELECT r.* FROM app.renew_invitation(p_invitation) AS r;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    PERFORM app.record_audit('invitation.resend', v_invitation.family_unit_id, NULL, p_invitation);
END $$;

COMMENT ON FUNCTION app.operator_resend_invitation(uuid) IS
    'Renews an invitation''s link; its secret has to follow in the same transaction.';

CREATE OR REPLACE FUNCTION app.operator_revoke_invitation(p_invitation uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations := app.lock_invitation_for_operator(p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = p_invitation;
    PERFORM app.record_audit('invitation.revoke', v_invitation.family_unit_id, NULL, p_invitation);
END $$;

COMMENT ON FUNCTION app.operator_revoke_invitation(uuid) IS
    'Ends a pending invitation; its link stops working.';

GRANT EXECUTE ON FUNCTION
    app.operator_create_invitation(uuid, text, text, text, text),
    app.operator_keep_invitation_secret(uuid, integer, bytea), app.operator_resend_invitation(uuid),
    app.operator_revoke_invitation(uuid)
    TO hearth_admin;
