-- Blocked accounts. An operator can block an account, for example because somebody misuses it.
--
-- A block takes effect with its commit: all sessions end, tokens of other issuers get the outcome
-- `blocked` from begin_request, and no session opens (open_session). Only a person who has proved
-- ownership of the account, by the right password, code, passkey or token, gets account_blocked; a
-- wrong secret is refused as for every account. Memberships stay, and others do not learn of the
-- block. The account gets no e-mails except the notice of the block, and codes that somebody
-- requests.
--
-- So that a block stops nothing for the rest of the family, a blocked member is treated as absent
-- where the rights of others depend on it: who may claim or take over the seat of the Parent Admin,
-- who approves people and stands in, and who is the guardian of a child. Nobody can become Parent
-- Admin or a guardian while blocked. Membership, slot, seat and guardianships stay, and after the
-- block they are as before, unless another member has claimed the seat or handed a child over
-- meanwhile. Invitations of a blocked sender are treated as absent (answering_invitations.sql).
--
-- If the rights of others depend on a block, the block records the change `family`
-- (changes_meaning.sql lists the kinds of changes).
--
-- Locks: those of lock_person (erasure.sql), so that no sign-in to the account and no change of its
-- families runs at the same time as a block.

CREATE OR REPLACE FUNCTION app.is_blocked(p_user uuid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.users AS u WHERE u.id = p_user AND u.blocked_at IS NOT NULL);
END $$;

-- Refuses a sign-in to a blocked account. The caller has proved ownership of the account, and holds
-- its lock.
CREATE OR REPLACE FUNCTION app.require_not_blocked(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF app.is_blocked(p_user) THEN
        PERFORM app.refuse('HF403', 'account_blocked', 'This account is blocked.');
    END IF;
END $$;

-- Marks a sign-in that is added or moved to a blocked account as blocked.
CREATE OR REPLACE FUNCTION app.copy_block() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.is_blocked := app.is_blocked(NEW.user_id);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER copy_block BEFORE INSERT OR UPDATE OF user_id ON app.user_identities
    FOR EACH ROW EXECUTE FUNCTION app.copy_block();

-- Updates all families of a person after a block has begun or ended: who stands in for the creator
-- and the Parent Admin; and the family's version where the block changes whether others may claim
-- the seat, because the person has the seat, or alone has a prior right to a vacant seat.
CREATE OR REPLACE FUNCTION app.apply_block_to_families(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM app.update_stand_ins_of(m.family_unit_id) FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status = 'active' ORDER BY m.family_unit_id;
    INSERT INTO app.pending_changes (kind, family_unit_id)
        SELECT 'family', m.family_unit_id FROM app.family_members AS m
        WHERE m.user_id = p_user AND (app.is_admin(m) OR (
            app.has_right_to_seat(m) AND NOT app.seat_is_taken(m.family_unit_id) AND NOT EXISTS (
                SELECT FROM app.family_members AS o
                WHERE o.family_unit_id = m.family_unit_id AND o.id <> m.id
                    AND app.has_right_to_seat(o) AND NOT app.is_blocked(o.user_id))));
END $$;

-- Blocks an account: its sessions end, and its owner gets an e-mail. Returns false if it is blocked
-- already.
CREATE OR REPLACE FUNCTION app.operator_block_user(p_user uuid, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user app.users;
    v_sessions integer;
BEGIN
    PERFORM app.require_operator();
    IF coalesce(p_reason, '') !~ '^[^[:cntrl:]]{1,200}$' THEN
        PERFORM app.refuse_field('reason', 'The reason has 1 to 200 characters on one line.');
    END IF;
    v_user := app.lock_person(p_user);
    IF v_user.id IS NULL OR v_user.kind <> 'account' THEN
        PERFORM app.refuse('HF404', 'user_not_found', 'There is no such account.');
    END IF;
    PERFORM app.require_may_act_on(p_user);
    PERFORM app.require_no_operator(p_user);
    IF v_user.blocked_at IS NOT NULL THEN
        RETURN false;
    END IF;
    UPDATE app.users AS u SET blocked_at = now(), blocked_by = app.operator_label(),
            blocked_reason = p_reason
        WHERE u.id = p_user;
    UPDATE app.user_identities AS i SET is_blocked = true WHERE i.user_id = p_user;
    PERFORM app.apply_block_to_families(p_user);
    v_sessions := app.end_sessions_of(p_user, NULL, 'blocked');
    PERFORM app.record_audit('user.block', NULL, p_user, p_user,
        jsonb_build_object('sessions', v_sessions));
    PERFORM jobs.enqueue('mail', 'mail.account_blocked', NULL, jsonb_build_object(
        'recipient', p_user, 'messageId', replace(gen_random_uuid()::text, '-', ''),
        'date', extract(epoch FROM now())::bigint));
    PERFORM pg_notify('hearth_jobs', 'mail');
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_block_user(uuid, text) IS
    'Blocks an account and ends its sessions; false if it is blocked already.';

-- Lifts a block. Returns false if there is none. The person has to sign in again.
CREATE OR REPLACE FUNCTION app.operator_unblock_user(p_user uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM app.require_operator();
    v_user := app.lock_person(p_user);
    IF v_user.id IS NULL THEN
        PERFORM app.refuse('HF404', 'user_not_found', 'There is no such account.');
    END IF;
    PERFORM app.require_may_act_on(p_user);
    IF v_user.blocked_at IS NULL THEN
        RETURN false;
    END IF;
    UPDATE app.users AS u SET blocked_at = NULL, blocked_by = NULL, blocked_reason = NULL
        WHERE u.id = p_user;
    UPDATE app.user_identities AS i SET is_blocked = false WHERE i.user_id = p_user;
    PERFORM app.apply_block_to_families(p_user);
    PERFORM app.record_audit('user.unblock', NULL, p_user, p_user);
    RETURN true;
END $$;

COMMENT ON FUNCTION app.operator_unblock_user(uuid) IS
    'Lifts the block of an account; false if there is none.';

GRANT EXECUTE ON FUNCTION
    app.operator_block_user(uuid, text), app.operator_unblock_user(uuid)
    TO hearth_admin;
