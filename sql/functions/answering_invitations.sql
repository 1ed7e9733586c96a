-- hearth: after blocking.sql
-- Invitations from the invited side: preview, accept, decline.
--
-- Anybody with the token may read the invitation. An e-mailed invitation can be accepted only by an
-- account whose verified address it was sent to. An invitation by link belongs to the first account
-- that accepts it. Refusals are checked in this order: absent (HF404), expired (HF410), answered
-- already (HF409), for another address (HF403).
--
-- An invitation is accepted once: a conditional UPDATE decides, and the same transaction writes the
-- membership.

-- Pending invitations to the account's verified address, from all families.
CREATE OR REPLACE VIEW app.invitations_to_me WITH (security_barrier) AS
SELECT i.id, f.family_name, coalesce(i.invited_by_key, b.full_name, '') AS inviter_name, i.role,
    i.expires_at,
    i.created_at, i.kind
FROM app.users AS u
JOIN app.family_invitations AS i ON i.mailbox = u.mailbox
JOIN app.family_units AS f ON f.id = i.family_unit_id
LEFT JOIN app.users AS b ON b.id = i.invited_by
WHERE u.id = app.account_id() AND u.email_verified AND i.status = 'pending'
    AND i.expires_at > now() AND b.blocked_at IS NULL;

ALTER VIEW app.invitations_to_me OWNER TO hearth_authz;

-- The state that the invited side sees. A revoked invitation is treated as absent, and so is a
-- pending one while its sender is blocked.
CREATE OR REPLACE FUNCTION app.state_of_invitation(p_invitation app.family_invitations) RETURNS text
LANGUAGE sql STABLE
RETURN CASE
    WHEN (p_invitation).id IS NULL OR (p_invitation).status = 'revoked'
        OR ((p_invitation).status = 'pending' AND app.is_blocked((p_invitation).invited_by))
        THEN 'absent'
    WHEN (p_invitation).status = 'expired'
        OR ((p_invitation).status = 'pending' AND (p_invitation).expires_at <= now())
        THEN 'expired'
    ELSE (p_invitation).status
END;

CREATE OR REPLACE FUNCTION app.invitation_of_token(p_token_hash bytea) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT i.id FROM app.invitation_secrets AS s
        JOIN app.family_invitations AS i ON i.id = s.invitation_id AND i.generation = s.generation
        WHERE s.token_hash = p_token_hash);
END $$;

-- Returns the id if the invitation was e-mailed to the account's verified address, otherwise null.
-- The id alone therefore does not reveal to others that the invitation exists.
CREATE OR REPLACE FUNCTION app.invitation_to_account(p_invitation uuid) RETURNS uuid
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT i.id FROM app.family_invitations AS i
        JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
        WHERE i.id = p_invitation AND u.id = app.account_id());
END $$;

-- Finds the invitation to answer: by its token, or by its id if it is addressed to the account.
CREATE OR REPLACE FUNCTION app.invitation_to_answer(p_token_hash bytea, p_invitation uuid)
RETURNS uuid
LANGUAGE sql STABLE
RETURN CASE WHEN p_token_hash IS NULL THEN app.invitation_to_account(p_invitation)
            ELSE app.invitation_of_token(p_token_hash) END;

-- Returns, for example, p***@example.com.
CREATE OR REPLACE FUNCTION app.masked_email(p_email text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN left(p_email, 1) || '***' || substr(p_email, strpos(p_email, '@'));

-- For the views of the console.
GRANT EXECUTE ON FUNCTION app.masked_email(text) TO hearth_admin, hearth_viewer;

-- Returns one row to anybody with the token, signed in or not, and changes nothing. State: pending,
-- accepted, declined, expired or absent (then the other columns mean nothing).
CREATE OR REPLACE FUNCTION app.preview_invitation(p_token_hash bytea)
RETURNS TABLE (state text, invitation_id uuid, email text, role text, family_name text,
               inviter_name text, expires_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT app.state_of_invitation(i), i.id,
            CASE WHEN i.invited_email IS NULL THEN ''
                 WHEN EXISTS (SELECT FROM app.users AS me
                              WHERE me.id = app.account_id() AND me.email_verified
                                  AND me.mailbox = i.mailbox) THEN i.invited_email
                 ELSE app.masked_email(i.invited_email) END,
            i.role, f.family_name,
            coalesce(
                i.invited_by_key, app.display_name(u.full_name, u.email, u.email_verified)),
            i.expires_at
        FROM (SELECT) AS always
        LEFT JOIN (
            app.family_invitations AS i
            JOIN app.family_units AS f ON f.id = i.family_unit_id
            LEFT JOIN app.users AS u ON u.id = i.invited_by)
            ON i.id = app.invitation_of_token(p_token_hash) AND i.status <> 'revoked';
END $$;

COMMENT ON FUNCTION app.preview_invitation(bytea) IS
    'The data of an invitation that the holder of its token may read; one row.';

-- Whether the account belongs to the family of a pending invitation. False if nobody is signed in.
CREATE OR REPLACE FUNCTION app.belongs_to_family_of(p_token_hash bytea) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.family_invitations AS i
        JOIN app.family_members AS m ON m.family_unit_id = i.family_unit_id
        WHERE i.id = app.invitation_of_token(p_token_hash) AND i.status = 'pending'
            AND m.user_id = app.account_id() AND m.status = 'active');
$$;

COMMENT ON FUNCTION app.belongs_to_family_of(bytea) IS
    'Whether the caller belongs to the family of a pending invitation.';

DROP FUNCTION IF EXISTS app.lock_invitation(bytea, uuid);

-- Returns the invitation to answer: it is pending, or this account has accepted it. p_seen is its
-- id, as read before the calling function locked its family. The token or id is looked up again
-- under the lock, because a resend may have invalidated the link in the meantime.
CREATE OR REPLACE FUNCTION app.locked_invitation(
    p_seen uuid, p_token_hash bytea, p_invitation uuid) RETURNS app.family_invitations
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_invitation app.family_invitations;
    v_state text;
BEGIN
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = p_seen AND i.id = app.invitation_to_answer(p_token_hash, p_invitation);
    v_state := app.state_of_invitation(v_invitation);
    IF v_state = 'absent' THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    ELSIF v_state = 'expired' THEN
        PERFORM app.refuse('HF410', 'invitation_expired', 'This invitation has expired.');
    ELSIF v_state <> 'pending' AND v_invitation.accepted_by IS DISTINCT FROM v_account THEN
        RAISE EXCEPTION 'This invitation has already been answered.'
            USING ERRCODE = 'HF409', CONSTRAINT = 'invitation_answered', DETAIL = v_state;
    -- An id was looked up among the invitations to the account's address.
    ELSIF v_state = 'pending' AND v_invitation.delivery = 'email' AND p_token_hash IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM app.users AS u
            WHERE u.id = v_account AND u.email_verified AND u.mailbox = v_invitation.mailbox) THEN
        PERFORM app.refuse('HF403', 'not_the_addressee',
            'This invite was sent to a different email address. '
            'Please sign in with the account that received the invite.');
    END IF;
    RETURN v_invitation;
END $$;

-- Whether the invitation may readmit a removed member, or raise the household role of a returning
-- one: only if its sender was vouched for when it was sent, or governs the family now. Without this
-- rule, a removed person could join by the code with a second account, and send a link to the first
-- account. A removed creator would return with all rights of a creator.
CREATE OR REPLACE FUNCTION app.may_readmit(p_invitation app.family_invitations) RETURNS boolean
LANGUAGE sql STABLE
RETURN (p_invitation).vouched OR EXISTS (
    SELECT FROM app.family_members AS m
    WHERE m.family_unit_id = (p_invitation).family_unit_id
        AND m.user_id = (p_invitation).invited_by AND m.governs);

-- The reason why the account can't become a member in this role; null if it can. Families in which
-- the account lives alone are no obstacle, because the account leaves them
-- (leaving_own_family.sql).
CREATE OR REPLACE FUNCTION app.membership_refusal(
    p_role text, p_family uuid, p_account uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT CASE
            WHEN u.role <> p_role AND NOT app.may_switch_role(u.id, p_family)
                THEN 'role_mismatch'
            WHEN p_role = 'player'
                AND NOT app.is_only_active_member(app.player_family_of(u.id), u.id)
                THEN 'player_has_family'
        END
        FROM app.users AS u WHERE u.id = p_account);
END $$;

-- The household role of a returning member: at most its former ceiling, which others may have
-- lowered. A parent whom the family demoted to kid returns as a visitor if the account is now a
-- player, because a player who is a kid has more rights than a parent who is a kid. p_former: the
-- membership that ended or that waits; a row of nulls if there is none.
CREATE OR REPLACE FUNCTION app.household_role_of_returning(
    p_former app.family_members, p_role text, p_household_role text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = '' AS $$
BEGIN
    RETURN CASE
        WHEN (p_former).id IS NULL THEN p_household_role
        WHEN p_role = 'player' AND (p_former).role = 'parent'
            AND (p_former).household_ceiling = 'kid'
            THEN 'visitor'
        ELSE app.lower_household_role((p_former).household_ceiling, p_household_role)
    END;
END $$;

-- The household role with which the account enters. The invitation's household role applies if the
-- account has no ended membership, or if the invitation may readmit it (may_readmit) and is not a
-- link that was sent before the membership ended. Otherwise an account that others barred is
-- refused, even while it waits or after it has withdrawn a request. An account that left
-- voluntarily returns with at most its former rights.
--
-- An API key's invitation doesn't bring back the creator or a vouched person, because both may
-- claim the seat of the Parent Admin.
CREATE OR REPLACE FUNCTION app.initial_household_role(
    p_invitation app.family_invitations, p_former app.family_members) RETURNS text
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF p_invitation.invited_by_key IS NOT NULL AND p_former.status <> 'active'
        AND (p_former.is_creator OR p_former.vouched) THEN
        PERFORM app.refuse('HF403', 'removed_from_family',
            'A former member with a right to the seat comes back by an invitation of a person.');
    ELSIF (p_former.barred_at IS NULL AND p_former.status IS DISTINCT FROM 'removed')
        OR (app.may_readmit(p_invitation)
            AND (p_invitation.delivery <> 'link'
                 OR p_invitation.last_sent_at
                    > coalesce(p_former.barred_at, p_former.removed_at))) THEN
        RETURN p_invitation.household_role;
    ELSIF p_former.barred_at IS NOT NULL THEN
        PERFORM app.refuse('HF403', 'removed_from_family',
            'Somebody who was removed can come back only by a later invitation '
            'from somebody who is vouched for.');
    END IF;
    RETURN app.household_role_of_returning(
        p_former, p_invitation.role, p_invitation.household_role);
END $$;

-- Accepts an invitation by token, or by id for the addressed account (p_token_hash null). Outcomes:
--   joined
--   already_member      a link stays unused
--   already_accepted    by this account, which is a member
--   player_has_family   the invitation is for a player, who belongs to another family
--   role_mismatch       the account has the other role, and is in a family with others or waits
--                       for approval to join one
-- The last two change nothing. With player_has_family the returned row contains that other family.
--
-- An account that has no family, or lives alone in its families (leaving_own_family.sql), takes the
-- role of the invitation. An account that accepts a graduation becomes the child (graduation.sql).
-- An invitation can raise the ceiling of a former membership; a code can't.
CREATE OR REPLACE FUNCTION app.join_by_invitation(p_token_hash bytea, p_invitation uuid)
RETURNS TABLE (
    outcome text, family_unit_id uuid, member_id uuid, left_family_id uuid, own_family_id uuid,
    own_family_name text, invited_role text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_account constant uuid := app.require_account();
    v_seen uuid;
    v_kind text;
    v_invitation app.family_invitations;
    v_former app.family_members;
    v_household_role text;
    v_target uuid;
    v_own_families uuid[];
BEGIN
    PERFORM app.require_consent_to('invitation.accept');
    v_seen := app.invitation_to_answer(p_token_hash, p_invitation);
    SELECT i.kind, i.family_unit_id, app.families_to_leave(v_account, i.role)
        INTO v_kind, v_target, v_own_families
        FROM app.family_invitations AS i WHERE i.id = v_seen;
    IF v_kind = 'graduation' THEN
        RETURN QUERY SELECT g.* FROM app.graduate(p_token_hash, p_invitation) AS g;
        RETURN;
    END IF;
    PERFORM app.lock_families(v_own_families || v_target);
    v_invitation := app.locked_invitation(v_seen, p_token_hash, p_invitation);
    family_unit_id := v_invitation.family_unit_id;
    invited_role := v_invitation.role;
    SELECT m.* INTO v_former FROM app.family_members AS m
        WHERE m.family_unit_id = v_invitation.family_unit_id AND m.user_id = v_account;
    member_id := v_former.id;
    IF v_invitation.status = 'accepted' AND v_former.status = 'active' THEN
        outcome := 'already_accepted';
        RETURN NEXT;
        RETURN;
    ELSIF v_former.status = 'active' AND v_invitation.delivery = 'link' THEN
        outcome := 'already_member';
        RETURN NEXT;
        RETURN;
    END IF;
    v_household_role := app.initial_household_role(v_invitation, v_former);
    IF v_former.status IS DISTINCT FROM 'active' THEN
        PERFORM app.lock_account(v_account);
        v_own_families := app.locked_families_to_leave(
            v_account, v_invitation.role, v_own_families);
        outcome := app.membership_refusal(
            v_invitation.role, v_invitation.family_unit_id, v_account);
        IF outcome IS NOT NULL THEN
            SELECT f.id, f.family_name INTO own_family_id, own_family_name
                FROM app.family_units AS f
                WHERE outcome = 'player_has_family' AND f.id = app.player_family_of(v_account);
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;

    UPDATE app.family_invitations AS i SET
            status = 'accepted', accepted_at = now(), accepted_by = v_account, closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    ELSIF v_former.status = 'active' THEN
        outcome := 'already_member';
    ELSE
        left_family_id := app.leave_own_families(
            v_own_families, v_account, v_invitation.family_unit_id, v_invitation.role);
        member_id := app.store_invited_membership(v_invitation, v_account, v_household_role);
        outcome := 'joined';
    END IF;
    PERFORM app.record_audit('invitation.accept', v_invitation.family_unit_id, v_account,
        v_invitation.id, jsonb_build_object('outcome', outcome));
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.join_by_invitation(bytea, uuid) IS
    'Accepts an invitation by token, or by id if it is addressed to the account; one row.';

-- Writes the membership that an invitation grants. The caller has locked the family and the
-- account, and a player has left its own family. An API key's invitation first marks the family, so
-- that the triggers mark the member (slots.sql).
CREATE OR REPLACE FUNCTION app.store_invited_membership(
    p_invitation app.family_invitations, p_account uuid, p_household_role text
) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_role constant text := p_invitation.role;
    v_slot constant smallint := app.require_slot(p_invitation.family_unit_id);
    v_member uuid;
BEGIN
    PERFORM app.record_stated_role(p_account, v_role);
    IF p_invitation.invited_by_key IS NOT NULL THEN
        UPDATE app.family_units AS f SET entered_by_key = true
            WHERE f.id = p_invitation.family_unit_id AND NOT f.entered_by_key;
    END IF;
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, slot, joined_via, vouched)
        VALUES (p_invitation.family_unit_id, p_account, v_role, p_household_role, v_slot,
                'invitation', p_invitation.vouched)
        ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
            role = excluded.role, household_role = excluded.household_role,
            household_ceiling = excluded.household_ceiling,
            status = 'active', joined_via = 'invitation',
            vouched = m.vouched OR excluded.vouched,
            added_at = now(), removed_at = NULL, removed_by = NULL
        RETURNING m.id INTO v_member;
    IF v_role = 'player' THEN
        PERFORM app.fill_player_name(p_invitation.family_unit_id, p_account);
    END IF;
    RETURN v_member;
END $$;

-- The reason why join_by_invitation would refuse a pending invitation for a new member now; null if
-- it would accept the invitation. p_own: the families that the account would leave.
CREATE OR REPLACE FUNCTION app.refusal_of_entry(
    p_invitation app.family_invitations, p_was app.family_members, p_own uuid[], p_account uuid)
RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_refusal text;
BEGIN
    PERFORM app.initial_household_role(p_invitation, p_was);
    v_refusal := app.membership_refusal(
        p_invitation.role, p_invitation.family_unit_id, p_account);
    RETURN CASE
        WHEN v_refusal IS NOT NULL THEN v_refusal
        WHEN coalesce(p_was.status, 'removed') = 'removed'
            AND app.count_of_families(p_account) - cardinality(p_own) >= app.max_families()
            THEN 'too_many_families'
        WHEN NOT app.has_free_slot(p_invitation.family_unit_id) THEN 'family_full'
    END;
END $$;

-- The effect of accepting a pending invitation now, by the rules of join_by_invitation, but without
-- its locks: 'allowed' or the code of the refusal, the names of the families that the account would
-- leave and that would end, and the role that it would take on (null if the account already has
-- that role, or has never chosen one). Returns no row if the invitation is not pending or nobody is
-- signed in.
CREATE OR REPLACE FUNCTION app.prospect_of_invitation(p_token_hash bytea, p_invitation uuid)
RETURNS TABLE (outcome text, families_left text[], new_role text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.account_id();
    v_invitation app.family_invitations;
    v_was app.family_members;
    v_own uuid[];
BEGIN
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = app.invitation_to_answer(p_token_hash, p_invitation);
    IF v_account IS NULL OR app.state_of_invitation(v_invitation) <> 'pending' THEN
        RETURN;
    END IF;
    SELECT m.* INTO v_was FROM app.family_members AS m
        WHERE m.family_unit_id = v_invitation.family_unit_id AND m.user_id = v_account;
    v_own := CASE v_invitation.kind
        WHEN 'graduation' THEN app.families_of(v_account)
        ELSE app.families_to_leave(v_account, v_invitation.role) END;
    BEGIN
        PERFORM app.require_consent_to('invitation.accept');
        IF v_invitation.kind = 'graduation' THEN
            outcome := app.graduation_refusal(
                v_was, v_invitation.family_unit_id, v_invitation.role, v_own, v_account);
            PERFORM app.initial_household_role(v_invitation, v_was);
        ELSIF v_was.status = 'active' THEN
            v_own := ARRAY[]::uuid[];
        ELSE
            outcome := app.refusal_of_entry(v_invitation, v_was, v_own, v_account);
        END IF;
    EXCEPTION WHEN OTHERS THEN
        IF SQLSTATE !~ '^HF4' THEN
            RAISE;
        END IF;
        GET STACKED DIAGNOSTICS outcome = CONSTRAINT_NAME;
    END;
    families_left := app.names_of_families(v_own);
    new_role := (
        SELECT v_invitation.role FROM app.users AS u
        WHERE u.id = v_account AND u.role <> v_invitation.role AND NOT u.role_is_default);
    outcome := coalesce(outcome, 'allowed');
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.prospect_of_invitation(bytea, uuid) IS
    'What accepting an invitation would do to the caller now, or why it would be refused.';

CREATE OR REPLACE FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_seen constant uuid := app.invitation_to_answer(p_token_hash, p_invitation);
    v_invitation app.family_invitations;
BEGIN
    PERFORM app.require_account();
    PERFORM FROM app.family_invitations AS i JOIN app.family_units AS f ON f.id = i.family_unit_id
        WHERE i.id = v_seen FOR NO KEY UPDATE OF f;
    v_invitation := app.locked_invitation(v_seen, p_token_hash, p_invitation);
    UPDATE app.family_invitations AS i SET status = 'declined', closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    END IF;
    PERFORM app.record_audit('invitation.decline', v_invitation.family_unit_id, app.account_id(),
        v_invitation.id);
END $$;

COMMENT ON FUNCTION app.decline_invitation(bytea, uuid) IS
    'Declines an invitation by token, or by id if it is addressed to the account.';

GRANT SELECT ON app.invitations_to_me TO hearth_api;
GRANT EXECUTE ON FUNCTION app.belongs_to_family_of(bytea),
    app.preview_invitation(bytea), app.join_by_invitation(bytea, uuid),
    app.decline_invitation(bytea, uuid), app.prospect_of_invitation(bytea, uuid)
    TO hearth_api;
