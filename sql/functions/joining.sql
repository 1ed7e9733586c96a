-- Joining a family by its code, and the preview of a code. The API calls reserve_code_attempt and
-- approval_terms_of_code, then join_family_by_code or request_to_join_by_code, both of which call
-- join_or_wait_by_code.
--
-- An attempt at a code is counted first, in a transaction of its own (reserve_code_attempt). The
-- functions for joining return refusals as outcomes, with the codes that errors have elsewhere. So
-- the transaction of a refusal commits: it releases the reserved attempt, unless no family has the
-- code or the code has expired, and it keeps the entry in the usage log. Where a code exists, but
-- nobody could approve the person (code_unknown of outcome_of_joining), the attempt is released as
-- well: it was no guess.
--
-- Lock order: the rows of the code's family and of the player's own family, in the order of their
-- ids; then the account's row.

-- Normal form of a code: trimmed, in upper case, with the prefix FAM-. Null if p_code can't be a
-- code.
CREATE OR REPLACE FUNCTION app.normalised_code(p_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN upper(btrim(p_code, E' \t\r\n')) ~ '^FAM-[A-Z0-9]{6,8}$'
        THEN upper(btrim(p_code, E' \t\r\n'))
    WHEN upper(btrim(p_code, E' \t\r\n')) ~ '^[A-Z0-9]{6,8}$'
        THEN 'FAM-' || upper(btrim(p_code, E' \t\r\n'))
END;

-- Digest under which an attempt is stored, so that the table holds no code.
CREATE OR REPLACE FUNCTION app.code_digest(p_account uuid, p_code text) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(convert_to(p_account::text || coalesce(app.normalised_code(p_code), ''), 'UTF8'));

-- Rate-limit buckets of an attempt at a code: account, address and network.
CREATE OR REPLACE FUNCTION app.code_buckets(p_address text, p_network text) RETURNS text[]
LANGUAGE sql STABLE
RETURN ARRAY[
    'code:account:' || app.account_id(), 'code:address:' || p_address,
    'code:network:' || p_network];

-- Reserves an attempt at a code for the account, the address and the network, and records which
-- distinct codes the account has tried. The distinct codes stay counted whatever the result.
-- Returns no row if the attempt may be made; otherwise a row with the limit that refuses it and the
-- seconds to wait.
CREATE OR REPLACE FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text)
RETURNS TABLE (limited_by text, retry_after_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_buckets constant text[] := app.code_buckets(p_address, p_network);
    v_digest constant bytea := app.code_digest(v_account, p_code);
    v_recent record;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT h.limited_by, h.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.reserve_hits(
            v_buckets,
            ARRAY[app.max_code_attempts_of_account(), app.max_code_attempts_of_address(),
                app.max_code_attempts_of_network()],
            app.code_attempts_window()) AS h;
    IF limited_by IS NOT NULL THEN
        RETURN NEXT;
        RETURN;
    END IF;
    -- The account's bucket is locked by now, so of two parallel attempts the second counts the code
    -- of the first.
    SELECT count(*) AS codes, min(l.looked_up_at) AS oldest,
           coalesce(bool_or(l.code_digest = v_digest), false) AS known INTO v_recent
        FROM app.code_lookups AS l
        WHERE l.user_id = v_account
            AND app.is_within(l.looked_up_at, app.distinct_codes_window());
    IF v_recent.codes >= app.max_distinct_codes() AND NOT v_recent.known THEN
        PERFORM app.release_hits(v_buckets);
        limited_by := 'code:distinct:' || v_account;
        retry_after_seconds := greatest(1, ceil(extract(
            epoch FROM v_recent.oldest + app.distinct_codes_window() - now()))::integer);
        RETURN NEXT;
        RETURN;
    END IF;
    INSERT INTO app.code_lookups AS l (user_id, code_digest) VALUES (v_account, v_digest)
        ON CONFLICT (user_id, code_digest) DO UPDATE SET looked_up_at = now(), is_counted = false
            WHERE app.is_within(l.looked_up_at, app.distinct_codes_window()) IS NOT TRUE;
END $$;

COMMENT ON FUNCTION app.reserve_code_attempt(text, text, text) IS
    'Counts an attempt at a code before it is made, in a transaction of its own.';

-- Locks the family of a code and returns it; or returns the refusal, code_unknown or code_expired.
-- The lock makes a concurrent change of the code finish first.
CREATE OR REPLACE FUNCTION app.lock_family_of_code(
    p_code text, OUT family_id uuid, OUT refusal text)
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_entry app.family_codes;
    v_family app.family_units;
BEGIN
    SELECT c.* INTO v_entry FROM app.family_codes AS c WHERE c.code = app.normalised_code(p_code);
    family_id := v_entry.family_unit_id;
    IF v_entry.state = 'live' THEN
        SELECT f.* INTO v_family FROM app.family_units AS f
            WHERE f.id = v_entry.family_unit_id FOR NO KEY UPDATE;
        -- The code may have been regenerated or retired while this transaction waited for the lock.
        IF v_family.family_code IS DISTINCT FROM v_entry.code THEN
            SELECT c.* INTO v_entry FROM app.family_codes AS c WHERE c.code = v_entry.code;
        ELSIF v_family.code_expires_at <= now() THEN
            v_entry.reason := 'expired';
        END IF;
    END IF;
    refusal := CASE
        WHEN v_entry.reason = 'expired' THEN 'code_expired'
        WHEN v_entry.code IS NULL OR v_entry.reason IS NOT NULL THEN 'code_unknown'
    END;
END $$;

-- Outcomes of joining. The caller, join_or_wait_by_code, has checked the consent and the code
-- itself before.
--   consent_missing       the account has not consented to what joining requires
--   code_unknown          no such code, or it was regenerated or given up; or the person would have
--                         to wait, and the family has no member left who could approve, or only
--                         members whom an operator has blocked
--   code_expired          the code has expired, whether or not a job has retired it
--   already_member
--   removed_from_family   the family has rejected this person twice within 30 days, the last time
--                         less than 30 days ago; only an invitation readmits the person
--   too_many_families     the account is in, or waits for approval to join, as many families as
--                         it may
--   player_has_family     the player belongs to another family and does not live alone in it
--   family_full           no slot is free, or the waiting list is full
--   waiting               the person waits for approval, and sees nothing of the family until then:
--                         p_must_wait, which join_or_wait_by_code and prospect_of_code determine
--   joined
CREATE OR REPLACE FUNCTION app.outcome_of_joining(
    p_family uuid, p_former app.family_members, p_must_wait boolean, p_role text,
    p_own_family uuid, p_account uuid
) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
BEGIN
    IF (p_former).status = 'active' THEN
        RETURN 'already_member';
    ELSIF (p_former).status = 'removed'
        AND (p_former).requests_blocked_at BETWEEN now() - app.rejections_window() AND now()
    THEN
        RETURN 'removed_from_family';
    ELSIF coalesce((p_former).status, 'removed') = 'removed'
        AND app.count_of_families(p_account) >= app.max_families()
    THEN
        RETURN 'too_many_families';
    ELSIF p_role = 'player' AND NOT app.is_only_active_member(p_own_family, p_account) THEN
        RETURN 'player_has_family';
    ELSIF NOT coalesce(p_must_wait, false) THEN
        RETURN CASE WHEN app.lowest_free_slot(p_family) IS NULL THEN 'family_full'
                    ELSE 'joined' END;
    END IF;
    IF NOT EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active' AND m.user_id <> p_account
            AND NOT app.is_blocked(m.user_id))
    THEN
        RETURN 'code_unknown';
    END IF;
    IF (p_former).status IS DISTINCT FROM 'invited' AND (
        SELECT count(*) FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'invited') >= app.max_members_waiting()
    THEN
        RETURN 'family_full';
    END IF;
    RETURN 'waiting';
END $$;

-- Joins a family by its code. A player who lives alone in its family leaves that family
-- (leaving_own_family.sql): at once, or on approval if the request waits. With player_has_family
-- the returned row contains the player's own family; otherwise it contains the code's family, if
-- the code is known.
--
-- A code determines no role: the account keeps its own role. A returning member keeps the household
-- role that others gave it (app.household_role_of_returning), and waits for approval if others
-- ended its membership.
--
-- p_waits: the policy has decided that the account waits for the family's approval. While wrong
-- codes make approval required (automatic_approval.sql), an account that the family has not invited
-- waits in any case. Once this requirement has ended, the account joins by asking again, unless the
-- family itself requires approval.
CREATE OR REPLACE FUNCTION app.join_or_wait_by_code(
    p_code text, p_address text, p_network text, p_waits boolean)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint,
    left_family_id uuid)
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family app.family_units;
    v_role text;
    v_former app.family_members;
    v_own_family uuid := app.player_family_of(v_account);
    v_target uuid;
    -- Whether the family requires approval, of everybody or of this person.
    v_must_wait boolean;
    -- Whether the person waits although the family itself requires no approval.
    v_waits_automatically boolean;
BEGIN
    IF app.lacks_consent_to('code.join') THEN
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
        outcome := 'consent_missing';
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM app.lock_families(ARRAY[v_own_family, (
        SELECT c.family_unit_id FROM app.family_codes AS c
        WHERE c.code = app.normalised_code(p_code) AND c.state = 'live')]);
    -- Reads the code again under the lock. The lock that this function takes is held already.
    SELECT l.refusal, l.family_id INTO outcome, v_target FROM app.lock_family_of_code(p_code) AS l;
    IF outcome IS NULL THEN
        SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = v_target;
        v_role := app.lock_account(v_account);
        v_own_family := app.locked_player_family(v_account, v_own_family);
        SELECT m.* INTO v_former FROM app.family_members AS m
            WHERE m.family_unit_id = v_target AND m.user_id = v_account;
        v_must_wait := v_family.approval_required OR v_former.barred_at IS NOT NULL;
        v_waits_automatically := NOT v_must_wait
            AND (p_waits OR (app.approval_is_automatic()
                             AND NOT app.has_invited(v_target, v_account)));
        outcome := app.outcome_of_joining(
            v_target, v_former, v_must_wait OR v_waits_automatically, v_role, v_own_family,
            v_account);
        family_unit_id := CASE outcome WHEN 'player_has_family' THEN v_own_family
                                       WHEN 'code_unknown' THEN NULL ELSE v_target END;
        SELECT f.family_name INTO join_or_wait_by_code.family_name FROM app.family_units AS f
            WHERE f.id = join_or_wait_by_code.family_unit_id;
        member_limit := v_family.member_limit;
        member_id := v_former.id;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    ELSE
        PERFORM app.record_wrong_code(v_account, p_code);
    END IF;

    IF outcome = 'joined' AND v_role = 'player' AND v_own_family IS NOT NULL THEN
        PERFORM app.leave_own_family(v_own_family, v_account, v_target, v_role);
        left_family_id := v_own_family;
    END IF;
    -- Asking again while waiting changes nothing.
    IF outcome = 'waiting' AND (v_former.status, v_former.role) = ('invited', v_role) THEN
        RETURN NEXT;
        RETURN;
    END IF;
    IF outcome IN ('joined', 'waiting') THEN
        -- The trigger slot_new computes excluded.household_ceiling from the household role.
        INSERT INTO app.family_members AS m
                (family_unit_id, user_id, role, household_role, status, joined_via)
            VALUES (v_target, v_account, v_role,
                    app.household_role_of_returning(
                        v_former, v_role, CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END),
                    CASE outcome WHEN 'joined' THEN 'active' ELSE 'invited' END, 'code')
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role, household_role = excluded.household_role,
                household_ceiling = excluded.household_ceiling,
                status = excluded.status, joined_via = 'code', added_at = now(),
                removed_at = NULL, removed_by = NULL
            RETURNING m.id INTO member_id;
        IF outcome = 'joined' AND v_role = 'player' THEN
            PERFORM app.fill_player_name(v_target, v_account);
        END IF;
        IF outcome = 'waiting' AND v_former.status IS DISTINCT FROM 'invited' THEN
            PERFORM app.enqueue_request_mail(v_target, v_account);
        END IF;
        PERFORM app.record_audit('code.join', v_target, v_account, member_id,
            jsonb_build_object('outcome', outcome)
                || CASE WHEN v_waits_automatically THEN '{"automatic": true}'::jsonb ELSE '{}' END);
    END IF;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (v_target, v_account,
                CASE WHEN outcome IN ('joined', 'waiting') THEN 'joined' ELSE 'rejected' END);
    RETURN NEXT;
END $$;

CREATE OR REPLACE FUNCTION app.join_family_by_code(p_code text, p_address text, p_network text)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint,
    left_family_id uuid)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT j.* FROM app.join_or_wait_by_code(p_code, p_address, p_network, false) AS j;
END $$;

COMMENT ON FUNCTION app.join_family_by_code(text, text, text) IS
    'Joins the family of a code; one row with the outcome.';

CREATE OR REPLACE FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint,
    left_family_id uuid)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT j.* FROM app.join_or_wait_by_code(p_code, p_address, p_network, true) AS j;
END $$;

COMMENT ON FUNCTION app.request_to_join_by_code(text, text, text) IS
    'Asks to join the family of a code, and always waits for its approval; one row.';

-- Previews the family of a code before joining. Outcomes: found, code_unknown, code_expired.
CREATE OR REPLACE FUNCTION app.preview_code(p_code text, p_address text, p_network text)
RETURNS TABLE (outcome text, family_name text, member_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family uuid;
BEGIN
    -- Locks the family although it only reads: a code that is being replaced must not be found.
    SELECT coalesce(l.refusal, 'found'), l.family_id INTO outcome, v_family
        FROM app.lock_family_of_code(p_code) AS l;
    IF outcome = 'found' THEN
        SELECT f.family_name, (
                SELECT count(*)::integer FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'active')
            INTO family_name, member_count FROM app.family_units AS f WHERE f.id = v_family;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    ELSE
        PERFORM app.record_wrong_code(v_account, p_code);
        INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (v_family, v_account, 'rejected');
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.preview_code(text, text, text) IS
    'Name and size of the family of a code; one row with the outcome.';

-- The effect of joining by a code now, by the rules of join_or_wait_by_code: 'allowed';
-- 'waiting_for_room' for somebody who would wait for approval by a family without a free slot; or
-- the code of the refusal; and the names of the families that the account would leave and that
-- would end. Returns no row if no family has this code. Counts no attempt, because it is called for
-- a code that preview_code has just found.
CREATE OR REPLACE FUNCTION app.prospect_of_code(p_code text)
RETURNS TABLE (outcome text, families_left text[], new_role text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family app.family_units;
    v_role text;
    v_former app.family_members;
    v_own_family constant uuid := app.player_family_of(v_account);
BEGIN
    SELECT f.* INTO v_family FROM app.family_codes AS c
        JOIN app.family_units AS f ON f.id = c.family_unit_id
        WHERE c.code = app.normalised_code(p_code) AND c.state = 'live';
    IF v_family.id IS NULL THEN
        RETURN;
    END IF;
    SELECT u.role INTO v_role FROM app.users AS u WHERE u.id = v_account;
    SELECT m.* INTO v_former FROM app.family_members AS m
        WHERE m.family_unit_id = v_family.id AND m.user_id = v_account;
    outcome := CASE
        WHEN app.lacks_consent_to('code.join') THEN 'consent_missing'
        ELSE app.outcome_of_joining(
            v_family.id, v_former,
            v_family.approval_required OR v_former.barred_at IS NOT NULL
                OR (app.approval_is_automatic()
                    AND NOT app.has_invited(v_family.id, v_account)),
            v_role, v_own_family, v_account) END;
    IF outcome IN ('joined', 'waiting') THEN
        outcome := CASE WHEN outcome = 'waiting' AND NOT app.has_free_slot(v_family.id)
                        THEN 'waiting_for_room' ELSE 'allowed' END;
    END IF;
    families_left := app.names_of_families(
        CASE WHEN v_role = 'player' AND v_own_family IS NOT NULL AND v_own_family <> v_family.id
             THEN ARRAY[v_own_family] ELSE ARRAY[]::uuid[] END);
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.prospect_of_code(text) IS
    'What joining by a code would do to the caller now, or why it would be refused; one row.';

-- Status of the account in the family of a live code, if the account is a member or waits for
-- approval.
CREATE OR REPLACE FUNCTION app.own_status_at_code(p_code text)
RETURNS TABLE (family_unit_id uuid, status text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT m.family_unit_id, m.status
    FROM app.family_codes AS c JOIN app.family_members AS m USING (family_unit_id)
    WHERE c.code = app.normalised_code(p_code) AND c.state = 'live'
        AND m.user_id = app.account_id() AND m.status IN ('active', 'invited');
$$;

COMMENT ON FUNCTION app.own_status_at_code(text) IS
    'Status of the caller in the family of a code: active or invited; at most one row.';

GRANT EXECUTE ON FUNCTION
    app.own_status_at_code(text), app.prospect_of_code(text),
    app.reserve_code_attempt(text, text, text), app.join_family_by_code(text, text, text),
    app.request_to_join_by_code(text, text, text), app.preview_code(text, text, text)
    TO hearth_api;
