-- What the mailer reads and writes.
--
-- A job names an invitation and its generation, or a family and people; addresses, names and the
-- token's digest are read when it is sent, and only if there is still something to send. An address
-- that a server has refused for good gets nothing more until an operator lifts that.
--
-- delivery_status belongs to delivery_generation: a resend makes it void.
--
-- Locks: ACCESS EXCLUSIVE on family_invitations for the new columns, without a rewrite; the
-- constraint is validated under SHARE UPDATE EXCLUSIVE. The view is replaced in place.

ALTER TABLE app.family_invitations
    ADD COLUMN delivery_status text, ADD COLUMN delivery_generation integer;
ALTER TABLE app.family_invitations
    ADD CONSTRAINT family_invitations_delivery_status_known CHECK (
        delivery_status IN ('sent', 'failed')
        AND (delivery_status IS NULL) = (delivery_generation IS NULL)) NOT VALID;
ALTER TABLE app.family_invitations VALIDATE CONSTRAINT family_invitations_delivery_status_known;

CREATE OR REPLACE VIEW app.invitation_list WITH (security_barrier) AS
SELECT i.id, i.family_unit_id, i.invited_by,
    CASE WHEN me.confides THEN coalesce(i.invited_email, '') ELSE '' END AS invited_email,
    i.role, i.household_role,
    CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired' ELSE i.status END
        AS status,
    i.delivery, i.expires_at, i.created_at, i.accepted_at, i.sent_count, i.last_sent_at,
    CASE WHEN i.delivery = 'email' THEN
        CASE WHEN i.delivery_generation = i.generation THEN i.delivery_status ELSE 'queued' END
    END AS delivery_status
FROM app.family_members AS me
JOIN app.family_invitations AS i ON i.family_unit_id = me.family_unit_id
WHERE me.user_id = app.account_id() AND me.status = 'active' AND me.household_role <> 'visitor';

CREATE TABLE app.suppressed_addresses (
    email text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    reason text NOT NULL,
    CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (email),
    CONSTRAINT suppressed_addresses_reason_size CHECK (octet_length(reason) <= 500)
);
ALTER TABLE app.suppressed_addresses ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.suppressed_addresses FORCE ROW LEVEL SECURITY;
CREATE POLICY suppressed_addresses_owner ON app.suppressed_addresses TO hearth_owner
    USING (true) WITH CHECK (true);
COMMENT ON TABLE app.suppressed_addresses IS 'Addresses that mail servers refuse for good.';

-- State: due; gone (answered, revoked, expired, renewed, purged); suppressed.
CREATE FUNCTION app.mail_of_invitation(p_invitation uuid, p_generation integer)
RETURNS TABLE (
    state text, email text, family_name text, inviter_name text, role text,
    expires_at timestamptz, token_hash bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE
            WHEN i.id IS NULL THEN 'gone'
            WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.email = i.invited_email)
            THEN 'suppressed' ELSE 'due' END,
        coalesce(i.invited_email, ''), coalesce(f.family_name, ''), coalesce(u.full_name, ''),
        coalesce(i.role, ''), coalesce(i.expires_at, now()), coalesce(s.token_hash, '')
    FROM (SELECT) AS always
    LEFT JOIN (
        app.family_invitations AS i
        JOIN app.family_units AS f ON f.id = i.family_unit_id
        JOIN app.users AS u ON u.id = i.invited_by
        JOIN app.invitation_secrets AS s
            ON s.invitation_id = i.id AND s.generation = i.generation)
        ON i.id = p_invitation AND i.generation = p_generation AND i.status = 'pending'
            AND i.delivery = 'email' AND i.expires_at > now();
$$;

-- What became of an invitation's e-mail; of a generation that isn't the present one, nothing.
CREATE FUNCTION app.note_delivery(p_invitation uuid, p_generation integer, p_status text)
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    UPDATE app.family_invitations AS i
        SET delivery_status = p_status, delivery_generation = p_generation
        WHERE i.id = p_invitation AND i.generation = p_generation;
$$;

-- What is needed to tell a person of a change in a family. p_reason: admin_changed (other: the new
-- Parent Admin), member_removed, guardian_replaced (other: the new guardian). State: due; gone, when
-- it isn't so any more, or there is no verified address; suppressed.
CREATE FUNCTION app.mail_of_change(
    p_reason text, p_family uuid, p_recipient uuid, p_other uuid
) RETURNS TABLE (
    state text, email text, recipient_name text, family_name text, other_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE
            WHEN r.id IS NULL THEN 'gone'
            WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.email = r.email)
            THEN 'suppressed' ELSE 'due' END,
        coalesce(r.email, ''), coalesce(r.full_name, ''), coalesce(f.family_name, ''),
        coalesce((SELECT o.full_name FROM app.users AS o WHERE o.id = p_other), '')
    FROM (SELECT) AS always
    LEFT JOIN (
        app.family_members AS m
        JOIN app.users AS r ON r.id = m.user_id
        JOIN app.family_units AS f ON f.id = m.family_unit_id)
        ON m.family_unit_id = p_family AND m.user_id = p_recipient AND r.kind = 'account'
            AND r.email IS NOT NULL AND r.email_verified AND r.deleted_at IS NULL
            AND CASE p_reason
                WHEN 'member_removed' THEN m.status = 'removed'
                WHEN 'admin_changed' THEN m.status = 'active' AND EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other
                        AND a.status = 'active' AND a.household_role = 'parent_admin')
                WHEN 'guardian_replaced' THEN EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other
                        AND a.status = 'active')
                ELSE false END;
$$;

CREATE FUNCTION app.suppress_address(p_email text, p_reason text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    INSERT INTO app.suppressed_addresses AS x (email, reason) VALUES (p_email, left(p_reason, 120))
        ON CONFLICT (email) DO NOTHING;
$$;

-- Answers whether it was suppressed.
CREATE FUNCTION app.unsuppress_address(p_email text) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    DELETE FROM app.suppressed_addresses AS x WHERE x.email = app.normalised_email(p_email);
    RETURN FOUND;
END $$;

GRANT EXECUTE ON FUNCTION
    app.mail_of_invitation(uuid, integer), app.note_delivery(uuid, integer, text),
    app.mail_of_change(text, uuid, uuid, uuid), app.suppress_address(text, text)
    TO hearth_worker;
GRANT EXECUTE ON FUNCTION app.unsuppress_address(text) TO hearth_admin;

-- Makes the partitions of the days ahead, and drops those of days long over. A partition that is in
-- use is left for the next time. Answers how many were dropped.
CREATE FUNCTION jobs.keep_history(p_age interval) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' SET lock_timeout = '500ms' AS $$
DECLARE
    v_today constant date := (now() AT TIME ZONE 'UTC')::date;
    v_day date;
    v_name text;
    v_dropped integer := 0;
BEGIN
    FOR v_day IN SELECT v_today + n FROM generate_series(0, 2) AS n LOOP
        v_name := 'history_' || to_char(v_day, 'YYYYMMDD');
        -- Rows that came before there was a partition for them stand in its way: then the day stays
        -- with the others.
        IF to_regclass('jobs.' || v_name) IS NULL AND NOT EXISTS (
            SELECT FROM jobs.history_other AS h
            WHERE h.finished_at >= v_day AT TIME ZONE 'UTC'
                AND h.finished_at < (v_day + 1) AT TIME ZONE 'UTC') THEN
            BEGIN
                EXECUTE format(
                    'CREATE TABLE jobs.%I PARTITION OF jobs.history FOR VALUES FROM (%L) TO (%L)',
                    v_name, v_day AT TIME ZONE 'UTC', (v_day + 1) AT TIME ZONE 'UTC');
            EXCEPTION WHEN lock_not_available OR duplicate_table THEN
                NULL;
            END;
        END IF;
    END LOOP;
    FOR v_name IN
        SELECT c.relname FROM pg_catalog.pg_inherits AS i
        JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'jobs.history'::regclass AND c.relname ~ '^history_[0-9]{8}$'
            AND (to_date(right(c.relname, 8), 'YYYYMMDD') + 1) AT TIME ZONE 'UTC' <= now() - p_age
        ORDER BY c.relname
    LOOP
        BEGIN
            EXECUTE format('DROP TABLE jobs.%I', v_name);
            v_dropped := v_dropped + 1;
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
    END LOOP;
    DELETE FROM jobs.history_other AS h WHERE h.finished_at <= now() - p_age;
    RETURN v_dropped;
END $$;

GRANT EXECUTE ON FUNCTION jobs.keep_history(interval) TO hearth_worker, hearth_admin;
