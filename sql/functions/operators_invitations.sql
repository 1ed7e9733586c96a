-- Operators' invitations: create in a member's name, resend, revoke.
--
-- An invitation shows its inviter to the invited person, who does not know the operator. It is
-- therefore made in the name of a member who may invite, and the audit entry names the operator.
-- The limit on a member's invitations and the pause between two e-mails don't apply to operators.
--
-- As for members, the token's hash is stored in a second step of the same transaction.

-- Locks the family of a pending invitation, and returns the invitation.
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
    PERFORM app.require_may_act_on(o.user_id)
        FROM app.console_invited_operators AS o WHERE o.invitation_id = p_invitation;
    RETURN v_invitation;
END $$;

-- Makes an invitation that has the same effect as one by the member in whose name it is made.
CREATE OR REPLACE FUNCTION app.operator_create_invitation(
    p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_inviter constant app.family_members := app.lock_present_member(p_inviter_member);
BEGIN
    PERFORM app.require_valid_invitation(p_email, p_role, p_household_role, p_delivery);
    IF (app.is_adult(v_inviter) OR (app.is_player(v_inviter) AND p_role = 'parent'))
        IS NOT TRUE OR app.is_blocked(v_inviter.user_id) THEN
        PERFORM app.refuse('HF403', 'standing_too_low',
            'The member in whose name it is sent may not make this invitation.');
    END IF;
    RETURN QUERY SELECT i.* FROM app.make_invitation(
        v_inviter, p_email, p_role, p_household_role, p_delivery, false) AS i;
END $$;

COMMENT ON FUNCTION app.operator_create_invitation(uuid, text, text, text, text) IS
    'Makes or renews an invitation in a member''s name; its secret must be stored next.';

CREATE OR REPLACE FUNCTION app.operator_add_invitation_secret(
    p_invitation uuid, p_generation integer, p_token_hash bytea
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.store_invitation_secret(
        app.lock_invitation_for_operator(p_invitation), p_generation, p_token_hash);
END $$;

COMMENT ON FUNCTION app.operator_add_invitation_secret(uuid, integer, bytea) IS
    'Stores the SHA-256 of the token of an invitation''s generation.';

CREATE OR REPLACE FUNCTION app.operator_resend_invitation(p_invitation uuid)
RETURNS TABLE (generation integer, expires_at timestamptz, delivery text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.lock_invitation_for_operator(p_invitation);
    RETURN QUERY SELECT r.* FROM app.renew_invitation(p_invitation) AS r;
END $$;

COMMENT ON FUNCTION app.operator_resend_invitation(uuid) IS
    'Renews an invitation''s link; its secret must be stored in the same transaction.';

CREATE OR REPLACE FUNCTION app.operator_revoke_invitation(p_invitation uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.end_invitation(app.lock_invitation_for_operator(p_invitation));
END $$;

COMMENT ON FUNCTION app.operator_revoke_invitation(uuid) IS
    'Ends a pending invitation; its link stops working.';

GRANT EXECUTE ON FUNCTION
    app.operator_create_invitation(uuid, text, text, text, text),
    app.operator_add_invitation_secret(uuid, integer, bytea), app.operator_resend_invitation(uuid),
    app.operator_revoke_invitation(uuid)
    TO hearth_admin;
