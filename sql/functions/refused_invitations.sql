-- Refusal of invitations: the owner of an address stops further e-mails with invitations, from one
-- family or from all.
--
-- The link in such an e-mail contains the invitation's token, which only the reader of the e-mail
-- has. The link works as long as the hash of the token is stored: even after the invitation was
-- answered, but not after it was revoked.

-- E-mailed invitation to which a token belongs, in any status.
CREATE OR REPLACE FUNCTION app.mailed_invitation_of_token(p_token_hash bytea)
RETURNS app.family_invitations
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT i FROM app.invitation_secrets AS s
        JOIN app.family_invitations AS i ON i.id = s.invitation_id AND i.generation = s.generation
        WHERE s.token_hash = p_token_hash AND i.delivery = 'email');
END $$;

-- Name of the family whose invitations a token can refuse, for the page that asks. Returns no row
-- if there is no such invitation.
CREATE OR REPLACE FUNCTION app.refusable_invitation(p_token_hash bytea)
RETURNS TABLE (family_name text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT f.family_name FROM app.mailed_invitation_of_token(p_token_hash) AS i
        JOIN app.family_units AS f ON f.id = i.family_unit_id;
END $$;

-- Refuses further invitations of the token's family, or of all families. Returns whether there is
-- such an invitation.
CREATE OR REPLACE FUNCTION app.refuse_invitations(p_token_hash bytea, p_all_families boolean)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_invitation constant app.family_invitations :=
        app.mailed_invitation_of_token(p_token_hash);
BEGIN
    IF v_invitation.id IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO app.refused_invitations (email, family_unit_id)
        VALUES (v_invitation.invited_email,
            CASE WHEN p_all_families THEN NULL ELSE v_invitation.family_unit_id END)
        ON CONFLICT DO NOTHING;
    RETURN true;
END $$;

COMMENT ON FUNCTION app.refuse_invitations(bytea, boolean) IS
    'Stops e-mails with invitations to the address to which a token was mailed.';

CREATE OR REPLACE FUNCTION app.mailbox_refuses_invitations(p_mailbox text, p_family uuid)
RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.refused_invitations AS r
        WHERE r.mailbox = p_mailbox AND coalesce(r.family_unit_id, p_family) = p_family);
END $$;

GRANT EXECUTE ON FUNCTION
    app.refusable_invitation(bytea), app.refuse_invitations(bytea, boolean) TO hearth_api;
