-- hearth: after sessions.sql
-- The tenancy barrier sets the caller, on whom the visible rows of a transaction depend.
-- docs/security.md shows this file.
--
-- Policies and views read the caller from three settings, and show no row while these are empty:
-- hearth.user_id, the subject; hearth.guardian_id, the account that acts for the subject, if it is
-- another; and hearth.callers, for batches (batches.sql). The settings end with the transaction.
--
-- The API sends one of these functions before the statements of each request, with claims that it
-- has verified. Each returns one row, which has the caller only if the outcome is `known`;
-- otherwise all three settings are empty:
--   known           the request may continue
--   unknown         this sign-in is not stored: call upsert_user, then continue
--   stale           the token has another address or verification than the last one, or a name
--                   where none is stored, or an erasure of this sign-in is remembered: call
--                   upsert_user. If p_email_verified is null, nothing is compared
--   blocked         an operator has blocked the account
--   session_ended   the session was ended, has expired, belongs to another account or never existed
--   acting_refused  the account may not act for this member, for whatever reason
--
-- The order is: store the hash of the sign-in or the session's id in a setting; look it up in a
-- view that shows only this row; then set the caller, in the expression of the outcome, which every
-- caller of the function selects. PostgreSQL promises no such order within a statement. It follows
-- from the plan, which BarrierTests pins: the left side of a LEFT JOIN without a condition on
-- that side is evaluated before the right side, and a subquery with a volatile function before the
-- LATERAL subquery that is joined to it. STABLE functions in plain SQL are inlined into the calling
-- statement. VOLATILE functions with one statement after another take 12 to 26 % more of
-- PostgreSQL's time for reads (docs/measurements.md).

CREATE OR REPLACE VIEW app.sign_ins WITH (security_barrier) AS
SELECT i.issuer, i.subject_hash, i.user_id, i.claims_mark, i.lacks_name, i.is_blocked
FROM app.user_identities AS i
WHERE i.subject_hash = decode(current_setting('hearth.sign_in', true), 'hex');

CREATE OR REPLACE VIEW app.live_sessions WITH (security_barrier) AS
SELECT s.id, s.user_id, s.former_user_ids
FROM app.unended_sessions AS s
WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid;

-- The managed members for whom the account may act: it is their guardian, and its request has
-- begun.
CREATE OR REPLACE VIEW app.delegations WITH (security_barrier) AS
SELECT m.user_id AS member_id, w.guardian_user_id AS guardian_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
WHERE m.status = 'active' AND m.user_kind = 'managed' AND g.status = 'active'
    AND w.guardian_user_id = app.account_id();

ALTER VIEW app.sign_ins OWNER TO hearth_authz;
ALTER VIEW app.live_sessions OWNER TO hearth_authz;
ALTER VIEW app.delegations OWNER TO hearth_authz;

-- Begins a request whose token another issuer than Hearth has issued.
CREATE OR REPLACE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            -- Clears the settings of an earlier call in this transaction. These conditions are
            -- never true.
            WHEN current_setting('hearth.guardian_id', true) <> ''
                AND set_config('hearth.guardian_id', '', true) <> '' THEN NULL
            WHEN current_setting('hearth.callers', true) <> ''
                AND set_config('hearth.callers', '', true) <> '' THEN NULL
            WHEN set_config('hearth.user_id',
                CASE WHEN t.fresh THEN s.user_id::text ELSE '' END, true) <> '' THEN 'known'
            WHEN s.user_id IS NULL THEN 'unknown'
            WHEN s.is_blocked THEN 'blocked'
            ELSE 'stale'
        END,
        CASE WHEN t.fresh THEN s.user_id END,
        CASE WHEN t.fresh THEN s.user_id END
    FROM (SELECT set_config('hearth.sign_in', encode(p_subject_hash, 'hex'), true)) AS named
    LEFT JOIN app.sign_ins AS s ON s.subject_hash = p_subject_hash AND s.issuer = p_issuer
    CROSS JOIN LATERAL (
        SELECT s.user_id IS NOT NULL AND NOT s.is_blocked
            AND app.claims_unchanged(s.claims_mark, s.lacks_name, p_email, p_email_verified,
                p_brings_name) AS fresh) AS t;
END;

-- Begins a request whose token Hearth has issued. p_user may be a former id of the account.
CREATE OR REPLACE FUNCTION app.begin_session(p_session uuid, p_user uuid)
RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            WHEN current_setting('hearth.guardian_id', true) <> ''
                AND set_config('hearth.guardian_id', '', true) <> '' THEN NULL
            WHEN current_setting('hearth.callers', true) <> ''
                AND set_config('hearth.callers', '', true) <> '' THEN NULL
            WHEN set_config('hearth.user_id', coalesce(s.user_id::text, ''), true) <> ''
                THEN 'known'
            ELSE 'session_ended'
        END,
        s.user_id, s.user_id
    FROM (SELECT set_config('hearth.session', coalesce(p_session::text, ''), true)) AS named
    LEFT JOIN app.live_sessions AS s
        ON s.id = p_session AND (s.user_id = p_user OR p_user = ANY (s.former_user_ids));
END;

-- Sets the subject of a request that has begun: the managed member p_acting_as, or the account
-- itself if that is null.
CREATE OR REPLACE FUNCTION app.set_subject(p_outcome text, p_account uuid, p_acting_as uuid)
RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            WHEN p_outcome <> 'known' OR p_acting_as IS NULL THEN p_outcome
            -- Sets both, in any case. They are equal only if both are empty: no member acts for
            -- itself.
            WHEN set_config('hearth.guardian_id',
                    CASE WHEN d.honoured THEN p_account::text ELSE '' END, true)
                <> set_config('hearth.user_id',
                    CASE WHEN d.honoured THEN p_acting_as::text ELSE '' END, true) THEN 'known'
            ELSE 'acting_refused'
        END,
        CASE WHEN p_acting_as IS NULL THEN p_account WHEN d.honoured THEN p_acting_as END,
        CASE WHEN p_acting_as IS NULL OR d.honoured THEN p_account END
    FROM (
        SELECT p_account IS NOT NULL AND p_acting_as IS NOT NULL AND EXISTS (
            SELECT FROM app.delegations AS d
            WHERE d.member_id = p_acting_as AND d.guardian_id = p_account) AS honoured
        OFFSET 0) AS d;
END;

-- These two also take a member to act for. They cost more than the functions above, even if the
-- member is null, because the planner plans each call again.
CREATE OR REPLACE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean, p_acting_as uuid
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT a.outcome, a.user_id, a.actor_id
    FROM app.begin_request(
        p_issuer, p_subject_hash, p_email, p_email_verified, p_brings_name) AS b
    CROSS JOIN LATERAL app.set_subject(b.outcome, b.actor_id, p_acting_as) AS a;
END;

CREATE OR REPLACE FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid)
RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT a.outcome, a.user_id, a.actor_id
    FROM app.begin_session(p_session, p_user) AS b
    CROSS JOIN LATERAL app.set_subject(b.outcome, b.actor_id, p_acting_as) AS a;
END;

COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean) IS
    'Begins a request with a verified token whose account acts for itself; one row, see outcome.';
COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean, uuid) IS
    'Begins a request with a verified token whose account may act for a managed member; one row.';
COMMENT ON FUNCTION app.begin_session(uuid, uuid) IS
    'Begins a request with a token that Hearth issued for this session of this account; one row.';
COMMENT ON FUNCTION app.begin_session(uuid, uuid, uuid) IS
    'Begins a request with a token that Hearth issued, whose account may act for a managed '
    'member; one row.';

GRANT SELECT ON app.sign_ins, app.live_sessions, app.delegations TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.begin_request(text, bytea, text, boolean, boolean),
    app.begin_request(text, bytea, text, boolean, boolean, uuid),
    app.begin_session(uuid, uuid), app.begin_session(uuid, uuid, uuid),
    app.set_subject(text, uuid, uuid) TO hearth_api;
