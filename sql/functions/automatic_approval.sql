-- hearth: after limits.sql, timestamps_ahead.sql
-- Detects guesses at family codes from many accounts and addresses at once, and requires approval
-- while they last.
--
-- The limits for accounts, addresses and networks (joining.sql) stop one guesser. An attacker with
-- very many of each stays within all these limits. So the database counts every wrong code of the
-- whole installation. While more wrong codes come in than usual, joining by a code requires the
-- family's approval in every family, except for accounts that the family has invited. This
-- requirement ends automatically, a few minutes after the last wrong code above the rate.
--
-- A wrong code is counted once an hour for each account, however often the account repeats it.
--
-- An attempt costs little: a wrong code updates one row of its minute and reads the rows of two
-- minutes; a join reads one row. A minute has several rows (shards), so that transactions that
-- count at the same time don't wait for each other.

-- The usual number of wrong codes a minute at this time of day: the median of the same hour on the
-- seven days before. A day without a row is treated as a day without wrong codes. So a new
-- installation begins with zero, and an attack of three days does not change the number.
CREATE OR REPLACE FUNCTION app.usual_wrong_codes(p_at timestamptz) RETURNS integer
LANGUAGE sql STABLE
RETURN (
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY coalesce(h.codes_a_minute, 0))
    FROM generate_series(1, 7) AS days (ago)
    LEFT JOIN app.wrong_code_hours AS h
        ON h.hour = date_trunc('hour', p_at, 'UTC') - make_interval(hours => 24 * days.ago));

-- Wrong codes in the last sixty seconds, estimated: those of the current minute, and a share of
-- those of the minute before.
CREATE OR REPLACE FUNCTION app.wrong_codes_of_last_minute() RETURNS integer
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(CASE WHEN w.minute = m.minute THEN w.codes
                ELSE w.codes * (1 - extract(epoch FROM now() - m.minute) / 60) END), 0)::integer
        FROM (SELECT date_trunc('minute', now(), 'UTC')) AS m (minute)
        JOIN app.wrong_codes AS w ON w.minute IN (m.minute, m.minute - interval '1 minute'));
END $$;

CREATE OR REPLACE FUNCTION app.approval_is_automatic() RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.automatic_approval AS a
        WHERE app.is_lasting(a.lasts_until, app.automatic_approval_time()));
END $$;

-- Whether the account has a verified address to which the family has sent an invitation that is
-- still open.
CREATE OR REPLACE FUNCTION app.has_invited(p_family uuid, p_account uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.users AS u
        JOIN app.family_invitations AS i ON i.mailbox = u.mailbox
        WHERE u.id = p_account AND u.email_verified AND i.family_unit_id = p_family
            AND i.status = 'pending' AND i.expires_at > now());
END $$;

-- Counts a wrong code of an account, unless it was counted within the hour.
CREATE OR REPLACE FUNCTION app.record_wrong_code(p_account uuid, p_code text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_codes integer;
BEGIN
    INSERT INTO app.code_lookups AS l (user_id, code_digest, is_counted)
        VALUES (p_account, app.code_digest(p_account, p_code), true)
        ON CONFLICT (user_id, code_digest) DO UPDATE SET is_counted = true
            WHERE NOT l.is_counted;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO app.wrong_codes AS w (minute, shard, codes)
        VALUES (date_trunc('minute', now(), 'UTC'),
                pg_backend_pid() % app.shards_of_wrong_codes(), 1)
        ON CONFLICT (minute, shard) DO UPDATE SET codes = w.codes + 1;
    v_codes := app.wrong_codes_of_last_minute();
    -- The usual number is looked up only if the rate alone is exceeded. The row that all joins read
    -- is written, and locked, at most every ten seconds.
    IF v_codes > app.wrong_code_rate()
        AND v_codes > app.wrong_code_rate() + app.usual_wrong_codes(now())
        AND NOT EXISTS (
            SELECT FROM app.automatic_approval AS a
            WHERE app.is_lasting(a.lasts_until, app.automatic_approval_time())
                AND a.lasts_until
                    > now() + app.automatic_approval_time() - interval '10 seconds')
    THEN
        INSERT INTO app.automatic_approval AS a (began_at, lasts_until)
            VALUES (now(), now() + app.automatic_approval_time())
            ON CONFLICT (is_only) DO UPDATE SET
                began_at = CASE WHEN app.is_lasting(a.lasts_until, app.automatic_approval_time())
                                THEN a.began_at ELSE excluded.began_at END,
                lasts_until = CASE
                    WHEN app.is_lasting(a.lasts_until, app.automatic_approval_time())
                    THEN greatest(a.lasts_until, excluded.lasts_until)
                    ELSE excluded.lasts_until END;
    END IF;
END $$;

-- The facts that decide whether the account joins the family of a live code at once. The policy
-- needs them before the attempt; join_family_by_code checks them again.
CREATE OR REPLACE FUNCTION app.approval_terms_of_code(p_code text)
RETURNS TABLE (approval_required boolean, approval_is_automatic boolean, is_invited boolean,
               is_barred boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    RETURN QUERY SELECT f.approval_required, app.approval_is_automatic(),
            app.has_invited(f.id, v_account), EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.user_id = v_account
                    AND m.barred_at IS NOT NULL)
        FROM app.family_codes AS c JOIN app.family_units AS f ON f.id = c.family_unit_id
        WHERE c.code = app.normalised_code(p_code) AND c.state = 'live';
END $$;

COMMENT ON FUNCTION app.approval_terms_of_code(text) IS
    'Whether the family of a code requires approval, by its setting or automatically, whether it '
    'has invited the account, and whether others have barred it; no row if no family has the code.';

-- Returns whether approval is required because of wrong codes, for monitoring and `hearth-admin
-- doctor`.
CREATE OR REPLACE FUNCTION app.code_guess_status()
RETURNS TABLE (
    is_automatic boolean, began_at timestamptz, lasts_until timestamptz,
    wrong_codes integer, usual integer, rate integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT coalesce(app.is_lasting(a.lasts_until, app.automatic_approval_time()), false),
        a.began_at, a.lasts_until,
        app.wrong_codes_of_last_minute(), app.usual_wrong_codes(now()), app.wrong_code_rate()
    FROM (SELECT) AS always LEFT JOIN app.automatic_approval AS a ON true;
$$;

COMMENT ON FUNCTION app.code_guess_status() IS
    'Whether wrong codes make approval required now, when they last began to, and their rate.';

-- Replaces the minutes of each past hour by one row with the hour's average number of wrong codes.
-- The stored number is at most the usual number plus app.wrong_code_rate(). So an attack of several
-- days raises the usual number by at most one such rate in four days, not to the number of the
-- attack.
CREATE OR REPLACE FUNCTION app.purge_wrong_codes(
    p_batch integer, OUT changed integer, OUT reached timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    -- An hour that ended five minutes ago is final, because no statement lasts that long.
    v_end constant timestamptz := date_trunc('hour', now() - interval '5 minutes', 'UTC');
    v_hour timestamptz;
    v_minutes integer;
BEGIN
    changed := 0;
    WHILE changed < p_batch LOOP
        SELECT date_trunc('hour', min(w.minute), 'UTC') INTO v_hour
            FROM app.wrong_codes AS w WHERE w.minute < v_end;
        EXIT WHEN v_hour IS NULL;
        -- v_hour is the oldest hour with rows, so all rows from before its end belong to it.
        INSERT INTO app.wrong_code_hours (hour, codes_a_minute)
            SELECT v_hour, least(ceil(sum(w.codes) / 60.0),
                    app.usual_wrong_codes(v_hour) + app.wrong_code_rate())
                FROM app.wrong_codes AS w
                WHERE w.minute < v_hour + interval '1 hour'
            ON CONFLICT (hour) DO NOTHING;
        DELETE FROM app.wrong_codes AS w WHERE w.minute < v_hour + interval '1 hour';
        GET DIAGNOSTICS v_minutes = ROW_COUNT;
        changed := changed + v_minutes;
        reached := v_hour;
    END LOOP;
    DELETE FROM app.wrong_code_hours AS h WHERE h.hour < now() - interval '8 days';
END $$;

COMMENT ON FUNCTION app.purge_wrong_codes(integer) IS
    'Sums up past minutes of wrong codes by the hour; deletes hours after eight days.';

GRANT EXECUTE ON FUNCTION app.approval_terms_of_code(text) TO hearth_api;
GRANT EXECUTE ON FUNCTION app.code_guess_status() TO hearth_api, hearth_worker, hearth_admin;
GRANT EXECUTE ON FUNCTION app.purge_wrong_codes(integer) TO hearth_worker;
