-- Joining a family by its code, and its preview. The API calls reserve_code_attempt and
-- approval_terms_of_code, then join_family_by_code or request_to_join_by_code, both of which call
-- join_or_wait_by_code.
--
-- An attempt at a code is counted first, in a transaction of its own (reserve_code_attempt).
-- Refusals are answers here, not errors, by the same codes: the transaction that returns them also
-- takes back the reserved attempt, unless the code was unknown or expired, and keeps the log.
--
-- Lock order: the rows of the code's family and of the player's own family, in the order of their
-- ids; then the account's row.

-- Trimmed, upper case, the prefix put before a bare code. Null for what can't be a code.
CREATE OR REPLACE FUNCTION app.normalised_code(p_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN upper(btrim(p_code, E' \t\r\n')) ~ '^FAM-[A-Z0-9]{6,8}$'
        THEN upper(btrim(p_code, E' \t\r\n'))
    WHEN upper(btrim(p_code, E' \t\r\n')) ~ '^[A-Z0-9]{6,8}$'
        THEN 'FAM-' || upper(btrim(p_code, E' \t\r\n'))
END;

-- What is kept of an attempt: which code it was can't be told from it.
CREATE OR REPLACE FUNCTION app.code_digest(p_account uuid, p_code text) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(convert_to(p_account::text || coalesce(app.normalised_code(p_code), ''), 'UTF8'));

-- The three buckets that an attempt at a code counts in.
CREATE OR REPLACE FUNCTION app.code_buckets(p_address text, p_network text) RETURNS text[]
LANGUAGE sql STABLE
RETURN ARRAY[
    'code:account:' || app.account_id(), 'code:address:' || p_address,
    'code:network:' || p_network];

-- Reserves an attempt at a code for the account, the address and the network; and records which
-- distinct codes the account has tried, which stay counted whatever the result. No row: continue. A
-- row: refuse, and for how long.
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
    -- The account's bucket is locked by now: of two parallel attempts the second counts the first.
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

-- The family of a code, with its row locked; or the reason why there is none.
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
        -- It may have been regenerated or retired while we waited for the lock.
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

-- Outcomes, in the order in which they are checked:
--   consent_missing       the account has not consented to what joining needs
--   code_unknown          no such code, or one that was regenerated or given up; or nobody belongs
--                         to the family any more who could approve
--   code_expired          over, by time or by the job that retires it
--   already_member
--   removed_from_family   the family has turned this person down twice within 30 days, the last
--                         time less than 30 days ago: only an invitation brings it back
--   too_many_families     the account is in as many families as it can be, or waits for them
--   player_has_family     the player belongs to another family, and does not live alone in it
--   waiting               the family approves who joins, by its own wish, because somebody else
--                         ended this person's membership or request, or because approval is
--                         automatic now (join_or_wait_by_code): nothing is seen until then
--   family_full           no slot is free, or the waiting list is full
--   joined
CREATE OR REPLACE FUNCTION app.outcome_of_joining(
    p_family app.family_units, p_was app.family_members, p_role text, p_own_family uuid,
    p_account uuid
) RETURNS text
LANGUAGE sql VOLATILE SET search_path = '' AS $$
SELECT CASE
    WHEN (p_was).status = 'active' THEN 'already_member'
    WHEN (p_was).status = 'removed'
        AND (p_was).blocked_at BETWEEN now() - app.rejections_window() AND now()
        THEN 'removed_from_family'
    WHEN coalesce((p_was).status, 'removed') = 'removed'
        AND app.count_of_families(p_account) >= app.max_families()
        THEN 'too_many_families'
    WHEN p_role = 'player' AND NOT app.lives_alone(p_own_family, p_account)
        THEN 'player_has_family'
    WHEN (p_family).approval_required AND app.lives_alone((p_family).id, p_account)
        THEN 'code_unknown'
    WHEN (p_family).approval_required AND (p_was).status IS DISTINCT FROM 'invited'
        AND (SELECT count(*) FROM app.family_members AS m
             WHERE m.family_unit_id = (p_family).id AND m.status = 'invited')
            >= app.max_members_waiting()
        THEN 'family_full'
    WHEN (p_family).approval_required THEN 'waiting'
    WHEN app.lowest_free_slot((p_family).id) IS NULL THEN 'family_full'
    ELSE 'joined'
END;
$$;

-- Joins by a code. A player who lives alone in its family leaves that one (leaving_own_family.sql):
-- at once, or with the approval where joining waits for one. With player_has_family the row names
-- the family that stands in the way; otherwise it names the code's.
--
-- A code has no side: the account keeps its role. A returning member keeps what others made of it
-- (app.household_role_of_returning), and waits for approval if others ended its membership.
--
-- p_waits: the policy has decided that the account waits for the family's approval. While approval
-- is automatic (automatic_approval.sql), an account that the family has not invited waits in any
-- case. When that has ended, the account joins by asking again, unless the family itself requires
-- approval.
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
    v_was app.family_members;
    v_own uuid := app.player_family_of(v_account);
    v_target uuid;
    v_is_held boolean;
BEGIN
    IF app.lacks_consent_to('code.join') THEN
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
        outcome := 'consent_missing';
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM app.lock_families(ARRAY[v_own, (
        SELECT c.family_unit_id FROM app.family_codes AS c
        WHERE c.code = app.normalised_code(p_code) AND c.state = 'live')]);
    SELECT l.refusal, l.family_id INTO outcome, v_target FROM app.lock_family_of_code(p_code) AS l;
    IF outcome IS NULL THEN
        SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = v_target;
        v_role := app.lock_account(v_account);
        v_own := app.locked_player_family(v_account, v_own);
        SELECT m.* INTO v_was FROM app.family_members AS m
            WHERE m.family_unit_id = v_target AND m.user_id = v_account;
        v_is_held := NOT v_family.approval_required AND v_was.barred_at IS NULL
            AND (p_waits OR (app.approval_is_automatic()
                             AND NOT app.has_invited(v_target, v_account)));
        v_family.approval_required :=
            v_family.approval_required OR v_is_held OR v_was.barred_at IS NOT NULL;
        outcome := app.outcome_of_joining(v_family, v_was, v_role, v_own, v_account);
        family_unit_id := CASE outcome WHEN 'player_has_family' THEN v_own
                                       WHEN 'code_unknown' THEN NULL ELSE v_target END;
        SELECT f.family_name INTO join_or_wait_by_code.family_name FROM app.family_units AS f
            WHERE f.id = join_or_wait_by_code.family_unit_id;
        member_limit := v_family.member_limit;
        member_id := v_was.id;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    ELSE
        PERFORM app.record_wrong_code(v_account, p_code);
    END IF;

    IF outcome = 'joined' AND v_role = 'player' AND v_own IS NOT NULL THEN
        PERFORM app.leave_own_family(v_own, v_account, v_target, v_role);
        left_family_id := v_own;
    END IF;
    -- Who waits already and asks again changes nothing.
    IF outcome = 'waiting' AND (v_was.status, v_was.role) = ('invited', v_role) THEN
        RETURN NEXT;
        RETURN;
    END IF;
    IF outcome IN ('joined', 'waiting') THEN
        INSERT INTO app.family_members AS m
                (family_unit_id, user_id, role, household_role, status, joined_via)
            VALUES (v_target, v_account, v_role,
                    app.household_role_of_returning(
                        v_was, v_role, CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END),
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
        IF outcome = 'waiting' AND v_was.status IS DISTINCT FROM 'invited' THEN
            PERFORM app.enqueue_request_mail(v_target, v_account);
        END IF;
        PERFORM app.record_audit('code.join', v_target, v_account, member_id,
            jsonb_build_object('outcome', outcome)
                || CASE WHEN v_is_held THEN '{"automatic": true}'::jsonb ELSE '{}' END);
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
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT j.* FROM app.join_or_wait_by_code(p_code, p_address, p_network, false) AS j;
$$;

COMMENT ON FUNCTION app.join_family_by_code(text, text, text) IS
    'Joins the family of a code, or says why not; one row.';

CREATE OR REPLACE FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text)
RETURNS TABLE (
    outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint,
    left_family_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    SELECT j.* FROM app.join_or_wait_by_code(p_code, p_address, p_network, true) AS j;
$$;

COMMENT ON FUNCTION app.request_to_join_by_code(text, text, text) IS
    'As join_family_by_code, but waits for the family''s approval in any case.';

-- The preview before joining. Outcomes: found, code_unknown, code_expired.
CREATE OR REPLACE FUNCTION app.preview_code(p_code text, p_address text, p_network text)
RETURNS TABLE (outcome text, family_name text, member_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family uuid;
BEGIN
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
    'Name and size of the family of a code, or why not; one row.';

-- What would happen if the account joined by a code now, by the rules of join_or_wait_by_code:
-- 'allowed' or the code of the refusal, and the names of the families that the account would leave
-- and that would end. No row without a family of this code. Counts no attempt: it is for a code
-- that preview_code has just found.
CREATE OR REPLACE FUNCTION app.prospect_of_code(p_code text)
RETURNS TABLE (outcome text, families_left text[], new_role text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family app.family_units;
    v_was app.family_members;
    v_role text;
    v_own uuid := app.player_family_of(v_account);
BEGIN
    SELECT f.* INTO v_family FROM app.family_codes AS c
        JOIN app.family_units AS f ON f.id = c.family_unit_id
        WHERE c.code = app.normalised_code(p_code) AND c.state = 'live';
    IF v_family.id IS NULL THEN
        RETURN;
    END IF;
    SELECT u.role INTO v_role FROM app.users AS u WHERE u.id = v_account;
    SELECT m.* INTO v_was FROM app.family_members AS m
        WHERE m.family_unit_id = v_family.id AND m.user_id = v_account;
    v_family.approval_required := v_family.approval_required OR v_was.barred_at IS NOT NULL
        OR (app.approval_is_automatic() AND NOT app.has_invited(v_family.id, v_account));
    outcome := CASE
        WHEN app.lacks_consent_to('code.join') THEN 'consent_missing'
        ELSE app.outcome_of_joining(v_family, v_was, v_role, v_own, v_account) END;
    IF outcome IN ('joined', 'waiting') THEN
        outcome := 'allowed';
    END IF;
    families_left := app.names_of_families(
        CASE WHEN v_role = 'player' AND v_own IS NOT NULL AND v_own <> v_family.id
             THEN ARRAY[v_own] ELSE ARRAY[]::uuid[] END);
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.prospect_of_code(text) IS
    'What joining by a code would do to the caller now, or why it would be refused; one row.';

-- The account's membership of a live code's family, if it is active or waits.
CREATE OR REPLACE FUNCTION app.own_status_at_code(p_code text)
RETURNS TABLE (family_unit_id uuid, status text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT m.family_unit_id, m.status
    FROM app.family_codes AS c JOIN app.family_members AS m USING (family_unit_id)
    WHERE c.code = app.normalised_code(p_code) AND c.state = 'live'
        AND m.user_id = app.account_id() AND m.status IN ('active', 'invited');
$$;

COMMENT ON FUNCTION app.own_status_at_code(text) IS
    'Whether the caller belongs to the family of a code, or waits for it; at most one row.';

GRANT EXECUTE ON FUNCTION
    app.own_status_at_code(text), app.prospect_of_code(text),
    app.reserve_code_attempt(text, text, text), app.join_family_by_code(text, text, text),
    app.request_to_join_by_code(text, text, text), app.preview_code(text, text, text)
    TO hearth_api;
