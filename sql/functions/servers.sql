-- hearth: after addresses_and_names.sql
-- hearth: after sending_invitations.sql
-- Requests of the servers of apps, with API keys (0017_api_keys.sql).
--
-- As for people, one function begins each request: it stores the hash of the key, and the outcome
-- says whether the key is valid and has the scope that the operation needs. Policies and views
-- compare with the key's scopes again.
--
-- A child is shown by its id, name and guardians. No view for keys has preferences, avatars of
-- children, codes, homes or player details.

-- The outcome is `known`, `unknown` (the key does not exist, was revoked or has expired) or
-- `insufficient_scope`. Unless it is `known`, no row is visible.
CREATE OR REPLACE FUNCTION app.begin_server_request(p_secret_hash bytea, p_scope text)
RETURNS TABLE (outcome text, key_id uuid, scopes text[])
LANGUAGE plpgsql VOLATILE ROWS 1 SET search_path = '' AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true),
        set_config('hearth.callers', '', true),
        set_config('hearth.key', encode(p_secret_hash, 'hex'), true);
    SELECT CASE WHEN p_scope = ANY (k.scopes) THEN 'known' ELSE 'insufficient_scope' END,
            k.id, k.scopes
        INTO outcome, key_id, scopes FROM app.live_key AS k;
    IF outcome IS DISTINCT FROM 'known' THEN
        PERFORM set_config('hearth.key', '', true);
    END IF;
    outcome := coalesce(outcome, 'unknown');
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.begin_server_request(bytea, text) IS
    'Begins the request of an API key, given by its SHA-256, for an operation with this scope.';

CREATE OR REPLACE FUNCTION app.key_has_scope(p_scope text) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM app.key_scopes AS s WHERE s.scope = p_scope);

-- Refuses unless the request's key has the scope; returns the key.
CREATE OR REPLACE FUNCTION app.require_scope(p_scope text) RETURNS app.live_key
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_key app.live_key;
BEGIN
    SELECT k.* INTO v_key FROM app.live_key AS k WHERE p_scope = ANY (k.scopes);
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'insufficient_scope', 'This key lacks the scope ' || p_scope);
    END IF;
    RETURN v_key;
END $$;

-- The guardians of each child, the primary one first: encoded as in app.visible_members.
CREATE OR REPLACE VIEW app.guardians_encoded AS
SELECT m.id AS member_id, ARRAY(
    SELECT uuid_send(w.guardian_user_id) || uuid_send(g.id) || timestamptz_send(w.since)
        || convert_to(app.display_name(u.full_name, NULL, false), 'UTF8')
    FROM app.guardianships AS w
    JOIN app.family_members AS g
        ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
    JOIN app.users AS u ON u.id = w.guardian_user_id
    WHERE w.member_id = m.id
    ORDER BY w.guardian_user_id <> m.parent_user_id, w.since, w.slot) AS guardians
FROM app.family_members AS m;

-- Active members of all families. The name of a person without one would be a part of the address,
-- so only a key that may read addresses sees it.
CREATE OR REPLACE VIEW app.server_members WITH (security_barrier) AS
SELECT m.id, m.family_unit_id, m.user_id, m.user_kind = 'managed' AS is_managed, m.role,
    m.household_role, m.parent_user_id, m.added_at,
    CASE WHEN 'people:addresses' = ANY (k.scopes)
         THEN app.display_name(u.full_name, u.email, u.email_verified)
         ELSE app.display_name(u.full_name, NULL, false) END AS display_name,
    CASE WHEN 'people:addresses' = ANY (k.scopes) THEN coalesce(u.email, '') ELSE '' END AS email,
    'people:addresses' = ANY (k.scopes) AND u.email_verified AS email_verified,
    CASE WHEN m.user_kind = 'managed' THEN (
        SELECT e.guardians FROM app.guardians_encoded AS e WHERE e.member_id = m.id)
    END AS guardians
FROM app.live_key AS k
CROSS JOIN app.family_members AS m
JOIN app.users AS u ON u.id = m.user_id
WHERE 'members:read' = ANY (k.scopes) AND m.status = 'active';

-- All people who are not erased.
CREATE OR REPLACE VIEW app.server_people WITH (security_barrier) AS
SELECT u.id, u.kind = 'managed' AS is_managed, u.role,
    CASE WHEN 'people:addresses' = ANY (k.scopes)
         THEN app.display_name(u.full_name, u.email, u.email_verified)
         ELSE app.display_name(u.full_name, NULL, false) END AS display_name,
    CASE WHEN 'people:addresses' = ANY (k.scopes) THEN coalesce(u.email, '') ELSE '' END AS email,
    'people:addresses' = ANY (k.scopes) AND u.email_verified AS email_verified,
    u.created_at,
    CASE WHEN u.kind = 'managed' THEN (
        SELECT e.guardians FROM app.guardians_encoded AS e WHERE e.member_id = u.id)
    END AS guardians
FROM app.live_key AS k
CROSS JOIN app.users AS u
WHERE 'people:read' = ANY (k.scopes) AND u.deleted_at IS NULL;

-- The account of the sign-in that the request names by its hash. So a key can find an account only
-- by a subject that it knows.
CREATE OR REPLACE VIEW app.server_sign_ins WITH (security_barrier) AS
SELECT i.issuer, i.subject_hash, i.user_id
FROM app.live_key AS k
CROSS JOIN app.user_identities AS i
WHERE 'people:read' = ANY (k.scopes)
    AND i.subject_hash = decode(nullif(current_setting('hearth.sign_in', true), ''), 'hex');

ALTER VIEW app.guardians_encoded OWNER TO hearth_authz;
ALTER VIEW app.server_members OWNER TO hearth_authz;
ALTER VIEW app.server_people OWNER TO hearth_authz;
ALTER VIEW app.server_sign_ins OWNER TO hearth_authz;

-- The account that signs in with this subject of this issuer; null if there is none.
CREATE OR REPLACE FUNCTION app.person_of_subject(p_issuer text, p_subject_hash bytea) RETURNS uuid
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    v_person uuid;
BEGIN
    PERFORM set_config('hearth.sign_in', encode(p_subject_hash, 'hex'), true);
    SELECT i.user_id INTO v_person FROM app.server_sign_ins AS i WHERE i.issuer = p_issuer;
    PERFORM set_config('hearth.sign_in', '', true);
    RETURN v_person;
END $$;

-- Numbers committed events that have no position yet, in the order of their numbers, which within a
-- family is the order of the changes. The lock makes readers number one after another; a reader
-- that waited sees the positions that the other one has assigned. Does nothing if the key lacks the
-- scope.
CREATE OR REPLACE FUNCTION app.number_events() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NOT app.key_has_scope('events:read') OR NOT EXISTS (
        SELECT FROM app.webhook_events AS n
        WHERE n.stream_number IS NULL AND n.occurred_at > now() - app.event_stream_time()) THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('hearth.webhook_event_stream', 0));
    -- Materialized, because an UPDATE of a join calls nextval in whatever order the join has.
    WITH ordered AS MATERIALIZED (
        SELECT e.number FROM app.webhook_events AS e
        WHERE e.stream_number IS NULL AND e.occurred_at > now() - app.event_stream_time()
        ORDER BY e.number LIMIT app.max_events_numbered()),
    numbered AS MATERIALIZED (
        SELECT o.number, nextval('app.webhook_event_stream') AS position FROM ordered AS o)
    UPDATE app.webhook_events AS n SET stream_number = d.position
        FROM numbered AS d WHERE n.number = d.number;
END $$;

COMMENT ON FUNCTION app.number_events() IS
    'Gives committed events their positions in the stream that keys read.';

-- Invites a person in the name of the key. A family that everybody has left is refused like an
-- absent one, because the invited person would be alone in it.
--
-- The attempt is counted first. A refusal that depends on the address (HF409) is returned in
-- `refusal`, so that the transaction commits and the attempt is counted: otherwise a key could try
-- any number of addresses, and learn which belong to members.
--
-- The lock of the key makes a revocation wait until the invitation is stored, so that the
-- revocation ends this invitation too. Lock order: the key, the family.
CREATE OR REPLACE FUNCTION app.server_create_invitation(
    p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text
) RETURNS TABLE (
    invitation_id uuid, generation integer, expires_at timestamptz, renewed boolean, refusal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
#variable_conflict use_column
DECLARE
    v_key constant app.live_key := app.require_scope('invitations:write');
    v_nobody app.family_members;
    v_limit record;
BEGIN
    PERFORM FROM app.api_keys AS k WHERE k.id = v_key.id AND k.revoked_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF401', 'invalid_api_key', 'This key does not work.');
    END IF;
    PERFORM FROM app.family_units AS f
        WHERE f.id = p_family AND f.emptied_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    PERFORM app.require_valid_invitation(p_email, p_role, p_household_role, p_delivery);
    FOR v_limit IN
        SELECT h.* FROM (VALUES
            ('invite:key:' || v_key.id, app.max_key_invitations()),
            ('invite:family:' || p_family, app.max_key_invitations_to_family())) AS b (name, most)
        CROSS JOIN LATERAL app.reserve_hits(
            ARRAY[b.name], ARRAY[b.most], app.invitations_made_window()) AS h
    LOOP
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_invitations',
            MESSAGE = 'Too many invitations. Please try again later.',
            DETAIL = v_limit.retry_after_seconds;
    END LOOP;
    v_nobody.family_unit_id := p_family;
    BEGIN
        SELECT i.invitation_id, i.generation, i.expires_at, i.renewed
            INTO invitation_id, generation, expires_at, renewed
            FROM app.make_invitation(
                v_nobody, p_email, p_role, p_household_role, p_delivery, true, v_key.name) AS i;
    EXCEPTION WHEN OTHERS THEN
        IF SQLSTATE !~ '^HF409$' THEN
            RAISE;
        END IF;
        GET STACKED DIAGNOSTICS refusal = CONSTRAINT_NAME;
    END;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.server_create_invitation(uuid, text, text, text, text) IS
    'Makes or renews an invitation in an API key''s name, whose secret must be stored next; or '
    'returns why the address can''t be invited.';

-- Second step: stores the hash of the token, and enqueues the e-mail of an invitation by e-mail.
-- The role for keys may not enqueue other jobs.
CREATE OR REPLACE FUNCTION app.server_add_invitation_secret(
    p_invitation uuid, p_generation integer, p_token_hash bytea
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_key constant app.live_key := app.require_scope('invitations:write');
    v_invitation app.family_invitations;
BEGIN
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = p_invitation AND i.status = 'pending' AND i.invited_by_key = v_key.name;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    PERFORM app.store_invitation_secret(v_invitation, p_generation, p_token_hash);
    IF v_invitation.delivery = 'email' THEN
        PERFORM jobs.enqueue('mail', 'mail.invitation', v_invitation.family_unit_id,
            jsonb_build_object(
                'invitation', p_invitation, 'generation', p_generation,
                'messageId', replace(gen_random_uuid()::text, '-', ''),
                'date', extract(epoch FROM now())::bigint),
            p_not_after => v_invitation.expires_at);
    END IF;
END $$;

COMMENT ON FUNCTION app.server_add_invitation_secret(uuid, integer, bytea) IS
    'Stores the SHA-256 of the token of a key''s invitation, and enqueues its e-mail.';

GRANT SELECT ON app.server_members, app.server_people, app.server_sign_ins TO hearth_server;
GRANT EXECUTE ON FUNCTION
    app.begin_server_request(bytea, text), app.person_of_subject(text, bytea),
    app.number_events(), app.server_create_invitation(uuid, text, text, text, text),
    app.server_add_invitation_secret(uuid, integer, bytea)
    TO hearth_server;
