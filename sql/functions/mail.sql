-- Functions of the mailer.
--
-- A job names an invitation and its generation (the number of its link, which each renewal raises),
-- or a family and people. Addresses, names and the hash of the token are read when the e-mail is
-- sent, and only if there still is something to send. A suppressed address gets nothing until an
-- operator allows it again. An address on hold gets only what its owner asks for.

-- Delivery status of an address: due (it gets all e-mails); held_off (on hold: only those that its
-- owner asks for); suppressed (none).
CREATE OR REPLACE FUNCTION app.mailbox_status(p_mailbox text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN CASE
        WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.mailbox = p_mailbox)
        THEN 'suppressed'
        WHEN EXISTS (
            SELECT FROM app.mail_verdicts AS v
            WHERE v.mailbox = p_mailbox AND app.is_within(v.held_since, app.mail_hold_time()))
        THEN 'held_off' ELSE 'due' END;
END $$;

-- Data of an invitation's e-mail. State: due; gone (answered, revoked, expired, renewed, purged, or
-- its sender is blocked); held_off; suppressed, which includes an address that refuses invitations.
CREATE OR REPLACE FUNCTION app.mail_of_invitation(p_invitation uuid, p_generation integer)
RETURNS TABLE (
    state text, email text, family_name text, inviter_name text, role text,
    expires_at timestamptz, token_hash bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT CASE
            WHEN i.id IS NULL THEN 'gone'
            WHEN app.mailbox_refuses_invitations(i.mailbox, i.family_unit_id) THEN 'suppressed'
            ELSE app.mailbox_status(i.mailbox) END,
        coalesce(i.invited_email, ''), coalesce(f.family_name, ''),
        coalesce(i.invited_by_key, u.full_name, ''),
        coalesce(i.role, ''), coalesce(i.expires_at, now()), coalesce(s.token_hash, '')
    FROM (SELECT) AS always
    LEFT JOIN (
        app.family_invitations AS i
        JOIN app.family_units AS f ON f.id = i.family_unit_id
        LEFT JOIN app.users AS u ON u.id = i.invited_by
        JOIN app.invitation_secrets AS s
            ON s.invitation_id = i.id AND s.generation = i.generation)
        ON i.id = p_invitation AND i.generation = p_generation AND i.status = 'pending'
            AND i.delivery = 'email' AND i.expires_at > now() AND u.blocked_at IS NULL;
END $$;

-- Records the outcome of an invitation's e-mail, for the current generation only.
CREATE OR REPLACE FUNCTION app.record_delivery(
    p_invitation uuid, p_generation integer, p_status text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    UPDATE app.family_invitations AS i
        SET delivery_status = p_status, delivery_generation = p_generation
        WHERE i.id = p_invitation AND i.generation = p_generation;
END $$;

-- Enqueues an e-mail about a change in a family, in the transaction that makes the change.
-- p_other_person is the other person whom the e-mail is about, if any.
CREATE OR REPLACE FUNCTION app.enqueue_family_mail(
    p_kind text, p_family uuid, p_recipient uuid, p_other_person uuid DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM jobs.enqueue('mail', p_kind, p_family,
        jsonb_strip_nulls(jsonb_build_object(
            'family', p_family, 'recipient', p_recipient, 'other', p_other_person,
            'messageId', replace(gen_random_uuid()::text, '-', ''),
            'date', extract(epoch FROM now())::bigint)));
END $$;

-- Data of an e-mail about a change in a family. p_reason: admin_changed (p_other_person: the new
-- Parent Admin), member_removed, join_requested (to members who may approve; p_other_person: the
-- person who asks), request_approved, request_rejected, request_in_other_role (the account has
-- another role than the one in which it asked to join), waiting_ended (the family that the person
-- waited to join has no members any more), guardian_replaced (p_other_person: the new guardian),
-- guardian_named, guardian_removed, graduation_started, graduated (p_other_person: the child).
-- State: due; gone, if the change no longer applies or the recipient has no verified address;
-- held_off; suppressed.
CREATE OR REPLACE FUNCTION app.mail_of_change(
    p_reason text, p_family uuid, p_recipient uuid, p_other_person uuid
) RETURNS TABLE (
    state text, email text, recipient_name text, family_name text, other_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE
            WHEN r.id IS NULL THEN 'gone' ELSE app.mailbox_status(r.mailbox) END,
        coalesce(r.email, ''), coalesce(r.full_name, ''), coalesce(f.family_name, ''),
        -- The list of members shows a waiting person by the same name.
        coalesce((
            SELECT coalesce(o.full_name, CASE
                WHEN p_reason = 'join_requested' AND o.email_verified
                THEN regexp_replace(o.email, '@[^@]*$', '') END)
            FROM app.users AS o WHERE o.id = p_other_person), '')
    FROM (SELECT) AS always
    LEFT JOIN (
        app.family_members AS m
        JOIN app.users AS r ON r.id = m.user_id
        JOIN app.family_units AS f ON f.id = m.family_unit_id)
        ON m.family_unit_id = p_family AND m.user_id = p_recipient AND r.kind = 'account'
            AND r.email IS NOT NULL AND r.email_verified AND r.deleted_at IS NULL
            AND r.blocked_at IS NULL
            AND CASE p_reason
                WHEN 'member_removed' THEN m.status = 'removed'
                    AND m.removed_by IS DISTINCT FROM p_recipient
                WHEN 'join_requested' THEN m.status = 'active' AND app.may_admit(m) AND EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other_person
                        AND a.status = 'invited')
                WHEN 'request_approved' THEN m.status = 'active'
                WHEN 'request_rejected' THEN m.status = 'removed'
                    AND m.removed_by IS DISTINCT FROM p_recipient
                WHEN 'request_in_other_role' THEN m.status = 'invited' AND m.role <> r.role
                WHEN 'waiting_ended' THEN m.status = 'removed'
                WHEN 'admin_changed' THEN m.status = 'active' AND EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other_person
                        AND a.status = 'active' AND a.household_role = 'parent_admin')
                WHEN 'guardian_replaced' THEN EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other_person
                        AND a.status = 'active')
                WHEN 'guardian_named' THEN EXISTS (
                    SELECT FROM app.guardianships AS w
                    WHERE w.family_unit_id = p_family AND w.member_id = p_other_person
                        AND w.guardian_user_id = p_recipient)
                WHEN 'graduation_started' THEN EXISTS (
                    SELECT FROM app.guardianships AS w
                    JOIN app.family_invitations AS i ON i.graduate_id = w.member_id
                    WHERE w.family_unit_id = p_family AND w.member_id = p_other_person
                        AND w.guardian_user_id = p_recipient AND i.status = 'pending')
                WHEN 'graduated' THEN m.status = 'active' AND EXISTS (
                    SELECT FROM app.family_members AS c
                    WHERE c.family_unit_id = p_family AND c.id = p_other_person
                        AND c.user_kind = 'account' AND c.status = 'active')
                WHEN 'guardian_removed' THEN EXISTS (
                    SELECT FROM app.family_members AS c
                    WHERE c.family_unit_id = p_family AND c.user_id = p_other_person
                        AND c.status = 'active')
                    AND NOT EXISTS (
                        SELECT FROM app.guardianships AS w
                        WHERE w.member_id = p_other_person AND w.guardian_user_id = p_recipient)
                ELSE false END;
$$;

-- Data of an e-mail to the owner of an account about the account itself. State: due; gone, if the
-- account is erased or blocked, or has no verified address; held_off; suppressed.
CREATE OR REPLACE FUNCTION app.mail_of_account(p_recipient uuid)
RETURNS TABLE (state text, email text, recipient_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE
            WHEN u.id IS NULL THEN 'gone' ELSE app.mailbox_status(u.mailbox) END,
        coalesce(u.email, ''), coalesce(u.full_name, '')
    FROM (SELECT) AS always
    LEFT JOIN app.users AS u ON u.id = p_recipient AND u.kind = 'account'
        AND u.email IS NOT NULL AND u.email_verified AND u.deleted_at IS NULL
        AND u.blocked_at IS NULL
$$;

-- Data of the e-mail that says that an account is blocked. State: as above; gone, if the account is
-- not blocked.
CREATE OR REPLACE FUNCTION app.mail_of_block(p_recipient uuid)
RETURNS TABLE (state text, email text, recipient_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE
            WHEN u.id IS NULL THEN 'gone' ELSE app.mailbox_status(u.mailbox) END,
        coalesce(u.email, ''), coalesce(u.full_name, '')
    FROM (SELECT) AS always
    LEFT JOIN app.users AS u ON u.id = p_recipient AND u.kind = 'account'
        AND u.email IS NOT NULL AND u.email_verified AND u.deleted_at IS NULL
        AND u.blocked_at IS NOT NULL
$$;

-- Address of an erased account, for the confirmation of the erasure. State: due; held_off;
-- suppressed; gone, once the address is deleted.
CREATE OR REPLACE FUNCTION app.mail_of_erasure(p_erasure uuid)
RETURNS TABLE (state text, email text, recipient_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE WHEN e.email IS NULL THEN 'gone'
            ELSE app.mailbox_status(app.mailbox_of(e.email)) END, coalesce(e.email, ''), ''
    FROM (SELECT) AS always
    LEFT JOIN app.erasures AS e ON e.id = p_erasure
$$;

-- Deletes the address of an erased account: the confirmation was sent, or can't be.
CREATE OR REPLACE FUNCTION app.delete_erasure_address(p_erasure uuid) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    UPDATE app.erasures AS e SET email = NULL, locale = NULL
        WHERE e.id = p_erasure AND e.email IS NOT NULL;
$$;

CREATE OR REPLACE FUNCTION app.suppress_address(p_email text, p_reason text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO app.suppressed_addresses AS x (email, reason) VALUES (p_email, left(p_reason, 120))
        ON CONFLICT DO NOTHING;
$$;

-- Records a permanent rejection that does not mean that the address is dead. The third within a day
-- puts the address on hold. Returns whether the address is on hold.
CREATE OR REPLACE FUNCTION app.record_mail_rejection(p_email text, p_reason text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row app.mail_verdicts;
BEGIN
    INSERT INTO app.mail_verdicts AS v (mailbox, verdicts, reason)
        VALUES (coalesce(app.mailbox_of(p_email), p_email), ARRAY[now()], left(p_reason, 120))
        ON CONFLICT (mailbox) DO UPDATE SET reason = excluded.reason, verdicts = now() || ARRAY(
            SELECT o.at FROM unnest(v.verdicts) AS o (at)
            WHERE app.is_within(o.at, app.mail_hold_time())
            ORDER BY o.at DESC LIMIT app.max_mail_rejections() - 1)
        RETURNING v.* INTO v_row;
    IF app.is_within(v_row.held_since, app.mail_hold_time()) THEN
        RETURN true;
    END IF;
    UPDATE app.mail_verdicts AS v SET held_since = now(), tried_at = NULL
        WHERE v.mailbox = v_row.mailbox
            AND cardinality(v.verdicts) >= app.max_mail_rejections();
    RETURN FOUND;
END $$;

-- Reserves an attempt to send an e-mail that the owner of an address on hold asked for. Returns 0
-- if the e-mail may be sent now, and then allows no other for a minute. Otherwise returns the
-- seconds to wait.
CREATE OR REPLACE FUNCTION app.reserve_mail_try(p_email text) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_tried_at timestamptz;
BEGIN
    SELECT v.tried_at INTO v_tried_at FROM app.mail_verdicts AS v
        WHERE v.mailbox = app.mailbox_of(p_email) FOR NO KEY UPDATE;
    IF app.is_within(v_tried_at, app.mail_hold_pause()) THEN
        RETURN greatest(1, ceil(extract(
            epoch FROM v_tried_at + app.mail_hold_pause() - now())))::integer;
    END IF;
    UPDATE app.mail_verdicts AS v SET tried_at = now()
        WHERE v.mailbox = app.mailbox_of(p_email);
    RETURN 0;
END $$;

-- Allows e-mails to an address again. Returns whether it was suppressed or had recorded rejections.
CREATE OR REPLACE FUNCTION app.unsuppress_address(p_email text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_was_held_off boolean;
BEGIN
    DELETE FROM app.mail_verdicts AS v WHERE v.mailbox = app.mailbox_of(p_email);
    v_was_held_off := FOUND;
    DELETE FROM app.suppressed_addresses AS x WHERE x.mailbox = app.mailbox_of(p_email);
    RETURN FOUND OR v_was_held_off;
END $$;

GRANT EXECUTE ON FUNCTION
    app.mail_of_invitation(uuid, integer), app.record_delivery(uuid, integer, text),
    app.mail_of_change(text, uuid, uuid, uuid), app.mail_of_account(uuid), app.mail_of_block(uuid),
    app.mail_of_erasure(uuid), app.delete_erasure_address(uuid), app.suppress_address(text, text),
    app.record_mail_rejection(text, text), app.reserve_mail_try(text)
    TO hearth_worker;
