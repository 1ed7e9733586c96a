-- The end of pending invitations that nobody answered: revoked by a person or an operator, or
-- because the right to invite has ended. Their links stop working, because the hashes of their
-- secrets are deleted. (Expired invitations: upkeep.sql.)

-- Ends those of the invitations that are pending; returns their number.
CREATE OR REPLACE FUNCTION app.end_invitations(p_invitations uuid[]) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    v_count integer;
BEGIN
    WITH ended AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.id = ANY (p_invitations) AND i.status = 'pending'
        RETURNING i.id),
    deleted AS (
        DELETE FROM app.invitation_secrets AS s USING ended AS e WHERE s.invitation_id = e.id)
    SELECT count(*) INTO v_count FROM ended AS e;
    RETURN v_count;
END $$;

-- Ends one invitation. Refuses an invitation that was deleted or expired while this transaction
-- waited for the lock. The audit entry names the caller's account, if there is one. The calling
-- function decides who may do so.
CREATE OR REPLACE FUNCTION app.end_invitation(p_invitation app.family_invitations) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF app.end_invitations(ARRAY[p_invitation.id]) = 0 THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    PERFORM app.record_audit('invitation.revoke', p_invitation.family_unit_id, app.account_id(),
        p_invitation.id);
END $$;
