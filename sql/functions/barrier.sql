-- hearth: after sessions.sql
-- The barrier between tenants: for whom a transaction shows rows. docs/security.md shows this file.
--
-- Policies and views show the rows of the caller whom three settings name, and no row while they
-- are empty: hearth.user_id, the subject; hearth.guardian_id, the account that acts for it, if it
-- is another; and hearth.callers, for batches (batches.sql). They end with the transaction.
--
-- The API sends one of these functions before the statements of each request, with claims that it
-- has verified. Each returns one row, with the caller only if the outcome is `known`; otherwise all
-- three settings are empty:
--   known           the request may go on
--   unknown         first sight of this sign-in: call upsert_user, then go on
--   stale           the token brings another address or verification than the last one, or a name
--                   that is missing, or an erasure of this sign-in is remembered: call upsert_user.
--                   With p_email_verified null nothing is compared
--   session_ended   the session was ended, has run out, is another account's, or never was
--   acting_refused  the account may not act for this member, whatever the reason
--
-- The order is: name the sign-in or session; look it up in a view that shows only what was named;
-- then set the caller, in the expression of the outcome, which a caller has to select. PostgreSQL
-- promises no such order within a statement. It follows from the plan, which BarrierTests pins: the
-- left side of a LEFT JOIN without a condition comes before the right side, and what a subquery
-- with a volatile function returns before what is joined to it LATERAL. Functions that are STABLE
-- in plain SQL are merged into the calling statement; as VOLATILE functions with one statement
-- after another they cost reads 12 to 26 % more of PostgreSQL's time (docs/measurements.md).

CREATE OR REPLACE VIEW app.sign_ins WITH (security_barrier) AS
SELECT i.issuer, i.subject_hash, i.user_id, i.claims_mark, i.lacks_name
FROM app.user_identities AS i
WHERE i.subject_hash = decode(current_setting('hearth.sign_in', true), 'hex');

CREATE OR REPLACE VIEW app.live_sessions WITH (security_barrier) AS
SELECT s.id, s.user_id, s.former_user_ids
FROM app.unended_sessions AS s
WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid;

-- The managed members whose guardian is the account whose request has begun.
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

-- The request of another issuer's token.
CREATE OR REPLACE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            -- Left over from a call before, in this transaction: cleared, and so never true.
            WHEN current_setting('hearth.guardian_id', true) <> ''
                AND set_config('hearth.guardian_id', '', true) <> '' THEN NULL
            WHEN current_setting('hearth.callers', true) <> ''
                AND set_config('hearth.callers', '', true) <> '' THEN NULL
            WHEN set_config('hearth.user_id',
                CASE WHEN t.fresh THEN s.user_id::text ELSE '' END, true) <> '' THEN 'known'
            WHEN s.user_id IS NULL THEN 'unknown'
            ELSE 'stale'
        END,
        CASE WHEN t.fresh THEN s.user_id END,
        CASE WHEN t.fresh THEN s.user_id END
    FROM (SELECT set_config('hearth.sign_in', encode(p_subject_hash, 'hex'), true)) AS named
    LEFT JOIN app.sign_ins AS s ON s.subject_hash = p_subject_hash AND s.issuer = p_issuer
    CROSS JOIN LATERAL (
        SELECT s.user_id IS NOT NULL
            AND app.claims_unchanged(s.claims_mark, s.lacks_name, p_email, p_email_verified,
                p_brings_name) AS fresh) AS t;
END;

-- The request of a token of Hearth's own. The account's id may be one that it had before.
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

-- The outcome of a request that has begun, and may be on behalf of a managed member: of whom
-- p_acting_as names, or of the account itself if that is null.
CREATE OR REPLACE FUNCTION app.act_for(p_outcome text, p_account uuid, p_acting_as uuid)
RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT
        CASE
            WHEN p_outcome <> 'known' OR p_acting_as IS NULL THEN p_outcome
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

-- The same with a member to act for. They cost more than the forms without, even for null: the
-- planner would plan again for each call.
CREATE OR REPLACE FUNCTION app.begin_request(
    p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean,
    p_brings_name boolean, p_acting_as uuid
) RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT a.outcome, a.user_id, a.actor_id
    FROM app.begin_request(
        p_issuer, p_subject_hash, p_email, p_email_verified, p_brings_name) AS b
    CROSS JOIN LATERAL app.act_for(b.outcome, b.actor_id, p_acting_as) AS a;
END;

CREATE OR REPLACE FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid)
RETURNS TABLE (outcome text, user_id uuid, actor_id uuid)
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
    SELECT a.outcome, a.user_id, a.actor_id
    FROM app.begin_session(p_session, p_user) AS b
    CROSS JOIN LATERAL app.act_for(b.outcome, b.actor_id, p_acting_as) AS a;
END;

COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean) IS
    'Begins the request of a verified token that acts as itself; one row, see outcome.';
COMMENT ON FUNCTION app.begin_request(text, bytea, text, boolean, boolean, uuid) IS
    'Begins the request of a verified token, perhaps on behalf of a managed member; one row.';
COMMENT ON FUNCTION app.begin_session(uuid, uuid) IS
    'Begins the request of a token that Hearth gave for this session of this account; one row.';
COMMENT ON FUNCTION app.begin_session(uuid, uuid, uuid) IS
    'As begin_session(uuid, uuid), perhaps on behalf of a managed member; one row.';

GRANT SELECT ON app.sign_ins, app.live_sessions, app.delegations TO hearth_api;
GRANT EXECUTE ON FUNCTION
    app.begin_request(text, bytea, text, boolean, boolean),
    app.begin_request(text, bytea, text, boolean, boolean, uuid),
    app.begin_session(uuid, uuid), app.begin_session(uuid, uuid, uuid),
    app.act_for(text, uuid, uuid) TO hearth_api;
