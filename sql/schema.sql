-- What all migrations together make. Written by `hearth-migrate schema`, never by hand.
-- As worded by PostgreSQL 15.
--
-- Roles:
-- anon: NOLOGIN INHERIT
-- authenticated: NOLOGIN INHERIT
-- authenticator: LOGIN NOINHERIT; member of anon, authenticated
-- hearth_admin: LOGIN INHERIT
-- hearth_api: LOGIN INHERIT
-- hearth_authz: NOLOGIN INHERIT
-- hearth_migrator: LOGIN INHERIT; member of hearth_owner
-- hearth_owner: NOLOGIN INHERIT; member of hearth_authz, pg_read_all_stats
-- hearth_worker: LOGIN INHERIT

SET check_function_bodies = false;

SELECT pg_catalog.set_config('search_path', '', false);

-- Name: api; Type: SCHEMA; Schema: -
CREATE SCHEMA api;

ALTER SCHEMA api OWNER TO hearth_owner;

-- Name: SCHEMA api; Type: COMMENT; Schema: -
COMMENT ON SCHEMA api IS 'Views for direct clients; row-level security decides what they show.';

-- Name: app; Type: SCHEMA; Schema: -
CREATE SCHEMA app;

ALTER SCHEMA app OWNER TO hearth_owner;

-- Name: SCHEMA app; Type: COMMENT; Schema: -
COMMENT ON SCHEMA app IS 'Tables of Hearth, and what its own services may call.';

-- Name: gateway; Type: SCHEMA; Schema: -
CREATE SCHEMA gateway;

ALTER SCHEMA gateway OWNER TO hearth_owner;

-- Name: SCHEMA gateway; Type: COMMENT; Schema: -
COMMENT ON SCHEMA gateway IS 'Begins the request of a direct client.';

-- Name: jobs; Type: SCHEMA; Schema: -
CREATE SCHEMA jobs;

ALTER SCHEMA jobs OWNER TO hearth_owner;

-- Name: SCHEMA jobs; Type: COMMENT; Schema: -
COMMENT ON SCHEMA jobs IS 'The job queue; knows nothing of what the jobs are about.';

-- Name: accept_invitation(bytea, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid) RETURNS TABLE(outcome text, family_unit_id uuid, member_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    SELECT e.outcome, e.family_unit_id, e.member_id
        INTO accept_invitation.outcome, accept_invitation.family_unit_id,
             accept_invitation.member_id
        FROM app.join_by_invitation(p_token_hash, p_invitation) AS e;
    IF outcome IN ('player_has_family', 'role_mismatch') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION accept_invitation(p_token_hash bytea, p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid) IS 'As join_by_invitation, for programs of the previous release.';

-- Name: account_id(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.account_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (COALESCE(current_setting('hearth.guardian_id'::text, true), ''::text) = ''::text) THEN (NULLIF(current_setting('hearth.user_id'::text, true), ''::text))::uuid ELSE NULL::uuid END;

ALTER FUNCTION app.account_id() OWNER TO hearth_owner;

-- Name: FUNCTION account_id(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.account_id() IS 'The signed-in account while it acts as itself, or null.';

-- Name: account_of_address(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.account_of_address(p_email text) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(
        (SELECT e.user_id FROM app.email_sign_ins AS e
         WHERE e.email = p_email AND e.removed_at IS NULL),
        (SELECT u.id FROM app.users AS u
         WHERE u.email = p_email AND u.email_verified AND u.kind = 'account'
            AND u.deleted_at IS NULL
            AND NOT EXISTS (SELECT FROM app.email_sign_ins AS e
                            WHERE e.user_id = u.id AND e.email = p_email)
         ORDER BY EXISTS (SELECT FROM app.family_members AS m
                          WHERE m.user_id = u.id AND m.status = 'active') DESC,
            u.created_at, u.id
         LIMIT 1))
$$;

ALTER FUNCTION app.account_of_address(p_email text) OWNER TO hearth_owner;

-- Name: actor_id(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.actor_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (COALESCE(NULLIF(current_setting('hearth.guardian_id'::text, true), ''::text), NULLIF(current_setting('hearth.user_id'::text, true), ''::text)))::uuid;

ALTER FUNCTION app.actor_id() OWNER TO hearth_owner;

-- Name: FUNCTION actor_id(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.actor_id() IS 'The account that is signed in, or null.';

-- Name: add_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.add_guardian(p_member uuid, p_guardian_member uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    RETURN app.make_guardian(app.require_guarded_child(p_member), p_guardian_member);
END $$;

ALTER FUNCTION app.add_guardian(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION add_guardian(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.add_guardian(p_member uuid, p_guardian_member uuid) IS 'Makes another adult a guardian of a child that the caller guards; false if it is one already.';

-- Name: add_managed_member(uuid, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.add_managed_member(p_family uuid, p_display_name text, p_avatar_key text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
    v_child constant uuid := gen_random_uuid();
BEGIN
    PERFORM app.require_allowed(app.is_adult(v_me));
    IF app.lowest_free_slot(p_family) IS NULL THEN
        PERFORM app.refuse('HF409', 'family_full', 'This family is full.');
    END IF;
    INSERT INTO app.users (id, kind, full_name, role, avatar_key)
        VALUES (v_child, 'managed', p_display_name, 'player', p_avatar_key);
    INSERT INTO app.family_members
            (id, family_unit_id, user_id, role, household_role, parent_user_id, joined_via)
        VALUES (v_child, p_family, v_child, 'player', 'kid', v_me.user_id, 'created');
    PERFORM app.record_audit('managed.create', p_family, v_child, v_child);
    RETURN v_child;
END $$;

ALTER FUNCTION app.add_managed_member(p_family uuid, p_display_name text, p_avatar_key text) OWNER TO hearth_owner;

-- Name: FUNCTION add_managed_member(p_family uuid, p_display_name text, p_avatar_key text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.add_managed_member(p_family uuid, p_display_name text, p_avatar_key text) IS 'Adds a child with the caller as its guardian; its id, as member and as user.';

-- Name: add_my_passkey(bigint, bytea, bytea, bigint, text, uuid, text[], boolean, boolean, bytea, timestamp with time zone, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_id uuid;
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = v_account AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    ELSIF (p_token_issued_at > extract(epoch FROM now() - app.fresh_proof_time())) IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'fresh_sign_in_required', 'Sign in again to do this.');
    END IF;
    PERFORM app.answer_challenge(p_challenge_hash, p_challenge_expires);
    IF (SELECT count(*) FROM app.passkeys AS k WHERE k.user_id = v_account)
        >= app.max_passkeys() THEN
        PERFORM app.refuse('HF409', 'too_many_passkeys', 'This account has too many passkeys.');
    END IF;
    INSERT INTO app.passkeys AS k (user_id, credential_id, public_key, counter, label, model,
            transports, is_backup_eligible, is_backed_up)
        VALUES (v_account, p_credential_id, p_public_key, p_counter, p_label, p_model,
            p_transports, p_is_backup_eligible, p_is_backed_up)
        ON CONFLICT DO NOTHING RETURNING k.id INTO v_id;
    IF v_id IS NULL THEN
        PERFORM app.refuse('HF409', 'passkey_exists', 'This passkey was added before.');
    END IF;
    PERFORM app.record_audit('identity.add', NULL, v_account, v_id,
        jsonb_build_object('kind', 'passkey'));
    PERFORM jobs.enqueue('mail', 'mail.passkey_added', NULL,
        p_mail || jsonb_build_object('recipient', v_account));
    RETURN v_id;
END $$;

ALTER FUNCTION app.add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb) IS 'Adds a passkey to the account whose request has begun; its making was verified before.';

-- Name: add_sign_in(text, bytea, text, boolean, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_other uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(1212499273, hashtext(encode(p_subject_hash, 'hex')));
    SELECT i.user_id INTO v_other FROM app.user_identities AS i
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
    -- After the look-up: if an erasure was the reason that it found nobody, it is seen now.
    IF app.was_erased(p_subject_hash, p_issued_at) THEN
        PERFORM app.refuse('HF403', 'account_required', 'The account of this sign-in was erased.');
    END IF;
    IF v_other = v_account THEN
        RETURN;
    END IF;
    PERFORM FROM app.users AS u WHERE u.id IN (v_account, v_other) ORDER BY u.id
        FOR NO KEY UPDATE;
    PERFORM app.require_account();
    IF v_other IS NULL THEN
        INSERT INTO app.user_identities
                (issuer, subject_hash, user_id, claims_mark, claims_issued_at, tells_address)
            VALUES (p_issuer, p_subject_hash, v_account,
                app.kept_mark(p_subject_hash, p_email, p_email_verified), p_issued_at, false);
    ELSIF EXISTS (SELECT FROM app.family_members AS m
                  WHERE m.user_id = v_other AND m.status <> 'removed')
        OR EXISTS (SELECT FROM app.family_units AS f WHERE f.created_by_user_id = v_other)
        OR EXISTS (SELECT FROM app.passwords AS p WHERE p.user_id = v_other)
        OR EXISTS (SELECT FROM app.passkeys AS k WHERE k.user_id = v_other) THEN
        PERFORM app.refuse('HF409', 'identity_in_use',
            'This sign-in has an account of its own that is in use.');
    ELSE
        UPDATE app.user_identities AS i SET user_id = v_account, tells_address = false
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.provider_tokens AS p SET user_id = v_account
            WHERE p.subject_hash = p_subject_hash AND p.issuer = p_issuer;
        IF NOT EXISTS (SELECT FROM app.user_identities AS i WHERE i.user_id = v_other)
            AND NOT EXISTS (SELECT FROM app.email_sign_ins AS e
                            WHERE e.user_id = v_other AND e.removed_at IS NULL) THEN
            PERFORM app.end_sessions_of(v_other, NULL, 'moved');
            UPDATE app.users AS u SET full_name = NULL, email = NULL, email_verified = false,
                    avatar_key = NULL, avatar_url = NULL, locale = NULL, deleted_at = now()
                WHERE u.id = v_other;
        END IF;
    END IF;
    PERFORM app.record_audit('identity.add', NULL, v_account, v_account,
        jsonb_build_object('kind', 'issuer'));
END $$;

ALTER FUNCTION app.add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint) OWNER TO hearth_owner;

-- Name: FUNCTION add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint) IS 'Adds a sign-in, or moves it here from an account that is not in use.';

-- Name: users; Type: TABLE; Schema: app
CREATE TABLE app.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text DEFAULT 'account'::text NOT NULL,
    email text,
    email_verified boolean DEFAULT false NOT NULL,
    full_name text,
    role text DEFAULT 'parent'::text NOT NULL,
    avatar_key text,
    avatar_url text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    locale text COLLATE pg_catalog."C",
    CONSTRAINT users_avatar_key_form CHECK ((((char_length(avatar_key) >= 1) AND (char_length(avatar_key) <= 64)) AND (avatar_key IS NFC NORMALIZED) AND (avatar_key !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'::text) AND (avatar_key !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'::text) AND (avatar_key !~ ((('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'::text || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'::text) || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'::text) || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]'::text)))),
    CONSTRAINT users_avatar_url_form CHECK (((avatar_url ~ '^https://[^[:space:][:cntrl:]]+$'::text) AND (octet_length(avatar_url) <= 2048))),
    CONSTRAINT users_email_normalised CHECK (((email IS NFC NORMALIZED) AND (email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'::text) AND (octet_length(email) <= 254))),
    CONSTRAINT users_full_name_form CHECK ((((char_length(full_name) >= 1) AND (char_length(full_name) <= 80)) AND (full_name IS NFC NORMALIZED) AND (full_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'::text) AND (full_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'::text) AND (full_name !~ ((('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'::text || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'::text) || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'::text) || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]'::text)))),
    CONSTRAINT users_kind_known CHECK ((kind = ANY (ARRAY['account'::text, 'managed'::text]))),
    CONSTRAINT users_locale_form CHECK (((locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$'::text) AND (octet_length(locale) <= 35))),
    CONSTRAINT users_managed_has_only_name_and_avatar CHECK (((kind <> 'managed'::text) OR ((email IS NULL) AND (NOT email_verified) AND (avatar_url IS NULL) AND (role = 'player'::text) AND ((deleted_at IS NOT NULL) OR ((full_name IS NOT NULL) AND (char_length(full_name) <= 30)))))),
    CONSTRAINT users_only_accounts_have_locale CHECK (((locale IS NULL) OR (kind = 'account'::text))),
    CONSTRAINT users_role_known CHECK ((role = ANY (ARRAY['player'::text, 'parent'::text]))),
    CONSTRAINT users_verified_has_email CHECK (((email IS NOT NULL) OR (NOT email_verified)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.users FORCE ROW LEVEL SECURITY;

ALTER TABLE app.users OWNER TO hearth_owner;

-- Name: TABLE users; Type: COMMENT; Schema: app
COMMENT ON TABLE app.users IS 'People: accounts that sign in, and managed children.';

-- Name: COLUMN users.locale; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.users.locale IS 'The language that the person is written to in.';

-- Name: addresses_of(app.users); Type: FUNCTION; Schema: app
CREATE FUNCTION app.addresses_of(p_user app.users) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT e.email FROM app.email_sign_ins AS e
    WHERE e.user_id = p_user.id AND e.removed_at IS NULL
    UNION
    SELECT p_user.email WHERE p_user.email_verified AND p_user.email IS NOT NULL;
$$;

ALTER FUNCTION app.addresses_of(p_user app.users) OWNER TO hearth_owner;

-- Name: answer_challenge(bytea, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.answer_challenge(p_challenge_hash bytea, p_expires timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    INSERT INTO app.answered_challenges (challenge_hash, expires_at)
        SELECT p_challenge_hash, p_expires WHERE p_expires > clock_timestamp()
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF410', 'challenge_expired',
            'This took too long, or was sent before. Start again.');
    END IF;
END $$;

ALTER FUNCTION app.answer_challenge(p_challenge_hash bytea, p_expires timestamp with time zone) OWNER TO hearth_owner;

-- Name: api_timestamp(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.api_timestamp(p_at timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE
    RETURN to_char((p_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text);

ALTER FUNCTION app.api_timestamp(p_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: applied_migrations(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.applied_migrations() RETURNS TABLE(version bigint, name text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF to_regclass('migrations.ledger') IS NOT NULL THEN
        RETURN QUERY EXECUTE
            'SELECT l.version::bigint, l.name::text FROM migrations.ledger AS l ORDER BY 1';
    END IF;
END $$;

ALTER FUNCTION app.applied_migrations() OWNER TO hearth_owner;

-- Name: FUNCTION applied_migrations(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.applied_migrations() IS 'The files that hearth-migrate has applied.';

-- Name: applied_repeatable_files(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.applied_repeatable_files() RETURNS TABLE(name text, checksum text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF to_regclass('migrations.repeatable') IS NOT NULL THEN
        RETURN QUERY EXECUTE 'SELECT r.name, r.checksum FROM migrations.repeatable AS r';
    END IF;
END $$;

ALTER FUNCTION app.applied_repeatable_files() OWNER TO hearth_owner;

-- Name: FUNCTION applied_repeatable_files(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.applied_repeatable_files() IS 'The repeatable files that hearth-migrate has applied, by the SHA-256 of their text.';

-- Name: apply_code_settings(integer, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.apply_code_settings(p_length integer, p_wrong_codes_a_minute integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    INSERT INTO app.code_settings AS s (code_length, wrong_codes_a_minute)
        SELECT p_length, p_wrong_codes_a_minute
            WHERE p_length IS NOT NULL AND p_wrong_codes_a_minute IS NOT NULL
        ON CONFLICT (is_only) DO UPDATE SET
                code_length = excluded.code_length,
                wrong_codes_a_minute = excluded.wrong_codes_a_minute
            WHERE (s.code_length, s.wrong_codes_a_minute)
                <> (excluded.code_length, excluded.wrong_codes_a_minute);
$$;

ALTER FUNCTION app.apply_code_settings(p_length integer, p_wrong_codes_a_minute integer) OWNER TO hearth_owner;

-- Name: FUNCTION apply_code_settings(p_length integer, p_wrong_codes_a_minute integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.apply_code_settings(p_length integer, p_wrong_codes_a_minute integer) IS 'Stores the settings about codes: how long new ones are, which leaves those that are there good; and how many wrong ones a minute begin automatic approval.';

-- Name: apply_consent_purposes(text[], text[], text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274);
    DELETE FROM app.consent_purposes AS p WHERE p.purpose <> ALL (p_purposes);
    INSERT INTO app.consent_purposes AS p (purpose, version, is_required)
        SELECT n.purpose, n.version, n.purpose = ANY (p_required)
        FROM unnest(p_purposes, p_versions) AS n (purpose, version)
        ON CONFLICT (purpose) DO UPDATE
            SET version = excluded.version, is_required = excluded.is_required
            WHERE (p.version, p.is_required) <> (excluded.version, excluded.is_required);
END $$;

ALTER FUNCTION app.apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]) OWNER TO hearth_owner;

-- Name: FUNCTION apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]) IS 'Replaces the purposes of consent: names, versions of the texts, which are required.';

-- Name: automatic_approval; Type: TABLE; Schema: app
CREATE TABLE app.automatic_approval (
    is_only boolean DEFAULT true NOT NULL,
    began_at timestamp with time zone NOT NULL,
    lasts_until timestamp with time zone NOT NULL,
    CONSTRAINT automatic_approval_ends_later CHECK ((lasts_until > began_at)),
    CONSTRAINT automatic_approval_is_one_row CHECK (is_only)
);

ALTER TABLE ONLY app.automatic_approval FORCE ROW LEVEL SECURITY;

ALTER TABLE app.automatic_approval OWNER TO hearth_owner;

-- Name: TABLE automatic_approval; Type: COMMENT; Schema: app
COMMENT ON TABLE app.automatic_approval IS 'Since when joining by a code waits for approval in every family, and until when.';

-- Name: approval_is_automatic(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.approval_is_automatic() RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM app.automatic_approval a WHERE (a.lasts_until > now())));

ALTER FUNCTION app.approval_is_automatic() OWNER TO hearth_owner;

-- Name: approval_terms_of_code(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.approval_terms_of_code(p_code text) RETURNS TABLE(approval_required boolean, approval_is_automatic boolean, is_invited boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    RETURN QUERY SELECT f.approval_required, app.approval_is_automatic(),
            app.has_invited(f.id, v_account)
        FROM app.family_codes AS c JOIN app.family_units AS f ON f.id = c.family_unit_id
        WHERE c.code = app.normalised_code(p_code) AND c.state = 'live';
END $$;

ALTER FUNCTION app.approval_terms_of_code(p_code text) OWNER TO hearth_owner;

-- Name: FUNCTION approval_terms_of_code(p_code text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.approval_terms_of_code(p_code text) IS 'Whether the family of a code approves who joins, by its own wish or automatically, and whether it has invited the account; no row without such a family.';

-- Name: approve_member(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.approve_member(p_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me app.family_members;
    v_target app.family_members;
    v_own uuid := app.lock_for_approval(p_member);
BEGIN
    v_me := app.lock_family_of_member(p_member);
    -- A caller who may not approve must not learn who is waiting, so the member counts as not
    -- found.
    v_target := app.member_in_family_of(v_me, p_member);
    PERFORM app.require_allowed(v_me.governs);
    IF v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This person is already a member of your family.');
    END IF;
    PERFORM app.lock_account(v_target.user_id);
    IF v_target.role = 'player' THEN
        v_own := app.locked_player_family(v_target.user_id, v_own);
        IF v_own IS NOT NULL AND app.lives_alone(v_own, v_target.user_id) THEN
            PERFORM app.leave_own_family(v_own, v_target.user_id, v_me.family_unit_id, 'player');
        END IF;
    END IF;
    PERFORM app.require_room_for(v_me.family_unit_id, v_target.user_id, v_target.role);
    -- The side that a first family gives becomes the account's own.
    UPDATE app.users AS u SET role = v_target.role
        WHERE u.id = v_target.user_id AND u.role <> v_target.role AND NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.user_id = v_target.user_id AND m.status = 'active');
    UPDATE app.family_members AS m SET status = 'active', vouched = true, added_at = now()
        WHERE m.id = v_target.id;
    IF v_target.role = 'player' THEN
        PERFORM app.fill_player_name(v_me.family_unit_id, v_target.user_id);
    END IF;
    PERFORM app.record_audit(
        'member.approve', v_me.family_unit_id, v_target.user_id, v_target.id);
END $$;

ALTER FUNCTION app.approve_member(p_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION approve_member(p_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.approve_member(p_member uuid) IS 'Lets in a person who waits for approval.';

-- Name: audit_cutoff(interval, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_cutoff(p_age interval, p_exported_only boolean) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    -- least() ignores nulls, and each null here means that nothing goes.
    SELECT CASE WHEN NOT p_exported_only OR c.month <= app.audit_exported_until() THEN c.month
        WHEN c.month > app.audit_exported_until() THEN app.audit_exported_until() END
    FROM (SELECT date_trunc('month', (now() - p_age) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')
        AS c (month);
$$;

ALTER FUNCTION app.audit_cutoff(p_age interval, p_exported_only boolean) OWNER TO hearth_owner;

-- Name: audit_exported_until(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_exported_until() RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT max(e.ends_at) FROM app.audit_exports AS e;
$$;

ALTER FUNCTION app.audit_exported_until() OWNER TO hearth_owner;

-- Name: FUNCTION audit_exported_until(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.audit_exported_until() IS 'The moment before which every entry of the trail has been exported; null: none.';

-- Name: audit_family_statement(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_family_statement() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (NEW.id, NEW.created_by_user_id, 'generated');
        PERFORM app.audit_statement_of_client(
            'family.create', NEW.id, NEW.created_by_user_id, NEW.id, '{}');
    ELSE
        PERFORM app.audit_statement_of_client('family.update', NEW.id, app.user_id(), NEW.id,
            app.changed_columns(to_jsonb(OLD), to_jsonb(NEW)));
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.audit_family_statement() OWNER TO hearth_owner;

-- Name: audit_invitation_statement(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_invitation_statement() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        'invitation.revoke', OLD.family_unit_id, app.user_id(), OLD.id, '{}');
    RETURN NULL;
END $$;

ALTER FUNCTION app.audit_invitation_statement() OWNER TO hearth_owner;

-- Name: audit_issuer_statement(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_issuer_statement() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_changes jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM app.audit_statement_of_client('issuer.add', NULL, NULL, NULL,
            jsonb_build_object('issuer', NEW.issuer));
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM app.audit_statement_of_client('issuer.remove', NULL, NULL, NULL,
            jsonb_build_object('issuer', OLD.issuer));
    ELSE
        v_changes := app.changed_columns(to_jsonb(OLD), to_jsonb(NEW));
        -- Applying the same file again changes nothing.
        IF v_changes <> '{"changed": []}' THEN
            PERFORM app.audit_statement_of_client('issuer.change', NULL, NULL, NULL,
                jsonb_build_object('issuer', NEW.issuer) || v_changes);
        END IF;
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.audit_issuer_statement() OWNER TO hearth_owner;

-- Name: audit_member_statement(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_member_statement() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF NOT (NEW.is_creator AND NEW.joined_via = 'created'
            AND NEW.user_id IS NOT DISTINCT FROM app.account_id()) THEN
        PERFORM app.audit_statement_of_client('member.add', NEW.family_unit_id, NEW.user_id, NEW.id,
            jsonb_build_object('role', NEW.role, 'householdRole', NEW.household_role));
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.audit_member_statement() OWNER TO hearth_owner;

-- Name: audit_months_missing(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_months_missing() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT to_char(m.month, 'YYYY-MM')
    FROM app.audit_months_without_part() AS m (month)
    WHERE m.month - interval '2 months' < now() AT TIME ZONE 'UTC' - interval '1 day'
        AND (EXISTS (SELECT FROM app.audit_parts())
             OR EXISTS (SELECT FROM app.audit_log AS a WHERE a.at < now() - interval '1 day'))
    ORDER BY m.month;
$$;

ALTER FUNCTION app.audit_months_missing() OWNER TO hearth_owner;

-- Name: FUNCTION audit_months_missing(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.audit_months_missing() IS 'Months whose part of the trail should be there by now, and is not.';

-- Name: audit_months_without_part(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_months_without_part() RETURNS SETOF date
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT m.month::date
    FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + n * interval '1 month'
          FROM generate_series(0, 2) AS n) AS m (month)
    WHERE to_regclass('app.audit_log_' || to_char(m.month, 'YYYYMM')) IS NULL
        AND NOT EXISTS (
            SELECT FROM app.audit_parts() AS p
            WHERE p.ends_at = (m.month + interval '1 month') AT TIME ZONE 'UTC')
        AND NOT app.is_before_months(m.month AT TIME ZONE 'UTC')
        AND NOT EXISTS (
            SELECT FROM app.audit_log AS a
            WHERE a.at >= m.month AT TIME ZONE 'UTC'
                AND a.at < (m.month + interval '1 month') AT TIME ZONE 'UTC')
    ORDER BY m.month;
$$;

ALTER FUNCTION app.audit_months_without_part() OWNER TO hearth_owner;

-- Name: audit_page(uuid, timestamp with time zone, uuid, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer) RETURNS TABLE(id uuid, at timestamp with time zone, actor_user_id uuid, actor_label text, subject_user_id uuid, action text, target_id uuid, details jsonb, subject_is_managed boolean, target_is_managed boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_at timestamptz := coalesce(p_at, 'infinity');
    v_id uuid := coalesce(p_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    v_since timestamptz := least(v_at, now()) - interval '31 days';
    v_limit integer := p_limit;
    v_count integer;
BEGIN
    IF NOT EXISTS (
        SELECT FROM app.my_governed_families AS g WHERE g.family_unit_id = p_family) THEN
        RETURN;
    END IF;
    LOOP
        -- By the two times alone, PostgreSQL knows which months to open. People are looked up
        -- behind the limit.
        RETURN QUERY
            SELECT a.id, a.at, a.actor_user_id, a.actor_label,
                coalesce(
                    (SELECT x.account_id FROM app.user_aliases AS x
                     WHERE x.alias_id = a.subject_user_id), a.subject_user_id),
                a.action, a.target_id, a.details,
                EXISTS (
                    SELECT FROM app.users AS u
                    WHERE u.id = a.subject_user_id AND u.kind = 'managed' AND NOT EXISTS (
                        SELECT FROM app.user_aliases AS x WHERE x.alias_id = u.id)),
                EXISTS (
                    SELECT FROM app.users AS u
                    WHERE u.id = a.target_id AND u.kind = 'managed' AND NOT EXISTS (
                        SELECT FROM app.user_aliases AS x WHERE x.alias_id = u.id))
            FROM (
                SELECT e.* FROM app.audit_log AS e
                WHERE e.family_unit_id = p_family AND e.at BETWEEN v_since AND v_at
                    AND (e.at, e.id) < (v_at, v_id)
                ORDER BY e.at DESC, e.id DESC LIMIT v_limit) AS a
            ORDER BY a.at DESC, a.id DESC;
        GET DIAGNOSTICS v_count = ROW_COUNT;
        v_limit := v_limit - v_count;
        EXIT WHEN v_limit = 0 OR v_since = '-infinity';
        v_at := v_since;
        v_id := '00000000-0000-0000-0000-000000000000';
        v_since := '-infinity';
    END LOOP;
END $$;

ALTER FUNCTION app.audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer) OWNER TO hearth_owner;

-- Name: FUNCTION audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer) IS 'A page of the audit trail of a family that the account governs, newest first.';

-- Name: audit_parts(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_parts() RETURNS TABLE(name text, ends_at timestamp with time zone)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT c.relname::text, substring(
        pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'app.audit_log'::regclass
        AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
    ORDER BY 2;
$$;

ALTER FUNCTION app.audit_parts() OWNER TO hearth_owner;

-- Name: audit_preferences_statement(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_preferences_statement() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        'preferences.write', NEW.family_unit_id, NEW.user_id, NEW.user_id, '{}');
    RETURN NULL;
END $$;

ALTER FUNCTION app.audit_preferences_statement() OWNER TO hearth_owner;

-- Name: audit_statement_of_client(text, uuid, uuid, uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_statement_of_client(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    -- Inside a definer function current_user is its owner; this is who called.
    v_role constant text := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    INSERT INTO app.audit_log (family_unit_id, actor_user_id, actor_label, subject_user_id, action,
            target_id, details)
        VALUES (p_family, app.actor_id(),
                coalesce(app.operator_label(),
                         CASE WHEN v_role <> 'hearth_api' THEN 'sql:' || v_role END),
                p_subject, p_action, p_target, p_details);
END $$;

ALTER FUNCTION app.audit_statement_of_client(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb) OWNER TO hearth_owner;

-- Name: audit_user_statement(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.audit_user_statement() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.audit_statement_of_client(
        CASE WHEN NEW.id = app.user_id() THEN 'profile.update' ELSE 'managed.update' END,
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = NEW.id AND m.user_kind = 'managed'),
        NEW.id, NEW.id, app.changed_columns(to_jsonb(OLD), to_jsonb(NEW)));
    RETURN NULL;
END $$;

ALTER FUNCTION app.audit_user_statement() OWNER TO hearth_owner;

-- Name: automatic_approval_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.automatic_approval_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:05:00'::interval;

ALTER FUNCTION app.automatic_approval_time() OWNER TO hearth_owner;

-- Name: family_members; Type: TABLE; Schema: app
CREATE TABLE app.family_members (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text NOT NULL,
    role text NOT NULL,
    household_role text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    slot smallint,
    parent_user_id uuid,
    joined_via text DEFAULT 'created'::text NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    removed_at timestamp with time zone,
    removed_by uuid,
    is_creator boolean DEFAULT false NOT NULL,
    erased_at timestamp with time zone,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    active_adult_user_id uuid GENERATED ALWAYS AS (
CASE
    WHEN ((status = 'active'::text) AND (role = 'parent'::text) AND (user_kind = 'account'::text) AND (household_role = ANY (ARRAY['adult'::text, 'parent_admin'::text]))) THEN user_id
    ELSE NULL::uuid
END) STORED,
    active_guardian_id uuid GENERATED ALWAYS AS (
CASE
    WHEN (status = 'active'::text) THEN parent_user_id
    ELSE NULL::uuid
END) STORED,
    confides boolean GENERATED ALWAYS AS (((status = 'active'::text) AND (user_kind = 'account'::text) AND (household_role <> 'visitor'::text) AND ((role = 'player'::text) OR (household_role = ANY (ARRAY['adult'::text, 'parent_admin'::text]))))) STORED,
    governs boolean GENERATED ALWAYS AS (((status = 'active'::text) AND (user_kind = 'account'::text) AND (household_role <> 'visitor'::text) AND ((household_role = 'parent_admin'::text) OR (is_creator AND ((role = 'player'::text) OR (household_role = 'adult'::text)))))) STORED,
    vouched boolean DEFAULT false NOT NULL,
    household_ceiling text DEFAULT 'adult'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now(),
    CONSTRAINT family_members_active_has_slot CHECK (((status = 'active'::text) = (slot IS NOT NULL))),
    CONSTRAINT family_members_admin_is_parent_with_account CHECK (((household_role <> 'parent_admin'::text) OR ((role = 'parent'::text) AND (user_kind = 'account'::text)))),
    CONSTRAINT family_members_household_ceiling_known CHECK ((household_ceiling = ANY (ARRAY['adult'::text, 'kid'::text, 'visitor'::text]))),
    CONSTRAINT family_members_household_role_known CHECK ((household_role = ANY (ARRAY['parent_admin'::text, 'adult'::text, 'kid'::text, 'visitor'::text]))),
    CONSTRAINT family_members_joined_via_known CHECK ((joined_via = ANY (ARRAY['created'::text, 'code'::text, 'invitation'::text, 'operator'::text]))),
    CONSTRAINT family_members_managed_form CHECK (
CASE user_kind
    WHEN 'managed'::text THEN ((id = user_id) AND (parent_user_id IS NOT NULL) AND (role = 'player'::text) AND (household_role = 'kid'::text) AND (status <> 'invited'::text))
    ELSE ((id <> user_id) AND (parent_user_id IS NULL))
END),
    CONSTRAINT family_members_removed_is_dated CHECK ((((status = 'removed'::text) = (removed_at IS NOT NULL)) AND ((removed_by IS NULL) OR (removed_at IS NOT NULL)))),
    CONSTRAINT family_members_role_known CHECK ((role = ANY (ARRAY['player'::text, 'parent'::text]))),
    CONSTRAINT family_members_slot_positive CHECK ((slot > 0)),
    CONSTRAINT family_members_status_known CHECK ((status = ANY (ARRAY['active'::text, 'invited'::text, 'removed'::text]))),
    CONSTRAINT family_members_vouched_form CHECK (
CASE
    WHEN (user_kind = 'managed'::text) THEN (NOT vouched)
    WHEN is_creator THEN vouched
    WHEN (joined_via = 'operator'::text) THEN (vouched OR (status = 'removed'::text))
    ELSE true
END),
    CONSTRAINT family_members_within_ceiling CHECK (
CASE household_ceiling
    WHEN 'adult'::text THEN true
    WHEN 'kid'::text THEN (household_role = ANY (ARRAY['kid'::text, 'visitor'::text]))
    ELSE (household_role = 'visitor'::text)
END)
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.family_members FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_members OWNER TO hearth_owner;

-- Name: TABLE family_members; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_members IS 'Memberships, one per family and user.';

-- Name: COLUMN family_members.vouched; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.family_members.vouched IS 'Whether creator, admin, operator or a vouched inviter answers for the person.';

-- Name: COLUMN family_members.household_ceiling; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.family_members.household_ceiling IS 'The highest household role that the member may choose for itself, below Parent Admin.';

-- Name: become_member(app.family_members, uuid, text, text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.become_member(p_child app.family_members, p_account uuid, p_role text, p_household_role text, p_vouched boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_child app.users;
BEGIN
    -- A membership that ended, or a request that waits: the person is this member now.
    DELETE FROM app.family_members AS m
        WHERE m.family_unit_id = p_child.family_unit_id AND m.user_id = p_account
            AND m.status <> 'active';
    SELECT u.* INTO v_child FROM app.users AS u WHERE u.id = p_child.user_id FOR UPDATE;
    UPDATE app.users AS u SET
            role = p_role, full_name = coalesce(u.full_name, v_child.full_name),
            avatar_key = coalesce(u.avatar_key, v_child.avatar_key)
        WHERE u.id = p_account;
    INSERT INTO app.user_aliases (alias_id, account_id) VALUES (v_child.id, p_account);
    UPDATE app.users AS u SET full_name = NULL, avatar_key = NULL, deleted_at = now()
        WHERE u.id = v_child.id;
    UPDATE app.family_members AS m SET
            user_id = p_account, user_kind = 'account', parent_user_id = NULL, role = p_role,
            household_role = p_household_role,
            household_ceiling = app.ceiling_of_household_role(p_household_role),
            vouched = p_vouched OR m.joined_via = 'operator'
        WHERE m.id = p_child.id;
END $$;

ALTER FUNCTION app.become_member(p_child app.family_members, p_account uuid, p_role text, p_household_role text, p_vouched boolean) OWNER TO hearth_owner;

-- Name: begin_audit_export(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_audit_export(p_before timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.record_audit('audit.export', NULL, NULL, NULL,
        jsonb_build_object('before', to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM')));
END $$;

ALTER FUNCTION app.begin_audit_export(p_before timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION begin_audit_export(p_before timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_audit_export(p_before timestamp with time zone) IS 'Begins an export of all entries before a month; refused while entries may still come.';

-- Name: begin_export(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_export(p_family uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (SELECT FROM app.family_units AS f WHERE f.id = p_family) THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    PERFORM app.record_audit('family.export', p_family, NULL, p_family);
END $$;

ALTER FUNCTION app.begin_export(p_family uuid) OWNER TO hearth_owner;

-- Name: FUNCTION begin_export(p_family uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_export(p_family uuid) IS 'Leaves the audit row of an export; its transaction has to be committed before the reading.';

-- Name: begin_family_versions(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_family_versions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    INSERT INTO app.family_versions (family_unit_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

ALTER FUNCTION app.begin_family_versions() OWNER TO hearth_owner;

-- Name: begin_operation(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_operation(p_operator text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
BEGIN
    IF p_operator IS NULL OR p_operator !~ '^[^[:cntrl:]]{1,80}$' THEN
        PERFORM app.refuse_field('operator',
            'The name of an operator has 1 to 80 characters, none of them a control character.');
    END IF;
    PERFORM set_config('hearth.operator', p_operator, true),
        set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    PERFORM app.require_operator();
END $_$;

ALTER FUNCTION app.begin_operation(p_operator text) OWNER TO hearth_owner;

-- Name: FUNCTION begin_operation(p_operator text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_operation(p_operator text) IS 'Begins an operator''s transaction, in this name.';

-- Name: claims_mark(text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.claims_mark(p_email text, p_email_verified boolean) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended((CASE WHEN p_email_verified THEN '+'::text ELSE '-'::text END || COALESCE(p_email, ''::text)), (0)::bigint);

ALTER FUNCTION app.claims_mark(p_email text, p_email_verified boolean) OWNER TO hearth_owner;

-- Name: tells_nothing_new(bigint, boolean, text, boolean, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tells_nothing_new(p_mark bigint, p_lacks_name boolean, p_email text, p_email_verified boolean, p_brings_name boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((p_email_verified IS NULL) OR ((p_mark = app.claims_mark(p_email, p_email_verified)) AND ((p_brings_name IS NOT TRUE) OR (NOT p_lacks_name))));

ALTER FUNCTION app.tells_nothing_new(p_mark bigint, p_lacks_name boolean, p_email text, p_email_verified boolean, p_brings_name boolean) OWNER TO hearth_owner;

-- Name: user_identities; Type: TABLE; Schema: app
CREATE TABLE app.user_identities (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    user_kind text DEFAULT 'account'::text NOT NULL,
    claims_mark bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    claims_issued_at bigint,
    lacks_name boolean DEFAULT false NOT NULL,
    tells_address boolean DEFAULT true NOT NULL,
    CONSTRAINT user_identities_issuer_form CHECK (((octet_length(issuer) >= 1) AND (octet_length(issuer) <= 512))),
    CONSTRAINT user_identities_only_accounts_sign_in CHECK ((user_kind = 'account'::text)),
    CONSTRAINT user_identities_subject_hash_size CHECK ((octet_length(subject_hash) = 32))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.user_identities FORCE ROW LEVEL SECURITY;

ALTER TABLE app.user_identities OWNER TO hearth_owner;

-- Name: TABLE user_identities; Type: COMMENT; Schema: app
COMMENT ON TABLE app.user_identities IS 'Which sign-in leads to which account.';

-- Name: COLUMN user_identities.claims_mark; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.user_identities.claims_mark IS 'What the token told that was last believed, hashed; null while an erasure is remembered.';

-- Name: COLUMN user_identities.lacks_name; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.user_identities.lacks_name IS 'Whether the user had no name when a token was last looked at: one that brings a name is news.';

-- Name: COLUMN user_identities.tells_address; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.user_identities.tells_address IS 'Whether the address in its tokens becomes the account''s.';

-- Name: sign_ins; Type: VIEW; Schema: app
CREATE VIEW app.sign_ins WITH (security_barrier='true') AS
 SELECT i.issuer,
    i.subject_hash,
    i.user_id,
    i.claims_mark,
    i.lacks_name
   FROM app.user_identities i
  WHERE (i.subject_hash = decode(current_setting('hearth.sign_in'::text, true), 'hex'::text));

ALTER TABLE app.sign_ins OWNER TO hearth_authz;

-- Name: begin_request(text, bytea, text, boolean, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE sql STABLE ROWS 1
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((current_setting('hearth.guardian_id'::text, true) <> ''::text) AND (set_config('hearth.guardian_id'::text, ''::text, true) <> ''::text)) THEN NULL::text
             WHEN ((current_setting('hearth.callers'::text, true) <> ''::text) AND (set_config('hearth.callers'::text, ''::text, true) <> ''::text)) THEN NULL::text
             WHEN (set_config('hearth.user_id'::text,
             CASE
                 WHEN t.fresh THEN (s.user_id)::text
                 ELSE ''::text
             END, true) <> ''::text) THEN 'known'::text
             WHEN (s.user_id IS NULL) THEN 'unknown'::text
             ELSE 'stale'::text
         END AS "case",
         CASE
             WHEN t.fresh THEN s.user_id
             ELSE NULL::uuid
         END AS "case",
         CASE
             WHEN t.fresh THEN s.user_id
             ELSE NULL::uuid
         END AS "case"
    FROM ((( SELECT set_config('hearth.sign_in'::text, encode(begin_request.p_subject_hash, 'hex'::text), true) AS set_config) named
      LEFT JOIN app.sign_ins s ON (((s.subject_hash = begin_request.p_subject_hash) AND (s.issuer = begin_request.p_issuer))))
      CROSS JOIN LATERAL ( SELECT ((s.user_id IS NOT NULL) AND app.tells_nothing_new(s.claims_mark, s.lacks_name, begin_request.p_email, begin_request.p_email_verified, begin_request.p_brings_name)) AS fresh) t);
END;

ALTER FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean) OWNER TO hearth_owner;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean) IS 'Begins the request of a verified token that acts as itself; one row, see outcome.';

-- Name: begin_request(text, bytea, text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE sql STABLE ROWS 1
    BEGIN ATOMIC
 SELECT b.outcome,
     b.user_id,
     b.actor_id
    FROM app.begin_request(begin_request.p_issuer, begin_request.p_subject_hash, begin_request.p_email, begin_request.p_email_verified, NULL::boolean) b(outcome, user_id, actor_id);
END;

ALTER FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean) OWNER TO hearth_owner;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean) IS 'Begins the request of a verified token that acts as itself; one row, see outcome.';

-- Name: guardianships; Type: TABLE; Schema: app
CREATE TABLE app.guardianships (
    member_id uuid NOT NULL,
    guardian_user_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    slot smallint NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    added_by uuid,
    CONSTRAINT guardianships_at_most_four CHECK (((slot >= 1) AND (slot <= 4)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.guardianships FORCE ROW LEVEL SECURITY;

ALTER TABLE app.guardianships OWNER TO hearth_owner;

-- Name: TABLE guardianships; Type: COMMENT; Schema: app
COMMENT ON TABLE app.guardianships IS 'Who acts for which child without an account.';

-- Name: COLUMN guardianships.added_by; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.guardianships.added_by IS 'Who made this adult a guardian; null: operators.';

-- Name: delegations; Type: VIEW; Schema: app
CREATE VIEW app.delegations WITH (security_barrier='true') AS
 SELECT m.user_id AS member_id,
    w.guardian_user_id AS guardian_id
   FROM ((app.guardianships w
     JOIN app.family_members m ON ((m.id = w.member_id)))
     JOIN app.family_members g ON (((g.family_unit_id = m.family_unit_id) AND (g.active_adult_user_id = w.guardian_user_id))))
  WHERE ((m.status = 'active'::text) AND (m.user_kind = 'managed'::text) AND (g.status = 'active'::text) AND (w.guardian_user_id = app.account_id()));

ALTER TABLE app.delegations OWNER TO hearth_authz;

-- Name: begin_request(text, bytea, text, boolean, boolean, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE sql STABLE ROWS 1
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((b.outcome <> 'known'::text) OR (begin_request.p_acting_as IS NULL)) THEN b.outcome
             WHEN (set_config('hearth.guardian_id'::text,
             CASE
                 WHEN d.honoured THEN (b.actor_id)::text
                 ELSE ''::text
             END, true) <> set_config('hearth.user_id'::text,
             CASE
                 WHEN d.honoured THEN (begin_request.p_acting_as)::text
                 ELSE ''::text
             END, true)) THEN 'known'::text
             ELSE 'acting_refused'::text
         END AS "case",
         CASE
             WHEN (begin_request.p_acting_as IS NULL) THEN b.user_id
             WHEN d.honoured THEN begin_request.p_acting_as
             ELSE NULL::uuid
         END AS "case",
         CASE
             WHEN ((begin_request.p_acting_as IS NULL) OR d.honoured) THEN b.actor_id
             ELSE NULL::uuid
         END AS "case"
    FROM (app.begin_request(begin_request.p_issuer, begin_request.p_subject_hash, begin_request.p_email, begin_request.p_email_verified, begin_request.p_brings_name) b(outcome, user_id, actor_id)
      CROSS JOIN LATERAL ( SELECT ((b.actor_id IS NOT NULL) AND (begin_request.p_acting_as IS NOT NULL) AND (EXISTS ( SELECT
                    FROM app.delegations d_1
                   WHERE ((d_1.member_id = begin_request.p_acting_as) AND (d_1.guardian_id = b.actor_id))))) AS honoured
          OFFSET 0) d);
END;

ALTER FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid) OWNER TO hearth_owner;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid) IS 'Begins the request of a verified token, perhaps on behalf of a managed member; one row.';

-- Name: begin_request(text, bytea, text, boolean, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE sql STABLE ROWS 1
    BEGIN ATOMIC
 SELECT b.outcome,
     b.user_id,
     b.actor_id
    FROM app.begin_request(begin_request.p_issuer, begin_request.p_subject_hash, begin_request.p_email, begin_request.p_email_verified, NULL::boolean, begin_request.p_acting_as) b(outcome, user_id, actor_id);
END;

ALTER FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid) OWNER TO hearth_owner;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid) IS 'Begins the request of a verified token, perhaps on behalf of a managed member; one row.';

-- Name: begin_requests(text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]) RETURNS TABLE(place integer, outcome text, user_id uuid)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    -- One query, and one function in its FROM: each more costs as much as several callers. With
    -- OFFSET 0 each caller is looked up by an index, however many the planner expects.
    RETURN QUERY
        WITH found AS MATERIALIZED (
            SELECT q.place, coalesce(s.user_id, i.user_id) AS user_id,
                CASE
                    WHEN p_sessions[q.place] IS NOT NULL THEN
                        CASE WHEN s.user_id IS NULL THEN 'session_ended' ELSE 'known' END
                    WHEN i.user_id IS NULL THEN 'unknown'
                    WHEN app.tells_nothing_new(i.claims_mark, i.lacks_name, p_emails[q.place],
                        p_emails_verified[q.place], p_bring_names[q.place]) THEN 'known'
                    ELSE 'stale'
                END AS outcome
            FROM generate_subscripts(p_issuers, 1) AS q (place)
            LEFT JOIN LATERAL (
                SELECT y.user_id, y.claims_mark, y.lacks_name
                FROM app.user_identities AS y
                WHERE p_sessions[q.place] IS NULL AND y.subject_hash = p_subject_hashes[q.place]
                    AND y.issuer = p_issuers[q.place] OFFSET 0) AS i ON true
            LEFT JOIN LATERAL (
                SELECT y.user_id
                FROM app.unended_sessions AS y
                WHERE y.id = p_sessions[q.place] AND y.user_id = p_accounts[q.place] OFFSET 0
                ) AS s ON true
        ), named AS MATERIALIZED (
            SELECT set_config('hearth.callers', array_agg(
                    CASE WHEN f.outcome = 'known' THEN f.user_id END ORDER BY f.place)::text, true),
                -- Left over from a call before, in this transaction.
                CASE WHEN current_setting('hearth.user_id', true) <> ''
                    THEN set_config('hearth.user_id', '', true) END,
                CASE WHEN current_setting('hearth.guardian_id', true) <> ''
                    THEN set_config('hearth.guardian_id', '', true) END
            FROM found AS f
        )
        SELECT f.place, f.outcome, CASE WHEN f.outcome = 'known' THEN f.user_id END
        FROM found AS f CROSS JOIN named ORDER BY f.place;
END $$;

ALTER FUNCTION app.begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]) OWNER TO hearth_owner;

-- Name: FUNCTION begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]) IS 'Begins the requests of several callers who act for nobody; a row for each, in their order.';

-- Name: sessions; Type: TABLE; Schema: app
CREATE TABLE app.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_kind text DEFAULT 'account'::text NOT NULL,
    method text NOT NULL,
    issuer text COLLATE pg_catalog."C",
    device text,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT sessions_device_form CHECK ((((char_length(device) >= 1) AND (char_length(device) <= 80)) AND (device !~ '[[:cntrl:]]'::text))),
    CONSTRAINT sessions_end_reason_known CHECK ((end_reason = ANY (ARRAY['signed_out'::text, 'revoked'::text, 'reused'::text, 'operator'::text, 'password'::text, 'replaced'::text, 'provider'::text, 'moved'::text]))),
    CONSTRAINT sessions_ended_has_reason CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT sessions_issuer_form CHECK (((octet_length(issuer) >= 1) AND (octet_length(issuer) <= 512))),
    CONSTRAINT sessions_issuer_of_exchange CHECK (((issuer IS NOT NULL) = (method = 'exchange'::text))),
    CONSTRAINT sessions_method_known CHECK ((method = ANY (ARRAY['exchange'::text, 'email'::text, 'password'::text, 'passkey'::text]))),
    CONSTRAINT sessions_only_accounts_sign_in CHECK ((user_kind = 'account'::text))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.sessions FORCE ROW LEVEL SECURITY;

ALTER TABLE app.sessions OWNER TO hearth_owner;

-- Name: TABLE sessions; Type: COMMENT; Schema: app
COMMENT ON TABLE app.sessions IS 'Sign-ins that Hearth itself gives tokens for.';

-- Name: COLUMN sessions.issuer; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.sessions.issuer IS 'Whose token was exchanged for it; null where no other issuer took part.';

-- Name: COLUMN sessions.device; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.sessions.device IS 'What the client calls the device.';

-- Name: unended_sessions; Type: VIEW; Schema: app
CREATE VIEW app.unended_sessions AS
 SELECT s.id,
    s.user_id
   FROM app.sessions s
  WHERE ((s.ended_at IS NULL) AND (s.ends_at > now()));

ALTER TABLE app.unended_sessions OWNER TO hearth_authz;

-- Name: live_sessions; Type: VIEW; Schema: app
CREATE VIEW app.live_sessions WITH (security_barrier='true') AS
 SELECT s.id,
    s.user_id
   FROM app.unended_sessions s
  WHERE (s.id = (NULLIF(current_setting('hearth.session'::text, true), ''::text))::uuid);

ALTER TABLE app.live_sessions OWNER TO hearth_authz;

-- Name: begin_session(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_session(p_session uuid, p_user uuid) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE sql STABLE ROWS 1
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((current_setting('hearth.guardian_id'::text, true) <> ''::text) AND (set_config('hearth.guardian_id'::text, ''::text, true) <> ''::text)) THEN NULL::text
             WHEN ((current_setting('hearth.callers'::text, true) <> ''::text) AND (set_config('hearth.callers'::text, ''::text, true) <> ''::text)) THEN NULL::text
             WHEN (set_config('hearth.user_id'::text, COALESCE((s.user_id)::text, ''::text), true) <> ''::text) THEN 'known'::text
             ELSE 'session_ended'::text
         END AS "case",
     s.user_id,
     s.user_id
    FROM (( SELECT set_config('hearth.session'::text, COALESCE((begin_session.p_session)::text, ''::text), true) AS set_config) named
      LEFT JOIN app.live_sessions s ON (((s.id = begin_session.p_session) AND (s.user_id = begin_session.p_user))));
END;

ALTER FUNCTION app.begin_session(p_session uuid, p_user uuid) OWNER TO hearth_owner;

-- Name: FUNCTION begin_session(p_session uuid, p_user uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_session(p_session uuid, p_user uuid) IS 'Begins the request of a token that Hearth gave for this session of this account; one row.';

-- Name: begin_session(uuid, uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE sql STABLE ROWS 1
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((b.outcome <> 'known'::text) OR (begin_session.p_acting_as IS NULL)) THEN b.outcome
             WHEN (set_config('hearth.guardian_id'::text,
             CASE
                 WHEN d.honoured THEN (b.actor_id)::text
                 ELSE ''::text
             END, true) <> set_config('hearth.user_id'::text,
             CASE
                 WHEN d.honoured THEN (begin_session.p_acting_as)::text
                 ELSE ''::text
             END, true)) THEN 'known'::text
             ELSE 'acting_refused'::text
         END AS "case",
         CASE
             WHEN (begin_session.p_acting_as IS NULL) THEN b.user_id
             WHEN d.honoured THEN begin_session.p_acting_as
             ELSE NULL::uuid
         END AS "case",
         CASE
             WHEN ((begin_session.p_acting_as IS NULL) OR d.honoured) THEN b.actor_id
             ELSE NULL::uuid
         END AS "case"
    FROM (app.begin_session(begin_session.p_session, begin_session.p_user) b(outcome, user_id, actor_id)
      CROSS JOIN LATERAL ( SELECT ((b.actor_id IS NOT NULL) AND (begin_session.p_acting_as IS NOT NULL) AND (EXISTS ( SELECT
                    FROM app.delegations d_1
                   WHERE ((d_1.member_id = begin_session.p_acting_as) AND (d_1.guardian_id = b.actor_id))))) AS honoured
          OFFSET 0) d);
END;

ALTER FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid) OWNER TO hearth_owner;

-- Name: FUNCTION begin_session(p_session uuid, p_user uuid, p_acting_as uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid) IS 'As begin_session(uuid, uuid), perhaps on behalf of a managed member; one row.';

-- Name: begin_user_versions(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_user_versions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    INSERT INTO app.user_versions (user_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

ALTER FUNCTION app.begin_user_versions() OWNER TO hearth_owner;

-- Name: begin_webhook_delivery(uuid, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.begin_webhook_delivery(p_endpoint uuid, p_event bigint) RETURNS TABLE(state text, url text, event_id uuid, event_type text, occurred_at timestamp with time zone, data jsonb, secret_generation integer, secret_hash bytea, previous_secret_hash bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_delivery app.webhook_deliveries;
    v_endpoint app.webhook_endpoints;
    v_event app.webhook_events;
BEGIN
    SELECT d.* INTO v_delivery FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.event_number = p_event AND d.state = 'pending';
    SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint;
    SELECT n.* INTO v_event FROM app.webhook_events AS n WHERE n.number = p_event;
    IF v_delivery.endpoint_id IS NULL OR v_endpoint.id IS NULL OR v_event.id IS NULL THEN
        state := 'gone';
    ELSIF v_event.event_type = 'webhook.test' THEN
        state := 'send';
    ELSIF v_endpoint.paused_at IS NOT NULL THEN
        state := 'paused';
    ELSIF EXISTS (
        SELECT FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.family_unit_id = v_delivery.family_unit_id
            AND d.state = 'pending' AND d.event_number < p_event) THEN
        state := 'wait';
    ELSIF v_endpoint.failures > 0 THEN
        -- Whoever moves the date on is the one to try.
        UPDATE app.webhook_endpoints AS e SET retry_at = clock_timestamp() + interval '30 seconds'
            WHERE e.id = p_endpoint AND e.retry_at <= clock_timestamp();
        state := CASE WHEN FOUND THEN 'send' ELSE 'wait' END;
    ELSE
        state := 'send';
    END IF;
    url := coalesce(v_endpoint.url, '');
    event_id := coalesce(v_event.id, p_endpoint);
    event_type := coalesce(v_event.event_type, '');
    occurred_at := coalesce(v_event.occurred_at, now());
    data := coalesce(v_event.data, '{}');
    secret_generation := coalesce(v_endpoint.secret_generation, 0);
    secret_hash := coalesce(v_endpoint.secret_hash, '');
    previous_secret_hash := CASE WHEN v_endpoint.previous_until > now()
                                 THEN v_endpoint.previous_secret_hash ELSE '' END;
    previous_secret_hash := coalesce(previous_secret_hash, '');
    RETURN NEXT;
END $$;

ALTER FUNCTION app.begin_webhook_delivery(p_endpoint uuid, p_event bigint) OWNER TO hearth_owner;

-- Name: best_guardian(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.best_guardian(p_family uuid) RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT m.user_id FROM app.family_members m WHERE ((m.family_unit_id = best_guardian.p_family) AND (m.active_adult_user_id IS NOT NULL)) ORDER BY (m.household_role = 'parent_admin'::text) DESC, m.added_at, m.id LIMIT 1);

ALTER FUNCTION app.best_guardian(p_family uuid) OWNER TO hearth_owner;

-- Name: ceiling_of_household_role(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.ceiling_of_household_role(p_household_role text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE p_household_role WHEN 'parent_admin'::text THEN 'adult'::text ELSE p_household_role END;

ALTER FUNCTION app.ceiling_of_household_role(p_household_role text) OWNER TO hearth_owner;

-- Name: change_household_role(uuid, text, uuid, timestamp with time zone, bigint, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean) RETURNS TABLE(kept text, by_member_id uuid, at timestamp with time zone, household_role text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_me, p_member);
    v_itself constant boolean := v_target.id = v_me.id;
    v_now constant timestamptz := clock_timestamp();
    v_at constant timestamptz := least(coalesce(p_changed_at, v_now), v_now);
    v_last app.role_changes;
    v_is_late boolean;
    v_by uuid;
BEGIN
    PERFORM app.require_role_change(v_me, v_target, p_household_role);
    SELECT c.* INTO v_last FROM app.role_changes AS c WHERE c.member_id = v_target.id;
    v_is_late := coalesce(v_at < v_now AND v_at < app.role_meant_at(v_last), false);
    IF v_is_late <> p_is_late THEN
        RAISE EXCEPTION 'the household role was changed in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    -- A late one meets whoever meant the role last, a later one whoever changed it.
    v_by := CASE WHEN v_is_late AND v_last.confirmed_at IS NOT NULL THEN v_last.confirmed_by
                 ELSE v_last.changed_by END;
    IF v_by IS DISTINCT FROM v_me.user_id
        AND v_target.household_role <> p_household_role
        AND (v_is_late OR app.is_unseen(v_last, p_base_version)) THEN
        RETURN QUERY SELECT CASE WHEN v_is_late THEN 'theirs' ELSE 'yours' END,
            (SELECT m.id FROM app.family_members AS m
             WHERE m.family_unit_id = v_me.family_unit_id AND m.user_id = v_by),
            CASE WHEN v_is_late THEN app.role_meant_at(v_last) ELSE v_last.changed_at END,
            v_target.household_role;
        IF NOT v_is_late THEN
            PERFORM app.tell_of_overwriting(v_me, v_last, v_at);
        END IF;
    END IF;
    IF v_is_late THEN
        RETURN;
    ELSIF v_target.household_role = p_household_role THEN
        PERFORM app.confirm_role(v_target, v_at);
    END IF;
    IF app.rank_of_household_role(p_household_role) < app.rank_of_household_role('adult') THEN
        PERFORM app.reassign_children_of(v_target, p_reassign_to);
    END IF;
    PERFORM set_config('hearth.changed_at', v_at::text, true);
    UPDATE app.family_members AS m SET household_role = p_household_role,
            household_ceiling = CASE WHEN v_itself THEN m.household_ceiling
                                     ELSE app.ceiling_of_household_role(p_household_role) END,
            vouched = m.vouched OR (p_household_role = 'parent_admin' AND NOT v_itself)
        WHERE m.id = v_target.id;
    PERFORM set_config('hearth.changed_at', '', true);
    PERFORM app.revoke_invitations_beyond_rights(v_target.id);
    PERFORM app.record_audit('member.set_role', v_me.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

ALTER FUNCTION app.change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean) OWNER TO hearth_owner;

-- Name: FUNCTION change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean) IS 'Changes a member''s household role unless it was changed later; see its definition.';

-- Name: change_my_password(text, text, uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = v_account AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF (SELECT p.hash FROM app.passwords AS p WHERE p.user_id = v_account)
        IS DISTINCT FROM p_seen_hash THEN
        RETURN false;
    END IF;
    PERFORM app.put_password(v_account, p_hash, p_session, p_mail);
    RETURN true;
END $$;

ALTER FUNCTION app.change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb) IS 'Sets the caller''s password; returns false if the old one was replaced since it was seen.';

-- Name: change_player_details(uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
    v_details jsonb;
BEGIN
    PERFORM app.require_allowed(app.is_adult(v_me));
    UPDATE app.family_units AS f
        SET player_details = jsonb_strip_nulls(f.player_details || p_changes)
        WHERE f.id = p_family
        RETURNING f.player_details INTO v_details;
    IF (SELECT count(*) FROM app.further_details(v_details)) > app.max_further_details() THEN
        RAISE EXCEPTION 'too many further details'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_player_details_form';
    END IF;
    PERFORM app.record_audit('player_details.write', p_family, v_me.user_id, p_family);
END $$;

ALTER FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION change_player_details(p_family uuid, p_changes jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) IS 'Changes what the family notes about its player: the fields that are given, null taking away.';

-- Name: changed_columns(jsonb, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.changed_columns(p_old jsonb, p_new jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    RETURN jsonb_build_object('changed', COALESCE((SELECT jsonb_agg(n.key ORDER BY n.key) AS jsonb_agg FROM jsonb_each(changed_columns.p_new) n(key, value) WHERE ((n.value IS DISTINCT FROM (changed_columns.p_old -> n.key)) AND (n.key <> 'updated_at'::text))), '[]'::jsonb));

ALTER FUNCTION app.changed_columns(p_old jsonb, p_new jsonb) OWNER TO hearth_owner;

-- Name: changed_since(timestamp with time zone, double precision); Type: FUNCTION; Schema: app
CREATE FUNCTION app.changed_since(p_since timestamp with time zone, p_seconds double precision) RETURNS TABLE(id_hash bigint, version bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
    -- Apart, or the planner would provide for a third of all families and people.
    WITH of_families AS MATERIALIZED (
        SELECT c.family_unit_id, c.version FROM app.family_changes AS c
        WHERE c.changed_at >= greatest(p_since,
            statement_timestamp() - make_interval(secs => p_seconds))),
    of_users AS MATERIALIZED (
        SELECT c.user_id, c.version FROM app.user_changes AS c
        WHERE c.changed_at >= greatest(p_since,
            statement_timestamp() - make_interval(secs => p_seconds)))
    SELECT hashtextextended(c.family_unit_id::text, 0), max(c.version)
        FROM of_families AS c GROUP BY c.family_unit_id
    UNION ALL
    SELECT hashtextextended(c.user_id::text, 0), max(c.version)
        FROM of_users AS c GROUP BY c.user_id
    UNION ALL
    -- Sessions that were ended, or have run out: their streams end.
    SELECT hashtextextended(s.id::text, 0), 1 FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at)
            BETWEEN statement_timestamp() - make_interval(secs => p_seconds)
                AND statement_timestamp()
$$;

ALTER FUNCTION app.changed_since(p_since timestamp with time zone, p_seconds double precision) OWNER TO hearth_owner;

-- Name: FUNCTION changed_since(p_since timestamp with time zone, p_seconds double precision); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.changed_since(p_since timestamp with time zone, p_seconds double precision) IS 'Hashes of the families and people that changed since a moment, with their versions.';

-- Name: changes_kept_for(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.changes_kept_for() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '30 days'::interval;

ALTER FUNCTION app.changes_kept_for() OWNER TO hearth_owner;

-- Name: children_with_former_guardians(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.children_with_former_guardians() RETURNS TABLE(member_id uuid)
    LANGUAGE sql STABLE ROWS 10 PARALLEL RESTRICTED
    SET search_path TO ''
    SET enable_hashjoin TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    AS $$
    WITH former AS MATERIALIZED (
        SELECT w.family_unit_id, w.guardian_user_id FROM app.guardianships AS w
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id
                AND g.active_adult_user_id IS NOT NULL))
    SELECT w.member_id
    FROM former AS f JOIN app.guardianships AS w
        ON w.family_unit_id = f.family_unit_id AND w.guardian_user_id = f.guardian_user_id
$$;

ALTER FUNCTION app.children_with_former_guardians() OWNER TO hearth_owner;

-- Name: children_without_other_guardian(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.children_without_other_guardian(p_account uuid) RETURNS SETOF app.family_members
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT m.* FROM app.guardianships AS w
    JOIN app.family_members AS m ON m.id = w.member_id
    JOIN app.family_members AS g
        ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
    WHERE w.guardian_user_id = p_account AND g.status <> 'removed'
        AND app.next_guardian(m.id, p_account) IS NULL
    ORDER BY m.id;
$$;

ALTER FUNCTION app.children_without_other_guardian(p_account uuid) OWNER TO hearth_owner;

-- Name: choose_locale(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.choose_locale(p_locale text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    UPDATE app.users AS u SET locale = p_locale WHERE u.id = v_account;
END $$;

ALTER FUNCTION app.choose_locale(p_locale text) OWNER TO hearth_owner;

-- Name: FUNCTION choose_locale(p_locale text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.choose_locale(p_locale text) IS 'Changes the language of the account whose request has begun.';

-- Name: claim_chosen_code(text, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.claim_chosen_code(p_code text, p_family uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
DECLARE
    v_account constant uuid := app.account_id();
    taken text;
BEGIN
    IF p_code ~ '^FAM-[A-Z0-9]+$' AND length(p_code) = 4 + app.code_length() THEN
        -- Without an account it is no client's choice, but the owner's of the tables.
        IF v_account IS NOT NULL THEN
            PERFORM app.note_wrong_code(v_account, p_code);
            IF app.approval_is_automatic() THEN
                RETURN NULL;
            END IF;
        END IF;
        INSERT INTO app.family_codes (code, family_unit_id) VALUES (p_code, p_family)
            ON CONFLICT (code) DO NOTHING
            RETURNING code INTO taken;
    END IF;
    RETURN taken;
END $_$;

ALTER FUNCTION app.claim_chosen_code(p_code text, p_family uuid) OWNER TO hearth_owner;

-- Name: claim_idempotency_key(text, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea) RETURNS TABLE(outcome text, claim uuid, status smallint, answer text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_claim constant uuid := gen_random_uuid();
    v_day constant interval := app.idempotency_keys_kept();
    v_kept app.idempotency_keys;
    v_wait integer;
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF NOT app.lock_idempotency_key(p_route, p_key) THEN
        outcome := 'running';
        RETURN NEXT;
        RETURN;
    END IF;
    -- Kept for so long, purged or not.
    INSERT INTO app.idempotency_keys AS k
            (actor_id, subject_id, route, key, request_digest, claim)
        VALUES (v_actor, app.user_id(), p_route, p_key, p_request_digest, v_claim)
        ON CONFLICT (actor_id, subject_id, route, key) DO UPDATE SET
            request_digest = excluded.request_digest, claim = excluded.claim,
            claimed_at = now(), created_at = now(), status = NULL, answer = NULL, format = 1
            WHERE k.created_at <= now() - v_day
                OR (k.claim IS NOT NULL AND k.claimed_at <= now() - interval '30 seconds'
                    AND k.request_digest = excluded.request_digest);
    SELECT k.* INTO STRICT v_kept FROM app.idempotency_keys AS k
        WHERE k.actor_id = v_actor AND k.subject_id = app.user_id()
            AND k.route = p_route AND k.key = p_key;
    outcome := CASE
        WHEN v_kept.claim = v_claim THEN 'claimed'
        WHEN v_kept.request_digest <> p_request_digest THEN 'other_request'
        WHEN v_kept.claim IS NOT NULL OR v_kept.format > 1 THEN 'running'
        ELSE 'replay'
    END;
    claim := CASE outcome WHEN 'claimed' THEN v_claim END;
    status := v_kept.status;
    answer := v_kept.answer;
    IF outcome = 'claimed' THEN
        -- A repetition is always answered; only a new key can be one too many.
        SELECT ceil(extract(epoch FROM min(k.created_at) + v_day - now())) INTO v_wait
            FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND k.created_at > now() - v_day
            HAVING count(*) > app.max_idempotency_keys();
        IF v_wait IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_keys',
                MESSAGE = 'Too many idempotency keys in a day.', DETAIL = v_wait;
        END IF;
    END IF;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea) OWNER TO hearth_owner;

-- Name: FUNCTION claim_idempotency_key(p_route text, p_key text, p_request_digest bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea) IS 'For programs of the previous release: claims a key in a transaction of its own; one row.';

-- Name: claim_idempotency_key(text, text, bytea, smallint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint) RETURNS TABLE(outcome text, status smallint, answer text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_actor constant uuid := app.actor_id();
    v_subject constant uuid := app.user_id();
    v_day constant interval := app.idempotency_keys_kept();
    v_kept app.idempotency_keys;
    v_wait integer;
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF app.lock_idempotency_key(p_route, p_key) THEN
        -- Kept for so long, purged or not.
        SELECT k.* INTO v_kept FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND k.subject_id = v_subject
                AND k.route = p_route AND k.key = p_key AND k.created_at > now() - v_day;
        outcome := CASE
            WHEN v_kept.key IS NULL THEN 'claimed'
            WHEN v_kept.request_digest <> p_request_digest THEN 'other_request'
            WHEN v_kept.claim IS NOT NULL THEN 'running'
            WHEN v_kept.format > p_format THEN 'newer'
            ELSE 'replay'
        END;
    ELSE
        outcome := 'running';
    END IF;
    IF outcome = 'claimed' THEN
        -- A repetition is always answered; only a new key can be one too many.
        SELECT ceil(extract(epoch FROM min(k.created_at) + v_day - now())) INTO v_wait
            FROM app.idempotency_keys AS k
            WHERE k.actor_id = v_actor AND k.created_at > now() - v_day
            HAVING count(*) >= app.max_idempotency_keys();
        IF v_wait IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_keys',
                MESSAGE = 'Too many idempotency keys in a day.', DETAIL = v_wait;
        END IF;
    ELSE
        PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    END IF;
    IF outcome = 'replay' THEN
        status := v_kept.status;
        answer := v_kept.answer;
    END IF;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint) OWNER TO hearth_owner;

-- Name: FUNCTION claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint) IS 'Begins the transaction of a request under a key, or returns what became of it; one row.';

-- Name: claim_provider_check(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.claim_provider_check(p_session uuid) RETURNS TABLE(token uuid, issuer text, client text, sealed bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    RETURN QUERY
    UPDATE app.provider_tokens AS p SET check_at = now() + interval '1 hour'
        FROM app.sessions AS s
        WHERE s.id = p_session AND s.user_id = app.account_id() AND s.ended_at IS NULL
            AND p.id = (
                SELECT o.id FROM app.provider_tokens AS o
                WHERE o.user_id = s.user_id AND o.issuer = s.issuer AND o.check_at <= now()
                ORDER BY o.check_at, o.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING p.id, p.issuer, p.client, p.sealed;
END $$;

ALTER FUNCTION app.claim_provider_check(p_session uuid) OWNER TO hearth_owner;

-- Name: FUNCTION claim_provider_check(p_session uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.claim_provider_check(p_session uuid) IS 'A provider''s refresh token to be checked now; at most one row.';

-- Name: close_if_empty(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.close_if_empty(p_family uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active') THEN
        RETURN;
    END IF;
    PERFORM app.end_waiting_for(p_family);
    PERFORM app.retire_code(f.id, app.actor_id())
        FROM app.family_units AS f WHERE f.id = p_family AND f.approval_required;
END $$;

ALTER FUNCTION app.close_if_empty(p_family uuid) OWNER TO hearth_owner;

-- Name: code_attempts_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.code_attempts_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:05:00'::interval;

ALTER FUNCTION app.code_attempts_window() OWNER TO hearth_owner;

-- Name: code_buckets(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.code_buckets(p_address text, p_network text) RETURNS text[]
    LANGUAGE sql STABLE
    RETURN ARRAY[('code:account:'::text || app.account_id()), ('code:address:'::text || p_address), ('code:network:'::text || p_network)];

ALTER FUNCTION app.code_buckets(p_address text, p_network text) OWNER TO hearth_owner;

-- Name: normalised_code(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.normalised_code(p_code text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (upper(btrim(p_code, ' 	
'::text)) ~ '^FAM-[A-Z0-9]{6,8}$'::text) THEN upper(btrim(p_code, ' 	
'::text)) WHEN (upper(btrim(p_code, ' 	
'::text)) ~ '^[A-Z0-9]{6,8}$'::text) THEN ('FAM-'::text || upper(btrim(p_code, ' 	
'::text))) ELSE NULL::text END;

ALTER FUNCTION app.normalised_code(p_code text) OWNER TO hearth_owner;

-- Name: code_digest(uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.code_digest(p_account uuid, p_code text) RETURNS bytea
    LANGUAGE sql STABLE
    RETURN sha256(convert_to(((p_account)::text || COALESCE(app.normalised_code(p_code), ''::text)), 'UTF8'::name));

ALTER FUNCTION app.code_digest(p_account uuid, p_code text) OWNER TO hearth_owner;

-- Name: code_length(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.code_length() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT coalesce((SELECT s.code_length FROM app.code_settings AS s), 6)::integer;
$$;

ALTER FUNCTION app.code_length() OWNER TO hearth_owner;

-- Name: FUNCTION code_length(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.code_length() IS 'How many characters new family codes have after their prefix.';

-- Name: family_codes; Type: TABLE; Schema: app
CREATE TABLE app.family_codes (
    code text NOT NULL COLLATE pg_catalog."C",
    family_unit_id uuid NOT NULL,
    state text DEFAULT 'live'::text NOT NULL,
    generated_at timestamp with time zone DEFAULT now() NOT NULL,
    retired_at timestamp with time zone,
    reason text,
    CONSTRAINT family_codes_form CHECK ((code ~ '^FAM-[A-Z0-9]{6,8}$'::text)),
    CONSTRAINT family_codes_reason_known CHECK ((reason = ANY (ARRAY['regenerated'::text, 'expired'::text, 'given_up'::text]))),
    CONSTRAINT family_codes_retired_is_dated CHECK ((((state = 'retired'::text) = (retired_at IS NOT NULL)) AND ((state = 'retired'::text) = (reason IS NOT NULL)))),
    CONSTRAINT family_codes_state_known CHECK ((state = ANY (ARRAY['live'::text, 'retired'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.family_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_codes OWNER TO hearth_owner;

-- Name: TABLE family_codes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_codes IS 'Every code that leads, or lately led, to a family.';

-- Name: code_was_given_up(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.code_was_given_up(p_family uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN COALESCE((SELECT (c.reason = 'given_up'::text) FROM app.family_codes c WHERE (c.family_unit_id = code_was_given_up.p_family) ORDER BY c.retired_at DESC LIMIT 1), false);

ALTER FUNCTION app.code_was_given_up(p_family uuid) OWNER TO hearth_owner;

-- Name: confirm_role(app.family_members, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.confirm_role(p_member app.family_members, p_at timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    INSERT INTO app.role_changes AS c
        (member_id, family_unit_id, household_role, changed_at, changed_by)
        VALUES (p_member.id, p_member.family_unit_id, p_member.household_role, p_at, app.actor_id())
        ON CONFLICT ON CONSTRAINT role_changes_pkey DO UPDATE
            SET confirmed_at = excluded.changed_at, confirmed_by = excluded.changed_by;
    SELECT app.end_role_conflict(p_member.id);
$$;

ALTER FUNCTION app.confirm_role(p_member app.family_members, p_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: control_characters(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.control_characters() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '\u0001-\u001F\u007F-\u009F\u2028\u2029'::text;

ALTER FUNCTION app.control_characters() OWNER TO hearth_owner;

-- Name: count_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.count_invitation(p_user uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_limit record;
BEGIN
    SELECT h.* INTO v_limit FROM app.reserve_hits(
        ARRAY['invite:account:' || p_user], ARRAY[app.max_invitations_made()],
        app.invitations_made_window()) AS h;
    IF v_limit.limited_by IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'too_many_invitations',
            MESSAGE = 'Too many invitations. Please try again later.',
            DETAIL = v_limit.retry_after_seconds;
    END IF;
END $$;

ALTER FUNCTION app.count_invitation(p_user uuid) OWNER TO hearth_owner;

-- Name: count_mailed_code(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.count_mailed_code(p_email text, p_network text) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    SELECT r.limited_by, r.retry_after_seconds
    FROM (SELECT encode(sha256(convert_to(p_email, 'UTF8')), 'hex') AS digest) AS a
    CROSS JOIN LATERAL app.reserve_hits(
        ARRAY['mailed-code:place:' || a.digest || ':' || p_network,
              'mailed-code:address:' || a.digest, 'mailed-code:network:' || p_network],
        ARRAY[app.max_mailed_codes_of_place(), app.max_mailed_codes_of_address(),
              app.max_mailed_codes_of_network()],
        app.mailed_codes_window()) AS r
$$;

ALTER FUNCTION app.count_mailed_code(p_email text, p_network text) OWNER TO hearth_owner;

-- Name: count_of_families(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.count_of_families(p_user uuid) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT count(*) FROM app.family_members AS m
    WHERE m.user_id = p_user AND m.status <> 'removed';
$$;

ALTER FUNCTION app.count_of_families(p_user uuid) OWNER TO hearth_owner;

-- Name: count_purgeable(interval, interval, interval, interval, interval, interval, interval); Type: FUNCTION; Schema: app
CREATE FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval) RETURNS TABLE(object text, due bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT 'expired_invitations', count(*) FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at <= now()
    UNION ALL SELECT 'expired_codes', count(*) FROM app.family_units AS f
        WHERE f.family_code IS NOT NULL AND f.code_expires_at <= now()
    UNION ALL SELECT 'closed_invitations', count(*) FROM app.family_invitations AS i
        WHERE i.closed_at <= now() - p_invitations
    UNION ALL SELECT 'retired_codes', count(*) FROM app.family_codes AS c
        WHERE c.state = 'retired' AND c.retired_at <= now() - p_retired_codes
    UNION ALL SELECT 'code_usage_log', count(*) FROM app.family_code_usage_log AS l
        WHERE l.at <= now() - p_code_usage_log
    UNION ALL SELECT 'rate_limits', count(*) FROM app.rate_limits AS r
        WHERE r.window_start <= now() - p_rate_limits
    UNION ALL SELECT 'code_lookups', count(*) FROM app.code_lookups AS l
        WHERE l.looked_up_at <= now() - p_rate_limits
    UNION ALL SELECT 'idempotency_keys', count(*) FROM app.idempotency_keys AS k
        WHERE k.created_at <= now() - p_idempotency_keys
    UNION ALL SELECT 'removed_members', count(*) FROM app.family_members AS m
        WHERE m.status = 'removed' AND m.user_kind = 'managed' AND m.erased_at IS NULL
            AND m.removed_at <= now() - p_removed_members
    UNION ALL SELECT 'empty_families', count(*) FROM app.family_units AS f
        WHERE f.emptied_at <= now() - p_empty_families
    UNION ALL SELECT 'family_changes', count(*) FROM app.family_changes AS c
        WHERE c.changed_at <= now() - app.changes_kept_for()
    UNION ALL SELECT 'user_changes', count(*) FROM app.user_changes AS c
        WHERE c.changed_at <= now() - app.changes_kept_for();
$$;

ALTER FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval) OWNER TO hearth_owner;

-- Name: FUNCTION count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval) IS 'How much a purge would change now.';

-- Name: count_purgeable(interval, interval, interval, interval, interval, interval, interval, interval); Type: FUNCTION; Schema: app
CREATE FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval) RETURNS TABLE(object text, due bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT p.object, p.due FROM app.count_purgeable(
        p_invitations, p_retired_codes, p_code_usage_log, p_rate_limits, p_idempotency_keys,
        p_removed_members, p_empty_families) AS p
    UNION ALL SELECT 'ended_sessions', count(*) FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at) <= now() - p_ended_sessions
    UNION ALL SELECT 'mailed_tickets', count(*) FROM app.mailed_tickets AS t
        WHERE t.expires_at <= now() - p_rate_limits;
$$;

ALTER FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval) OWNER TO hearth_owner;

-- Name: FUNCTION count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval) IS 'How much a purge would change now.';

-- Name: count_purgeable_parts(interval, interval, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean) RETURNS TABLE(object text, due bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_prefix constant text := CASE WHEN p_exported_only THEN '' ELSE 'unexported_' END;
    v_cutoff constant timestamptz := app.audit_cutoff(p_audit, p_exported_only);
    v_part record;
    v_from timestamptz := '-infinity';
    v_months bigint := 0;
    v_entries bigint := 0;
BEGIN
    -- Entries before, between and behind the parts that are dropped, whose own are not looked at.
    FOR v_part IN
        SELECT p.ends_at, CASE WHEN p.name = 'audit_log_earlier' THEN '-infinity'
                ELSE (p.ends_at AT TIME ZONE 'UTC' - interval '1 month') AT TIME ZONE 'UTC' END
                AS begins_at
        FROM app.audit_parts() AS p WHERE p.ends_at <= v_cutoff ORDER BY p.ends_at
    LOOP
        v_entries := v_entries + (
            SELECT count(*) FROM app.audit_log AS a
            WHERE a.at >= v_from AND a.at < v_part.begins_at);
        v_from := v_part.ends_at;
        v_months := v_months + 1;
    END LOOP;
    v_entries := v_entries + (
        SELECT count(*) FROM app.audit_log AS a WHERE a.at >= v_from AND a.at < v_cutoff);
    RETURN QUERY VALUES
        ('job_history_days',
            (SELECT count(*) FROM jobs.old_history_days(p_job_history))),
        (v_prefix || 'audit_months', v_months),
        (v_prefix || 'audit_entries', v_entries);
END $$;

ALTER FUNCTION app.count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean) OWNER TO hearth_owner;

-- Name: FUNCTION count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean) IS 'How many parts of the trail and of the history of jobs a purge would drop now.';

-- Name: create_family(text, text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean) RETURNS TABLE(family_unit_id uuid, family_name text, family_code text, code_generated_at timestamp with time zone, existed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_role text;
    v_family uuid;
    v_member uuid;
BEGIN
    IF p_role NOT IN ('player', 'parent') THEN
        PERFORM app.refuse_field('role', 'A role is player or parent.');
    END IF;
    SELECT coalesce(p_role, u.role) INTO v_role
        FROM app.users AS u WHERE u.id = v_account AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    -- The account may leave its family between the two statements, but enters none meanwhile.
    LOOP
        v_family := app.first_family_of(v_account);
        EXIT WHEN v_family IS NULL OR p_always_new;
        RETURN QUERY SELECT l.family_unit_id, l.family_name, l.family_code, l.code_generated_at,
                true
            FROM app.my_family_list AS l WHERE l.family_unit_id = v_family;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    IF v_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = v_account AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    -- The side that is chosen for a first family becomes the account's own.
    IF v_family IS NULL THEN
        UPDATE app.users AS u SET role = v_role WHERE u.id = v_account AND u.role <> v_role;
    END IF;

    INSERT INTO app.family_units AS f (created_by_user_id, family_name, emptied_at)
        VALUES (v_account, coalesce(p_family_name, 'My Family'), NULL)
        RETURNING f.id, f.family_name, f.family_code, f.code_generated_at
        INTO create_family.family_unit_id, create_family.family_name, create_family.family_code,
             create_family.code_generated_at;
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (create_family.family_unit_id, v_account, v_role,
                CASE v_role WHEN 'parent' THEN 'parent_admin' ELSE 'kid' END, 'created')
        RETURNING m.id INTO v_member;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (create_family.family_unit_id, v_account, 'generated');
    PERFORM app.record_audit('family.create', create_family.family_unit_id, v_account,
        create_family.family_unit_id, jsonb_build_object('role', v_role));
    existed := false;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean) OWNER TO hearth_owner;

-- Name: FUNCTION create_family(p_family_name text, p_role text, p_always_new boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean) IS 'The account''s family, made unless there is one (or in any case, if p_always_new).';

-- Name: create_invitation(uuid, text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text) RETURNS TABLE(invitation_id uuid, generation integer, expires_at timestamp with time zone, renewed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
    v_email constant text := app.normalised_email(p_email);
    v_household_role constant text := coalesce(
        p_household_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_pending app.family_invitations;
BEGIN
    IF p_role NOT IN ('player', 'parent') OR p_role IS NULL THEN
        PERFORM app.refuse_field('role', 'A role is player or parent.');
    ELSIF v_household_role NOT IN ('adult', 'kid', 'visitor') THEN
        PERFORM app.refuse('HF403', 'role_too_high',
            'An invitation makes an adult, a kid or a visitor.');
    ELSIF p_delivery IS NULL OR p_delivery NOT IN ('email', 'link') THEN
        PERFORM app.refuse_field('delivery', 'Delivery is email or link.');
    ELSIF (p_delivery = 'email') <> (v_email IS NOT NULL)
        OR (p_delivery = 'link' AND p_email IS NOT NULL) THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    END IF;
    PERFORM app.require_allowed(
        app.is_adult(v_me) OR (app.is_player(v_me) AND p_role = 'parent'));
    IF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = p_family AND m.status = 'active' AND u.email = v_email) THEN
        PERFORM app.refuse('HF409', 'person_already_member',
            'This person is already a member of your family');
    END IF;
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        WHERE i.family_unit_id = p_family AND i.invited_email = v_email
            AND i.status = 'pending' AND i.expires_at <= now();
    SELECT i.* INTO v_pending FROM app.family_invitations AS i
        WHERE i.family_unit_id = p_family AND i.invited_email = v_email AND i.status = 'pending';
    IF v_pending.kind = 'graduation'
        OR (v_pending.id IS NOT NULL
            AND app.may_handle_invitation(v_me, v_pending) IS NOT TRUE) THEN
        PERFORM app.refuse('HF409', 'already_invited', 'This person has been invited already.');
    END IF;
    PERFORM app.require_resend_pause(v_pending.last_sent_at);
    INSERT INTO app.family_invitations AS i
            (family_unit_id, invited_by, invited_email, role, household_role, delivery,
             vouched, sent_count, last_sent_at)
        VALUES (p_family, v_me.user_id, v_email, p_role, v_household_role, p_delivery,
                v_me.vouched, 1, now())
        ON CONFLICT (family_unit_id, invited_email) WHERE status = 'pending' DO UPDATE SET
            invited_by = excluded.invited_by, vouched = excluded.vouched, role = excluded.role,
            household_role = excluded.household_role, generation = i.generation + 1,
            expires_at = excluded.expires_at, sent_count = i.sent_count + 1,
            last_sent_at = excluded.last_sent_at
        RETURNING i.id, i.generation, i.expires_at, i.generation > 1
        INTO invitation_id, generation, expires_at, renewed;
    PERFORM app.record_audit('invitation.create', p_family, v_me.user_id, invitation_id,
        jsonb_build_object('role', p_role, 'householdRole', v_household_role,
            'delivery', p_delivery));
    -- Counted with the transaction: refusals don't count.
    PERFORM app.count_invitation(v_me.user_id);
    RETURN NEXT;
END $$;

ALTER FUNCTION app.create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text) OWNER TO hearth_owner;

-- Name: FUNCTION create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text) IS 'Makes or renews an invitation; its secret has to follow in the same transaction.';

-- Name: date_role_changes(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.date_role_changes(p_notes text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_members constant uuid[] := ARRAY(
        SELECT split_part(n, ' ', 3)::uuid FROM unnest(p_notes) AS n WHERE n LIKE 'role %');
BEGIN
    UPDATE app.role_changes AS c SET version = v.version FROM app.family_versions AS v
        WHERE c.member_id = ANY (v_members) AND v.family_unit_id = c.family_unit_id;
    UPDATE app.role_conflicts AS c SET version = v.version FROM app.family_versions AS v
        WHERE c.member_id = ANY (v_members) AND c.version IS NULL
            AND v.family_unit_id = c.family_unit_id;
END $$;

ALTER FUNCTION app.date_role_changes(p_notes text[]) OWNER TO hearth_owner;

-- Name: decline_invitation(bytea, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations :=
        app.open_invitation(p_token_hash, p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'declined', closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    END IF;
    PERFORM app.record_audit('invitation.decline', v_invitation.family_unit_id, app.account_id(),
        v_invitation.id);
END $$;

ALTER FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION decline_invitation(p_token_hash bytea, p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid) IS 'Declines an invitation by token, or by id where it is addressed to the account.';

-- Name: delete_audit_entries(timestamp with time zone, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.delete_audit_entries(p_cutoff timestamp with time zone, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    changed := 0;
    -- What somebody has moved to another schema is dropped by nobody.
    IF EXISTS (
        SELECT FROM app.audit_parts() AS p
        WHERE p.ends_at <= p_cutoff AND to_regclass(format('app.%I', p.name)) IS NOT NULL) THEN
        RETURN;
    END IF;
    WITH due AS (
        SELECT a.at, a.id FROM app.audit_log AS a
        WHERE a.at >= coalesce(p_from, '-infinity') AND a.at < p_cutoff
        ORDER BY a.at LIMIT p_batch),
    gone AS (
        DELETE FROM app.audit_log AS a USING due WHERE a.at = due.at AND a.id = due.id
            RETURNING due.at)
    SELECT count(*), max(at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.delete_audit_entries(p_cutoff timestamp with time zone, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: dismiss_guardian(app.family_members, app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.dismiss_guardian(p_child app.family_members, p_guardian app.family_members) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF NOT app.is_guardian(p_guardian, p_child) THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    ELSIF NOT app.end_guardianship(p_child, p_guardian.user_id) THEN
        PERFORM app.refuse('HF409', 'guardian_has_managed_members',
            'This is the child''s only guardian. Name another first.');
    END IF;
    PERFORM app.record_audit('guardian.remove', p_child.family_unit_id, p_child.user_id,
        p_guardian.id);
END $$;

ALTER FUNCTION app.dismiss_guardian(p_child app.family_members, p_guardian app.family_members) OWNER TO hearth_owner;

-- Name: distinct_codes_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.distinct_codes_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '01:00:00'::interval;

ALTER FUNCTION app.distinct_codes_window() OWNER TO hearth_owner;

-- Name: draw_code(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.draw_code(p_family uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    minted text;
BEGIN
    FOR attempt IN 1..100 LOOP
        INSERT INTO app.family_codes (code, family_unit_id)
            VALUES (app.random_code(), p_family)
            ON CONFLICT (code) DO NOTHING
            RETURNING code INTO minted;
        IF minted IS NOT NULL THEN
            RETURN minted;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'no free family code found' USING ERRCODE = 'program_limit_exceeded';
END $$;

ALTER FUNCTION app.draw_code(p_family uuid) OWNER TO hearth_owner;

-- Name: drop_audit_part(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.drop_audit_part(p_cutoff timestamp with time zone, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
    v_part record;
    v_is_free boolean;
BEGIN
    changed := 0;
    FOR v_part IN
        SELECT p.* FROM app.audit_parts() AS p
        WHERE p.ends_at <= p_cutoff AND p.ends_at > coalesce(p_from, '-infinity')
    LOOP
        v_is_free := false;
        -- What is locked in this block is free again when it fails.
        BEGIN
            EXECUTE format('LOCK TABLE app.%I IN ACCESS EXCLUSIVE MODE NOWAIT', v_part.name);
            v_is_free := true;
            LOCK TABLE ONLY app.audit_log IN ACCESS EXCLUSIVE MODE;
            -- Dropping a part locks it as well: what it takes in is no longer the same.
            LOCK TABLE app.audit_log_other IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('ALTER TABLE app.audit_log DETACH PARTITION app.%I', v_part.name);
            EXECUTE format('DROP TABLE app.%I', v_part.name);
            INSERT INTO app.audit_log (actor_user_id, actor_label, action, details)
                VALUES (app.actor_id(), coalesce(app.operator_label(), 'job:upkeep.purge'),
                        'audit.drop', jsonb_build_object('part', v_part.name));
            changed := 1;
            reached := v_part.ends_at;
            RETURN;
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            -- The trail is in use, and would be for the next part as well.
            IF v_is_free THEN
                RETURN;
            END IF;
        END;
    END LOOP;
END $$;

ALTER FUNCTION app.drop_audit_part(p_cutoff timestamp with time zone, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: end_guardianship(app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_guardianship(p_child app.family_members, p_guardian uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_next constant uuid := app.next_guardian((p_child).id, p_guardian);
BEGIN
    IF v_next IS NULL THEN
        RETURN false;
    END IF;
    IF (p_child).active_guardian_id = p_guardian THEN
        UPDATE app.family_members AS m SET parent_user_id = v_next WHERE m.id = (p_child).id;
        PERFORM app.record_audit('managed.reassign', (p_child).family_unit_id, (p_child).user_id,
            (SELECT m.id FROM app.family_members AS m
             WHERE m.family_unit_id = (p_child).family_unit_id AND m.user_id = v_next));
    END IF;
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = (p_child).id AND w.guardian_user_id = p_guardian;
    RETURN true;
END $$;

ALTER FUNCTION app.end_guardianship(p_child app.family_members, p_guardian uuid) OWNER TO hearth_owner;

-- Name: end_guardianships_of_adult(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_guardianships_of_adult() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.end_guardianship(m, OLD.active_adult_user_id)
        FROM app.guardianships AS w JOIN app.family_members AS m ON m.id = w.member_id
        WHERE w.family_unit_id = OLD.family_unit_id
            AND w.guardian_user_id = OLD.active_adult_user_id
        ORDER BY m.id;
    RETURN NULL;
END $$;

ALTER FUNCTION app.end_guardianships_of_adult() OWNER TO hearth_owner;

-- Name: end_guardianships_of_child(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_guardianships_of_child() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    DELETE FROM app.guardianships AS w WHERE w.member_id = NEW.id;
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
            WHERE i.graduate_id = NEW.id AND i.status = 'pending'
            RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
    RETURN NULL;
END $$;

ALTER FUNCTION app.end_guardianships_of_child() OWNER TO hearth_owner;

-- Name: family_invitations; Type: TABLE; Schema: app
CREATE TABLE app.family_invitations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    family_unit_id uuid NOT NULL,
    invited_by uuid NOT NULL,
    invited_email text,
    role text NOT NULL,
    household_role text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    delivery text NOT NULL,
    generation integer DEFAULT 1 NOT NULL,
    expires_at timestamp with time zone DEFAULT (now() + '7 days'::interval) NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    accepted_at timestamp with time zone,
    accepted_by uuid,
    closed_at timestamp with time zone,
    sent_count integer DEFAULT 0 NOT NULL,
    last_sent_at timestamp with time zone,
    delivery_status text,
    delivery_generation integer,
    vouched boolean DEFAULT false NOT NULL,
    kind text DEFAULT 'member'::text NOT NULL,
    graduate_id uuid,
    CONSTRAINT family_invitations_accepted_is_signed CHECK ((((status = 'accepted'::text) = (accepted_at IS NOT NULL)) AND ((status = 'accepted'::text) = (accepted_by IS NOT NULL)))),
    CONSTRAINT family_invitations_address_fits_delivery CHECK (((delivery = 'email'::text) = (invited_email IS NOT NULL))),
    CONSTRAINT family_invitations_at_most_adult CHECK ((household_role = ANY (ARRAY['adult'::text, 'kid'::text, 'visitor'::text]))),
    CONSTRAINT family_invitations_closed_is_dated CHECK (((status = 'pending'::text) = (closed_at IS NULL))),
    CONSTRAINT family_invitations_delivery_known CHECK ((delivery = ANY (ARRAY['email'::text, 'link'::text]))),
    CONSTRAINT family_invitations_delivery_status_known CHECK (((delivery_status = ANY (ARRAY['sent'::text, 'failed'::text])) AND ((delivery_status IS NULL) = (delivery_generation IS NULL)))),
    CONSTRAINT family_invitations_email_normalised CHECK (((invited_email IS NFC NORMALIZED) AND (invited_email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'::text) AND (octet_length(invited_email) <= 254))),
    CONSTRAINT family_invitations_generation_positive CHECK ((generation > 0)),
    CONSTRAINT family_invitations_graduation_form CHECK (((kind <> 'graduation'::text) OR (((role = 'player'::text) AND (household_role = 'kid'::text)) OR ((role = 'parent'::text) AND (household_role = 'adult'::text))))),
    CONSTRAINT family_invitations_graduation_names_child CHECK (((kind = 'graduation'::text) = (graduate_id IS NOT NULL))),
    CONSTRAINT family_invitations_kind_known CHECK ((kind = ANY (ARRAY['member'::text, 'graduation'::text]))),
    CONSTRAINT family_invitations_role_known CHECK ((role = ANY (ARRAY['player'::text, 'parent'::text]))),
    CONSTRAINT family_invitations_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'revoked'::text, 'expired'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.family_invitations FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_invitations OWNER TO hearth_owner;

-- Name: TABLE family_invitations; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_invitations IS 'Invitations; the token stands nowhere.';

-- Name: COLUMN family_invitations.vouched; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.family_invitations.vouched IS 'Whether its sender was vouched when it was sent.';

-- Name: COLUMN family_invitations.graduate_id; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.family_invitations.graduate_id IS 'The child that whoever accepts becomes; null for an invitation of a new member.';

-- Name: invitation_secrets; Type: TABLE; Schema: app
CREATE TABLE app.invitation_secrets (
    invitation_id uuid NOT NULL,
    generation integer NOT NULL,
    token_hash bytea NOT NULL,
    CONSTRAINT invitation_secrets_token_hash_size CHECK ((octet_length(token_hash) = 32))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.invitation_secrets FORCE ROW LEVEL SECURITY;

ALTER TABLE app.invitation_secrets OWNER TO hearth_owner;

-- Name: TABLE invitation_secrets; Type: COMMENT; Schema: app
COMMENT ON TABLE app.invitation_secrets IS 'SHA-256 of the token of the present generation. No client role has any right here.';

-- Name: end_membership(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_membership(p_member app.family_members) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE app.family_members m SET status = 'removed'::text, removed_at = now(), removed_by = app.actor_id(), vouched = (m.is_creator OR (m.vouched AND (NOT (m.user_id IS DISTINCT FROM app.actor_id()))))
   WHERE (m.id = (end_membership.p_member).id);
 WITH revoked AS (
          UPDATE app.family_invitations i SET status = 'revoked'::text, closed_at = now()
           WHERE ((i.family_unit_id = (end_membership.p_member).family_unit_id) AND (i.status = 'pending'::text) AND ((i.invited_by = (end_membership.p_member).user_id) OR (i.invited_email = ( SELECT u.email
                    FROM app.users u
                   WHERE ((u.id = (end_membership.p_member).user_id) AND u.email_verified)))))
           RETURNING i.id
         )
  DELETE FROM app.invitation_secrets s
    USING revoked r
   WHERE (s.invitation_id = r.id);
 SELECT app.close_if_empty((p_member).family_unit_id) AS close_if_empty;
END;

ALTER FUNCTION app.end_membership(p_member app.family_members) OWNER TO hearth_owner;

-- Name: end_my_session(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_my_session(p_session uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    UPDATE app.sessions AS s SET ended_at = now(), end_reason = 'revoked'
        WHERE s.id = p_session AND s.user_id = v_account
            AND s.ended_at IS NULL AND s.ends_at > now();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'session_not_found', 'Session not found.');
    END IF;
END $$;

ALTER FUNCTION app.end_my_session(p_session uuid) OWNER TO hearth_owner;

-- Name: end_my_sessions(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_my_sessions(p_except uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    RETURN app.end_sessions_of(app.require_account(), p_except, 'revoked');
END $$;

ALTER FUNCTION app.end_my_sessions(p_except uuid) OWNER TO hearth_owner;

-- Name: end_role_conflict(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_role_conflict(p_member uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    DELETE FROM app.role_conflicts AS c
        WHERE c.member_id = p_member AND c.user_id = app.actor_id();
$$;

ALTER FUNCTION app.end_role_conflict(p_member uuid) OWNER TO hearth_owner;

-- Name: end_session_of_token(uuid, integer, bytea, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM FROM app.sessions AS s WHERE s.id = p_session FOR NO KEY UPDATE;
    IF coalesce(app.state_of_refresh_token(
        p_session, p_generation, p_token_hash, p_is_authentic), 'none') = 'none' THEN
        RETURN false;
    END IF;
    UPDATE app.sessions AS s SET ended_at = now(), end_reason = 'signed_out'
        WHERE s.id = p_session AND s.ended_at IS NULL AND s.ends_at > now();
    RETURN true;
END $$;

ALTER FUNCTION app.end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) OWNER TO hearth_owner;

-- Name: FUNCTION end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) IS 'Signs out by a refresh token; whether there is a session of that token.';

-- Name: end_sessions_of(uuid, uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_sessions_of(p_user uuid, p_except uuid, p_reason text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_count integer;
BEGIN
    UPDATE app.sessions AS s SET ended_at = now(), end_reason = p_reason
        WHERE s.user_id = p_user AND s.ended_at IS NULL AND s.ends_at > now()
            AND s.id IS DISTINCT FROM p_except;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

ALTER FUNCTION app.end_sessions_of(p_user uuid, p_except uuid, p_reason text) OWNER TO hearth_owner;

-- Name: end_standby_reader(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_standby_reader(p_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'local', true);
    DELETE FROM app.standby_readers AS r WHERE r.id = p_id;
END $$;

ALTER FUNCTION app.end_standby_reader(p_id uuid) OWNER TO hearth_owner;

-- Name: FUNCTION end_standby_reader(p_id uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.end_standby_reader(p_id uuid) IS 'Deletes the row of a process that no longer reads from standbys.';

-- Name: end_waiting_for(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.end_waiting_for(p_family uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_waiting record;
BEGIN
    FOR v_waiting IN
        UPDATE app.family_members AS m
            SET status = 'removed', removed_at = now(), removed_by = m.user_id
            WHERE m.family_unit_id = p_family AND m.status = 'invited'
            RETURNING m.id, m.user_id
    LOOP
        PERFORM app.record_audit('member.remove', p_family, v_waiting.user_id, v_waiting.id,
            '{"was": "invited"}');
        PERFORM app.enqueue_family_mail('mail.waiting_ended', p_family, v_waiting.user_id);
    END LOOP;
END $$;

ALTER FUNCTION app.end_waiting_for(p_family uuid) OWNER TO hearth_owner;

-- Name: enqueue_family_mail(text, uuid, uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.enqueue_family_mail(p_kind text, p_family uuid, p_recipient uuid, p_other uuid DEFAULT NULL::uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM jobs.enqueue('mail', p_kind, p_family,
        jsonb_strip_nulls(jsonb_build_object(
            'family', p_family, 'recipient', p_recipient, 'other', p_other,
            'messageId', replace(gen_random_uuid()::text, '-', ''),
            'date', extract(epoch FROM now())::bigint)));
END $$;

ALTER FUNCTION app.enqueue_family_mail(p_kind text, p_family uuid, p_recipient uuid, p_other uuid) OWNER TO hearth_owner;

-- Name: enqueue_first_webhooks(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.enqueue_first_webhooks(p_endpoint uuid) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_first record;
    v_count integer := 0;
BEGIN
    FOR v_first IN
        SELECT f.event_number, f.family_unit_id FROM (
            SELECT DISTINCT ON (d.family_unit_id) d.event_number, d.family_unit_id
            FROM app.webhook_deliveries AS d
            WHERE d.endpoint_id = p_endpoint AND d.state = 'pending'
                AND d.family_unit_id IS NOT NULL
            ORDER BY d.family_unit_id, d.event_number) AS f
        UNION ALL
        SELECT d.event_number, NULL FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.state = 'pending' AND d.family_unit_id IS NULL
        ORDER BY 1
    LOOP
        IF NOT EXISTS (
            SELECT FROM jobs.live AS j
            WHERE j.kind = 'webhook.deliver'
                AND j.unique_key = p_endpoint || ':' || v_first.event_number) THEN
            DELETE FROM jobs.dead AS j
                WHERE j.kind = 'webhook.deliver'
                    AND j.unique_key = p_endpoint || ':' || v_first.event_number;
            PERFORM app.enqueue_webhook(p_endpoint, v_first.event_number, v_first.family_unit_id);
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;

ALTER FUNCTION app.enqueue_first_webhooks(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: enqueue_next_webhook(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.enqueue_next_webhook(p_endpoint uuid, p_family uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_next bigint;
BEGIN
    SELECT d.event_number INTO v_next FROM app.webhook_deliveries AS d
        WHERE d.endpoint_id = p_endpoint AND d.family_unit_id = p_family AND d.state = 'pending'
        ORDER BY d.event_number LIMIT 1;
    IF FOUND THEN
        PERFORM app.enqueue_webhook(p_endpoint, v_next, p_family);
    END IF;
END $$;

ALTER FUNCTION app.enqueue_next_webhook(p_endpoint uuid, p_family uuid) OWNER TO hearth_owner;

-- Name: enqueue_webhook(uuid, bigint, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.enqueue_webhook(p_endpoint uuid, p_event bigint, p_family uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_key constant text := p_endpoint || ':' || p_event;
    -- Nobody reads anything because of a test.
    v_due constant timestamptz := greatest(clock_timestamp(), (
        SELECT n.occurred_at + app.standby_delay() FROM app.webhook_events AS n
        WHERE n.number = p_event AND n.event_type <> 'webhook.test'));
BEGIN
    IF jobs.enqueue('webhooks', 'webhook.deliver', p_family,
            jsonb_build_object('endpoint', p_endpoint, 'event', p_event),
            p_run_at => v_due, p_unique_key => v_key) IS NULL THEN
        UPDATE jobs.live AS j SET run_at = v_due
            WHERE j.kind = 'webhook.deliver' AND j.unique_key = v_key AND j.state = 'ready'
                AND j.run_at > v_due;
    END IF;
END $$;

ALTER FUNCTION app.enqueue_webhook(p_endpoint uuid, p_event bigint, p_family uuid) OWNER TO hearth_owner;

-- Name: erase_invitations_of(app.users); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erase_invitations_of(p_user app.users) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_touched uuid[];
BEGIN
    WITH touched AS (
        UPDATE app.family_invitations AS i SET
                status = CASE i.status WHEN 'pending' THEN 'revoked' ELSE i.status END,
                closed_at = coalesce(i.closed_at, now()),
                invited_email = CASE i.delivery
                    WHEN 'email' THEN 'erased-' || i.id || '@erased.invalid' END
            WHERE i.accepted_by = p_user.id
                OR (p_user.email_verified AND i.invited_email = p_user.email)
            RETURNING i.id)
    SELECT coalesce(array_agg(t.id), '{}') INTO v_touched FROM touched AS t;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = ANY (v_touched);
    RETURN cardinality(v_touched);
END $$;

ALTER FUNCTION app.erase_invitations_of(p_user app.users) OWNER TO hearth_owner;

-- Name: erase_locked(app.users, uuid[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erase_locked(p_user app.users, p_heirs uuid[], OUT memberships integer, OUT sign_ins integer, OUT invitations integer, OUT erasure uuid) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_hashes bytea[];
    v_member app.family_members;
    v_itself constant boolean := p_user.id IS NOT DISTINCT FROM app.actor_id();
BEGIN
    WITH gone AS (
        DELETE FROM app.user_identities AS i WHERE i.user_id = p_user.id RETURNING i.subject_hash)
    SELECT coalesce(array_agg(g.subject_hash), '{}') INTO v_hashes FROM gone AS g;
    sign_ins := cardinality(v_hashes);
    IF p_user.kind = 'account' THEN
        INSERT INTO app.erasures AS e (sign_ins) VALUES (v_hashes) RETURNING e.id INTO erasure;
    END IF;

    memberships := 0;
    FOR v_member IN
        SELECT m.* FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.status <> 'removed' ORDER BY m.family_unit_id
    LOOP
        PERFORM app.reassign_children_of(v_member, (
            SELECT h.id FROM app.family_members AS h
            WHERE h.id = ANY (p_heirs) AND h.family_unit_id = v_member.family_unit_id
            ORDER BY h.id LIMIT 1));
        PERFORM app.end_membership(v_member);
        PERFORM app.record_audit(
            CASE WHEN p_user.kind = 'managed' THEN 'managed.remove'
                 WHEN v_itself THEN 'member.leave' ELSE 'member.remove' END,
            v_member.family_unit_id, p_user.id, v_member.id, '{"erased": true}');
        memberships := memberships + 1;
    END LOOP;

    invitations := app.erase_invitations_of(p_user);
    PERFORM app.erase_traces_of(p_user);
    UPDATE app.users AS u SET full_name = NULL, email = NULL, email_verified = false,
            avatar_key = NULL, avatar_url = NULL, locale = NULL, deleted_at = now()
        WHERE u.id = p_user.id;
    PERFORM app.record_audit('user.erase', NULL, p_user.id, p_user.id, jsonb_build_object(
        'memberships', memberships, 'signIns', sign_ins, 'invitations', invitations));
END $$;

ALTER FUNCTION app.erase_locked(p_user app.users, p_heirs uuid[], OUT memberships integer, OUT sign_ins integer, OUT invitations integer, OUT erasure uuid) OWNER TO hearth_owner;

-- Name: erase_my_account(bigint, boolean, uuid[], uuid[], boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) RETURNS TABLE(outcome text, family_unit_id uuid, member_id uuid, user_id uuid, other_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_user app.users;
    v_pair record;
    v_erasure uuid;
BEGIN
    IF p_code_is_right IS NOT TRUE AND (
        p_token_issued_at > extract(epoch FROM now() - app.fresh_proof_time())) IS NOT TRUE
    THEN
        PERFORM app.refuse('HF403', 'fresh_sign_in_required', 'Sign in again to do this.');
    END IF;
    v_user := app.lock_person(v_account);
    IF v_user.id IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    PERFORM app.require_members_of_own_families(v_account, p_heirs || p_successors);
    RETURN QUERY SELECT b.outcome, b.family_unit_id, b.member_id, NULL::uuid, NULL::uuid
        FROM app.erasure_blockers(v_account, p_heirs, p_successors, p_erase_managed) AS b;
    IF FOUND THEN RETURN; END IF;

    FOR v_pair IN
        SELECT m AS holder, s AS successor FROM app.family_members AS m
        JOIN app.family_members AS s ON s.family_unit_id = m.family_unit_id
        WHERE m.user_id = v_account AND app.is_admin(m) AND s.id = ANY (p_successors)
        ORDER BY s.family_unit_id, s.id
    LOOP
        PERFORM app.transfer_admin_seat(v_pair.holder, v_pair.successor);
        RETURN QUERY SELECT 'admin_changed', a.family_unit_id, a.id, a.user_id,
                (v_pair.successor).user_id
            FROM app.family_members AS a
            WHERE a.family_unit_id = (v_pair.successor).family_unit_id
                AND a.active_adult_user_id <> v_account;
    END LOOP;
    IF p_erase_managed THEN
        PERFORM app.erase_locked(app.lock_person(c.id), '{}') FROM (
            SELECT c.id FROM app.children_without_other_guardian(v_account) AS c
            WHERE NOT EXISTS (SELECT FROM app.family_members AS h
                              WHERE h.id = ANY (p_heirs)
                                  AND h.family_unit_id = c.family_unit_id)) AS c;
    END IF;
    SELECT e.erasure INTO v_erasure FROM app.erase_locked(v_user, p_heirs) AS e;
    UPDATE app.erasures AS e SET email = v_user.email, locale = v_user.locale
        WHERE e.id = v_erasure AND v_user.email_verified;
    RETURN QUERY SELECT 'erased', NULL::uuid, NULL::uuid, NULL::uuid,
        CASE WHEN v_user.email_verified THEN v_erasure END;
END $$;

ALTER FUNCTION app.erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) OWNER TO hearth_owner;

-- Name: FUNCTION erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) IS 'Erases the caller''s account, or returns what stands in the way.';

-- Name: erase_removed_members(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erase_removed_members(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_children uuid[];
BEGIN
    SELECT coalesce(array_agg(due.user_id), '{}'), max(due.removed_at)
        INTO v_children, reached FROM (
        SELECT m.user_id, m.removed_at FROM app.family_members AS m
        WHERE m.status = 'removed' AND m.user_kind = 'managed' AND m.erased_at IS NULL
            AND m.removed_at >= coalesce(p_from, '-infinity') AND m.removed_at <= now() - p_age
        ORDER BY m.removed_at LIMIT p_batch FOR NO KEY UPDATE SKIP LOCKED) AS due;
    DELETE FROM app.member_preferences AS p WHERE p.user_id = ANY (v_children);
    UPDATE app.users AS u SET full_name = NULL, avatar_key = NULL, deleted_at = now()
        WHERE u.id = ANY (v_children);
    UPDATE app.family_members AS m SET erased_at = now() WHERE m.id = ANY (v_children);
    DELETE FROM app.erasures AS e WHERE e.id IN (
        SELECT d.id FROM app.erasures AS d WHERE d.erased_at <= now() - app.erasures_kept()
        ORDER BY d.erased_at LIMIT p_batch FOR UPDATE SKIP LOCKED);
    changed := cardinality(v_children);
END $$;

ALTER FUNCTION app.erase_removed_members(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: erase_traces_of(app.users); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erase_traces_of(p_user app.users) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    DELETE FROM app.member_preferences AS p WHERE p.user_id = p_user.id;
    PERFORM app.revoke_provider_tokens(p_user.id, NULL);
    DELETE FROM app.sessions AS s WHERE s.user_id = p_user.id;
    DELETE FROM app.passwords AS p WHERE p.user_id = p_user.id;
    DELETE FROM app.passkeys AS k WHERE k.user_id = p_user.id;
    DELETE FROM app.mailed_tickets AS t WHERE t.email IN (SELECT app.addresses_of(p_user));
    DELETE FROM app.refused_invitations AS r WHERE r.email IN (SELECT app.addresses_of(p_user));
    DELETE FROM app.email_sign_ins AS e WHERE e.user_id = p_user.id;
    DELETE FROM app.code_lookups AS l WHERE l.user_id = p_user.id;
    DELETE FROM app.idempotency_keys AS k
        WHERE k.actor_id = p_user.id OR k.subject_id = p_user.id;
    DELETE FROM app.rate_limits AS r
        WHERE r.bucket = ANY (ARRAY[
            'code:account:' || p_user.id, 'invite:account:' || p_user.id,
            'deletion:account:' || p_user.id, 'export:account:' || p_user.id,
            'consent:account:' || p_user.id] || ARRAY(
                SELECT 'request-mail:' || m.family_unit_id || ':' || p_user.id
                FROM app.family_members AS m WHERE m.user_id = p_user.id));
    DELETE FROM app.suppressed_addresses AS x
        WHERE x.email = p_user.email AND p_user.email_verified;
    UPDATE jobs.live AS j SET last_error = 'erased'
        WHERE strpos(lower(j.last_error), p_user.email) > 0;
    UPDATE jobs.dead AS d SET last_error = 'erased'
        WHERE strpos(lower(d.last_error), p_user.email) > 0;
    UPDATE app.family_members AS m SET erased_at = now()
        WHERE m.user_id = p_user.id AND m.user_kind = 'managed';
    -- Details are about the family's player: about this one if they name it, or if no other is
    -- left whom they could be about.
    UPDATE app.family_units AS f SET player_details = '{}'
        FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.family_unit_id = f.id AND f.player_details <> '{}'
            AND (app.normalised_name(f.player_details ->> 'playerName', 80) = p_user.full_name
                 OR (m.role = 'player' AND NOT EXISTS (
                     SELECT FROM app.family_members AS o
                     WHERE o.family_unit_id = f.id AND o.status = 'active'
                         AND o.role = 'player')));
    UPDATE app.family_units AS f
        SET player_details = '{}', home_latitude = NULL, home_longitude = NULL
        FROM app.family_members AS m
        WHERE m.user_id = p_user.id AND m.family_unit_id = f.id AND f.emptied_at IS NOT NULL;
END $$;

ALTER FUNCTION app.erase_traces_of(p_user app.users) OWNER TO hearth_owner;

-- Name: erase_user(uuid, uuid[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erase_user(p_user uuid, p_heirs uuid[]) RETURNS TABLE(memberships integer, sign_ins integer, invitations integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM app.require_operator();
    v_user := app.lock_person(p_user);
    IF v_user.id IS NULL THEN
        PERFORM app.refuse('HF404', 'user_not_found',
            'There is no such person, or what was known of it is erased already.');
    END IF;
    RETURN QUERY SELECT e.memberships, e.sign_ins, e.invitations
        FROM app.erase_locked(v_user, p_heirs) AS e;
END $$;

ALTER FUNCTION app.erase_user(p_user uuid, p_heirs uuid[]) OWNER TO hearth_owner;

-- Name: FUNCTION erase_user(p_user uuid, p_heirs uuid[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.erase_user(p_user uuid, p_heirs uuid[]) IS 'Erases all that shows who a user was; returns how much there was of what.';

-- Name: erasure_blockers(uuid, uuid[], uuid[], boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erasure_blockers(p_account uuid, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) RETURNS TABLE(outcome text, family_unit_id uuid, member_id uuid)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT 'guardian_has_managed_members', c.family_unit_id, c.id
    FROM app.children_without_other_guardian(p_account) AS c
    WHERE p_erase_managed IS NOT TRUE
        AND NOT EXISTS (SELECT FROM app.family_members AS h
                        WHERE h.id = ANY (p_heirs) AND h.family_unit_id = c.family_unit_id)
    UNION ALL
    SELECT 'transfer_admin_first', m.family_unit_id, m.id
    FROM app.family_members AS m
    WHERE m.user_id = p_account AND app.is_admin(m)
        AND EXISTS (SELECT FROM app.family_members AS o
                    WHERE o.family_unit_id = m.family_unit_id AND o.id <> m.id
                        AND o.active_adult_user_id IS NOT NULL)
        AND NOT EXISTS (SELECT FROM app.family_members AS s
                        WHERE s.id = ANY (p_successors) AND s.family_unit_id = m.family_unit_id)
    ORDER BY 2, 1, 3;
$$;

ALTER FUNCTION app.erasure_blockers(p_account uuid, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) OWNER TO hearth_owner;

-- Name: erasures_kept(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.erasures_kept() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '9 days'::interval;

ALTER FUNCTION app.erasures_kept() OWNER TO hearth_owner;

-- Name: exchange_for_session(uuid, text, text, bytea, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint) RETURNS TABLE(user_id uuid, started_at timestamp with time zone, lasts_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    user_id := app.require_account();
    PERFORM app.open_session(p_session, user_id, 'exchange', p_issuer, p_device, p_token_hash);
    UPDATE app.sessions AS s SET started_at = greatest(
            now() - app.fresh_proof_time(), least(now(), to_timestamp(coalesce(p_issued_at, 0))))
        WHERE s.id = p_session RETURNING s.started_at INTO started_at;
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

ALTER FUNCTION app.exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint) OWNER TO hearth_owner;

-- Name: FUNCTION exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint) IS 'Opens a session for the account whose request has begun by another issuer''s token.';

-- Name: expire_codes(integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.expire_codes(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_families uuid[];
BEGIN
    SELECT coalesce(array_agg(due.id), '{}'), max(due.code_expires_at)
        INTO v_families, reached FROM (
        SELECT f.id, f.code_expires_at FROM app.family_units AS f
        WHERE f.family_code IS NOT NULL
            AND f.code_expires_at >= coalesce(p_from, '-infinity') AND f.code_expires_at <= now()
        ORDER BY f.code_expires_at LIMIT p_batch FOR NO KEY UPDATE SKIP LOCKED) AS due;
    UPDATE app.family_codes AS c
        SET state = 'retired', retired_at = now(), reason = 'expired'
        WHERE c.family_unit_id = ANY (v_families) AND c.state = 'live';
    UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = ANY (v_families);
    INSERT INTO app.family_code_usage_log (family_unit_id, action)
        SELECT id, 'retired' FROM unnest(v_families) AS id;
    changed := cardinality(v_families);
END $$;

ALTER FUNCTION app.expire_codes(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: expire_invitations(integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.expire_invitations(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT i.id, i.expires_at FROM app.family_invitations AS i
        WHERE i.status = 'pending'
            AND i.expires_at >= coalesce(p_from, '-infinity') AND i.expires_at <= now()
        ORDER BY i.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now() FROM due
            WHERE i.id = due.id
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.expire_invitations(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: export_attributes(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_attributes(p_family uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_export(p_family);
    RETURN coalesce((
        SELECT a.attributes FROM app.family_attributes AS a
        WHERE a.family_unit_id = p_family), '{}');
END $$;

ALTER FUNCTION app.export_attributes(p_family uuid) OWNER TO hearth_owner;

-- Name: FUNCTION export_attributes(p_family uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.export_attributes(p_family uuid) IS 'What apps keep about a family, for an export that has its audit row.';

-- Name: export_my_data(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_my_data() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_user app.users;
BEGIN
    SELECT u.* INTO v_user FROM app.users AS u WHERE u.id = v_account;
    PERFORM app.record_audit('user.export', NULL, v_account, v_account);
    RETURN jsonb_build_object(
        'format', 'hearth-account-export', 'version', 1, 'exportedAt', app.api_timestamp(now()),
        'account', app.export_of_person(v_account),
        'children', coalesce((
            SELECT jsonb_agg(app.export_of_person(c.user_id) ORDER BY c.added_at, c.id)
            FROM app.guardianships AS w JOIN app.family_members AS c ON c.id = w.member_id
            WHERE w.guardian_user_id = v_account), '[]'),
        'signIns', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'issuer', i.issuer, 'createdAt', app.api_timestamp(i.created_at))
                ORDER BY i.created_at)
            FROM app.user_identities AS i WHERE i.user_id = v_account), '[]'),
        'providerTokens', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'issuer', p.issuer, 'client', p.client,
                'obtainedAt', app.api_timestamp(p.obtained_at)) ORDER BY p.obtained_at, p.id)
            FROM app.provider_tokens AS p WHERE p.user_id = v_account), '[]'),
        'addresses', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'email', e.email, 'provedAt', app.api_timestamp(e.proved_at),
                'removedAt', app.api_timestamp(e.removed_at)) ORDER BY e.proved_at, e.email)
            FROM app.email_sign_ins AS e WHERE e.user_id = v_account), '[]'),
        'password', (
            SELECT jsonb_build_object('setAt', app.api_timestamp(p.set_at))
            FROM app.passwords AS p WHERE p.user_id = v_account),
        'passkeys', app.export_of_passkeys(v_account),
        'sessions', app.export_of_sessions(v_account),
        'mailedCodes', app.export_of_mailed_tickets(v_user),
        'familiesCreated', coalesce((
            SELECT jsonb_agg(app.api_timestamp(f.created_at) ORDER BY f.created_at)
            FROM app.family_units AS f WHERE f.created_by_user_id = v_account), '[]'),
        'invitations', app.export_of_invitations(v_user),
        'codeUses', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'at', app.api_timestamp(l.at), 'action', l.action) ORDER BY l.at)
            FROM app.family_code_usage_log AS l
            WHERE l.user_id = v_account AND l.family_unit_id IN (
                SELECT m.family_unit_id FROM app.family_members AS m
                WHERE m.user_id = v_account)), '[]'),
        'codeLookups', coalesce((
            SELECT jsonb_agg(app.api_timestamp(l.looked_up_at) ORDER BY l.looked_up_at)
            FROM app.code_lookups AS l WHERE l.user_id = v_account), '[]'),
        'repeatableRequests', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'route', k.route, 'key', k.key, 'at', app.api_timestamp(k.created_at))
                ORDER BY k.created_at)
            FROM app.idempotency_keys AS k WHERE k.actor_id = v_account), '[]'),
        'limits', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'limit', split_part(r.bucket, ':', 1), 'count', r.hits,
                'since', app.api_timestamp(r.window_start)) ORDER BY r.bucket)
            FROM app.rate_limits AS r
            WHERE r.bucket IN (
                'code:account:' || v_account, 'invite:account:' || v_account,
                'deletion:account:' || v_account, 'export:account:' || v_account,
                'consent:account:' || v_account)
                OR r.bucket IN (
                    SELECT b.kind || encode(sha256(convert_to(a.email, 'UTF8')), 'hex')
                    FROM app.addresses_of(v_user) AS a (email)
                    CROSS JOIN (VALUES ('password:account:'), ('mailed-code:address:'))
                        AS b (kind))), '[]'),
        'refusedInvitations', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'email', r.email, 'since', app.api_timestamp(r.since),
                'ofAllFamilies', r.family_unit_id IS NULL) ORDER BY r.since)
            FROM app.refused_invitations AS r
            WHERE r.email IN (SELECT app.addresses_of(v_user))), '[]'),
        'refusedAddress', (
            SELECT jsonb_build_object('since', app.api_timestamp(x.since), 'reason', x.reason)
            FROM app.suppressed_addresses AS x
            WHERE x.email = v_user.email AND v_user.email_verified));
END $$;

ALTER FUNCTION app.export_my_data() OWNER TO hearth_owner;

-- Name: FUNCTION export_my_data(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.export_my_data() IS 'Everything that is stored about the caller and the children whose guardian it is.';

-- Name: export_of_changes(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_changes(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT jsonb_build_object('version', v.version, 'recent', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'kind', c.kind, 'version', c.version, 'at', app.api_timestamp(c.changed_at))
            ORDER BY c.version, c.kind, c.id)
        FROM app.user_changes AS c WHERE c.user_id = v.user_id), '[]'),
        'undone', coalesce((
            SELECT jsonb_agg(jsonb_build_object('at', app.api_timestamp(r.at)) ORDER BY r.at)
            FROM app.role_conflicts AS r WHERE r.user_id = v.user_id), '[]'))
    FROM app.user_versions AS v WHERE v.user_id = p_user;
$$;

ALTER FUNCTION app.export_of_changes(p_user uuid) OWNER TO hearth_owner;

-- Name: export_of_consents(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_consents(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'purpose', c.purpose, 'version', c.version, 'method', c.method,
            'isGiver', c.given_by = p_user, 'isSubject', m.user_id = p_user,
            'givenAt', app.api_timestamp(c.given_at), 'endedAt', app.api_timestamp(c.ended_at))
        || CASE WHEN m.user_id = p_user AND m.status = 'active' THEN jsonb_build_object(
            'givenBy', c.given_by, 'endedBy', c.ended_by) ELSE '{}' END
        ORDER BY c.given_at, c.id), '[]')
    FROM app.consents AS c JOIN app.family_members AS m ON m.id = c.member_id
    WHERE c.given_by = p_user OR m.user_id = p_user;
$$;

ALTER FUNCTION app.export_of_consents(p_user uuid) OWNER TO hearth_owner;

-- Name: export_of_invitations(app.users); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_invitations(p_user app.users) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', i.id, 'isSent', i.invited_by = p_user.id, 'invitedEmail', i.invited_email,
            'role', i.role, 'householdRole', i.household_role, 'status', i.status,
            'delivery', i.delivery, 'createdAt', app.api_timestamp(i.created_at),
            'expiresAt', app.api_timestamp(i.expires_at),
            'lastSentAt', app.api_timestamp(i.last_sent_at),
            'sentCount', i.sent_count, 'acceptedAt', app.api_timestamp(i.accepted_at),
            'familyName', (
                SELECT f.family_name FROM app.family_units AS f
                WHERE f.id = i.family_unit_id AND (i.status = 'pending' OR EXISTS (
                    SELECT FROM app.family_members AS m
                    WHERE m.family_unit_id = f.id AND m.user_id = p_user.id
                        AND m.status = 'active')))) ORDER BY i.created_at, i.id), '[]')
    FROM app.family_invitations AS i
    WHERE i.invited_by = p_user.id OR i.accepted_by = p_user.id
        OR (i.status = 'pending' AND p_user.email_verified AND i.invited_email = p_user.email);
$$;

ALTER FUNCTION app.export_of_invitations(p_user app.users) OWNER TO hearth_owner;

-- Name: export_of_mailed_tickets(app.users); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_mailed_tickets(p_user app.users) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'purpose', t.purpose, 'email', t.email, 'locale', t.locale,
            'leadsOn', t.return_path IS NOT NULL, 'openedAt', app.api_timestamp(t.opened_at),
            'expiresAt', app.api_timestamp(t.expires_at), 'usedAt', app.api_timestamp(t.used_at))
        ORDER BY t.opened_at, t.id), '[]')
    FROM app.mailed_tickets AS t WHERE t.email IN (SELECT app.addresses_of(p_user));
$$;

ALTER FUNCTION app.export_of_mailed_tickets(p_user app.users) OWNER TO hearth_owner;

-- Name: export_of_memberships(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_memberships(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'memberId', m.id, 'role', m.role, 'householdRole', m.household_role,
            'status', m.status, 'isCreator', m.is_creator, 'vouched', m.vouched,
            'joinedVia', m.joined_via, 'addedAt', app.api_timestamp(m.added_at),
            'formerUserId', (SELECT x.alias_id FROM app.user_aliases AS x
                             WHERE x.alias_id = m.id AND x.account_id = p_user),
            'removedAt', app.api_timestamp(m.removed_at))
        || CASE m.status WHEN 'active' THEN jsonb_build_object(
            'familyId', f.id, 'familyName', f.family_name, 'guardianId', m.parent_user_id,
            'guardians', (
                SELECT jsonb_agg(jsonb_build_object(
                    'userId', w.guardian_user_id, 'since', app.api_timestamp(w.since))
                    ORDER BY w.since, w.slot)
                FROM app.guardianships AS w WHERE w.member_id = m.id),
            'playerDetails', CASE WHEN m.role = 'player' THEN f.player_details END,
            'home', CASE WHEN m.confides THEN jsonb_build_object(
                'latitude', f.home_latitude, 'longitude', f.home_longitude) END)
           WHEN 'invited' THEN jsonb_build_object('familyId', f.id, 'familyName', f.family_name)
           ELSE '{}' END
        ORDER BY m.added_at, m.id), '[]')
    FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
    WHERE m.user_id = p_user;
$$;

ALTER FUNCTION app.export_of_memberships(p_user uuid) OWNER TO hearth_owner;

-- Name: export_of_passkeys(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_passkeys(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', k.id, 'label', k.label, 'credentialId', encode(k.credential_id, 'hex'),
            'publicKey', encode(k.public_key, 'hex'), 'counter', k.counter, 'model', k.model,
            'transports', k.transports, 'isBackupEligible', k.is_backup_eligible,
            'isBackedUp', k.is_backed_up, 'createdAt', app.api_timestamp(k.created_at),
            'lastUsedAt', app.api_timestamp(k.last_used_at)) ORDER BY k.created_at, k.id), '[]')
    FROM app.passkeys AS k WHERE k.user_id = p_user;
$$;

ALTER FUNCTION app.export_of_passkeys(p_user uuid) OWNER TO hearth_owner;

-- Name: export_of_person(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_person(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT jsonb_build_object(
        'id', u.id, 'kind', u.kind, 'fullName', u.full_name, 'email', u.email,
        'emailVerified', u.email_verified, 'role', u.role, 'avatarKey', u.avatar_key,
        'avatarUrl', u.avatar_url, 'locale', u.locale,
        'createdAt', app.api_timestamp(u.created_at), 'updatedAt', app.api_timestamp(u.updated_at),
        'memberships', app.export_of_memberships(u.id),
        'preferences', coalesce((
            SELECT jsonb_agg(jsonb_build_object(
                'memberId', m.id, 'preferences', p.preferences,
                'updatedAt', app.api_timestamp(p.updated_at)) ORDER BY m.added_at, m.id)
            FROM app.member_preferences AS p JOIN app.family_members AS m
                ON m.family_unit_id = p.family_unit_id AND m.user_id = p.user_id
            WHERE p.user_id = u.id), '[]'),
        'changes', app.export_of_changes(u.id),
        'consents', app.export_of_consents(u.id),
        'audit', app.export_of_trail(u.id))
    FROM app.users AS u WHERE u.id = p_user;
$$;

ALTER FUNCTION app.export_of_person(p_user uuid) OWNER TO hearth_owner;

-- Name: export_of_sessions(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_sessions(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', s.id, 'method', s.method, 'issuer', s.issuer, 'device', s.device,
            'startedAt', app.api_timestamp(s.started_at),
            'lastUsedAt', app.api_timestamp(s.last_used_at),
            'endsAt', app.api_timestamp(s.ends_at), 'endedAt', app.api_timestamp(s.ended_at),
            'endReason', s.end_reason, 'refreshed', (
                SELECT t.generation FROM app.refresh_tokens AS t WHERE t.session_id = s.id))
        ORDER BY s.started_at, s.id), '[]')
    FROM app.sessions AS s WHERE s.user_id = p_user;
$$;

ALTER FUNCTION app.export_of_sessions(p_user uuid) OWNER TO hearth_owner;

-- Name: export_of_trail(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_of_trail(p_user uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', a.id, 'at', app.api_timestamp(a.at), 'action', a.action,
            'isActor', a.actor_user_id IS NOT DISTINCT FROM p_user,
            'isSubject', a.subject_user_id IS NOT DISTINCT FROM p_user
                OR EXISTS (SELECT FROM app.user_aliases AS x
                           WHERE x.alias_id = a.subject_user_id AND x.account_id = p_user))
        || CASE WHEN a.is_open THEN jsonb_build_object(
            'familyId', a.family_unit_id, 'actorUserId', a.actor_user_id,
            'actorLabel', a.actor_label, 'subjectUserId', a.subject_user_id,
            'targetId', a.target_id, 'details', a.details) ELSE '{}' END
        ORDER BY a.at, a.id), '[]')
    FROM (
        SELECT a.*, m.status = 'active' AS is_open
        FROM app.family_members AS m JOIN app.audit_log AS a
            ON a.family_unit_id = m.family_unit_id
        WHERE m.user_id = p_user
            AND (p_user IN (a.actor_user_id, a.subject_user_id) OR a.subject_user_id IN (
                -- As a child without an account.
                SELECT x.alias_id FROM app.user_aliases AS x WHERE x.account_id = p_user))
        UNION ALL
        SELECT a.*, true FROM app.audit_log AS a
        WHERE a.family_unit_id IS NULL AND a.subject_user_id = p_user) AS a;
$$;

ALTER FUNCTION app.export_of_trail(p_user uuid) OWNER TO hearth_owner;

-- Name: export_preferences(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.export_preferences(p_family uuid) RETURNS TABLE(user_id uuid, preferences jsonb, updated_at timestamp with time zone, updated_by uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_export(p_family);
    RETURN QUERY SELECT p.user_id, p.preferences, p.updated_at, p.updated_by
        FROM app.member_preferences AS p WHERE p.family_unit_id = p_family ORDER BY p.user_id;
END $$;

ALTER FUNCTION app.export_preferences(p_family uuid) OWNER TO hearth_owner;

-- Name: FUNCTION export_preferences(p_family uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.export_preferences(p_family uuid) IS 'The preferences of a family''s members, for an export that has its audit row.';

-- Name: exports_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.exports_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '1 day'::interval;

ALTER FUNCTION app.exports_window() OWNER TO hearth_owner;

-- Name: families_of(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.families_of(p_user uuid) RETURNS uuid[]
    LANGUAGE sql STABLE
    RETURN ARRAY(SELECT m.family_unit_id FROM app.family_members m WHERE ((m.user_id = families_of.p_user) AND (m.status = 'active'::text)) ORDER BY m.family_unit_id);

ALTER FUNCTION app.families_of(p_user uuid) OWNER TO hearth_owner;

-- Name: family_version_raised_at(uuid, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint) RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE p_version
            WHEN v.version THEN v.raised_at
            WHEN v.purged_version THEN v.purged_raised_at
            ELSE (SELECT max(c.changed_at) FROM app.family_changes AS c
                  WHERE c.family_unit_id = p_family AND c.version = p_version) END
        FROM app.family_versions AS v
        WHERE v.family_unit_id = p_family
            AND p_family = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f))
$$;

ALTER FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint) OWNER TO hearth_owner;

-- Name: fault_checks(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.fault_checks() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['guardians'::text, 'families'::text, 'seats'::text, 'slots'::text, 'players'::text, 'kinds'::text, 'creators'::text, 'codes'::text, 'invitations'::text, 'people'::text];

ALTER FUNCTION app.fault_checks() OWNER TO hearth_owner;

-- Name: faults_of_codes(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_codes(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET parallel_tuple_cost TO '0'
    AS $$
    WITH found AS MATERIALIZED (
        SELECT f.id FROM app.family_units AS f
        LEFT JOIN app.family_codes AS c ON c.family_unit_id = f.id AND c.state = 'live'
        WHERE c.code IS DISTINCT FROM f.family_code
            OR (f.family_code IS NULL
                AND (f.code_expires_at IS NULL OR f.code_expires_at > now())
                AND NOT app.code_was_given_up(f.id)))
    (SELECT 'code_wrong', f.id, NULL::uuid, true FROM found AS f ORDER BY f.id LIMIT p_limit)
    UNION ALL
    (SELECT 'code_overdue', f.id, NULL, true FROM (
            SELECT o.id FROM app.family_units AS o
            WHERE o.family_code IS NOT NULL AND o.code_expires_at < now() - interval '1 hour'
            ORDER BY o.code_expires_at LIMIT p_limit) AS f
        ORDER BY f.id)
$$;

ALTER FUNCTION app.faults_of_codes(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_creators(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_creators(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET parallel_tuple_cost TO '0'
    AS $$
    WITH found AS MATERIALIZED (
        SELECT m.family_unit_id, m.id
        FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE m.is_creator <> (f.created_by_user_id = m.user_id))
    SELECT 'creator_mark_wrong', f.family_unit_id, f.id, false
    FROM found AS f ORDER BY f.id LIMIT p_limit
$$;

ALTER FUNCTION app.faults_of_creators(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_families(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_families(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET enable_hashjoin TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    AS $$
    WITH adultless AS MATERIALIZED (
        SELECT f.id FROM app.family_units AS f
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.active_adult_user_id IS NOT NULL)),
    -- Each looked up by itself (OFFSET 0): the planner expects millions, and would gather the
    -- members of all families instead.
    looked_at AS MATERIALIZED (
        SELECT f.* FROM adultless AS a CROSS JOIN LATERAL (
            SELECT u.id, u.created_at,
                EXISTS (SELECT FROM app.family_members AS m
                        WHERE m.family_unit_id = u.id AND m.status = 'active') AS has_members,
                EXISTS (SELECT FROM app.family_members AS m
                        WHERE m.family_unit_id = u.id
                            AND (m.user_kind = 'managed'
                                 OR (m.role = 'parent' AND NOT app.has_only_waited(m))))
                    AS had_adults
            FROM app.family_units AS u WHERE u.id = a.id AND u.emptied_at IS NULL OFFSET 0) AS f),
    -- A player's new family has no grown-up yet: that is no fault for a month.
    unguarded AS MATERIALIZED (
        SELECT f.id FROM looked_at AS f
        WHERE f.has_members
            AND (f.created_at < now() - interval '30 days' OR f.had_adults)),
    misdated AS MATERIALIZED (
        SELECT f.id FROM looked_at AS f WHERE NOT f.has_members
        UNION ALL
        SELECT f.id FROM app.family_units AS f
        WHERE f.emptied_at IS NOT NULL AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.status = 'active'))
    (SELECT 'family_without_adult', u.id, NULL::uuid, false
        FROM unguarded AS u ORDER BY u.id LIMIT p_limit)
    UNION ALL
    (SELECT 'emptiness_wrong', d.id, NULL, true FROM misdated AS d ORDER BY d.id LIMIT p_limit)
$$;

ALTER FUNCTION app.faults_of_families(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_guardians(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_guardians(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET parallel_tuple_cost TO '0'
    AS $$
    WITH misrecorded AS MATERIALIZED (
        SELECT m.id FROM app.family_members AS m
        LEFT JOIN app.guardianships AS w
            ON w.member_id = m.id AND (m.status <> 'active' OR (
                w.guardian_user_id = m.parent_user_id AND w.family_unit_id = m.family_unit_id))
        WHERE m.user_kind = 'managed' AND (m.status = 'active') = (w.member_id IS NULL)),
    candidates AS MATERIALIZED (
        SELECT m AS child FROM app.family_members AS m
        WHERE m.user_kind = 'managed' AND m.id IN (
            SELECT r.id FROM misrecorded AS r
            UNION SELECT w.member_id FROM app.children_with_former_guardians() AS w))
    (SELECT 'child_without_guardian', (c.child).family_unit_id, (c.child).id,
            app.best_guardian((c.child).family_unit_id) IS NOT NULL
        FROM candidates AS c
        WHERE (c.child).status = 'active' AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = (c.child).family_unit_id
                AND g.active_adult_user_id = (c.child).parent_user_id)
        ORDER BY (c.child).id LIMIT p_limit)
    UNION ALL
    (SELECT 'guardianship_wrong', (c.child).family_unit_id, (c.child).id, true
        FROM candidates AS c WHERE app.has_wrong_guardianship(c.child)
        ORDER BY (c.child).id LIMIT p_limit)
$$;

ALTER FUNCTION app.faults_of_guardians(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_invitations(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_invitations(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    WITH closed AS MATERIALIZED (
        SELECT i.family_unit_id, i.id FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at > now() AND NOT EXISTS (
            SELECT FROM app.invitation_secrets AS s
            WHERE s.invitation_id = i.id AND s.generation = i.generation))
    (SELECT 'invitation_overdue', i.family_unit_id, i.id, true FROM (
            SELECT o.family_unit_id, o.id FROM app.family_invitations AS o
            WHERE o.status = 'pending' AND o.expires_at < now() - interval '1 hour'
            ORDER BY o.expires_at LIMIT p_limit) AS i
        ORDER BY i.id)
    UNION ALL
    (SELECT 'invitation_without_secret', c.family_unit_id, c.id, false
        FROM closed AS c ORDER BY c.id LIMIT p_limit)
$$;

ALTER FUNCTION app.faults_of_invitations(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_kinds(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_kinds(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET parallel_tuple_cost TO '0'
    AS $$
    WITH differing AS MATERIALIZED (
        SELECT m.family_unit_id, m.id
        FROM app.family_members AS m
        LEFT JOIN (SELECT u.id FROM app.users AS u WHERE u.kind = 'managed') AS u
            ON u.id = m.user_id
        WHERE (m.user_kind = 'managed') <> (u.id IS NOT NULL)),
    found AS MATERIALIZED (
        SELECT d.family_unit_id, d.id FROM differing AS d
        UNION
        SELECT m.family_unit_id, m.id
        FROM app.users_missing() AS x JOIN app.family_members AS m ON m.user_id = x.user_id)
    SELECT 'member_kind_wrong', f.family_unit_id, f.id, false
    FROM found AS f ORDER BY f.id LIMIT p_limit
$$;

ALTER FUNCTION app.faults_of_kinds(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_people(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_people(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET parallel_tuple_cost TO '0'
    AS $$
    WITH erased AS MATERIALIZED (
        SELECT u.id, u.full_name IS NOT NULL OR u.email IS NOT NULL AS is_known
        FROM app.users AS u WHERE u.deleted_at IS NOT NULL),
    found AS MATERIALIZED (
        SELECT e.id FROM erased AS e
        WHERE e.is_known
            OR EXISTS (SELECT FROM app.user_identities AS i WHERE i.user_id = e.id)
            OR EXISTS (SELECT FROM app.family_members AS m
                       WHERE m.user_id = e.id AND m.status = 'active'))
    SELECT 'erased_user_left_over', NULL::uuid, f.id, false
    FROM found AS f ORDER BY f.id LIMIT p_limit
$$;

ALTER FUNCTION app.faults_of_people(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_players(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_players(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT 'player_in_several_families', NULL::uuid, m.user_id, false
    FROM app.family_members AS m
    WHERE m.status = 'active' AND m.role = 'player'
        AND NOT app.is_kept_unique('app.family_members',
            'btree (user_id) WHERE ((status = ''active''::text) AND (role = ''player''::text))')
    GROUP BY m.user_id HAVING count(*) > 1
    ORDER BY m.user_id LIMIT p_limit
$$;

ALTER FUNCTION app.faults_of_players(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_seats(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_seats(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT 'several_parent_admins', m.family_unit_id, NULL::uuid, false
    FROM app.family_members AS m
    WHERE m.status = 'active' AND m.household_role = 'parent_admin'
        AND NOT app.is_kept_unique('app.family_members',
            'btree (family_unit_id) WHERE ((status = ''active''::text)'
                ' AND (household_role = ''parent_admin''::text))')
    GROUP BY m.family_unit_id HAVING count(*) > 1
    ORDER BY m.family_unit_id LIMIT p_limit
$$;

ALTER FUNCTION app.faults_of_seats(p_limit integer) OWNER TO hearth_owner;

-- Name: faults_of_slots(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.faults_of_slots(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET parallel_tuple_cost TO '0'
    AS $$
DECLARE
    -- A statement of its own: only one process would look for candidates in one that reads it.
    v_smallest constant smallint := (SELECT min(l.member_limit) FROM app.family_units AS l);
BEGIN
    RETURN QUERY WITH candidates AS MATERIALIZED (
        SELECT m.id, m.family_unit_id, m.slot,
            (m.status = 'active') <> (m.slot IS NOT NULL) AS is_misplaced
        FROM app.family_members AS m
        WHERE (m.status = 'active') <> (m.slot IS NOT NULL) OR m.slot > v_smallest),
    doubled AS MATERIALIZED (
        SELECT s.family_unit_id, s.slot FROM app.family_members AS s
        WHERE s.slot IS NOT NULL
            AND NOT app.is_kept_unique('app.family_members', 'btree (family_unit_id, slot)')
        GROUP BY s.family_unit_id, s.slot HAVING count(*) > 1),
    found AS MATERIALIZED (
        SELECT c.family_unit_id, c.id
        FROM candidates AS c JOIN app.family_units AS f ON f.id = c.family_unit_id
        WHERE c.is_misplaced OR c.slot > f.member_limit
        UNION
        SELECT m.family_unit_id, m.id
        FROM doubled AS d JOIN app.family_members AS m
            ON m.family_unit_id = d.family_unit_id AND m.slot = d.slot
        WHERE EXISTS (SELECT FROM app.family_members AS o
                      WHERE o.family_unit_id = m.family_unit_id AND o.slot = m.slot
                          AND o.id < m.id))
    SELECT 'slot_wrong', f.family_unit_id, f.id, true FROM found AS f ORDER BY f.id LIMIT p_limit;
END $$;

ALTER FUNCTION app.faults_of_slots(p_limit integer) OWNER TO hearth_owner;

-- Name: format_characters(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.format_characters() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((('\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B\u200E\u200F'::text || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD'::text) || '\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001'::text) || '\U000E0020-\U000E007F'::text);

ALTER FUNCTION app.format_characters() OWNER TO hearth_owner;

-- Name: white_space(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.white_space() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000'::text;

ALTER FUNCTION app.white_space() OWNER TO hearth_owner;

-- Name: trimmed_text(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.trimmed_text(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(p_text, (((('^[\u200C\u200D'::text || app.white_space()) || ']+|[\u200C\u200D'::text) || app.white_space()) || ']+$'::text), ''::text, 'g'::text);

ALTER FUNCTION app.trimmed_text(p_text text) OWNER TO hearth_owner;

-- Name: normalised_text(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.normalised_text(p_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN app.trimmed_text(NORMALIZE(regexp_replace(p_text, (('['::text || app.format_characters()) || ']+'::text), ''::text, 'g'::text), NFC));

ALTER FUNCTION app.normalised_text(p_text text) OWNER TO hearth_owner;

-- Name: FUNCTION normalised_text(p_text text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.normalised_text(p_text text) IS 'A short text in its one form: NFC, trimmed, nothing that steers its layout.';

-- Name: normalised_name(text, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.normalised_name(p_name text, p_limit integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN NULLIF(app.trimmed_text("left"(app.normalised_text(regexp_replace(p_name, (('['::text || app.control_characters()) || ']+'::text), ' '::text, 'g'::text)), p_limit)), ''::text);

ALTER FUNCTION app.normalised_name(p_name text, p_limit integer) OWNER TO hearth_owner;

-- Name: family_units; Type: TABLE; Schema: app
CREATE TABLE app.family_units (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_by_user_id uuid NOT NULL,
    created_by_kind text DEFAULT 'account'::text NOT NULL,
    family_name text DEFAULT 'My Family'::text NOT NULL,
    family_code text,
    code_state text GENERATED ALWAYS AS (
CASE
    WHEN (family_code IS NOT NULL) THEN 'live'::text
    ELSE NULL::text
END) STORED,
    code_generated_at timestamp with time zone,
    code_expires_at timestamp with time zone,
    home_latitude double precision,
    home_longitude double precision,
    player_details jsonb DEFAULT '{}'::jsonb NOT NULL,
    member_limit smallint DEFAULT 8 NOT NULL,
    approval_required boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    emptied_at timestamp with time zone DEFAULT now(),
    CONSTRAINT family_units_code_has_date CHECK (((family_code IS NULL) OR (code_generated_at IS NOT NULL))),
    CONSTRAINT family_units_creator_has_account CHECK ((created_by_kind = 'account'::text)),
    CONSTRAINT family_units_latitude_range CHECK (((home_latitude >= ('-90'::integer)::double precision) AND (home_latitude <= (90)::double precision))),
    CONSTRAINT family_units_longitude_range CHECK (((home_longitude >= ('-180'::integer)::double precision) AND (home_longitude <= (180)::double precision))),
    CONSTRAINT family_units_member_limit_range CHECK (((member_limit >= 1) AND (member_limit <= 64))),
    CONSTRAINT family_units_name_form CHECK ((((char_length(family_name) >= 1) AND (char_length(family_name) <= 80)) AND (family_name IS NFC NORMALIZED) AND (family_name !~ '^[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]'::text) AND (family_name !~ '[\u0020\u00A0\u1680\u2000-\u200A\u200C\u200D\u202F\u205F\u3000]$'::text) AND (family_name !~ ((('[\u0001-\u001F\u007F-\u009F\u00AD\u0600-\u0605\u061C\u06DD\u070F'::text || '\u0890\u0891\u08E2\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064'::text) || '\u2066-\u206F\uFEFF\uFFF9-\uFFFB\U000110BD\U000110CD\U00013430-\U0001343F'::text) || '\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001\U000E0020-\U000E007F]'::text)))),
    CONSTRAINT family_units_player_details_form CHECK (((jsonb_typeof(player_details) = 'object'::text) AND (octet_length((player_details)::text) <= 32768)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.family_units FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_units OWNER TO hearth_owner;

-- Name: TABLE family_units; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_units IS 'Families: the tenants.';

-- Name: fill_player_name(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.fill_player_name(p_family uuid, p_user uuid) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE app.users u SET full_name = app.normalised_name((f.player_details ->> 'playerName'::text), 80)
    FROM app.family_units f
   WHERE ((f.id = fill_player_name.p_family) AND (u.id = fill_player_name.p_user) AND (u.full_name IS NULL) AND (app.normalised_name((f.player_details ->> 'playerName'::text), 80) IS NOT NULL));
END;

ALTER FUNCTION app.fill_player_name(p_family uuid, p_user uuid) OWNER TO hearth_owner;

-- Name: find_faults(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.find_faults(p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT f.* FROM unnest(app.fault_checks()) WITH ORDINALITY AS c (name, place),
        LATERAL app.find_faults_of(c.name, p_limit) AS f
    ORDER BY c.place, f.kind
$$;

ALTER FUNCTION app.find_faults(p_limit integer) OWNER TO hearth_owner;

-- Name: FUNCTION find_faults(p_limit integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.find_faults(p_limit integer) IS 'What should not be; nothing in a sound database.';

-- Name: find_faults_of(text, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.find_faults_of(p_check text, p_limit integer) RETURNS TABLE(kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    SET work_mem TO '128MB'
    SET random_page_cost TO '1.1'
    SET jit TO 'off'
    AS $$
BEGIN
    CASE p_check
        WHEN 'guardians' THEN RETURN QUERY SELECT f.* FROM app.faults_of_guardians(p_limit) AS f;
        WHEN 'families' THEN RETURN QUERY SELECT f.* FROM app.faults_of_families(p_limit) AS f;
        WHEN 'seats' THEN RETURN QUERY SELECT f.* FROM app.faults_of_seats(p_limit) AS f;
        WHEN 'slots' THEN RETURN QUERY SELECT f.* FROM app.faults_of_slots(p_limit) AS f;
        WHEN 'players' THEN RETURN QUERY SELECT f.* FROM app.faults_of_players(p_limit) AS f;
        WHEN 'kinds' THEN RETURN QUERY SELECT f.* FROM app.faults_of_kinds(p_limit) AS f;
        WHEN 'creators' THEN RETURN QUERY SELECT f.* FROM app.faults_of_creators(p_limit) AS f;
        WHEN 'codes' THEN RETURN QUERY SELECT f.* FROM app.faults_of_codes(p_limit) AS f;
        WHEN 'invitations' THEN
            RETURN QUERY SELECT f.* FROM app.faults_of_invitations(p_limit) AS f;
        WHEN 'people' THEN RETURN QUERY SELECT f.* FROM app.faults_of_people(p_limit) AS f;
    END CASE;
END $$;

ALTER FUNCTION app.find_faults_of(p_check text, p_limit integer) OWNER TO hearth_owner;

-- Name: FUNCTION find_faults_of(p_check text, p_limit integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.find_faults_of(p_check text, p_limit integer) IS 'What should not be, by one of fault_checks; nothing in a sound database.';

-- Name: finish_idempotency_key(text, text, uuid, smallint, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    WITH finished AS (
        UPDATE app.idempotency_keys AS k
        SET claim = NULL, status = p_status, answer = p_answer
        WHERE k.actor_id = app.actor_id() AND k.subject_id = app.user_id()
            AND k.route = p_route AND k.key = p_key AND k.claim = p_claim
        RETURNING 1)
    SELECT EXISTS (SELECT FROM finished);
$$;

ALTER FUNCTION app.finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text) OWNER TO hearth_owner;

-- Name: FUNCTION finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text) IS 'Keeps the answer of a claimed key for its replay.';

-- Name: first_family_of(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.first_family_of(p_user uuid) RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (SELECT m.family_unit_id FROM ((app.family_members m JOIN app.family_units f ON ((f.id = m.family_unit_id))) CROSS JOIN LATERAL (SELECT (EXISTS (SELECT FROM app.family_members o WHERE ((o.family_unit_id = m.family_unit_id) AND (o.status = 'active'::text) AND (o.user_id <> first_family_of.p_user)))) AS has_company) c) WHERE ((m.user_id = first_family_of.p_user) AND (m.status = 'active'::text)) ORDER BY c.has_company DESC, ((NOT c.has_company) AND (f.created_by_user_id = first_family_of.p_user)) DESC, m.added_at, m.id LIMIT 1);

ALTER FUNCTION app.first_family_of(p_user uuid) OWNER TO hearth_owner;

-- Name: forget_erasure_address(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.forget_erasure_address(p_erasure uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    UPDATE app.erasures AS e SET email = NULL, locale = NULL
        WHERE e.id = p_erasure AND e.email IS NOT NULL;
$$;

ALTER FUNCTION app.forget_erasure_address(p_erasure uuid) OWNER TO hearth_owner;

-- Name: forget_provider_token(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.forget_provider_token(p_token uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    DELETE FROM app.provider_tokens AS p WHERE p.id = p_token AND p.user_id IS NULL
$$;

ALTER FUNCTION app.forget_provider_token(p_token uuid) OWNER TO hearth_owner;

-- Name: fresh_proof_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.fresh_proof_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:10:00'::interval;

ALTER FUNCTION app.fresh_proof_time() OWNER TO hearth_owner;

-- Name: further_details(jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.further_details(p_details jsonb) RETURNS TABLE(key text, value text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT d.key,
     (d.value #>> '{}'::text[])
    FROM jsonb_each((further_details.p_details - ARRAY['playerName'::text, 'playerDob'::text, 'graduationYear'::text, 'sport'::text, 'position'::text, 'gender'::text])) d(key, value)
   WHERE (jsonb_typeof(d.value) = 'string'::text);
END;

ALTER FUNCTION app.further_details(p_details jsonb) OWNER TO hearth_owner;

-- Name: give_changed_member_slot(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.give_changed_member_slot() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    NEW.slot := CASE
        WHEN NEW.status <> 'active' THEN NULL
        WHEN OLD.status = 'active' THEN OLD.slot
        ELSE app.lowest_free_slot(NEW.family_unit_id)
    END;
    -- Whoever changes the user now waits, and then sees this membership (changes.sql).
    IF OLD.status = 'removed' AND NEW.status <> 'removed' THEN
        PERFORM FROM app.users AS u WHERE u.id = NEW.user_id FOR NO KEY UPDATE;
    END IF;
    RETURN NEW;
END $$;

ALTER FUNCTION app.give_changed_member_slot() OWNER TO hearth_owner;

-- Name: give_consent(uuid, text, text, text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
    v_version constant text := (
        SELECT p.version FROM app.consent_purposes AS p WHERE p.purpose = p_purpose);
BEGIN
    IF v_version IS NULL THEN
        PERFORM app.refuse('HF404', 'purpose_not_found', 'There is no such purpose.');
    ELSIF p_version IS DISTINCT FROM v_version THEN
        PERFORM app.refuse('HF409', 'consent_outdated', 'The text has another version by now.');
    ELSIF p_method IS NULL OR p_method NOT IN ('signed_in', 'email_code') THEN
        PERFORM app.refuse_field('method', 'A method is signed_in or email_code.');
    ELSIF p_method = 'email_code' AND p_code_is_right IS NOT TRUE THEN
        PERFORM app.refuse('HF400', 'code_wrong', 'The code is wrong or too old.');
    ELSIF EXISTS (
        SELECT FROM app.consents AS c
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.version = p_version
            AND c.ended_at IS NULL AND c.method IN ('email_code', p_method)) THEN
        RETURN;
    END IF;
    UPDATE app.consents AS c SET ended_at = now(), ended_by = app.account_id()
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.ended_at IS NULL;
    INSERT INTO app.consents (family_unit_id, member_id, purpose, version, method, given_by)
        VALUES (v_child.family_unit_id, v_child.id, p_purpose, p_version, p_method,
                app.account_id());
    PERFORM app.mark_member_changed(v_child.id);
    PERFORM app.record_audit('consent.give', v_child.family_unit_id, v_child.user_id, v_child.id,
        jsonb_build_object('purpose', p_purpose, 'version', p_version, 'method', p_method));
END $$;

ALTER FUNCTION app.give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean) OWNER TO hearth_owner;

-- Name: FUNCTION give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean) IS 'Gives consent for a child that the caller guards.';

-- Name: give_family_its_code(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.give_family_its_code() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_chosen constant text := NEW.family_code;
BEGIN
    NEW.family_code := NULL;
    NEW.code_generated_at := NULL;
    -- An id that is taken is left to the policy's check and then to the primary key: an error
    -- raised here, ahead of them, would be an answer of its own.
    IF NOT EXISTS (SELECT FROM app.family_codes AS c WHERE c.family_unit_id = NEW.id) THEN
        NEW.family_code :=
            coalesce(app.claim_chosen_code(v_chosen, NEW.id), app.draw_code(NEW.id));
        NEW.code_generated_at := now();
    END IF;
    RETURN NEW;
END $$;

ALTER FUNCTION app.give_family_its_code() OWNER TO hearth_owner;

-- Name: give_new_member_slot(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.give_new_member_slot() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    NEW.slot := CASE WHEN NEW.status = 'active' THEN app.lowest_free_slot(NEW.family_unit_id) END;
    NEW.is_creator := EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = NEW.family_unit_id AND f.created_by_user_id = NEW.user_id);
    SELECT u.kind INTO NEW.user_kind FROM app.users AS u
        WHERE u.id = NEW.user_id AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NEW.household_role IS NULL THEN
        NEW.household_role := CASE
            WHEN NEW.role = 'player' THEN 'kid'
            WHEN NEW.joined_via = 'created' AND NEW.is_creator THEN 'parent_admin'
            ELSE 'adult'
        END;
    END IF;
    NEW.household_ceiling :=
        CASE NEW.household_role WHEN 'parent_admin' THEN 'adult' ELSE NEW.household_role END;
    NEW.vouched := NEW.user_kind = 'account'
        AND (NEW.vouched OR NEW.is_creator OR NEW.joined_via = 'operator');
    RETURN NEW;
END $$;

ALTER FUNCTION app.give_new_member_slot() OWNER TO hearth_owner;

-- Name: give_up_idempotency_key(text, text, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    DELETE FROM app.idempotency_keys AS k
    WHERE k.actor_id = app.actor_id() AND k.subject_id = app.user_id()
        AND k.route = p_route AND k.key = p_key AND k.claim = p_claim;
$$;

ALTER FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid) OWNER TO hearth_owner;

-- Name: FUNCTION give_up_idempotency_key(p_route text, p_key text, p_claim uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid) IS 'Forgets a claimed key whose answer must not be replayed.';

-- Name: graduate(bytea, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.graduate(p_token_hash bytea, p_invitation uuid) RETURNS TABLE(outcome text, family_unit_id uuid, member_id uuid, left_family_id uuid, own_family_id uuid, own_family_name text, invited_role text)
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_account constant uuid := app.require_account();
    v_own constant uuid[] := app.families_of(v_account);
    v_invitation app.family_invitations;
    v_child app.family_members;
    v_was app.family_members;
    v_terms record;
    v_family uuid;
BEGIN
    PERFORM app.lock_families(v_own || (
        SELECT i.family_unit_id FROM app.family_invitations AS i
        WHERE i.id = app.invitation_to_answer(p_token_hash, p_invitation)));
    v_invitation := app.open_invitation(p_token_hash, p_invitation);
    family_unit_id := v_invitation.family_unit_id;
    invited_role := v_invitation.role;
    SELECT m.* INTO v_child FROM app.family_members AS m WHERE m.id = v_invitation.graduate_id;
    member_id := v_child.id;
    IF v_invitation.status = 'accepted' AND v_child.user_id = v_account
        AND v_child.status = 'active' THEN
        outcome := 'already_accepted';
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM app.lock_account(v_account);
    IF NOT app.families_of(v_account) <@ v_own THEN
        RAISE EXCEPTION 'the account has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    SELECT m.* INTO v_was FROM app.family_members AS m
        WHERE m.family_unit_id = v_child.family_unit_id AND m.user_id = v_account;
    outcome := app.obstacle_to_graduate(v_was, v_child.family_unit_id, v_own, v_account);
    IF outcome IS NOT NULL THEN
        SELECT f.id, f.family_name INTO own_family_id, own_family_name
            FROM app.family_units AS f WHERE f.id = app.player_family_of(v_account);
        RETURN NEXT;
        RETURN;
    END IF;
    v_terms := app.roles_on_entry(v_invitation, v_was, v_account);
    UPDATE app.family_invitations AS i SET
            status = 'accepted', accepted_at = now(), accepted_by = v_account, closed_at = now()
        WHERE i.id = v_invitation.id AND i.status = 'pending';
    IF NOT FOUND OR v_child.active_guardian_id IS NULL THEN
        PERFORM app.refuse('HF409', 'invitation_answered',
            'This invitation has already been answered.');
    END IF;
    FOREACH v_family IN ARRAY app.families_of(v_account) LOOP
        PERFORM app.leave_own_family(v_family, v_account, v_child.family_unit_id, v_terms.role);
        left_family_id := v_family;
    END LOOP;
    PERFORM app.enqueue_family_mail('mail.graduated', v_child.family_unit_id, w.guardian_user_id,
            v_child.id)
        FROM app.guardianships AS w WHERE w.member_id = v_child.id ORDER BY w.slot;
    PERFORM app.become_member(
        v_child, v_account, v_terms.role, v_terms.household_role, v_invitation.vouched);
    outcome := 'joined';
    PERFORM app.record_audit('invitation.accept', v_child.family_unit_id, v_account,
        v_invitation.id, jsonb_build_object('outcome', 'graduated', 'memberId', v_child.id));
    RETURN NEXT;
END $$;

ALTER FUNCTION app.graduate(p_token_hash bytea, p_invitation uuid) OWNER TO hearth_owner;

-- Name: guessing_state(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.guessing_state() RETURNS TABLE(is_automatic boolean, began_at timestamp with time zone, lasts_until timestamp with time zone, wrong_codes integer, usual integer, rate integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT coalesce(a.lasts_until > now(), false), a.began_at, a.lasts_until,
        app.wrong_codes_of_last_minute(), app.usual_wrong_codes(now()), app.wrong_code_rate()
    FROM (SELECT) AS always LEFT JOIN app.automatic_approval AS a ON true;
$$;

ALTER FUNCTION app.guessing_state() OWNER TO hearth_owner;

-- Name: FUNCTION guessing_state(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.guessing_state() IS 'Whether approval is automatic now, when it began last, and how many wrong codes come in.';

-- Name: has_invited(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.has_invited(p_family uuid, p_account uuid) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM (app.users u JOIN app.family_invitations i ON ((i.invited_email = u.email))) WHERE ((u.id = has_invited.p_account) AND u.email_verified AND (i.family_unit_id = has_invited.p_family) AND (i.status = 'pending'::text) AND (i.expires_at > now()))));

ALTER FUNCTION app.has_invited(p_family uuid, p_account uuid) OWNER TO hearth_owner;

-- Name: has_only_waited(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.has_only_waited(p_member app.family_members) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT p_member.status = 'invited' OR (p_member.status = 'removed' AND coalesce((
        SELECT a.details ->> 'was' = 'invited' FROM app.audit_log AS a
        WHERE a.family_unit_id = p_member.family_unit_id AND a.at >= p_member.added_at
            AND a.target_id = p_member.id AND a.action IN ('member.remove', 'member.leave')
        ORDER BY a.at DESC LIMIT 1), false));
$$;

ALTER FUNCTION app.has_only_waited(p_member app.family_members) OWNER TO hearth_owner;

-- Name: has_wrong_guardianship(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.has_wrong_guardianship(p_child app.family_members) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ((EXISTS (SELECT FROM app.guardianships w WHERE ((w.member_id = (has_wrong_guardianship.p_child).id) AND (NOT (EXISTS (SELECT FROM app.family_members g WHERE ((g.family_unit_id = w.family_unit_id) AND (g.active_adult_user_id = w.guardian_user_id) AND ((has_wrong_guardianship.p_child).status = 'active'::text)))))))) OR (EXISTS (SELECT FROM app.family_members g WHERE ((g.family_unit_id = (has_wrong_guardianship.p_child).family_unit_id) AND (g.active_adult_user_id = (has_wrong_guardianship.p_child).active_guardian_id) AND (NOT (EXISTS (SELECT FROM app.guardianships w WHERE ((w.member_id = (has_wrong_guardianship.p_child).id) AND (w.guardian_user_id = g.user_id)))))))));

ALTER FUNCTION app.has_wrong_guardianship(p_child app.family_members) OWNER TO hearth_owner;

-- Name: id_of_now(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.id_of_now() RETURNS uuid
    LANGUAGE sql
    RETURN ((OVERLAY(lpad(to_hex(((EXTRACT(epoch FROM clock_timestamp()) * (4096000)::numeric))::bigint), 15, '0'::text) PLACING '7'::text FROM 13 FOR 0) || "right"((gen_random_uuid())::text, 17)))::uuid;

ALTER FUNCTION app.id_of_now() OWNER TO hearth_owner;

-- Name: FUNCTION id_of_now(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.id_of_now() IS 'A new id that is greater than those made before.';

-- Name: idempotency_keys_kept(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.idempotency_keys_kept() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '24:00:00'::interval;

ALTER FUNCTION app.idempotency_keys_kept() OWNER TO hearth_owner;

-- Name: identities_of(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.identities_of(p_user uuid) RETURNS TABLE(id uuid, kind text, name text, since timestamp with time zone)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT md5('issuer ' || i.issuer || ' ' || encode(i.subject_hash, 'hex'))::uuid, 'issuer',
        i.issuer, i.created_at
    FROM app.user_identities AS i WHERE i.user_id = p_user
    UNION ALL
    SELECT md5('email ' || p_user || ' ' || a.email)::uuid, 'email', a.email, a.since
    FROM (
        SELECT e.email, e.proved_at AS since FROM app.email_sign_ins AS e
        WHERE e.user_id = p_user AND e.removed_at IS NULL
        UNION ALL
        -- Verified by an issuer, and not yet used here: it leads here anyway.
        SELECT u.email, u.created_at FROM app.users AS u
        WHERE u.id = p_user AND u.email_verified
            AND NOT EXISTS (SELECT FROM app.email_sign_ins AS e
                            WHERE e.user_id = p_user AND e.email = u.email)
            AND app.account_of_address(u.email) = p_user) AS a
    UNION ALL
    SELECT md5('password ' || p_user)::uuid, 'password', NULL, p.set_at
    FROM app.passwords AS p WHERE p.user_id = p_user
    UNION ALL
    SELECT k.id, 'passkey', k.label, k.created_at
    FROM app.passkeys AS k WHERE k.user_id = p_user
$$;

ALTER FUNCTION app.identities_of(p_user uuid) OWNER TO hearth_owner;

-- Name: insert_guardianship(app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.insert_guardianship(p_child app.family_members, p_guardian uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot, added_by)
        VALUES (p_child.id, p_guardian, p_child.family_unit_id, (
            SELECT min(s.slot) FROM generate_series(1, app.max_guardians() + 1) AS s (slot)
            WHERE NOT EXISTS (
                SELECT FROM app.guardianships AS w
                WHERE w.member_id = p_child.id AND w.slot = s.slot)), app.actor_id())
        ON CONFLICT (member_id, guardian_user_id) DO NOTHING;
END $$;

ALTER FUNCTION app.insert_guardianship(p_child app.family_members, p_guardian uuid) OWNER TO hearth_owner;

-- Name: invitation_looks_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.invitation_looks_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:05:00'::interval;

ALTER FUNCTION app.invitation_looks_window() OWNER TO hearth_owner;

-- Name: invitation_of_token(bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.invitation_of_token(p_token_hash bytea) RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (SELECT i.id FROM (app.invitation_secrets s JOIN app.family_invitations i ON (((i.id = s.invitation_id) AND (i.generation = s.generation)))) WHERE (s.token_hash = invitation_of_token.p_token_hash));

ALTER FUNCTION app.invitation_of_token(p_token_hash bytea) OWNER TO hearth_owner;

-- Name: invitation_to_account(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.invitation_to_account(p_invitation uuid) RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (SELECT i.id FROM (app.family_invitations i JOIN app.users u ON (((u.email = i.invited_email) AND u.email_verified))) WHERE ((i.id = invitation_to_account.p_invitation) AND (u.id = app.account_id())));

ALTER FUNCTION app.invitation_to_account(p_invitation uuid) OWNER TO hearth_owner;

-- Name: invitation_to_answer(bytea, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.invitation_to_answer(p_token_hash bytea, p_invitation uuid) RETURNS uuid
    LANGUAGE sql STABLE
    RETURN CASE WHEN (p_token_hash IS NULL) THEN app.invitation_to_account(p_invitation) ELSE app.invitation_of_token(p_token_hash) END;

ALTER FUNCTION app.invitation_to_answer(p_token_hash bytea, p_invitation uuid) OWNER TO hearth_owner;

-- Name: invitation_to_send(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.invitation_to_send(p_invitation uuid) RETURNS app.family_invitations
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations :=
        app.pending_invitation_of_family(p_invitation);
BEGIN
    PERFORM app.require_allowed((
        SELECT app.may_send_invitation(m, v_invitation) FROM app.family_members AS m
        WHERE m.family_unit_id = v_invitation.family_unit_id AND m.user_id = app.account_id()));
    RETURN v_invitation;
END $$;

ALTER FUNCTION app.invitation_to_send(p_invitation uuid) OWNER TO hearth_owner;

-- Name: invitations_made_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.invitations_made_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '01:00:00'::interval;

ALTER FUNCTION app.invitations_made_window() OWNER TO hearth_owner;

-- Name: is_admin(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_admin(p_member app.family_members) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN (((p_member).status = 'active'::text) AND ((p_member).household_role = 'parent_admin'::text));

ALTER FUNCTION app.is_admin(p_member app.family_members) OWNER TO hearth_owner;

-- Name: is_adult(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_adult(p_member app.family_members) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((p_member).active_adult_user_id IS NOT NULL);

ALTER FUNCTION app.is_adult(p_member app.family_members) OWNER TO hearth_owner;

-- Name: is_before_months(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_before_months(p_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT EXISTS (
        SELECT FROM app.audit_parts() AS p
        WHERE p.name = 'audit_log_earlier' AND p_at < p.ends_at);
$$;

ALTER FUNCTION app.is_before_months(p_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: is_creator(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_creator(p_member app.family_members) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((p_member).confides AND (p_member).is_creator);

ALTER FUNCTION app.is_creator(p_member app.family_members) OWNER TO hearth_owner;

-- Name: is_erased(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_erased(p_user uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT EXISTS (
        SELECT FROM app.users AS u WHERE u.id = p_user AND u.deleted_at IS NOT NULL);
$$;

ALTER FUNCTION app.is_erased(p_user uuid) OWNER TO hearth_owner;

-- Name: FUNCTION is_erased(p_user uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.is_erased(p_user uuid) IS 'Whether an account was erased.';

-- Name: is_guardian(app.family_members, app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_guardian(p_me app.family_members, p_child app.family_members) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM app.guardianships w WHERE ((w.member_id = (is_guardian.p_child).id) AND (w.guardian_user_id = (is_guardian.p_me).user_id))));

ALTER FUNCTION app.is_guardian(p_me app.family_members, p_child app.family_members) OWNER TO hearth_owner;

-- Name: is_kept_unique(regclass, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_kept_unique(p_table regclass, p_definition text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL RESTRICTED
    SET search_path TO ''
    AS $$
    SELECT EXISTS (
        SELECT FROM pg_index AS x
        WHERE x.indrelid = p_table AND x.indisunique AND x.indimmediate AND x.indisvalid
            AND x.indisready AND x.indislive
            AND split_part(pg_get_indexdef(x.indexrelid), ' USING ', 2) = p_definition);
$$;

ALTER FUNCTION app.is_kept_unique(p_table regclass, p_definition text) OWNER TO hearth_owner;

-- Name: is_left_to_creator(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_left_to_creator(p_child app.family_members) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT p_child.active_guardian_id IS NOT NULL
        AND NOT app.seat_is_taken(p_child.family_unit_id)
        AND NOT EXISTS (
            SELECT FROM app.guardianships AS w JOIN app.family_members AS g
                ON g.family_unit_id = w.family_unit_id AND g.user_id = w.guardian_user_id
            WHERE w.member_id = p_child.id AND g.vouched);
$$;

ALTER FUNCTION app.is_left_to_creator(p_child app.family_members) OWNER TO hearth_owner;

-- Name: is_player(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_player(p_member app.family_members) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((p_member).confides AND ((p_member).role = 'player'::text));

ALTER FUNCTION app.is_player(p_member app.family_members) OWNER TO hearth_owner;

-- Name: is_recording_unfinished(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_recording_unfinished() RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_unfinished boolean := false;
BEGIN
    IF to_regclass('migrations.recording') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM migrations.recording)' INTO v_unfinished;
    END IF;
    RETURN v_unfinished;
END $$;

ALTER FUNCTION app.is_recording_unfinished() OWNER TO hearth_owner;

-- Name: is_short_text(text, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_short_text(p_text text, p_limit integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((char_length(p_text) >= 1) AND (char_length(p_text) <= p_limit)) AND (p_text = app.normalised_text(p_text)) AND (p_text !~ (('['::text || app.control_characters()) || ']'::text)));

ALTER FUNCTION app.is_short_text(p_text text, p_limit integer) OWNER TO hearth_owner;

-- Name: FUNCTION is_short_text(p_text text, p_limit integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.is_short_text(p_text text, p_limit integer) IS 'Whether a text is in its one form, not empty, within the limit, without controls.';

-- Name: role_changes; Type: TABLE; Schema: app
CREATE TABLE app.role_changes (
    member_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    household_role text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    changed_by uuid,
    version bigint,
    confirmed_at timestamp with time zone,
    confirmed_by uuid
);

ALTER TABLE ONLY app.role_changes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.role_changes OWNER TO hearth_owner;

-- Name: TABLE role_changes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.role_changes IS 'The last change of each member''s household role.';

-- Name: COLUMN role_changes.changed_at; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.role_changes.changed_at IS 'When it was made on the device, which can be long before it arrived.';

-- Name: COLUMN role_changes.version; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.role_changes.version IS 'The family''s version with this change.';

-- Name: COLUMN role_changes.confirmed_at; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.role_changes.confirmed_at IS 'When the same role was last given once more; null if it was not.';

-- Name: COLUMN role_changes.confirmed_by; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.role_changes.confirmed_by IS 'Who gave it once more; null if nobody did.';

-- Name: is_unseen(app.role_changes, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.is_unseen(p_change app.role_changes, p_seen bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT p_change.version IS NOT NULL AND (
        p_change.version > p_seen
        OR p_seen > (SELECT v.version FROM app.family_versions AS v
                     WHERE v.family_unit_id = p_change.family_unit_id));
$$;

ALTER FUNCTION app.is_unseen(p_change app.role_changes, p_seen bigint) OWNER TO hearth_owner;

-- Name: issue_graduation(app.family_members, app.family_members, text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.issue_graduation(p_child app.family_members, p_inviter app.family_members, p_email text, p_role text, p_household_role text, p_delivery text) RETURNS TABLE(invitation_id uuid, generation integer, expires_at timestamp with time zone, renewed boolean)
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_email constant text := app.normalised_email(p_email);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        WHERE i.family_unit_id = p_child.family_unit_id AND i.status = 'pending'
            AND i.expires_at <= now()
            AND (i.graduate_id = p_child.id OR i.invited_email = v_email);
    PERFORM app.require_graduation_form(
        p_child, p_email, v_email, p_role, p_household_role, p_delivery);
    UPDATE app.family_invitations AS i SET
            invited_by = p_inviter.user_id, vouched = p_inviter.vouched,
            invited_email = v_email, delivery = p_delivery, role = p_role,
            household_role = p_household_role, generation = i.generation + 1,
            expires_at = DEFAULT, sent_count = i.sent_count + 1, last_sent_at = now()
        WHERE i.graduate_id = p_child.id AND i.status = 'pending'
        RETURNING i.id, i.generation, i.expires_at, true
        INTO invitation_id, generation, expires_at, renewed;
    IF NOT FOUND THEN
        INSERT INTO app.family_invitations AS i
                (family_unit_id, invited_by, invited_email, kind, graduate_id, role,
                 household_role, delivery, vouched, sent_count, last_sent_at)
            VALUES (p_child.family_unit_id, p_inviter.user_id, v_email, 'graduation', p_child.id,
                    p_role, p_household_role, p_delivery, p_inviter.vouched, 1, now())
            RETURNING i.id, i.generation, i.expires_at, false
            INTO invitation_id, generation, expires_at, renewed;
        PERFORM app.enqueue_family_mail('mail.graduation_started', p_child.family_unit_id,
                w.guardian_user_id, p_child.id)
            FROM app.guardianships AS w
            WHERE w.member_id = p_child.id
                AND w.guardian_user_id IS DISTINCT FROM app.account_id()
            ORDER BY w.slot;
    END IF;
    PERFORM app.record_audit('managed.graduate', p_child.family_unit_id, p_child.user_id,
        invitation_id, jsonb_build_object('role', p_role, 'householdRole', p_household_role,
            'delivery', p_delivery));
    RETURN NEXT;
END $$;

ALTER FUNCTION app.issue_graduation(p_child app.family_members, p_inviter app.family_members, p_email text, p_role text, p_household_role text, p_delivery text) OWNER TO hearth_owner;

-- Name: join_by_code(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.join_by_code(p_code text, p_address text, p_network text) RETURNS TABLE(outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT e.outcome, e.family_unit_id, e.family_name, e.member_id, e.member_limit
    FROM app.join_family_by_code(p_code, p_address, p_network) AS e;
$$;

ALTER FUNCTION app.join_by_code(p_code text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: FUNCTION join_by_code(p_code text, p_address text, p_network text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.join_by_code(p_code text, p_address text, p_network text) IS 'As join_family_by_code, for programs of the previous release.';

-- Name: join_by_invitation(bytea, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.join_by_invitation(p_token_hash bytea, p_invitation uuid) RETURNS TABLE(outcome text, family_unit_id uuid, member_id uuid, left_family_id uuid, own_family_id uuid, own_family_name text, invited_role text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_account constant uuid := app.require_account();
    v_invitation app.family_invitations;
    v_was app.family_members;
    v_terms record;
    v_own uuid := app.player_family_of(v_account);
BEGIN
    IF app.kind_of_invitation(app.invitation_to_answer(p_token_hash, p_invitation))
        = 'graduation' THEN
        RETURN QUERY SELECT g.* FROM app.graduate(p_token_hash, p_invitation) AS g;
        RETURN;
    END IF;
    PERFORM app.lock_families(ARRAY[v_own, (
        SELECT i.family_unit_id FROM app.family_invitations AS i
        WHERE i.id = app.invitation_to_answer(p_token_hash, p_invitation))]);
    v_invitation := app.open_invitation(p_token_hash, p_invitation);
    family_unit_id := v_invitation.family_unit_id;
    invited_role := v_invitation.role;
    SELECT m.* INTO v_was FROM app.family_members AS m
        WHERE m.family_unit_id = v_invitation.family_unit_id AND m.user_id = v_account;
    member_id := v_was.id;
    IF v_invitation.status = 'accepted' AND v_was.status = 'active' THEN
        outcome := 'already_accepted';
        RETURN NEXT;
        RETURN;
    ELSIF v_was.status = 'active' AND v_invitation.delivery = 'link' THEN
        outcome := 'already_member';
        RETURN NEXT;
        RETURN;
    END IF;
    v_terms := app.roles_on_entry(v_invitation, v_was, v_account);
    IF v_was.status IS DISTINCT FROM 'active' THEN
        PERFORM app.lock_account(v_account);
        v_own := app.locked_player_family(v_account, v_own);
        outcome := app.obstacle_to_membership(v_invitation.role, v_own, v_account);
        IF outcome IS NOT NULL THEN
            SELECT f.id, f.family_name INTO own_family_id, own_family_name
                FROM app.family_units AS f WHERE f.id = v_own AND outcome = 'player_has_family';
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
    ELSIF v_was.status = 'active' THEN
        outcome := 'already_member';
    ELSE
        IF v_own IS NOT NULL THEN
            PERFORM app.leave_own_family(
                v_own, v_account, v_invitation.family_unit_id, v_terms.role);
            left_family_id := v_own;
        END IF;
        member_id := app.store_invited_membership(
            v_invitation, v_account, v_terms.role, v_terms.household_role);
        outcome := 'joined';
    END IF;
    PERFORM app.record_audit('invitation.accept', v_invitation.family_unit_id, v_account,
        v_invitation.id, jsonb_build_object('outcome', outcome));
    RETURN NEXT;
END $$;

ALTER FUNCTION app.join_by_invitation(p_token_hash bytea, p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION join_by_invitation(p_token_hash bytea, p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.join_by_invitation(p_token_hash bytea, p_invitation uuid) IS 'Accepts an invitation by token, or by id where it is addressed to the account; one row.';

-- Name: join_family_by_code(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.join_family_by_code(p_code text, p_address text, p_network text) RETURNS TABLE(outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint, left_family_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT j.* FROM app.join_or_wait_by_code(p_code, p_address, p_network, false) AS j;
$$;

ALTER FUNCTION app.join_family_by_code(p_code text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: FUNCTION join_family_by_code(p_code text, p_address text, p_network text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.join_family_by_code(p_code text, p_address text, p_network text) IS 'Joins the family of a code, or says why not; one row.';

-- Name: join_or_wait_by_code(text, text, text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.join_or_wait_by_code(p_code text, p_address text, p_network text, p_waits boolean) RETURNS TABLE(outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint, left_family_id uuid)
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family app.family_units;
    v_role text;
    v_was app.family_members;
    v_own uuid := app.player_family_of(v_account);
    v_target uuid;
    v_is_held boolean;
BEGIN
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
        IF v_was.role = 'parent' AND v_was.household_ceiling IN ('kid', 'visitor') THEN
            v_role := v_was.role;
        END IF;
        v_is_held := NOT v_family.approval_required
            AND (p_waits OR (app.approval_is_automatic()
                             AND NOT app.has_invited(v_target, v_account)));
        v_family.approval_required := v_family.approval_required OR v_is_held;
        outcome := app.outcome_of_joining(v_family, v_was, v_role, v_own, v_account);
        family_unit_id := CASE outcome WHEN 'player_has_family' THEN v_own
                                       WHEN 'code_unknown' THEN NULL ELSE v_target END;
        SELECT f.family_name INTO join_or_wait_by_code.family_name FROM app.family_units AS f
            WHERE f.id = join_or_wait_by_code.family_unit_id;
        member_limit := v_family.member_limit;
        member_id := v_was.id;
        PERFORM app.release_hits(app.code_buckets(p_address, p_network));
    ELSE
        PERFORM app.note_wrong_code(v_account, p_code);
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
                    CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END,
                    CASE outcome WHEN 'joined' THEN 'active' ELSE 'invited' END, 'code')
            ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
                role = excluded.role,
                household_role =
                    app.lower_household_role(m.household_ceiling, excluded.household_role),
                household_ceiling =
                    app.lower_household_role(m.household_ceiling, excluded.household_role),
                status = excluded.status, joined_via = 'code', added_at = now(),
                removed_at = NULL, removed_by = NULL
            RETURNING m.id INTO member_id;
        IF outcome = 'joined' AND v_role = 'player' THEN
            PERFORM app.fill_player_name(v_target, v_account);
        END IF;
        IF outcome = 'waiting' AND v_was.status IS DISTINCT FROM 'invited' THEN
            PERFORM app.tell_of_request(v_target, v_account);
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

ALTER FUNCTION app.join_or_wait_by_code(p_code text, p_address text, p_network text, p_waits boolean) OWNER TO hearth_owner;

-- Name: keep_creator(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.keep_creator() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    RAISE EXCEPTION 'a family keeps its creator'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_creator_fixed';
END $$;

ALTER FUNCTION app.keep_creator() OWNER TO hearth_owner;

-- Name: keep_invitation_secret(uuid, integer, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.store_invitation_secret(
        app.invitation_to_send(p_invitation), p_generation, p_token_hash);
END $$;

ALTER FUNCTION app.keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) IS 'Keeps SHA-256 of the token of an invitation''s generation.';

-- Name: keep_membership_identity(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.keep_membership_identity() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF (NEW.id, NEW.family_unit_id, NEW.is_creator)
            = (OLD.id, OLD.family_unit_id, OLD.is_creator)
        AND EXISTS (
            SELECT FROM app.user_aliases AS a
            WHERE a.alias_id = OLD.user_id AND a.account_id = NEW.user_id) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a membership can''t move to another family or user'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'family_members_identity_fixed';
END $$;

ALTER FUNCTION app.keep_membership_identity() OWNER TO hearth_owner;

-- Name: keep_provider_token(text, bytea, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    INSERT INTO app.provider_tokens AS p
            (issuer, subject_hash, client, user_id, sealed, check_at)
        SELECT i.issuer, i.subject_hash, p_client, i.user_id, p_sealed,
            now() + app.provider_check_time()
        FROM app.user_identities AS i
        WHERE i.issuer = p_issuer AND i.subject_hash = p_subject_hash AND i.user_id = v_account
        ON CONFLICT (subject_hash, issuer) DO UPDATE SET client = excluded.client,
            user_id = excluded.user_id, sealed = excluded.sealed, obtained_at = now(),
            check_at = excluded.check_at;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
END $$;

ALTER FUNCTION app.keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea) OWNER TO hearth_owner;

-- Name: FUNCTION keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea) IS 'Keeps a provider''s refresh token of the account whose request has begun.';

-- Name: keep_slots_within_limit(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.keep_slots_within_limit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF EXISTS (SELECT FROM app.family_members AS m
               WHERE m.family_unit_id = NEW.id AND m.slot > NEW.member_limit) THEN
        RAISE EXCEPTION 'a slot above the new limit is taken'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'family_units_limit_holds_members';
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.keep_slots_within_limit() OWNER TO hearth_owner;

-- Name: kept_changes(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.kept_changes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 1000;

ALTER FUNCTION app.kept_changes() OWNER TO hearth_owner;

-- Name: kept_mark(bytea, text, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.kept_mark(p_subject_hash bytea, p_email text, p_email_verified boolean) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT CASE WHEN NOT app.was_erased(p_subject_hash, NULL)
        THEN app.claims_mark(p_email, p_email_verified) END;
$$;

ALTER FUNCTION app.kept_mark(p_subject_hash bytea, p_email text, p_email_verified boolean) OWNER TO hearth_owner;

-- Name: kind_of_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.kind_of_invitation(p_invitation uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT i.kind FROM app.family_invitations AS i WHERE i.id = p_invitation;
$$;

ALTER FUNCTION app.kind_of_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION kind_of_invitation(p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.kind_of_invitation(p_invitation uuid) IS 'Whether an invitation is for a new member or for a child that gets an account.';

-- Name: leave_family(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_own_family_member(p_family);
BEGIN
    IF app.is_admin(v_me) AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.active_adult_user_id IS NOT NULL
            AND m.id <> v_me.id) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'Make another adult Parent Admin before you leave.');
    END IF;
    PERFORM app.reassign_children_of(v_me, p_reassign_to);
    PERFORM app.end_membership(v_me);
    PERFORM app.record_audit('member.leave', p_family, v_me.user_id, v_me.id,
        jsonb_build_object('was', v_me.status));
END $$;

ALTER FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) OWNER TO hearth_owner;

-- Name: FUNCTION leave_family(p_family uuid, p_reassign_to uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) IS 'Ends the caller''s own membership, or its waiting for one; its children go to the adult named.';

-- Name: leave_own_family(uuid, uuid, uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.leave_own_family(p_family uuid, p_user uuid, p_to uuid, p_role text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_member uuid;
BEGIN
    UPDATE app.family_members AS m
        SET status = 'removed', removed_at = now(), removed_by = p_user
        WHERE m.family_unit_id = p_family AND m.user_id = p_user AND m.status = 'active'
        RETURNING m.id INTO v_member;
    PERFORM app.end_waiting_for(p_family);
    PERFORM app.retire_code(p_family, p_user);
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
            WHERE i.family_unit_id = p_family AND i.status = 'pending'
            RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
    IF p_role = 'player' THEN
        UPDATE app.family_units AS t SET player_details = f.player_details
            FROM app.family_units AS f
            WHERE f.id = p_family AND f.player_details <> '{}'
                AND t.id = p_to AND t.player_details = '{}';
    END IF;
    PERFORM app.record_audit('member.leave', p_family, p_user, v_member,
        jsonb_build_object('was', 'active', 'gaveWayTo', p_to));
END $$;

ALTER FUNCTION app.leave_own_family(p_family uuid, p_user uuid, p_to uuid, p_role text) OWNER TO hearth_owner;

-- Name: limit_families(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.limit_families() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF app.count_of_families(NEW.user_id) > app.max_families() THEN
        PERFORM app.refuse('HF409', 'too_many_families',
            format('An account can be in %s families.', app.max_families()));
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.limit_families() OWNER TO hearth_owner;

-- Name: limit_families_created(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.limit_families_created() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = NEW.created_by_user_id AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    ELSIF (SELECT count(*) FROM app.family_units AS f
        WHERE f.created_by_user_id = NEW.created_by_user_id) > app.max_families_created() THEN
        PERFORM app.refuse('HF409', 'too_many_families',
            format('At most %s families per account.', app.max_families_created()));
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.limit_families_created() OWNER TO hearth_owner;

-- Name: lives_alone(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lives_alone(p_family uuid, p_user uuid) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (NOT (EXISTS (SELECT FROM app.family_members m WHERE ((m.family_unit_id = lives_alone.p_family) AND (m.status = 'active'::text) AND (m.user_id <> lives_alone.p_user)))));

ALTER FUNCTION app.lives_alone(p_family uuid, p_user uuid) OWNER TO hearth_owner;

-- Name: locale_of_account(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.locale_of_account(p_user uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT u.locale FROM app.users AS u WHERE u.id = p_user;
$$;

ALTER FUNCTION app.locale_of_account(p_user uuid) OWNER TO hearth_owner;

-- Name: locale_of_erasure(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.locale_of_erasure(p_erasure uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT e.locale FROM app.erasures AS e WHERE e.id = p_erasure;
$$;

ALTER FUNCTION app.locale_of_erasure(p_erasure uuid) OWNER TO hearth_owner;

-- Name: locale_of_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.locale_of_invitation(p_invitation uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT coalesce(
        app.locale_of_account(app.account_of_address(i.invited_email)),
        app.locale_of_account(i.invited_by))
    FROM app.family_invitations AS i WHERE i.id = p_invitation;
$$;

ALTER FUNCTION app.locale_of_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: locale_of_ticket(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.locale_of_ticket(p_ticket uuid) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT coalesce(app.locale_of_account(app.account_of_address(t.email)), t.locale)
    FROM app.mailed_tickets AS t WHERE t.id = p_ticket;
$$;

ALTER FUNCTION app.locale_of_ticket(p_ticket uuid) OWNER TO hearth_owner;

-- Name: lock_account(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_account(p_user uuid) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_role text;
BEGIN
    SELECT u.role INTO v_role FROM app.users AS u
        WHERE u.id = p_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    RETURN v_role;
END $$;

ALTER FUNCTION app.lock_account(p_user uuid) OWNER TO hearth_owner;

-- Name: lock_account_for_operator(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_account_for_operator(p_user uuid) RETURNS app.users
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM app.require_operator();
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = p_user AND u.kind = 'account' AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'user_not_found', 'There is no such account.');
    END IF;
    RETURN v_user;
END $$;

ALTER FUNCTION app.lock_account_for_operator(p_user uuid) OWNER TO hearth_owner;

-- Name: lock_child_for_operator(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_child_for_operator(p_member uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF v_child.user_kind <> 'managed' THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'This is no managed member.');
    END IF;
    RETURN v_child;
END $$;

ALTER FUNCTION app.lock_child_for_operator(p_member uuid) OWNER TO hearth_owner;

-- Name: lock_families(uuid[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_families(p_families uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM FROM app.family_units AS f WHERE f.id = ANY (p_families)
        ORDER BY f.id FOR NO KEY UPDATE;
END $$;

ALTER FUNCTION app.lock_families(p_families uuid[]) OWNER TO hearth_owner;

-- Name: lock_family_as_member(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_family_as_member(p_family uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_me app.family_members;
BEGIN
    -- Only a member locks the family.
    PERFORM FROM app.family_units AS f
        WHERE f.id = p_family AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.user_id = v_account AND m.status = 'active')
        FOR NO KEY UPDATE;
    SELECT m.* INTO v_me FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = v_account AND m.status = 'active';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_me;
END $$;

ALTER FUNCTION app.lock_family_as_member(p_family uuid) OWNER TO hearth_owner;

-- Name: lock_family_for_operator(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_family_for_operator(p_family uuid) RETURNS app.family_units
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_family app.family_units;
BEGIN
    PERFORM app.require_operator();
    SELECT f.* INTO v_family FROM app.family_units AS f WHERE f.id = p_family FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_family;
END $$;

ALTER FUNCTION app.lock_family_for_operator(p_family uuid) OWNER TO hearth_owner;

-- Name: lock_family_of_code(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_family_of_code(p_code text, OUT family_id uuid, OUT refusal text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
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

ALTER FUNCTION app.lock_family_of_code(p_code text, OUT family_id uuid, OUT refusal text) OWNER TO hearth_owner;

-- Name: lock_family_of_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_family_of_invitation(p_invitation uuid) RETURNS app.family_invitations
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations :=
        app.pending_invitation_of_family(p_invitation);
BEGIN
    PERFORM app.require_allowed((
        SELECT app.may_handle_invitation(m, v_invitation) FROM app.family_members AS m
        WHERE m.family_unit_id = v_invitation.family_unit_id AND m.user_id = app.account_id()));
    RETURN v_invitation;
END $$;

ALTER FUNCTION app.lock_family_of_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: lock_family_of_member(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_family_of_member(p_member uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_family uuid;
BEGIN
    SELECT m.family_unit_id INTO v_family FROM app.family_members AS m
        WHERE m.id = p_member AND EXISTS (
            SELECT FROM app.family_members AS me
            WHERE me.family_unit_id = m.family_unit_id AND me.user_id = v_account
                AND me.status = 'active');
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN app.lock_family_as_member(v_family);
END $$;

ALTER FUNCTION app.lock_family_of_member(p_member uuid) OWNER TO hearth_owner;

-- Name: lock_for_approval(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_for_approval(p_member uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_families uuid[];
BEGIN
    SELECT ARRAY[m.family_unit_id, app.player_family_of(m.user_id)] INTO v_families
        FROM app.family_members AS m
        JOIN app.family_members AS me ON me.family_unit_id = m.family_unit_id
        WHERE m.id = p_member AND m.status = 'invited' AND m.role = 'player'
            AND me.user_id = app.account_id() AND me.governs;
    PERFORM app.lock_families(v_families);
    RETURN v_families[2];
END $$;

ALTER FUNCTION app.lock_for_approval(p_member uuid) OWNER TO hearth_owner;

-- Name: lock_idempotency_key(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_idempotency_key(p_route text, p_key text) RETURNS boolean
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    SELECT pg_try_advisory_xact_lock(1212499274, hashtext(
        concat_ws(chr(10), app.actor_id(), app.user_id(), p_route, p_key)));
$$;

ALTER FUNCTION app.lock_idempotency_key(p_route text, p_key text) OWNER TO hearth_owner;

-- Name: FUNCTION lock_idempotency_key(p_route text, p_key text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.lock_idempotency_key(p_route text, p_key text) IS 'Holds an idempotency key of the caller''s until the transaction ends, unless another does.';

-- Name: lock_invitation_for_operator(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_invitation_for_operator(p_invitation uuid) RETURNS app.family_invitations
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation app.family_invitations;
BEGIN
    PERFORM app.require_operator();
    PERFORM FROM app.family_invitations AS i JOIN app.family_units AS f ON f.id = i.family_unit_id
        WHERE i.id = p_invitation FOR NO KEY UPDATE OF f;
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = p_invitation AND i.status = 'pending' AND i.expires_at > now();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    RETURN v_invitation;
END $$;

ALTER FUNCTION app.lock_invitation_for_operator(p_invitation uuid) OWNER TO hearth_owner;

-- Name: lock_inviting_families(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_inviting_families(p_notes text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_addresses constant text[] := ARRAY(
        SELECT split_part(n, ' ', 3) FROM unnest(p_notes) AS n WHERE n LIKE 'address %');
BEGIN
    PERFORM FROM app.family_versions AS v
        WHERE v.family_unit_id = ANY (app.noted_families(p_notes) || ARRAY(
            SELECT i.family_unit_id FROM app.family_invitations AS i
            WHERE i.invited_email = ANY (v_addresses) AND i.status = 'pending'))
        ORDER BY v.family_unit_id FOR NO KEY UPDATE;
END $$;

ALTER FUNCTION app.lock_inviting_families(p_notes text[]) OWNER TO hearth_owner;

-- Name: lock_member_for_operator(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_member_for_operator(p_member uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_member app.family_members;
BEGIN
    PERFORM app.require_operator();
    PERFORM FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE m.id = p_member FOR NO KEY UPDATE OF f;
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.status IN ('active', 'invited');
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN v_member;
END $$;

ALTER FUNCTION app.lock_member_for_operator(p_member uuid) OWNER TO hearth_owner;

-- Name: lock_noted_addresses(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_noted_addresses(p_notes text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499275, a.hash) FROM (
        SELECT DISTINCT hashtext(split_part(n, ' ', CASE WHEN n LIKE 'address %' THEN 3 ELSE 4 END))
            AS hash
        FROM unnest(p_notes) AS n
        WHERE n LIKE 'address %' OR n LIKE 'invitation % % %' ORDER BY 1) AS a;
END $$;

ALTER FUNCTION app.lock_noted_addresses(p_notes text[]) OWNER TO hearth_owner;

-- Name: lock_own_family_member(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_own_family_member(p_family uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_me app.family_members;
BEGIN
    PERFORM FROM app.family_units AS f
        WHERE f.id = p_family AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.user_id = v_account
                AND m.status IN ('active', 'invited'))
        FOR NO KEY UPDATE;
    SELECT m.* INTO v_me FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = v_account
            AND m.status IN ('active', 'invited');
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'family_not_found', 'Family not found.');
    END IF;
    RETURN v_me;
END $$;

ALTER FUNCTION app.lock_own_family_member(p_family uuid) OWNER TO hearth_owner;

-- Name: lock_person(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_person(p_user uuid) RETURNS app.users
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_user app.users;
BEGIN
    PERFORM FROM app.family_units AS f
        WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                       WHERE m.user_id = p_user)
        ORDER BY f.id FOR NO KEY UPDATE;
    PERFORM FROM app.user_identities AS i
        WHERE i.user_id = p_user ORDER BY i.subject_hash FOR UPDATE;
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = p_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    -- The new ones are locked out of order: after a deadlock the caller is asked to try again.
    PERFORM FROM app.family_units AS f
        WHERE f.id IN (SELECT m.family_unit_id FROM app.family_members AS m
                       WHERE m.user_id = p_user)
        ORDER BY f.id FOR NO KEY UPDATE;
    RETURN v_user;
END $$;

ALTER FUNCTION app.lock_person(p_user uuid) OWNER TO hearth_owner;

-- Name: webhook_endpoints; Type: TABLE; Schema: app
CREATE TABLE app.webhook_endpoints (
    id uuid NOT NULL,
    url text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    event_types text[] DEFAULT '{}'::text[] NOT NULL,
    secret_generation integer DEFAULT 1 NOT NULL,
    secret_hash bytea NOT NULL,
    previous_secret_hash bytea,
    previous_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    paused_at timestamp with time zone,
    pause_reason text,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    retry_at timestamp with time zone,
    CONSTRAINT webhook_endpoints_description_form CHECK ((description ~ '^[^[:cntrl:]]{0,200}$'::text)),
    CONSTRAINT webhook_endpoints_event_types_known CHECK ((event_types <@ ARRAY['member.joined'::text, 'member.left'::text, 'member.removed'::text, 'member.role_changed'::text, 'managed.created'::text, 'managed.graduated'::text, 'invitation.created'::text, 'invitation.accepted'::text, 'invitation.declined'::text, 'family.created'::text, 'family.updated'::text, 'account.erased'::text])),
    CONSTRAINT webhook_endpoints_failing_form CHECK (((failures >= 0) AND ((failures = 0) = (failing_since IS NULL)) AND ((failures = 0) = (retry_at IS NULL)))),
    CONSTRAINT webhook_endpoints_generation_positive CHECK ((secret_generation > 0)),
    CONSTRAINT webhook_endpoints_pause_has_reason CHECK (((paused_at IS NULL) = (pause_reason IS NULL))),
    CONSTRAINT webhook_endpoints_previous_ends CHECK (((previous_secret_hash IS NULL) = (previous_until IS NULL))),
    CONSTRAINT webhook_endpoints_secret_size CHECK (((octet_length(secret_hash) = 32) AND (octet_length(previous_secret_hash) = 32))),
    CONSTRAINT webhook_endpoints_url_form CHECK (((octet_length(url) <= 2000) AND (url ~ '^https?://[^[:space:][:cntrl:]]+$'::text)))
);

ALTER TABLE ONLY app.webhook_endpoints FORCE ROW LEVEL SECURITY;

ALTER TABLE app.webhook_endpoints OWNER TO hearth_owner;

-- Name: TABLE webhook_endpoints; Type: COMMENT; Schema: app
COMMENT ON TABLE app.webhook_endpoints IS 'Where operators have events sent.';

-- Name: lock_webhook_for_operator(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lock_webhook_for_operator(p_endpoint uuid) RETURNS app.webhook_endpoints
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint app.webhook_endpoints;
BEGIN
    PERFORM app.require_operator();
    SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'webhook_not_found', 'There is no such webhook.');
    END IF;
    RETURN v_endpoint;
END $$;

ALTER FUNCTION app.lock_webhook_for_operator(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: locked_player_family(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.locked_player_family(p_user uuid, p_seen uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_family constant uuid := app.player_family_of(p_user);
BEGIN
    IF v_family IS NOT NULL AND v_family IS DISTINCT FROM p_seen THEN
        RAISE EXCEPTION 'the player has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN v_family;
END $$;

ALTER FUNCTION app.locked_player_family(p_user uuid, p_seen uuid) OWNER TO hearth_owner;

-- Name: rank_of_household_role(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.rank_of_household_role(p_household_role text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_position(ARRAY['visitor'::text, 'kid'::text, 'adult'::text, 'parent_admin'::text], p_household_role);

ALTER FUNCTION app.rank_of_household_role(p_household_role text) OWNER TO hearth_owner;

-- Name: lower_household_role(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lower_household_role(p_one text, p_other text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (app.rank_of_household_role(p_other) < app.rank_of_household_role(p_one)) THEN p_other ELSE p_one END;

ALTER FUNCTION app.lower_household_role(p_one text, p_other text) OWNER TO hearth_owner;

-- Name: lowest_free_slot(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.lowest_free_slot(p_family uuid) RETURNS smallint
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    slots smallint;
    free smallint;
BEGIN
    SELECT f.member_limit INTO slots FROM app.family_units AS f
        WHERE f.id = p_family FOR NO KEY UPDATE;
    SELECT s INTO free FROM generate_series(1, slots) AS s
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = p_family AND m.slot = s)
        ORDER BY s LIMIT 1;
    RETURN free;
END $$;

ALTER FUNCTION app.lowest_free_slot(p_family uuid) OWNER TO hearth_owner;

-- Name: mail_of_account(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mail_of_account(p_recipient uuid) RETURNS TABLE(state text, email text, recipient_name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE
            WHEN u.id IS NULL THEN 'gone'
            WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.email = u.email)
            THEN 'suppressed' ELSE 'due' END,
        coalesce(u.email, ''), coalesce(u.full_name, '')
    FROM (SELECT) AS always
    LEFT JOIN app.users AS u ON u.id = p_recipient AND u.kind = 'account'
        AND u.email IS NOT NULL AND u.email_verified AND u.deleted_at IS NULL
$$;

ALTER FUNCTION app.mail_of_account(p_recipient uuid) OWNER TO hearth_owner;

-- Name: mail_of_change(text, uuid, uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mail_of_change(p_reason text, p_family uuid, p_recipient uuid, p_other uuid) RETURNS TABLE(state text, email text, recipient_name text, family_name text, other_name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
    SELECT CASE
            WHEN r.id IS NULL THEN 'gone'
            WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.email = r.email)
            THEN 'suppressed' ELSE 'due' END,
        coalesce(r.email, ''), coalesce(r.full_name, ''), coalesce(f.family_name, ''),
        -- Whoever may approve a request sees the person by the same name in the list of members.
        coalesce((
            SELECT coalesce(o.full_name, CASE
                WHEN p_reason = 'join_requested' AND o.email_verified
                THEN regexp_replace(o.email, '@[^@]*$', '') END)
            FROM app.users AS o WHERE o.id = p_other), '')
    FROM (SELECT) AS always
    LEFT JOIN (
        app.family_members AS m
        JOIN app.users AS r ON r.id = m.user_id
        JOIN app.family_units AS f ON f.id = m.family_unit_id)
        ON m.family_unit_id = p_family AND m.user_id = p_recipient AND r.kind = 'account'
            AND r.email IS NOT NULL AND r.email_verified AND r.deleted_at IS NULL
            AND CASE p_reason
                WHEN 'member_removed' THEN m.status = 'removed'
                    AND m.removed_by IS DISTINCT FROM p_recipient
                WHEN 'join_requested' THEN m.status = 'active' AND m.governs AND EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other
                        AND a.status = 'invited')
                WHEN 'request_approved' THEN m.status = 'active'
                WHEN 'request_rejected' THEN m.status = 'removed'
                    AND m.removed_by IS DISTINCT FROM p_recipient
                WHEN 'waiting_ended' THEN m.status = 'removed'
                WHEN 'admin_changed' THEN m.status = 'active' AND EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other
                        AND a.status = 'active' AND a.household_role = 'parent_admin')
                WHEN 'guardian_replaced' THEN EXISTS (
                    SELECT FROM app.family_members AS a
                    WHERE a.family_unit_id = p_family AND a.user_id = p_other
                        AND a.status = 'active')
                WHEN 'guardian_named' THEN EXISTS (
                    SELECT FROM app.guardianships AS w
                    WHERE w.family_unit_id = p_family AND w.member_id = p_other
                        AND w.guardian_user_id = p_recipient)
                WHEN 'graduation_started' THEN EXISTS (
                    SELECT FROM app.guardianships AS w
                    JOIN app.family_invitations AS i ON i.graduate_id = w.member_id
                    WHERE w.family_unit_id = p_family AND w.member_id = p_other
                        AND w.guardian_user_id = p_recipient AND i.status = 'pending')
                WHEN 'graduated' THEN m.status = 'active' AND EXISTS (
                    SELECT FROM app.family_members AS c
                    WHERE c.family_unit_id = p_family AND c.id = p_other
                        AND c.user_kind = 'account' AND c.status = 'active')
                WHEN 'guardian_removed' THEN EXISTS (
                    SELECT FROM app.family_members AS c
                    WHERE c.family_unit_id = p_family AND c.user_id = p_other
                        AND c.status = 'active')
                    AND NOT EXISTS (
                        SELECT FROM app.guardianships AS w
                        WHERE w.member_id = p_other AND w.guardian_user_id = p_recipient)
                ELSE false END;
$_$;

ALTER FUNCTION app.mail_of_change(p_reason text, p_family uuid, p_recipient uuid, p_other uuid) OWNER TO hearth_owner;

-- Name: mail_of_erasure(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mail_of_erasure(p_erasure uuid) RETURNS TABLE(state text, email text, recipient_name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE WHEN e.email IS NULL THEN 'gone' ELSE 'due' END, coalesce(e.email, ''), ''
    FROM (SELECT) AS always
    LEFT JOIN app.erasures AS e ON e.id = p_erasure
$$;

ALTER FUNCTION app.mail_of_erasure(p_erasure uuid) OWNER TO hearth_owner;

-- Name: mail_of_invitation(uuid, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mail_of_invitation(p_invitation uuid, p_generation integer) RETURNS TABLE(state text, email text, family_name text, inviter_name text, role text, expires_at timestamp with time zone, token_hash bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE
            WHEN i.id IS NULL THEN 'gone'
            WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.email = i.invited_email)
                OR app.refuses_invitations(i.invited_email, i.family_unit_id)
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

ALTER FUNCTION app.mail_of_invitation(p_invitation uuid, p_generation integer) OWNER TO hearth_owner;

-- Name: mail_of_ticket(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mail_of_ticket(p_ticket uuid) RETURNS TABLE(state text, email text, recipient_name text, purpose text, has_account boolean, link_hash bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE
            WHEN t.id IS NULL OR (t.purpose = 'reset' AND t.account IS NULL) THEN 'gone'
            WHEN EXISTS (SELECT FROM app.suppressed_addresses AS x WHERE x.email = t.email)
            THEN 'suppressed' ELSE 'due' END,
        coalesce(t.email, ''),
        coalesce((SELECT u.full_name FROM app.users AS u WHERE u.id = t.account), ''),
        coalesce(t.purpose, ''), t.account IS NOT NULL, coalesce(t.link_hash, '')
    FROM (SELECT) AS always
    LEFT JOIN (
        SELECT o.*, app.account_of_address(o.email) AS account FROM app.mailed_tickets AS o
        WHERE o.id = p_ticket AND o.used_at IS NULL AND o.expires_at > now()) AS t ON true
$$;

ALTER FUNCTION app.mail_of_ticket(p_ticket uuid) OWNER TO hearth_owner;

-- Name: mailed_code_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mailed_code_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:10:00'::interval;

ALTER FUNCTION app.mailed_code_time() OWNER TO hearth_owner;

-- Name: mailed_codes_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mailed_codes_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '01:00:00'::interval;

ALTER FUNCTION app.mailed_codes_window() OWNER TO hearth_owner;

-- Name: mailed_invitation_of_token(bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mailed_invitation_of_token(p_token_hash bytea) RETURNS app.family_invitations
    LANGUAGE sql STABLE
    SET search_path TO ''
    BEGIN ATOMIC
 SELECT i.*::app.family_invitations AS i
    FROM (app.invitation_secrets s
      JOIN app.family_invitations i ON (((i.id = s.invitation_id) AND (i.generation = s.generation))))
   WHERE ((s.token_hash = mailed_invitation_of_token.p_token_hash) AND (i.delivery = 'email'::text));
END;

ALTER FUNCTION app.mailed_invitation_of_token(p_token_hash bytea) OWNER TO hearth_owner;

-- Name: maintain_audit_months(interval, boolean, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.maintain_audit_months(p_age interval, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    SELECT d.changed, d.reached INTO changed, reached
        FROM app.drop_audit_part(app.audit_cutoff(p_age, p_exported_only), p_from) AS d;
    IF changed = 0 THEN
        PERFORM app.make_audit_months();
    END IF;
END $$;

ALTER FUNCTION app.maintain_audit_months(p_age interval, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: maintain_webhooks(interval, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.maintain_webhooks(p_age interval, p_batch integer, OUT enqueued integer, OUT purged integer) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint uuid;
BEGIN
    UPDATE app.webhook_endpoints AS e SET previous_secret_hash = NULL, previous_until = NULL
        WHERE e.previous_until <= now();
    -- Numbers are in the order of time, but for moments: the oldest are the first. Looking for
    -- further ones that are old enough would read all that are not.
    DELETE FROM app.webhook_events AS n
        WHERE n.number IN (
            SELECT f.number FROM (
                SELECT o.number, o.occurred_at FROM app.webhook_events AS o
                ORDER BY o.number LIMIT p_batch) AS f
            WHERE f.occurred_at < now() - p_age);
    GET DIAGNOSTICS purged = ROW_COUNT;
    enqueued := 0;
    FOR v_endpoint IN
        SELECT e.id FROM app.webhook_endpoints AS e WHERE e.paused_at IS NULL ORDER BY e.id
    LOOP
        enqueued := enqueued + app.enqueue_first_webhooks(v_endpoint);
    END LOOP;
END $$;

ALTER FUNCTION app.maintain_webhooks(p_age interval, p_batch integer, OUT enqueued integer, OUT purged integer) OWNER TO hearth_owner;

-- Name: make_audit_months(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.make_audit_months() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
    v_begin timestamp;
    v_name text;
BEGIN
    FOR v_begin IN SELECT m.month FROM app.audit_months_without_part() AS m (month) LOOP
        v_name := 'audit_log_' || to_char(v_begin, 'YYYYMM');
        BEGIN
            EXECUTE format(
                'CREATE TABLE app.%I (LIKE app.audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
                    WITH (%s)', v_name, app.settings_of_audit_months());
            EXECUTE format('ALTER TABLE app.%I ENABLE ROW LEVEL SECURITY', v_name);
            EXECUTE format('ALTER TABLE app.%I FORCE ROW LEVEL SECURITY', v_name);
            EXECUTE format(
                'ALTER TABLE app.audit_log ATTACH PARTITION app.%I FOR VALUES FROM (%L) TO (%L)',
                v_name, v_begin AT TIME ZONE 'UTC',
                (v_begin + interval '1 month') AT TIME ZONE 'UTC');
        EXCEPTION
            WHEN duplicate_table OR check_violation THEN
                NULL;
            WHEN lock_not_available THEN
                RETURN;
        END;
    END LOOP;
END $$;

ALTER FUNCTION app.make_audit_months() OWNER TO hearth_owner;

-- Name: make_guardian(app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.make_guardian(p_child app.family_members, p_guardian_member uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_guardian constant app.family_members :=
        app.member_in_family_of(p_child, p_guardian_member);
BEGIN
    IF app.is_adult(v_guardian) IS NOT TRUE THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    ELSIF app.is_guardian(v_guardian, p_child) THEN
        RETURN false;
    ELSIF (SELECT count(*) FROM app.guardianships AS w WHERE w.member_id = p_child.id)
        >= app.max_guardians() THEN
        PERFORM app.refuse('HF409', 'too_many_guardians',
            'A child has at most four guardians.');
    END IF;
    PERFORM app.insert_guardianship(p_child, v_guardian.user_id);
    PERFORM app.record_audit('guardian.add', p_child.family_unit_id, p_child.user_id,
        v_guardian.id);
    RETURN true;
END $$;

ALTER FUNCTION app.make_guardian(p_child app.family_members, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: make_primary_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.make_primary_guardian(p_member uuid, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.promote_guardian(app.require_primarily_guarded_child(p_member), p_guardian_member);
END $$;

ALTER FUNCTION app.make_primary_guardian(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION make_primary_guardian(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.make_primary_guardian(p_member uuid, p_guardian_member uuid) IS 'Makes a guardian of the caller''s child its primary guardian; the caller stays a guardian.';

-- Name: mark_member_changed(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.mark_member_changed(p_member uuid) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 UPDATE app.family_members m SET updated_at = now()
   WHERE (m.id = mark_member_changed.p_member);
END;

ALTER FUNCTION app.mark_member_changed(p_member uuid) OWNER TO hearth_owner;

-- Name: masked_email(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.masked_email(p_email text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (("left"(p_email, 1) || '***'::text) || substr(p_email, strpos(p_email, '@'::text)));

ALTER FUNCTION app.masked_email(p_email text) OWNER TO hearth_owner;

-- Name: max_code_attempts_of_account(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_code_attempts_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION app.max_code_attempts_of_account() OWNER TO hearth_owner;

-- Name: max_code_attempts_of_address(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_code_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 20;

ALTER FUNCTION app.max_code_attempts_of_address() OWNER TO hearth_owner;

-- Name: max_code_attempts_of_network(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_code_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 100;

ALTER FUNCTION app.max_code_attempts_of_network() OWNER TO hearth_owner;

-- Name: max_code_days(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_code_days() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 365;

ALTER FUNCTION app.max_code_days() OWNER TO hearth_owner;

-- Name: max_code_tries(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_code_tries() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION app.max_code_tries() OWNER TO hearth_owner;

-- Name: max_consent_attempts(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_consent_attempts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION app.max_consent_attempts() OWNER TO hearth_owner;

-- Name: max_deletion_attempts(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_deletion_attempts() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION app.max_deletion_attempts() OWNER TO hearth_owner;

-- Name: max_distinct_codes(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_distinct_codes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 10;

ALTER FUNCTION app.max_distinct_codes() OWNER TO hearth_owner;

-- Name: max_exports(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_exports() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 3;

ALTER FUNCTION app.max_exports() OWNER TO hearth_owner;

-- Name: max_families(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_families() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 100;

ALTER FUNCTION app.max_families() OWNER TO hearth_owner;

-- Name: max_families_created(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_families_created() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION app.max_families_created() OWNER TO hearth_owner;

-- Name: max_further_details(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_further_details() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 20;

ALTER FUNCTION app.max_further_details() OWNER TO hearth_owner;

-- Name: max_guardians(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_guardians() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 4;

ALTER FUNCTION app.max_guardians() OWNER TO hearth_owner;

-- Name: max_idempotency_keys(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_idempotency_keys() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 1000;

ALTER FUNCTION app.max_idempotency_keys() OWNER TO hearth_owner;

-- Name: max_invitation_looks(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_invitation_looks() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 60;

ALTER FUNCTION app.max_invitation_looks() OWNER TO hearth_owner;

-- Name: max_invitations_made(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_invitations_made() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 10;

ALTER FUNCTION app.max_invitations_made() OWNER TO hearth_owner;

-- Name: max_mailed_codes_of_address(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_mailed_codes_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 20;

ALTER FUNCTION app.max_mailed_codes_of_address() OWNER TO hearth_owner;

-- Name: max_mailed_codes_of_network(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_mailed_codes_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 60;

ALTER FUNCTION app.max_mailed_codes_of_network() OWNER TO hearth_owner;

-- Name: max_mailed_codes_of_place(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_mailed_codes_of_place() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 5;

ALTER FUNCTION app.max_mailed_codes_of_place() OWNER TO hearth_owner;

-- Name: max_members_waiting(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_members_waiting() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 30;

ALTER FUNCTION app.max_members_waiting() OWNER TO hearth_owner;

-- Name: max_passkey_attempts_of_address(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_passkey_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 30;

ALTER FUNCTION app.max_passkey_attempts_of_address() OWNER TO hearth_owner;

-- Name: max_passkey_attempts_of_network(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_passkey_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 300;

ALTER FUNCTION app.max_passkey_attempts_of_network() OWNER TO hearth_owner;

-- Name: max_passkeys(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_passkeys() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 20;

ALTER FUNCTION app.max_passkeys() OWNER TO hearth_owner;

-- Name: max_password_attempts_of_account(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_password_attempts_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 10;

ALTER FUNCTION app.max_password_attempts_of_account() OWNER TO hearth_owner;

-- Name: max_password_attempts_of_address(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_password_attempts_of_address() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 30;

ALTER FUNCTION app.max_password_attempts_of_address() OWNER TO hearth_owner;

-- Name: max_password_attempts_of_network(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_password_attempts_of_network() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 300;

ALTER FUNCTION app.max_password_attempts_of_network() OWNER TO hearth_owner;

-- Name: max_request_mails(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_request_mails() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 30;

ALTER FUNCTION app.max_request_mails() OWNER TO hearth_owner;

-- Name: max_request_mails_of_account(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_request_mails_of_account() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 2;

ALTER FUNCTION app.max_request_mails_of_account() OWNER TO hearth_owner;

-- Name: max_sessions(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.max_sessions() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 100;

ALTER FUNCTION app.max_sessions() OWNER TO hearth_owner;

-- Name: may_bring_back(app.family_invitations); Type: FUNCTION; Schema: app
CREATE FUNCTION app.may_bring_back(p_invitation app.family_invitations) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN ((p_invitation).vouched OR (EXISTS (SELECT FROM app.family_members m WHERE ((m.family_unit_id = (may_bring_back.p_invitation).family_unit_id) AND (m.user_id = (may_bring_back.p_invitation).invited_by) AND m.governs))));

ALTER FUNCTION app.may_bring_back(p_invitation app.family_invitations) OWNER TO hearth_owner;

-- Name: seat_is_reserved(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.seat_is_reserved(p_family uuid) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM app.family_members m WHERE ((m.family_unit_id = seat_is_reserved.p_family) AND ((m.is_creator AND m.confides) OR (m.vouched AND (m.active_adult_user_id IS NOT NULL))))));

ALTER FUNCTION app.seat_is_reserved(p_family uuid) OWNER TO hearth_owner;

-- Name: may_give_admin_seat(app.family_members, app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.may_give_admin_seat(p_me app.family_members, p_target app.family_members) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (app.is_adult(p_target) AND CASE WHEN app.is_creator(p_me) THEN true WHEN ((p_me).id <> (p_target).id) THEN false ELSE ((p_me).vouched OR (NOT app.seat_is_reserved((p_me).family_unit_id))) END);

ALTER FUNCTION app.may_give_admin_seat(p_me app.family_members, p_target app.family_members) OWNER TO hearth_owner;

-- Name: may_handle_invitation(app.family_members, app.family_invitations); Type: FUNCTION; Schema: app
CREATE FUNCTION app.may_handle_invitation(p_me app.family_members, p_invitation app.family_invitations) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN ((p_me).governs OR (((p_invitation).invited_by = (p_me).user_id) AND (p_me).confides));

ALTER FUNCTION app.may_handle_invitation(p_me app.family_members, p_invitation app.family_invitations) OWNER TO hearth_owner;

-- Name: may_regenerate_code(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.may_regenerate_code(p_me app.family_members) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN ((p_me).governs OR app.is_player(p_me));

ALTER FUNCTION app.may_regenerate_code(p_me app.family_members) OWNER TO hearth_owner;

-- Name: may_send_invitation(app.family_members, app.family_invitations); Type: FUNCTION; Schema: app
CREATE FUNCTION app.may_send_invitation(p_me app.family_members, p_invitation app.family_invitations) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN CASE (p_invitation).kind WHEN 'graduation'::text THEN (EXISTS (SELECT FROM app.family_members c WHERE ((c.id = (may_send_invitation.p_invitation).graduate_id) AND (c.active_guardian_id = (may_send_invitation.p_me).active_adult_user_id)))) ELSE app.may_handle_invitation(p_me, p_invitation) END;

ALTER FUNCTION app.may_send_invitation(p_me app.family_members, p_invitation app.family_invitations) OWNER TO hearth_owner;

-- Name: public_id(uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.public_id(p_id uuid, p_kind text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN (CASE p_kind WHEN 'managed'::text THEN 'managed_'::text ELSE ''::text END || p_id);

ALTER FUNCTION app.public_id(p_id uuid, p_kind text) OWNER TO hearth_owner;

-- Name: member_event_data(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.member_event_data(p_member app.family_members) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN jsonb_build_object('familyId', (p_member).family_unit_id, 'memberId', app.public_id((p_member).id, (p_member).user_kind), 'userId', app.public_id((p_member).user_id, (p_member).user_kind), 'isManaged', ((p_member).user_kind = 'managed'::text), 'role', (p_member).role, 'householdRole', (p_member).household_role, 'joinedVia', (p_member).joined_via, 'guardianUserId', (p_member).parent_user_id);

ALTER FUNCTION app.member_event_data(p_member app.family_members) OWNER TO hearth_owner;

-- Name: member_in_family_of(app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.member_in_family_of(p_me app.family_members, p_member uuid) RETURNS app.family_members
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_member app.family_members;
BEGIN
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.family_unit_id = p_me.family_unit_id
            AND (m.status = 'active'
                 OR (m.status = 'invited' AND p_me.governs));
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    RETURN v_member;
END $$;

ALTER FUNCTION app.member_in_family_of(p_me app.family_members, p_member uuid) OWNER TO hearth_owner;

-- Name: merge_patch(jsonb, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.merge_patch(p_target jsonb, p_patch jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
BEGIN
    IF jsonb_typeof(p_patch) <> 'object' THEN
        RETURN p_patch;
    END IF;
    RETURN (
        SELECT coalesce(jsonb_object_agg(
            key, CASE WHEN p.value IS NULL THEN t.value
                      ELSE app.merge_patch(t.value, p.value) END), '{}')
        FROM jsonb_each(CASE jsonb_typeof(p_target) WHEN 'object' THEN p_target ELSE '{}' END)
            AS t (key, value)
        FULL JOIN jsonb_each(p_patch) AS p (key, value) USING (key)
        WHERE jsonb_typeof(p.value) IS DISTINCT FROM 'null');
END $$;

ALTER FUNCTION app.merge_patch(p_target jsonb, p_patch jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION merge_patch(p_target jsonb, p_patch jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.merge_patch(p_target jsonb, p_patch jsonb) IS 'A JSON merge patch, applied (RFC 7396).';

-- Name: my_identities(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.my_identities() RETURNS TABLE(id uuid, kind text, name text, since timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT i.id, i.kind, i.name, i.since FROM app.identities_of(app.account_id()) AS i
    ORDER BY i.since, i.kind, i.id LIMIT 100
$$;

ALTER FUNCTION app.my_identities() OWNER TO hearth_owner;

-- Name: my_passkey_account(bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.my_passkey_account(p_token_issued_at bigint) RETURNS TABLE(id uuid, email text, full_name text, is_fresh boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT u.id, u.email, u.full_name,
        coalesce(p_token_issued_at > extract(epoch FROM now() - app.fresh_proof_time()), false)
    FROM app.users AS u WHERE u.id = app.account_id() AND u.deleted_at IS NULL
$$;

ALTER FUNCTION app.my_passkey_account(p_token_issued_at bigint) OWNER TO hearth_owner;

-- Name: my_passkeys(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.my_passkeys() RETURNS TABLE(id uuid, credential_id bytea, label text, transports text[], is_backed_up boolean, created_at timestamp with time zone, last_used_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT k.id, k.credential_id, k.label, k.transports, k.is_backed_up, k.created_at,
        k.last_used_at
    FROM app.passkeys AS k WHERE k.user_id = app.account_id()
    ORDER BY k.created_at, k.id LIMIT 100
$$;

ALTER FUNCTION app.my_passkeys() OWNER TO hearth_owner;

-- Name: my_password(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.my_password(p_session uuid) RETURNS TABLE(hash text, email text, full_name text, is_fresh boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT p.hash, u.email, u.full_name, EXISTS (
        SELECT FROM app.sessions AS s
        WHERE s.id = p_session AND s.user_id = u.id
            AND s.started_at > now() - app.fresh_proof_time())
    FROM app.users AS u LEFT JOIN app.passwords AS p ON p.user_id = u.id
    WHERE u.id = app.account_id() AND u.deleted_at IS NULL
$$;

ALTER FUNCTION app.my_password(p_session uuid) OWNER TO hearth_owner;

-- Name: my_version_raised_at(bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.my_version_raised_at(p_version bigint) RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE p_version
            WHEN v.version THEN v.raised_at
            WHEN v.purged_version THEN v.purged_raised_at
            ELSE (SELECT max(c.changed_at) FROM app.user_changes AS c
                  WHERE c.user_id = v.user_id AND c.version = p_version) END
        FROM app.user_versions AS v WHERE v.user_id = app.user_id()
$$;

ALTER FUNCTION app.my_version_raised_at(p_version bigint) OWNER TO hearth_owner;

-- Name: next_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.next_guardian(p_child uuid, p_besides uuid) RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (SELECT w.guardian_user_id FROM app.guardianships w WHERE ((w.member_id = next_guardian.p_child) AND (w.guardian_user_id <> next_guardian.p_besides)) ORDER BY w.since, w.slot LIMIT 1);

ALTER FUNCTION app.next_guardian(p_child uuid, p_besides uuid) OWNER TO hearth_owner;

-- Name: no_user_id(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.no_user_id() RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00000000-0000-0000-0000-000000000000'::uuid;

ALTER FUNCTION app.no_user_id() OWNER TO hearth_owner;

-- Name: normalise_family(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.normalise_family() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    NEW.family_name := app.normalised_text(NEW.family_name);
    RETURN NEW;
END $$;

ALTER FUNCTION app.normalise_family() OWNER TO hearth_owner;

-- Name: normalise_person(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.normalise_person() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    NEW.full_name := app.normalised_text(NEW.full_name);
    NEW.avatar_key := app.normalised_text(NEW.avatar_key);
    RETURN NEW;
END $$;

ALTER FUNCTION app.normalise_person() OWNER TO hearth_owner;

-- Name: unassignable_characters(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.unassignable_characters() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((('\uE000-\uF8FF\uFDD0-\uFDEF\uFFFE\uFFFF\U0001FFFE\U0001FFFF\U0002FFFE\U0002FFFF'::text || '\U0003FFFE\U0003FFFF\U0004FFFE\U0004FFFF\U0005FFFE\U0005FFFF\U0006FFFE\U0006FFFF'::text) || '\U0007FFFE\U0007FFFF\U0008FFFE\U0008FFFF\U0009FFFE\U0009FFFF\U000AFFFE\U000AFFFF'::text) || '\U000BFFFE\U000BFFFF\U000CFFFE\U000CFFFF\U000DFFFE\U000DFFFF\U000EFFFE\U000EFFFF'::text) || '\U000F0000-\U0010FFFF'::text);

ALTER FUNCTION app.unassignable_characters() OWNER TO hearth_owner;

-- Name: normalised_email(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.normalised_email(p_email text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT n.e FROM (SELECT translate(NORMALIZE(regexp_replace(normalised_email.p_email, (((('^['::text || app.white_space()) || ']+|['::text) || app.white_space()) || ']+$'::text), ''::text, 'g'::text), NFC), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'::text, 'abcdefghijklmnopqrstuvwxyz'::text) AS e OFFSET 0) n WHERE ((n.e ~ (('^[a-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+'::text || '(\.[a-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010FFFF-]+)*'::text) || '@[a-z0-9\u0080-\U0010FFFF-]+(\.[a-z0-9\u0080-\U0010FFFF-]+)+$'::text)) AND (n.e !~ '@(-|.*\.-|.*-\.)|-$'::text) AND (n.e !~ ((((('[\u200C\u200D'::text || app.white_space()) || app.control_characters()) || app.format_characters()) || app.unassignable_characters()) || ']'::text)) AND (octet_length(n.e) <= 254) AND (octet_length(split_part(n.e, '@'::text, 1)) <= 64) AND (SELECT (max(octet_length(label.label)) <= 63) FROM string_to_table(split_part(n.e, '@'::text, 2), '.'::text) label(label)) AND (normalised_email.p_email !~ '[\u212A\u037E\u1FEF]'::text)));

ALTER FUNCTION app.normalised_email(p_email text) OWNER TO hearth_owner;

-- Name: note_attributes(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_attributes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_row constant app.family_attributes := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    PERFORM app.note_change('attributes ' || v_row.family_unit_id);
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_attributes() OWNER TO hearth_owner;

-- Name: note_audit_export(timestamp with time zone, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_audit_export(p_before timestamp with time zone, p_entries bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.at >= p_before AND a.at < now() AND a.action = 'audit.export'
            AND a.actor_label = app.operator_label()
            AND a.details ->> 'before' = to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM'))
    THEN
        PERFORM app.refuse('HF409', 'export_not_begun',
            'An export begins with its row in the audit trail.');
    END IF;
    INSERT INTO app.audit_exports (ends_at, entry_count, exported_by)
        VALUES (p_before, p_entries, app.operator_label());
END $$;

ALTER FUNCTION app.note_audit_export(p_before timestamp with time zone, p_entries bigint) OWNER TO hearth_owner;

-- Name: FUNCTION note_audit_export(p_before timestamp with time zone, p_entries bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.note_audit_export(p_before timestamp with time zone, p_entries bigint) IS 'Records that all entries before a month are in a file.';

-- Name: note_change(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_change(p_line text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_noted constant text := coalesce(nullif(current_setting('hearth.changes', true), ''), E'\n');
BEGIN
    IF strpos(v_noted, E'\n' || p_line || E'\n') = 0 THEN
        PERFORM set_config('hearth.changes', v_noted || p_line || E'\n', true);
    END IF;
END $$;

ALTER FUNCTION app.note_change(p_line text) OWNER TO hearth_owner;

-- Name: note_delivery(uuid, integer, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_delivery(p_invitation uuid, p_generation integer, p_status text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    UPDATE app.family_invitations AS i
        SET delivery_status = p_status, delivery_generation = p_generation
        WHERE i.id = p_invitation AND i.generation = p_generation;
$$;

ALTER FUNCTION app.note_delivery(p_invitation uuid, p_generation integer, p_status text) OWNER TO hearth_owner;

-- Name: note_emptiness(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_emptiness() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF NEW.status = 'active' THEN
        UPDATE app.family_units AS f SET emptied_at = NULL
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NOT NULL;
    ELSE
        UPDATE app.family_units AS f SET emptied_at = now()
            WHERE f.id = NEW.family_unit_id AND f.emptied_at IS NULL AND NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'active');
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_emptiness() OWNER TO hearth_owner;

-- Name: note_family(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_family() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.note_change('family ' || NEW.id);
    IF NEW.player_details IS DISTINCT FROM OLD.player_details THEN
        PERFORM app.note_change('details ' || NEW.id);
    END IF;
    IF NEW.family_name <> OLD.family_name THEN
        PERFORM app.note_change('name ' || NEW.id);
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_family() OWNER TO hearth_owner;

-- Name: note_guardianship(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_guardianship() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_row constant app.guardianships := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_about constant text := v_row.family_unit_id || ' ' || v_row.member_id;
BEGIN
    PERFORM app.note_change('member ' || v_about || ' members managed');
    PERFORM app.note_change('membership ' || v_about);
    PERFORM app.note_change('ward ' || v_about || ' ' || v_row.guardian_user_id);
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_guardianship() OWNER TO hearth_owner;

-- Name: note_invitation(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_invitation() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_row constant app.family_invitations := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_about constant text := format('invitation %s %s ', v_row.family_unit_id, v_row.id);
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.status = 'pending' THEN
        PERFORM app.note_change(rtrim(v_about || coalesce(OLD.invited_email, '')));
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.status = 'pending' THEN
        PERFORM app.note_change(rtrim(v_about || coalesce(NEW.invited_email, '')));
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_invitation() OWNER TO hearth_owner;

-- Name: note_member(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_row constant app.family_members := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_was constant text := CASE WHEN TG_OP <> 'INSERT' THEN OLD.status ELSE 'removed' END;
    v_is constant text := CASE WHEN TG_OP <> 'DELETE' THEN NEW.status ELSE 'removed' END;
    v_about constant text := v_row.family_unit_id || ' ' || v_row.user_id;
BEGIN
    IF v_was = 'removed' AND v_is = 'removed' THEN
        RETURN NULL;
    END IF;
    -- Of a child that has grown up clients know the id of the child.
    PERFORM app.note_change(format('member %s %s %s %s', v_row.family_unit_id, v_row.id,
        CASE WHEN 'active' IN (v_was, v_is) THEN 'members' ELSE 'governors' END,
        CASE TG_OP WHEN 'UPDATE' THEN OLD.user_kind ELSE v_row.user_kind END));
    IF v_was <> v_is THEN
        PERFORM app.note_change('membership ' || v_about);
        PERFORM app.note_change('preferences ' || v_about);
    END IF;
    IF 'invited' IN (v_was, v_is) THEN
        PERFORM app.note_change('request ' || v_row.user_id);
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- Another user: a child that has grown up.
        IF (OLD.user_id, OLD.role, OLD.household_role)
            <> (NEW.user_id, NEW.role, NEW.household_role) THEN
            PERFORM app.note_change('membership ' || v_about);
        END IF;
        IF OLD.household_role <> 'visitor' AND NEW.household_role = 'visitor' THEN
            PERFORM app.note_change('lost-invitations ' || v_about);
            PERFORM app.note_change('lost-attributes ' || v_about);
        END IF;
        IF OLD.confides AND NOT NEW.confides THEN
            PERFORM app.note_change('lost-details ' || v_about);
        END IF;
        IF OLD.governs AND NOT NEW.governs THEN
            PERFORM app.note_change('lost-waiting ' || v_about);
        END IF;
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_member() OWNER TO hearth_owner;

-- Name: note_new_user(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_new_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.note_change('address ' || NEW.id || ' ' || NEW.email);
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_new_user() OWNER TO hearth_owner;

-- Name: note_preferences(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_preferences() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_row constant app.member_preferences := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    PERFORM app.note_change('preferences ' || v_row.family_unit_id || ' ' || v_row.user_id);
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_preferences() OWNER TO hearth_owner;

-- Name: note_primary_guardian(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_primary_guardian() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = NEW.id AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id);
    PERFORM app.insert_guardianship(NEW, NEW.active_guardian_id);
    WITH revoked AS (
        UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
            WHERE i.graduate_id = NEW.id AND i.status = 'pending'
                AND i.invited_by <> NEW.active_guardian_id
            RETURNING i.id)
    DELETE FROM app.invitation_secrets AS s USING revoked AS r WHERE s.invitation_id = r.id;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_primary_guardian() OWNER TO hearth_owner;

-- Name: note_provider_check(uuid, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_provider_check(p_token uuid, p_is_good boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_issuer text;
BEGIN
    IF p_is_good THEN
        UPDATE app.provider_tokens AS p SET check_at = now() + app.provider_check_time()
            WHERE p.id = p_token AND p.user_id = v_account;
        RETURN;
    END IF;
    DELETE FROM app.provider_tokens AS p WHERE p.id = p_token AND p.user_id = v_account
        RETURNING p.issuer INTO v_issuer;
    UPDATE app.sessions AS s SET ended_at = now(), end_reason = 'provider'
        WHERE s.user_id = v_account AND s.issuer = v_issuer AND s.ended_at IS NULL
            AND s.ends_at > now();
END $$;

ALTER FUNCTION app.note_provider_check(p_token uuid, p_is_good boolean) OWNER TO hearth_owner;

-- Name: FUNCTION note_provider_check(p_token uuid, p_is_good boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.note_provider_check(p_token uuid, p_is_good boolean) IS 'Notes what a provider said of a refresh token of the account whose request has begun.';

-- Name: note_purge(jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_purge(p_counts jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.record_audit('purge.run', NULL, NULL, NULL, p_counts);
END $$;

ALTER FUNCTION app.note_purge(p_counts jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION note_purge(p_counts jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.note_purge(p_counts jsonb) IS 'Writes down that an operator purged, and how much.';

-- Name: note_role_change(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_role_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF NEW.status <> 'active' THEN
        DELETE FROM app.role_changes AS c WHERE c.member_id = NEW.id;
        DELETE FROM app.role_conflicts AS c
            WHERE c.member_id = NEW.id
                OR (c.user_id = NEW.user_id AND c.family_unit_id = NEW.family_unit_id);
    ELSIF NEW.household_role <> OLD.household_role THEN
        INSERT INTO app.role_changes AS c
            (member_id, family_unit_id, household_role, changed_at, changed_by)
            VALUES (NEW.id, NEW.family_unit_id, NEW.household_role, coalesce(
                nullif(current_setting('hearth.changed_at', true), '')::timestamptz,
                clock_timestamp()), app.actor_id())
            ON CONFLICT ON CONSTRAINT role_changes_pkey DO UPDATE
                SET household_role = excluded.household_role, changed_at = excluded.changed_at,
                    changed_by = excluded.changed_by, version = NULL,
                    confirmed_at = NULL, confirmed_by = NULL;
        PERFORM app.end_role_conflict(NEW.id);
        PERFORM app.note_change('role ' || NEW.family_unit_id || ' ' || NEW.id);
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_role_change() OWNER TO hearth_owner;

-- Name: note_user(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.note_change('user ' || NEW.id);
    IF NEW.full_name IS DISTINCT FROM OLD.full_name THEN
        PERFORM app.note_change('inviter ' || NEW.id);
    END IF;
    IF (NEW.email, NEW.email_verified) IS DISTINCT FROM (OLD.email, OLD.email_verified) THEN
        IF OLD.email_verified THEN
            PERFORM app.note_change('address ' || NEW.id || ' ' || OLD.email);
        END IF;
        IF NEW.email_verified THEN
            PERFORM app.note_change('address ' || NEW.id || ' ' || NEW.email);
        END IF;
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.note_user() OWNER TO hearth_owner;

-- Name: note_webhook_failure(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_webhook_failure(p_endpoint uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    UPDATE app.webhook_endpoints AS e SET failures = e.failures + 1,
            failing_since = coalesce(e.failing_since, now()),
            retry_at = clock_timestamp()
                + least(300, 5 * 2 ^ least(e.failures, 10)) * (0.5 + random() / 2)
                    * interval '1 second'
        WHERE e.id = p_endpoint;
$$;

ALTER FUNCTION app.note_webhook_failure(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: note_webhook_success(app.webhook_endpoints); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_webhook_success(p_endpoint app.webhook_endpoints) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_due constant timestamptz := clock_timestamp() + app.standby_delay();
BEGIN
    UPDATE app.webhook_endpoints AS e SET failures = 0, failing_since = NULL, retry_at = NULL
        WHERE e.id = p_endpoint.id AND e.failures > 0;
    IF FOUND AND p_endpoint.failing_since < now() - interval '1 minute' THEN
        UPDATE jobs.live AS j SET run_at = v_due
            WHERE j.queue = 'webhooks' AND j.kind = 'webhook.deliver' AND j.state = 'ready'
                AND j.run_at > v_due
                AND j.payload ->> 'endpoint' = p_endpoint.id::text;
    END IF;
END $$;

ALTER FUNCTION app.note_webhook_success(p_endpoint app.webhook_endpoints) OWNER TO hearth_owner;

-- Name: note_wrong_code(uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.note_wrong_code(p_account uuid, p_code text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
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
    -- The usual is looked up only where it matters, and the row that all joins read is written at
    -- most every ten seconds. It is not even locked in between.
    IF v_codes > app.wrong_code_rate()
        AND v_codes > app.wrong_code_rate() + app.usual_wrong_codes(now())
        AND NOT EXISTS (
            SELECT FROM app.automatic_approval AS a
            WHERE a.lasts_until > now() + app.automatic_approval_time() - interval '10 seconds')
    THEN
        INSERT INTO app.automatic_approval AS a (began_at, lasts_until)
            VALUES (now(), now() + app.automatic_approval_time())
            ON CONFLICT (is_only) DO UPDATE SET
                began_at = CASE WHEN a.lasts_until > now() THEN a.began_at
                                ELSE excluded.began_at END,
                lasts_until = greatest(a.lasts_until, excluded.lasts_until);
    END IF;
END $$;

ALTER FUNCTION app.note_wrong_code(p_account uuid, p_code text) OWNER TO hearth_owner;

-- Name: noted_families(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.noted_families(p_notes text[]) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_note text;
    v_words text[];
    v_families uuid[] := '{}';
BEGIN
    FOREACH v_note IN ARRAY p_notes LOOP
        v_words := string_to_array(v_note, ' ');
        IF v_words[1] IN ('family', 'details', 'attributes', 'member', 'invitation') THEN
            v_families := v_families || v_words[2]::uuid;
        ELSIF v_words[1] = 'user' THEN
            v_families := v_families || ARRAY(
                SELECT m.family_unit_id FROM app.family_members AS m
                WHERE m.user_id = v_words[2]::uuid AND m.status IN ('active', 'invited'));
        END IF;
    END LOOP;
    IF cardinality(v_families) > 1 THEN
        v_families := ARRAY(SELECT DISTINCT f FROM unnest(v_families) AS f ORDER BY f);
    END IF;
    RETURN v_families;
END $$;

ALTER FUNCTION app.noted_families(p_notes text[]) OWNER TO hearth_owner;

-- Name: family_changes; Type: TABLE; Schema: app
CREATE TABLE app.family_changes (
    family_unit_id uuid NOT NULL,
    version bigint NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    audience text NOT NULL,
    is_managed boolean DEFAULT false NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT family_changes_audience_known CHECK ((audience = ANY (ARRAY['members'::text, 'own'::text, 'residents'::text, 'trusting'::text, 'governors'::text]))),
    CONSTRAINT family_changes_kind_known CHECK ((kind = ANY (ARRAY['family'::text, 'member'::text, 'invitation'::text, 'playerDetails'::text, 'attributes'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.family_changes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_changes OWNER TO hearth_owner;

-- Name: TABLE family_changes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_changes IS 'What was changed in which version of a family.';

-- Name: COLUMN family_changes.audience; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.family_changes.audience IS 'Who may learn of it: all active members; all but visitors, by their own account or (residents) also through their guardian; those who are trusted with addresses; those who govern.';

-- Name: noted_family_changes(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.noted_family_changes(p_notes text[]) RETURNS app.family_changes[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_note text;
    v_words text[];
    v_changes app.family_changes[] := '{}';
BEGIN
    FOREACH v_note IN ARRAY p_notes LOOP
        v_words := string_to_array(v_note, ' ');
        CASE v_words[1]
            WHEN 'family' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'family', v_words[2], 'members', false, NULL
                    )::app.family_changes;
            WHEN 'details' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'playerDetails', v_words[2], 'trusting', false, NULL
                    )::app.family_changes;
            WHEN 'attributes' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'attributes', v_words[2], 'residents', false, NULL
                    )::app.family_changes;
            WHEN 'member' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'member', v_words[3], v_words[4], v_words[5] = 'managed', NULL
                    )::app.family_changes;
            WHEN 'invitation' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'invitation', v_words[3], 'own', false, NULL
                        )::app.family_changes;
            WHEN 'user' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(m.family_unit_id, 0, 'member', m.id,
                        CASE m.status WHEN 'active' THEN 'members' ELSE 'governors' END,
                        m.user_kind = 'managed', NULL)::app.family_changes
                    FROM app.family_members AS m
                    WHERE m.user_id = v_words[2]::uuid AND m.status IN ('active', 'invited')
                    UNION ALL
                    -- Children are shown with the names of their guardians.
                    SELECT ROW(w.family_unit_id, 0, 'member', w.member_id, 'members', true, NULL
                        )::app.family_changes
                    FROM app.guardianships AS w WHERE w.guardian_user_id = v_words[2]::uuid);
            ELSE NULL;
        END CASE;
    END LOOP;
    RETURN v_changes;
END $$;

ALTER FUNCTION app.noted_family_changes(p_notes text[]) OWNER TO hearth_owner;

-- Name: user_changes; Type: TABLE; Schema: app
CREATE TABLE app.user_changes (
    user_id uuid NOT NULL,
    version bigint NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    family_unit_id uuid,
    is_managed boolean DEFAULT false NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT user_changes_kind_known CHECK ((kind = ANY (ARRAY['family'::text, 'member'::text, 'invitation'::text, 'playerDetails'::text, 'attributes'::text, 'receivedInvitation'::text, 'profile'::text, 'preferences'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.user_changes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.user_changes OWNER TO hearth_owner;

-- Name: TABLE user_changes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.user_changes IS 'What was changed in which version of a person. Kind family: the person''s own membership; member, invitation, playerDetails and attributes: what the person may have lost sight of.';

-- Name: noted_guardian_changes(text[], uuid[], app.user_changes[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.noted_guardian_changes(p_notes text[], p_children uuid[], p_changes app.user_changes[]) RETURNS app.user_changes[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    RETURN ARRAY(
        SELECT ROW(w.guardian_user_id, 0, c.kind, c.id, c.family_unit_id, true, NULL
            )::app.user_changes
            FROM unnest(p_changes) AS c JOIN app.guardianships AS w ON w.member_id = c.user_id
            WHERE c.user_id = ANY (p_children) AND c.kind IN ('profile', 'preferences')
        UNION ALL
        SELECT ROW(split_part(n, ' ', 4), 0, k.kind, split_part(n, ' ', 3),
                CASE k.kind WHEN 'preferences' THEN split_part(n, ' ', 2) END, true, NULL
                )::app.user_changes
            FROM unnest(p_notes) AS n, (VALUES ('profile'), ('preferences')) AS k (kind)
            WHERE n LIKE 'ward %');
END $$;

ALTER FUNCTION app.noted_guardian_changes(p_notes text[], p_children uuid[], p_changes app.user_changes[]) OWNER TO hearth_owner;

-- Name: noted_user_changes(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.noted_user_changes(p_notes text[]) RETURNS app.user_changes[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_note text;
    v_words text[];
    v_changes app.user_changes[] := '{}';
BEGIN
    FOREACH v_note IN ARRAY p_notes LOOP
        v_words := string_to_array(v_note, ' ');
        CASE v_words[1]
            -- A profile shows the person's requests to join as well.
            WHEN 'user', 'request' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'profile', v_words[2], NULL, false, NULL)::app.user_changes;
            WHEN 'membership' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'family', v_words[2], v_words[2], false, NULL)::app.user_changes;
            WHEN 'preferences' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'preferences', v_words[3], v_words[2], false, NULL
                        )::app.user_changes;
            -- Also those of which the log tells the person no more, such as who was rejected since
            -- the person has last looked.
            WHEN 'lost-invitations' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[3], 0, 'invitation', l.id, v_words[2], false, NULL
                        )::app.user_changes
                    FROM (
                        SELECT i.id FROM app.family_invitations AS i
                        WHERE i.family_unit_id = v_words[2]::uuid AND i.status = 'pending'
                        UNION
                        SELECT c.id FROM app.family_changes AS c
                        WHERE c.family_unit_id = v_words[2]::uuid AND c.kind = 'invitation') AS l);
            WHEN 'lost-waiting' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[3], 0, 'member', l.id, v_words[2], false, NULL
                        )::app.user_changes
                    FROM (
                        SELECT m.id FROM app.family_members AS m
                        WHERE m.family_unit_id = v_words[2]::uuid AND m.status = 'invited'
                        UNION
                        SELECT c.id FROM app.family_changes AS c
                        WHERE c.family_unit_id = v_words[2]::uuid AND c.kind = 'member'
                            AND c.audience = 'governors') AS l);
            WHEN 'lost-details' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'playerDetails', v_words[2], v_words[2], false, NULL
                    )::app.user_changes;
            WHEN 'lost-attributes' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'attributes', v_words[2], v_words[2], false, NULL
                    )::app.user_changes;
            WHEN 'invitation' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(coalesce(u.id, app.no_user_id()), 0, 'receivedInvitation',
                        v_words[3], NULL, false, NULL)::app.user_changes
                    FROM (SELECT) AS always
                    LEFT JOIN app.users AS u ON u.email = v_words[4] AND u.email_verified
                    WHERE v_words[4] <> '');
            WHEN 'address' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[2], 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    WHERE i.invited_email = v_words[3] AND i.status = 'pending');
            WHEN 'name' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(u.id, 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    JOIN app.users AS u ON u.email = i.invited_email AND u.email_verified
                    WHERE i.family_unit_id = v_words[2]::uuid AND i.status = 'pending'
                    UNION ALL
                    SELECT ROW(m.user_id, 0, 'profile', m.user_id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_members AS m
                    WHERE m.family_unit_id = v_words[2]::uuid AND m.status = 'invited');
            WHEN 'inviter' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(u.id, 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    JOIN app.users AS u ON u.email = i.invited_email AND u.email_verified
                    WHERE i.invited_by = v_words[2]::uuid AND i.status = 'pending');
            ELSE NULL;
        END CASE;
    END LOOP;
    RETURN v_changes;
END $$;

ALTER FUNCTION app.noted_user_changes(p_notes text[]) OWNER TO hearth_owner;

-- Name: obstacle_to_graduate(app.family_members, uuid, uuid[], uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.obstacle_to_graduate(p_was app.family_members, p_family uuid, p_own uuid[], p_account uuid) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_player constant uuid := app.player_family_of(p_account);
BEGIN
    IF p_was.status = 'active' OR EXISTS (
        SELECT FROM app.family_units AS f
        WHERE f.id = p_family AND f.created_by_user_id = p_account) THEN
        PERFORM app.refuse('HF409', 'not_the_graduate',
            'This account is a member of the family, or created it.');
    ELSIF NOT app.lives_alone(v_player, p_account) THEN
        RETURN 'player_has_family';
    ELSIF EXISTS (
        SELECT FROM unnest(p_own) AS o (id) WHERE NOT app.lives_alone(o.id, p_account)) THEN
        PERFORM app.refuse('HF409', 'not_the_graduate',
            'This account belongs to another family.');
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.obstacle_to_graduate(p_was app.family_members, p_family uuid, p_own uuid[], p_account uuid) OWNER TO hearth_owner;

-- Name: obstacle_to_membership(text, uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.obstacle_to_membership(p_role text, p_own_family uuid, p_account uuid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
SELECT CASE
    WHEN p_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = p_account AND m.status = 'active' AND m.role = 'parent')
        THEN 'role_mismatch'
    WHEN app.lives_alone(p_own_family, p_account) THEN NULL
    WHEN p_role = 'player' THEN 'player_has_family'
    ELSE 'role_mismatch'
END
$$;

ALTER FUNCTION app.obstacle_to_membership(p_role text, p_own_family uuid, p_account uuid) OWNER TO hearth_owner;

-- Name: oldest_transaction_seconds(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.oldest_transaction_seconds() RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN greatest(0, (
        SELECT extract(epoch FROM clock_timestamp() - min(t.since)) FROM (
            SELECT a.xact_start AS since FROM pg_stat_activity AS a
                WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
                    AND a.backend_type = 'client backend'
            UNION ALL
            SELECT p.prepared FROM pg_prepared_xacts AS p
                WHERE p.database = current_database()) AS t)) END::double precision;
$$;

ALTER FUNCTION app.oldest_transaction_seconds() OWNER TO hearth_owner;

-- Name: FUNCTION oldest_transaction_seconds(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.oldest_transaction_seconds() IS 'Age of the oldest open transaction of this database, prepared ones included; 0 without any.';

-- Name: open_invitation(bytea, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.open_invitation(p_token_hash bytea, p_invitation uuid) RETURNS app.family_invitations
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_id constant uuid := app.invitation_to_answer(p_token_hash, p_invitation);
    v_invitation app.family_invitations;
    v_state text;
BEGIN
    PERFORM FROM app.family_invitations AS i JOIN app.family_units AS f ON f.id = i.family_unit_id
        WHERE i.id = v_id FOR NO KEY UPDATE OF f;
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = v_id AND i.id = app.invitation_to_answer(p_token_hash, p_invitation);
    v_state := app.state_of_invitation(v_invitation);
    IF v_state = 'absent' THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    ELSIF v_state = 'expired' THEN
        PERFORM app.refuse('HF410', 'invitation_expired', 'This invitation has expired.');
    ELSIF v_state <> 'pending' AND v_invitation.accepted_by IS DISTINCT FROM v_account THEN
        RAISE EXCEPTION 'This invitation has already been answered.'
            USING ERRCODE = 'HF409', CONSTRAINT = 'invitation_answered', DETAIL = v_state;
    ELSIF v_state = 'pending' AND v_invitation.delivery = 'email' AND NOT EXISTS (
        SELECT FROM app.users AS u
        WHERE u.id = v_account AND u.email_verified AND u.email = v_invitation.invited_email) THEN
        PERFORM app.refuse('HF403', 'not_the_addressee',
            'This invite was sent to a different email address. '
            'Please sign in with the account that received the invite.');
    END IF;
    RETURN v_invitation;
END $$;

ALTER FUNCTION app.open_invitation(p_token_hash bytea, p_invitation uuid) OWNER TO hearth_owner;

-- Name: open_mailed_ticket(uuid, text, text, bytea, bytea, text, text, text, text, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT r.limited_by, r.retry_after_seconds
    FROM app.open_mailed_ticket(p_ticket, p_purpose, p_email, p_ticket_hash, p_link_hash,
        p_password_hash, p_full_name, p_role, p_network, p_mail, NULL, NULL) AS r;
$$;

ALTER FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb) IS 'Opens a ticket for an address and enqueues its e-mail; a row tells a limit that is reached.';

-- Name: open_mailed_ticket(uuid, text, text, bytea, bytea, text, text, text, text, jsonb, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
    v_expires constant timestamptz := now() + CASE p_purpose
        WHEN 'reset' THEN app.reset_link_time() ELSE app.mailed_code_time() END;
BEGIN
    SELECT r.limited_by, r.retry_after_seconds INTO limited_by, retry_after_seconds
        FROM app.count_mailed_code(v_email, p_network) AS r;
    IF FOUND THEN
        RETURN NEXT;
        RETURN;
    END IF;
    INSERT INTO app.mailed_tickets (id, purpose, email, ticket_hash, link_hash, expires_at,
            password_hash, full_name, role, locale, return_path)
        VALUES (p_ticket, p_purpose, v_email, p_ticket_hash, p_link_hash, v_expires,
            p_password_hash, app.normalised_name(p_full_name, 80), p_role, p_locale, p_return_path);
    PERFORM jobs.enqueue('mail', 'mail.ticket', NULL, p_mail, 0::smallint,
        p_not_after => v_expires);
END $$;

ALTER FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea) OWNER TO hearth_owner;

-- Name: FUNCTION open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea) IS 'Opens a ticket for an address and enqueues its e-mail; a row tells a limit that is reached.';

-- Name: open_session(uuid, uuid, text, text, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.open_session(p_session uuid, p_user uuid, p_method text, p_issuer text, p_device text, p_token_hash bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM FROM app.users AS u
        WHERE u.id = p_user AND u.kind = 'account' AND u.deleted_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    INSERT INTO app.sessions (id, user_id, method, issuer, device, ends_at)
        VALUES (p_session, p_user, p_method, p_issuer, p_device, now() + app.session_idle_time());
    INSERT INTO app.refresh_tokens (session_id, token_hash) VALUES (p_session, p_token_hash);
    UPDATE app.sessions AS s SET ended_at = now(), end_reason = 'replaced'
        WHERE s.id IN (
            SELECT o.id FROM app.sessions AS o
            WHERE o.user_id = p_user AND o.ended_at IS NULL AND o.ends_at > now()
            ORDER BY o.id <> p_session, o.last_used_at DESC, o.id
            OFFSET app.max_sessions());
    PERFORM set_config('hearth.guardian_id', '', true),
        set_config('hearth.user_id', p_user::text, true);
END $$;

ALTER FUNCTION app.open_session(p_session uuid, p_user uuid, p_method text, p_issuer text, p_device text, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: operator_add_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_add_guardian(p_member uuid, p_guardian_member uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    RETURN app.make_guardian(app.lock_child_for_operator(p_member), p_guardian_member);
END $$;

ALTER FUNCTION app.operator_add_guardian(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_add_guardian(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_add_guardian(p_member uuid, p_guardian_member uuid) IS 'Makes an adult a guardian of a child; false if it is one already.';

-- Name: operator_add_managed_member(uuid, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_guardian constant app.family_members := app.lock_member_for_operator(p_guardian_member);
    v_child constant uuid := gen_random_uuid();
BEGIN
    IF app.is_adult(v_guardian) IS NOT TRUE THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is an adult of the family with an account.');
    ELSIF app.lowest_free_slot(v_guardian.family_unit_id) IS NULL THEN
        PERFORM app.refuse('HF409', 'family_full', 'This family is full.');
    END IF;
    INSERT INTO app.users (id, kind, full_name, role, avatar_key)
        VALUES (v_child, 'managed', p_display_name, 'player', p_avatar_key);
    INSERT INTO app.family_members
            (id, family_unit_id, user_id, role, household_role, parent_user_id, joined_via)
        VALUES (v_child, v_guardian.family_unit_id, v_child, 'player', 'kid', v_guardian.user_id,
                'operator');
    PERFORM app.record_audit('managed.create', v_guardian.family_unit_id, v_child, v_child);
    RETURN v_child;
END $$;

ALTER FUNCTION app.operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text) IS 'Adds a child with the adult named as its guardian; its id.';

-- Name: operator_add_member(uuid, uuid, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_family app.family_units;
    v_user app.users;
    v_own uuid := app.player_family_of(p_user);
    v_role text := p_role;
    v_household_role text := p_household_role;
    v_waited boolean;
    v_member uuid;
BEGIN
    PERFORM app.require_operator();
    PERFORM app.lock_families(ARRAY[v_own, p_family]);
    v_family := app.lock_family_for_operator(p_family);
    v_user := app.lock_account_for_operator(p_user);
    v_own := app.locked_player_family(p_user, v_own);
    v_role := coalesce(v_role, v_user.role);
    v_household_role := coalesce(
        v_household_role, CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = v_family.id AND m.user_id = p_user AND m.status = 'active') THEN
        PERFORM app.refuse('HF409', 'person_already_member',
            'This person is already a member of the family.');
    ELSIF v_household_role = 'parent_admin' AND app.seat_is_taken(p_family) THEN
        PERFORM app.refuse('HF409', 'parent_admin_exists',
            'A Parent Admin already exists for this family.');
    ELSIF v_household_role = 'parent_admin' AND v_role <> 'parent' THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    IF v_role = 'player' AND v_own IS NOT NULL AND app.lives_alone(v_own, p_user) THEN
        PERFORM app.leave_own_family(v_own, p_user, p_family, v_role);
    END IF;
    PERFORM app.require_room_for(p_family, p_user, v_role);
    v_waited := EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.user_id = p_user AND m.status = 'invited');
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (p_family, p_user, v_role, v_household_role, 'operator')
        ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
            role = excluded.role, household_role = excluded.household_role,
            household_ceiling = excluded.household_ceiling,
            status = 'active', joined_via = 'operator', vouched = true, added_at = now(),
            removed_at = NULL, removed_by = NULL
        RETURNING m.id INTO v_member;
    IF v_role = 'player' THEN
        PERFORM app.fill_player_name(p_family, p_user);
    END IF;
    IF v_waited THEN
        PERFORM app.enqueue_family_mail('mail.request_approved', p_family, p_user);
    END IF;
    PERFORM app.record_audit('member.add', p_family, p_user, v_member,
        jsonb_build_object('role', v_role, 'householdRole', v_household_role));
    RETURN v_member;
END $$;

ALTER FUNCTION app.operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text) IS 'Puts an account into a family; its membership.';

-- Name: operator_add_webhook(uuid, text, text, text[], bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    INSERT INTO app.webhook_endpoints (id, url, description, event_types, secret_hash)
        VALUES (p_endpoint, p_url, p_description, p_event_types, p_secret_hash);
    PERFORM app.record_audit('webhook.add', NULL, NULL, p_endpoint,
        jsonb_build_object('eventTypes', p_event_types));
END $$;

ALTER FUNCTION app.operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea) IS 'Adds an endpoint that is told of events from now on.';

-- Name: operator_audit_parts(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_audit_parts(p_before timestamp with time zone) RETURNS TABLE(name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT p.name FROM app.audit_parts() AS p WHERE p.ends_at <= p_before;
$$;

ALTER FUNCTION app.operator_audit_parts(p_before timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION operator_audit_parts(p_before timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_audit_parts(p_before timestamp with time zone) IS 'The parts of the trail that end by then.';

-- Name: operator_cancel_job(bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_cancel_job(p_job bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_family uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT d.family_unit_id INTO v_family FROM jobs.dead AS d WHERE d.id = p_job FOR UPDATE;
    IF FOUND THEN
        WITH gone AS (DELETE FROM jobs.dead AS d WHERE d.id = p_job RETURNING d.*)
        INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
            SELECT g.id, g.family_unit_id, g.attempt, g.queue, g.kind, 'cancelled' FROM gone AS g;
    ELSE
        SELECT j.family_unit_id INTO v_family FROM jobs.live AS j WHERE j.id = p_job;
        IF NOT jobs.cancel(p_job) THEN
            RETURN false;
        END IF;
    END IF;
    PERFORM app.record_audit('job.cancel', v_family, NULL, NULL,
        jsonb_build_object('job', p_job));
    RETURN true;
END $$;

ALTER FUNCTION app.operator_cancel_job(p_job bigint) OWNER TO hearth_owner;

-- Name: FUNCTION operator_cancel_job(p_job bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_cancel_job(p_job bigint) IS 'Deletes a job in any state.';

-- Name: operator_create_family(uuid, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text) RETURNS TABLE(family_unit_id uuid, family_code text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_owner constant app.users := app.lock_account_for_operator(p_owner);
    v_role constant text := coalesce(p_role, v_owner.role);
BEGIN
    IF v_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = p_owner AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    INSERT INTO app.family_units AS f (created_by_user_id, family_name, emptied_at)
        VALUES (p_owner, coalesce(p_family_name, 'My Family'), NULL)
        RETURNING f.id, f.family_code
        INTO operator_create_family.family_unit_id, operator_create_family.family_code;
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (operator_create_family.family_unit_id, p_owner, v_role,
                CASE v_role WHEN 'parent' THEN 'parent_admin' ELSE 'kid' END, 'created');
    INSERT INTO app.family_code_usage_log (family_unit_id, action)
        VALUES (operator_create_family.family_unit_id, 'generated');
    PERFORM app.record_audit('family.create', operator_create_family.family_unit_id, p_owner,
        operator_create_family.family_unit_id, jsonb_build_object('role', v_role));
    RETURN NEXT;
END $$;

ALTER FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_create_family(p_owner uuid, p_family_name text, p_role text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text) IS 'Creates a family for an account, which becomes its creator and first member.';

-- Name: operator_create_invitation(uuid, text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) RETURNS TABLE(invitation_id uuid, generation integer, expires_at timestamp with time zone, renewed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_inviter constant app.family_members := app.lock_member_for_operator(p_inviter_member);
    v_family constant uuid := v_inviter.family_unit_id;
    v_email constant text := app.normalised_email(p_email);
    v_household_role constant text := coalesce(
        p_household_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_pending app.family_invitations;
BEGIN
    IF (p_delivery = 'email') <> (v_email IS NOT NULL)
        OR (p_delivery = 'link' AND p_email IS NOT NULL) THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    ELSIF v_household_role NOT IN ('adult', 'kid', 'visitor') THEN
        PERFORM app.refuse('HF403', 'role_too_high',
            'An invitation makes an adult, a kid or a visitor.');
    ELSIF (app.is_adult(v_inviter) OR (app.is_player(v_inviter) AND p_role = 'parent'))
        IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'standing_too_low',
            'The member in whose name it is sent may not make this invitation.');
    ELSIF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = v_family AND m.status = 'active' AND u.email = v_email) THEN
        PERFORM app.refuse('HF409', 'person_already_member',
            'This person is already a member of the family.');
    END IF;
    UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
        WHERE i.family_unit_id = v_family AND i.invited_email = v_email
            AND i.status = 'pending' AND i.expires_at <= now();
    SELECT i.* INTO v_pending FROM app.family_invitations AS i
        WHERE i.family_unit_id = v_family AND i.invited_email = v_email AND i.status = 'pending';
    IF v_pending.kind = 'graduation'
        OR (v_pending.id IS NOT NULL
            AND app.may_handle_invitation(v_inviter, v_pending) IS NOT TRUE) THEN
        PERFORM app.refuse('HF409', 'already_invited',
            'Another member has invited this person: resend or revoke that invitation.');
    END IF;
    INSERT INTO app.family_invitations AS i
            (family_unit_id, invited_by, invited_email, role, household_role, delivery,
             vouched, sent_count, last_sent_at)
        VALUES (v_family, v_inviter.user_id, v_email, p_role, v_household_role, p_delivery,
                v_inviter.vouched, 1, now())
        ON CONFLICT (family_unit_id, invited_email) WHERE status = 'pending' DO UPDATE SET
            invited_by = excluded.invited_by, vouched = excluded.vouched, role = excluded.role,
            household_role = excluded.household_role, generation = i.generation + 1,
            expires_at = excluded.expires_at, sent_count = i.sent_count + 1,
            last_sent_at = excluded.last_sent_at
        RETURNING i.id, i.generation, i.expires_at, i.generation > 1
        INTO invitation_id, generation, expires_at, renewed;
    PERFORM app.record_audit('invitation.create', v_family, v_inviter.user_id, invitation_id,
        jsonb_build_object('role', p_role, 'householdRole', v_household_role,
            'delivery', p_delivery));
    RETURN NEXT;
END $$;

ALTER FUNCTION app.operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) IS 'Makes or renews an invitation in a member''s name; its secret has to follow.';

-- Name: operator_delete_audit_entries(timestamp with time zone, boolean, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.require_audit_export(p_before, p_exported_only);
    SELECT d.changed, d.reached INTO changed, reached
        FROM app.delete_audit_entries(p_before, p_batch, p_from) AS d;
END $$;

ALTER FUNCTION app.operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) IS 'Deletes so many entries before a moment at most, from another on; how many, and how far.';

-- Name: operator_drop_audit_part(timestamp with time zone, boolean, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_audit_end(p_before);
    PERFORM app.require_audit_export(p_before, p_exported_only);
    IF p_from IS NULL THEN
        PERFORM app.record_audit('audit.drop', NULL, NULL, NULL, jsonb_build_object(
            'before', to_char(p_before AT TIME ZONE 'UTC', 'YYYY-MM'),
            'exported', p_before <= coalesce(app.audit_exported_until(), '-infinity')));
    END IF;
    SELECT d.changed, d.reached INTO changed, reached
        FROM app.drop_audit_part(p_before, p_from) AS d;
END $$;

ALTER FUNCTION app.operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) IS 'Drops a part of the trail that ends by then and behind another moment; how many, how far.';

-- Name: operator_end_sessions(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_end_sessions(p_user uuid, p_session uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_count integer;
BEGIN
    PERFORM app.require_operator();
    UPDATE app.sessions AS s SET ended_at = now(), end_reason = 'operator'
        WHERE s.user_id = p_user AND s.id = coalesce(p_session, s.id)
            AND s.ended_at IS NULL AND s.ends_at > now();
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 THEN
        PERFORM app.record_audit('user.sign_out', NULL, p_user, coalesce(p_session, p_user),
            jsonb_build_object('sessions', v_count));
    END IF;
    RETURN v_count;
END $$;

ALTER FUNCTION app.operator_end_sessions(p_user uuid, p_session uuid) OWNER TO hearth_owner;

-- Name: operator_keep_invitation_secret(uuid, integer, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.store_invitation_secret(
        app.lock_invitation_for_operator(p_invitation), p_generation, p_token_hash);
END $$;

ALTER FUNCTION app.operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) IS 'Keeps SHA-256 of the token of an invitation''s generation.';

-- Name: operator_label(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_label() RETURNS text
    LANGUAGE sql STABLE
    RETURN CASE WHEN ((NULLIF(current_setting('hearth.operator'::text, true), ''::text) IS NOT NULL) AND pg_has_role(SESSION_USER, 'hearth_admin'::name, 'MEMBER'::text)) THEN ('operator:'::text || current_setting('hearth.operator'::text, true)) ELSE NULL::text END;

ALTER FUNCTION app.operator_label() OWNER TO hearth_owner;

-- Name: operator_make_audit_months(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_make_audit_months() RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_missing text[];
    v_made text[];
BEGIN
    PERFORM app.require_operator();
    v_missing := ARRAY(SELECT app.audit_months_missing());
    PERFORM app.make_audit_months();
    v_made := ARRAY(
        SELECT m.month FROM unnest(v_missing) AS m (month)
        EXCEPT SELECT app.audit_months_missing() ORDER BY 1);
    IF cardinality(v_made) > 0 THEN
        PERFORM app.record_audit('doctor.repair', NULL, NULL, NULL,
            jsonb_build_object('fault', 'audit_month_missing', 'months', v_made));
    END IF;
    RETURN QUERY SELECT unnest(v_made);
END $$;

ALTER FUNCTION app.operator_make_audit_months() OWNER TO hearth_owner;

-- Name: FUNCTION operator_make_audit_months(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_make_audit_months() IS 'Makes the parts of the trail that audit_months_missing names; returns their months.';

-- Name: operator_pause_webhook(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_pause_webhook(p_endpoint uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
BEGIN
    IF v_endpoint.paused_at IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM app.pause_webhook(p_endpoint, 'An operator paused it.');
    PERFORM app.record_audit('webhook.pause', NULL, NULL, p_endpoint);
    RETURN true;
END $$;

ALTER FUNCTION app.operator_pause_webhook(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_pause_webhook(p_endpoint uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_pause_webhook(p_endpoint uuid) IS 'Sends an endpoint nothing for now; its events are kept.';

-- Name: operator_promote_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_promote_guardian(p_member uuid, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.promote_guardian(app.lock_child_for_operator(p_member), p_guardian_member);
END $$;

ALTER FUNCTION app.operator_promote_guardian(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_promote_guardian(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_promote_guardian(p_member uuid, p_guardian_member uuid) IS 'Makes a guardian of a child its primary guardian.';

-- Name: operator_purge(text, interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    SELECT * INTO changed, reached FROM app.upkeep_batch(p_object, p_age, p_batch, p_from);
END $$;

ALTER FUNCTION app.operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) IS 'Expires or forgets so many things of a kind at most, from a moment on; how many, and how far.';

-- Name: operator_reassign_managed_member(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_reassign_managed_member(p_member uuid, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF v_child.user_kind <> 'managed' THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'This is no managed member.');
    END IF;
    PERFORM app.reassign_child(v_child, app.member_in_family_of(v_child, p_guardian_member));
END $$;

ALTER FUNCTION app.operator_reassign_managed_member(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_reassign_managed_member(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_reassign_managed_member(p_member uuid, p_guardian_member uuid) IS 'Hands a child to another adult of its family.';

-- Name: operator_remove_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_remove_guardian(p_member uuid, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.lock_child_for_operator(p_member);
BEGIN
    PERFORM app.dismiss_guardian(v_child, app.member_in_family_of(v_child, p_guardian_member));
END $$;

ALTER FUNCTION app.operator_remove_guardian(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_remove_guardian(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_remove_guardian(p_member uuid, p_guardian_member uuid) IS 'Ends a guardianship of a child that has another guardian.';

-- Name: operator_remove_member(uuid, uuid, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.remove_member_for_operator(p_member, p_reassign_to, p_rotate_code, NULL);
END $$;

ALTER FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) OWNER TO hearth_owner;

-- Name: FUNCTION operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) IS 'Removes a member; the children it guards go to the adult named, or stand in the way.';

-- Name: operator_remove_member(uuid, uuid, boolean, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.tell_of_removal(
        app.remove_member_for_operator(p_member, p_reassign_to, p_rotate_code, p_was));
END $$;

ALTER FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) IS 'Removes a member and tells it by e-mail; its children go to the adult named.';

-- Name: operator_remove_webhook(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_remove_webhook(p_endpoint uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.lock_webhook_for_operator(p_endpoint);
    DELETE FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint;
    PERFORM app.record_audit('webhook.remove', NULL, NULL, p_endpoint);
END $$;

ALTER FUNCTION app.operator_remove_webhook(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_remove_webhook(p_endpoint uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_remove_webhook(p_endpoint uuid) IS 'Removes an endpoint, and what it was still to be told.';

-- Name: operator_rename_family(uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_rename_family(p_family uuid, p_family_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.lock_family_for_operator(p_family);
    UPDATE app.family_units AS f SET family_name = p_family_name WHERE f.id = p_family;
    PERFORM app.record_audit('family.update', p_family, NULL, p_family,
        '{"changed": ["family_name"]}');
END $$;

ALTER FUNCTION app.operator_rename_family(p_family uuid, p_family_name text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_rename_family(p_family uuid, p_family_name text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_rename_family(p_family uuid, p_family_name text) IS 'Gives a family another name.';

-- Name: operator_replace_code(uuid, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.lock_family_for_operator(p_family);
    IF p_expires_in_days NOT BETWEEN 1 AND app.max_code_days() THEN
        PERFORM app.refuse_field('expiresInDays',
            format('A code lasts from 1 to %s days.', app.max_code_days()));
    END IF;
    PERFORM app.replace_code(p_family, now() + make_interval(days => p_expires_in_days));
    PERFORM app.record_audit('code.regenerate', p_family, NULL, p_family);
END $$;

ALTER FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer) OWNER TO hearth_owner;

-- Name: FUNCTION operator_replace_code(p_family uuid, p_expires_in_days integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer) IS 'Gives a family a new code, for so many days or (null) for good; the old one stops working.';

-- Name: operator_replay_webhook(uuid, boolean, uuid, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
    v_count integer;
BEGIN
    INSERT INTO app.webhook_deliveries AS d (endpoint_id, event_number, family_unit_id)
        SELECT p_endpoint, n.number, n.family_unit_id FROM app.webhook_events AS n
        WHERE n.event_type <> 'webhook.test'
            AND (v_endpoint.event_types = '{}' OR n.event_type = ANY (v_endpoint.event_types))
            AND (n.id = p_event OR n.occurred_at >= p_since OR (p_failed AND EXISTS (
                SELECT FROM app.webhook_deliveries AS f
                WHERE f.endpoint_id = p_endpoint AND f.event_number = n.number
                    AND f.state = 'failed')))
        ORDER BY n.number
        ON CONFLICT (endpoint_id, event_number) DO UPDATE SET
            state = 'pending', settled_at = NULL, first_failed_at = NULL
        WHERE d.state <> 'pending';
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_endpoint.paused_at IS NULL THEN
        PERFORM app.enqueue_first_webhooks(p_endpoint);
    END IF;
    PERFORM app.record_audit('webhook.replay', NULL, NULL, p_endpoint,
        jsonb_build_object('events', v_count));
    RETURN v_count;
END $$;

ALTER FUNCTION app.operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone) IS 'Sends an endpoint events again; how many.';

-- Name: operator_resend_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_resend_invitation(p_invitation uuid) RETURNS TABLE(generation integer, expires_at timestamp with time zone, delivery text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations := app.lock_invitation_for_operator(p_invitation);
BEGIN
    RETURN QUERY SELECT r.* FROM app.renew_invitation(p_invitation) AS r;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    PERFORM app.record_audit('invitation.resend', v_invitation.family_unit_id, NULL, p_invitation);
END $$;

ALTER FUNCTION app.operator_resend_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_resend_invitation(p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_resend_invitation(p_invitation uuid) IS 'Renews an invitation''s link; its secret has to follow in the same transaction.';

-- Name: operator_resume_webhook(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_resume_webhook(p_endpoint uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
BEGIN
    UPDATE app.webhook_endpoints AS e SET paused_at = NULL, pause_reason = NULL,
            failures = 0, failing_since = NULL, retry_at = NULL
        WHERE e.id = v_endpoint.id;
    UPDATE app.webhook_deliveries AS d SET first_failed_at = NULL
        WHERE d.endpoint_id = p_endpoint AND d.state = 'pending' AND d.first_failed_at IS NOT NULL;
    PERFORM app.record_audit('webhook.resume', NULL, NULL, p_endpoint);
    RETURN app.enqueue_first_webhooks(p_endpoint);
END $$;

ALTER FUNCTION app.operator_resume_webhook(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_resume_webhook(p_endpoint uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_resume_webhook(p_endpoint uuid) IS 'Ends a pause: what was kept is sent, in order.';

-- Name: operator_retry_job(bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_retry_job(p_job bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_family uuid;
BEGIN
    PERFORM app.require_operator();
    SELECT d.family_unit_id INTO v_family FROM jobs.dead AS d WHERE d.id = p_job FOR UPDATE;
    IF FOUND THEN
        PERFORM jobs.revive(p_job);
    ELSE
        UPDATE jobs.live AS j SET run_at = clock_timestamp()
            WHERE j.id = p_job AND j.state = 'ready' RETURNING j.family_unit_id INTO v_family;
        IF NOT FOUND THEN
            RETURN false;
        END IF;
    END IF;
    PERFORM app.record_audit('job.retry', v_family, NULL, NULL,
        jsonb_build_object('job', p_job));
    RETURN true;
END $$;

ALTER FUNCTION app.operator_retry_job(p_job bigint) OWNER TO hearth_owner;

-- Name: FUNCTION operator_retry_job(p_job bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_retry_job(p_job bigint) IS 'Runs a dead or waiting job now.';

-- Name: operator_revoke_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_revoke_invitation(p_invitation uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations := app.lock_invitation_for_operator(p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'There is no such pending invitation.');
    END IF;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = p_invitation;
    PERFORM app.record_audit('invitation.revoke', v_invitation.family_unit_id, NULL, p_invitation);
END $$;

ALTER FUNCTION app.operator_revoke_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_revoke_invitation(p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_revoke_invitation(p_invitation uuid) IS 'Ends a pending invitation; its link stops working.';

-- Name: operator_rotate_webhook(uuid, integer, bytea, interval); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint constant app.webhook_endpoints := app.lock_webhook_for_operator(p_endpoint);
BEGIN
    IF p_generation <> v_endpoint.secret_generation + 1 THEN
        PERFORM app.refuse('HF409', 'webhook_changed', 'Somebody else rotates this secret.');
    END IF;
    UPDATE app.webhook_endpoints AS e SET
            secret_generation = p_generation, secret_hash = p_secret_hash,
            previous_secret_hash = CASE WHEN p_overlap > interval '0' THEN e.secret_hash END,
            previous_until = CASE WHEN p_overlap > interval '0' THEN now() + p_overlap END
        WHERE e.id = p_endpoint;
    PERFORM app.record_audit('webhook.rotate', NULL, NULL, p_endpoint);
END $$;

ALTER FUNCTION app.operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval) OWNER TO hearth_owner;

-- Name: FUNCTION operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval) IS 'Gives an endpoint its next secret; the one before signs as well for a while.';

-- Name: operator_set_household_role(uuid, text, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_target constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF app.rank_of_household_role(p_household_role) IS NULL THEN
        PERFORM app.refuse_field('householdRole',
            'A household role is parent_admin, adult, kid or visitor.');
    ELSIF v_target.user_kind <> 'account' THEN
        PERFORM app.refuse('HF403', 'standing_too_low', 'A managed member stays a kid.');
    ELSIF v_target.status <> 'active' THEN
        PERFORM app.refuse('HF409', 'member_is_waiting', 'This person waits for approval.');
    ELSIF p_household_role = 'parent_admin' AND NOT app.is_admin(v_target) THEN
        IF app.seat_is_taken(v_target.family_unit_id) THEN
            PERFORM app.refuse('HF409', 'parent_admin_exists',
                'A Parent Admin already exists for this family.');
        ELSIF v_target.role <> 'parent' THEN
            PERFORM app.refuse('HF409', 'admin_not_adult',
                'The next Parent Admin is another adult with an account.');
        END IF;
    END IF;
    IF app.rank_of_household_role(p_household_role) < app.rank_of_household_role('adult') THEN
        PERFORM app.reassign_children_of(v_target, p_reassign_to);
    END IF;
    UPDATE app.family_members AS m SET household_role = p_household_role,
            household_ceiling = app.ceiling_of_household_role(p_household_role),
            vouched = m.vouched OR p_household_role = 'parent_admin'
        WHERE m.id = p_member;
    PERFORM app.revoke_invitations_beyond_rights(p_member);
    PERFORM app.record_audit('member.set_role', v_target.family_unit_id, v_target.user_id,
        p_member, jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

ALTER FUNCTION app.operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) IS 'Changes a member''s household role; the seat of the Parent Admin only while it is vacant.';

-- Name: operator_start_graduation(uuid, text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) RETURNS TABLE(invitation_id uuid, generation integer, expires_at timestamp with time zone, renewed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.lock_child_for_operator(p_member);
    v_guardian app.family_members;
BEGIN
    SELECT m.* INTO v_guardian FROM app.family_members AS m
        WHERE m.family_unit_id = v_child.family_unit_id
            AND m.user_id = v_child.active_guardian_id;
    RETURN QUERY SELECT i.* FROM app.issue_graduation(
        v_child, v_guardian, p_email, p_role, p_household_role, p_delivery) AS i;
END $$;

ALTER FUNCTION app.operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) IS 'Invites a child to have an account, in its primary guardian''s name.';

-- Name: operator_suppress_address(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_suppress_address(p_email text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    PERFORM app.suppress_address(app.normalised_email(p_email), 'an operator wants it so');
    PERFORM app.record_audit('mail.suppress', NULL,
        (SELECT u.id FROM app.users AS u
         WHERE u.email = app.normalised_email(p_email) ORDER BY u.created_at, u.id LIMIT 1), NULL);
END $$;

ALTER FUNCTION app.operator_suppress_address(p_email text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_suppress_address(p_email text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_suppress_address(p_email text) IS 'Stops all e-mail to an address.';

-- Name: operator_test_webhook(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_test_webhook(p_endpoint uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_number bigint;
BEGIN
    PERFORM app.lock_webhook_for_operator(p_endpoint);
    INSERT INTO app.webhook_events AS n (event_type, data)
        VALUES ('webhook.test', jsonb_build_object('webhookId', p_endpoint))
        RETURNING n.number INTO v_number;
    PERFORM app.queue_webhook(p_endpoint, v_number, NULL);
    PERFORM app.record_audit('webhook.test', NULL, NULL, p_endpoint);
    RETURN v_number;
END $$;

ALTER FUNCTION app.operator_test_webhook(p_endpoint uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_test_webhook(p_endpoint uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_test_webhook(p_endpoint uuid) IS 'Sends an endpoint a test; the number of its event.';

-- Name: operator_transfer_admin(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_transfer_admin(p_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_target constant app.family_members := app.lock_member_for_operator(p_member);
    v_before uuid;
BEGIN
    IF app.is_adult(v_target) IS NOT TRUE OR app.is_admin(v_target) THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    UPDATE app.family_members AS m SET household_role = 'adult'
        WHERE m.family_unit_id = v_target.family_unit_id AND m.status = 'active'
            AND m.household_role = 'parent_admin'
        RETURNING m.id INTO v_before;
    UPDATE app.family_members AS m SET household_role = 'parent_admin', vouched = true
        WHERE m.id = p_member;
    PERFORM app.record_audit('admin.transfer', v_target.family_unit_id, v_target.user_id, p_member,
        jsonb_build_object('from', v_before));
END $$;

ALTER FUNCTION app.operator_transfer_admin(p_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION operator_transfer_admin(p_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_transfer_admin(p_member uuid) IS 'Makes an adult the Parent Admin; the previous one becomes an adult.';

-- Name: operator_unsuppress_address(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.operator_unsuppress_address(p_email text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_refused boolean;
BEGIN
    PERFORM app.require_operator();
    DELETE FROM app.refused_invitations AS r WHERE r.email = app.normalised_email(p_email);
    v_refused := FOUND;
    IF NOT app.unsuppress_address(p_email) AND NOT v_refused THEN
        RETURN false;
    END IF;
    PERFORM app.record_audit('mail.unsuppress', NULL,
        (SELECT u.id FROM app.users AS u
         WHERE u.email = app.normalised_email(p_email) ORDER BY u.created_at, u.id LIMIT 1), NULL);
    RETURN true;
END $$;

ALTER FUNCTION app.operator_unsuppress_address(p_email text) OWNER TO hearth_owner;

-- Name: FUNCTION operator_unsuppress_address(p_email text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.operator_unsuppress_address(p_email text) IS 'Allows e-mail to an address again; false if nothing stopped it.';

-- Name: outcome_of_joining(app.family_units, app.family_members, text, uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.outcome_of_joining(p_family app.family_units, p_was app.family_members, p_role text, p_own_family uuid, p_account uuid) RETURNS text
    LANGUAGE sql
    SET search_path TO ''
    AS $$
SELECT CASE
    WHEN (p_was).status = 'active' THEN 'already_member'
    WHEN (p_was).status = 'removed' AND (p_was).removed_by IS DISTINCT FROM p_account
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

ALTER FUNCTION app.outcome_of_joining(p_family app.family_units, p_was app.family_members, p_role text, p_own_family uuid, p_account uuid) OWNER TO hearth_owner;

-- Name: outdated_versions(uuid[], bigint[], timestamp with time zone[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]) RETURNS TABLE(place bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
    SELECT k.place
    FROM unnest(p_ids, p_versions, p_raised_at) WITH ORDINALITY
        AS k (id, version, raised_at, place)
    LEFT JOIN app.family_versions AS f ON f.family_unit_id = k.id
    LEFT JOIN app.user_versions AS u ON u.user_id = k.id
    LEFT JOIN app.sessions AS s ON s.id = k.id
    -- A session's version becomes 1 when it ends.
    WHERE coalesce(f.version, u.version,
            (coalesce(s.ended_at, s.ends_at) <= clock_timestamp())::integer)
            IS DISTINCT FROM k.version
        OR coalesce(f.raised_at, u.raised_at, 'epoch') <> k.raised_at
$$;

ALTER FUNCTION app.outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]) OWNER TO hearth_owner;

-- Name: FUNCTION outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]) IS 'Which of these families, people and sessions have other versions than those that are given.';

-- Name: passkey_buckets(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.passkey_buckets(p_address text, p_network text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN ARRAY[('passkey:address:'::text || p_address), ('passkey:network:'::text || p_network)];

ALTER FUNCTION app.passkey_buckets(p_address text, p_network text) OWNER TO hearth_owner;

-- Name: passkey_of_credential(bytea, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.passkey_of_credential(p_credential_id bytea, p_challenge_hash bytea) RETURNS TABLE(id uuid, user_id uuid, public_key bytea, counter bigint, is_backup_eligible boolean, is_answered boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT k.id, k.user_id, k.public_key, k.counter, k.is_backup_eligible, EXISTS (
        SELECT FROM app.answered_challenges AS a WHERE a.challenge_hash = p_challenge_hash)
    FROM app.passkeys AS k
    WHERE sha256(k.credential_id) = sha256(p_credential_id) AND k.credential_id = p_credential_id
$$;

ALTER FUNCTION app.passkey_of_credential(p_credential_id bytea, p_challenge_hash bytea) OWNER TO hearth_owner;

-- Name: password_attempts_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.password_attempts_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:15:00'::interval;

ALTER FUNCTION app.password_attempts_window() OWNER TO hearth_owner;

-- Name: password_buckets(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.password_buckets(p_email text, p_address text, p_network text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN ARRAY[('password:account:'::text || encode(sha256(convert_to(p_email, 'UTF8'::name)), 'hex'::text)), ('password:address:'::text || p_address), ('password:network:'::text || p_network)];

ALTER FUNCTION app.password_buckets(p_email text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: password_of_address(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.password_of_address(p_email text) RETURNS TABLE(user_id uuid, hash text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT p.user_id, p.hash FROM app.passwords AS p
    WHERE p.user_id = app.account_of_address(app.normalised_email(p_email))
$$;

ALTER FUNCTION app.password_of_address(p_email text) OWNER TO hearth_owner;

-- Name: patch_attributes(uuid, jsonb, bigint[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]) RETURNS TABLE(attributes jsonb, version bigint, is_expected boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
    v_after jsonb;
BEGIN
    PERFORM app.require_allowed(v_me.governs OR app.is_adult(v_me));
    SELECT a.attributes, a.version INTO attributes, version
        FROM app.family_attributes AS a WHERE a.family_unit_id = p_family;
    attributes := coalesce(attributes, '{}');
    version := coalesce(version, 0);
    is_expected := p_versions IS NULL OR version = ANY (p_versions);
    v_after := app.merge_patch(attributes, p_patch);
    IF is_expected AND v_after <> attributes THEN
        INSERT INTO app.family_attributes AS a (family_unit_id, attributes, updated_by)
            VALUES (p_family, v_after, app.actor_id())
            ON CONFLICT ON CONSTRAINT family_attributes_pkey DO UPDATE
                SET attributes = excluded.attributes, version = a.version + 1,
                    updated_at = now(), updated_by = excluded.updated_by
            RETURNING a.attributes, a.version
            INTO patch_attributes.attributes, patch_attributes.version;
        PERFORM app.record_audit('attributes.write', p_family, v_me.user_id, p_family);
    END IF;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]) OWNER TO hearth_owner;

-- Name: FUNCTION patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]) IS 'Merges a patch into the family''s attributes; returns them and their version.';

-- Name: pause_webhook(uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.pause_webhook(p_endpoint uuid, p_reason text) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    UPDATE app.webhook_endpoints AS e SET paused_at = now(), pause_reason = left(p_reason, 200)
        WHERE e.id = p_endpoint AND e.paused_at IS NULL;
$$;

ALTER FUNCTION app.pause_webhook(p_endpoint uuid, p_reason text) OWNER TO hearth_owner;

-- Name: pending_invitation_of_family(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.pending_invitation_of_family(p_invitation uuid) RETURNS app.family_invitations
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_invitation app.family_invitations;
    v_me app.family_members;
BEGIN
    SELECT i.* INTO v_invitation FROM app.family_invitations AS i
        WHERE i.id = p_invitation AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = i.family_unit_id AND m.user_id = v_account
                AND m.status = 'active' AND m.household_role <> 'visitor');
    IF FOUND THEN
        v_me := app.lock_family_as_member(v_invitation.family_unit_id);
        SELECT i.* INTO v_invitation FROM app.family_invitations AS i
            WHERE i.id = p_invitation AND v_me.household_role <> 'visitor'
                AND i.status = 'pending' AND i.expires_at > now();
    END IF;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    RETURN v_invitation;
END $$;

ALTER FUNCTION app.pending_invitation_of_family(p_invitation uuid) OWNER TO hearth_owner;

-- Name: player_family_of(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.player_family_of(p_user uuid) RETURNS uuid
    LANGUAGE sql STABLE
    RETURN (SELECT m.family_unit_id FROM app.family_members m WHERE ((m.user_id = player_family_of.p_user) AND (m.status = 'active'::text) AND (m.role = 'player'::text)));

ALTER FUNCTION app.player_family_of(p_user uuid) OWNER TO hearth_owner;

-- Name: preview_code(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.preview_code(p_code text, p_address text, p_network text) RETURNS TABLE(outcome text, family_name text, member_count integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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
        PERFORM app.note_wrong_code(v_account, p_code);
        INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (v_family, v_account, 'rejected');
    END IF;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.preview_code(p_code text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: FUNCTION preview_code(p_code text, p_address text, p_network text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.preview_code(p_code text, p_address text, p_network text) IS 'Name and size of the family of a code, or why not; one row.';

-- Name: preview_invitation(bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.preview_invitation(p_token_hash bytea) RETURNS TABLE(state text, invitation_id uuid, email text, role text, family_name text, inviter_name text, expires_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
    SELECT app.state_of_invitation(i), i.id,
        CASE WHEN i.invited_email IS NULL THEN ''
             WHEN EXISTS (SELECT FROM app.users AS me
                          WHERE me.id = app.account_id() AND me.email_verified
                              AND me.email = i.invited_email) THEN i.invited_email
             ELSE app.masked_email(i.invited_email) END,
        i.role, f.family_name, coalesce(u.full_name, CASE WHEN u.email_verified
            THEN regexp_replace(u.email, '@[^@]*$', '') END, 'Member'), i.expires_at
    FROM (SELECT) AS always
    LEFT JOIN (
        app.family_invitations AS i
        JOIN app.family_units AS f ON f.id = i.family_unit_id
        JOIN app.users AS u ON u.id = i.invited_by)
        ON i.id = app.invitation_of_token(p_token_hash) AND i.status <> 'revoked';
$_$;

ALTER FUNCTION app.preview_invitation(p_token_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION preview_invitation(p_token_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.preview_invitation(p_token_hash bytea) IS 'What an invitation shows the holder of its token; one row.';

-- Name: prolong_session(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.prolong_session() RETURNS SETOF integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    UPDATE app.sessions AS s SET last_used_at = now(),
            ends_at = least(now() + app.session_idle_time(), s.started_at + app.session_life())
        WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid
            AND s.user_id = app.account_id() AND s.ended_at IS NULL AND s.ends_at > now()
            AND s.last_used_at < now() - interval '1 day'
        RETURNING floor(extract(epoch FROM s.ends_at - now()))::integer;
$$;

ALTER FUNCTION app.prolong_session() OWNER TO hearth_owner;

-- Name: FUNCTION prolong_session(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.prolong_session() IS 'Prolongs the session whose request has begun; how long it lasts, or no row.';

-- Name: promote_guardian(app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.promote_guardian(p_child app.family_members, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_guardian constant app.family_members :=
        app.member_in_family_of(p_child, p_guardian_member);
BEGIN
    IF NOT app.is_guardian(v_guardian, p_child) THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    ELSIF v_guardian.user_id = p_child.active_guardian_id THEN
        RETURN;
    END IF;
    UPDATE app.family_members AS m SET parent_user_id = v_guardian.user_id
        WHERE m.id = p_child.id;
    PERFORM app.record_audit('guardian.promote', p_child.family_unit_id, p_child.user_id,
        v_guardian.id);
END $$;

ALTER FUNCTION app.promote_guardian(p_child app.family_members, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: prove_address(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.prove_address(p_email text, p_full_name text, p_role text, OUT user_id uuid, OUT is_new boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM pg_advisory_xact_lock(1212499274, hashtext(p_email));
    user_id := app.account_of_address(p_email);
    is_new := user_id IS NULL;
    IF is_new THEN
        INSERT INTO app.users AS u (email, email_verified, full_name, role)
            VALUES (p_email, true, p_full_name, coalesce(p_role, 'parent'))
            RETURNING u.id INTO user_id;
    END IF;
    INSERT INTO app.email_sign_ins (user_id, email) VALUES (user_id, p_email)
        ON CONFLICT DO NOTHING;
END $$;

ALTER FUNCTION app.prove_address(p_email text, p_full_name text, p_role text, OUT user_id uuid, OUT is_new boolean) OWNER TO hearth_owner;

-- Name: provider_check_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.provider_check_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '1 day'::interval;

ALTER FUNCTION app.provider_check_time() OWNER TO hearth_owner;

-- Name: purge_answered_challenges(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_answered_challenges(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT t.challenge_hash, t.expires_at FROM app.answered_challenges AS t
        WHERE t.expires_at >= coalesce(p_from, '-infinity') AND t.expires_at <= now() - p_age
        ORDER BY t.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.answered_challenges AS t USING due
            WHERE t.challenge_hash = due.challenge_hash
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_answered_challenges(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_audit_entries(interval, boolean, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_audit_entries(p_age interval, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    SELECT d.changed, d.reached INTO changed, reached FROM app.delete_audit_entries(
        app.audit_cutoff(p_age, p_exported_only), p_batch, p_from) AS d;
END $$;

ALTER FUNCTION app.purge_audit_entries(p_age interval, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_code_lookups(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_code_lookups(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT l.user_id, l.code_digest, l.looked_up_at FROM app.code_lookups AS l
        WHERE l.looked_up_at >= coalesce(p_from, '-infinity') AND l.looked_up_at <= now() - p_age
        ORDER BY l.looked_up_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.code_lookups AS l USING due
            WHERE l.user_id = due.user_id AND l.code_digest = due.code_digest
            RETURNING due.looked_up_at)
    SELECT count(*), max(looked_up_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_code_lookups(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_code_usage_log(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_code_usage_log(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT l.id, l.at FROM app.family_code_usage_log AS l
        WHERE l.at >= coalesce(p_from, '-infinity') AND l.at <= now() - p_age
        ORDER BY l.at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.family_code_usage_log AS l USING due
            WHERE l.id = due.id
            RETURNING due.at)
    SELECT count(*), max(at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_code_usage_log(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_empty_families(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_empty_families(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_families uuid[];
    v_children uuid[];
BEGIN
    SELECT coalesce(array_agg(due.id), '{}'), max(due.emptied_at) INTO v_families, reached FROM (
        SELECT f.id, f.emptied_at FROM app.family_units AS f
        WHERE f.emptied_at >= coalesce(p_from, '-infinity') AND f.emptied_at <= now() - p_age
        ORDER BY f.emptied_at LIMIT p_batch FOR UPDATE SKIP LOCKED) AS due;
    -- Also the aliases of those that have grown up: a child's membership has its user's id.
    v_children := ARRAY(
        SELECT u.id FROM app.family_members AS m JOIN app.users AS u ON u.id = m.id
        WHERE m.family_unit_id = ANY (v_families) AND u.kind = 'managed');
    DELETE FROM app.audit_log AS a WHERE a.family_unit_id = ANY (v_families);
    DELETE FROM app.family_code_usage_log AS l WHERE l.family_unit_id = ANY (v_families);
    DELETE FROM app.family_units AS f WHERE f.id = ANY (v_families);
    DELETE FROM app.users AS u WHERE u.id = ANY (v_children);
    changed := cardinality(v_families);
END $$;

ALTER FUNCTION app.purge_empty_families(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_family_changes(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_family_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_due record;
BEGIN
    changed := 0;
    -- In the order in which all writers lock versions.
    FOR v_due IN
        SELECT d.family_unit_id, max(d.version) AS version, max(d.changed_at) AS at,
            count(*)::integer AS changes
        FROM (
            SELECT c.family_unit_id, c.version, c.changed_at FROM app.family_changes AS c
            WHERE c.changed_at >= coalesce(p_from, '-infinity') AND c.changed_at <= now() - p_age
            ORDER BY c.changed_at LIMIT p_batch) AS d
        GROUP BY d.family_unit_id ORDER BY d.family_unit_id
    LOOP
        UPDATE app.family_versions AS v
            SET purged_version = v_due.version, purged_raised_at = v_due.at
            WHERE v.family_unit_id = v_due.family_unit_id AND v.purged_version < v_due.version;
        DELETE FROM app.family_changes AS c
            WHERE c.family_unit_id = v_due.family_unit_id AND c.version <= v_due.version;
        changed := changed + v_due.changes;
        reached := greatest(reached, v_due.at);
    END LOOP;
    DELETE FROM app.role_conflicts AS c WHERE (c.user_id, c.member_id) IN (
        SELECT d.user_id, d.member_id FROM app.role_conflicts AS d
        WHERE d.noted_at <= now() - p_age ORDER BY d.noted_at LIMIT p_batch
        FOR UPDATE SKIP LOCKED);
END $$;

ALTER FUNCTION app.purge_family_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_idempotency_keys(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_idempotency_keys(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT k.actor_id, k.subject_id, k.route, k.key, k.created_at FROM app.idempotency_keys AS k
        WHERE k.created_at >= coalesce(p_from, '-infinity') AND k.created_at <= now() - p_age
        ORDER BY k.created_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.idempotency_keys AS k USING due
            WHERE k.actor_id = due.actor_id AND k.subject_id = due.subject_id
                AND k.route = due.route AND k.key = due.key
            RETURNING due.created_at)
    SELECT count(*), max(created_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_idempotency_keys(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_invitations(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_invitations(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT i.id, i.closed_at FROM app.family_invitations AS i
        WHERE i.closed_at >= coalesce(p_from, '-infinity') AND i.closed_at <= now() - p_age
        ORDER BY i.closed_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.family_invitations AS i USING due
            WHERE i.id = due.id
            RETURNING due.closed_at)
    SELECT count(*), max(closed_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_invitations(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_mailed_tickets(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_mailed_tickets(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT t.id, t.expires_at FROM app.mailed_tickets AS t
        WHERE t.expires_at >= coalesce(p_from, '-infinity') AND t.expires_at <= now() - p_age
        ORDER BY t.expires_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.mailed_tickets AS t USING due WHERE t.id = due.id
            RETURNING due.expires_at)
    SELECT count(*), max(expires_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_mailed_tickets(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_rate_limits(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_rate_limits(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT r.bucket, r.window_start FROM app.rate_limits AS r
        WHERE r.window_start >= coalesce(p_from, '-infinity') AND r.window_start <= now() - p_age
        ORDER BY r.window_start LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.rate_limits AS r USING due WHERE r.bucket = due.bucket
            RETURNING due.window_start)
    SELECT count(*), max(window_start) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_rate_limits(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_retired_codes(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_retired_codes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT c.code, c.retired_at FROM app.family_codes AS c
        WHERE c.state = 'retired'
            AND c.retired_at >= coalesce(p_from, '-infinity') AND c.retired_at <= now() - p_age
        ORDER BY c.retired_at LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.family_codes AS c USING due
            WHERE c.code = due.code
            RETURNING due.retired_at)
    SELECT count(*), max(retired_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_retired_codes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_sessions(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_sessions(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
BEGIN
    WITH due AS (
        SELECT s.id, coalesce(s.ended_at, s.ends_at) AS over_at FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at) >= coalesce(p_from, '-infinity')
            AND coalesce(s.ended_at, s.ends_at) <= now() - p_age
        ORDER BY coalesce(s.ended_at, s.ends_at) LIMIT p_batch FOR UPDATE SKIP LOCKED),
    gone AS (
        DELETE FROM app.sessions AS s USING due WHERE s.id = due.id
            RETURNING due.over_at)
    SELECT count(*), max(over_at) INTO changed, reached FROM gone;
END $$;

ALTER FUNCTION app.purge_sessions(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_user_changes(interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_user_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
DECLARE
    v_due record;
BEGIN
    changed := 0;
    -- In the order in which all writers lock versions.
    FOR v_due IN
        SELECT d.user_id, max(d.version) AS version, max(d.changed_at) AS at,
            count(*)::integer AS changes
        FROM (
            SELECT c.user_id, c.version, c.changed_at FROM app.user_changes AS c
            WHERE c.changed_at >= coalesce(p_from, '-infinity') AND c.changed_at <= now() - p_age
            ORDER BY c.changed_at LIMIT p_batch) AS d
        GROUP BY d.user_id ORDER BY d.user_id
    LOOP
        UPDATE app.user_versions AS v
            SET purged_version = v_due.version, purged_raised_at = v_due.at
            WHERE v.user_id = v_due.user_id AND v.purged_version < v_due.version;
        DELETE FROM app.user_changes AS c
            WHERE c.user_id = v_due.user_id AND c.version <= v_due.version;
        changed := changed + v_due.changes;
        reached := greatest(reached, v_due.at);
    END LOOP;
END $$;

ALTER FUNCTION app.purge_user_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: purge_wrong_codes(integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    -- Nothing counts in an hour any more that ended five minutes ago: no statement lasts so long.
    v_end constant timestamptz := date_trunc('hour', now() - interval '5 minutes', 'UTC');
    v_hour timestamptz;
    v_minutes integer;
BEGIN
    changed := 0;
    WHILE changed < p_batch LOOP
        SELECT date_trunc('hour', min(w.minute), 'UTC') INTO v_hour
            FROM app.wrong_codes AS w WHERE w.minute < v_end;
        EXIT WHEN v_hour IS NULL;
        -- Nothing is older than this hour.
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

ALTER FUNCTION app.purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone) IS 'Sums up minutes of wrong codes by the hour, and deletes hours after a week.';

-- Name: put_password(uuid, text, uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.put_password(p_user uuid, p_hash text, p_except uuid, p_mail jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    INSERT INTO app.passwords AS p (user_id, hash) VALUES (p_user, p_hash)
        ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, set_at = now();
    PERFORM app.end_sessions_of(p_user, p_except, 'password');
    UPDATE app.mailed_tickets AS t SET used_at = now()
        WHERE t.purpose = 'reset' AND t.used_at IS NULL AND t.email IN (
            SELECT e.email FROM app.email_sign_ins AS e
            WHERE e.user_id = p_user AND e.removed_at IS NULL
            UNION SELECT u.email FROM app.users AS u WHERE u.id = p_user AND u.email_verified);
    PERFORM jobs.enqueue('mail', 'mail.password_changed', NULL,
        p_mail || jsonb_build_object('recipient', p_user));
END $$;

ALTER FUNCTION app.put_password(p_user uuid, p_hash text, p_except uuid, p_mail jsonb) OWNER TO hearth_owner;

-- Name: queue_webhook(uuid, bigint, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.queue_webhook(p_endpoint uuid, p_event bigint, p_family uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_is_first boolean := true;
BEGIN
    IF p_family IS NOT NULL THEN
        PERFORM FROM app.webhook_deliveries AS d
            WHERE d.endpoint_id = p_endpoint AND d.family_unit_id = p_family
                AND d.state = 'pending'
            ORDER BY d.event_number DESC LIMIT 1 FOR NO KEY UPDATE;
        v_is_first := NOT FOUND;
    END IF;
    INSERT INTO app.webhook_deliveries (endpoint_id, event_number, family_unit_id)
        VALUES (p_endpoint, p_event, p_family);
    IF v_is_first THEN
        PERFORM app.enqueue_webhook(p_endpoint, p_event, p_family);
    END IF;
END $$;

ALTER FUNCTION app.queue_webhook(p_endpoint uuid, p_event bigint, p_family uuid) OWNER TO hearth_owner;

-- Name: raise_family_version(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.raise_family_version(p_family uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_version bigint;
BEGIN
    UPDATE app.family_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.family_unit_id = p_family
            AND v.transaction_id IS DISTINCT FROM pg_current_xact_id()
        RETURNING v.version - app.kept_changes() INTO v_version;
    PERFORM app.require_expected_version(p_family, v_version + app.kept_changes() - 1);
    IF v_version > 0 AND v_version % 100 = 0 THEN
        UPDATE app.family_versions AS v
            SET purged_version = v_version, purged_raised_at = (
                SELECT max(c.changed_at) FROM app.family_changes AS c
                WHERE c.family_unit_id = p_family AND c.version = v_version)
            WHERE v.family_unit_id = p_family AND v.purged_version < v_version;
        DELETE FROM app.family_changes AS c
            WHERE c.family_unit_id = p_family AND c.version <= v_version;
    END IF;
END $$;

ALTER FUNCTION app.raise_family_version(p_family uuid) OWNER TO hearth_owner;

-- Name: raise_user_version(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.raise_user_version(p_user uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_version bigint;
BEGIN
    UPDATE app.user_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.user_id = p_user
            AND v.transaction_id IS DISTINCT FROM pg_current_xact_id()
        RETURNING v.version - app.kept_changes() INTO v_version;
    PERFORM app.require_expected_version(p_user, v_version + app.kept_changes() - 1);
    IF v_version > 0 AND v_version % 100 = 0 THEN
        UPDATE app.user_versions AS v
            SET purged_version = v_version, purged_raised_at = (
                SELECT max(c.changed_at) FROM app.user_changes AS c
                WHERE c.user_id = p_user AND c.version = v_version)
            WHERE v.user_id = p_user AND v.purged_version < v_version;
        DELETE FROM app.user_changes AS c
            WHERE c.user_id = p_user AND c.version <= v_version;
    END IF;
END $$;

ALTER FUNCTION app.raise_user_version(p_user uuid) OWNER TO hearth_owner;

-- Name: raise_versions(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.raise_versions() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_text constant text := btrim(current_setting('hearth.changes', true), E'\n');
    v_notes constant text[] := string_to_array(v_text, E'\n');
    v_id uuid;
    v_changes app.user_changes[];
    v_children uuid[] := '{}';
BEGIN
    PERFORM set_config('hearth.changes', '', true);
    IF v_text ~ '@' THEN
        PERFORM app.lock_noted_addresses(v_notes);
    END IF;
    IF v_text LIKE '%address %' THEN
        PERFORM app.lock_inviting_families(v_notes);
    END IF;
    FOREACH v_id IN ARRAY app.noted_families(v_notes) LOOP
        PERFORM app.raise_family_version(v_id);
    END LOOP;
    INSERT INTO app.family_changes AS c
        (family_unit_id, version, kind, id, audience, is_managed, changed_at)
        SELECT DISTINCT ON (n.family_unit_id, n.kind, n.id)
            n.family_unit_id, v.version, n.kind, n.id, n.audience, n.is_managed, v.raised_at
        FROM unnest(app.noted_family_changes(v_notes)) AS n
        JOIN app.family_versions AS v ON v.family_unit_id = n.family_unit_id
            AND v.transaction_id = pg_current_xact_id()
        ORDER BY n.family_unit_id, n.kind, n.id, n.audience = 'members' DESC, n.is_managed DESC
        ON CONFLICT ON CONSTRAINT family_changes_pkey DO UPDATE
            SET audience = CASE 'members' WHEN excluded.audience THEN 'members' ELSE c.audience END,
                is_managed = c.is_managed OR excluded.is_managed
            WHERE excluded.audience = 'members' OR excluded.is_managed;

    IF v_text LIKE '%role %' THEN
        PERFORM app.date_role_changes(v_notes);
    END IF;

    v_changes := app.noted_user_changes(v_notes);
    IF cardinality(v_changes) = 0 THEN
        RETURN;
    END IF;
    FOR v_id IN
        SELECT DISTINCT u.id FROM unnest(v_changes) AS c
        JOIN app.users AS u ON u.id = c.user_id AND u.kind = 'managed' ORDER BY u.id
    LOOP
        PERFORM app.raise_user_version(v_id);
        v_children := v_children || v_id;
    END LOOP;
    IF cardinality(v_children) > 0 THEN
        v_changes := v_changes || app.noted_guardian_changes(v_notes, v_children, v_changes);
    END IF;
    FOR v_id IN
        SELECT DISTINCT c.user_id FROM unnest(v_changes) AS c
        WHERE c.user_id <> ALL (v_children) ORDER BY c.user_id
    LOOP
        PERFORM app.raise_user_version(v_id);
    END LOOP;
    INSERT INTO app.user_changes AS c
        (user_id, version, kind, id, family_unit_id, is_managed, changed_at)
        SELECT n.user_id, v.version, n.kind, n.id, n.family_unit_id,
            n.kind <> 'family' AND n.id = ANY (v_children), v.raised_at
        FROM unnest(v_changes) AS n
        JOIN app.user_versions AS v ON v.user_id = n.user_id
            AND v.transaction_id = pg_current_xact_id()
        ON CONFLICT DO NOTHING;
    -- Whoever invites must not find out by the time it takes whether the address has an account. So
    -- for one that has none a row is written too, where rows are purged soon.
    IF EXISTS (SELECT FROM unnest(v_changes) AS c WHERE c.user_id = app.no_user_id()) THEN
        INSERT INTO app.rate_limits (bucket, window_start, hits)
            VALUES ('invited:' || pg_current_xact_id(), now(), 0) ON CONFLICT DO NOTHING;
    END IF;
END $$;

ALTER FUNCTION app.raise_versions() OWNER TO hearth_owner;

-- Name: raise_versions_at_commit(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.raise_versions_at_commit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF current_setting('hearth.changes', true) <> '' THEN
        PERFORM app.raise_versions();
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.raise_versions_at_commit() OWNER TO hearth_owner;

-- Name: random_code(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.random_code() RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    alphabet constant text := 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
    v_length constant integer := app.code_length();
    drawn text := '';
    bytes bytea;
    value integer;
BEGIN
    LOOP
        bytes := uuid_send(gen_random_uuid());
        FOR i IN 0..15 LOOP
            CONTINUE WHEN i IN (6, 8);
            value := get_byte(bytes, i);
            CONTINUE WHEN value >= 248;
            drawn := drawn || substr(alphabet, value % 31 + 1, 1);
            IF length(drawn) = v_length THEN
                RETURN 'FAM-' || drawn;
            END IF;
        END LOOP;
    END LOOP;
END $$;

ALTER FUNCTION app.random_code() OWNER TO hearth_owner;

-- Name: readers_missing_standbys(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.readers_missing_standbys() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT count(*)::integer
    FROM app.standbys_in_use() AS u
    JOIN app.standby_readers AS r ON NOT r.standbys @> u.standbys
    WHERE r.renewed_at > clock_timestamp() - interval '1 minute';
$$;

ALTER FUNCTION app.readers_missing_standbys() OWNER TO hearth_owner;

-- Name: FUNCTION readers_missing_standbys(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.readers_missing_standbys() IS 'How many processes don''t read from every standby that others read from.';

-- Name: reassign_child(app.family_members, app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reassign_child(p_child app.family_members, p_guardian app.family_members) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF app.is_adult(p_guardian) IS NOT TRUE OR p_guardian.user_id = p_child.parent_user_id THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    END IF;
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = p_child.id AND w.guardian_user_id = p_child.parent_user_id;
    UPDATE app.family_members AS m SET parent_user_id = p_guardian.user_id
        WHERE m.id = p_child.id;
    PERFORM app.record_audit('managed.reassign', p_child.family_unit_id, p_child.user_id,
        p_guardian.id);
END $$;

ALTER FUNCTION app.reassign_child(p_child app.family_members, p_guardian app.family_members) OWNER TO hearth_owner;

-- Name: reassign_children_of(app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reassign_children_of(p_from app.family_members, p_to_member uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_to app.family_members;
    v_alone app.family_members[] := ARRAY(
        SELECT m FROM app.guardianships AS w JOIN app.family_members AS m ON m.id = w.member_id
        WHERE w.family_unit_id = p_from.family_unit_id AND w.guardian_user_id = p_from.user_id
            AND app.next_guardian(m.id, p_from.user_id) IS NULL
        ORDER BY m.id);
    v_child app.family_members;
BEGIN
    IF p_to_member IS NOT NULL AND EXISTS (
        SELECT FROM app.guardianships AS w
        WHERE w.family_unit_id = p_from.family_unit_id AND w.guardian_user_id = p_from.user_id)
    THEN
        v_to := app.member_in_family_of(p_from, p_to_member);
        PERFORM app.require_allowed(
            cardinality(v_alone) > 0 OR v_to.user_id IS DISTINCT FROM app.account_id());
    END IF;
    IF cardinality(v_alone) = 0 THEN
        RETURN;
    ELSIF p_to_member IS NULL THEN
        PERFORM app.refuse('HF409', 'guardian_has_managed_members',
            'This member is the guardian of managed members. Name who takes over.');
    ELSIF v_to.id = p_from.id THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    END IF;
    FOREACH v_child IN ARRAY v_alone LOOP
        PERFORM app.reassign_child(v_child, v_to);
    END LOOP;
END $$;

ALTER FUNCTION app.reassign_children_of(p_from app.family_members, p_to_member uuid) OWNER TO hearth_owner;

-- Name: reassign_managed_member(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reassign_managed_member(p_member uuid, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_primarily_guarded_child(p_member);
BEGIN
    PERFORM app.reassign_child(v_child, app.member_in_family_of(v_child, p_guardian_member));
END $$;

ALTER FUNCTION app.reassign_managed_member(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION reassign_managed_member(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reassign_managed_member(p_member uuid, p_guardian_member uuid) IS 'Hands a child that the caller guards to another adult of the family.';

-- Name: audit_log; Type: TABLE; Schema: app
CREATE TABLE app.audit_log (
    id uuid DEFAULT app.id_of_now() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    family_unit_id uuid,
    actor_user_id uuid,
    actor_label text,
    subject_user_id uuid,
    action text NOT NULL,
    target_id uuid,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_log_action_form CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
    CONSTRAINT audit_log_details_form CHECK (((jsonb_typeof(details) = 'object'::text) AND (octet_length((details)::text) <= 4096))),
    CONSTRAINT audit_log_label_form CHECK ((actor_label ~ '^(operator|sql|job):[^[:cntrl:]]{1,80}$'::text))
)
PARTITION BY RANGE (at);

ALTER TABLE ONLY app.audit_log FORCE ROW LEVEL SECURITY;

ALTER TABLE app.audit_log OWNER TO hearth_owner;

-- Name: TABLE audit_log; Type: COMMENT; Schema: app
COMMENT ON TABLE app.audit_log IS 'Who did what, to whom: append only.';

-- Name: record_audit(text, uuid, uuid, uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.record_audit(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb DEFAULT '{}'::jsonb) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO app.audit_log (family_unit_id, actor_user_id, actor_label, subject_user_id, action, target_id, details)
   VALUES (record_audit.p_family, app.actor_id(), app.operator_label(), record_audit.p_subject, record_audit.p_action, record_audit.p_target, record_audit.p_details);
END;

ALTER FUNCTION app.record_audit(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb) OWNER TO hearth_owner;

-- Name: record_event(text, uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.record_event(p_type text, p_family uuid, p_data jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_endpoint uuid;
    v_number bigint;
BEGIN
    IF NOT EXISTS (
        SELECT FROM app.webhook_endpoints AS e
        WHERE e.event_types = '{}' OR p_type = ANY (e.event_types)) THEN
        RETURN;
    END IF;
    -- Held already, as a rule.
    PERFORM FROM app.family_units AS f WHERE f.id = p_family FOR NO KEY UPDATE;
    INSERT INTO app.webhook_events AS n (event_type, family_unit_id, data)
        VALUES (p_type, p_family, p_data || jsonb_build_object('actorUserId', app.actor_id()))
        RETURNING n.number INTO v_number;
    FOR v_endpoint IN
        SELECT e.id FROM app.webhook_endpoints AS e
        WHERE e.event_types = '{}' OR p_type = ANY (e.event_types)
        ORDER BY e.id FOR KEY SHARE
    LOOP
        PERFORM app.queue_webhook(v_endpoint, v_number, p_family);
    END LOOP;
END $$;

ALTER FUNCTION app.record_event(p_type text, p_family uuid, p_data jsonb) OWNER TO hearth_owner;

-- Name: recorded_definitions(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.recorded_definitions() RETURNS TABLE(kind text, name text, place text, statement text, server_version integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF to_regclass('migrations.definitions') IS NOT NULL THEN
        RETURN QUERY EXECUTE
            'SELECT d.kind, d.name, d.place, d.statement, d.server_version
             FROM migrations.definitions AS d';
    END IF;
END $$;

ALTER FUNCTION app.recorded_definitions() OWNER TO hearth_owner;

-- Name: FUNCTION recorded_definitions(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.recorded_definitions() IS 'What the migrations made, as the server of that version words it; nothing without a record.';

-- Name: refresh_grace_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refresh_grace_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:00:30'::interval;

ALTER FUNCTION app.refresh_grace_time() OWNER TO hearth_owner;

-- Name: refresh_session(uuid, integer, bytea, boolean, bytea[], jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb) RETURNS TABLE(outcome text, place integer, user_id uuid, method text, started_at timestamp with time zone, lasts_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_session app.sessions;
    v_token app.refresh_tokens;
    v_state text;
    v_now timestamptz;
BEGIN
    SELECT s.* INTO v_session FROM app.sessions AS s WHERE s.id = p_session FOR NO KEY UPDATE;
    SELECT t.* INTO v_token FROM app.refresh_tokens AS t WHERE t.session_id = p_session;
    v_state := coalesce(app.state_of_refresh_token(
        p_session, p_generation, p_token_hash, p_is_authentic), 'none');
    v_now := clock_timestamp();
    user_id := v_session.user_id;
    method := v_session.method;
    started_at := v_session.started_at;
    IF v_state = 'none' THEN
        outcome := 'unknown';
    ELSIF v_session.ended_at IS NOT NULL OR v_session.ends_at <= v_now THEN
        outcome := 'ended';
    ELSIF v_state = 'newest' THEN
        outcome := 'rotated';
        place := 1;
        UPDATE app.refresh_tokens AS t
            SET generation = t.generation + 1, token_hash = p_next_hashes[1], issued_at = v_now
            WHERE t.session_id = p_session;
        UPDATE app.sessions AS s SET last_used_at = v_now, ends_at = least(
                v_now + app.session_idle_time(), s.started_at + app.session_life())
            WHERE s.id = p_session RETURNING s.* INTO v_session;
    ELSIF p_generation = v_token.generation - 1
        AND v_token.issued_at > v_now - app.refresh_grace_time() THEN
        place := array_position(p_next_hashes, v_token.token_hash);
        outcome := CASE WHEN place IS NULL THEN 'unknown' ELSE 'repeated' END;
    ELSE
        outcome := 'reused';
        UPDATE app.sessions AS s SET ended_at = v_now, end_reason = 'reused'
            WHERE s.id = p_session;
        PERFORM jobs.enqueue('mail', 'mail.session_reused', NULL,
            p_mail || jsonb_build_object('recipient', v_session.user_id));
    END IF;
    lasts_seconds := greatest(0, floor(extract(epoch FROM v_session.ends_at - v_now)))::integer;
    IF outcome IN ('rotated', 'repeated') THEN
        PERFORM set_config('hearth.guardian_id', '', true),
            set_config('hearth.user_id', v_session.user_id::text, true);
    END IF;
    RETURN NEXT;
END $$;

ALTER FUNCTION app.refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb) IS 'Exchanges a refresh token for the next one; one row, see outcome.';

-- Name: refusable_invitation(bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refusable_invitation(p_token_hash bytea) RETURNS TABLE(family_name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT f.family_name FROM app.mailed_invitation_of_token(p_token_hash) AS i
    JOIN app.family_units AS f ON f.id = i.family_unit_id
$$;

ALTER FUNCTION app.refusable_invitation(p_token_hash bytea) OWNER TO hearth_owner;

-- Name: refuse(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refuse(p_state text, p_reason text, p_message text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = p_state, CONSTRAINT = p_reason, MESSAGE = p_message;
END $$;

ALTER FUNCTION app.refuse(p_state text, p_reason text, p_message text) OWNER TO hearth_owner;

-- Name: FUNCTION refuse(p_state text, p_reason text, p_message text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.refuse(p_state text, p_reason text, p_message text) IS 'Raises an error of class HF: state, code (as constraint name), sentence for people.';

-- Name: refuse_field(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refuse_field(p_field text, p_message text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'HF400', CONSTRAINT = 'invalid_field', DETAIL = p_field,
        MESSAGE = p_message;
END $$;

ALTER FUNCTION app.refuse_field(p_field text, p_message text) OWNER TO hearth_owner;

-- Name: FUNCTION refuse_field(p_field text, p_message text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.refuse_field(p_field text, p_message text) IS 'Raises that a value can''t be taken: its field''s name in the API, sentence for people.';

-- Name: refuse_invitations(bytea, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refuse_invitations(p_token_hash bytea, p_of_all boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations :=
        app.mailed_invitation_of_token(p_token_hash);
BEGIN
    IF v_invitation.id IS NULL THEN
        RETURN false;
    END IF;
    INSERT INTO app.refused_invitations (email, family_unit_id)
        VALUES (v_invitation.invited_email,
            CASE WHEN p_of_all THEN NULL ELSE v_invitation.family_unit_id END)
        ON CONFLICT DO NOTHING;
    RETURN true;
END $$;

ALTER FUNCTION app.refuse_invitations(p_token_hash bytea, p_of_all boolean) OWNER TO hearth_owner;

-- Name: FUNCTION refuse_invitations(p_token_hash bytea, p_of_all boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.refuse_invitations(p_token_hash bytea, p_of_all boolean) IS 'Stops e-mails with invitations to the address that a token was mailed to.';

-- Name: refuses_invitations(text, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.refuses_invitations(p_email text, p_family uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT EXISTS (
        SELECT FROM app.refused_invitations AS r
        WHERE r.email = p_email AND coalesce(r.family_unit_id, p_family) = p_family)
$$;

ALTER FUNCTION app.refuses_invitations(p_email text, p_family uuid) OWNER TO hearth_owner;

-- Name: regenerate_code(uuid, integer); Type: FUNCTION; Schema: app
CREATE FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer) RETURNS TABLE(family_code text, code_generated_at timestamp with time zone, code_expires_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
BEGIN
    PERFORM app.require_allowed(app.may_regenerate_code(v_me));
    IF p_expires_in_days NOT BETWEEN 1 AND app.max_code_days() THEN
        PERFORM app.refuse_field('expiresInDays',
            format('A code lasts from 1 to %s days.', app.max_code_days()));
    END IF;
    PERFORM app.replace_code(p_family, now() + make_interval(days => p_expires_in_days));
    PERFORM app.record_audit('code.regenerate', p_family, v_me.user_id, p_family);
    RETURN QUERY SELECT f.family_code, f.code_generated_at, f.code_expires_at
        FROM app.family_units AS f WHERE f.id = p_family;
END $$;

ALTER FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer) OWNER TO hearth_owner;

-- Name: FUNCTION regenerate_code(p_family uuid, p_expires_in_days integer); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer) IS 'Gives the family a new code, for so many days or (null) for good.';

-- Name: release_hits(text[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.release_hits(p_buckets text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_bucket text;
BEGIN
    FOR v_bucket IN SELECT b FROM unnest(p_buckets) AS b ORDER BY b COLLATE "C" LOOP
        UPDATE app.rate_limits AS r SET hits = r.hits - 1 WHERE r.bucket = v_bucket AND r.hits > 0;
    END LOOP;
END $$;

ALTER FUNCTION app.release_hits(p_buckets text[]) OWNER TO hearth_owner;

-- Name: FUNCTION release_hits(p_buckets text[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.release_hits(p_buckets text[]) IS 'Takes one hit back from every bucket.';

-- Name: release_password_attempt(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.release_password_attempt(p_email text, p_address text, p_network text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT FROM app.release_hits(
        app.password_buckets(app.normalised_email(p_email), p_address, p_network))
$$;

ALTER FUNCTION app.release_password_attempt(p_email text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: remove_children_left_to_creator(app.family_members, app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_children_left_to_creator(p_me app.family_members, p_guardian app.family_members) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_child app.family_members;
BEGIN
    FOR v_child IN
        SELECT m.* FROM app.family_members AS m
        WHERE m.family_unit_id = p_me.family_unit_id AND m.active_guardian_id = p_guardian.user_id
            AND app.next_guardian(m.id, p_guardian.user_id) IS NULL
            AND app.is_creator(p_me) AND app.is_left_to_creator(m)
        ORDER BY m.id
    LOOP
        PERFORM app.end_membership(v_child);
        PERFORM app.record_audit('managed.remove', p_me.family_unit_id, v_child.user_id,
            v_child.id, '{"was": "active", "rotatedCode": false}');
    END LOOP;
END $$;

ALTER FUNCTION app.remove_children_left_to_creator(p_me app.family_members, p_guardian app.family_members) OWNER TO hearth_owner;

-- Name: remove_guardian(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_guardian(p_member uuid, p_guardian_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
    v_guardian constant app.family_members :=
        app.member_in_family_of(v_child, p_guardian_member);
BEGIN
    PERFORM app.require_allowed(
        app.account_id() IN (v_guardian.user_id, v_child.active_guardian_id));
    PERFORM app.dismiss_guardian(v_child, v_guardian);
END $$;

ALTER FUNCTION app.remove_guardian(p_member uuid, p_guardian_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION remove_guardian(p_member uuid, p_guardian_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.remove_guardian(p_member uuid, p_guardian_member uuid) IS 'Ends a guardianship: the caller''s own, or another''s if the caller is the primary guardian.';

-- Name: remove_member(uuid, uuid, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.remove_other_member(p_member, p_reassign_to, p_rotate_code, false);
END $$;

ALTER FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) OWNER TO hearth_owner;

-- Name: FUNCTION remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) IS 'As remove_member with four parameters, for programs of the previous release.';

-- Name: remove_member(uuid, uuid, boolean, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.tell_of_removal(
        app.remove_other_member(p_member, p_reassign_to, p_rotate_code, p_only_waiting));
END $$;

ALTER FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) OWNER TO hearth_owner;

-- Name: FUNCTION remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) IS 'Removes another member and tells it by e-mail; see the rule at remove_other_member.';

-- Name: remove_member_for_operator(uuid, uuid, boolean, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_member_for_operator(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_target constant app.family_members := app.lock_member_for_operator(p_member);
BEGIN
    IF app.is_admin(v_target) AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = v_target.family_unit_id AND m.active_adult_user_id IS NOT NULL
            AND m.id <> p_member) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'This member is the Parent Admin: make another adult Parent Admin first.');
    END IF;
    IF p_was = 'invited' AND v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'The family has let this person in meanwhile.');
    END IF;
    PERFORM app.reassign_children_of(v_target, p_reassign_to);
    PERFORM app.end_membership(v_target);
    IF p_rotate_code THEN
        PERFORM app.replace_code(v_target.family_unit_id, NULL);
    END IF;
    PERFORM app.record_audit(
        CASE v_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
        v_target.family_unit_id, v_target.user_id, p_member,
        jsonb_build_object('was', v_target.status, 'rotatedCode', coalesce(p_rotate_code, false)));
    RETURN v_target;
END $$;

ALTER FUNCTION app.remove_member_for_operator(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) OWNER TO hearth_owner;

-- Name: remove_my_identity(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_my_identity(p_identity uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_identity record;
    v_hash bytea;
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = v_account FOR NO KEY UPDATE;
    SELECT i.* INTO v_identity FROM app.identities_of(v_account) AS i WHERE i.id = p_identity;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'identity_not_found', 'There is no such way to sign in.');
    ELSIF v_identity.kind <> 'password' AND NOT EXISTS (
        SELECT FROM app.identities_of(v_account) AS i
        WHERE i.id <> p_identity AND i.kind <> 'password') THEN
        PERFORM app.refuse('HF409', 'last_identity', 'This is the last way to sign in.');
    END IF;
    CASE v_identity.kind
        WHEN 'issuer' THEN
            DELETE FROM app.user_identities AS i
                WHERE i.user_id = v_account AND i.issuer = v_identity.name
                    AND md5('issuer ' || i.issuer || ' ' || encode(i.subject_hash, 'hex'))::uuid
                        = p_identity
                RETURNING i.subject_hash INTO v_hash;
            PERFORM app.revoke_provider_tokens(v_account, v_hash);
        WHEN 'email' THEN
            INSERT INTO app.email_sign_ins AS e (user_id, email, removed_at)
                VALUES (v_account, v_identity.name, now())
                ON CONFLICT (user_id, email) DO UPDATE SET removed_at = now();
        WHEN 'password' THEN
            DELETE FROM app.passwords AS p WHERE p.user_id = v_account;
        WHEN 'passkey' THEN
            DELETE FROM app.passkeys AS k WHERE k.user_id = v_account AND k.id = p_identity;
    END CASE;
    PERFORM app.record_audit('identity.remove', NULL, v_account, p_identity,
        jsonb_build_object('kind', v_identity.kind));
END $$;

ALTER FUNCTION app.remove_my_identity(p_identity uuid) OWNER TO hearth_owner;

-- Name: FUNCTION remove_my_identity(p_identity uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.remove_my_identity(p_identity uuid) IS 'Removes a way to sign in to the account whose request has begun, but never the last.';

-- Name: remove_my_passkey(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_my_passkey(p_passkey uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = v_account FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM app.passkeys AS k
                   WHERE k.id = p_passkey AND k.user_id = v_account) THEN
        PERFORM app.refuse('HF404', 'passkey_not_found', 'Passkey not found.');
    END IF;
    PERFORM app.remove_my_identity(p_passkey);
END $$;

ALTER FUNCTION app.remove_my_passkey(p_passkey uuid) OWNER TO hearth_owner;

-- Name: remove_other_member(uuid, uuid, boolean, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.remove_other_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_of_member(p_member);
    v_target constant app.family_members := app.member_in_family_of(v_me, p_member);
BEGIN
    IF v_target.id = v_me.id THEN
        PERFORM app.refuse('HF400', 'oneself',
            'You cannot remove yourself from the family');
    END IF;
    PERFORM app.require_allowed(
        app.is_admin(v_me)
        OR (v_target.active_guardian_id = v_me.user_id AND app.is_adult(v_me))
        OR (app.is_creator(v_me) AND v_target.user_kind = 'account'
            AND NOT app.is_admin(v_target))
        OR (app.is_creator(v_me) AND app.is_left_to_creator(v_target)));
    PERFORM app.require_allowed(p_reassign_to IS NULL OR app.is_admin(v_me));
    PERFORM app.require_allowed(p_rotate_code IS NOT TRUE OR app.may_regenerate_code(v_me));
    IF p_only_waiting AND v_target.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'This request has been approved already.');
    END IF;
    PERFORM app.remove_children_left_to_creator(v_me, v_target);
    PERFORM app.reassign_children_of(v_target, p_reassign_to);
    PERFORM app.end_membership(v_target);
    IF p_rotate_code THEN
        PERFORM app.replace_code(v_me.family_unit_id, NULL);
    END IF;
    PERFORM app.record_audit(
        CASE v_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
        v_me.family_unit_id, v_target.user_id, v_target.id,
        jsonb_build_object('was', v_target.status, 'rotatedCode', coalesce(p_rotate_code, false)));
    RETURN v_target;
END $$;

ALTER FUNCTION app.remove_other_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) OWNER TO hearth_owner;

-- Name: renew_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.renew_invitation(p_invitation uuid) RETURNS TABLE(generation integer, expires_at timestamp with time zone, delivery text)
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY UPDATE app.family_invitations AS i SET
            generation = i.generation + 1, expires_at = DEFAULT,
            sent_count = i.sent_count + 1, last_sent_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending'
        RETURNING i.generation, i.expires_at, i.delivery;
END $$;

ALTER FUNCTION app.renew_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: renew_standby_reader(uuid, bigint, bigint[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'local', true);
    INSERT INTO app.standby_readers AS r (id, number, standbys, renewed_at)
        VALUES (p_id, p_number, p_standbys, clock_timestamp())
        ON CONFLICT ON CONSTRAINT standby_readers_pkey DO UPDATE SET number = excluded.number,
            standbys = excluded.standbys, renewed_at = excluded.renewed_at
        WHERE r.number < excluded.number;
    IF p_number % 1000 = 1 THEN
        DELETE FROM app.standby_readers AS r
            WHERE r.renewed_at < clock_timestamp() - interval '1 hour';
    END IF;
    SELECT u.readers, u.standbys INTO readers, standbys FROM app.standbys_in_use() AS u;
END $$;

ALTER FUNCTION app.renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]) OWNER TO hearth_owner;

-- Name: FUNCTION renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]) IS 'Renews the row of a process that reads from standbys; what all of them read from.';

-- Name: repair_fault(text, uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_family app.family_units;
    v_count integer := 0;
BEGIN
    v_family := app.lock_family_for_operator(p_family);
    IF p_kind = 'child_without_guardian' THEN
        UPDATE app.family_members AS m SET parent_user_id = app.best_guardian(p_family)
            WHERE m.id = p_subject AND m.family_unit_id = p_family AND m.status = 'active'
                AND m.user_kind = 'managed' AND app.best_guardian(p_family) IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM app.family_members AS g
                    WHERE g.family_unit_id = p_family
                        AND g.active_adult_user_id = m.parent_user_id);
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'guardianship_wrong' THEN
        v_count := app.repair_guardianships(p_family, p_subject);
    ELSIF p_kind = 'slot_wrong' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.id = p_subject
            AND ((m.status = 'active') <> (m.slot IS NOT NULL) OR m.slot > v_family.member_limit
                 OR EXISTS (SELECT FROM app.family_members AS o
                            WHERE o.family_unit_id = p_family AND o.slot = m.slot
                                AND o.id < m.id))) THEN
        v_count := app.repair_slot(p_family, p_subject);
    ELSIF p_kind = 'code_wrong' AND (
        v_family.family_code IS DISTINCT FROM (
            SELECT c.code FROM app.family_codes AS c
            WHERE c.family_unit_id = p_family AND c.state = 'live')
        OR (v_family.family_code IS NULL
            AND (v_family.code_expires_at IS NULL OR v_family.code_expires_at > now())
            AND NOT app.code_was_given_up(p_family))) THEN
        PERFORM app.replace_code(p_family, CASE WHEN v_family.code_expires_at > now()
                                                THEN v_family.code_expires_at END);
        v_count := 1;
    ELSIF p_kind = 'emptiness_wrong' THEN
        UPDATE app.family_units AS f SET emptied_at = CASE WHEN NOT EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = p_family AND m.status = 'active') THEN now() END
            WHERE f.id = p_family AND (f.emptied_at IS NULL) <> EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = p_family AND m.status = 'active');
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'invitation_overdue' THEN
        UPDATE app.family_invitations AS i SET status = 'expired', closed_at = now()
            WHERE i.id = p_subject AND i.status = 'pending' AND i.expires_at <= now();
        GET DIAGNOSTICS v_count = ROW_COUNT;
    ELSIF p_kind = 'code_overdue' AND v_family.code_expires_at <= now() THEN
        UPDATE app.family_codes AS c
            SET state = 'retired', retired_at = now(), reason = 'expired'
            WHERE c.family_unit_id = p_family AND c.state = 'live';
        UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = p_family;
        GET DIAGNOSTICS v_count = ROW_COUNT;
    END IF;
    IF v_count > 0 THEN
        PERFORM app.record_audit('doctor.repair', p_family, NULL, coalesce(p_subject, p_family),
            jsonb_build_object('fault', p_kind));
    END IF;
    RETURN v_count > 0;
END $$;

ALTER FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid) OWNER TO hearth_owner;

-- Name: FUNCTION repair_fault(p_kind text, p_family uuid, p_subject uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid) IS 'Repairs a fault that find_faults_of has found; false where it could not.';

-- Name: repair_guardianships(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.repair_guardianships(p_family uuid, p_child uuid) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_child app.family_members;
BEGIN
    SELECT m.* INTO v_child FROM app.family_members AS m
        WHERE m.id = p_child AND m.family_unit_id = p_family AND m.user_kind = 'managed';
    IF NOT FOUND OR NOT app.has_wrong_guardianship(v_child) THEN
        RETURN 0;
    END IF;
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = p_child AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id AND v_child.status = 'active');
    IF EXISTS (
        SELECT FROM app.family_members AS g
        WHERE g.family_unit_id = p_family
            AND g.active_adult_user_id = v_child.active_guardian_id) THEN
        PERFORM app.insert_guardianship(v_child, v_child.active_guardian_id);
    END IF;
    RETURN 1;
END $$;

ALTER FUNCTION app.repair_guardianships(p_family uuid, p_child uuid) OWNER TO hearth_owner;

-- Name: repair_slot(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.repair_slot(p_family uuid, p_member uuid) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_member app.family_members;
BEGIN
    SELECT m.* INTO v_member FROM app.family_members AS m
        WHERE m.id = p_member AND m.family_unit_id = p_family;
    IF v_member.status <> 'active' THEN
        UPDATE app.family_members AS m SET slot = NULL WHERE m.id = p_member;
        RETURN 1;
    ELSIF v_member.id IS NULL OR app.lowest_free_slot(p_family) IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE app.family_members AS m SET status = 'removed', removed_at = now()
        WHERE m.id = p_member;
    UPDATE app.family_members AS m
        SET status = 'active', removed_at = NULL WHERE m.id = p_member;
    RETURN 1;
END $$;

ALTER FUNCTION app.repair_slot(p_family uuid, p_member uuid) OWNER TO hearth_owner;

-- Name: replace_code(uuid, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.replace_code(p_family uuid, p_expires_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    UPDATE app.family_codes AS c SET
            state = 'retired', retired_at = now(),
            reason = CASE WHEN f.code_expires_at <= now() THEN 'expired' ELSE 'regenerated' END
        FROM app.family_units AS f
        WHERE c.family_unit_id = p_family AND c.state = 'live' AND f.id = p_family;
    UPDATE app.family_units AS f SET
            family_code = app.draw_code(p_family), code_generated_at = now(),
            code_expires_at = p_expires_at
        WHERE f.id = p_family;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (p_family, app.actor_id(), 'regenerated');
END $$;

ALTER FUNCTION app.replace_code(p_family uuid, p_expires_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: request_mails_window(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.request_mails_window() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '1 day'::interval;

ALTER FUNCTION app.request_mails_window() OWNER TO hearth_owner;

-- Name: request_to_join_by_code(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text) RETURNS TABLE(outcome text, family_unit_id uuid, family_name text, member_id uuid, member_limit smallint, left_family_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT j.* FROM app.join_or_wait_by_code(p_code, p_address, p_network, true) AS j;
$$;

ALTER FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: FUNCTION request_to_join_by_code(p_code text, p_address text, p_network text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text) IS 'As join_family_by_code, but waits for the family''s approval in any case.';

-- Name: require_account(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_account() RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    IF app.user_id() IS NOT NULL AND app.account_id() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_while_acting', 'Not while acting for a member.');
    ELSIF NOT EXISTS (
        SELECT FROM app.users AS u WHERE u.id = app.account_id() AND u.deleted_at IS NULL) THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    RETURN app.account_id();
END $$;

ALTER FUNCTION app.require_account() OWNER TO hearth_owner;

-- Name: require_allowed(boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF p_allowed IS NOT TRUE THEN
        PERFORM app.refuse('HF403', 'standing_too_low', 'You are not allowed to do this.');
    END IF;
END $$;

ALTER FUNCTION app.require_allowed(p_allowed boolean) OWNER TO hearth_owner;

-- Name: require_audit_end(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_audit_end(p_before timestamp with time zone) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_reason constant text := app.why_audit_month_is_open(
        p_before, now(), app.oldest_transaction_seconds());
BEGIN
    PERFORM app.require_operator();
    IF p_before IS NULL
        OR date_trunc('month', p_before AT TIME ZONE 'UTC') <> p_before AT TIME ZONE 'UTC' THEN
        PERFORM app.refuse_field('before', 'The trail is exported and dropped by whole months.');
    END IF;
    IF v_reason IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'audit_month_open', v_reason);
    END IF;
END $$;

ALTER FUNCTION app.require_audit_end(p_before timestamp with time zone) OWNER TO hearth_owner;

-- Name: require_audit_export(timestamp with time zone, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_audit_export(p_before timestamp with time zone, p_exported_only boolean) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    IF p_exported_only AND p_before > coalesce(app.audit_exported_until(), '-infinity') THEN
        PERFORM app.refuse('HF409', 'audit_not_exported',
            'Not all of these entries have been exported.');
    END IF;
END $$;

ALTER FUNCTION app.require_audit_export(p_before timestamp with time zone, p_exported_only boolean) OWNER TO hearth_owner;

-- Name: require_expected_version(uuid, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_expected_version(p_id uuid, p_version bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF substring(current_setting('hearth.expected_versions', true) FROM p_id || ' (\d+)')::bigint
        <> p_version THEN
        RAISE EXCEPTION 'it has changed since it was read' USING ERRCODE = 'serialization_failure';
    END IF;
END $$;

ALTER FUNCTION app.require_expected_version(p_id uuid, p_version bigint) OWNER TO hearth_owner;

-- Name: require_export(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_export(p_family uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.require_operator();
    IF NOT EXISTS (
        SELECT FROM app.audit_log AS a
        WHERE a.family_unit_id = p_family AND a.action = 'family.export'
            AND a.actor_label = app.operator_label()
            AND a.at < now() AND a.at > now() - interval '5 minutes')
    THEN
        PERFORM app.refuse('HF409', 'export_not_begun',
            'An export begins with its row in the audit trail.');
    END IF;
END $$;

ALTER FUNCTION app.require_export(p_family uuid) OWNER TO hearth_owner;

-- Name: require_graduation_form(app.family_members, text, text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_graduation_form(p_child app.family_members, p_given text, p_email text, p_role text, p_household_role text, p_delivery text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF p_role IS NULL OR p_role NOT IN ('player', 'parent') THEN
        PERFORM app.refuse_field('role', 'A role is player or parent.');
    ELSIF (p_role = 'player') IS DISTINCT FROM (p_household_role = 'kid')
        OR (p_role = 'parent') IS DISTINCT FROM (p_household_role = 'adult') THEN
        PERFORM app.refuse_field('householdRole', 'A player is a kid, a parent an adult.');
    ELSIF p_delivery IS NULL OR p_delivery NOT IN ('email', 'link') THEN
        PERFORM app.refuse_field('delivery', 'Delivery is email or link.');
    ELSIF (p_delivery = 'email') <> (p_email IS NOT NULL)
        OR (p_delivery = 'link' AND p_given IS NOT NULL) THEN
        PERFORM app.refuse_field('email', 'Please enter a valid email address');
    ELSIF EXISTS (
        SELECT FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE m.family_unit_id = p_child.family_unit_id AND m.status = 'active'
            AND u.email = p_email) THEN
        PERFORM app.refuse('HF409', 'person_already_member',
            'This person is already a member of your family');
    ELSIF EXISTS (
        SELECT FROM app.family_invitations AS i
        WHERE i.family_unit_id = p_child.family_unit_id AND i.invited_email = p_email
            AND i.status = 'pending' AND i.graduate_id IS DISTINCT FROM p_child.id) THEN
        PERFORM app.refuse('HF409', 'already_invited', 'This person has been invited already.');
    END IF;
END $$;

ALTER FUNCTION app.require_graduation_form(p_child app.family_members, p_given text, p_email text, p_role text, p_household_role text, p_delivery text) OWNER TO hearth_owner;

-- Name: require_guarded_child(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_guarded_child(p_member uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_of_member(p_member);
    v_child constant app.family_members := app.member_in_family_of(v_me, p_member);
BEGIN
    IF v_child.user_kind <> 'managed' THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    PERFORM app.require_allowed(app.is_adult(v_me) AND app.is_guardian(v_me, v_child));
    RETURN v_child;
END $$;

ALTER FUNCTION app.require_guarded_child(p_member uuid) OWNER TO hearth_owner;

-- Name: require_members_of_own_families(uuid, uuid[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_members_of_own_families(p_account uuid, p_members uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM unnest(p_members) AS named (id) WHERE NOT EXISTS (
            SELECT FROM app.family_members AS n
            JOIN app.family_members AS m ON m.family_unit_id = n.family_unit_id
            WHERE n.id = named.id AND n.status = 'active'
                AND m.user_id = p_account AND m.status = 'active'))
    THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
END $$;

ALTER FUNCTION app.require_members_of_own_families(p_account uuid, p_members uuid[]) OWNER TO hearth_owner;

-- Name: require_operator(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_operator() RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    IF app.operator_label() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    END IF;
END $$;

ALTER FUNCTION app.require_operator() OWNER TO hearth_owner;

-- Name: require_primarily_guarded_child(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_primarily_guarded_child(p_member uuid) RETURNS app.family_members
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
BEGIN
    PERFORM app.require_allowed(v_child.active_guardian_id = app.account_id());
    RETURN v_child;
END $$;

ALTER FUNCTION app.require_primarily_guarded_child(p_member uuid) OWNER TO hearth_owner;

-- Name: require_resend_pause(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_resend_pause(p_last_sent_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_wait constant integer :=
        ceil(extract(epoch FROM p_last_sent_at + app.resend_pause() - now()));
BEGIN
    IF v_wait > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'HF429', CONSTRAINT = 'invitation_just_sent',
            MESSAGE = 'This invitation was sent a moment ago.', DETAIL = v_wait;
    END IF;
END $$;

ALTER FUNCTION app.require_resend_pause(p_last_sent_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: require_role_change(app.family_members, app.family_members, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_role_change(p_me app.family_members, p_target app.family_members, p_household_role text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_itself constant boolean := p_target.id = p_me.id;
BEGIN
    IF app.rank_of_household_role(p_household_role) IS NULL THEN
        PERFORM app.refuse_field('householdRole',
            'A household role is parent_admin, adult, kid or visitor.');
    END IF;
    PERFORM app.require_allowed(p_target.user_kind = 'account');
    IF p_target.status <> 'active' THEN
        PERFORM app.refuse('HF409', 'member_is_waiting', 'This person waits for approval.');
    END IF;
    IF p_household_role = 'parent_admin' AND NOT app.is_admin(p_target) THEN
        PERFORM app.require_allowed(p_me.governs OR v_itself);
        IF app.seat_is_taken(p_me.family_unit_id) THEN
            PERFORM app.refuse('HF409', 'parent_admin_exists',
                'A Parent Admin already exists for this family.');
        END IF;
        PERFORM app.require_allowed(app.may_give_admin_seat(p_me, p_target));
    ELSE
        PERFORM app.require_allowed(CASE WHEN v_itself
            THEN app.is_admin(p_me)
                OR app.rank_of_household_role(p_household_role)
                    <= app.rank_of_household_role(p_me.household_ceiling)
            ELSE app.is_admin(p_me) END);
    END IF;
END $$;

ALTER FUNCTION app.require_role_change(p_me app.family_members, p_target app.family_members, p_household_role text) OWNER TO hearth_owner;

-- Name: require_room_for(uuid, uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.require_room_for(p_family uuid, p_user uuid, p_role text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.lock_account(p_user);
    IF p_role = 'player' AND app.player_family_of(p_user) IS NOT NULL THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    ELSIF app.lowest_free_slot(p_family) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF409', CONSTRAINT = 'family_full',
            MESSAGE = 'This family is full.',
            DETAIL = (SELECT f.member_limit FROM app.family_units AS f WHERE f.id = p_family);
    END IF;
END $$;

ALTER FUNCTION app.require_room_for(p_family uuid, p_user uuid, p_role text) OWNER TO hearth_owner;

-- Name: resend_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.resend_invitation(p_invitation uuid) RETURNS TABLE(generation integer, expires_at timestamp with time zone, delivery text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations := app.invitation_to_send(p_invitation);
BEGIN
    PERFORM app.require_resend_pause(v_invitation.last_sent_at);
    RETURN QUERY SELECT r.* FROM app.renew_invitation(p_invitation) AS r;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    PERFORM app.record_audit('invitation.resend', v_invitation.family_unit_id, app.account_id(),
        p_invitation);
END $$;

ALTER FUNCTION app.resend_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION resend_invitation(p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.resend_invitation(p_invitation uuid) IS 'Renews an invitation''s link; its secret has to follow in the same transaction.';

-- Name: resend_pause(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.resend_pause() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:01:00'::interval;

ALTER FUNCTION app.resend_pause() OWNER TO hearth_owner;

-- Name: reserve_code_attempt(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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
        WHERE l.user_id = v_account AND l.looked_up_at > now() - app.distinct_codes_window();
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
            WHERE l.looked_up_at <= now() - app.distinct_codes_window();
END $$;

ALTER FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: FUNCTION reserve_code_attempt(p_code text, p_address text, p_network text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text) IS 'Counts an attempt at a code before it is made, in a transaction of its own.';

-- Name: reserve_consent_attempt(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_consent_attempt() RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT r.* FROM app.reserve_hits(
        ARRAY['consent:account:' || app.require_account()], ARRAY[app.max_consent_attempts()],
        app.fresh_proof_time()) AS r;
$$;

ALTER FUNCTION app.reserve_consent_attempt() OWNER TO hearth_owner;

-- Name: FUNCTION reserve_consent_attempt(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reserve_consent_attempt() IS 'Counts an attempt at the code that proves a consent; a row means that there were too many.';

-- Name: reserve_deletion_attempt(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_deletion_attempt() RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT r.* FROM app.reserve_hits(
        ARRAY['deletion:account:' || app.require_account()], ARRAY[app.max_deletion_attempts()],
        app.fresh_proof_time()) AS r;
$$;

ALTER FUNCTION app.reserve_deletion_attempt() OWNER TO hearth_owner;

-- Name: FUNCTION reserve_deletion_attempt(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reserve_deletion_attempt() IS 'Counts an attempt at the code that confirms an erasure; a row means that there were too many.';

-- Name: reserve_export(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_export() RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT r.* FROM app.reserve_hits(
        ARRAY['export:account:' || app.require_account()], ARRAY[app.max_exports()],
        app.exports_window()) AS r;
$$;

ALTER FUNCTION app.reserve_export() OWNER TO hearth_owner;

-- Name: FUNCTION reserve_export(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reserve_export() IS 'Counts an export of the caller''s data; a row means that there were too many.';

-- Name: reserve_hits(text[], integer[], interval); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_bucket record;
    v_row record;
BEGIN
    FOR v_bucket IN
        SELECT b.name, b.most FROM unnest(p_buckets, p_limits) AS b (name, most)
        WHERE b.name IS NOT NULL ORDER BY b.name COLLATE "C"
    LOOP
        INSERT INTO app.rate_limits AS r (bucket, window_start, hits)
            VALUES (v_bucket.name, now(), 1)
            ON CONFLICT (bucket) DO UPDATE SET
                hits = CASE WHEN r.window_start <= now() - p_window THEN 1 ELSE r.hits + 1 END,
                window_start = CASE WHEN r.window_start <= now() - p_window THEN now()
                                    ELSE r.window_start END
            RETURNING r.hits, r.window_start INTO v_row;
        IF v_row.hits > v_bucket.most THEN
            limited_by := v_bucket.name;
            retry_after_seconds := greatest(
                retry_after_seconds, 1,
                ceil(extract(epoch FROM v_row.window_start + p_window - now()))::integer);
        END IF;
    END LOOP;
    IF limited_by IS NOT NULL THEN
        PERFORM app.release_hits(p_buckets);
        RETURN NEXT;
    END IF;
END $$;

ALTER FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval) OWNER TO hearth_owner;

-- Name: FUNCTION reserve_hits(p_buckets text[], p_limits integer[], p_window interval); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval) IS 'Counts a hit in every bucket, or in none: then a row names the full one, and for how long.';

-- Name: reserve_mailed_code(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_mailed_code(p_network text) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_account constant uuid := app.require_account();
    v_address constant text := (
        SELECT u.email FROM app.users AS u WHERE u.id = v_account AND u.email_verified);
BEGIN
    IF v_address IS NULL THEN RETURN; END IF;
    RETURN QUERY SELECT r.* FROM app.count_mailed_code(v_address, p_network) AS r;
END $$;

ALTER FUNCTION app.reserve_mailed_code(p_network text) OWNER TO hearth_owner;

-- Name: FUNCTION reserve_mailed_code(p_network text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reserve_mailed_code(p_network text) IS 'Counts an e-mail with a code to the caller; a row names the limit that is reached.';

-- Name: reserve_passkey_attempt(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_passkey_attempt(p_address text, p_network text) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT r.limited_by, r.retry_after_seconds FROM app.reserve_hits(
        app.passkey_buckets(p_address, p_network),
        ARRAY[app.max_passkey_attempts_of_address(), app.max_passkey_attempts_of_network()],
        app.password_attempts_window()) AS r
$$;

ALTER FUNCTION app.reserve_passkey_attempt(p_address text, p_network text) OWNER TO hearth_owner;

-- Name: reserve_password_attempt(text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reserve_password_attempt(p_email text, p_address text, p_network text) RETURNS TABLE(limited_by text, retry_after_seconds integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT r.limited_by, r.retry_after_seconds FROM app.reserve_hits(
        app.password_buckets(app.normalised_email(p_email), p_address, p_network),
        ARRAY[app.max_password_attempts_of_account(), app.max_password_attempts_of_address(),
            app.max_password_attempts_of_network()],
        app.password_attempts_window()) AS r
$$;

ALTER FUNCTION app.reserve_password_attempt(p_email text, p_address text, p_network text) OWNER TO hearth_owner;

-- Name: reset_link_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reset_link_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '00:30:00'::interval;

ALTER FUNCTION app.reset_link_time() OWNER TO hearth_owner;

-- Name: reset_of_link(bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reset_of_link(p_link_hash bytea) RETURNS TABLE(email text, full_name text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT t.email, u.full_name FROM app.mailed_tickets AS t
    JOIN app.users AS u ON u.id = app.account_of_address(t.email)
    WHERE t.link_hash = p_link_hash AND t.purpose = 'reset' AND t.used_at IS NULL
        AND t.expires_at > now()
$$;

ALTER FUNCTION app.reset_of_link(p_link_hash bytea) OWNER TO hearth_owner;

-- Name: reset_password(bytea, text, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.reset_password(p_link_hash bytea, p_hash text, p_mail jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_email text;
    v_user uuid;
BEGIN
    UPDATE app.mailed_tickets AS t SET used_at = now()
        WHERE t.link_hash = p_link_hash AND t.purpose = 'reset' AND t.used_at IS NULL
            AND t.expires_at > clock_timestamp()
        RETURNING t.email INTO v_email;
    IF v_email IS NULL THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(1212499274, hashtext(v_email));
    v_user := app.account_of_address(v_email);
    PERFORM FROM app.users AS u
        WHERE u.id = v_user AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM app.put_password(v_user, p_hash, NULL, p_mail);
    RETURN true;
END $$;

ALTER FUNCTION app.reset_password(p_link_hash bytea, p_hash text, p_mail jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION reset_password(p_link_hash bytea, p_hash text, p_mail jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.reset_password(p_link_hash bytea, p_hash text, p_mail jsonb) IS 'Sets a password by a mailed link; returns whether the link was still valid.';

-- Name: retire_code(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.retire_code(p_family uuid, p_user uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    UPDATE app.family_codes AS c SET state = 'retired', retired_at = now(), reason = 'given_up'
        WHERE c.family_unit_id = p_family AND c.state = 'live';
    IF FOUND THEN
        UPDATE app.family_units AS f SET family_code = NULL, code_expires_at = NULL
            WHERE f.id = p_family;
        INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (p_family, p_user, 'retired');
    END IF;
END $$;

ALTER FUNCTION app.retire_code(p_family uuid, p_user uuid) OWNER TO hearth_owner;

-- Name: return_path_of_ticket(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.return_path_of_ticket(p_ticket uuid) RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT t.return_path FROM app.mailed_tickets AS t WHERE t.id = p_ticket;
$$;

ALTER FUNCTION app.return_path_of_ticket(p_ticket uuid) OWNER TO hearth_owner;

-- Name: FUNCTION return_path_of_ticket(p_ticket uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.return_path_of_ticket(p_ticket uuid) IS 'Where the link of a ticket leads after signing in, sealed; null for the account.';

-- Name: revocation_of(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.revocation_of(p_token uuid) RETURNS TABLE(issuer text, client text, sealed bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT p.issuer, p.client, p.sealed FROM app.provider_tokens AS p
    WHERE p.id = p_token AND p.user_id IS NULL
$$;

ALTER FUNCTION app.revocation_of(p_token uuid) OWNER TO hearth_owner;

-- Name: revoke_invitation(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.revoke_invitation(p_invitation uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_invitation constant app.family_invitations := app.lock_family_of_invitation(p_invitation);
BEGIN
    UPDATE app.family_invitations AS i SET status = 'revoked', closed_at = now()
        WHERE i.id = p_invitation AND i.status = 'pending';
    IF NOT FOUND THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'Invitation not found.');
    END IF;
    DELETE FROM app.invitation_secrets AS s WHERE s.invitation_id = p_invitation;
    PERFORM app.record_audit('invitation.revoke', v_invitation.family_unit_id, app.account_id(),
        p_invitation);
END $$;

ALTER FUNCTION app.revoke_invitation(p_invitation uuid) OWNER TO hearth_owner;

-- Name: FUNCTION revoke_invitation(p_invitation uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.revoke_invitation(p_invitation uuid) IS 'Ends a pending invitation; its link stops working.';

-- Name: revoke_invitations_beyond_rights(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.revoke_invitations_beyond_rights(p_member uuid) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 WITH revoked AS (
          UPDATE app.family_invitations i SET status = 'revoked'::text, closed_at = now()
            FROM app.family_members m
           WHERE ((m.id = revoke_invitations_beyond_rights.p_member) AND (NOT m.confides) AND (i.family_unit_id = m.family_unit_id) AND (i.invited_by = m.user_id) AND (i.status = 'pending'::text))
           RETURNING i.id
         )
  DELETE FROM app.invitation_secrets s
    USING revoked r
   WHERE (s.invitation_id = r.id);
END;

ALTER FUNCTION app.revoke_invitations_beyond_rights(p_member uuid) OWNER TO hearth_owner;

-- Name: revoke_provider_tokens(uuid, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.revoke_provider_tokens(p_user uuid, p_subject_hash bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_token uuid;
BEGIN
    FOR v_token IN
        UPDATE app.provider_tokens AS p SET user_id = NULL, subject_hash = NULL
            WHERE p.user_id = p_user
                AND p.subject_hash = coalesce(p_subject_hash, p.subject_hash)
            RETURNING p.id
    LOOP
        PERFORM jobs.enqueue(
            'providers', 'provider.revoke', NULL, jsonb_build_object('token', v_token),
            p_unique_key => v_token::text);
    END LOOP;
END $$;

ALTER FUNCTION app.revoke_provider_tokens(p_user uuid, p_subject_hash bytea) OWNER TO hearth_owner;

-- Name: role_meant_at(app.role_changes); Type: FUNCTION; Schema: app
CREATE FUNCTION app.role_meant_at(p_change app.role_changes) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
    SELECT coalesce(p_change.confirmed_at, p_change.changed_at);
$$;

ALTER FUNCTION app.role_meant_at(p_change app.role_changes) OWNER TO hearth_owner;

-- Name: role_was_changed_later(uuid, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.role_was_changed_later(p_member uuid, p_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT EXISTS (
        SELECT FROM app.role_changes AS c
        JOIN app.family_members AS me ON me.family_unit_id = c.family_unit_id
        WHERE c.member_id = p_member AND app.role_meant_at(c) > p_at
            AND clock_timestamp() > p_at
            AND me.user_id = app.account_id() AND me.status = 'active');
$$;

ALTER FUNCTION app.role_was_changed_later(p_member uuid, p_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION role_was_changed_later(p_member uuid, p_at timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.role_was_changed_later(p_member uuid, p_at timestamp with time zone) IS 'Whether a member''s household role was changed after a moment.';

-- Name: roles_on_entry(app.family_invitations, app.family_members, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.roles_on_entry(p_invitation app.family_invitations, p_was app.family_members, p_account uuid, OUT role text, OUT household_role text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    role := p_invitation.role;
    household_role := p_invitation.household_role;
    IF p_was.status IS DISTINCT FROM 'removed' OR (app.may_bring_back(p_invitation)
        AND (p_invitation.delivery <> 'link' OR p_invitation.last_sent_at > p_was.removed_at)) THEN
        RETURN;
    ELSIF p_was.removed_by IS DISTINCT FROM p_account THEN
        PERFORM app.refuse('HF403', 'removed_from_family',
            'Somebody who was removed can come back only by a later invitation '
            'from somebody who is vouched for.');
    END IF;
    household_role := app.lower_household_role(p_was.household_ceiling, household_role);
    -- As a player, a grown-up whom the family made a kid or a visitor would have more rights.
    IF p_was.role = 'parent' AND p_was.household_ceiling IN ('kid', 'visitor') THEN
        role := p_was.role;
    END IF;
END $$;

ALTER FUNCTION app.roles_on_entry(p_invitation app.family_invitations, p_was app.family_members, p_account uuid, OUT role text, OUT household_role text) OWNER TO hearth_owner;

-- Name: seat_is_taken(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.seat_is_taken(p_family uuid) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM app.family_members m WHERE ((m.family_unit_id = seat_is_taken.p_family) AND (m.status = 'active'::text) AND (m.household_role = 'parent_admin'::text))));

ALTER FUNCTION app.seat_is_taken(p_family uuid) OWNER TO hearth_owner;

-- Name: see_user(text, bytea, uuid, text, boolean, text, text, uuid, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint DEFAULT NULL::bigint) RETURNS TABLE(outcome text, user_id uuid, actor_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_email constant text := app.normalised_email(p_email);
    v_verified constant boolean := coalesce(p_email_verified AND v_email IS NOT NULL, false);
    v_mark constant bigint := app.claims_mark(p_email, p_email_verified);
    v_kept_mark bigint;
    v_name constant text := app.normalised_name(p_full_name, 80);
    v_role constant text := CASE WHEN p_role IN ('player', 'parent') THEN p_role ELSE 'parent' END;
    v_known record;
    v_user uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(1212499273, hashtext(encode(p_subject_hash, 'hex')));
    IF app.was_erased(p_subject_hash, p_issued_at) THEN
        RETURN QUERY SELECT b.* FROM app.begin_request(NULL, NULL, NULL, NULL) AS b;
        RETURN;
    END IF;
    v_kept_mark := app.kept_mark(p_subject_hash, p_email, p_email_verified);
    SELECT u.id, u.email, u.email_verified, i.lacks_name, i.tells_address,
        i.claims_mark IS DISTINCT FROM v_mark AND (
            i.claims_issued_at IS NULL
            OR p_issued_at > i.claims_issued_at
            OR (p_issued_at = i.claims_issued_at AND (
                (v_verified, v_email IS NOT NULL) > (u.email_verified, u.email IS NOT NULL)
                -- The erasure has been forgotten meanwhile.
                OR (i.claims_mark IS NULL AND v_kept_mark IS NOT NULL
                    AND (u.email, u.email_verified) IS NOT DISTINCT FROM (v_email, v_verified))))
        ) AS is_news
        INTO v_known
        FROM app.user_identities AS i JOIN app.users AS u ON u.id = i.user_id
        WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
    -- Again, because an erasure waits for no lock of this function: if it was the reason that
    -- nobody was found, it is seen now.
    IF v_known.id IS NULL AND app.was_erased(p_subject_hash, p_issued_at) THEN
        RETURN QUERY SELECT b.* FROM app.begin_request(NULL, NULL, NULL, NULL) AS b;
        RETURN;
    END IF;
    v_kept_mark := app.kept_mark(p_subject_hash, p_email, p_email_verified);
    IF v_known.is_news THEN
        UPDATE app.user_identities AS i
            SET claims_mark = v_kept_mark, claims_issued_at = p_issued_at
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.users AS u SET email = v_email, email_verified = v_verified
            WHERE u.id = v_known.id AND u.deleted_at IS NULL AND v_known.tells_address
            AND (u.email, u.email_verified) IS DISTINCT FROM (v_email, v_verified);
    END IF;
    IF v_known.lacks_name AND v_name IS NOT NULL THEN
        UPDATE app.user_identities AS i SET lacks_name = false
            WHERE i.subject_hash = p_subject_hash AND i.issuer = p_issuer;
        UPDATE app.users AS u SET full_name = v_name
            WHERE u.id = v_known.id AND u.full_name IS NULL AND u.deleted_at IS NULL;
    ELSIF v_known.id IS NULL THEN
        INSERT INTO app.users (id, email, email_verified, full_name, role)
            VALUES (coalesce(p_adopt_id, gen_random_uuid()), v_email, v_verified, v_name, v_role)
            ON CONFLICT (id) DO NOTHING
            RETURNING id INTO v_user;
        IF v_user IS NULL THEN
            INSERT INTO app.users (email, email_verified, full_name, role)
                VALUES (v_email, v_verified, v_name, v_role)
                RETURNING id INTO v_user;
        END IF;
        INSERT INTO app.user_identities
                (issuer, subject_hash, user_id, claims_mark, claims_issued_at, lacks_name)
            VALUES (p_issuer, p_subject_hash, v_user, v_kept_mark, p_issued_at, v_name IS NULL);
    END IF;
    RETURN QUERY SELECT b.* FROM app.begin_request(
        p_issuer, p_subject_hash, NULL, NULL, p_acting_as) AS b;
END $$;

ALTER FUNCTION app.see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint) OWNER TO hearth_owner;

-- Name: FUNCTION see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint) IS 'Creates or refreshes the user of a verified token and begins its request.';

-- Name: session_idle_time(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.session_idle_time() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '60 days'::interval;

ALTER FUNCTION app.session_idle_time() OWNER TO hearth_owner;

-- Name: session_life(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.session_life() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '365 days'::interval;

ALTER FUNCTION app.session_life() OWNER TO hearth_owner;

-- Name: set_household_role(uuid, text, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT FROM app.change_household_role(
        p_member, p_household_role, p_reassign_to, NULL, NULL, false);
$$;

ALTER FUNCTION app.set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) OWNER TO hearth_owner;

-- Name: FUNCTION set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) IS 'Changes a member''s household role now; see the rule in its definition.';

-- Name: set_locale_if_unknown(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.set_locale_if_unknown(p_locale text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    UPDATE app.users AS u SET locale = p_locale
        WHERE u.id = (
            SELECT o.id FROM app.users AS o
            WHERE o.id = app.account_id() AND o.kind = 'account' AND o.deleted_at IS NULL
                AND o.locale IS NULL
            FOR NO KEY UPDATE SKIP LOCKED);
$$;

ALTER FUNCTION app.set_locale_if_unknown(p_locale text) OWNER TO hearth_owner;

-- Name: FUNCTION set_locale_if_unknown(p_locale text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.set_locale_if_unknown(p_locale text) IS 'Keeps a language for the account whose request has begun, if it has none.';

-- Name: set_player_details(uuid, jsonb); Type: FUNCTION; Schema: app
CREATE FUNCTION app.set_player_details(p_family uuid, p_details jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
BEGIN
    PERFORM app.require_allowed(app.is_adult(v_me));
    UPDATE app.family_units AS f SET player_details = p_details WHERE f.id = p_family;
    PERFORM app.record_audit('player_details.write', p_family, v_me.user_id, p_family);
END $$;

ALTER FUNCTION app.set_player_details(p_family uuid, p_details jsonb) OWNER TO hearth_owner;

-- Name: FUNCTION set_player_details(p_family uuid, p_details jsonb); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.set_player_details(p_family uuid, p_details jsonb) IS 'Replaces what the family notes about its player.';

-- Name: settings_of_audit_months(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.settings_of_audit_months() RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN 'autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.05'::text;

ALTER FUNCTION app.settings_of_audit_months() OWNER TO hearth_owner;

-- Name: settle_webhook_delivery(uuid, bigint, text, smallint, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.settle_webhook_delivery(p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_error text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_is_test constant boolean := EXISTS (
        SELECT FROM app.webhook_events AS n
        WHERE n.number = p_event AND n.event_type = 'webhook.test');
    v_endpoint app.webhook_endpoints;
    v_delivery app.webhook_deliveries;
    v_is_over boolean;
BEGIN
    -- Successes of a working endpoint don't wait for each other.
    SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e WHERE e.id = p_endpoint;
    IF p_outcome <> 'delivered' OR v_endpoint.failures > 0 THEN
        SELECT e.* INTO v_endpoint FROM app.webhook_endpoints AS e
            WHERE e.id = p_endpoint FOR NO KEY UPDATE;
    END IF;
    v_is_over := p_outcome = 'delivered' OR v_is_test;
    UPDATE app.webhook_deliveries AS d SET
            attempts = d.attempts + 1, last_status = p_status, last_error = left(p_error, 200),
            first_failed_at = CASE WHEN p_outcome = 'delivered' THEN d.first_failed_at
                                   ELSE coalesce(d.first_failed_at, now()) END,
            state = CASE WHEN p_outcome = 'delivered' THEN 'delivered'
                         WHEN v_is_test THEN 'failed' ELSE d.state END,
            settled_at = CASE WHEN v_is_over THEN now() END
        WHERE d.endpoint_id = p_endpoint AND d.event_number = p_event AND d.state = 'pending'
        RETURNING d.* INTO v_delivery;
    -- Somebody else has delivered it, or the endpoint was removed.
    IF NOT FOUND THEN
        RETURN 'done';
    ELSIF p_outcome = 'delivered' THEN
        IF v_endpoint.failures > 0 THEN
            PERFORM app.note_webhook_success(v_endpoint);
        END IF;
        PERFORM app.enqueue_next_webhook(p_endpoint, v_delivery.family_unit_id);
        RETURN 'done';
    ELSIF v_is_test THEN
        RETURN 'given_up';
    END IF;
    PERFORM app.note_webhook_failure(p_endpoint);
    IF p_outcome = 'gone' THEN
        PERFORM app.pause_webhook(p_endpoint, 'It answered 410.');
        RETURN 'paused';
    ELSIF v_delivery.first_failed_at > now() - app.webhook_patience() THEN
        RETURN 'retry';
    ELSIF v_endpoint.failing_since <= now() - app.webhook_patience() THEN
        PERFORM app.pause_webhook(p_endpoint, 'It has failed for three days.');
        RETURN 'paused';
    END IF;
    UPDATE app.webhook_deliveries AS d SET state = 'failed', settled_at = now()
        WHERE d.endpoint_id = p_endpoint AND d.event_number = p_event;
    PERFORM app.enqueue_next_webhook(p_endpoint, v_delivery.family_unit_id);
    RETURN 'given_up';
END $$;

ALTER FUNCTION app.settle_webhook_delivery(p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_error text) OWNER TO hearth_owner;

-- Name: shards_of_wrong_codes(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.shards_of_wrong_codes() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 16;

ALTER FUNCTION app.shards_of_wrong_codes() OWNER TO hearth_owner;

-- Name: sign_in_by_mail(uuid, bytea, uuid, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea) RETURNS TABLE(user_id uuid, started_at timestamp with time zone, lasts_seconds integer, is_new boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
DECLARE
    v_ticket app.mailed_tickets;
    v_by_code constant boolean := p_link_hash IS NULL;
BEGIN
    SELECT t.* INTO v_ticket FROM app.mailed_tickets AS t
        WHERE (t.id = p_ticket AND v_by_code OR t.link_hash = p_link_hash)
            AND t.purpose IN ('sign_in', 'sign_up')
            AND t.used_at IS NULL AND t.expires_at > clock_timestamp() FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF410', 'code_expired', 'This code is over; ask for another one.');
    END IF;
    UPDATE app.mailed_tickets AS t SET used_at = now(), password_hash = NULL
        WHERE t.id = v_ticket.id;
    SELECT p.user_id, p.is_new INTO user_id, is_new FROM app.prove_address(
        v_ticket.email, CASE WHEN v_by_code THEN v_ticket.full_name END,
        CASE WHEN v_by_code THEN v_ticket.role END) AS p;
    PERFORM app.open_session(p_session, user_id, 'email', NULL, p_device, p_token_hash);
    IF v_by_code AND v_ticket.password_hash IS NOT NULL THEN
        INSERT INTO app.passwords (user_id, hash) VALUES (user_id, v_ticket.password_hash)
            ON CONFLICT DO NOTHING;
    END IF;
    started_at := now();
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

ALTER FUNCTION app.sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea) IS 'Uses a mailed ticket up and opens a session for the account of its address.';

-- Name: sign_in_by_passkey(uuid, uuid, bigint, boolean, bytea, timestamp with time zone, text, text, uuid, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) RETURNS TABLE(user_id uuid, started_at timestamp with time zone, lasts_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM app.answer_challenge(p_challenge_hash, p_challenge_expires);
    PERFORM FROM app.users AS u WHERE u.id = p_user AND u.deleted_at IS NULL FOR SHARE;
    UPDATE app.passkeys AS k
        SET counter = p_counter, is_backed_up = p_is_backed_up, last_used_at = now()
        WHERE k.id = p_passkey AND k.user_id = p_user
            AND (k.counter < p_counter OR (k.counter = 0 AND p_counter = 0));
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM app.open_session(p_session, p_user, 'passkey', NULL, p_device, p_token_hash);
    PERFORM app.release_hits(app.passkey_buckets(p_address, p_network));
    user_id := p_user;
    started_at := now();
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

ALTER FUNCTION app.sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) IS 'Opens a session for the owner of a passkey whose answer was verified.';

-- Name: sign_in_by_password(uuid, text, text, text, text, text, uuid, text, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) RETURNS TABLE(user_id uuid, started_at timestamp with time zone, lasts_seconds integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
BEGIN
    UPDATE app.passwords AS p SET hash = coalesce(p_new_hash, p.hash)
        WHERE p.user_id = p_user AND p.hash = p_seen_hash;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM app.open_session(p_session, p_user, 'password', NULL, p_device, p_token_hash);
    PERFORM app.release_hits(
        app.password_buckets(app.normalised_email(p_email), p_address, p_network));
    user_id := p_user;
    started_at := now();
    lasts_seconds := extract(epoch FROM app.session_idle_time());
    RETURN NEXT;
END $$;

ALTER FUNCTION app.sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: FUNCTION sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) IS 'Opens a session for an account whose password was found to be right.';

-- Name: sign_preferences(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.sign_preferences() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    NEW.updated_at := now();
    NEW.updated_by := app.actor_id();
    RETURN NEW;
END $$;

ALTER FUNCTION app.sign_preferences() OWNER TO hearth_owner;

-- Name: standby_delay(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.standby_delay() RETURNS interval
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT CASE WHEN u.readers > 0 THEN interval '4 seconds' ELSE interval '0 seconds' END
    FROM app.standbys_in_use() AS u;
$$;

ALTER FUNCTION app.standby_delay() OWNER TO hearth_owner;

-- Name: standbys_in_use(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[]) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT count(DISTINCT r.id)::integer,
        coalesce(array_agg(DISTINCT s.started) FILTER (WHERE s.started IS NOT NULL), '{}')
    FROM app.standby_readers AS r
    LEFT JOIN LATERAL unnest(r.standbys) AS s (started) ON true
    WHERE r.renewed_at > clock_timestamp() - interval '1 minute';
$$;

ALTER FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[]) OWNER TO hearth_owner;

-- Name: FUNCTION standbys_in_use(OUT readers integer, OUT standbys bigint[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[]) IS 'How many processes read from standbys, and from which.';

-- Name: start_graduation(uuid, text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) RETURNS TABLE(invitation_id uuid, generation integer, expires_at timestamp with time zone, renewed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_primarily_guarded_child(p_member);
    v_me app.family_members;
BEGIN
    SELECT m.* INTO v_me FROM app.family_members AS m
        WHERE m.family_unit_id = v_child.family_unit_id AND m.user_id = app.account_id();
    PERFORM app.count_invitation(v_me.user_id);
    RETURN QUERY SELECT i.* FROM app.issue_graduation(
        v_child, v_me, p_email, p_role, p_household_role, p_delivery) AS i;
END $$;

ALTER FUNCTION app.start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) OWNER TO hearth_owner;

-- Name: FUNCTION start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) IS 'Invites a child of the caller to have an account; its secret has to follow.';

-- Name: state_of_invitation(app.family_invitations); Type: FUNCTION; Schema: app
CREATE FUNCTION app.state_of_invitation(p_invitation app.family_invitations) RETURNS text
    LANGUAGE sql STABLE
    RETURN CASE WHEN (((p_invitation).id IS NULL) OR ((p_invitation).status = 'revoked'::text)) THEN 'absent'::text WHEN (((p_invitation).status = 'expired'::text) OR (((p_invitation).status = 'pending'::text) AND ((p_invitation).expires_at <= now()))) THEN 'expired'::text ELSE (p_invitation).status END;

ALTER FUNCTION app.state_of_invitation(p_invitation app.family_invitations) OWNER TO hearth_owner;

-- Name: state_of_refresh_token(uuid, integer, bytea, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.state_of_refresh_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT CASE
        WHEN t.generation = p_generation AND t.token_hash = p_token_hash THEN 'newest'
        WHEN t.generation > p_generation AND p_is_authentic THEN 'former'
        ELSE 'none' END
    FROM app.refresh_tokens AS t WHERE t.session_id = p_session
$$;

ALTER FUNCTION app.state_of_refresh_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) OWNER TO hearth_owner;

-- Name: store_idempotent_response(text, text, bytea, smallint, smallint, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_actor constant uuid := app.actor_id();
BEGIN
    IF v_actor IS NULL THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    INSERT INTO app.idempotency_keys AS k
            (actor_id, subject_id, route, key, request_digest, status, format, answer)
        VALUES (v_actor, app.user_id(), p_route, p_key, p_request_digest,
                p_status, p_format, p_answer)
        ON CONFLICT (actor_id, subject_id, route, key) DO UPDATE SET
            request_digest = excluded.request_digest, claim = NULL, claimed_at = now(),
            created_at = now(), status = excluded.status, format = excluded.format,
            answer = excluded.answer
            WHERE k.created_at <= now() - app.idempotency_keys_kept();
    IF NOT FOUND THEN
        PERFORM app.refuse('HF409', 'idempotency_key_in_use', 'The key is another request''s.');
    END IF;
END $$;

ALTER FUNCTION app.store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text) OWNER TO hearth_owner;

-- Name: FUNCTION store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text) IS 'Keeps the answer of a claimed key for its replay, in the transaction of the claim.';

-- Name: store_invitation_secret(app.family_invitations, integer, bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.store_invitation_secret(p_invitation app.family_invitations, p_generation integer, p_token_hash bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF p_invitation.generation <> p_generation THEN
        PERFORM app.refuse('HF404', 'invitation_not_found', 'The invitation has changed.');
    END IF;
    INSERT INTO app.invitation_secrets AS s (invitation_id, generation, token_hash)
        VALUES (p_invitation.id, p_generation, p_token_hash)
        ON CONFLICT (invitation_id) DO UPDATE SET
            generation = excluded.generation, token_hash = excluded.token_hash
            WHERE s.generation < excluded.generation;
END $$;

ALTER FUNCTION app.store_invitation_secret(p_invitation app.family_invitations, p_generation integer, p_token_hash bytea) OWNER TO hearth_owner;

-- Name: store_invited_membership(app.family_invitations, uuid, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.store_invited_membership(p_invitation app.family_invitations, p_account uuid, p_role text, p_household_role text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_member uuid;
BEGIN
    PERFORM app.require_room_for(p_invitation.family_unit_id, p_account, p_role);
    -- The side that a first family gives becomes the account's own.
    UPDATE app.users AS u SET role = p_role
        WHERE u.id = p_account AND u.role <> p_role AND NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.user_id = p_account AND m.status = 'active');
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via, vouched)
        VALUES (p_invitation.family_unit_id, p_account, p_role, p_household_role, 'invitation',
                p_invitation.vouched)
        ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
            role = excluded.role, household_role = excluded.household_role,
            household_ceiling = excluded.household_ceiling,
            status = 'active', joined_via = 'invitation',
            vouched = m.vouched OR excluded.vouched, added_at = now(),
            removed_at = NULL, removed_by = NULL
        RETURNING m.id INTO v_member;
    IF p_role = 'player' THEN
        PERFORM app.fill_player_name(p_invitation.family_unit_id, p_account);
    END IF;
    RETURN v_member;
END $$;

ALTER FUNCTION app.store_invited_membership(p_invitation app.family_invitations, p_account uuid, p_role text, p_household_role text) OWNER TO hearth_owner;

-- Name: suppress_address(text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.suppress_address(p_email text, p_reason text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    INSERT INTO app.suppressed_addresses AS x (email, reason) VALUES (p_email, left(p_reason, 120))
        ON CONFLICT (email) DO NOTHING;
$$;

ALTER FUNCTION app.suppress_address(p_email text, p_reason text) OWNER TO hearth_owner;

-- Name: tell_of_changed_member(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_changed_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF NEW.user_id <> OLD.user_id THEN
        PERFORM app.record_event('managed.graduated', NEW.family_unit_id,
            app.member_event_data(NEW) || jsonb_build_object(
                'previousUserId', app.public_id(OLD.user_id, OLD.user_kind)));
    ELSIF NEW.status = OLD.status THEN
        PERFORM app.record_event('member.role_changed', NEW.family_unit_id,
            app.member_event_data(NEW) || jsonb_build_object(
                'previousRole', OLD.role, 'previousHouseholdRole', OLD.household_role));
    ELSIF NEW.removed_by IS NOT DISTINCT FROM NEW.user_id THEN
        PERFORM app.record_event(
            'member.left', NEW.family_unit_id, app.member_event_data(NEW));
    ELSE
        PERFORM app.record_event(
            'member.removed', NEW.family_unit_id, app.member_event_data(NEW));
    END IF;
    RETURN NULL;
END $$;

ALTER FUNCTION app.tell_of_changed_member() OWNER TO hearth_owner;

-- Name: tell_of_erased_user(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_erased_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF EXISTS (SELECT FROM app.user_aliases AS a WHERE a.alias_id = NEW.id) THEN
        RETURN NULL;
    END IF;
    PERFORM app.record_event('account.erased', NULL, jsonb_build_object(
        'userId', app.public_id(NEW.id, NEW.kind), 'isManaged', NEW.kind = 'managed'));
    RETURN NULL;
END $$;

ALTER FUNCTION app.tell_of_erased_user() OWNER TO hearth_owner;

-- Name: tell_of_family(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_family() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_data jsonb := jsonb_build_object(
        'familyId', NEW.id, 'createdByUserId', NEW.created_by_user_id);
BEGIN
    IF TG_OP = 'UPDATE' THEN
        v_data := v_data || jsonb_build_object('changed', to_jsonb(array_remove(ARRAY[
            CASE WHEN NEW.approval_required <> OLD.approval_required
                 THEN 'approvalRequired' END,
            CASE WHEN NEW.family_name <> OLD.family_name THEN 'familyName' END,
            CASE WHEN (NEW.home_latitude, NEW.home_longitude)
                      IS DISTINCT FROM (OLD.home_latitude, OLD.home_longitude) THEN 'home' END,
            CASE WHEN NEW.member_limit <> OLD.member_limit THEN 'memberLimit' END,
            CASE WHEN NEW.player_details <> OLD.player_details
                 THEN 'playerDetails' END], NULL)));
    END IF;
    PERFORM app.record_event(
        CASE TG_OP WHEN 'INSERT' THEN 'family.created' ELSE 'family.updated' END, NEW.id, v_data);
    RETURN NULL;
END $$;

ALTER FUNCTION app.tell_of_family() OWNER TO hearth_owner;

-- Name: tell_of_invitation(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_invitation() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.record_event(
        CASE NEW.status WHEN 'pending' THEN 'invitation.created'
                        ELSE 'invitation.' || NEW.status END,
        NEW.family_unit_id,
        jsonb_build_object(
            'familyId', NEW.family_unit_id, 'invitationId', NEW.id, 'role', NEW.role,
            'householdRole', NEW.household_role, 'delivery', NEW.delivery,
            'invitedByUserId', NEW.invited_by, 'acceptedByUserId', NEW.accepted_by));
    RETURN NULL;
END $$;

ALTER FUNCTION app.tell_of_invitation() OWNER TO hearth_owner;

-- Name: tell_of_new_member(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_new_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    PERFORM app.record_event(
        CASE NEW.user_kind WHEN 'managed' THEN 'managed.created' ELSE 'member.joined' END,
        NEW.family_unit_id, app.member_event_data(NEW));
    RETURN NULL;
END $$;

ALTER FUNCTION app.tell_of_new_member() OWNER TO hearth_owner;

-- Name: tell_of_overwriting(app.family_members, app.role_changes, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_overwriting(p_me app.family_members, p_last app.role_changes, p_at timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    INSERT INTO app.role_conflicts AS c (user_id, member_id, family_unit_id, by_member_id, at)
        SELECT m.user_id, p_last.member_id, p_last.family_unit_id, p_me.id, p_at
        FROM app.family_members AS m
        WHERE m.family_unit_id = p_last.family_unit_id AND m.user_id = p_last.changed_by
            AND m.status = 'active'
        ON CONFLICT ON CONSTRAINT role_conflicts_pkey DO UPDATE
            SET version = NULL, by_member_id = excluded.by_member_id, at = excluded.at,
                noted_at = excluded.noted_at;
$$;

ALTER FUNCTION app.tell_of_overwriting(p_me app.family_members, p_last app.role_changes, p_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: tell_of_removal(app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_removal(p_was app.family_members) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF p_was.user_kind = 'account' THEN
        PERFORM app.enqueue_family_mail(
            CASE p_was.status WHEN 'invited' THEN 'mail.request_rejected'
                              ELSE 'mail.member_removed' END,
            p_was.family_unit_id, p_was.user_id);
    END IF;
END $$;

ALTER FUNCTION app.tell_of_removal(p_was app.family_members) OWNER TO hearth_owner;

-- Name: tell_of_request(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.tell_of_request(p_family uuid, p_account uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_governors constant uuid[] := ARRAY(
        SELECT m.user_id FROM app.family_members AS m
        WHERE m.family_unit_id = p_family AND m.status = 'active' AND m.governs ORDER BY m.id);
    v_governor uuid;
BEGIN
    IF v_governors = '{}' OR EXISTS (
        SELECT FROM app.reserve_hits(
            ARRAY['request-mail:' || p_family, 'request-mail:' || p_family || ':' || p_account],
            ARRAY[app.max_request_mails(), app.max_request_mails_of_account()],
            app.request_mails_window())) THEN
        RETURN;
    END IF;
    FOREACH v_governor IN ARRAY v_governors LOOP
        PERFORM app.enqueue_family_mail('mail.join_requested', p_family, v_governor, p_account);
    END LOOP;
END $$;

ALTER FUNCTION app.tell_of_request(p_family uuid, p_account uuid) OWNER TO hearth_owner;

-- Name: touch(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.touch() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;

ALTER FUNCTION app.touch() OWNER TO hearth_owner;

-- Name: transfer_admin(uuid, uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.transfer_admin(p_family uuid, p_member uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
BEGIN
    PERFORM app.require_allowed(app.is_admin(v_me));
    PERFORM app.transfer_admin_seat(v_me, app.member_in_family_of(v_me, p_member));
END $$;

ALTER FUNCTION app.transfer_admin(p_family uuid, p_member uuid) OWNER TO hearth_owner;

-- Name: FUNCTION transfer_admin(p_family uuid, p_member uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.transfer_admin(p_family uuid, p_member uuid) IS 'Hands the caller''s seat as Parent Admin to another adult.';

-- Name: transfer_admin_seat(app.family_members, app.family_members); Type: FUNCTION; Schema: app
CREATE FUNCTION app.transfer_admin_seat(p_from app.family_members, p_to app.family_members) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    IF app.is_adult(p_to) IS NOT TRUE OR p_to.id = p_from.id THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    UPDATE app.family_members AS m SET household_role = 'adult' WHERE m.id = p_from.id;
    UPDATE app.family_members AS m SET household_role = 'parent_admin', vouched = true
        WHERE m.id = p_to.id;
    PERFORM app.record_audit('admin.transfer', p_from.family_unit_id, p_to.user_id, p_to.id,
        jsonb_build_object('from', p_from.id));
END $$;

ALTER FUNCTION app.transfer_admin_seat(p_from app.family_members, p_to app.family_members) OWNER TO hearth_owner;

-- Name: try_mailed_code(bytea); Type: FUNCTION; Schema: app
CREATE FUNCTION app.try_mailed_code(p_ticket_hash bytea) RETURNS TABLE(ticket uuid, link_hash bytea, tries_left integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    UPDATE app.mailed_tickets AS t SET tries = t.tries + 1
        WHERE t.ticket_hash = p_ticket_hash AND t.tries < app.max_code_tries()
            AND t.used_at IS NULL AND t.expires_at > now()
        RETURNING t.id, t.link_hash, app.max_code_tries() - t.tries
$$;

ALTER FUNCTION app.try_mailed_code(p_ticket_hash bytea) OWNER TO hearth_owner;

-- Name: unsuppress_address(text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.unsuppress_address(p_email text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    DELETE FROM app.suppressed_addresses AS x WHERE x.email = app.normalised_email(p_email);
    RETURN FOUND;
END $$;

ALTER FUNCTION app.unsuppress_address(p_email text) OWNER TO hearth_owner;

-- Name: update_family(uuid, text, double precision, double precision, boolean, boolean); Type: FUNCTION; Schema: app
CREATE FUNCTION app.update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_family_as_member(p_family);
    v_before jsonb;
    v_after jsonb;
BEGIN
    PERFORM app.require_allowed(v_me.governs);
    SELECT to_jsonb(f) INTO v_before FROM app.family_units AS f WHERE f.id = p_family;
    UPDATE app.family_units AS f SET
            family_name = coalesce(p_family_name, f.family_name),
            home_latitude = CASE WHEN p_clear_home THEN NULL
                                 ELSE coalesce(p_home_latitude, f.home_latitude) END,
            home_longitude = CASE WHEN p_clear_home THEN NULL
                                  ELSE coalesce(p_home_longitude, f.home_longitude) END,
            approval_required = coalesce(p_approval_required, f.approval_required)
        WHERE f.id = p_family
        RETURNING to_jsonb(f) INTO v_after;
    PERFORM app.record_audit('family.update', p_family, v_me.user_id, p_family,
        app.changed_columns(v_before, v_after));
END $$;

ALTER FUNCTION app.update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean) OWNER TO hearth_owner;

-- Name: FUNCTION update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean) IS 'Changes name, home or admission of a family.';

-- Name: update_managed_member(uuid, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.update_managed_member(p_member uuid, p_display_name text, p_avatar_key text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
BEGIN
    UPDATE app.users AS u SET
            full_name = coalesce(p_display_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END
        WHERE u.id = v_child.user_id;
    PERFORM app.record_audit(
        'managed.update', v_child.family_unit_id, v_child.user_id, v_child.id);
END $$;

ALTER FUNCTION app.update_managed_member(p_member uuid, p_display_name text, p_avatar_key text) OWNER TO hearth_owner;

-- Name: FUNCTION update_managed_member(p_member uuid, p_display_name text, p_avatar_key text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.update_managed_member(p_member uuid, p_display_name text, p_avatar_key text) IS 'Changes name or avatar of a child that the caller guards.';

-- Name: update_profile(text, text, text, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_subject constant uuid := app.user_id();
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = v_subject AND u.deleted_at IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse('HF403', 'account_required', 'Nobody is signed in.');
    END IF;
    IF p_role IS NOT NULL THEN
        PERFORM app.require_account();
        IF p_role NOT IN ('player', 'parent') THEN
            PERFORM app.refuse_field('role', 'A role is player or parent.');
        ELSIF EXISTS (
            SELECT FROM app.users AS u JOIN app.family_members AS m ON m.user_id = u.id
            WHERE u.id = v_subject AND u.role <> p_role AND m.status = 'active') THEN
            PERFORM app.refuse('HF409', 'role_fixed_in_family',
                'The role can be changed only while you belong to no family.');
        END IF;
    END IF;
    UPDATE app.users AS u SET
            full_name = coalesce(p_full_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END,
            avatar_url = CASE WHEN p_avatar_url IS NULL THEN u.avatar_url
                              ELSE nullif(p_avatar_url, '') END,
            role = coalesce(p_role, u.role)
        WHERE u.id = v_subject;
    PERFORM app.record_audit('profile.update',
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = v_subject AND m.user_kind = 'managed'),
        v_subject, v_subject);
END $$;

ALTER FUNCTION app.update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text) OWNER TO hearth_owner;

-- Name: FUNCTION update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text) IS 'Changes the profile of the subject of the request.';

-- Name: upkeep_batch(text, interval, integer, timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    CASE p_object
        WHEN 'expired_invitations' THEN
            SELECT * INTO changed, reached FROM app.expire_invitations(p_batch, p_from);
        WHEN 'expired_codes' THEN
            SELECT * INTO changed, reached FROM app.expire_codes(p_batch, p_from);
        WHEN 'closed_invitations' THEN
            SELECT * INTO changed, reached FROM app.purge_invitations(p_age, p_batch, p_from);
        WHEN 'retired_codes' THEN
            SELECT * INTO changed, reached FROM app.purge_retired_codes(p_age, p_batch, p_from);
        WHEN 'code_usage_log' THEN
            SELECT * INTO changed, reached FROM app.purge_code_usage_log(p_age, p_batch, p_from);
        WHEN 'rate_limits' THEN
            SELECT * INTO changed, reached FROM app.purge_rate_limits(p_age, p_batch, p_from);
        WHEN 'code_lookups' THEN
            SELECT * INTO changed, reached FROM app.purge_code_lookups(p_age, p_batch, p_from);
        WHEN 'idempotency_keys' THEN
            SELECT * INTO changed, reached FROM app.purge_idempotency_keys(p_age, p_batch, p_from);
        WHEN 'removed_members' THEN
            SELECT * INTO changed, reached FROM app.erase_removed_members(p_age, p_batch, p_from);
        WHEN 'empty_families' THEN
            SELECT * INTO changed, reached FROM app.purge_empty_families(p_age, p_batch, p_from);
        WHEN 'ended_sessions' THEN
            SELECT * INTO changed, reached FROM app.purge_sessions(p_age, p_batch, p_from);
        WHEN 'mailed_tickets' THEN
            SELECT * INTO changed, reached FROM app.purge_mailed_tickets(p_age, p_batch, p_from);
        WHEN 'family_changes' THEN
            SELECT * INTO changed, reached
                FROM app.purge_family_changes(app.changes_kept_for(), p_batch, p_from);
        WHEN 'user_changes' THEN
            SELECT * INTO changed, reached
                FROM app.purge_user_changes(app.changes_kept_for(), p_batch, p_from);
        WHEN 'answered_challenges' THEN
            SELECT * INTO changed, reached
                FROM app.purge_answered_challenges(p_age, p_batch, p_from);
        WHEN 'wrong_codes' THEN
            SELECT * INTO changed, reached FROM app.purge_wrong_codes(p_batch);
        WHEN 'job_history_days' THEN changed := jobs.keep_history(p_age);
        WHEN 'audit_months' THEN
            SELECT * INTO changed, reached FROM app.maintain_audit_months(p_age, true, p_from);
        WHEN 'audit_entries' THEN
            SELECT * INTO changed, reached
                FROM app.purge_audit_entries(p_age, true, p_batch, p_from);
        -- The same, exported or not.
        WHEN 'unexported_audit_months' THEN
            SELECT * INTO changed, reached FROM app.maintain_audit_months(p_age, false, p_from);
        WHEN 'unexported_audit_entries' THEN
            SELECT * INTO changed, reached
                FROM app.purge_audit_entries(p_age, false, p_batch, p_from);
    END CASE;
END $$;

ALTER FUNCTION app.upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) OWNER TO hearth_owner;

-- Name: FUNCTION upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) IS 'Expires or forgets so many things of a kind at most, from a moment on; how many, and how far.';

-- Name: user_id(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.user_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('hearth.user_id'::text, true), ''::text))::uuid;

ALTER FUNCTION app.user_id() OWNER TO hearth_owner;

-- Name: FUNCTION user_id(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.user_id() IS 'The subject of the request, or null.';

-- Name: users_missing(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.users_missing() RETURNS TABLE(user_id uuid)
    LANGUAGE sql STABLE ROWS 10 PARALLEL RESTRICTED
    SET search_path TO ''
    SET enable_hashjoin TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    AS $$
    SELECT m.user_id FROM app.family_members AS m
    WHERE NOT EXISTS (SELECT FROM app.users AS u WHERE u.id = m.user_id)
$$;

ALTER FUNCTION app.users_missing() OWNER TO hearth_owner;

-- Name: wrong_code_hours; Type: TABLE; Schema: app
CREATE TABLE app.wrong_code_hours (
    hour timestamp with time zone NOT NULL,
    codes_a_minute integer NOT NULL,
    CONSTRAINT wrong_code_hours_codes_positive CHECK ((codes_a_minute >= 0))
);

ALTER TABLE ONLY app.wrong_code_hours FORCE ROW LEVEL SECURITY;

ALTER TABLE app.wrong_code_hours OWNER TO hearth_owner;

-- Name: TABLE wrong_code_hours; Type: COMMENT; Schema: app
COMMENT ON TABLE app.wrong_code_hours IS 'Wrong codes a minute in an hour, as far as they count for what is usual.';

-- Name: usual_wrong_codes(timestamp with time zone); Type: FUNCTION; Schema: app
CREATE FUNCTION app.usual_wrong_codes(p_at timestamp with time zone) RETURNS integer
    LANGUAGE sql STABLE
    RETURN (SELECT percentile_disc((0.5)::double precision) WITHIN GROUP (ORDER BY COALESCE(h.codes_a_minute, 0)) AS percentile_disc FROM (generate_series(1, 7) days(ago) LEFT JOIN app.wrong_code_hours h ON ((h.hour = (date_trunc('hour'::text, usual_wrong_codes.p_at, 'UTC'::text) - make_interval(hours => (24 * days.ago)))))));

ALTER FUNCTION app.usual_wrong_codes(p_at timestamp with time zone) OWNER TO hearth_owner;

-- Name: versions_of_callers(text[], bytea[], text[], boolean[], boolean[], uuid[], uuid[], uuid[]); Type: FUNCTION; Schema: app
CREATE FUNCTION app.versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]) RETURNS TABLE(place integer, user_id uuid, own_version bigint, own_raised_at timestamp with time zone, family_unit_id uuid, version bigint, raised_at timestamp with time zone, is_code_over boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    RETURN QUERY
        SELECT q.place, c.user_id, u.version, u.raised_at,
            j.family_unit_id, j.version, j.raised_at, j.is_code_over
        FROM generate_subscripts(p_issuers, 1) AS q (place)
        CROSS JOIN LATERAL (
            SELECT i.user_id
            FROM app.user_identities AS i
            WHERE p_sessions[q.place] IS NULL AND i.subject_hash = p_subject_hashes[q.place]
                AND i.issuer = p_issuers[q.place]
                AND app.tells_nothing_new(i.claims_mark, i.lacks_name, p_emails[q.place],
                    p_emails_verified[q.place], p_bring_names[q.place])
            UNION ALL
            SELECT s.user_id
            FROM app.unended_sessions AS s
            WHERE s.id = p_sessions[q.place] AND s.user_id = p_accounts[q.place] OFFSET 0) AS c
        LEFT JOIN LATERAL (
            SELECT u.version, u.raised_at
            FROM app.user_versions AS u
            WHERE p_families[q.place] IS NULL AND u.user_id = c.user_id OFFSET 0) AS u ON true
        LEFT JOIN LATERAL (
            SELECT j.family_unit_id, v.version, v.raised_at,
                CASE WHEN p_families[q.place] IS NULL THEN (
                    SELECT f.code_expires_at <= now() FROM app.family_units AS f
                    WHERE f.id = j.family_unit_id) END AS is_code_over
            FROM app.families_joined AS j
            LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
            WHERE j.viewer_id = c.user_id
                AND (p_families[q.place] IS NULL OR j.family_unit_id = p_families[q.place])
            OFFSET 0) AS j ON true
        WHERE p_families[q.place] IS NULL OR j.family_unit_id IS NOT NULL
        ORDER BY q.place;
END $$;

ALTER FUNCTION app.versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]) OWNER TO hearth_owner;

-- Name: FUNCTION versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]) IS 'For each of these callers who act for nobody, the versions that decide what it sees.';

-- Name: was_erased(bytea, bigint); Type: FUNCTION; Schema: app
CREATE FUNCTION app.was_erased(p_subject_hash bytea, p_issued_at bigint) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT EXISTS (
        SELECT FROM app.erasures AS e
        WHERE e.sign_ins @> ARRAY[p_subject_hash]
            AND coalesce(p_issued_at, 0) <= extract(epoch FROM e.erased_at));
$$;

ALTER FUNCTION app.was_erased(p_subject_hash bytea, p_issued_at bigint) OWNER TO hearth_owner;

-- Name: FUNCTION was_erased(p_subject_hash bytea, p_issued_at bigint); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.was_erased(p_subject_hash bytea, p_issued_at bigint) IS 'Whether the account of a sign-in was erased after the token was issued.';

-- Name: webhook_patience(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.webhook_patience() RETURNS interval
    LANGUAGE sql IMMUTABLE
    RETURN '3 days'::interval;

ALTER FUNCTION app.webhook_patience() OWNER TO hearth_owner;

-- Name: webhook_stats(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.webhook_stats() RETURNS TABLE(working bigint, failing bigint, paused bigint, pending bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT count(*) FILTER (WHERE e.paused_at IS NULL AND e.failures = 0),
        count(*) FILTER (WHERE e.paused_at IS NULL AND e.failures > 0),
        count(*) FILTER (WHERE e.paused_at IS NOT NULL),
        (SELECT count(*) FROM app.webhook_deliveries AS d WHERE d.state = 'pending')
    FROM app.webhook_endpoints AS e;
$$;

ALTER FUNCTION app.webhook_stats() OWNER TO hearth_owner;

-- Name: why_audit_month_is_open(timestamp with time zone, timestamp with time zone, double precision); Type: FUNCTION; Schema: app
CREATE FUNCTION app.why_audit_month_is_open(p_before timestamp with time zone, p_now timestamp with time zone, p_oldest_seconds double precision) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
    SELECT CASE
        WHEN p_now < p_before + interval '1 hour' THEN
            'The month before has not been over for an hour yet: entries may still come.'
        WHEN p_now - make_interval(secs => coalesce(p_oldest_seconds, 86400)) < p_before THEN
            'A transaction of the month before is still open: its entries may still come.'
    END;
$$;

ALTER FUNCTION app.why_audit_month_is_open(p_before timestamp with time zone, p_now timestamp with time zone, p_oldest_seconds double precision) OWNER TO hearth_owner;

-- Name: withdraw_consent(uuid, text); Type: FUNCTION; Schema: app
CREATE FUNCTION app.withdraw_consent(p_member uuid, p_purpose text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
    v_version text;
BEGIN
    UPDATE app.consents AS c SET ended_at = now(), ended_by = app.account_id()
        WHERE c.member_id = v_child.id AND c.purpose = p_purpose AND c.ended_at IS NULL
        RETURNING c.version INTO v_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM app.mark_member_changed(v_child.id);
    PERFORM app.record_audit('consent.withdraw', v_child.family_unit_id, v_child.user_id,
        v_child.id, jsonb_build_object('purpose', p_purpose, 'version', v_version));
END $$;

ALTER FUNCTION app.withdraw_consent(p_member uuid, p_purpose text) OWNER TO hearth_owner;

-- Name: FUNCTION withdraw_consent(p_member uuid, p_purpose text); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.withdraw_consent(p_member uuid, p_purpose text) IS 'Withdraws consent for a child that the caller guards.';

-- Name: withdraw_request(uuid); Type: FUNCTION; Schema: app
CREATE FUNCTION app.withdraw_request(p_family uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_me constant app.family_members := app.lock_own_family_member(p_family);
BEGIN
    IF v_me.status <> 'invited' THEN
        PERFORM app.refuse('HF409', 'member_is_not_waiting',
            'The family has let you in already.');
    END IF;
    PERFORM app.end_membership(v_me);
    PERFORM app.record_audit('member.leave', p_family, v_me.user_id, v_me.id,
        jsonb_build_object('was', v_me.status));
END $$;

ALTER FUNCTION app.withdraw_request(p_family uuid) OWNER TO hearth_owner;

-- Name: FUNCTION withdraw_request(p_family uuid); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.withdraw_request(p_family uuid) IS 'Ends the caller''s request to join, unless it is a member already.';

-- Name: wrong_code_rate(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.wrong_code_rate() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT coalesce((SELECT s.wrong_codes_a_minute FROM app.code_settings AS s), 60);
$$;

ALTER FUNCTION app.wrong_code_rate() OWNER TO hearth_owner;

-- Name: FUNCTION wrong_code_rate(); Type: COMMENT; Schema: app
COMMENT ON FUNCTION app.wrong_code_rate() IS 'How many wrong codes a minute, above the usual, begin automatic approval.';

-- Name: wrong_codes; Type: TABLE; Schema: app
CREATE TABLE app.wrong_codes (
    minute timestamp with time zone NOT NULL,
    shard smallint NOT NULL,
    codes integer NOT NULL,
    CONSTRAINT wrong_codes_codes_positive CHECK ((codes > 0))
)
WITH (fillfactor='50');

ALTER TABLE ONLY app.wrong_codes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.wrong_codes OWNER TO hearth_owner;

-- Name: TABLE wrong_codes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.wrong_codes IS 'Wrong codes of the whole installation, minute by minute.';

-- Name: wrong_codes_of_last_minute(); Type: FUNCTION; Schema: app
CREATE FUNCTION app.wrong_codes_of_last_minute() RETURNS integer
    LANGUAGE sql STABLE
    RETURN (SELECT (COALESCE(sum(CASE WHEN (w.minute = m.minute) THEN (w.codes)::numeric ELSE ((w.codes)::numeric * ((1)::numeric - (EXTRACT(epoch FROM (now() - m.minute)) / (60)::numeric))) END), (0)::numeric))::integer AS "coalesce" FROM ((SELECT date_trunc('minute'::text, now(), 'UTC'::text) AS date_trunc) m(minute) JOIN app.wrong_codes w ON (((w.minute = m.minute) OR (w.minute = (m.minute - '00:01:00'::interval))))));

ALTER FUNCTION app.wrong_codes_of_last_minute() OWNER TO hearth_owner;

-- Name: acting_as(); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.acting_as() RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
DECLARE
    v_header constant text :=
        nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-acting-as-member';
BEGIN
    IF v_header !~* '^(managed_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
        RAISE EXCEPTION USING ERRCODE = 'PT400', MESSAGE = 'X-Acting-As-Member is malformed.';
    END IF;
    RETURN right(v_header, 36)::uuid;
END $_$;

ALTER FUNCTION gateway.acting_as() OWNER TO hearth_owner;

-- Name: begin_request(); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.begin_request() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
    v_issuer app.trusted_issuers;
    v_subject text;
    v_hash bytea;
    v_email text;
    v_verified boolean;
    v_name text;
    v_issued_at bigint;
    v_acting constant uuid := gateway.acting_as();
    v_outcome text;
BEGIN
    PERFORM set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    SELECT i.* INTO v_issuer FROM app.trusted_issuers AS i WHERE i.issuer = v_claims ->> 'iss';
    IF current_setting('role', true) IS DISTINCT FROM 'authenticated'
        OR coalesce(v_claims ->> 'role', 'authenticated') <> 'authenticated'
        OR v_issuer.issuer IS NULL
        OR NOT gateway.is_for_us(v_issuer.kind, v_issuer.audiences, v_claims)
        OR v_issuer.token_use <> v_claims ->> 'token_use' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_subject := gateway.subject(v_issuer.is_primary, v_claims);
    v_email := app.normalised_email(gateway.text_claim(v_claims, 'email'));
    v_issued_at := gateway.issue_time(v_claims);
    IF v_issuer.kind = 'hearth' THEN
        v_outcome := gateway.begin_session(v_claims, v_acting);
    ELSIF gateway.is_anonymous(v_issuer.kind, v_claims) THEN
        -- Who has no account acts for nobody, whoever is named.
        v_outcome := 'acting_refused';
    ELSE
        v_hash := sha256(convert_to(v_issuer.issuer || E'\n' || v_subject, 'UTF8'));
        -- An address that isn't stored can't be verified: as the API has it.
        v_verified := v_email IS NOT NULL
            AND gateway.email_is_verified(v_issuer.kind, v_issuer.emails_confirmed, v_claims);
        v_name := gateway.name_claim(v_issuer.kind, v_claims);
        SELECT b.outcome INTO v_outcome FROM app.begin_request(
            v_issuer.issuer, v_hash, v_email, v_verified, v_name IS NOT NULL, v_acting) AS b;
    END IF;
    IF v_outcome IN ('unknown', 'stale') AND app.was_erased(v_hash, v_issued_at) THEN
        PERFORM gateway.refuse_token();
    END IF;
    IF v_outcome IN ('unknown', 'stale')
        AND current_setting('transaction_read_only') = 'off' THEN
        SELECT s.outcome INTO v_outcome FROM app.see_user(
            v_issuer.issuer, v_hash, CASE WHEN v_issuer.is_primary THEN v_subject::uuid END,
            v_email, v_verified, v_name,
            CASE v_issuer.kind WHEN 'supabase'
                THEN gateway.text_or_null(v_claims -> 'user_metadata' -> 'role') END,
            v_acting, v_issued_at) AS s;
    ELSIF v_outcome = 'stale' THEN
        -- A read can't refresh the user; it goes on as the user that it is.
        SELECT b.outcome INTO v_outcome
            FROM app.begin_request(v_issuer.issuer, v_hash, NULL, NULL, v_acting) AS b;
    END IF;
    IF v_outcome <> 'known' AND v_acting IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'PT403', MESSAGE = 'Not allowed to act for this member.';
    END IF;
END $$;

ALTER FUNCTION gateway.begin_request() OWNER TO hearth_owner;

-- Name: FUNCTION begin_request(); Type: COMMENT; Schema: gateway
COMMENT ON FUNCTION gateway.begin_request() IS 'Begins the request of a direct client; PostgREST''s db-pre-request.';

-- Name: begin_session(jsonb, uuid); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.begin_session(p_claims jsonb, p_acting uuid) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
DECLARE
    v_uuid constant text := '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
    v_session constant text := gateway.text_claim(p_claims, 'sid');
    v_user constant text := gateway.text_claim(p_claims, 'sub');
    v_outcome text;
BEGIN
    -- A subject there is: gateway.subject has seen it.
    IF v_session IS NULL OR v_session !~ v_uuid OR v_user !~ v_uuid OR p_claims ? 'act' THEN
        PERFORM gateway.refuse_token();
    END IF;
    SELECT b.outcome INTO v_outcome
        FROM app.begin_session(v_session::uuid, v_user::uuid, p_acting) AS b;
    IF v_outcome = 'session_ended' THEN
        RAISE EXCEPTION USING ERRCODE = 'PT401', MESSAGE = 'This session has ended.';
    END IF;
    RETURN v_outcome;
END $_$;

ALTER FUNCTION gateway.begin_session(p_claims jsonb, p_acting uuid) OWNER TO hearth_owner;

-- Name: email_is_verified(text, boolean, jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.email_is_verified(p_kind text, p_emails_confirmed boolean, p_claims jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN COALESCE((CASE p_kind WHEN 'supabase'::text THEN p_emails_confirmed WHEN 'apple'::text THEN ((p_claims ->> 'email_verified'::text) = 'true'::text) ELSE ((p_claims -> 'email_verified'::text) = 'true'::jsonb) END AND ((p_claims ->> 'email'::text) IS NOT NULL)), false);

ALTER FUNCTION gateway.email_is_verified(p_kind text, p_emails_confirmed boolean, p_claims jsonb) OWNER TO hearth_owner;

-- Name: insert_family(uuid, uuid, text); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO app.family_units (id, created_by_user_id, family_name)
   VALUES (insert_family.p_id, insert_family.p_creator, insert_family.p_name);
END;

ALTER FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text) OWNER TO hearth_owner;

-- Name: insert_family(uuid, uuid, text, text); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text, p_code text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO app.family_units (id, created_by_user_id, family_name, family_code)
   VALUES (insert_family.p_id, insert_family.p_creator, insert_family.p_name, insert_family.p_code);
END;

ALTER FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text, p_code text) OWNER TO hearth_owner;

-- Name: insert_member(uuid, uuid, uuid, text); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.insert_member(p_id uuid, p_family uuid, p_user uuid, p_role text) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO app.family_members (id, family_unit_id, user_id, role)
   VALUES (insert_member.p_id, insert_member.p_family, insert_member.p_user, insert_member.p_role);
END;

ALTER FUNCTION gateway.insert_member(p_id uuid, p_family uuid, p_user uuid, p_role text) OWNER TO hearth_owner;

-- Name: is_anonymous(text, jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.is_anonymous(p_kind text, p_claims jsonb) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    IF p_kind = 'supabase'
        AND jsonb_typeof(p_claims -> 'is_anonymous') NOT IN ('boolean', 'null') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN p_kind = 'supabase' AND coalesce(p_claims -> 'is_anonymous' = 'true'::jsonb, false);
END $$;

ALTER FUNCTION gateway.is_anonymous(p_kind text, p_claims jsonb) OWNER TO hearth_owner;

-- Name: text_or_null(jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.text_or_null(p_value jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE jsonb_typeof(p_value) WHEN 'string'::text THEN NULLIF((p_value #>> '{}'::text[]), ''::text) ELSE NULL::text END;

ALTER FUNCTION gateway.text_or_null(p_value jsonb) OWNER TO hearth_owner;

-- Name: is_for_us(text, text[], jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.is_for_us(p_kind text, p_audiences text[], p_claims jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    RETURN COALESCE(CASE WHEN ((p_kind = 'cognito'::text) AND ((p_claims -> 'token_use'::text) = '"access"'::jsonb)) THEN (gateway.text_or_null((p_claims -> 'client_id'::text)) = ANY (p_audiences)) WHEN ((p_kind = 'cognito'::text) AND ((p_claims -> 'token_use'::text) IS DISTINCT FROM '"id"'::jsonb)) THEN false WHEN (jsonb_typeof((p_claims -> 'aud'::text)) = 'array'::text) THEN ((p_claims -> 'aud'::text) ?| p_audiences) ELSE (gateway.text_or_null((p_claims -> 'aud'::text)) = ANY (p_audiences)) END, false);

ALTER FUNCTION gateway.is_for_us(p_kind text, p_audiences text[], p_claims jsonb) OWNER TO hearth_owner;

-- Name: issue_time(jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.issue_time(p_claims jsonb) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
DECLARE
    v_seconds numeric;
BEGIN
    IF NOT p_claims ? 'iat' THEN
        RETURN NULL;
    ELSIF jsonb_typeof(p_claims -> 'iat') <> 'number' THEN
        PERFORM gateway.refuse_token();
    END IF;
    v_seconds := floor((p_claims ->> 'iat')::numeric);
    IF v_seconds > extract(epoch FROM clock_timestamp()) + 60 THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN greatest(v_seconds, 0);
END $$;

ALTER FUNCTION gateway.issue_time(p_claims jsonb) OWNER TO hearth_owner;

-- Name: name_claim(text, jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.name_claim(p_kind text, p_claims jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE p_kind WHEN 'supabase'::text THEN COALESCE(app.normalised_name(gateway.text_or_null(((p_claims -> 'user_metadata'::text) -> 'full_name'::text)), 80), app.normalised_name(gateway.text_or_null(((p_claims -> 'user_metadata'::text) -> 'name'::text)), 80)) ELSE app.normalised_name(gateway.text_or_null((p_claims -> 'name'::text)), 80) END;

ALTER FUNCTION gateway.name_claim(p_kind text, p_claims jsonb) OWNER TO hearth_owner;

-- Name: refuse_token(); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.refuse_token() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'PT401', MESSAGE = 'This token is not accepted here.';
END $$;

ALTER FUNCTION gateway.refuse_token() OWNER TO hearth_owner;

-- Name: subject(boolean, jsonb); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.subject(p_is_primary boolean, p_claims jsonb) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
DECLARE
    v_subject constant text := gateway.text_claim(p_claims, 'sub');
BEGIN
    IF v_subject IS NULL OR char_length(v_subject) > 255 OR v_subject ~ '[\u0001-\u001F\u007F]'
        OR (p_is_primary
            AND v_subject !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN CASE WHEN p_is_primary THEN lower(v_subject) ELSE v_subject END;
END $_$;

ALTER FUNCTION gateway.subject(p_is_primary boolean, p_claims jsonb) OWNER TO hearth_owner;

-- Name: take_family(); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.take_family() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    NEW.id := coalesce(NEW.id, gen_random_uuid());
    PERFORM gateway.insert_family(
        NEW.id, NEW.created_by_user_id, coalesce(NEW.family_name, 'My Family'),
        NEW.family_code);
    SELECT f.* INTO STRICT NEW FROM api.family_units AS f WHERE f.id = NEW.id;
    RETURN NEW;
END $$;

ALTER FUNCTION gateway.take_family() OWNER TO hearth_owner;

-- Name: take_member(); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.take_member() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
BEGIN
    NEW.id := coalesce(NEW.id, gen_random_uuid());
    PERFORM gateway.insert_member(NEW.id, NEW.family_unit_id, NEW.user_id, NEW.role);
    SELECT m.* INTO STRICT NEW FROM api.family_members AS m WHERE m.id = NEW.id;
    RETURN NEW;
END $$;

ALTER FUNCTION gateway.take_member() OWNER TO hearth_owner;

-- Name: text_claim(jsonb, text); Type: FUNCTION; Schema: gateway
CREATE FUNCTION gateway.text_claim(p_claims jsonb, p_name text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
BEGIN
    IF jsonb_typeof(p_claims -> p_name) NOT IN ('string', 'null') THEN
        PERFORM gateway.refuse_token();
    END IF;
    RETURN nullif(p_claims ->> p_name, '');
END $$;

ALTER FUNCTION gateway.text_claim(p_claims jsonb, p_name text) OWNER TO hearth_owner;

-- Name: beat(integer, text[], text); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.beat(p_worker integer, p_queues text[], p_channel text) RETURNS TABLE(held boolean, reclaimed integer, ticked integer, wait_seconds double precision)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    v_lease constant interval := interval '15 seconds';
    v_now constant timestamptz := clock_timestamp();
    v_before timestamptz;
    v_other integer;
    v_next timestamptz;
BEGIN
    reclaimed := 0;
    ticked := 0;
    SELECT w.renewed_at INTO v_before FROM jobs.workers AS w
        WHERE w.id = p_worker FOR NO KEY UPDATE;
    held := FOUND;
    IF NOT held THEN
        RETURN NEXT;
        RETURN;
    END IF;
    UPDATE jobs.workers AS w SET renewed_at = v_now WHERE w.id = p_worker;
    WITH ahead AS (
        SELECT w.id FROM jobs.workers AS w
        WHERE w.renewed_at > v_now + interval '1 minute' FOR UPDATE SKIP LOCKED)
    UPDATE jobs.workers AS w SET renewed_at = v_now FROM ahead WHERE w.id = ahead.id;
    UPDATE jobs.paused_queues AS q SET probe_at = v_now
        WHERE q.probe_at > v_now + interval '1 minute';
    IF v_before > v_now - v_lease THEN
        FOR v_other IN
            SELECT w.id FROM jobs.workers AS w
            WHERE w.renewed_at <= v_now - v_lease FOR UPDATE SKIP LOCKED
        LOOP
            IF pg_try_advisory_xact_lock(jobs.lease_lock_class(), v_other) THEN
                reclaimed := reclaimed + jobs.end_lease(v_other);
            END IF;
        END LOOP;
    END IF;
    IF EXISTS (
        SELECT FROM jobs.schedules AS s
        WHERE s.next_at <= v_now OR jobs.is_too_far_ahead(s, v_now)) THEN
        ticked := jobs.tick(v_now);
    END IF;
    IF p_channel IS NOT NULL THEN
        PERFORM pg_notify(p_channel, p_worker::text);
    END IF;
    SELECT least(
            (SELECT min(w.renewed_at) + v_lease FROM jobs.workers AS w WHERE w.id <> p_worker),
            (SELECT min(s.next_at) FROM jobs.schedules AS s),
            (SELECT min(q.probe_at) FROM jobs.paused_queues AS q WHERE q.queue = ANY (p_queues)),
            (SELECT min(n.run_at) FROM unnest(p_queues) AS q (name)
                CROSS JOIN generate_series(0, 3) AS p (priority)
                CROSS JOIN LATERAL (
                    SELECT j.run_at FROM jobs.live AS j
                    WHERE j.queue = q.name AND j.priority = p.priority::smallint
                        AND j.run_at > v_now
                    ORDER BY j.run_at, j.id LIMIT 1) AS n))
        INTO v_next;
    wait_seconds := extract(epoch FROM v_next - clock_timestamp());
    RETURN NEXT;
END $$;

ALTER FUNCTION jobs.beat(p_worker integer, p_queues text[], p_channel text) OWNER TO hearth_owner;

-- Name: cancel(bigint); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.cancel(p_id bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    WITH gone AS (DELETE FROM jobs.live AS j WHERE j.id = p_id RETURNING j.*)
    INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
        SELECT g.id, g.family_unit_id, g.attempt, g.queue, g.kind, 'cancelled' FROM gone AS g;
    RETURN FOUND;
END $$;

ALTER FUNCTION jobs.cancel(p_id bigint) OWNER TO hearth_owner;

-- Name: claim(integer, text, text[], integer, timestamp with time zone[], bigint[], integer, text[]); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.claim(p_worker integer, p_queue text, p_kinds text[], p_limit integer, p_after_at timestamp with time zone[], p_after_id bigint[], p_starting integer, p_noted text[]) RETURNS TABLE(id bigint, token bigint, kind text, family_unit_id uuid, priority smallint, run_at timestamp with time zone, expired boolean, attempt smallint, careful boolean, started boolean, payload jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    v_now constant timestamptz := clock_timestamp();
    v_limit integer := p_limit;
    v_token bigint;
    v_count integer;
    v_held boolean := false;
    v_probe timestamptz;
BEGIN
    -- Two statements: what one sees was settled before it took its lock.
    IF pg_try_advisory_xact_lock_shared(jobs.lease_lock_class(), p_worker) THEN
        v_held := EXISTS (SELECT FROM jobs.workers AS w WHERE w.id = p_worker);
    END IF;
    IF NOT v_held THEN
        RAISE EXCEPTION USING ERRCODE = 'JQ001', CONSTRAINT = 'lease_lost',
            MESSAGE = 'This worker''s lease was lost.';
    END IF;
    SELECT q.probe_at INTO v_probe FROM jobs.paused_queues AS q WHERE q.queue = p_queue;
    IF FOUND THEN
        PERFORM FROM jobs.paused_queues AS q
            WHERE q.queue = p_queue AND q.probe_at <= v_now FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        v_limit := 1;
    END IF;
    v_token := nextval('jobs.tokens');
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT n.place
        FROM unnest(p_after_at, p_after_id) WITH ORDINALITY AS b (after_at, after_id, number)
        CROSS JOIN LATERAL (
            SELECT j.ctid AS place FROM jobs.live AS j
            WHERE j.queue = p_queue AND j.priority = (b.number - 1)::smallint
                AND (j.run_at, j.id) > (least(b.after_at, v_now - interval '1 second'), b.after_id)
                AND j.run_at <= v_now
                AND j.state = 'ready' AND j.kind = ANY (p_kinds)
            ORDER BY j.run_at, j.id LIMIT v_limit FOR UPDATE SKIP LOCKED) AS n
        LIMIT v_limit),
    -- Beside the walk: numbering would make it lock a row more than it takes.
    numbered AS (SELECT f.place, row_number() OVER () AS number FROM found AS f)
    UPDATE jobs.live AS j SET state = 'running', worker = p_worker, token = v_token,
            is_started = f.number <= p_starting AND coalesce(j.not_after > v_now, true)
                AND (j.kind = ANY (p_noted) OR j.is_suspect OR j.crashes > 0)
        FROM numbered AS f WHERE j.ctid = f.place
        RETURNING j.id, j.token, j.kind, j.family_unit_id, j.priority, j.run_at,
            coalesce(j.not_after <= v_now, false), j.attempt, j.is_suspect OR j.crashes > 0,
            j.is_started, j.payload;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_probe IS NOT NULL AND v_count > 0 THEN
        UPDATE jobs.paused_queues AS q SET probe_at = v_now + interval '30 seconds'
            WHERE q.queue = p_queue;
    END IF;
END $$;

ALTER FUNCTION jobs.claim(p_worker integer, p_queue text, p_kinds text[], p_limit integer, p_after_at timestamp with time zone[], p_after_id bigint[], p_starting integer, p_noted text[]) OWNER TO hearth_owner;

-- Name: complete(bigint[], bigint[]); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.complete(p_ids bigint[], p_tokens bigint[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
    v_count integer;
BEGIN
    IF EXISTS (SELECT FROM jobs.paused_queues) THEN
        DELETE FROM jobs.paused_queues AS q USING jobs.live AS j
            WHERE j.id = ANY (p_ids) AND j.token = ANY (p_tokens) AND q.queue = j.queue;
    END IF;
    WITH done AS (
        DELETE FROM jobs.live AS j USING unnest(p_ids, p_tokens) AS a (id, token)
            WHERE j.id = a.id AND j.token = a.token
            RETURNING j.id, j.family_unit_id, j.attempt, j.queue, j.kind)
    INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
        SELECT d.id, d.family_unit_id, d.attempt, d.queue, d.kind, 'done' FROM done AS d;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END $$;

ALTER FUNCTION jobs.complete(p_ids bigint[], p_tokens bigint[]) OWNER TO hearth_owner;

-- Name: drop_history_day(interval); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.drop_history_day(p_age interval) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
    v_name text;
    v_is_free boolean;
BEGIN
    FOR v_name IN SELECT d.name FROM jobs.old_history_days(p_age) AS d (name) LOOP
        v_is_free := false;
        -- What is locked in this block is free again when it fails.
        BEGIN
            EXECUTE format('LOCK TABLE jobs.%I IN ACCESS EXCLUSIVE MODE NOWAIT', v_name);
            v_is_free := true;
            LOCK TABLE ONLY jobs.history IN ACCESS EXCLUSIVE MODE;
            LOCK TABLE jobs.history_other IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('DROP TABLE jobs.%I', v_name);
            RETURN 1;
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            IF v_is_free THEN
                RETURN 0;
            END IF;
        END;
    END LOOP;
    RETURN 0;
END $$;

ALTER FUNCTION jobs.drop_history_day(p_age interval) OWNER TO hearth_owner;

-- Name: end_lease(integer); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.end_lease(p_worker integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
DECLARE
    v_job record;
    v_count integer := 0;
BEGIN
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    FOR v_job IN
        UPDATE jobs.live AS j SET
                state = 'ready', worker = NULL, token = NULL, is_started = false,
                is_suspect = true, crashes = j.crashes + CASE WHEN j.is_started THEN 1 ELSE 0 END
            WHERE j.worker = p_worker
            RETURNING j.id, j.crashes
    LOOP
        IF v_job.crashes >= 3 THEN
            PERFORM jobs.move_to_dead(v_job.id, 'Its worker vanished three times while it ran.');
        END IF;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END $$;

ALTER FUNCTION jobs.end_lease(p_worker integer) OWNER TO hearth_owner;

-- Name: enlist(text); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.enlist(p_label text) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    INSERT INTO jobs.workers AS w (label) VALUES (p_label) RETURNING w.id;
$$;

ALTER FUNCTION jobs.enlist(p_label text) OWNER TO hearth_owner;

-- Name: enqueue(text, text, uuid, jsonb, smallint, timestamp with time zone, timestamp with time zone, text, smallint); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint DEFAULT (1)::smallint, p_run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_not_after timestamp with time zone DEFAULT NULL::timestamp with time zone, p_unique_key text DEFAULT NULL::text, p_max_attempts smallint DEFAULT (20)::smallint) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    INSERT INTO jobs.live AS j (queue, kind, family_unit_id, payload, priority, run_at, not_after,
            unique_key, max_attempts)
        VALUES (p_queue, p_kind, p_family, p_payload, p_priority,
            coalesce(p_run_at, clock_timestamp()), p_not_after, p_unique_key, p_max_attempts)
        ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL DO NOTHING
        RETURNING j.id;
$$;

ALTER FUNCTION jobs.enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint, p_run_at timestamp with time zone, p_not_after timestamp with time zone, p_unique_key text, p_max_attempts smallint) OWNER TO hearth_owner;

-- Name: schedules; Type: TABLE; Schema: jobs
CREATE TABLE jobs.schedules (
    name text NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    every interval,
    at_local time without time zone,
    zone text DEFAULT 'UTC'::text NOT NULL,
    next_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone,
    CONSTRAINT schedules_every_range CHECK (((every >= '00:00:01'::interval) AND (every <= '7 days'::interval))),
    CONSTRAINT schedules_one_rule CHECK (((every IS NULL) <> (at_local IS NULL)))
);

ALTER TABLE jobs.schedules OWNER TO hearth_owner;

-- Name: is_too_far_ahead(jobs.schedules, timestamp with time zone); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.is_too_far_ahead(p_schedule jobs.schedules, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT p_schedule.next_at > jobs.next_tick(p_schedule.every, p_schedule.at_local,
        p_schedule.zone, p_now + coalesce(p_schedule.every, interval '0') + interval '1 day');
$$;

ALTER FUNCTION jobs.is_too_far_ahead(p_schedule jobs.schedules, p_now timestamp with time zone) OWNER TO hearth_owner;

-- Name: keep_history(interval); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.keep_history(p_age interval) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    IF jobs.drop_history_day(p_age) > 0 THEN
        RETURN 1;
    END IF;
    DELETE FROM jobs.history_other AS h WHERE h.finished_at <= now() - p_age;
    PERFORM jobs.make_history_days();
    RETURN 0;
END $$;

ALTER FUNCTION jobs.keep_history(p_age interval) OWNER TO hearth_owner;

-- Name: lease_lock_class(); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.lease_lock_class() RETURNS integer
    LANGUAGE sql IMMUTABLE
    RETURN 1936027234;

ALTER FUNCTION jobs.lease_lock_class() OWNER TO hearth_owner;

-- Name: make_history_days(); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.make_history_days() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
    v_today constant date := (now() AT TIME ZONE 'UTC')::date;
    v_day date;
    v_name text;
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
                LOCK TABLE ONLY jobs.history IN ACCESS EXCLUSIVE MODE;
                LOCK TABLE jobs.history_other IN ACCESS EXCLUSIVE MODE NOWAIT;
                EXECUTE format(
                    'CREATE TABLE jobs.%I PARTITION OF jobs.history FOR VALUES FROM (%L) TO (%L)',
                    v_name, v_day AT TIME ZONE 'UTC', (v_day + 1) AT TIME ZONE 'UTC');
            EXCEPTION
                WHEN duplicate_table THEN
                    NULL;
                WHEN lock_not_available THEN
                    RETURN;
            END;
        END IF;
    END LOOP;
END $$;

ALTER FUNCTION jobs.make_history_days() OWNER TO hearth_owner;

-- Name: move_to_dead(bigint, text); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.move_to_dead(p_id bigint, p_error text) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
    WITH gone AS (DELETE FROM jobs.live AS j WHERE j.id = p_id RETURNING j.*)
    INSERT INTO jobs.dead (id, queue, kind, family_unit_id, unique_key, priority, attempt,
            max_attempts, crashes, run_at, not_after, payload, last_error)
        SELECT g.id, g.queue, g.kind, g.family_unit_id, g.unique_key, g.priority, g.attempt,
            g.max_attempts, g.crashes, g.run_at, g.not_after, g.payload, left(p_error, 2000)
        FROM gone AS g;
$$;

ALTER FUNCTION jobs.move_to_dead(p_id bigint, p_error text) OWNER TO hearth_owner;

-- Name: next_tick(interval, time without time zone, text, timestamp with time zone); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.next_tick(p_every interval, p_at_local time without time zone, p_zone text, p_after timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
    SELECT CASE
        WHEN p_every IS NOT NULL
        THEN date_bin(p_every, p_after, timestamptz '2000-01-01 00:00:00Z') + p_every
        ELSE (
            SELECT min(t) FROM (
                SELECT (((p_after AT TIME ZONE p_zone)::date + n) + p_at_local)
                    AT TIME ZONE p_zone AS t
                FROM generate_series(0, 2) AS n) AS candidates
            WHERE t > p_after)
    END;
$$;

ALTER FUNCTION jobs.next_tick(p_every interval, p_at_local time without time zone, p_zone text, p_after timestamp with time zone) OWNER TO hearth_owner;

-- Name: old_history_days(interval); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.old_history_days(p_age interval) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $_$
    SELECT c.relname::text FROM pg_catalog.pg_inherits AS i
    JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'jobs.history'::regclass AND c.relname ~ '^history_[0-9]{8}$'
        AND (to_date(right(c.relname, 8), 'YYYYMMDD') + 1) AT TIME ZONE 'UTC' <= now() - p_age
    ORDER BY c.relname;
$_$;

ALTER FUNCTION jobs.old_history_days(p_age interval) OWNER TO hearth_owner;

-- Name: pause(text, text); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.pause(p_queue text, p_reason text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    INSERT INTO jobs.paused_queues AS q (queue, reason) VALUES (p_queue, left(p_reason, 500))
        ON CONFLICT (queue) DO NOTHING;
    RETURN FOUND;
END $$;

ALTER FUNCTION jobs.pause(p_queue text, p_reason text) OWNER TO hearth_owner;

-- Name: put_schedule(text, text, text, interval, time without time zone, text); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.put_schedule(p_name text, p_queue text, p_kind text, p_every interval, p_at_local time without time zone, p_zone text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    INSERT INTO jobs.schedules AS s (name, queue, kind, every, at_local, zone, next_at)
        VALUES (p_name, p_queue, p_kind, p_every, p_at_local, p_zone,
            jobs.next_tick(p_every, p_at_local, p_zone, clock_timestamp()))
        ON CONFLICT (name) DO UPDATE SET
            queue = excluded.queue, kind = excluded.kind, every = excluded.every,
            at_local = excluded.at_local, zone = excluded.zone, next_at = excluded.next_at
        WHERE (s.queue, s.kind, s.zone) <> (excluded.queue, excluded.kind, excluded.zone)
            OR s.every IS DISTINCT FROM excluded.every
            OR s.at_local IS DISTINCT FROM excluded.at_local;
$$;

ALTER FUNCTION jobs.put_schedule(p_name text, p_queue text, p_kind text, p_every interval, p_at_local time without time zone, p_zone text) OWNER TO hearth_owner;

-- Name: resume(text); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.resume(p_queue text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    DELETE FROM jobs.paused_queues AS q WHERE q.queue = p_queue;
    RETURN FOUND;
END $$;

ALTER FUNCTION jobs.resume(p_queue text) OWNER TO hearth_owner;

-- Name: retire(integer); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.retire(p_worker integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_count integer;
BEGIN
    UPDATE jobs.live AS j SET
            state = 'ready', worker = NULL, token = NULL, is_started = false,
            run_at = clock_timestamp()
        WHERE j.worker = p_worker;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    RETURN v_count;
END $$;

ALTER FUNCTION jobs.retire(p_worker integer) OWNER TO hearth_owner;

-- Name: revive(bigint); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.revive(p_id bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
BEGIN
    WITH gone AS (DELETE FROM jobs.dead AS d WHERE d.id = p_id RETURNING d.*)
    INSERT INTO jobs.live (id, queue, kind, family_unit_id, unique_key, priority, max_attempts,
            not_after, payload, last_error)
        OVERRIDING SYSTEM VALUE
        SELECT g.id, g.queue, g.kind, g.family_unit_id, g.unique_key, g.priority, g.max_attempts,
            g.not_after, g.payload, g.last_error
        FROM gone AS g;
    RETURN FOUND;
END $$;

ALTER FUNCTION jobs.revive(p_id bigint) OWNER TO hearth_owner;

-- Name: settle(bigint[], bigint[], text[], bigint[], text[]); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.settle(p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_row record;
    v_count integer := 0;
BEGIN
    FOR v_row IN
        SELECT j.id, j.attempt + 1 >= j.max_attempts AS is_last, a.outcome, a.delay_ms, a.error
        FROM unnest(p_ids, p_tokens, p_outcomes, p_delays_ms, p_errors)
            AS a (id, token, outcome, delay_ms, error)
        JOIN jobs.live AS j ON j.id = a.id AND j.token = a.token
        ORDER BY j.id FOR UPDATE OF j
    LOOP
        IF v_row.outcome IN ('expired', 'cancelled') THEN
            WITH gone AS (DELETE FROM jobs.live AS j WHERE j.id = v_row.id RETURNING j.*)
            INSERT INTO jobs.history (id, family_unit_id, attempt, queue, kind, outcome)
                SELECT g.id, g.family_unit_id, g.attempt, g.queue, g.kind, v_row.outcome
                FROM gone AS g;
        ELSIF v_row.outcome IN ('dead', 'retry') THEN
            UPDATE jobs.live AS j SET attempt = j.attempt + 1 WHERE j.id = v_row.id;
            IF v_row.outcome = 'dead' OR v_row.is_last THEN
                PERFORM jobs.move_to_dead(v_row.id, v_row.error);
            ELSE
                UPDATE jobs.live AS j SET
                        state = 'ready', worker = NULL, token = NULL, is_started = false,
                        last_error = left(v_row.error, 2000),
                        run_at = clock_timestamp() + v_row.delay_ms * interval '1 millisecond'
                    WHERE j.id = v_row.id;
            END IF;
        ELSIF v_row.outcome = 'released' THEN
            UPDATE jobs.live AS j SET
                    state = 'ready', worker = NULL, token = NULL, is_started = false,
                    last_error = coalesce(nullif(left(v_row.error, 2000), ''), j.last_error),
                    run_at = clock_timestamp() + v_row.delay_ms * interval '1 millisecond'
                WHERE j.id = v_row.id;
        ELSE
            RAISE EXCEPTION 'unknown outcome';
        END IF;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END $$;

ALTER FUNCTION jobs.settle(p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[]) OWNER TO hearth_owner;

-- Name: start(bigint[], bigint[]); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.start(p_ids bigint[], p_tokens bigint[]) RETURNS SETOF bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    UPDATE jobs.live AS j SET is_started = true
        FROM unnest(p_ids, p_tokens) AS a (id, token)
        WHERE j.id = a.id AND j.token = a.token
        RETURNING j.id;
$$;

ALTER FUNCTION jobs.start(p_ids bigint[], p_tokens bigint[]) OWNER TO hearth_owner;

-- Name: stats(); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.stats() RETURNS TABLE(queue text, ready bigint, running bigint, dead bigint, oldest_ready_seconds double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    SELECT a.queue, sum(a.ready)::bigint, sum(a.running)::bigint, sum(a.dead)::bigint,
        greatest(0, extract(epoch FROM clock_timestamp() - min(a.oldest)))::double precision
    FROM (
        SELECT j.queue, count(*) FILTER (WHERE j.state = 'ready') AS ready,
            count(*) FILTER (WHERE j.state = 'running') AS running, 0 AS dead,
            min(j.run_at) FILTER (
                WHERE j.state = 'ready' AND j.run_at <= clock_timestamp()) AS oldest
        FROM jobs.live AS j GROUP BY j.queue
        UNION ALL
        SELECT d.queue, 0, 0, count(*), NULL FROM jobs.dead AS d GROUP BY d.queue) AS a
    GROUP BY a.queue ORDER BY a.queue;
$$;

ALTER FUNCTION jobs.stats() OWNER TO hearth_owner;

-- Name: succeed(integer, text, bigint[]); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.succeed(p_worker integer, p_label text, p_known bigint[], OUT worker integer, OUT was_held boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
#variable_conflict use_column
BEGIN
    PERFORM pg_advisory_xact_lock(jobs.lease_lock_class(), p_worker);
    DELETE FROM jobs.workers AS w WHERE w.id = p_worker;
    was_held := FOUND;
    succeed.worker := jobs.enlist(p_label);
    IF was_held THEN
        UPDATE jobs.live AS j SET worker = succeed.worker
            WHERE j.id = ANY (p_known) AND j.worker = p_worker;
        UPDATE jobs.live AS j SET state = 'ready', worker = NULL, token = NULL, is_started = false
            WHERE j.worker = p_worker;
    END IF;
END $$;

ALTER FUNCTION jobs.succeed(p_worker integer, p_label text, p_known bigint[], OUT worker integer, OUT was_held boolean) OWNER TO hearth_owner;

-- Name: tick(timestamp with time zone); Type: FUNCTION; Schema: jobs
CREATE FUNCTION jobs.tick(p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
DECLARE
    v_schedule jobs.schedules;
    v_count integer := 0;
BEGIN
    UPDATE jobs.schedules AS s SET next_at = jobs.next_tick(s.every, s.at_local, s.zone, p_now)
        WHERE jobs.is_too_far_ahead(s, p_now);
    FOR v_schedule IN SELECT s.* FROM jobs.schedules AS s WHERE s.next_at <= p_now ORDER BY s.name
    LOOP
        UPDATE jobs.schedules AS s SET
                last_at = v_schedule.next_at,
                next_at = jobs.next_tick(s.every, s.at_local, s.zone, p_now)
            WHERE s.name = v_schedule.name AND s.next_at = v_schedule.next_at;
        IF FOUND THEN
            IF jobs.enqueue(v_schedule.queue, v_schedule.kind, NULL, v_schedule.payload,
                p_unique_key => 'schedule:' || v_schedule.name) IS NULL THEN
                UPDATE jobs.live AS j SET run_at = clock_timestamp()
                    WHERE j.kind = v_schedule.kind
                        AND j.unique_key = 'schedule:' || v_schedule.name
                        AND j.state = 'ready' AND j.run_at > clock_timestamp();
            END IF;
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END $$;

ALTER FUNCTION jobs.tick(p_now timestamp with time zone) OWNER TO hearth_owner;

-- Name: my_trusting_families; Type: VIEW; Schema: app
CREATE VIEW app.my_trusting_families WITH (security_barrier='true') AS
 SELECT m.family_unit_id
   FROM app.family_members m
  WHERE ((m.user_id = app.account_id()) AND (m.status = 'active'::text) AND m.confides);

ALTER TABLE app.my_trusting_families OWNER TO hearth_authz;

-- Name: family_invitations; Type: VIEW; Schema: api
CREATE VIEW api.family_invitations WITH (security_invoker='true') AS
 SELECT i.id,
    i.family_unit_id,
    i.invited_by,
        CASE
            WHEN (i.family_unit_id = ANY (ARRAY( SELECT o.family_unit_id
               FROM app.my_trusting_families o))) THEN COALESCE(i.invited_email, ''::text)
            ELSE ''::text
        END AS invited_email,
    i.role,
    i.household_role,
    ''::text AS token,
        CASE
            WHEN ((i.status = 'pending'::text) AND (i.expires_at <= now())) THEN 'expired'::text
            ELSE i.status
        END AS status,
    (i.expires_at)::timestamp(0) with time zone AS expires_at,
    (i.created_at)::timestamp(0) with time zone AS created_at,
    (i.accepted_at)::timestamp(0) with time zone AS accepted_at
   FROM app.family_invitations i;

ALTER TABLE api.family_invitations OWNER TO hearth_owner;

-- Name: VIEW family_invitations; Type: COMMENT; Schema: api
COMMENT ON VIEW api.family_invitations IS 'Invitations to the caller''s families.';

-- Name: family_members; Type: VIEW; Schema: api
CREATE VIEW api.family_members WITH (security_invoker='true') AS
 SELECT m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.parent_user_id,
    (m.user_kind = 'managed'::text) AS is_managed,
    (m.added_at)::timestamp(0) with time zone AS added_at
   FROM app.family_members m
  WHERE (m.status = 'active'::text);

ALTER TABLE api.family_members OWNER TO hearth_owner;

-- Name: VIEW family_members; Type: COMMENT; Schema: api
COMMENT ON VIEW api.family_members IS 'The active members of the caller''s families.';

-- Name: resident_families_of_account; Type: VIEW; Schema: app
CREATE VIEW app.resident_families_of_account WITH (security_barrier='true') AS
 SELECT m.family_unit_id
   FROM app.family_members m
  WHERE ((m.user_id = app.account_id()) AND (m.status = 'active'::text) AND (m.household_role <> 'visitor'::text));

ALTER TABLE app.resident_families_of_account OWNER TO hearth_authz;

-- Name: VIEW resident_families_of_account; Type: COMMENT; Schema: app
COMMENT ON VIEW app.resident_families_of_account IS 'The families in which the account is more than a visitor; none while it acts for a child.';

-- Name: family_units; Type: VIEW; Schema: api
CREATE VIEW api.family_units WITH (security_invoker='true') AS
 SELECT f.id,
    f.created_by_user_id,
    f.family_name,
        CASE
            WHEN ((f.id = ANY (ARRAY( SELECT r.family_unit_id
               FROM app.resident_families_of_account r))) AND ((f.code_expires_at IS NULL) OR (f.code_expires_at > now()))) THEN COALESCE(f.family_code, ''::text)
            ELSE ''::text
        END AS family_code,
    (f.code_generated_at)::timestamp(0) with time zone AS code_generated_at,
        CASE
            WHEN (f.id = ANY (ARRAY( SELECT t.family_unit_id
               FROM app.my_trusting_families t))) THEN f.home_latitude
            ELSE NULL::double precision
        END AS home_latitude,
        CASE
            WHEN (f.id = ANY (ARRAY( SELECT t.family_unit_id
               FROM app.my_trusting_families t))) THEN f.home_longitude
            ELSE NULL::double precision
        END AS home_longitude,
        CASE
            WHEN (f.id = ANY (ARRAY( SELECT t.family_unit_id
               FROM app.my_trusting_families t))) THEN f.player_details
            ELSE NULL::jsonb
        END AS player_details,
    (f.created_at)::timestamp(0) with time zone AS created_at,
    (f.updated_at)::timestamp(0) with time zone AS updated_at
   FROM app.family_units f;

ALTER TABLE api.family_units OWNER TO hearth_owner;

-- Name: VIEW family_units; Type: COMMENT; Schema: api
COMMENT ON VIEW api.family_units IS 'The families of the caller.';

-- Name: my_contacts; Type: VIEW; Schema: app
CREATE VIEW app.my_contacts WITH (security_barrier='true') AS
 SELECT m.user_id
   FROM (app.family_members me
     JOIN app.family_members m ON ((m.family_unit_id = me.family_unit_id)))
  WHERE ((me.user_id = app.account_id()) AND (me.status = 'active'::text) AND me.confides AND ((m.status = 'active'::text) OR ((m.status = 'invited'::text) AND me.governs)));

ALTER TABLE app.my_contacts OWNER TO hearth_authz;

-- Name: users; Type: VIEW; Schema: api
CREATE VIEW api.users WITH (security_invoker='true') AS
 SELECT u.id,
        CASE
            WHEN ((u.id = ( SELECT app.user_id() AS user_id)) OR (u.id = ANY (ARRAY( SELECT c.user_id
               FROM app.my_contacts c)))) THEN COALESCE(u.email, ''::text)
            ELSE ''::text
        END AS email,
    u.full_name,
    u.role,
    u.avatar_key,
    u.avatar_url,
    (u.created_at)::timestamp(0) with time zone AS created_at,
    (u.updated_at)::timestamp(0) with time zone AS updated_at
   FROM app.users u;

ALTER TABLE api.users OWNER TO hearth_owner;

-- Name: VIEW users; Type: COMMENT; Schema: api
COMMENT ON VIEW api.users IS 'The caller, and the people in its families.';

-- Name: answered_challenges; Type: TABLE; Schema: app
CREATE TABLE app.answered_challenges (
    challenge_hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT answered_challenges_hash_size CHECK ((octet_length(challenge_hash) = 32))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.answered_challenges FORCE ROW LEVEL SECURITY;

ALTER TABLE app.answered_challenges OWNER TO hearth_owner;

-- Name: TABLE answered_challenges; Type: COMMENT; Schema: app
COMMENT ON TABLE app.answered_challenges IS 'Challenges of passkeys that must not be answered again.';

-- Name: audit_exports; Type: TABLE; Schema: app
CREATE TABLE app.audit_exports (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    entry_count bigint NOT NULL,
    exported_by text NOT NULL,
    exported_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT audit_exports_count_range CHECK ((entry_count >= 0))
);

ALTER TABLE ONLY app.audit_exports FORCE ROW LEVEL SECURITY;

ALTER TABLE app.audit_exports OWNER TO hearth_owner;

-- Name: TABLE audit_exports; Type: COMMENT; Schema: app
COMMENT ON TABLE app.audit_exports IS 'Up to which moment the audit trail has been exported.';

-- Name: audit_log_other; Type: TABLE; Schema: app
CREATE TABLE app.audit_log_other (
    id uuid DEFAULT app.id_of_now() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    family_unit_id uuid,
    actor_user_id uuid,
    actor_label text,
    subject_user_id uuid,
    action text NOT NULL,
    target_id uuid,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_log_action_form CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
    CONSTRAINT audit_log_details_form CHECK (((jsonb_typeof(details) = 'object'::text) AND (octet_length((details)::text) <= 4096))),
    CONSTRAINT audit_log_label_form CHECK ((actor_label ~ '^(operator|sql|job):[^[:cntrl:]]{1,80}$'::text))
);

ALTER TABLE ONLY app.audit_log_other FORCE ROW LEVEL SECURITY;

ALTER TABLE app.audit_log_other OWNER TO hearth_owner;

-- Name: my_governed_families; Type: VIEW; Schema: app
CREATE VIEW app.my_governed_families WITH (security_barrier='true') AS
 SELECT m.family_unit_id
   FROM app.family_members m
  WHERE ((m.user_id = app.account_id()) AND (m.status = 'active'::text) AND m.governs);

ALTER TABLE app.my_governed_families OWNER TO hearth_authz;

-- Name: user_aliases; Type: TABLE; Schema: app
CREATE TABLE app.user_aliases (
    alias_id uuid NOT NULL,
    alias_kind text DEFAULT 'managed'::text NOT NULL,
    account_id uuid NOT NULL,
    account_kind text DEFAULT 'account'::text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_aliases_alias_was_managed CHECK ((alias_kind = 'managed'::text)),
    CONSTRAINT user_aliases_leads_to_account CHECK ((account_kind = 'account'::text))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.user_aliases FORCE ROW LEVEL SECURITY;

ALTER TABLE app.user_aliases OWNER TO hearth_owner;

-- Name: TABLE user_aliases; Type: COMMENT; Schema: app
COMMENT ON TABLE app.user_aliases IS 'Managed users of children that have grown up, and the accounts that they became.';

-- Name: audit_trail; Type: VIEW; Schema: app
CREATE VIEW app.audit_trail WITH (security_barrier='true') AS
 SELECT a.id,
    a.at,
    a.family_unit_id,
    a.actor_user_id,
    a.actor_label,
    COALESCE(( SELECT x.account_id
           FROM app.user_aliases x
          WHERE (x.alias_id = a.subject_user_id)), a.subject_user_id) AS subject_user_id,
    a.action,
    a.target_id,
    a.details,
    (EXISTS ( SELECT
           FROM app.users u
          WHERE ((u.id = a.subject_user_id) AND (u.kind = 'managed'::text) AND (NOT (EXISTS ( SELECT
                   FROM app.user_aliases x
                  WHERE (x.alias_id = u.id))))))) AS subject_is_managed,
    (EXISTS ( SELECT
           FROM app.users u
          WHERE ((u.id = a.target_id) AND (u.kind = 'managed'::text) AND (NOT (EXISTS ( SELECT
                   FROM app.user_aliases x
                  WHERE (x.alias_id = u.id))))))) AS target_is_managed
   FROM app.audit_log a
  WHERE (a.family_unit_id = ANY (ARRAY( SELECT g.family_unit_id
           FROM app.my_governed_families g)));

ALTER TABLE app.audit_trail OWNER TO hearth_authz;

-- Name: callers; Type: VIEW; Schema: app
CREATE VIEW app.callers AS
 SELECT (c.place)::integer AS place,
    c.user_id
   FROM unnest((NULLIF(current_setting('hearth.callers'::text, true), ''::text))::uuid[]) WITH ORDINALITY c(user_id, place);

ALTER TABLE app.callers OWNER TO hearth_authz;

-- Name: children_of_account; Type: VIEW; Schema: app
CREATE VIEW app.children_of_account WITH (security_barrier='true') AS
 SELECT m.user_id,
    m.family_unit_id
   FROM ((app.guardianships w
     JOIN app.family_members m ON ((m.id = w.member_id)))
     JOIN app.family_members g ON (((g.family_unit_id = m.family_unit_id) AND (g.active_adult_user_id = w.guardian_user_id))))
  WHERE ((w.guardian_user_id = app.account_id()) AND (m.status = 'active'::text) AND (g.status = 'active'::text));

ALTER TABLE app.children_of_account OWNER TO hearth_authz;

-- Name: VIEW children_of_account; Type: COMMENT; Schema: app
COMMENT ON VIEW app.children_of_account IS 'The managed members that the account is a guardian of; none while it acts for a child.';

-- Name: children_of_actor; Type: VIEW; Schema: app
CREATE VIEW app.children_of_actor WITH (security_barrier='true') AS
 SELECT m.user_id
   FROM ((app.guardianships w
     JOIN app.family_members m ON ((m.id = w.member_id)))
     JOIN app.family_members g ON (((g.family_unit_id = m.family_unit_id) AND (g.active_adult_user_id = w.guardian_user_id))))
  WHERE ((w.guardian_user_id = app.actor_id()) AND (m.status = 'active'::text) AND (g.status = 'active'::text) AND ((app.account_id() IS NOT NULL) OR (m.user_id = app.user_id())));

ALTER TABLE app.children_of_actor OWNER TO hearth_authz;

-- Name: VIEW children_of_actor; Type: COMMENT; Schema: app
COMMENT ON VIEW app.children_of_actor IS 'The managed members that the actor is a guardian of; while it acts for a child, that child.';

-- Name: consent_purposes; Type: TABLE; Schema: app
CREATE TABLE app.consent_purposes (
    purpose text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    is_required boolean NOT NULL,
    CONSTRAINT consent_purposes_purpose_form CHECK ((purpose ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT consent_purposes_version_form CHECK ((version ~ '^[!-~]{1,64}$'::text))
);

ALTER TABLE ONLY app.consent_purposes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.consent_purposes OWNER TO hearth_owner;

-- Name: TABLE consent_purposes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.consent_purposes IS 'What guardians are asked to consent to, and the present version of each text.';

-- Name: consents; Type: TABLE; Schema: app
CREATE TABLE app.consents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    family_unit_id uuid NOT NULL,
    member_id uuid NOT NULL,
    purpose text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL,
    given_by uuid NOT NULL,
    given_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_by uuid,
    ended_at timestamp with time zone,
    CONSTRAINT consents_end_is_dated CHECK (((ended_by IS NULL) OR (ended_at IS NOT NULL))),
    CONSTRAINT consents_method_known CHECK ((method = ANY (ARRAY['signed_in'::text, 'email_code'::text]))),
    CONSTRAINT consents_purpose_form CHECK ((purpose ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT consents_version_form CHECK ((version ~ '^[!-~]{1,64}$'::text))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.consents FORCE ROW LEVEL SECURITY;

ALTER TABLE app.consents OWNER TO hearth_owner;

-- Name: TABLE consents; Type: COMMENT; Schema: app
COMMENT ON TABLE app.consents IS 'Consents of guardians: for which child and purpose, by whom, when, how proved, until when.';

-- Name: children_of_actor_without_consent; Type: VIEW; Schema: app
CREATE VIEW app.children_of_actor_without_consent WITH (security_barrier='true') AS
 SELECT m.user_id
   FROM (app.guardianships w
     JOIN app.family_members m ON ((m.id = w.member_id)))
  WHERE ((w.guardian_user_id = app.actor_id()) AND (m.user_kind = 'managed'::text) AND (EXISTS ( SELECT
           FROM app.consent_purposes p
          WHERE (p.is_required AND (NOT (EXISTS ( SELECT
                   FROM app.consents c
                  WHERE ((c.member_id = m.id) AND (c.purpose = p.purpose) AND (c.version = p.version) AND (c.ended_at IS NULL)))))))));

ALTER TABLE app.children_of_actor_without_consent OWNER TO hearth_authz;

-- Name: VIEW children_of_actor_without_consent; Type: COMMENT; Schema: app
COMMENT ON VIEW app.children_of_actor_without_consent IS 'The managed members that the actor is a guardian of and that lack a required consent.';

-- Name: code_lookups; Type: TABLE; Schema: app
CREATE TABLE app.code_lookups (
    user_id uuid NOT NULL,
    code_digest bytea NOT NULL,
    looked_up_at timestamp with time zone DEFAULT now() NOT NULL,
    is_counted boolean DEFAULT false NOT NULL,
    CONSTRAINT code_lookups_digest_size CHECK ((octet_length(code_digest) = 32))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.code_lookups FORCE ROW LEVEL SECURITY;

ALTER TABLE app.code_lookups OWNER TO hearth_owner;

-- Name: TABLE code_lookups; Type: COMMENT; Schema: app
COMMENT ON TABLE app.code_lookups IS 'Distinct codes that an account has looked up lately.';

-- Name: COLUMN code_lookups.is_counted; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.code_lookups.is_counted IS 'Whether the code was wrong and stands in app.wrong_codes.';

-- Name: code_settings; Type: TABLE; Schema: app
CREATE TABLE app.code_settings (
    is_only boolean DEFAULT true NOT NULL,
    code_length smallint NOT NULL,
    wrong_codes_a_minute integer NOT NULL,
    CONSTRAINT code_settings_is_one_row CHECK (is_only),
    CONSTRAINT code_settings_length_range CHECK (((code_length >= 6) AND (code_length <= 8))),
    CONSTRAINT code_settings_rate_range CHECK (((wrong_codes_a_minute >= 1) AND (wrong_codes_a_minute <= 1000000)))
);

ALTER TABLE ONLY app.code_settings FORCE ROW LEVEL SECURITY;

ALTER TABLE app.code_settings OWNER TO hearth_owner;

-- Name: TABLE code_settings; Type: COMMENT; Schema: app
COMMENT ON TABLE app.code_settings IS 'What the operator has settled about codes; one row at most.';

-- Name: email_sign_ins; Type: TABLE; Schema: app
CREATE TABLE app.email_sign_ins (
    user_id uuid NOT NULL,
    user_kind text DEFAULT 'account'::text NOT NULL,
    email text NOT NULL,
    proved_at timestamp with time zone DEFAULT now() NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT email_sign_ins_only_accounts CHECK ((user_kind = 'account'::text))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.email_sign_ins FORCE ROW LEVEL SECURITY;

ALTER TABLE app.email_sign_ins OWNER TO hearth_owner;

-- Name: TABLE email_sign_ins; Type: COMMENT; Schema: app
COMMENT ON TABLE app.email_sign_ins IS 'As which account an address signs in that was proved.';

-- Name: erasures; Type: TABLE; Schema: app
CREATE TABLE app.erasures (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    erased_at timestamp with time zone DEFAULT now() NOT NULL,
    sign_ins bytea[] NOT NULL,
    email text,
    locale text COLLATE pg_catalog."C",
    CONSTRAINT erasures_email_size CHECK ((octet_length(email) <= 254)),
    CONSTRAINT erasures_locale_form CHECK (((locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$'::text) AND (octet_length(locale) <= 35)))
);

ALTER TABLE ONLY app.erasures FORCE ROW LEVEL SECURITY;

ALTER TABLE app.erasures OWNER TO hearth_owner;

-- Name: TABLE erasures; Type: COMMENT; Schema: app
COMMENT ON TABLE app.erasures IS 'Erasures of accounts, without the account.';

-- Name: COLUMN erasures.sign_ins; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.erasures.sign_ins IS 'SHA-256 of issuer and subject: their earlier tokens create nobody.';

-- Name: COLUMN erasures.email; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.erasures.email IS 'Until the confirmation has been sent.';

-- Name: families_joined; Type: VIEW; Schema: app
CREATE VIEW app.families_joined AS
 SELECT m.user_id AS viewer_id,
    m.family_unit_id
   FROM app.family_members m
  WHERE (m.status = 'active'::text);

ALTER TABLE app.families_joined OWNER TO hearth_authz;

-- Name: families_seen; Type: VIEW; Schema: app
CREATE VIEW app.families_seen AS
 SELECT f.id AS family_unit_id,
    f.family_name,
        CASE
            WHEN ((f.family_code IS NOT NULL) AND (me.user_kind = 'account'::text) AND (me.household_role <> 'visitor'::text) AND ((f.code_expires_at IS NULL) OR (f.code_expires_at > now()))) THEN f.family_code
            ELSE ''::text
        END AS family_code,
    f.code_generated_at,
    f.code_expires_at,
    f.created_by_user_id,
    f.member_limit,
    f.approval_required,
    me.id AS member_id,
    me.role,
    me.household_role,
    me.added_at,
    company.member_count,
        CASE
            WHEN me.confides THEN f.home_latitude
            ELSE NULL::double precision
        END AS home_latitude,
        CASE
            WHEN me.confides THEN f.home_longitude
            ELSE NULL::double precision
        END AS home_longitude,
        CASE
            WHEN me.confides THEN f.player_details
            ELSE NULL::jsonb
        END AS player_details,
    me.household_ceiling,
    me.vouched,
    company.seat_taken,
    company.seat_reserved,
    f.created_at,
    f.updated_at,
    me.user_id AS viewer_id
   FROM ((app.family_members me
     JOIN app.family_units f ON ((f.id = me.family_unit_id)))
     CROSS JOIN LATERAL ( SELECT (count(*))::integer AS member_count,
            bool_or((c.household_role = 'parent_admin'::text)) AS seat_taken,
            bool_or(((c.is_creator AND c.confides) OR (c.vouched AND (c.active_adult_user_id IS NOT NULL)))) AS seat_reserved
           FROM app.family_members c
          WHERE ((c.family_unit_id = f.id) AND (c.status = 'active'::text))) company)
  WHERE (me.status = 'active'::text);

ALTER TABLE app.families_seen OWNER TO hearth_authz;

-- Name: family_attributes; Type: TABLE; Schema: app
CREATE TABLE app.family_attributes (
    family_unit_id uuid NOT NULL,
    attributes jsonb NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_by uuid,
    CONSTRAINT family_attributes_is_object CHECK ((jsonb_typeof(attributes) = 'object'::text)),
    CONSTRAINT family_attributes_size CHECK ((octet_length((attributes)::text) <= 16384)),
    CONSTRAINT family_attributes_version_positive CHECK ((version > 0))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.family_attributes FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_attributes OWNER TO hearth_owner;

-- Name: TABLE family_attributes; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_attributes IS 'What apps keep about a family, in their own words.';

-- Name: family_code_usage_log; Type: TABLE; Schema: app
CREATE TABLE app.family_code_usage_log (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    family_unit_id uuid,
    user_id uuid,
    action text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT family_code_usage_log_action_known CHECK ((action = ANY (ARRAY['generated'::text, 'joined'::text, 'regenerated'::text, 'rejected'::text, 'retired'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.family_code_usage_log FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_code_usage_log OWNER TO hearth_owner;

-- Name: TABLE family_code_usage_log; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_code_usage_log IS 'What happened to codes: no code, no address in it.';

-- Name: family_versions; Type: TABLE; Schema: app
CREATE TABLE app.family_versions (
    family_unit_id uuid NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    purged_version bigint DEFAULT 0 NOT NULL,
    transaction_id xid8,
    raised_at timestamp with time zone,
    purged_raised_at timestamp with time zone,
    CONSTRAINT family_versions_purged_before CHECK (((purged_version >= 0) AND (purged_version <= version)))
)
WITH (fillfactor='60', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.family_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE app.family_versions OWNER TO hearth_owner;

-- Name: TABLE family_versions; Type: COMMENT; Schema: app
COMMENT ON TABLE app.family_versions IS 'How often what a family''s members may see has changed.';

-- Name: family_versions_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.family_versions_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    j.family_unit_id,
    v.version,
    v.raised_at,
    v.code_expires_at,
    v.purged_version
   FROM ((app.callers c
     JOIN app.families_joined j ON ((j.viewer_id = c.user_id)))
     CROSS JOIN LATERAL ( SELECT v_1.version,
            v_1.raised_at,
            f.code_expires_at,
            v_1.purged_version
           FROM (app.family_versions v_1
             JOIN app.family_units f ON ((f.id = v_1.family_unit_id)))
          WHERE (v_1.family_unit_id = j.family_unit_id)
         OFFSET 0) v);

ALTER TABLE app.family_versions_of_batch OWNER TO hearth_authz;

-- Name: former_member_list; Type: VIEW; Schema: app
CREATE VIEW app.former_member_list WITH (security_barrier='true') AS
 SELECT m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.added_at,
    (m.user_kind = 'managed'::text) AS is_managed,
    m.parent_user_id,
    m.joined_via,
    u.avatar_key,
    u.avatar_url,
    u.full_name,
    u.role AS account_role,
    NULL::text AS email,
    NULL::uuid[] AS guardian_user_ids,
    NULL::uuid[] AS guardian_member_ids,
    NULL::text[] AS guardian_names,
    NULL::timestamp with time zone[] AS guardians_since,
    m.vouched,
    m.is_creator,
    NULL::text AS household_ceiling,
    COALESCE(u.full_name,
        CASE
            WHEN u.email_verified THEN regexp_replace(u.email, '@[^@]*$'::text, ''::text)
            ELSE NULL::text
        END, 'Member'::text) AS display_name,
    COALESCE(m.created_at, m.added_at) AS created_at,
    GREATEST(m.updated_at, u.updated_at) AS updated_at,
    m.removed_at,
    NULL::bytea[] AS guardians
   FROM ((app.family_members me
     JOIN app.family_members m ON ((m.family_unit_id = me.family_unit_id)))
     JOIN app.users u ON ((u.id = m.user_id)))
  WHERE ((me.user_id = app.account_id()) AND (me.status = 'active'::text) AND me.governs AND (m.status = 'removed'::text));

ALTER TABLE app.former_member_list OWNER TO hearth_authz;

-- Name: idempotency_keys; Type: TABLE; Schema: app
CREATE TABLE app.idempotency_keys (
    actor_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    route text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    request_digest bytea NOT NULL,
    claim uuid,
    claimed_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    status smallint,
    answer text,
    format smallint DEFAULT 1 NOT NULL,
    CONSTRAINT idempotency_keys_answer_size CHECK ((octet_length(answer) <= 131072)),
    CONSTRAINT idempotency_keys_digest_size CHECK ((octet_length(request_digest) = 32)),
    CONSTRAINT idempotency_keys_key_form CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255))),
    CONSTRAINT idempotency_keys_route_form CHECK (((octet_length(route) >= 1) AND (octet_length(route) <= 200))),
    CONSTRAINT idempotency_keys_running_or_done CHECK ((((claim IS NULL) = (status IS NOT NULL)) AND ((status IS NULL) = (answer IS NULL)))),
    CONSTRAINT idempotency_keys_status_range CHECK (((status >= 200) AND (status <= 499)))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.idempotency_keys FORCE ROW LEVEL SECURITY;

ALTER TABLE app.idempotency_keys OWNER TO hearth_owner;

-- Name: TABLE idempotency_keys; Type: COMMENT; Schema: app
COMMENT ON TABLE app.idempotency_keys IS 'Answers kept for a repeated request.';

-- Name: COLUMN idempotency_keys.claim; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.idempotency_keys.claim IS 'Of a program of an earlier release that has not kept its answer, and may have died.';

-- Name: COLUMN idempotency_keys.format; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.idempotency_keys.format IS 'What a program has to know to read the answer: a number that grows with what is kept.';

-- Name: invitations_seen; Type: VIEW; Schema: app
CREATE VIEW app.invitations_seen AS
 SELECT i.id,
    i.family_unit_id,
    i.invited_by,
        CASE
            WHEN me.confides THEN COALESCE(i.invited_email, ''::text)
            ELSE ''::text
        END AS invited_email,
    i.role,
    i.household_role,
        CASE
            WHEN ((i.status = 'pending'::text) AND (i.expires_at <= now())) THEN 'expired'::text
            ELSE i.status
        END AS status,
    i.delivery,
    i.expires_at,
    i.created_at,
    i.accepted_at,
    i.sent_count,
    i.last_sent_at,
        CASE
            WHEN (i.delivery = 'email'::text) THEN
            CASE
                WHEN (i.delivery_generation = i.generation) THEN i.delivery_status
                ELSE 'queued'::text
            END
            ELSE NULL::text
        END AS delivery_status,
    i.kind,
    i.graduate_id,
    me.user_id AS viewer_id
   FROM (app.family_members me
     JOIN app.family_invitations i ON ((i.family_unit_id = me.family_unit_id)))
  WHERE ((me.status = 'active'::text) AND (me.household_role <> 'visitor'::text));

ALTER TABLE app.invitations_seen OWNER TO hearth_authz;

-- Name: invitation_list; Type: VIEW; Schema: app
CREATE VIEW app.invitation_list WITH (security_barrier='true') AS
 SELECT s.id,
    s.family_unit_id,
    s.invited_by,
    s.invited_email,
    s.role,
    s.household_role,
    s.status,
    s.delivery,
    s.expires_at,
    s.created_at,
    s.accepted_at,
    s.sent_count,
    s.last_sent_at,
    s.delivery_status,
    s.kind,
    s.graduate_id,
    s.viewer_id
   FROM app.invitations_seen s
  WHERE (s.viewer_id = app.account_id());

ALTER TABLE app.invitation_list OWNER TO hearth_authz;

-- Name: invitations_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.invitations_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    s.id,
    s.family_unit_id,
    s.invited_by,
    s.invited_email,
    s.role,
    s.household_role,
    s.status,
    s.delivery,
    s.expires_at,
    s.created_at,
    s.accepted_at,
    s.sent_count,
    s.last_sent_at,
    s.delivery_status,
    s.kind,
    s.graduate_id,
    s.viewer_id
   FROM (app.callers c
     JOIN app.invitations_seen s ON ((s.viewer_id = c.user_id)));

ALTER TABLE app.invitations_of_batch OWNER TO hearth_authz;

-- Name: invitations_to_me; Type: VIEW; Schema: app
CREATE VIEW app.invitations_to_me WITH (security_barrier='true') AS
 SELECT i.id,
    f.family_name,
    COALESCE(b.full_name, ''::text) AS inviter_name,
    i.role,
    i.expires_at,
    i.created_at,
    i.kind
   FROM (((app.users u
     JOIN app.family_invitations i ON ((i.invited_email = u.email)))
     JOIN app.family_units f ON ((f.id = i.family_unit_id)))
     JOIN app.users b ON ((b.id = i.invited_by)))
  WHERE ((u.id = app.account_id()) AND u.email_verified AND (i.status = 'pending'::text) AND (i.expires_at > now()));

ALTER TABLE app.invitations_to_me OWNER TO hearth_authz;

-- Name: mailed_tickets; Type: TABLE; Schema: app
CREATE TABLE app.mailed_tickets (
    id uuid NOT NULL,
    purpose text NOT NULL,
    email text NOT NULL,
    ticket_hash bytea,
    link_hash bytea NOT NULL,
    tries smallint DEFAULT 0 NOT NULL,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    password_hash text,
    full_name text,
    role text,
    locale text COLLATE pg_catalog."C",
    return_path bytea,
    CONSTRAINT mailed_tickets_code_has_ticket CHECK (((ticket_hash IS NULL) = (purpose = 'reset'::text))),
    CONSTRAINT mailed_tickets_email_form CHECK (((email IS NFC NORMALIZED) AND (email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'::text) AND (octet_length(email) <= 254))),
    CONSTRAINT mailed_tickets_hash_sizes CHECK (((octet_length(ticket_hash) = 32) AND (octet_length(link_hash) = 32))),
    CONSTRAINT mailed_tickets_locale_form CHECK (((locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$'::text) AND (octet_length(locale) <= 35))),
    CONSTRAINT mailed_tickets_purpose_known CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'sign_up'::text, 'reset'::text]))),
    CONSTRAINT mailed_tickets_return_path_size CHECK ((octet_length(return_path) <= 1024)),
    CONSTRAINT mailed_tickets_role_known CHECK ((role = ANY (ARRAY['player'::text, 'parent'::text]))),
    CONSTRAINT mailed_tickets_sign_up_has_password CHECK (((password_hash IS NOT NULL) = ((purpose = 'sign_up'::text) AND (used_at IS NULL)))),
    CONSTRAINT mailed_tickets_tries_range CHECK (((tries >= 0) AND (tries <= 5)))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.mailed_tickets FORCE ROW LEVEL SECURITY;

ALTER TABLE app.mailed_tickets OWNER TO hearth_owner;

-- Name: TABLE mailed_tickets; Type: COMMENT; Schema: app
COMMENT ON TABLE app.mailed_tickets IS 'Codes and links on their way to an address.';

-- Name: COLUMN mailed_tickets.return_path; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.mailed_tickets.return_path IS 'Where its link leads after signing in, sealed.';

-- Name: members_seen; Type: VIEW; Schema: app
CREATE VIEW app.members_seen AS
 SELECT m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.added_at,
    (m.user_kind = 'managed'::text) AS is_managed,
    m.parent_user_id,
    m.joined_via,
    u.avatar_key,
    u.avatar_url,
    u.full_name,
    u.role AS account_role,
        CASE
            WHEN (me.confides OR (m.user_id = me.user_id)) THEN u.email
            ELSE NULL::text
        END AS email,
    m.vouched,
        CASE
            WHEN (m.user_kind = 'managed'::text) THEN ARRAY( SELECT w.guardian_user_id
               FROM app.guardianships w
              WHERE (w.member_id = m.id)
              ORDER BY (w.guardian_user_id <> m.parent_user_id), w.since, w.slot)
            ELSE NULL::uuid[]
        END AS guardian_user_ids,
        CASE
            WHEN (m.user_kind = 'managed'::text) THEN ARRAY( SELECT g.id
               FROM (app.guardianships w
                 JOIN app.family_members g ON (((g.family_unit_id = w.family_unit_id) AND (g.user_id = w.guardian_user_id))))
              WHERE (w.member_id = m.id)
              ORDER BY (w.guardian_user_id <> m.parent_user_id), w.since, w.slot)
            ELSE NULL::uuid[]
        END AS guardian_member_ids,
        CASE
            WHEN (m.user_kind = 'managed'::text) THEN ARRAY( SELECT COALESCE(g.full_name,
                    CASE
                        WHEN g.email_verified THEN regexp_replace(g.email, '@[^@]*$'::text, ''::text)
                        ELSE NULL::text
                    END, 'Member'::text) AS "coalesce"
               FROM (app.guardianships w
                 JOIN app.users g ON ((g.id = w.guardian_user_id)))
              WHERE (w.member_id = m.id)
              ORDER BY (w.guardian_user_id <> m.parent_user_id), w.since, w.slot)
            ELSE NULL::text[]
        END AS guardian_names,
        CASE
            WHEN (m.user_kind = 'managed'::text) THEN ARRAY( SELECT w.since
               FROM app.guardianships w
              WHERE (w.member_id = m.id)
              ORDER BY (w.guardian_user_id <> m.parent_user_id), w.since, w.slot)
            ELSE NULL::timestamp with time zone[]
        END AS guardians_since,
    m.is_creator,
        CASE
            WHEN (m.user_id = me.user_id) THEN m.household_ceiling
            ELSE NULL::text
        END AS household_ceiling,
    COALESCE(u.full_name,
        CASE
            WHEN u.email_verified THEN regexp_replace(u.email, '@[^@]*$'::text, ''::text)
            ELSE NULL::text
        END, 'Member'::text) AS display_name,
    COALESCE(m.created_at, m.added_at) AS created_at,
    GREATEST(m.updated_at, u.updated_at) AS updated_at,
    me.user_id AS viewer_id,
        CASE
            WHEN (m.user_kind = 'managed'::text) THEN ARRAY( SELECT (((uuid_send(w.guardian_user_id) || uuid_send(g.id)) || timestamptz_send(w.since)) || convert_to(COALESCE(u_1.full_name,
                    CASE
                        WHEN u_1.email_verified THEN regexp_replace(u_1.email, '@[^@]*$'::text, ''::text)
                        ELSE NULL::text
                    END, 'Member'::text), 'UTF8'::name))
               FROM ((app.guardianships w
                 JOIN app.family_members g ON (((g.family_unit_id = w.family_unit_id) AND (g.user_id = w.guardian_user_id))))
                 JOIN app.users u_1 ON ((u_1.id = w.guardian_user_id)))
              WHERE (w.member_id = m.id)
              ORDER BY (w.guardian_user_id <> m.parent_user_id), w.since, w.slot)
            ELSE NULL::bytea[]
        END AS guardians,
        CASE
            WHEN (m.user_kind = 'managed'::text) THEN ARRAY( SELECT ((uuid_send(w.guardian_user_id) || timestamptz_send(w.since)) || int2send(w.slot))
               FROM app.guardianships w
              WHERE (w.member_id = m.id))
            ELSE NULL::bytea[]
        END AS guardianships,
        CASE
            WHEN (m.user_id = me.user_id) THEN v.version
            ELSE NULL::bigint
        END AS family_version,
        CASE
            WHEN (m.user_id = me.user_id) THEN v.raised_at
            ELSE NULL::timestamp with time zone
        END AS family_raised_at
   FROM (((app.family_members me
     JOIN app.family_members m ON ((m.family_unit_id = me.family_unit_id)))
     JOIN app.users u ON ((u.id = m.user_id)))
     LEFT JOIN app.family_versions v ON ((v.family_unit_id = me.family_unit_id)))
  WHERE ((me.status = 'active'::text) AND ((m.status = 'active'::text) OR ((m.status = 'invited'::text) AND me.governs)));

ALTER TABLE app.members_seen OWNER TO hearth_authz;

-- Name: member_list; Type: VIEW; Schema: app
CREATE VIEW app.member_list WITH (security_barrier='true') AS
 SELECT s.id,
    s.family_unit_id,
    s.user_id,
    s.role,
    s.household_role,
    s.status,
    s.added_at,
    s.is_managed,
    s.parent_user_id,
    s.joined_via,
    s.avatar_key,
    s.avatar_url,
    s.full_name,
    s.account_role,
    s.email,
    s.vouched,
    s.guardian_user_ids,
    s.guardian_member_ids,
    s.guardian_names,
    s.guardians_since,
    s.is_creator,
    s.household_ceiling,
    s.display_name,
    s.created_at,
    s.updated_at,
    s.viewer_id,
    s.guardians,
    s.guardianships,
    s.family_version,
    s.family_raised_at
   FROM app.members_seen s
  WHERE (s.viewer_id = app.user_id());

ALTER TABLE app.member_list OWNER TO hearth_authz;

-- Name: member_preferences; Type: TABLE; Schema: app
CREATE TABLE app.member_preferences (
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    preferences jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_by uuid,
    CONSTRAINT member_preferences_is_object CHECK ((jsonb_typeof(preferences) = 'object'::text)),
    CONSTRAINT member_preferences_size CHECK ((octet_length((preferences)::text) <= 16384))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.member_preferences FORCE ROW LEVEL SECURITY;

ALTER TABLE app.member_preferences OWNER TO hearth_owner;

-- Name: TABLE member_preferences; Type: COMMENT; Schema: app
COMMENT ON TABLE app.member_preferences IS 'What a member likes; its own and its guardian''s.';

-- Name: members_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.members_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    s.id,
    s.family_unit_id,
    s.user_id,
    s.role,
    s.household_role,
    s.status,
    s.added_at,
    s.is_managed,
    s.parent_user_id,
    s.joined_via,
    s.avatar_key,
    s.avatar_url,
    s.full_name,
    s.account_role,
    s.email,
    s.vouched,
    s.guardian_user_ids,
    s.guardian_member_ids,
    s.guardian_names,
    s.guardians_since,
    s.is_creator,
    s.household_ceiling,
    s.display_name,
    s.created_at,
    s.updated_at,
    s.viewer_id,
    s.guardians,
    s.guardianships,
    s.family_version,
    s.family_raised_at
   FROM (app.callers c
     JOIN app.members_seen s ON ((s.viewer_id = c.user_id)));

ALTER TABLE app.members_of_batch OWNER TO hearth_authz;

-- Name: my_charges_without_consent; Type: VIEW; Schema: app
CREATE VIEW app.my_charges_without_consent WITH (security_barrier='true') AS
 SELECT c.user_id
   FROM app.children_of_actor_without_consent c;

ALTER TABLE app.my_charges_without_consent OWNER TO hearth_authz;

-- Name: VIEW my_charges_without_consent; Type: COMMENT; Schema: app
COMMENT ON VIEW app.my_charges_without_consent IS 'As children_of_actor_without_consent, for programs of the previous release.';

-- Name: my_families; Type: VIEW; Schema: app
CREATE VIEW app.my_families WITH (security_barrier='true') AS
 SELECT f.family_unit_id
   FROM app.families_joined f
  WHERE (f.viewer_id = app.user_id());

ALTER TABLE app.my_families OWNER TO hearth_authz;

-- Name: my_families_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.my_families_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    s.family_unit_id,
    s.family_name,
    s.family_code,
    s.code_generated_at,
    s.code_expires_at,
    s.created_by_user_id,
    s.member_limit,
    s.approval_required,
    s.member_id,
    s.role,
    s.household_role,
    s.added_at,
    s.member_count,
    s.home_latitude,
    s.home_longitude,
    s.player_details,
    s.household_ceiling,
    s.vouched,
    s.seat_taken,
    s.seat_reserved,
    s.created_at,
    s.updated_at,
    s.viewer_id
   FROM (app.callers c
     JOIN app.families_seen s ON ((s.viewer_id = c.user_id)));

ALTER TABLE app.my_families_of_batch OWNER TO hearth_authz;

-- Name: my_family_list; Type: VIEW; Schema: app
CREATE VIEW app.my_family_list WITH (security_barrier='true') AS
 SELECT s.family_unit_id,
    s.family_name,
    s.family_code,
    s.code_generated_at,
    s.code_expires_at,
    s.created_by_user_id,
    s.member_limit,
    s.approval_required,
    s.member_id,
    s.role,
    s.household_role,
    s.added_at,
    s.member_count,
    s.home_latitude,
    s.home_longitude,
    s.player_details,
    s.household_ceiling,
    s.vouched,
    s.seat_taken,
    s.seat_reserved,
    s.created_at,
    s.updated_at,
    s.viewer_id
   FROM app.families_seen s
  WHERE (s.viewer_id = app.user_id());

ALTER TABLE app.my_family_list OWNER TO hearth_authz;

-- Name: my_memberless_families; Type: VIEW; Schema: app
CREATE VIEW app.my_memberless_families WITH (security_barrier='true') AS
 SELECT f.id AS family_unit_id
   FROM app.family_units f
  WHERE ((f.created_by_user_id = app.account_id()) AND (NOT (EXISTS ( SELECT
           FROM app.family_members m
          WHERE (m.family_unit_id = f.id)))));

ALTER TABLE app.my_memberless_families OWNER TO hearth_authz;

-- Name: my_own_families; Type: VIEW; Schema: app
CREATE VIEW app.my_own_families WITH (security_barrier='true') AS
 SELECT f.family_unit_id
   FROM app.resident_families_of_account f;

ALTER TABLE app.my_own_families OWNER TO hearth_authz;

-- Name: VIEW my_own_families; Type: COMMENT; Schema: app
COMMENT ON VIEW app.my_own_families IS 'As resident_families_of_account, for programs of the previous release.';

-- Name: own_profiles; Type: VIEW; Schema: app
CREATE VIEW app.own_profiles AS
 SELECT u.id,
    u.kind,
    u.email,
    u.email_verified,
    u.full_name,
    u.role,
    u.avatar_key,
    u.avatar_url,
    u.created_at,
    u.updated_at,
    u.locale
   FROM app.users u
  WHERE (u.deleted_at IS NULL);

ALTER TABLE app.own_profiles OWNER TO hearth_authz;

-- Name: my_profile; Type: VIEW; Schema: app
CREATE VIEW app.my_profile WITH (security_barrier='true') AS
 SELECT p.id,
    p.kind,
    p.email,
    p.email_verified,
    p.full_name,
    p.role,
    p.avatar_key,
    p.avatar_url,
    p.created_at,
    p.updated_at,
    p.locale
   FROM app.own_profiles p
  WHERE (p.id = app.user_id());

ALTER TABLE app.my_profile OWNER TO hearth_authz;

-- Name: my_profiles; Type: VIEW; Schema: app
CREATE VIEW app.my_profiles WITH (security_barrier='true') AS
 SELECT u.id AS user_id,
    u.full_name,
    u.avatar_key,
    false AS is_managed,
    NULL::uuid AS parent_user_id,
    NULL::uuid AS family_unit_id,
    u.created_at,
    COALESCE(u.full_name,
        CASE
            WHEN u.email_verified THEN regexp_replace(u.email, '@[^@]*$'::text, ''::text)
            ELSE NULL::text
        END, 'Member'::text) AS display_name
   FROM app.users u
  WHERE (u.id = app.actor_id())
UNION ALL
 SELECT u.id AS user_id,
    u.full_name,
    u.avatar_key,
    true AS is_managed,
    m.parent_user_id,
    m.family_unit_id,
    m.added_at AS created_at,
    COALESCE(u.full_name, 'Member'::text) AS display_name
   FROM (((app.guardianships w
     JOIN app.family_members m ON ((m.id = w.member_id)))
     JOIN app.family_members g ON (((g.family_unit_id = m.family_unit_id) AND (g.active_adult_user_id = w.guardian_user_id))))
     JOIN app.users u ON ((u.id = m.user_id)))
  WHERE ((w.guardian_user_id = app.actor_id()) AND (m.status = 'active'::text) AND (g.status = 'active'::text));

ALTER TABLE app.my_profiles OWNER TO hearth_authz;

-- Name: my_relatives; Type: VIEW; Schema: app
CREATE VIEW app.my_relatives WITH (security_barrier='true') AS
 SELECT m.user_id
   FROM (app.family_members me
     JOIN app.family_members m ON ((m.family_unit_id = me.family_unit_id)))
  WHERE ((me.user_id = app.user_id()) AND (me.status = 'active'::text) AND ((m.status = 'active'::text) OR ((m.status = 'invited'::text) AND me.governs AND (me.user_id = app.account_id()))));

ALTER TABLE app.my_relatives OWNER TO hearth_authz;

-- Name: requests_seen; Type: VIEW; Schema: app
CREATE VIEW app.requests_seen AS
 SELECT m.family_unit_id,
    f.family_name,
    m.role,
    m.added_at AS requested_at,
    m.user_id AS viewer_id
   FROM (app.family_members m
     JOIN app.family_units f ON ((f.id = m.family_unit_id)))
  WHERE (m.status = 'invited'::text);

ALTER TABLE app.requests_seen OWNER TO hearth_authz;

-- Name: my_requests; Type: VIEW; Schema: app
CREATE VIEW app.my_requests WITH (security_barrier='true') AS
 SELECT s.family_unit_id,
    s.family_name,
    s.role,
    s.requested_at,
    s.viewer_id
   FROM app.requests_seen s
  WHERE (s.viewer_id = app.user_id());

ALTER TABLE app.my_requests OWNER TO hearth_authz;

-- Name: my_resident_families; Type: VIEW; Schema: app
CREATE VIEW app.my_resident_families WITH (security_barrier='true') AS
 SELECT m.family_unit_id
   FROM app.family_members m
  WHERE ((m.user_id = app.user_id()) AND (m.status = 'active'::text) AND (m.household_role <> 'visitor'::text));

ALTER TABLE app.my_resident_families OWNER TO hearth_authz;

-- Name: my_sessions; Type: VIEW; Schema: app
CREATE VIEW app.my_sessions WITH (security_barrier='true') AS
 SELECT s.id,
    s.method,
    s.issuer,
    s.device,
    s.started_at,
    s.last_used_at,
    s.ends_at
   FROM app.sessions s
  WHERE ((s.user_id = app.account_id()) AND (s.ended_at IS NULL) AND (s.ends_at > now()));

ALTER TABLE app.my_sessions OWNER TO hearth_authz;

-- Name: my_wards; Type: VIEW; Schema: app
CREATE VIEW app.my_wards WITH (security_barrier='true') AS
 SELECT c.user_id,
    c.family_unit_id
   FROM app.children_of_account c;

ALTER TABLE app.my_wards OWNER TO hearth_authz;

-- Name: VIEW my_wards; Type: COMMENT; Schema: app
COMMENT ON VIEW app.my_wards IS 'As children_of_account, for programs of the previous release.';

-- Name: passkeys; Type: TABLE; Schema: app
CREATE TABLE app.passkeys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    user_kind text DEFAULT 'account'::text NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    label text,
    model uuid NOT NULL,
    transports text[] NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkeys_backed_up_if_eligible CHECK ((is_backup_eligible OR (NOT is_backed_up))),
    CONSTRAINT passkeys_counter_range CHECK (((counter >= 0) AND (counter <= '4294967295'::bigint))),
    CONSTRAINT passkeys_credential_id_size CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023))),
    CONSTRAINT passkeys_few_transports CHECK ((cardinality(transports) <= 8)),
    CONSTRAINT passkeys_label_form CHECK ((((char_length(label) >= 1) AND (char_length(label) <= 80)) AND (label !~ '[[:cntrl:]]'::text))),
    CONSTRAINT passkeys_only_accounts CHECK ((user_kind = 'account'::text)),
    CONSTRAINT passkeys_public_key_size CHECK (((octet_length(public_key) >= 1) AND (octet_length(public_key) <= 1024)))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.passkeys FORCE ROW LEVEL SECURITY;

ALTER TABLE app.passkeys OWNER TO hearth_owner;

-- Name: TABLE passkeys; Type: COMMENT; Schema: app
COMMENT ON TABLE app.passkeys IS 'Public keys that accounts sign in with.';

-- Name: COLUMN passkeys.public_key; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.passkeys.public_key IS 'A COSE_Key (RFC 9052), as the authenticator wrote it.';

-- Name: COLUMN passkeys.counter; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.passkeys.counter IS 'Of the last signature; 0 for authenticators that do not count.';

-- Name: COLUMN passkeys.model; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.passkeys.model IS 'The model of the authenticator (AAGUID); zeros if it does not tell.';

-- Name: COLUMN passkeys.transports; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.passkeys.transports IS 'Ways to reach the authenticator, for browsers.';

-- Name: passwords; Type: TABLE; Schema: app
CREATE TABLE app.passwords (
    user_id uuid NOT NULL,
    user_kind text DEFAULT 'account'::text NOT NULL,
    hash text NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT passwords_hash_form CHECK (((hash ~ '^\$argon2id\$'::text) AND (octet_length(hash) <= 200))),
    CONSTRAINT passwords_only_accounts CHECK ((user_kind = 'account'::text))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.passwords FORCE ROW LEVEL SECURITY;

ALTER TABLE app.passwords OWNER TO hearth_owner;

-- Name: TABLE passwords; Type: COMMENT; Schema: app
COMMENT ON TABLE app.passwords IS 'Argon2id hashes of passwords; accounts without one have no row.';

-- Name: profiles_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.profiles_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    p.id,
    p.kind,
    p.email,
    p.email_verified,
    p.full_name,
    p.role,
    p.avatar_key,
    p.avatar_url,
    p.created_at,
    p.updated_at,
    p.locale
   FROM (app.callers c
     JOIN app.own_profiles p ON ((p.id = c.user_id)));

ALTER TABLE app.profiles_of_batch OWNER TO hearth_authz;

-- Name: provider_tokens; Type: TABLE; Schema: app
CREATE TABLE app.provider_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL,
    subject_hash bytea,
    user_id uuid,
    user_kind text DEFAULT 'account'::text NOT NULL,
    sealed bytea NOT NULL,
    obtained_at timestamp with time zone DEFAULT now() NOT NULL,
    check_at timestamp with time zone NOT NULL,
    CONSTRAINT provider_tokens_account_has_sign_in CHECK (((user_id IS NULL) = (subject_hash IS NULL))),
    CONSTRAINT provider_tokens_client_form CHECK (((octet_length(client) >= 1) AND (octet_length(client) <= 512))),
    CONSTRAINT provider_tokens_hash_size CHECK ((octet_length(subject_hash) = 32)),
    CONSTRAINT provider_tokens_issuer_form CHECK (((octet_length(issuer) >= 1) AND (octet_length(issuer) <= 512))),
    CONSTRAINT provider_tokens_only_accounts CHECK ((user_kind = 'account'::text)),
    CONSTRAINT provider_tokens_sealed_size CHECK (((octet_length(sealed) >= 28) AND (octet_length(sealed) <= 8192)))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.provider_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE app.provider_tokens OWNER TO hearth_owner;

-- Name: TABLE provider_tokens; Type: COMMENT; Schema: app
COMMENT ON TABLE app.provider_tokens IS 'Sealed refresh tokens of identity providers; without an account: to be revoked there.';

-- Name: rate_limits; Type: TABLE; Schema: app
CREATE TABLE app.rate_limits (
    bucket text NOT NULL COLLATE pg_catalog."C",
    window_start timestamp with time zone NOT NULL,
    hits integer NOT NULL,
    CONSTRAINT rate_limits_bucket_form CHECK (((octet_length(bucket) >= 1) AND (octet_length(bucket) <= 200))),
    CONSTRAINT rate_limits_hits_positive CHECK ((hits >= 0))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.rate_limits FORCE ROW LEVEL SECURITY;

ALTER TABLE app.rate_limits OWNER TO hearth_owner;

-- Name: TABLE rate_limits; Type: COMMENT; Schema: app
COMMENT ON TABLE app.rate_limits IS 'Hits per bucket in its present window.';

-- Name: refresh_tokens; Type: TABLE; Schema: app
CREATE TABLE app.refresh_tokens (
    session_id uuid NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    token_hash bytea NOT NULL,
    issued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refresh_tokens_generation_positive CHECK ((generation >= 0)),
    CONSTRAINT refresh_tokens_hash_size CHECK ((octet_length(token_hash) = 32))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.refresh_tokens FORCE ROW LEVEL SECURITY;

ALTER TABLE app.refresh_tokens OWNER TO hearth_owner;

-- Name: TABLE refresh_tokens; Type: COMMENT; Schema: app
COMMENT ON TABLE app.refresh_tokens IS 'SHA-256 of the newest refresh token of each session.';

-- Name: refused_invitations; Type: TABLE; Schema: app
CREATE TABLE app.refused_invitations (
    email text NOT NULL,
    family_unit_id uuid,
    since timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY app.refused_invitations FORCE ROW LEVEL SECURITY;

ALTER TABLE app.refused_invitations OWNER TO hearth_owner;

-- Name: TABLE refused_invitations; Type: COMMENT; Schema: app
COMMENT ON TABLE app.refused_invitations IS 'Addresses that want no invitations by e-mail; without a family: of no family.';

-- Name: requests_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.requests_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    s.family_unit_id,
    s.family_name,
    s.role,
    s.requested_at,
    s.viewer_id
   FROM (app.callers c
     JOIN app.requests_seen s ON ((s.viewer_id = c.user_id)));

ALTER TABLE app.requests_of_batch OWNER TO hearth_authz;

-- Name: role_conflicts; Type: TABLE; Schema: app
CREATE TABLE app.role_conflicts (
    user_id uuid NOT NULL,
    member_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    version bigint,
    by_member_id uuid,
    at timestamp with time zone NOT NULL,
    noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY app.role_conflicts FORCE ROW LEVEL SECURITY;

ALTER TABLE app.role_conflicts OWNER TO hearth_owner;

-- Name: TABLE role_conflicts; Type: COMMENT; Schema: app
COMMENT ON TABLE app.role_conflicts IS 'Changes of household roles that were undone by who had not seen them, for their authors.';

-- Name: user_versions; Type: TABLE; Schema: app
CREATE TABLE app.user_versions (
    user_id uuid NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    purged_version bigint DEFAULT 0 NOT NULL,
    transaction_id xid8,
    raised_at timestamp with time zone,
    purged_raised_at timestamp with time zone,
    CONSTRAINT user_versions_purged_before CHECK (((purged_version >= 0) AND (purged_version <= version)))
)
WITH (fillfactor='60', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_analyze_scale_factor='0.02');

ALTER TABLE ONLY app.user_versions FORCE ROW LEVEL SECURITY;

ALTER TABLE app.user_versions OWNER TO hearth_owner;

-- Name: TABLE user_versions; Type: COMMENT; Schema: app
COMMENT ON TABLE app.user_versions IS 'How often what concerns a person alone has changed.';

-- Name: session_versions; Type: VIEW; Schema: app
CREATE VIEW app.session_versions WITH (security_barrier='true') AS
 SELECT s.user_id,
    u.version AS own_version,
    u.raised_at AS own_raised_at,
    j.family_unit_id,
    v.version,
    v.raised_at,
    f.code_expires_at
   FROM ((((app.unended_sessions s
     LEFT JOIN app.user_versions u ON ((u.user_id = s.user_id)))
     LEFT JOIN app.families_joined j ON ((j.viewer_id = s.user_id)))
     LEFT JOIN app.family_versions v ON ((v.family_unit_id = j.family_unit_id)))
     LEFT JOIN app.family_units f ON ((f.id = j.family_unit_id)))
  WHERE (s.id = (NULLIF(current_setting('hearth.session'::text, true), ''::text))::uuid);

ALTER TABLE app.session_versions OWNER TO hearth_authz;

-- Name: sign_in_versions; Type: VIEW; Schema: app
CREATE VIEW app.sign_in_versions WITH (security_barrier='true') AS
 SELECT i.issuer,
    i.user_id,
    i.claims_mark,
    i.lacks_name,
    u.version AS own_version,
    u.raised_at AS own_raised_at,
    j.family_unit_id,
    v.version,
    v.raised_at,
    f.code_expires_at
   FROM ((((app.user_identities i
     LEFT JOIN app.user_versions u ON ((u.user_id = i.user_id)))
     LEFT JOIN app.families_joined j ON ((j.viewer_id = i.user_id)))
     LEFT JOIN app.family_versions v ON ((v.family_unit_id = j.family_unit_id)))
     LEFT JOIN app.family_units f ON ((f.id = j.family_unit_id)))
  WHERE (i.subject_hash = decode(current_setting('hearth.sign_in'::text, true), 'hex'::text));

ALTER TABLE app.sign_in_versions OWNER TO hearth_authz;

-- Name: standby_readers; Type: TABLE; Schema: app
CREATE TABLE app.standby_readers (
    id uuid NOT NULL,
    number bigint NOT NULL,
    standbys bigint[] NOT NULL,
    renewed_at timestamp with time zone NOT NULL,
    CONSTRAINT standby_readers_few CHECK ((cardinality(standbys) <= 100))
)
WITH (fillfactor='20');

ALTER TABLE ONLY app.standby_readers FORCE ROW LEVEL SECURITY;

ALTER TABLE app.standby_readers OWNER TO hearth_owner;

-- Name: TABLE standby_readers; Type: COMMENT; Schema: app
COMMENT ON TABLE app.standby_readers IS 'Processes of the API that read from standbys: the number of the last renewal, and from which.';

-- Name: suppressed_addresses; Type: TABLE; Schema: app
CREATE TABLE app.suppressed_addresses (
    email text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    reason text NOT NULL,
    CONSTRAINT suppressed_addresses_reason_size CHECK ((octet_length(reason) <= 500))
);

ALTER TABLE ONLY app.suppressed_addresses FORCE ROW LEVEL SECURITY;

ALTER TABLE app.suppressed_addresses OWNER TO hearth_owner;

-- Name: TABLE suppressed_addresses; Type: COMMENT; Schema: app
COMMENT ON TABLE app.suppressed_addresses IS 'Addresses that mail servers refuse for good.';

-- Name: trusted_issuers; Type: TABLE; Schema: app
CREATE TABLE app.trusted_issuers (
    issuer text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    is_primary boolean DEFAULT false NOT NULL,
    emails_confirmed boolean DEFAULT false NOT NULL,
    audiences text[] NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    token_use text,
    CONSTRAINT trusted_issuers_has_audience CHECK ((cardinality(audiences) > 0)),
    CONSTRAINT trusted_issuers_issuer_form CHECK (((octet_length(issuer) >= 1) AND (octet_length(issuer) <= 512))),
    CONSTRAINT trusted_issuers_kind_known CHECK ((kind = ANY (ARRAY['supabase'::text, 'cognito'::text, 'apple'::text, 'generic'::text, 'hearth'::text]))),
    CONSTRAINT trusted_issuers_token_use_is_cognitos CHECK (((token_use IS NULL) OR (kind = 'cognito'::text))),
    CONSTRAINT trusted_issuers_token_use_known CHECK ((token_use = ANY (ARRAY['id'::text, 'access'::text])))
);

ALTER TABLE ONLY app.trusted_issuers FORCE ROW LEVEL SECURITY;

ALTER TABLE app.trusted_issuers OWNER TO hearth_owner;

-- Name: TABLE trusted_issuers; Type: COMMENT; Schema: app
COMMENT ON TABLE app.trusted_issuers IS 'Issuers whose tokens a direct client may bring.';

-- Name: COLUMN trusted_issuers.token_use; Type: COMMENT; Schema: app
COMMENT ON COLUMN app.trusted_issuers.token_use IS 'What a token of Cognito''s must be for; null: either. ''hearth-admin issuers apply'' sets it.';

-- Name: user_versions_of_batch; Type: VIEW; Schema: app
CREATE VIEW app.user_versions_of_batch WITH (security_barrier='true') AS
 SELECT c.place,
    v.user_id,
    v.version,
    v.raised_at,
    v.purged_version
   FROM (app.callers c
     JOIN app.user_versions v ON ((v.user_id = c.user_id)));

ALTER TABLE app.user_versions_of_batch OWNER TO hearth_authz;

-- Name: webhook_deliveries; Type: TABLE; Schema: app
CREATE TABLE app.webhook_deliveries (
    endpoint_id uuid NOT NULL,
    event_number bigint NOT NULL,
    family_unit_id uuid,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    first_failed_at timestamp with time zone,
    settled_at timestamp with time zone,
    last_status smallint,
    last_error text,
    CONSTRAINT webhook_deliveries_attempts_positive CHECK ((attempts >= 0)),
    CONSTRAINT webhook_deliveries_error_size CHECK ((octet_length(last_error) <= 500)),
    CONSTRAINT webhook_deliveries_settled_is_dated CHECK (((state = 'pending'::text) = (settled_at IS NULL))),
    CONSTRAINT webhook_deliveries_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.webhook_deliveries FORCE ROW LEVEL SECURITY;

ALTER TABLE app.webhook_deliveries OWNER TO hearth_owner;

-- Name: TABLE webhook_deliveries; Type: COMMENT; Schema: app
COMMENT ON TABLE app.webhook_deliveries IS 'One event for one endpoint, and what became of it.';

-- Name: webhook_events; Type: TABLE; Schema: app
CREATE TABLE app.webhook_events (
    number bigint NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_type text NOT NULL,
    family_unit_id uuid,
    occurred_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    data jsonb NOT NULL,
    CONSTRAINT webhook_events_data_form CHECK (((jsonb_typeof(data) = 'object'::text) AND (octet_length((data)::text) <= 4096))),
    CONSTRAINT webhook_events_type_known CHECK ((event_type = ANY (ARRAY['member.joined'::text, 'member.left'::text, 'member.removed'::text, 'member.role_changed'::text, 'managed.created'::text, 'managed.graduated'::text, 'invitation.created'::text, 'invitation.accepted'::text, 'invitation.declined'::text, 'family.created'::text, 'family.updated'::text, 'account.erased'::text, 'webhook.test'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.05');

ALTER TABLE ONLY app.webhook_events FORCE ROW LEVEL SECURITY;

ALTER TABLE app.webhook_events OWNER TO hearth_owner;

-- Name: TABLE webhook_events; Type: COMMENT; Schema: app
COMMENT ON TABLE app.webhook_events IS 'What happened while somebody wanted to be told.';

-- Name: webhook_events_number_seq; Type: SEQUENCE; Schema: app
ALTER TABLE app.webhook_events ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME app.webhook_events_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- Name: dead; Type: TABLE; Schema: jobs
CREATE TABLE jobs.dead (
    id bigint NOT NULL,
    died_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    family_unit_id uuid,
    unique_key text,
    priority smallint NOT NULL,
    attempt smallint NOT NULL,
    max_attempts smallint NOT NULL,
    crashes smallint NOT NULL,
    run_at timestamp with time zone NOT NULL,
    not_after timestamp with time zone,
    payload jsonb NOT NULL,
    last_error text NOT NULL
);

ALTER TABLE jobs.dead OWNER TO hearth_owner;

-- Name: TABLE dead; Type: COMMENT; Schema: jobs
COMMENT ON TABLE jobs.dead IS 'Jobs that were given up; jobs.revive sends one back.';

-- Name: history; Type: TABLE; Schema: jobs
CREATE TABLE jobs.history (
    id bigint NOT NULL,
    finished_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    family_unit_id uuid,
    attempt smallint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    CONSTRAINT history_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'expired'::text, 'cancelled'::text])))
)
PARTITION BY RANGE (finished_at);

ALTER TABLE jobs.history OWNER TO hearth_owner;

-- Name: TABLE history; Type: COMMENT; Schema: jobs
COMMENT ON TABLE jobs.history IS 'Jobs that have ended.';

-- Name: history_other; Type: TABLE; Schema: jobs
CREATE TABLE jobs.history_other (
    id bigint NOT NULL,
    finished_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    family_unit_id uuid,
    attempt smallint NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    CONSTRAINT history_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'expired'::text, 'cancelled'::text])))
);

ALTER TABLE jobs.history_other OWNER TO hearth_owner;

-- Name: live; Type: TABLE; Schema: jobs
CREATE TABLE jobs.live (
    id bigint NOT NULL,
    run_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    not_after timestamp with time zone,
    priority smallint DEFAULT 1 NOT NULL,
    attempt smallint DEFAULT 0 NOT NULL,
    max_attempts smallint DEFAULT 20 NOT NULL,
    crashes smallint DEFAULT 0 NOT NULL,
    queue text NOT NULL,
    kind text NOT NULL,
    family_unit_id uuid,
    unique_key text,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    last_error text,
    is_suspect boolean DEFAULT false NOT NULL,
    is_started boolean DEFAULT false NOT NULL,
    state text DEFAULT 'ready'::text NOT NULL,
    worker integer,
    token bigint,
    CONSTRAINT live_attempts_range CHECK (((attempt >= 0) AND (crashes >= 0) AND ((max_attempts >= 1) AND (max_attempts <= 100)))),
    CONSTRAINT live_names_form CHECK (((queue ~ '^[a-z][a-z0-9_.-]{0,39}$'::text) AND (kind ~ '^[a-z][a-z0-9_.-]{0,59}$'::text))),
    CONSTRAINT live_only_running_is_started CHECK (((state = 'running'::text) OR (NOT is_started))),
    CONSTRAINT live_payload_is_small_object CHECK (((jsonb_typeof(payload) = 'object'::text) AND (pg_column_size(payload) <= 16384))),
    CONSTRAINT live_priority_range CHECK (((priority >= 0) AND (priority <= 3))),
    CONSTRAINT live_running_is_held CHECK ((((state = 'running'::text) = (worker IS NOT NULL)) AND ((state = 'running'::text) = (token IS NOT NULL)))),
    CONSTRAINT live_state_known CHECK ((state = ANY (ARRAY['ready'::text, 'running'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0.5', autovacuum_vacuum_cost_delay='0', vacuum_truncate=off);

ALTER TABLE jobs.live OWNER TO hearth_owner;

-- Name: TABLE live; Type: COMMENT; Schema: jobs
COMMENT ON TABLE jobs.live IS 'Jobs that are still to be done, or being done.';

-- Name: live_id_seq; Type: SEQUENCE; Schema: jobs
ALTER TABLE jobs.live ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobs.live_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- Name: paused_queues; Type: TABLE; Schema: jobs
CREATE TABLE jobs.paused_queues (
    queue text NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    reason text NOT NULL,
    probe_at timestamp with time zone DEFAULT (clock_timestamp() + '00:00:30'::interval) NOT NULL
);

ALTER TABLE jobs.paused_queues OWNER TO hearth_owner;

-- Name: tokens; Type: SEQUENCE; Schema: jobs
CREATE SEQUENCE jobs.tokens
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE jobs.tokens OWNER TO hearth_owner;

-- Name: workers; Type: TABLE; Schema: jobs
CREATE TABLE jobs.workers (
    id integer NOT NULL,
    label text NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    renewed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT workers_label_form CHECK ((label ~ '^[[:graph:]]{1,200}$'::text))
)
WITH (fillfactor='50');

ALTER TABLE jobs.workers OWNER TO hearth_owner;

-- Name: workers_id_seq; Type: SEQUENCE; Schema: jobs
ALTER TABLE jobs.workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobs.workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- Name: audit_log_other; Type: TABLE ATTACH; Schema: app
ALTER TABLE ONLY app.audit_log ATTACH PARTITION app.audit_log_other DEFAULT;

-- Name: history_other; Type: TABLE ATTACH; Schema: jobs
ALTER TABLE ONLY jobs.history ATTACH PARTITION jobs.history_other DEFAULT;

-- Name: answered_challenges answered_challenges_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.answered_challenges
    ADD CONSTRAINT answered_challenges_pkey PRIMARY KEY (challenge_hash);

-- Name: audit_exports audit_exports_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.audit_exports
    ADD CONSTRAINT audit_exports_pkey PRIMARY KEY (id);

-- Name: audit_log audit_log_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (at, id);

-- Name: audit_log_other audit_log_other_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.audit_log_other
    ADD CONSTRAINT audit_log_other_pkey PRIMARY KEY (at, id);

-- Name: automatic_approval automatic_approval_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.automatic_approval
    ADD CONSTRAINT automatic_approval_pkey PRIMARY KEY (is_only);

-- Name: code_lookups code_lookups_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.code_lookups
    ADD CONSTRAINT code_lookups_pkey PRIMARY KEY (user_id, code_digest);

-- Name: code_settings code_settings_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.code_settings
    ADD CONSTRAINT code_settings_pkey PRIMARY KEY (is_only);

-- Name: consent_purposes consent_purposes_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.consent_purposes
    ADD CONSTRAINT consent_purposes_pkey PRIMARY KEY (purpose);

-- Name: consents consents_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (id);

-- Name: email_sign_ins email_sign_ins_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.email_sign_ins
    ADD CONSTRAINT email_sign_ins_pkey PRIMARY KEY (user_id, email);

-- Name: erasures erasures_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (id);

-- Name: family_attributes family_attributes_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_attributes
    ADD CONSTRAINT family_attributes_pkey PRIMARY KEY (family_unit_id);

-- Name: family_changes family_changes_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_changes
    ADD CONSTRAINT family_changes_pkey PRIMARY KEY (family_unit_id, version, kind, id);

-- Name: family_code_usage_log family_code_usage_log_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_code_usage_log
    ADD CONSTRAINT family_code_usage_log_pkey PRIMARY KEY (id);

-- Name: family_codes family_codes_family_code_state_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_codes
    ADD CONSTRAINT family_codes_family_code_state_key UNIQUE (family_unit_id, code, state);

-- Name: family_codes family_codes_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_codes
    ADD CONSTRAINT family_codes_pkey PRIMARY KEY (code);

-- Name: family_invitations family_invitations_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_invitations
    ADD CONSTRAINT family_invitations_pkey PRIMARY KEY (id);

-- Name: family_members family_members_active_adult_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_active_adult_key UNIQUE (family_unit_id, active_adult_user_id);

-- Name: family_members family_members_family_id_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_family_id_key UNIQUE (family_unit_id, id);

-- Name: family_members family_members_family_user_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_family_user_key UNIQUE (family_unit_id, user_id);

-- Name: family_members family_members_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_pkey PRIMARY KEY (id);

-- Name: family_members family_members_slot_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_slot_key UNIQUE (family_unit_id, slot);

-- Name: family_units family_units_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_units
    ADD CONSTRAINT family_units_pkey PRIMARY KEY (id);

-- Name: family_versions family_versions_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_versions
    ADD CONSTRAINT family_versions_pkey PRIMARY KEY (family_unit_id);

-- Name: guardianships guardianships_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.guardianships
    ADD CONSTRAINT guardianships_pkey PRIMARY KEY (member_id, guardian_user_id);

-- Name: guardianships guardianships_slot_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.guardianships
    ADD CONSTRAINT guardianships_slot_key UNIQUE (member_id, slot);

-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (actor_id, subject_id, route, key);

-- Name: invitation_secrets invitation_secrets_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.invitation_secrets
    ADD CONSTRAINT invitation_secrets_pkey PRIMARY KEY (invitation_id);

-- Name: invitation_secrets invitation_secrets_token_hash_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.invitation_secrets
    ADD CONSTRAINT invitation_secrets_token_hash_key UNIQUE (token_hash);

-- Name: mailed_tickets mailed_tickets_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.mailed_tickets
    ADD CONSTRAINT mailed_tickets_pkey PRIMARY KEY (id);

-- Name: member_preferences member_preferences_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.member_preferences
    ADD CONSTRAINT member_preferences_pkey PRIMARY KEY (family_unit_id, user_id);

-- Name: passkeys passkeys_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);

-- Name: passwords passwords_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.passwords
    ADD CONSTRAINT passwords_pkey PRIMARY KEY (user_id);

-- Name: provider_tokens provider_tokens_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.provider_tokens
    ADD CONSTRAINT provider_tokens_pkey PRIMARY KEY (id);

-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket);

-- Name: refresh_tokens refresh_tokens_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (session_id);

-- Name: role_changes role_changes_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.role_changes
    ADD CONSTRAINT role_changes_pkey PRIMARY KEY (member_id);

-- Name: role_conflicts role_conflicts_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.role_conflicts
    ADD CONSTRAINT role_conflicts_pkey PRIMARY KEY (user_id, member_id);

-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

-- Name: standby_readers standby_readers_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.standby_readers
    ADD CONSTRAINT standby_readers_pkey PRIMARY KEY (id);

-- Name: suppressed_addresses suppressed_addresses_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.suppressed_addresses
    ADD CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (email);

-- Name: trusted_issuers trusted_issuers_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.trusted_issuers
    ADD CONSTRAINT trusted_issuers_pkey PRIMARY KEY (issuer);

-- Name: user_aliases user_aliases_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_aliases
    ADD CONSTRAINT user_aliases_pkey PRIMARY KEY (alias_id);

-- Name: user_changes user_changes_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_changes
    ADD CONSTRAINT user_changes_key UNIQUE NULLS NOT DISTINCT (user_id, version, kind, id, family_unit_id);

-- Name: user_identities user_identities_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_identities
    ADD CONSTRAINT user_identities_pkey PRIMARY KEY (subject_hash, issuer);

-- Name: user_versions user_versions_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_versions
    ADD CONSTRAINT user_versions_pkey PRIMARY KEY (user_id);

-- Name: users users_id_kind_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.users
    ADD CONSTRAINT users_id_kind_key UNIQUE (id, kind);

-- Name: users users_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_number);

-- Name: webhook_endpoints webhook_endpoints_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id);

-- Name: webhook_events webhook_events_id_key; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.webhook_events
    ADD CONSTRAINT webhook_events_id_key UNIQUE (id);

-- Name: webhook_events webhook_events_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (number);

-- Name: wrong_code_hours wrong_code_hours_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.wrong_code_hours
    ADD CONSTRAINT wrong_code_hours_pkey PRIMARY KEY (hour);

-- Name: wrong_codes wrong_codes_pkey; Type: CONSTRAINT; Schema: app
ALTER TABLE ONLY app.wrong_codes
    ADD CONSTRAINT wrong_codes_pkey PRIMARY KEY (minute, shard);

-- Name: dead dead_pkey; Type: CONSTRAINT; Schema: jobs
ALTER TABLE ONLY jobs.dead
    ADD CONSTRAINT dead_pkey PRIMARY KEY (id);

-- Name: live live_pkey; Type: CONSTRAINT; Schema: jobs
ALTER TABLE ONLY jobs.live
    ADD CONSTRAINT live_pkey PRIMARY KEY (id);

-- Name: paused_queues paused_queues_pkey; Type: CONSTRAINT; Schema: jobs
ALTER TABLE ONLY jobs.paused_queues
    ADD CONSTRAINT paused_queues_pkey PRIMARY KEY (queue);

-- Name: schedules schedules_pkey; Type: CONSTRAINT; Schema: jobs
ALTER TABLE ONLY jobs.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (name);

-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: jobs
ALTER TABLE ONLY jobs.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

-- Name: answered_challenges_expiry; Type: INDEX; Schema: app
CREATE INDEX answered_challenges_expiry ON app.answered_challenges USING btree (expires_at);

-- Name: audit_log_of_family; Type: INDEX; Schema: app
CREATE INDEX audit_log_of_family ON ONLY app.audit_log USING btree (family_unit_id, at DESC, id DESC);

-- Name: audit_log_of_person; Type: INDEX; Schema: app
CREATE INDEX audit_log_of_person ON ONLY app.audit_log USING btree (subject_user_id, at) WHERE (family_unit_id IS NULL);

-- Name: audit_log_other_family_unit_id_at_id_idx; Type: INDEX; Schema: app
CREATE INDEX audit_log_other_family_unit_id_at_id_idx ON app.audit_log_other USING btree (family_unit_id, at DESC, id DESC);

-- Name: audit_log_other_subject_user_id_at_idx; Type: INDEX; Schema: app
CREATE INDEX audit_log_other_subject_user_id_at_idx ON app.audit_log_other USING btree (subject_user_id, at) WHERE (family_unit_id IS NULL);

-- Name: code_lookups_at; Type: INDEX; Schema: app
CREATE INDEX code_lookups_at ON app.code_lookups USING btree (looked_up_at);

-- Name: consents_given_by; Type: INDEX; Schema: app
CREATE INDEX consents_given_by ON app.consents USING btree (given_by);

-- Name: consents_of_child; Type: INDEX; Schema: app
CREATE INDEX consents_of_child ON app.consents USING btree (member_id, given_at);

-- Name: consents_of_family; Type: INDEX; Schema: app
CREATE INDEX consents_of_family ON app.consents USING btree (family_unit_id);

-- Name: consents_one_standing; Type: INDEX; Schema: app
CREATE UNIQUE INDEX consents_one_standing ON app.consents USING btree (member_id, purpose) WHERE (ended_at IS NULL);

-- Name: email_sign_ins_email; Type: INDEX; Schema: app
CREATE UNIQUE INDEX email_sign_ins_email ON app.email_sign_ins USING btree (email) WHERE (removed_at IS NULL);

-- Name: erasures_at; Type: INDEX; Schema: app
CREATE INDEX erasures_at ON app.erasures USING btree (erased_at);

-- Name: erasures_sign_ins; Type: INDEX; Schema: app
CREATE INDEX erasures_sign_ins ON app.erasures USING gin (sign_ins);

-- Name: family_changes_at; Type: INDEX; Schema: app
CREATE INDEX family_changes_at ON app.family_changes USING btree (changed_at);

-- Name: family_code_usage_log_at; Type: INDEX; Schema: app
CREATE INDEX family_code_usage_log_at ON app.family_code_usage_log USING btree (at);

-- Name: family_code_usage_log_family; Type: INDEX; Schema: app
CREATE INDEX family_code_usage_log_family ON app.family_code_usage_log USING btree (family_unit_id, at DESC);

-- Name: family_codes_one_live; Type: INDEX; Schema: app
CREATE UNIQUE INDEX family_codes_one_live ON app.family_codes USING btree (family_unit_id) WHERE (state = 'live'::text);

-- Name: family_codes_retired; Type: INDEX; Schema: app
CREATE INDEX family_codes_retired ON app.family_codes USING btree (retired_at) WHERE (state = 'retired'::text);

-- Name: family_invitations_accepted_by; Type: INDEX; Schema: app
CREATE INDEX family_invitations_accepted_by ON app.family_invitations USING btree (accepted_by) WHERE (accepted_by IS NOT NULL);

-- Name: family_invitations_closed; Type: INDEX; Schema: app
CREATE INDEX family_invitations_closed ON app.family_invitations USING btree (closed_at) WHERE (closed_at IS NOT NULL);

-- Name: family_invitations_expiring; Type: INDEX; Schema: app
CREATE INDEX family_invitations_expiring ON app.family_invitations USING btree (expires_at) WHERE (status = 'pending'::text);

-- Name: family_invitations_invited_by; Type: INDEX; Schema: app
CREATE INDEX family_invitations_invited_by ON app.family_invitations USING btree (invited_by, created_at);

-- Name: family_invitations_of_family; Type: INDEX; Schema: app
CREATE INDEX family_invitations_of_family ON app.family_invitations USING btree (family_unit_id, created_at DESC, id DESC);

-- Name: family_invitations_one_graduation; Type: INDEX; Schema: app
CREATE UNIQUE INDEX family_invitations_one_graduation ON app.family_invitations USING btree (graduate_id) WHERE ((status = 'pending'::text) AND (graduate_id IS NOT NULL));

-- Name: family_invitations_one_pending; Type: INDEX; Schema: app
CREATE UNIQUE INDEX family_invitations_one_pending ON app.family_invitations USING btree (family_unit_id, invited_email) WHERE (status = 'pending'::text);

-- Name: family_invitations_to_address; Type: INDEX; Schema: app
CREATE INDEX family_invitations_to_address ON app.family_invitations USING btree (invited_email) WHERE (status = 'pending'::text);

-- Name: family_members_guardian; Type: INDEX; Schema: app
CREATE INDEX family_members_guardian ON app.family_members USING btree (parent_user_id) WHERE (parent_user_id IS NOT NULL);

-- Name: family_members_of_user; Type: INDEX; Schema: app
CREATE INDEX family_members_of_user ON app.family_members USING btree (user_id, family_unit_id) WHERE (status = 'active'::text);

-- Name: family_members_one_parent_admin; Type: INDEX; Schema: app
CREATE UNIQUE INDEX family_members_one_parent_admin ON app.family_members USING btree (family_unit_id) WHERE ((status = 'active'::text) AND (household_role = 'parent_admin'::text));

-- Name: family_members_player_in_one_family; Type: INDEX; Schema: app
CREATE UNIQUE INDEX family_members_player_in_one_family ON app.family_members USING btree (user_id) WHERE ((status = 'active'::text) AND (role = 'player'::text));

-- Name: family_members_to_erase; Type: INDEX; Schema: app
CREATE INDEX family_members_to_erase ON app.family_members USING btree (removed_at) WHERE ((status = 'removed'::text) AND (user_kind = 'managed'::text) AND (erased_at IS NULL));

-- Name: family_members_user; Type: INDEX; Schema: app
CREATE INDEX family_members_user ON app.family_members USING btree (user_id);

-- Name: family_units_code_expires; Type: INDEX; Schema: app
CREATE INDEX family_units_code_expires ON app.family_units USING btree (code_expires_at) WHERE ((family_code IS NOT NULL) AND (code_expires_at IS NOT NULL));

-- Name: family_units_created_by; Type: INDEX; Schema: app
CREATE INDEX family_units_created_by ON app.family_units USING btree (created_by_user_id);

-- Name: family_units_emptied; Type: INDEX; Schema: app
CREATE INDEX family_units_emptied ON app.family_units USING btree (emptied_at) WHERE (emptied_at IS NOT NULL);

-- Name: guardianships_family; Type: INDEX; Schema: app
CREATE INDEX guardianships_family ON app.guardianships USING btree (family_unit_id, guardian_user_id);

-- Name: guardianships_guardian; Type: INDEX; Schema: app
CREATE INDEX guardianships_guardian ON app.guardianships USING btree (guardian_user_id, member_id);

-- Name: idempotency_keys_created; Type: INDEX; Schema: app
CREATE INDEX idempotency_keys_created ON app.idempotency_keys USING btree (created_at);

-- Name: mailed_tickets_email; Type: INDEX; Schema: app
CREATE INDEX mailed_tickets_email ON app.mailed_tickets USING btree (email);

-- Name: mailed_tickets_expiry; Type: INDEX; Schema: app
CREATE INDEX mailed_tickets_expiry ON app.mailed_tickets USING btree (expires_at);

-- Name: mailed_tickets_link; Type: INDEX; Schema: app
CREATE UNIQUE INDEX mailed_tickets_link ON app.mailed_tickets USING btree (link_hash);

-- Name: mailed_tickets_ticket; Type: INDEX; Schema: app
CREATE UNIQUE INDEX mailed_tickets_ticket ON app.mailed_tickets USING btree (ticket_hash);

-- Name: member_preferences_user; Type: INDEX; Schema: app
CREATE INDEX member_preferences_user ON app.member_preferences USING btree (user_id);

-- Name: passkeys_credential_id; Type: INDEX; Schema: app
CREATE UNIQUE INDEX passkeys_credential_id ON app.passkeys USING btree (sha256(credential_id));

-- Name: passkeys_user; Type: INDEX; Schema: app
CREATE INDEX passkeys_user ON app.passkeys USING btree (user_id);

-- Name: provider_tokens_sign_in; Type: INDEX; Schema: app
CREATE UNIQUE INDEX provider_tokens_sign_in ON app.provider_tokens USING btree (subject_hash, issuer);

-- Name: provider_tokens_user; Type: INDEX; Schema: app
CREATE INDEX provider_tokens_user ON app.provider_tokens USING btree (user_id);

-- Name: rate_limits_window; Type: INDEX; Schema: app
CREATE INDEX rate_limits_window ON app.rate_limits USING btree (window_start);

-- Name: refused_invitations_family; Type: INDEX; Schema: app
CREATE INDEX refused_invitations_family ON app.refused_invitations USING btree (family_unit_id);

-- Name: refused_invitations_of_all; Type: INDEX; Schema: app
CREATE UNIQUE INDEX refused_invitations_of_all ON app.refused_invitations USING btree (email) WHERE (family_unit_id IS NULL);

-- Name: refused_invitations_of_family; Type: INDEX; Schema: app
CREATE UNIQUE INDEX refused_invitations_of_family ON app.refused_invitations USING btree (email, family_unit_id) WHERE (family_unit_id IS NOT NULL);

-- Name: role_conflicts_member; Type: INDEX; Schema: app
CREATE INDEX role_conflicts_member ON app.role_conflicts USING btree (member_id);

-- Name: role_conflicts_noted; Type: INDEX; Schema: app
CREATE INDEX role_conflicts_noted ON app.role_conflicts USING btree (noted_at);

-- Name: sessions_over; Type: INDEX; Schema: app
CREATE INDEX sessions_over ON app.sessions USING btree (COALESCE(ended_at, ends_at));

-- Name: sessions_user; Type: INDEX; Schema: app
CREATE INDEX sessions_user ON app.sessions USING btree (user_id);

-- Name: user_aliases_account; Type: INDEX; Schema: app
CREATE INDEX user_aliases_account ON app.user_aliases USING btree (account_id);

-- Name: user_changes_at; Type: INDEX; Schema: app
CREATE INDEX user_changes_at ON app.user_changes USING btree (changed_at);

-- Name: user_identities_user; Type: INDEX; Schema: app
CREATE INDEX user_identities_user ON app.user_identities USING btree (user_id);

-- Name: users_email; Type: INDEX; Schema: app
CREATE INDEX users_email ON app.users USING btree (email) WHERE (email IS NOT NULL);

-- Name: webhook_deliveries_event; Type: INDEX; Schema: app
CREATE INDEX webhook_deliveries_event ON app.webhook_deliveries USING btree (event_number);

-- Name: webhook_deliveries_failed; Type: INDEX; Schema: app
CREATE INDEX webhook_deliveries_failed ON app.webhook_deliveries USING btree (endpoint_id) WHERE (state = 'failed'::text);

-- Name: webhook_deliveries_pending; Type: INDEX; Schema: app
CREATE INDEX webhook_deliveries_pending ON app.webhook_deliveries USING btree (endpoint_id, family_unit_id, event_number) WHERE (state = 'pending'::text);

-- Name: dead_died_at; Type: INDEX; Schema: jobs
CREATE INDEX dead_died_at ON jobs.dead USING btree (died_at);

-- Name: live_next; Type: INDEX; Schema: jobs
CREATE INDEX live_next ON jobs.live USING btree (queue, priority, run_at, id);

-- Name: live_unique_key; Type: INDEX; Schema: jobs
CREATE UNIQUE INDEX live_unique_key ON jobs.live USING btree (kind, unique_key) WHERE (unique_key IS NOT NULL);

-- Name: audit_log_other_family_unit_id_at_id_idx; Type: INDEX ATTACH; Schema: app
ALTER INDEX app.audit_log_of_family ATTACH PARTITION app.audit_log_other_family_unit_id_at_id_idx;

-- Name: audit_log_other_pkey; Type: INDEX ATTACH; Schema: app
ALTER INDEX app.audit_log_pkey ATTACH PARTITION app.audit_log_other_pkey;

-- Name: audit_log_other_subject_user_id_at_idx; Type: INDEX ATTACH; Schema: app
ALTER INDEX app.audit_log_of_person ATTACH PARTITION app.audit_log_other_subject_user_id_at_idx;

-- Name: family_units take_family; Type: TRIGGER; Schema: api
CREATE TRIGGER take_family INSTEAD OF INSERT ON api.family_units FOR EACH ROW EXECUTE FUNCTION gateway.take_family();

-- Name: family_members take_member; Type: TRIGGER; Schema: api
CREATE TRIGGER take_member INSTEAD OF INSERT ON api.family_members FOR EACH ROW EXECUTE FUNCTION gateway.take_member();

-- Name: family_invitations audit_statement; Type: TRIGGER; Schema: app
CREATE TRIGGER audit_statement AFTER DELETE ON app.family_invitations FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.audit_invitation_statement();

-- Name: family_members audit_statement; Type: TRIGGER; Schema: app
CREATE TRIGGER audit_statement AFTER INSERT ON app.family_members FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.audit_member_statement();

-- Name: family_units audit_statement; Type: TRIGGER; Schema: app
CREATE TRIGGER audit_statement AFTER INSERT OR UPDATE ON app.family_units FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.audit_family_statement();

-- Name: member_preferences audit_statement; Type: TRIGGER; Schema: app
CREATE TRIGGER audit_statement AFTER INSERT OR UPDATE ON app.member_preferences FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.audit_preferences_statement();

-- Name: trusted_issuers audit_statement; Type: TRIGGER; Schema: app
CREATE TRIGGER audit_statement AFTER INSERT OR DELETE OR UPDATE ON app.trusted_issuers FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.audit_issuer_statement();

-- Name: users audit_statement; Type: TRIGGER; Schema: app
CREATE TRIGGER audit_statement AFTER UPDATE ON app.users FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.audit_user_statement();

-- Name: family_units begin_versions; Type: TRIGGER; Schema: app
CREATE TRIGGER begin_versions AFTER INSERT ON app.family_units FOR EACH ROW EXECUTE FUNCTION app.begin_family_versions();

-- Name: users begin_versions; Type: TRIGGER; Schema: app
CREATE TRIGGER begin_versions AFTER INSERT ON app.users FOR EACH ROW EXECUTE FUNCTION app.begin_user_versions();

-- Name: family_units give_code; Type: TRIGGER; Schema: app
CREATE TRIGGER give_code BEFORE INSERT ON app.family_units FOR EACH ROW EXECUTE FUNCTION app.give_family_its_code();

-- Name: family_members guardianships_of_adult; Type: TRIGGER; Schema: app
CREATE TRIGGER guardianships_of_adult AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((old.active_adult_user_id IS NOT NULL) AND (new.active_adult_user_id IS NULL))) EXECUTE FUNCTION app.end_guardianships_of_adult();

-- Name: family_members guardianships_of_child; Type: TRIGGER; Schema: app
CREATE TRIGGER guardianships_of_child AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((old.active_guardian_id IS NOT NULL) AND (new.active_guardian_id IS NULL))) EXECUTE FUNCTION app.end_guardianships_of_child();

-- Name: family_units keep_creator; Type: TRIGGER; Schema: app
CREATE TRIGGER keep_creator BEFORE UPDATE ON app.family_units FOR EACH ROW WHEN (((new.id IS DISTINCT FROM old.id) OR (new.created_by_user_id IS DISTINCT FROM old.created_by_user_id))) EXECUTE FUNCTION app.keep_creator();

-- Name: family_members keep_identity; Type: TRIGGER; Schema: app
CREATE TRIGGER keep_identity BEFORE UPDATE ON app.family_members FOR EACH ROW WHEN (((((new.id IS DISTINCT FROM old.id) OR (new.family_unit_id IS DISTINCT FROM old.family_unit_id)) OR (new.user_id IS DISTINCT FROM old.user_id)) OR (new.is_creator IS DISTINCT FROM old.is_creator))) EXECUTE FUNCTION app.keep_membership_identity();

-- Name: family_units keep_slots; Type: TRIGGER; Schema: app
CREATE TRIGGER keep_slots AFTER UPDATE ON app.family_units FOR EACH ROW WHEN ((new.member_limit < old.member_limit)) EXECUTE FUNCTION app.keep_slots_within_limit();

-- Name: family_units limit_created; Type: TRIGGER; Schema: app
CREATE TRIGGER limit_created AFTER INSERT ON app.family_units FOR EACH ROW EXECUTE FUNCTION app.limit_families_created();

-- Name: family_members limit_families_of_new; Type: TRIGGER; Schema: app
CREATE TRIGGER limit_families_of_new AFTER INSERT ON app.family_members FOR EACH ROW WHEN (((new.user_kind = 'account'::text) AND (new.status <> 'removed'::text))) EXECUTE FUNCTION app.limit_families();

-- Name: family_members limit_families_of_returned; Type: TRIGGER; Schema: app
CREATE TRIGGER limit_families_of_returned AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((new.user_kind = 'account'::text) AND (old.status = 'removed'::text) AND (new.status <> 'removed'::text))) EXECUTE FUNCTION app.limit_families();

-- Name: family_units normalise; Type: TRIGGER; Schema: app
CREATE TRIGGER normalise BEFORE INSERT OR UPDATE OF family_name ON app.family_units FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.normalise_family();

-- Name: users normalise; Type: TRIGGER; Schema: app
CREATE TRIGGER normalise BEFORE UPDATE OF full_name, avatar_key ON app.users FOR EACH ROW WHEN ((CURRENT_USER <> 'hearth_owner'::name)) EXECUTE FUNCTION app.normalise_person();

-- Name: family_attributes note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE ON app.family_attributes FOR EACH ROW EXECUTE FUNCTION app.note_attributes();

-- Name: family_invitations note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER INSERT OR DELETE ON app.family_invitations FOR EACH ROW EXECUTE FUNCTION app.note_invitation();

-- Name: family_members note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER INSERT OR DELETE ON app.family_members FOR EACH ROW EXECUTE FUNCTION app.note_member();

-- Name: family_units note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER UPDATE ON app.family_units FOR EACH ROW WHEN ((new.* IS DISTINCT FROM old.*)) EXECUTE FUNCTION app.note_family();

-- Name: guardianships note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE ON app.guardianships FOR EACH ROW EXECUTE FUNCTION app.note_guardianship();

-- Name: member_preferences note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE ON app.member_preferences FOR EACH ROW EXECUTE FUNCTION app.note_preferences();

-- Name: users note_change; Type: TRIGGER; Schema: app
CREATE TRIGGER note_change AFTER UPDATE ON app.users FOR EACH ROW WHEN ((new.* IS DISTINCT FROM old.*)) EXECUTE FUNCTION app.note_user();

-- Name: family_members note_emptiness_changed; Type: TRIGGER; Schema: app
CREATE TRIGGER note_emptiness_changed AFTER UPDATE ON app.family_members FOR EACH ROW WHEN ((new.status <> old.status)) EXECUTE FUNCTION app.note_emptiness();

-- Name: family_members note_emptiness_new; Type: TRIGGER; Schema: app
CREATE TRIGGER note_emptiness_new AFTER INSERT ON app.family_members FOR EACH ROW WHEN ((new.status = 'active'::text)) EXECUTE FUNCTION app.note_emptiness();

-- Name: users note_new; Type: TRIGGER; Schema: app
CREATE TRIGGER note_new AFTER INSERT ON app.users FOR EACH ROW WHEN (new.email_verified) EXECUTE FUNCTION app.note_new_user();

-- Name: family_members note_role; Type: TRIGGER; Schema: app
CREATE TRIGGER note_role AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((old.status = 'active'::text) AND ((new.status IS DISTINCT FROM old.status) OR (new.household_role IS DISTINCT FROM old.household_role)))) EXECUTE FUNCTION app.note_role_change();

-- Name: family_invitations note_update; Type: TRIGGER; Schema: app
CREATE TRIGGER note_update AFTER UPDATE ON app.family_invitations FOR EACH ROW WHEN ((new.* IS DISTINCT FROM old.*)) EXECUTE FUNCTION app.note_invitation();

-- Name: family_members note_update; Type: TRIGGER; Schema: app
CREATE TRIGGER note_update AFTER UPDATE ON app.family_members FOR EACH ROW WHEN ((new.* IS DISTINCT FROM old.*)) EXECUTE FUNCTION app.note_member();

-- Name: family_members primary_guardian_changed; Type: TRIGGER; Schema: app
CREATE TRIGGER primary_guardian_changed AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((new.active_guardian_id IS NOT NULL) AND (new.active_guardian_id IS DISTINCT FROM old.active_guardian_id))) EXECUTE FUNCTION app.note_primary_guardian();

-- Name: family_members primary_guardian_new; Type: TRIGGER; Schema: app
CREATE TRIGGER primary_guardian_new AFTER INSERT ON app.family_members FOR EACH ROW WHEN ((new.active_guardian_id IS NOT NULL)) EXECUTE FUNCTION app.note_primary_guardian();

-- Name: family_attributes raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR DELETE OR UPDATE ON app.family_attributes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: family_invitations raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR DELETE OR UPDATE ON app.family_invitations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: family_members raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR DELETE OR UPDATE ON app.family_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: family_units raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR DELETE OR UPDATE ON app.family_units DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: guardianships raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR DELETE OR UPDATE ON app.guardianships DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: member_preferences raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER INSERT OR DELETE OR UPDATE ON app.member_preferences DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: users raise_versions; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions AFTER UPDATE ON app.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: users raise_versions_of_new; Type: TRIGGER; Schema: app
CREATE CONSTRAINT TRIGGER raise_versions_of_new AFTER INSERT ON app.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.email_verified) EXECUTE FUNCTION app.raise_versions_at_commit();

-- Name: member_preferences sign; Type: TRIGGER; Schema: app
CREATE TRIGGER sign BEFORE INSERT OR UPDATE OF preferences, updated_at, updated_by ON app.member_preferences FOR EACH ROW EXECUTE FUNCTION app.sign_preferences();

-- Name: family_members slot_changed; Type: TRIGGER; Schema: app
CREATE TRIGGER slot_changed BEFORE UPDATE ON app.family_members FOR EACH ROW WHEN (((new.status IS DISTINCT FROM old.status) OR (new.slot IS DISTINCT FROM old.slot))) EXECUTE FUNCTION app.give_changed_member_slot();

-- Name: family_members slot_new; Type: TRIGGER; Schema: app
CREATE TRIGGER slot_new BEFORE INSERT ON app.family_members FOR EACH ROW EXECUTE FUNCTION app.give_new_member_slot();

-- Name: family_invitations tell_of_answered_invitation; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_answered_invitation AFTER UPDATE ON app.family_invitations FOR EACH ROW WHEN (((old.status = 'pending'::text) AND (new.status = ANY (ARRAY['accepted'::text, 'declined'::text])))) EXECUTE FUNCTION app.tell_of_invitation();

-- Name: family_units tell_of_changed_family; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_changed_family AFTER UPDATE ON app.family_units FOR EACH ROW WHEN (((((((new.family_name IS DISTINCT FROM old.family_name) OR (new.home_latitude IS DISTINCT FROM old.home_latitude)) OR (new.home_longitude IS DISTINCT FROM old.home_longitude)) OR (new.player_details IS DISTINCT FROM old.player_details)) OR (new.approval_required IS DISTINCT FROM old.approval_required)) OR (new.member_limit IS DISTINCT FROM old.member_limit))) EXECUTE FUNCTION app.tell_of_family();

-- Name: family_members tell_of_changed_member; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_changed_member AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((old.status = 'active'::text) AND ((new.status <> old.status) OR (new.user_id <> old.user_id) OR ((new.role <> old.role) OR (new.household_role <> old.household_role))))) EXECUTE FUNCTION app.tell_of_changed_member();

-- Name: users tell_of_erased_user; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_erased_user AFTER UPDATE ON app.users FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION app.tell_of_erased_user();

-- Name: family_units tell_of_new_family; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_new_family AFTER INSERT ON app.family_units FOR EACH ROW EXECUTE FUNCTION app.tell_of_family();

-- Name: family_invitations tell_of_new_invitation; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_new_invitation AFTER INSERT ON app.family_invitations FOR EACH ROW WHEN ((new.status = 'pending'::text)) EXECUTE FUNCTION app.tell_of_invitation();

-- Name: family_members tell_of_new_member; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_new_member AFTER INSERT ON app.family_members FOR EACH ROW WHEN ((new.status = 'active'::text)) EXECUTE FUNCTION app.tell_of_new_member();

-- Name: family_members tell_of_returned_member; Type: TRIGGER; Schema: app
CREATE TRIGGER tell_of_returned_member AFTER UPDATE ON app.family_members FOR EACH ROW WHEN (((old.status <> 'active'::text) AND (new.status = 'active'::text))) EXECUTE FUNCTION app.tell_of_new_member();

-- Name: family_members touch; Type: TRIGGER; Schema: app
CREATE TRIGGER touch BEFORE UPDATE ON app.family_members FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Name: family_units touch; Type: TRIGGER; Schema: app
CREATE TRIGGER touch BEFORE UPDATE ON app.family_units FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Name: trusted_issuers touch; Type: TRIGGER; Schema: app
CREATE TRIGGER touch BEFORE UPDATE ON app.trusted_issuers FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Name: users touch; Type: TRIGGER; Schema: app
CREATE TRIGGER touch BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Name: code_lookups code_lookups_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.code_lookups
    ADD CONSTRAINT code_lookups_user_fkey FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

-- Name: consents consents_child_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.consents
    ADD CONSTRAINT consents_child_fkey FOREIGN KEY (family_unit_id, member_id) REFERENCES app.family_members(family_unit_id, id) ON DELETE CASCADE;

-- Name: email_sign_ins email_sign_ins_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.email_sign_ins
    ADD CONSTRAINT email_sign_ins_user_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: family_attributes family_attributes_family_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_attributes
    ADD CONSTRAINT family_attributes_family_fkey FOREIGN KEY (family_unit_id) REFERENCES app.family_units(id) ON DELETE CASCADE;

-- Name: family_codes family_codes_family_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_codes
    ADD CONSTRAINT family_codes_family_fkey FOREIGN KEY (family_unit_id) REFERENCES app.family_units(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

-- Name: family_invitations family_invitations_accepted_by_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_invitations
    ADD CONSTRAINT family_invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES app.users(id);

-- Name: family_invitations family_invitations_family_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_invitations
    ADD CONSTRAINT family_invitations_family_fkey FOREIGN KEY (family_unit_id) REFERENCES app.family_units(id) ON DELETE CASCADE;

-- Name: family_invitations family_invitations_graduate_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_invitations
    ADD CONSTRAINT family_invitations_graduate_fkey FOREIGN KEY (family_unit_id, graduate_id) REFERENCES app.family_members(family_unit_id, id) ON DELETE CASCADE;

-- Name: family_invitations family_invitations_invited_by_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_invitations
    ADD CONSTRAINT family_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES app.users(id);

-- Name: family_members family_members_family_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_family_fkey FOREIGN KEY (family_unit_id) REFERENCES app.family_units(id) ON DELETE CASCADE;

-- Name: family_members family_members_guardian_is_active_adult; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_guardian_is_active_adult FOREIGN KEY (family_unit_id, active_guardian_id) REFERENCES app.family_members(family_unit_id, active_adult_user_id) DEFERRABLE INITIALLY DEFERRED;

-- Name: family_members family_members_primary_guardian_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_primary_guardian_fkey FOREIGN KEY (id, active_guardian_id) REFERENCES app.guardianships(member_id, guardian_user_id) DEFERRABLE INITIALLY DEFERRED;

-- Name: family_members family_members_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_user_fkey FOREIGN KEY (user_id) REFERENCES app.users(id);

-- Name: family_members family_members_user_kind_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_members
    ADD CONSTRAINT family_members_user_kind_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind);

-- Name: family_units family_units_code_is_live; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_units
    ADD CONSTRAINT family_units_code_is_live FOREIGN KEY (id, family_code, code_state) REFERENCES app.family_codes(family_unit_id, code, state) DEFERRABLE INITIALLY DEFERRED;

-- Name: family_units family_units_created_by_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_units
    ADD CONSTRAINT family_units_created_by_fkey FOREIGN KEY (created_by_user_id, created_by_kind) REFERENCES app.users(id, kind);

-- Name: family_versions family_versions_family_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.family_versions
    ADD CONSTRAINT family_versions_family_fkey FOREIGN KEY (family_unit_id) REFERENCES app.family_units(id) ON DELETE CASCADE;

-- Name: guardianships guardianships_child_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.guardianships
    ADD CONSTRAINT guardianships_child_fkey FOREIGN KEY (family_unit_id, member_id) REFERENCES app.family_members(family_unit_id, id) ON DELETE CASCADE;

-- Name: guardianships guardianships_guardian_is_active_adult; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.guardianships
    ADD CONSTRAINT guardianships_guardian_is_active_adult FOREIGN KEY (family_unit_id, guardian_user_id) REFERENCES app.family_members(family_unit_id, active_adult_user_id) DEFERRABLE INITIALLY DEFERRED;

-- Name: invitation_secrets invitation_secrets_invitation_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.invitation_secrets
    ADD CONSTRAINT invitation_secrets_invitation_fkey FOREIGN KEY (invitation_id) REFERENCES app.family_invitations(id) ON DELETE CASCADE;

-- Name: member_preferences member_preferences_member_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.member_preferences
    ADD CONSTRAINT member_preferences_member_fkey FOREIGN KEY (family_unit_id, user_id) REFERENCES app.family_members(family_unit_id, user_id) ON UPDATE CASCADE ON DELETE CASCADE;

-- Name: passkeys passkeys_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.passkeys
    ADD CONSTRAINT passkeys_user_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: passwords passwords_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.passwords
    ADD CONSTRAINT passwords_user_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: provider_tokens provider_tokens_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.provider_tokens
    ADD CONSTRAINT provider_tokens_user_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: refresh_tokens refresh_tokens_session_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.refresh_tokens
    ADD CONSTRAINT refresh_tokens_session_fkey FOREIGN KEY (session_id) REFERENCES app.sessions(id) ON DELETE CASCADE;

-- Name: refused_invitations refused_invitations_family_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.refused_invitations
    ADD CONSTRAINT refused_invitations_family_fkey FOREIGN KEY (family_unit_id) REFERENCES app.family_units(id) ON DELETE CASCADE;

-- Name: role_changes role_changes_member_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.role_changes
    ADD CONSTRAINT role_changes_member_fkey FOREIGN KEY (member_id) REFERENCES app.family_members(id) ON DELETE CASCADE;

-- Name: role_conflicts role_conflicts_member_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.role_conflicts
    ADD CONSTRAINT role_conflicts_member_fkey FOREIGN KEY (member_id) REFERENCES app.family_members(id) ON DELETE CASCADE;

-- Name: role_conflicts role_conflicts_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.role_conflicts
    ADD CONSTRAINT role_conflicts_user_fkey FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

-- Name: sessions sessions_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.sessions
    ADD CONSTRAINT sessions_user_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: user_aliases user_aliases_account_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_aliases
    ADD CONSTRAINT user_aliases_account_fkey FOREIGN KEY (account_id, account_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: user_aliases user_aliases_alias_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_aliases
    ADD CONSTRAINT user_aliases_alias_fkey FOREIGN KEY (alias_id, alias_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: user_identities user_identities_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_identities
    ADD CONSTRAINT user_identities_user_fkey FOREIGN KEY (user_id, user_kind) REFERENCES app.users(id, kind) ON DELETE CASCADE;

-- Name: user_versions user_versions_user_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.user_versions
    ADD CONSTRAINT user_versions_user_fkey FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

-- Name: webhook_deliveries webhook_deliveries_endpoint_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_fkey FOREIGN KEY (endpoint_id) REFERENCES app.webhook_endpoints(id) ON DELETE CASCADE;

-- Name: webhook_deliveries webhook_deliveries_event_fkey; Type: FK CONSTRAINT; Schema: app
ALTER TABLE ONLY app.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event_fkey FOREIGN KEY (event_number) REFERENCES app.webhook_events(number) ON DELETE CASCADE;

-- Name: answered_challenges; Type: ROW SECURITY; Schema: app
ALTER TABLE app.answered_challenges ENABLE ROW LEVEL SECURITY;

-- Name: answered_challenges answered_challenges_owner; Type: POLICY; Schema: app
CREATE POLICY answered_challenges_owner ON app.answered_challenges TO hearth_owner USING (true) WITH CHECK (true);

-- Name: audit_exports; Type: ROW SECURITY; Schema: app
ALTER TABLE app.audit_exports ENABLE ROW LEVEL SECURITY;

-- Name: audit_exports audit_exports_owner; Type: POLICY; Schema: app
CREATE POLICY audit_exports_owner ON app.audit_exports TO hearth_owner USING (true) WITH CHECK (true);

-- Name: audit_log; Type: ROW SECURITY; Schema: app
ALTER TABLE app.audit_log ENABLE ROW LEVEL SECURITY;

-- Name: audit_log audit_log_authz; Type: POLICY; Schema: app
CREATE POLICY audit_log_authz ON app.audit_log FOR SELECT TO hearth_authz USING (true);

-- Name: audit_log audit_log_operator_reads; Type: POLICY; Schema: app
CREATE POLICY audit_log_operator_reads ON app.audit_log FOR SELECT TO hearth_admin USING (true);

-- Name: audit_log_other; Type: ROW SECURITY; Schema: app
ALTER TABLE app.audit_log_other ENABLE ROW LEVEL SECURITY;

-- Name: audit_log audit_log_owner_append; Type: POLICY; Schema: app
CREATE POLICY audit_log_owner_append ON app.audit_log FOR INSERT TO hearth_owner WITH CHECK (true);

-- Name: audit_log audit_log_owner_purge; Type: POLICY; Schema: app
CREATE POLICY audit_log_owner_purge ON app.audit_log FOR DELETE TO hearth_owner USING (true);

-- Name: audit_log audit_log_owner_read; Type: POLICY; Schema: app
CREATE POLICY audit_log_owner_read ON app.audit_log FOR SELECT TO hearth_owner USING (true);

-- Name: automatic_approval; Type: ROW SECURITY; Schema: app
ALTER TABLE app.automatic_approval ENABLE ROW LEVEL SECURITY;

-- Name: automatic_approval automatic_approval_owner; Type: POLICY; Schema: app
CREATE POLICY automatic_approval_owner ON app.automatic_approval TO hearth_owner USING (true) WITH CHECK (true);

-- Name: code_lookups; Type: ROW SECURITY; Schema: app
ALTER TABLE app.code_lookups ENABLE ROW LEVEL SECURITY;

-- Name: code_lookups code_lookups_owner; Type: POLICY; Schema: app
CREATE POLICY code_lookups_owner ON app.code_lookups TO hearth_owner USING (true) WITH CHECK (true);

-- Name: code_settings; Type: ROW SECURITY; Schema: app
ALTER TABLE app.code_settings ENABLE ROW LEVEL SECURITY;

-- Name: code_settings code_settings_owner; Type: POLICY; Schema: app
CREATE POLICY code_settings_owner ON app.code_settings TO hearth_owner USING (true) WITH CHECK (true);

-- Name: consent_purposes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.consent_purposes ENABLE ROW LEVEL SECURITY;

-- Name: consent_purposes consent_purposes_authz; Type: POLICY; Schema: app
CREATE POLICY consent_purposes_authz ON app.consent_purposes FOR SELECT TO hearth_authz USING (true);

-- Name: consent_purposes consent_purposes_operator_reads; Type: POLICY; Schema: app
CREATE POLICY consent_purposes_operator_reads ON app.consent_purposes FOR SELECT TO hearth_admin USING (true);

-- Name: consent_purposes consent_purposes_owner; Type: POLICY; Schema: app
CREATE POLICY consent_purposes_owner ON app.consent_purposes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: consents; Type: ROW SECURITY; Schema: app
ALTER TABLE app.consents ENABLE ROW LEVEL SECURITY;

-- Name: consents consents_authz; Type: POLICY; Schema: app
CREATE POLICY consents_authz ON app.consents FOR SELECT TO hearth_authz USING (true);

-- Name: consents consents_guardian_reads; Type: POLICY; Schema: app
CREATE POLICY consents_guardian_reads ON app.consents FOR SELECT TO hearth_api USING ((member_id = ANY (ARRAY( SELECT w.user_id
   FROM app.children_of_account w))));

-- Name: consents consents_operator_reads; Type: POLICY; Schema: app
CREATE POLICY consents_operator_reads ON app.consents FOR SELECT TO hearth_admin USING (true);

-- Name: consents consents_owner; Type: POLICY; Schema: app
CREATE POLICY consents_owner ON app.consents TO hearth_owner USING (true) WITH CHECK (true);

-- Name: email_sign_ins; Type: ROW SECURITY; Schema: app
ALTER TABLE app.email_sign_ins ENABLE ROW LEVEL SECURITY;

-- Name: email_sign_ins email_sign_ins_owner; Type: POLICY; Schema: app
CREATE POLICY email_sign_ins_owner ON app.email_sign_ins TO hearth_owner USING (true) WITH CHECK (true);

-- Name: erasures; Type: ROW SECURITY; Schema: app
ALTER TABLE app.erasures ENABLE ROW LEVEL SECURITY;

-- Name: erasures erasures_owner; Type: POLICY; Schema: app
CREATE POLICY erasures_owner ON app.erasures TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_attributes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_attributes ENABLE ROW LEVEL SECURITY;

-- Name: family_attributes family_attributes_owner; Type: POLICY; Schema: app
CREATE POLICY family_attributes_owner ON app.family_attributes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_attributes family_attributes_resident_reads; Type: POLICY; Schema: app
CREATE POLICY family_attributes_resident_reads ON app.family_attributes FOR SELECT TO hearth_api USING ((family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_resident_families f))));

-- Name: family_changes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_changes ENABLE ROW LEVEL SECURITY;

-- Name: family_changes family_changes_audience_reads; Type: POLICY; Schema: app
CREATE POLICY family_changes_audience_reads ON app.family_changes FOR SELECT TO hearth_api USING (
CASE audience
    WHEN 'members'::text THEN (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
       FROM app.my_families f)))
    WHEN 'own'::text THEN (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
       FROM app.resident_families_of_account f)))
    WHEN 'residents'::text THEN (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
       FROM app.my_resident_families f)))
    WHEN 'trusting'::text THEN (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
       FROM app.my_trusting_families f)))
    WHEN 'governors'::text THEN (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
       FROM app.my_governed_families f)))
    ELSE NULL::boolean
END);

-- Name: family_changes family_changes_owner; Type: POLICY; Schema: app
CREATE POLICY family_changes_owner ON app.family_changes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_code_usage_log; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_code_usage_log ENABLE ROW LEVEL SECURITY;

-- Name: family_code_usage_log family_code_usage_log_operator_reads; Type: POLICY; Schema: app
CREATE POLICY family_code_usage_log_operator_reads ON app.family_code_usage_log FOR SELECT TO hearth_admin USING (true);

-- Name: family_code_usage_log family_code_usage_log_owner; Type: POLICY; Schema: app
CREATE POLICY family_code_usage_log_owner ON app.family_code_usage_log TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_codes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_codes ENABLE ROW LEVEL SECURITY;

-- Name: family_codes family_codes_operator_reads; Type: POLICY; Schema: app
CREATE POLICY family_codes_operator_reads ON app.family_codes FOR SELECT TO hearth_admin USING (true);

-- Name: family_codes family_codes_owner; Type: POLICY; Schema: app
CREATE POLICY family_codes_owner ON app.family_codes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_invitations; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_invitations ENABLE ROW LEVEL SECURITY;

-- Name: family_invitations family_invitations_authz; Type: POLICY; Schema: app
CREATE POLICY family_invitations_authz ON app.family_invitations FOR SELECT TO hearth_authz USING (true);

-- Name: family_invitations family_invitations_inviter_or_governor_deletes; Type: POLICY; Schema: app
CREATE POLICY family_invitations_inviter_or_governor_deletes ON app.family_invitations FOR DELETE TO authenticated USING (((status = 'pending'::text) AND (((invited_by = ( SELECT app.account_id() AS account_id)) AND (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_trusting_families f)))) OR (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_governed_families f))))));

-- Name: family_invitations family_invitations_member_reads; Type: POLICY; Schema: app
CREATE POLICY family_invitations_member_reads ON app.family_invitations FOR SELECT TO authenticated, hearth_api USING ((family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.resident_families_of_account f))));

-- Name: family_invitations family_invitations_operator_reads; Type: POLICY; Schema: app
CREATE POLICY family_invitations_operator_reads ON app.family_invitations FOR SELECT TO hearth_admin USING (true);

-- Name: family_invitations family_invitations_owner; Type: POLICY; Schema: app
CREATE POLICY family_invitations_owner ON app.family_invitations TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_members; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_members ENABLE ROW LEVEL SECURITY;

-- Name: family_members family_members_authz; Type: POLICY; Schema: app
CREATE POLICY family_members_authz ON app.family_members FOR SELECT TO hearth_authz USING (true);

-- Name: family_members family_members_creator_enters; Type: POLICY; Schema: app
CREATE POLICY family_members_creator_enters ON app.family_members FOR INSERT TO authenticated WITH CHECK (((user_id = ( SELECT app.account_id() AS account_id)) AND (status = 'active'::text) AND (joined_via = 'created'::text) AND (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_memberless_families f)))));

-- Name: family_members family_members_family_reads; Type: POLICY; Schema: app
CREATE POLICY family_members_family_reads ON app.family_members FOR SELECT TO authenticated, hearth_api USING ((((status = 'active'::text) AND (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_families f)))) OR (user_id = ( SELECT app.user_id() AS user_id))));

-- Name: family_members family_members_operator_reads; Type: POLICY; Schema: app
CREATE POLICY family_members_operator_reads ON app.family_members FOR SELECT TO hearth_admin USING (true);

-- Name: family_members family_members_owner; Type: POLICY; Schema: app
CREATE POLICY family_members_owner ON app.family_members TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_units; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_units ENABLE ROW LEVEL SECURITY;

-- Name: family_units family_units_account_creates; Type: POLICY; Schema: app
CREATE POLICY family_units_account_creates ON app.family_units FOR INSERT TO authenticated WITH CHECK ((created_by_user_id = ( SELECT app.account_id() AS account_id)));

-- Name: family_units family_units_authz; Type: POLICY; Schema: app
CREATE POLICY family_units_authz ON app.family_units FOR SELECT TO hearth_authz USING (true);

-- Name: family_units family_units_creator_reads_memberless; Type: POLICY; Schema: app
CREATE POLICY family_units_creator_reads_memberless ON app.family_units FOR SELECT TO authenticated USING ((id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_memberless_families f))));

-- Name: family_units family_units_governor_changes; Type: POLICY; Schema: app
CREATE POLICY family_units_governor_changes ON app.family_units FOR UPDATE TO authenticated, hearth_api USING ((id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_governed_families f)))) WITH CHECK ((id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_governed_families f))));

-- Name: family_units family_units_member_reads; Type: POLICY; Schema: app
CREATE POLICY family_units_member_reads ON app.family_units FOR SELECT TO authenticated, hearth_api USING ((id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_families f))));

-- Name: family_units family_units_operator_reads; Type: POLICY; Schema: app
CREATE POLICY family_units_operator_reads ON app.family_units FOR SELECT TO hearth_admin USING (true);

-- Name: family_units family_units_owner; Type: POLICY; Schema: app
CREATE POLICY family_units_owner ON app.family_units TO hearth_owner USING (true) WITH CHECK (true);

-- Name: family_versions; Type: ROW SECURITY; Schema: app
ALTER TABLE app.family_versions ENABLE ROW LEVEL SECURITY;

-- Name: family_versions family_versions_authz; Type: POLICY; Schema: app
CREATE POLICY family_versions_authz ON app.family_versions FOR SELECT TO hearth_authz USING (true);

-- Name: family_versions family_versions_member_reads; Type: POLICY; Schema: app
CREATE POLICY family_versions_member_reads ON app.family_versions FOR SELECT TO hearth_api USING ((family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_families f))));

-- Name: family_versions family_versions_owner; Type: POLICY; Schema: app
CREATE POLICY family_versions_owner ON app.family_versions TO hearth_owner USING (true) WITH CHECK (true);

-- Name: guardianships; Type: ROW SECURITY; Schema: app
ALTER TABLE app.guardianships ENABLE ROW LEVEL SECURITY;

-- Name: guardianships guardianships_authz; Type: POLICY; Schema: app
CREATE POLICY guardianships_authz ON app.guardianships FOR SELECT TO hearth_authz USING (true);

-- Name: guardianships guardianships_family_reads; Type: POLICY; Schema: app
CREATE POLICY guardianships_family_reads ON app.guardianships FOR SELECT TO authenticated, hearth_api USING ((family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_families f))));

-- Name: guardianships guardianships_operator_reads; Type: POLICY; Schema: app
CREATE POLICY guardianships_operator_reads ON app.guardianships FOR SELECT TO hearth_admin USING (true);

-- Name: guardianships guardianships_owner; Type: POLICY; Schema: app
CREATE POLICY guardianships_owner ON app.guardianships TO hearth_owner USING (true) WITH CHECK (true);

-- Name: idempotency_keys; Type: ROW SECURITY; Schema: app
ALTER TABLE app.idempotency_keys ENABLE ROW LEVEL SECURITY;

-- Name: idempotency_keys idempotency_keys_owner; Type: POLICY; Schema: app
CREATE POLICY idempotency_keys_owner ON app.idempotency_keys TO hearth_owner USING (true) WITH CHECK (true);

-- Name: invitation_secrets; Type: ROW SECURITY; Schema: app
ALTER TABLE app.invitation_secrets ENABLE ROW LEVEL SECURITY;

-- Name: invitation_secrets invitation_secrets_owner; Type: POLICY; Schema: app
CREATE POLICY invitation_secrets_owner ON app.invitation_secrets TO hearth_owner USING (true) WITH CHECK (true);

-- Name: mailed_tickets; Type: ROW SECURITY; Schema: app
ALTER TABLE app.mailed_tickets ENABLE ROW LEVEL SECURITY;

-- Name: mailed_tickets mailed_tickets_owner; Type: POLICY; Schema: app
CREATE POLICY mailed_tickets_owner ON app.mailed_tickets TO hearth_owner USING (true) WITH CHECK (true);

-- Name: member_preferences; Type: ROW SECURITY; Schema: app
ALTER TABLE app.member_preferences ENABLE ROW LEVEL SECURITY;

-- Name: member_preferences member_preferences_owner; Type: POLICY; Schema: app
CREATE POLICY member_preferences_owner ON app.member_preferences TO hearth_owner USING (true) WITH CHECK (true);

-- Name: member_preferences member_preferences_self_or_guardian; Type: POLICY; Schema: app
CREATE POLICY member_preferences_self_or_guardian ON app.member_preferences TO hearth_api USING ((((user_id = ( SELECT app.account_id() AS account_id)) OR (user_id = ANY (ARRAY( SELECT c.user_id
   FROM app.children_of_actor c)))) AND (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_families f))))) WITH CHECK ((((user_id = ( SELECT app.account_id() AS account_id)) OR ((user_id = ANY (ARRAY( SELECT c.user_id
   FROM app.children_of_actor c))) AND (user_id <> ALL (ARRAY( SELECT c.user_id
   FROM app.children_of_actor_without_consent c))))) AND (family_unit_id = ANY (ARRAY( SELECT f.family_unit_id
   FROM app.my_families f)))));

-- Name: passkeys; Type: ROW SECURITY; Schema: app
ALTER TABLE app.passkeys ENABLE ROW LEVEL SECURITY;

-- Name: passkeys passkeys_owner; Type: POLICY; Schema: app
CREATE POLICY passkeys_owner ON app.passkeys TO hearth_owner USING (true) WITH CHECK (true);

-- Name: passwords; Type: ROW SECURITY; Schema: app
ALTER TABLE app.passwords ENABLE ROW LEVEL SECURITY;

-- Name: passwords passwords_owner; Type: POLICY; Schema: app
CREATE POLICY passwords_owner ON app.passwords TO hearth_owner USING (true) WITH CHECK (true);

-- Name: provider_tokens; Type: ROW SECURITY; Schema: app
ALTER TABLE app.provider_tokens ENABLE ROW LEVEL SECURITY;

-- Name: provider_tokens provider_tokens_owner; Type: POLICY; Schema: app
CREATE POLICY provider_tokens_owner ON app.provider_tokens TO hearth_owner USING (true) WITH CHECK (true);

-- Name: rate_limits; Type: ROW SECURITY; Schema: app
ALTER TABLE app.rate_limits ENABLE ROW LEVEL SECURITY;

-- Name: rate_limits rate_limits_owner; Type: POLICY; Schema: app
CREATE POLICY rate_limits_owner ON app.rate_limits TO hearth_owner USING (true) WITH CHECK (true);

-- Name: refresh_tokens; Type: ROW SECURITY; Schema: app
ALTER TABLE app.refresh_tokens ENABLE ROW LEVEL SECURITY;

-- Name: refresh_tokens refresh_tokens_owner; Type: POLICY; Schema: app
CREATE POLICY refresh_tokens_owner ON app.refresh_tokens TO hearth_owner USING (true) WITH CHECK (true);

-- Name: refused_invitations; Type: ROW SECURITY; Schema: app
ALTER TABLE app.refused_invitations ENABLE ROW LEVEL SECURITY;

-- Name: refused_invitations refused_invitations_operator_reads; Type: POLICY; Schema: app
CREATE POLICY refused_invitations_operator_reads ON app.refused_invitations FOR SELECT TO hearth_admin USING (true);

-- Name: refused_invitations refused_invitations_owner; Type: POLICY; Schema: app
CREATE POLICY refused_invitations_owner ON app.refused_invitations TO hearth_owner USING (true) WITH CHECK (true);

-- Name: role_changes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.role_changes ENABLE ROW LEVEL SECURITY;

-- Name: role_changes role_changes_owner; Type: POLICY; Schema: app
CREATE POLICY role_changes_owner ON app.role_changes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: role_conflicts; Type: ROW SECURITY; Schema: app
ALTER TABLE app.role_conflicts ENABLE ROW LEVEL SECURITY;

-- Name: role_conflicts role_conflicts_author_reads; Type: POLICY; Schema: app
CREATE POLICY role_conflicts_author_reads ON app.role_conflicts FOR SELECT TO hearth_api USING ((user_id = ( SELECT app.user_id() AS user_id)));

-- Name: role_conflicts role_conflicts_owner; Type: POLICY; Schema: app
CREATE POLICY role_conflicts_owner ON app.role_conflicts TO hearth_owner USING (true) WITH CHECK (true);

-- Name: sessions; Type: ROW SECURITY; Schema: app
ALTER TABLE app.sessions ENABLE ROW LEVEL SECURITY;

-- Name: sessions sessions_authz; Type: POLICY; Schema: app
CREATE POLICY sessions_authz ON app.sessions FOR SELECT TO hearth_authz USING (true);

-- Name: sessions sessions_operator_reads; Type: POLICY; Schema: app
CREATE POLICY sessions_operator_reads ON app.sessions FOR SELECT TO hearth_admin USING (true);

-- Name: sessions sessions_owner; Type: POLICY; Schema: app
CREATE POLICY sessions_owner ON app.sessions TO hearth_owner USING (true) WITH CHECK (true);

-- Name: standby_readers; Type: ROW SECURITY; Schema: app
ALTER TABLE app.standby_readers ENABLE ROW LEVEL SECURITY;

-- Name: standby_readers standby_readers_api_reads; Type: POLICY; Schema: app
CREATE POLICY standby_readers_api_reads ON app.standby_readers FOR SELECT TO hearth_api USING (true);

-- Name: standby_readers standby_readers_owner; Type: POLICY; Schema: app
CREATE POLICY standby_readers_owner ON app.standby_readers TO hearth_owner USING (true) WITH CHECK (true);

-- Name: suppressed_addresses; Type: ROW SECURITY; Schema: app
ALTER TABLE app.suppressed_addresses ENABLE ROW LEVEL SECURITY;

-- Name: suppressed_addresses suppressed_addresses_operator_reads; Type: POLICY; Schema: app
CREATE POLICY suppressed_addresses_operator_reads ON app.suppressed_addresses FOR SELECT TO hearth_admin USING (true);

-- Name: suppressed_addresses suppressed_addresses_owner; Type: POLICY; Schema: app
CREATE POLICY suppressed_addresses_owner ON app.suppressed_addresses TO hearth_owner USING (true) WITH CHECK (true);

-- Name: trusted_issuers; Type: ROW SECURITY; Schema: app
ALTER TABLE app.trusted_issuers ENABLE ROW LEVEL SECURITY;

-- Name: trusted_issuers trusted_issuers_admin; Type: POLICY; Schema: app
CREATE POLICY trusted_issuers_admin ON app.trusted_issuers TO hearth_admin USING (true) WITH CHECK (true);

-- Name: trusted_issuers trusted_issuers_owner; Type: POLICY; Schema: app
CREATE POLICY trusted_issuers_owner ON app.trusted_issuers TO hearth_owner USING (true) WITH CHECK (true);

-- Name: user_aliases; Type: ROW SECURITY; Schema: app
ALTER TABLE app.user_aliases ENABLE ROW LEVEL SECURITY;

-- Name: user_aliases user_aliases_authz; Type: POLICY; Schema: app
CREATE POLICY user_aliases_authz ON app.user_aliases FOR SELECT TO hearth_authz USING (true);

-- Name: user_aliases user_aliases_operator_reads; Type: POLICY; Schema: app
CREATE POLICY user_aliases_operator_reads ON app.user_aliases FOR SELECT TO hearth_admin USING (true);

-- Name: user_aliases user_aliases_owner; Type: POLICY; Schema: app
CREATE POLICY user_aliases_owner ON app.user_aliases TO hearth_owner USING (true) WITH CHECK (true);

-- Name: user_changes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.user_changes ENABLE ROW LEVEL SECURITY;

-- Name: user_changes user_changes_owner; Type: POLICY; Schema: app
CREATE POLICY user_changes_owner ON app.user_changes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: user_changes user_changes_self_reads; Type: POLICY; Schema: app
CREATE POLICY user_changes_self_reads ON app.user_changes FOR SELECT TO hearth_api USING ((user_id = ( SELECT app.user_id() AS user_id)));

-- Name: user_identities; Type: ROW SECURITY; Schema: app
ALTER TABLE app.user_identities ENABLE ROW LEVEL SECURITY;

-- Name: user_identities user_identities_authz; Type: POLICY; Schema: app
CREATE POLICY user_identities_authz ON app.user_identities FOR SELECT TO hearth_authz USING (true);

-- Name: user_identities user_identities_operator_reads; Type: POLICY; Schema: app
CREATE POLICY user_identities_operator_reads ON app.user_identities FOR SELECT TO hearth_admin USING (true);

-- Name: user_identities user_identities_owner; Type: POLICY; Schema: app
CREATE POLICY user_identities_owner ON app.user_identities TO hearth_owner USING (true) WITH CHECK (true);

-- Name: user_versions; Type: ROW SECURITY; Schema: app
ALTER TABLE app.user_versions ENABLE ROW LEVEL SECURITY;

-- Name: user_versions user_versions_authz; Type: POLICY; Schema: app
CREATE POLICY user_versions_authz ON app.user_versions FOR SELECT TO hearth_authz USING (true);

-- Name: user_versions user_versions_owner; Type: POLICY; Schema: app
CREATE POLICY user_versions_owner ON app.user_versions TO hearth_owner USING (true) WITH CHECK (true);

-- Name: user_versions user_versions_self_reads; Type: POLICY; Schema: app
CREATE POLICY user_versions_self_reads ON app.user_versions FOR SELECT TO hearth_api USING ((user_id = ( SELECT app.user_id() AS user_id)));

-- Name: users; Type: ROW SECURITY; Schema: app
ALTER TABLE app.users ENABLE ROW LEVEL SECURITY;

-- Name: users users_authz; Type: POLICY; Schema: app
CREATE POLICY users_authz ON app.users FOR SELECT TO hearth_authz USING (true);

-- Name: users users_operator_reads; Type: POLICY; Schema: app
CREATE POLICY users_operator_reads ON app.users FOR SELECT TO hearth_admin USING (true);

-- Name: users users_owner; Type: POLICY; Schema: app
CREATE POLICY users_owner ON app.users TO hearth_owner USING (true) WITH CHECK (true);

-- Name: users users_relative_reads; Type: POLICY; Schema: app
CREATE POLICY users_relative_reads ON app.users FOR SELECT TO authenticated, hearth_api USING (((id = ( SELECT app.user_id() AS user_id)) OR (id = ANY (ARRAY( SELECT r.user_id
   FROM app.my_relatives r)))));

-- Name: users users_self_or_guardian_changes; Type: POLICY; Schema: app
CREATE POLICY users_self_or_guardian_changes ON app.users FOR UPDATE TO authenticated, hearth_api USING (((deleted_at IS NULL) AND ((id = ( SELECT app.user_id() AS user_id)) OR (id = ANY (ARRAY( SELECT w.user_id
   FROM app.children_of_account w)))))) WITH CHECK (((id = ( SELECT app.user_id() AS user_id)) OR (id = ANY (ARRAY( SELECT w.user_id
   FROM app.children_of_account w)))));

-- Name: webhook_deliveries; Type: ROW SECURITY; Schema: app
ALTER TABLE app.webhook_deliveries ENABLE ROW LEVEL SECURITY;

-- Name: webhook_deliveries webhook_deliveries_operator_reads; Type: POLICY; Schema: app
CREATE POLICY webhook_deliveries_operator_reads ON app.webhook_deliveries FOR SELECT TO hearth_admin USING (true);

-- Name: webhook_deliveries webhook_deliveries_owner; Type: POLICY; Schema: app
CREATE POLICY webhook_deliveries_owner ON app.webhook_deliveries TO hearth_owner USING (true) WITH CHECK (true);

-- Name: webhook_endpoints; Type: ROW SECURITY; Schema: app
ALTER TABLE app.webhook_endpoints ENABLE ROW LEVEL SECURITY;

-- Name: webhook_endpoints webhook_endpoints_operator_reads; Type: POLICY; Schema: app
CREATE POLICY webhook_endpoints_operator_reads ON app.webhook_endpoints FOR SELECT TO hearth_admin USING (true);

-- Name: webhook_endpoints webhook_endpoints_owner; Type: POLICY; Schema: app
CREATE POLICY webhook_endpoints_owner ON app.webhook_endpoints TO hearth_owner USING (true) WITH CHECK (true);

-- Name: webhook_events; Type: ROW SECURITY; Schema: app
ALTER TABLE app.webhook_events ENABLE ROW LEVEL SECURITY;

-- Name: webhook_events webhook_events_operator_reads; Type: POLICY; Schema: app
CREATE POLICY webhook_events_operator_reads ON app.webhook_events FOR SELECT TO hearth_admin USING (true);

-- Name: webhook_events webhook_events_owner; Type: POLICY; Schema: app
CREATE POLICY webhook_events_owner ON app.webhook_events TO hearth_owner USING (true) WITH CHECK (true);

-- Name: wrong_code_hours; Type: ROW SECURITY; Schema: app
ALTER TABLE app.wrong_code_hours ENABLE ROW LEVEL SECURITY;

-- Name: wrong_code_hours wrong_code_hours_owner; Type: POLICY; Schema: app
CREATE POLICY wrong_code_hours_owner ON app.wrong_code_hours TO hearth_owner USING (true) WITH CHECK (true);

-- Name: wrong_codes; Type: ROW SECURITY; Schema: app
ALTER TABLE app.wrong_codes ENABLE ROW LEVEL SECURITY;

-- Name: wrong_codes wrong_codes_owner; Type: POLICY; Schema: app
CREATE POLICY wrong_codes_owner ON app.wrong_codes TO hearth_owner USING (true) WITH CHECK (true);

-- Name: SCHEMA api; Type: ACL; Schema: -
GRANT USAGE ON SCHEMA api TO authenticated;

-- Name: SCHEMA app; Type: ACL; Schema: -
GRANT USAGE ON SCHEMA app TO hearth_api;

GRANT USAGE ON SCHEMA app TO hearth_worker;

GRANT USAGE ON SCHEMA app TO hearth_admin;

GRANT CREATE ON SCHEMA app TO hearth_authz;

-- Name: SCHEMA gateway; Type: ACL; Schema: -
GRANT USAGE ON SCHEMA gateway TO authenticated;

-- Name: SCHEMA jobs; Type: ACL; Schema: -
GRANT USAGE ON SCHEMA jobs TO hearth_api;

GRANT USAGE ON SCHEMA jobs TO hearth_worker;

GRANT USAGE ON SCHEMA jobs TO hearth_admin;

-- Name: FUNCTION accept_invitation(p_token_hash bytea, p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.accept_invitation(p_token_hash bytea, p_invitation uuid) TO hearth_api;

-- Name: FUNCTION account_id(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.account_id() FROM PUBLIC;

GRANT ALL ON FUNCTION app.account_id() TO hearth_api;

GRANT ALL ON FUNCTION app.account_id() TO hearth_worker;

GRANT ALL ON FUNCTION app.account_id() TO hearth_admin;

GRANT ALL ON FUNCTION app.account_id() TO hearth_authz;

GRANT ALL ON FUNCTION app.account_id() TO authenticated;

-- Name: FUNCTION account_of_address(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.account_of_address(p_email text) FROM PUBLIC;

-- Name: FUNCTION actor_id(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.actor_id() FROM PUBLIC;

GRANT ALL ON FUNCTION app.actor_id() TO hearth_api;

GRANT ALL ON FUNCTION app.actor_id() TO hearth_worker;

GRANT ALL ON FUNCTION app.actor_id() TO hearth_admin;

GRANT ALL ON FUNCTION app.actor_id() TO hearth_authz;

GRANT ALL ON FUNCTION app.actor_id() TO authenticated;

-- Name: FUNCTION add_guardian(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.add_guardian(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.add_guardian(p_member uuid, p_guardian_member uuid) TO hearth_api;

-- Name: FUNCTION add_managed_member(p_family uuid, p_display_name text, p_avatar_key text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.add_managed_member(p_family uuid, p_display_name text, p_avatar_key text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.add_managed_member(p_family uuid, p_display_name text, p_avatar_key text) TO hearth_api;

-- Name: FUNCTION add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.add_my_passkey(p_token_issued_at bigint, p_credential_id bytea, p_public_key bytea, p_counter bigint, p_label text, p_model uuid, p_transports text[], p_is_backup_eligible boolean, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_mail jsonb) TO hearth_api;

-- Name: FUNCTION add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.add_sign_in(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_issued_at bigint) TO hearth_api;

-- Name: TABLE users; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.users TO hearth_authz;

-- Name: COLUMN users.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.users TO hearth_api;

GRANT SELECT(id) ON TABLE app.users TO authenticated;

GRANT SELECT(id) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.kind; Type: ACL; Schema: app
GRANT SELECT(kind) ON TABLE app.users TO hearth_api;

GRANT SELECT(kind) ON TABLE app.users TO authenticated;

GRANT SELECT(kind) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.email; Type: ACL; Schema: app
GRANT SELECT(email) ON TABLE app.users TO authenticated;

GRANT SELECT(email) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.email_verified; Type: ACL; Schema: app
GRANT SELECT(email_verified) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.full_name; Type: ACL; Schema: app
GRANT SELECT(full_name),UPDATE(full_name) ON TABLE app.users TO hearth_api;

GRANT SELECT(full_name),UPDATE(full_name) ON TABLE app.users TO authenticated;

GRANT SELECT(full_name) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.role; Type: ACL; Schema: app
GRANT SELECT(role) ON TABLE app.users TO hearth_api;

GRANT SELECT(role) ON TABLE app.users TO authenticated;

GRANT SELECT(role) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.avatar_key; Type: ACL; Schema: app
GRANT SELECT(avatar_key),UPDATE(avatar_key) ON TABLE app.users TO hearth_api;

GRANT SELECT(avatar_key),UPDATE(avatar_key) ON TABLE app.users TO authenticated;

GRANT SELECT(avatar_key) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.avatar_url; Type: ACL; Schema: app
GRANT SELECT(avatar_url),UPDATE(avatar_url) ON TABLE app.users TO hearth_api;

GRANT SELECT(avatar_url),UPDATE(avatar_url) ON TABLE app.users TO authenticated;

GRANT SELECT(avatar_url) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.created_at; Type: ACL; Schema: app
GRANT SELECT(created_at) ON TABLE app.users TO hearth_api;

GRANT SELECT(created_at) ON TABLE app.users TO authenticated;

GRANT SELECT(created_at) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.updated_at; Type: ACL; Schema: app
GRANT SELECT(updated_at) ON TABLE app.users TO hearth_api;

GRANT SELECT(updated_at) ON TABLE app.users TO authenticated;

GRANT SELECT(updated_at) ON TABLE app.users TO hearth_admin;

-- Name: COLUMN users.deleted_at; Type: ACL; Schema: app
GRANT SELECT(deleted_at) ON TABLE app.users TO hearth_admin;

-- Name: FUNCTION addresses_of(p_user app.users); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.addresses_of(p_user app.users) FROM PUBLIC;

-- Name: FUNCTION answer_challenge(p_challenge_hash bytea, p_expires timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.answer_challenge(p_challenge_hash bytea, p_expires timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION api_timestamp(p_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.api_timestamp(p_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION applied_migrations(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.applied_migrations() FROM PUBLIC;

GRANT ALL ON FUNCTION app.applied_migrations() TO hearth_admin;

-- Name: FUNCTION applied_repeatable_files(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.applied_repeatable_files() FROM PUBLIC;

GRANT ALL ON FUNCTION app.applied_repeatable_files() TO hearth_api;

-- Name: FUNCTION apply_code_settings(p_length integer, p_wrong_codes_a_minute integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.apply_code_settings(p_length integer, p_wrong_codes_a_minute integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.apply_code_settings(p_length integer, p_wrong_codes_a_minute integer) TO hearth_api;

-- Name: FUNCTION apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.apply_consent_purposes(p_purposes text[], p_versions text[], p_required text[]) TO hearth_api;

-- Name: FUNCTION approval_is_automatic(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.approval_is_automatic() FROM PUBLIC;

-- Name: FUNCTION approval_terms_of_code(p_code text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.approval_terms_of_code(p_code text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.approval_terms_of_code(p_code text) TO hearth_api;

-- Name: FUNCTION approve_member(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.approve_member(p_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.approve_member(p_member uuid) TO hearth_api;

-- Name: FUNCTION audit_cutoff(p_age interval, p_exported_only boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_cutoff(p_age interval, p_exported_only boolean) FROM PUBLIC;

-- Name: FUNCTION audit_exported_until(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_exported_until() FROM PUBLIC;

GRANT ALL ON FUNCTION app.audit_exported_until() TO hearth_admin;

-- Name: FUNCTION audit_family_statement(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_family_statement() FROM PUBLIC;

-- Name: FUNCTION audit_invitation_statement(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_invitation_statement() FROM PUBLIC;

-- Name: FUNCTION audit_issuer_statement(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_issuer_statement() FROM PUBLIC;

-- Name: FUNCTION audit_member_statement(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_member_statement() FROM PUBLIC;

-- Name: FUNCTION audit_months_missing(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_months_missing() FROM PUBLIC;

GRANT ALL ON FUNCTION app.audit_months_missing() TO hearth_admin;

-- Name: FUNCTION audit_months_without_part(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_months_without_part() FROM PUBLIC;

-- Name: FUNCTION audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.audit_page(p_family uuid, p_at timestamp with time zone, p_id uuid, p_limit integer) TO hearth_api;

-- Name: FUNCTION audit_parts(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_parts() FROM PUBLIC;

-- Name: FUNCTION audit_preferences_statement(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_preferences_statement() FROM PUBLIC;

-- Name: FUNCTION audit_statement_of_client(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_statement_of_client(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb) FROM PUBLIC;

-- Name: FUNCTION audit_user_statement(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.audit_user_statement() FROM PUBLIC;

-- Name: FUNCTION automatic_approval_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.automatic_approval_time() FROM PUBLIC;

-- Name: TABLE family_members; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_members TO hearth_authz;

GRANT SELECT ON TABLE app.family_members TO hearth_admin;

-- Name: COLUMN family_members.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(id),INSERT(id) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(family_unit_id),INSERT(family_unit_id) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.user_id; Type: ACL; Schema: app
GRANT SELECT(user_id) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(user_id),INSERT(user_id) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.user_kind; Type: ACL; Schema: app
GRANT SELECT(user_kind) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(user_kind) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.role; Type: ACL; Schema: app
GRANT SELECT(role) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(role),INSERT(role) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.household_role; Type: ACL; Schema: app
GRANT SELECT(household_role) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(household_role) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.status; Type: ACL; Schema: app
GRANT SELECT(status) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(status) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.parent_user_id; Type: ACL; Schema: app
GRANT SELECT(parent_user_id) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(parent_user_id) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.joined_via; Type: ACL; Schema: app
GRANT SELECT(joined_via) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(joined_via) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.added_at; Type: ACL; Schema: app
GRANT SELECT(added_at) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(added_at) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.removed_at; Type: ACL; Schema: app
GRANT SELECT(removed_at) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(removed_at) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.removed_by; Type: ACL; Schema: app
GRANT SELECT(removed_by) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(removed_by) ON TABLE app.family_members TO authenticated;

-- Name: COLUMN family_members.updated_at; Type: ACL; Schema: app
GRANT SELECT(updated_at) ON TABLE app.family_members TO hearth_api;

GRANT SELECT(updated_at) ON TABLE app.family_members TO authenticated;

-- Name: FUNCTION become_member(p_child app.family_members, p_account uuid, p_role text, p_household_role text, p_vouched boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.become_member(p_child app.family_members, p_account uuid, p_role text, p_household_role text, p_vouched boolean) FROM PUBLIC;

-- Name: FUNCTION begin_audit_export(p_before timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_audit_export(p_before timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_audit_export(p_before timestamp with time zone) TO hearth_admin;

-- Name: FUNCTION begin_export(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_export(p_family uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_export(p_family uuid) TO hearth_admin;

-- Name: FUNCTION begin_family_versions(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_family_versions() FROM PUBLIC;

-- Name: FUNCTION begin_operation(p_operator text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_operation(p_operator text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_operation(p_operator text) TO hearth_admin;

-- Name: FUNCTION claims_mark(p_email text, p_email_verified boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.claims_mark(p_email text, p_email_verified boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.claims_mark(p_email text, p_email_verified boolean) TO hearth_api;

-- Name: FUNCTION tells_nothing_new(p_mark bigint, p_lacks_name boolean, p_email text, p_email_verified boolean, p_brings_name boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tells_nothing_new(p_mark bigint, p_lacks_name boolean, p_email text, p_email_verified boolean, p_brings_name boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.tells_nothing_new(p_mark bigint, p_lacks_name boolean, p_email text, p_email_verified boolean, p_brings_name boolean) TO hearth_api;

-- Name: TABLE user_identities; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.user_identities TO hearth_authz;

-- Name: COLUMN user_identities.issuer; Type: ACL; Schema: app
GRANT SELECT(issuer) ON TABLE app.user_identities TO hearth_admin;

-- Name: COLUMN user_identities.user_id; Type: ACL; Schema: app
GRANT SELECT(user_id) ON TABLE app.user_identities TO hearth_admin;

-- Name: COLUMN user_identities.created_at; Type: ACL; Schema: app
GRANT SELECT(created_at) ON TABLE app.user_identities TO hearth_admin;

-- Name: TABLE sign_ins; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.sign_ins TO hearth_api;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean) TO hearth_api;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean) TO hearth_api;

-- Name: TABLE guardianships; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.guardianships TO hearth_authz;

GRANT SELECT ON TABLE app.guardianships TO hearth_admin;

-- Name: COLUMN guardianships.member_id; Type: ACL; Schema: app
GRANT SELECT(member_id) ON TABLE app.guardianships TO hearth_api;

GRANT SELECT(member_id) ON TABLE app.guardianships TO authenticated;

-- Name: COLUMN guardianships.guardian_user_id; Type: ACL; Schema: app
GRANT SELECT(guardian_user_id) ON TABLE app.guardianships TO hearth_api;

GRANT SELECT(guardian_user_id) ON TABLE app.guardianships TO authenticated;

-- Name: COLUMN guardianships.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.guardianships TO hearth_api;

GRANT SELECT(family_unit_id) ON TABLE app.guardianships TO authenticated;

-- Name: COLUMN guardianships.since; Type: ACL; Schema: app
GRANT SELECT(since) ON TABLE app.guardianships TO hearth_api;

GRANT SELECT(since) ON TABLE app.guardianships TO authenticated;

-- Name: TABLE delegations; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.delegations TO hearth_api;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_brings_name boolean, p_acting_as uuid) TO hearth_api;

-- Name: FUNCTION begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_request(p_issuer text, p_subject_hash bytea, p_email text, p_email_verified boolean, p_acting_as uuid) TO hearth_api;

-- Name: FUNCTION begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_requests(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[]) TO hearth_api;

-- Name: TABLE sessions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.sessions TO hearth_authz;

GRANT SELECT ON TABLE app.sessions TO hearth_admin;

-- Name: TABLE live_sessions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.live_sessions TO hearth_api;

-- Name: FUNCTION begin_session(p_session uuid, p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_session(p_session uuid, p_user uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_session(p_session uuid, p_user uuid) TO hearth_api;

-- Name: FUNCTION begin_session(p_session uuid, p_user uuid, p_acting_as uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_session(p_session uuid, p_user uuid, p_acting_as uuid) TO hearth_api;

-- Name: FUNCTION begin_user_versions(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_user_versions() FROM PUBLIC;

-- Name: FUNCTION begin_webhook_delivery(p_endpoint uuid, p_event bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.begin_webhook_delivery(p_endpoint uuid, p_event bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.begin_webhook_delivery(p_endpoint uuid, p_event bigint) TO hearth_worker;

-- Name: FUNCTION best_guardian(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.best_guardian(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION ceiling_of_household_role(p_household_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.ceiling_of_household_role(p_household_role text) FROM PUBLIC;

-- Name: FUNCTION change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.change_household_role(p_member uuid, p_household_role text, p_reassign_to uuid, p_changed_at timestamp with time zone, p_base_version bigint, p_is_late boolean) TO hearth_api;

-- Name: FUNCTION change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.change_my_password(p_seen_hash text, p_hash text, p_session uuid, p_mail jsonb) TO hearth_api;

-- Name: FUNCTION change_player_details(p_family uuid, p_changes jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) TO hearth_api;

-- Name: FUNCTION changed_columns(p_old jsonb, p_new jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.changed_columns(p_old jsonb, p_new jsonb) FROM PUBLIC;

-- Name: FUNCTION changed_since(p_since timestamp with time zone, p_seconds double precision); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.changed_since(p_since timestamp with time zone, p_seconds double precision) FROM PUBLIC;

GRANT ALL ON FUNCTION app.changed_since(p_since timestamp with time zone, p_seconds double precision) TO hearth_api;

-- Name: FUNCTION changes_kept_for(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.changes_kept_for() FROM PUBLIC;

GRANT ALL ON FUNCTION app.changes_kept_for() TO hearth_worker;

-- Name: FUNCTION children_with_former_guardians(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.children_with_former_guardians() FROM PUBLIC;

-- Name: FUNCTION children_without_other_guardian(p_account uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.children_without_other_guardian(p_account uuid) FROM PUBLIC;

-- Name: FUNCTION choose_locale(p_locale text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.choose_locale(p_locale text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.choose_locale(p_locale text) TO hearth_api;

-- Name: FUNCTION claim_chosen_code(p_code text, p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.claim_chosen_code(p_code text, p_family uuid) FROM PUBLIC;

-- Name: FUNCTION claim_idempotency_key(p_route text, p_key text, p_request_digest bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea) TO hearth_api;

-- Name: FUNCTION claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.claim_idempotency_key(p_route text, p_key text, p_request_digest bytea, p_format smallint) TO hearth_api;

-- Name: FUNCTION claim_provider_check(p_session uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.claim_provider_check(p_session uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.claim_provider_check(p_session uuid) TO hearth_api;

-- Name: FUNCTION close_if_empty(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.close_if_empty(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION code_attempts_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.code_attempts_window() FROM PUBLIC;

-- Name: FUNCTION code_buckets(p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.code_buckets(p_address text, p_network text) FROM PUBLIC;

-- Name: FUNCTION normalised_code(p_code text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.normalised_code(p_code text) FROM PUBLIC;

-- Name: FUNCTION code_digest(p_account uuid, p_code text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.code_digest(p_account uuid, p_code text) FROM PUBLIC;

-- Name: FUNCTION code_length(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.code_length() FROM PUBLIC;

GRANT ALL ON FUNCTION app.code_length() TO hearth_admin;

-- Name: TABLE family_codes; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_codes TO hearth_admin;

-- Name: FUNCTION code_was_given_up(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.code_was_given_up(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION confirm_role(p_member app.family_members, p_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.confirm_role(p_member app.family_members, p_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION control_characters(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.control_characters() FROM PUBLIC;

-- Name: FUNCTION count_invitation(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.count_invitation(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION count_mailed_code(p_email text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.count_mailed_code(p_email text, p_network text) FROM PUBLIC;

-- Name: FUNCTION count_of_families(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.count_of_families(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval) FROM PUBLIC;

GRANT ALL ON FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval) TO hearth_admin;

-- Name: FUNCTION count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval) FROM PUBLIC;

GRANT ALL ON FUNCTION app.count_purgeable(p_invitations interval, p_retired_codes interval, p_code_usage_log interval, p_rate_limits interval, p_idempotency_keys interval, p_removed_members interval, p_empty_families interval, p_ended_sessions interval) TO hearth_admin;

-- Name: FUNCTION count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.count_purgeable_parts(p_job_history interval, p_audit interval, p_exported_only boolean) TO hearth_admin;

-- Name: FUNCTION create_family(p_family_name text, p_role text, p_always_new boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.create_family(p_family_name text, p_role text, p_always_new boolean) TO hearth_api;

-- Name: FUNCTION create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.create_invitation(p_family uuid, p_email text, p_role text, p_household_role text, p_delivery text) TO hearth_api;

-- Name: FUNCTION date_role_changes(p_notes text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.date_role_changes(p_notes text[]) FROM PUBLIC;

-- Name: FUNCTION decline_invitation(p_token_hash bytea, p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.decline_invitation(p_token_hash bytea, p_invitation uuid) TO hearth_api;

-- Name: FUNCTION delete_audit_entries(p_cutoff timestamp with time zone, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.delete_audit_entries(p_cutoff timestamp with time zone, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION dismiss_guardian(p_child app.family_members, p_guardian app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.dismiss_guardian(p_child app.family_members, p_guardian app.family_members) FROM PUBLIC;

-- Name: FUNCTION distinct_codes_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.distinct_codes_window() FROM PUBLIC;

-- Name: FUNCTION draw_code(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.draw_code(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION drop_audit_part(p_cutoff timestamp with time zone, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.drop_audit_part(p_cutoff timestamp with time zone, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION end_guardianship(p_child app.family_members, p_guardian uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_guardianship(p_child app.family_members, p_guardian uuid) FROM PUBLIC;

-- Name: FUNCTION end_guardianships_of_adult(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_guardianships_of_adult() FROM PUBLIC;

-- Name: FUNCTION end_guardianships_of_child(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_guardianships_of_child() FROM PUBLIC;

-- Name: TABLE family_invitations; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_invitations TO hearth_authz;

GRANT DELETE ON TABLE app.family_invitations TO authenticated;

GRANT SELECT ON TABLE app.family_invitations TO hearth_admin;

-- Name: COLUMN family_invitations.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(id) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(family_unit_id) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.invited_by; Type: ACL; Schema: app
GRANT SELECT(invited_by) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(invited_by) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.invited_email; Type: ACL; Schema: app
GRANT SELECT(invited_email) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.role; Type: ACL; Schema: app
GRANT SELECT(role) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(role) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.household_role; Type: ACL; Schema: app
GRANT SELECT(household_role) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(household_role) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.status; Type: ACL; Schema: app
GRANT SELECT(status) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(status) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.delivery; Type: ACL; Schema: app
GRANT SELECT(delivery) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(delivery) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.generation; Type: ACL; Schema: app
GRANT SELECT(generation) ON TABLE app.family_invitations TO hearth_api;

-- Name: COLUMN family_invitations.expires_at; Type: ACL; Schema: app
GRANT SELECT(expires_at) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(expires_at) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.created_at; Type: ACL; Schema: app
GRANT SELECT(created_at) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(created_at) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.accepted_at; Type: ACL; Schema: app
GRANT SELECT(accepted_at) ON TABLE app.family_invitations TO hearth_api;

GRANT SELECT(accepted_at) ON TABLE app.family_invitations TO authenticated;

-- Name: COLUMN family_invitations.accepted_by; Type: ACL; Schema: app
GRANT SELECT(accepted_by) ON TABLE app.family_invitations TO hearth_api;

-- Name: COLUMN family_invitations.closed_at; Type: ACL; Schema: app
GRANT SELECT(closed_at) ON TABLE app.family_invitations TO hearth_api;

-- Name: COLUMN family_invitations.sent_count; Type: ACL; Schema: app
GRANT SELECT(sent_count) ON TABLE app.family_invitations TO hearth_api;

-- Name: COLUMN family_invitations.last_sent_at; Type: ACL; Schema: app
GRANT SELECT(last_sent_at) ON TABLE app.family_invitations TO hearth_api;

-- Name: FUNCTION end_membership(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_membership(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION end_my_session(p_session uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_my_session(p_session uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.end_my_session(p_session uuid) TO hearth_api;

-- Name: FUNCTION end_my_sessions(p_except uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_my_sessions(p_except uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.end_my_sessions(p_except uuid) TO hearth_api;

-- Name: FUNCTION end_role_conflict(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_role_conflict(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.end_session_of_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) TO hearth_api;

-- Name: FUNCTION end_sessions_of(p_user uuid, p_except uuid, p_reason text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_sessions_of(p_user uuid, p_except uuid, p_reason text) FROM PUBLIC;

-- Name: FUNCTION end_standby_reader(p_id uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_standby_reader(p_id uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.end_standby_reader(p_id uuid) TO hearth_api;

-- Name: FUNCTION end_waiting_for(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.end_waiting_for(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION enqueue_family_mail(p_kind text, p_family uuid, p_recipient uuid, p_other uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.enqueue_family_mail(p_kind text, p_family uuid, p_recipient uuid, p_other uuid) FROM PUBLIC;

-- Name: FUNCTION enqueue_first_webhooks(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.enqueue_first_webhooks(p_endpoint uuid) FROM PUBLIC;

-- Name: FUNCTION enqueue_next_webhook(p_endpoint uuid, p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.enqueue_next_webhook(p_endpoint uuid, p_family uuid) FROM PUBLIC;

-- Name: FUNCTION enqueue_webhook(p_endpoint uuid, p_event bigint, p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.enqueue_webhook(p_endpoint uuid, p_event bigint, p_family uuid) FROM PUBLIC;

-- Name: FUNCTION erase_invitations_of(p_user app.users); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erase_invitations_of(p_user app.users) FROM PUBLIC;

-- Name: FUNCTION erase_locked(p_user app.users, p_heirs uuid[], OUT memberships integer, OUT sign_ins integer, OUT invitations integer, OUT erasure uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erase_locked(p_user app.users, p_heirs uuid[], OUT memberships integer, OUT sign_ins integer, OUT invitations integer, OUT erasure uuid) FROM PUBLIC;

-- Name: FUNCTION erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.erase_my_account(p_token_issued_at bigint, p_code_is_right boolean, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) TO hearth_api;

-- Name: FUNCTION erase_removed_members(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erase_removed_members(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.erase_removed_members(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION erase_traces_of(p_user app.users); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erase_traces_of(p_user app.users) FROM PUBLIC;

-- Name: FUNCTION erase_user(p_user uuid, p_heirs uuid[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erase_user(p_user uuid, p_heirs uuid[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.erase_user(p_user uuid, p_heirs uuid[]) TO hearth_admin;

-- Name: FUNCTION erasure_blockers(p_account uuid, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erasure_blockers(p_account uuid, p_heirs uuid[], p_successors uuid[], p_erase_managed boolean) FROM PUBLIC;

-- Name: FUNCTION erasures_kept(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.erasures_kept() FROM PUBLIC;

-- Name: FUNCTION exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.exchange_for_session(p_session uuid, p_issuer text, p_device text, p_token_hash bytea, p_issued_at bigint) TO hearth_api;

-- Name: FUNCTION expire_codes(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.expire_codes(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.expire_codes(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION expire_invitations(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.expire_invitations(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.expire_invitations(p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION export_attributes(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_attributes(p_family uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.export_attributes(p_family uuid) TO hearth_admin;

-- Name: FUNCTION export_my_data(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_my_data() FROM PUBLIC;

GRANT ALL ON FUNCTION app.export_my_data() TO hearth_api;

-- Name: FUNCTION export_of_changes(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_changes(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_of_consents(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_consents(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_of_invitations(p_user app.users); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_invitations(p_user app.users) FROM PUBLIC;

-- Name: FUNCTION export_of_mailed_tickets(p_user app.users); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_mailed_tickets(p_user app.users) FROM PUBLIC;

-- Name: FUNCTION export_of_memberships(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_memberships(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_of_passkeys(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_passkeys(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_of_person(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_person(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_of_sessions(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_sessions(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_of_trail(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_of_trail(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION export_preferences(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.export_preferences(p_family uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.export_preferences(p_family uuid) TO hearth_admin;

-- Name: FUNCTION exports_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.exports_window() FROM PUBLIC;

-- Name: FUNCTION families_of(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.families_of(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION family_version_raised_at(p_family uuid, p_version bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint) TO hearth_api;

-- Name: FUNCTION fault_checks(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.fault_checks() FROM PUBLIC;

GRANT ALL ON FUNCTION app.fault_checks() TO hearth_admin;

-- Name: FUNCTION faults_of_codes(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_codes(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_creators(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_creators(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_families(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_families(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_guardians(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_guardians(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_invitations(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_invitations(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_kinds(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_kinds(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_people(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_people(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_players(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_players(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_seats(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_seats(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION faults_of_slots(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.faults_of_slots(p_limit integer) FROM PUBLIC;

-- Name: FUNCTION format_characters(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.format_characters() FROM PUBLIC;

-- Name: FUNCTION white_space(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.white_space() FROM PUBLIC;

-- Name: FUNCTION trimmed_text(p_text text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.trimmed_text(p_text text) FROM PUBLIC;

-- Name: FUNCTION normalised_text(p_text text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.normalised_text(p_text text) FROM PUBLIC;

-- Name: FUNCTION normalised_name(p_name text, p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.normalised_name(p_name text, p_limit integer) FROM PUBLIC;

-- Name: TABLE family_units; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_units TO hearth_authz;

GRANT SELECT ON TABLE app.family_units TO hearth_admin;

-- Name: COLUMN family_units.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(id),INSERT(id) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.created_by_user_id; Type: ACL; Schema: app
GRANT SELECT(created_by_user_id) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(created_by_user_id),INSERT(created_by_user_id) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.family_name; Type: ACL; Schema: app
GRANT SELECT(family_name),UPDATE(family_name) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(family_name),INSERT(family_name),UPDATE(family_name) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.family_code; Type: ACL; Schema: app
GRANT SELECT(family_code),INSERT(family_code) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.code_generated_at; Type: ACL; Schema: app
GRANT SELECT(code_generated_at) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(code_generated_at) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.code_expires_at; Type: ACL; Schema: app
GRANT SELECT(code_expires_at) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(code_expires_at) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.home_latitude; Type: ACL; Schema: app
GRANT UPDATE(home_latitude) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(home_latitude) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.home_longitude; Type: ACL; Schema: app
GRANT UPDATE(home_longitude) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(home_longitude) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.player_details; Type: ACL; Schema: app
GRANT SELECT(player_details) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.member_limit; Type: ACL; Schema: app
GRANT SELECT(member_limit) ON TABLE app.family_units TO hearth_api;

-- Name: COLUMN family_units.approval_required; Type: ACL; Schema: app
GRANT SELECT(approval_required),UPDATE(approval_required) ON TABLE app.family_units TO hearth_api;

-- Name: COLUMN family_units.created_at; Type: ACL; Schema: app
GRANT SELECT(created_at) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(created_at) ON TABLE app.family_units TO authenticated;

-- Name: COLUMN family_units.updated_at; Type: ACL; Schema: app
GRANT SELECT(updated_at) ON TABLE app.family_units TO hearth_api;

GRANT SELECT(updated_at) ON TABLE app.family_units TO authenticated;

-- Name: FUNCTION fill_player_name(p_family uuid, p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.fill_player_name(p_family uuid, p_user uuid) FROM PUBLIC;

-- Name: FUNCTION find_faults(p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.find_faults(p_limit integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.find_faults(p_limit integer) TO hearth_admin;

-- Name: FUNCTION find_faults_of(p_check text, p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.find_faults_of(p_check text, p_limit integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.find_faults_of(p_check text, p_limit integer) TO hearth_admin;

-- Name: FUNCTION finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.finish_idempotency_key(p_route text, p_key text, p_claim uuid, p_status smallint, p_answer text) TO hearth_api;

-- Name: FUNCTION first_family_of(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.first_family_of(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION forget_erasure_address(p_erasure uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.forget_erasure_address(p_erasure uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.forget_erasure_address(p_erasure uuid) TO hearth_worker;

-- Name: FUNCTION forget_provider_token(p_token uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.forget_provider_token(p_token uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.forget_provider_token(p_token uuid) TO hearth_worker;

-- Name: FUNCTION fresh_proof_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.fresh_proof_time() FROM PUBLIC;

-- Name: FUNCTION further_details(p_details jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.further_details(p_details jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.further_details(p_details jsonb) TO hearth_api;

-- Name: FUNCTION give_changed_member_slot(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.give_changed_member_slot() FROM PUBLIC;

-- Name: FUNCTION give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.give_consent(p_member uuid, p_purpose text, p_version text, p_method text, p_code_is_right boolean) TO hearth_api;

-- Name: FUNCTION give_family_its_code(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.give_family_its_code() FROM PUBLIC;

-- Name: FUNCTION give_new_member_slot(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.give_new_member_slot() FROM PUBLIC;

-- Name: FUNCTION give_up_idempotency_key(p_route text, p_key text, p_claim uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.give_up_idempotency_key(p_route text, p_key text, p_claim uuid) TO hearth_api;

-- Name: FUNCTION graduate(p_token_hash bytea, p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.graduate(p_token_hash bytea, p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION guessing_state(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.guessing_state() FROM PUBLIC;

GRANT ALL ON FUNCTION app.guessing_state() TO hearth_api;

GRANT ALL ON FUNCTION app.guessing_state() TO hearth_worker;

GRANT ALL ON FUNCTION app.guessing_state() TO hearth_admin;

-- Name: FUNCTION has_invited(p_family uuid, p_account uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.has_invited(p_family uuid, p_account uuid) FROM PUBLIC;

-- Name: FUNCTION has_only_waited(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.has_only_waited(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION has_wrong_guardianship(p_child app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.has_wrong_guardianship(p_child app.family_members) FROM PUBLIC;

-- Name: FUNCTION id_of_now(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.id_of_now() FROM PUBLIC;

-- Name: FUNCTION idempotency_keys_kept(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.idempotency_keys_kept() FROM PUBLIC;

-- Name: FUNCTION identities_of(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.identities_of(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION insert_guardianship(p_child app.family_members, p_guardian uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.insert_guardianship(p_child app.family_members, p_guardian uuid) FROM PUBLIC;

-- Name: FUNCTION invitation_looks_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.invitation_looks_window() FROM PUBLIC;

GRANT ALL ON FUNCTION app.invitation_looks_window() TO hearth_api;

-- Name: FUNCTION invitation_of_token(p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.invitation_of_token(p_token_hash bytea) FROM PUBLIC;

-- Name: FUNCTION invitation_to_account(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.invitation_to_account(p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION invitation_to_answer(p_token_hash bytea, p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.invitation_to_answer(p_token_hash bytea, p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION invitation_to_send(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.invitation_to_send(p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION invitations_made_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.invitations_made_window() FROM PUBLIC;

-- Name: FUNCTION is_admin(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_admin(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION is_adult(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_adult(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION is_before_months(p_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_before_months(p_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION is_creator(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_creator(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION is_erased(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_erased(p_user uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.is_erased(p_user uuid) TO hearth_api;

-- Name: FUNCTION is_guardian(p_me app.family_members, p_child app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_guardian(p_me app.family_members, p_child app.family_members) FROM PUBLIC;

-- Name: FUNCTION is_kept_unique(p_table regclass, p_definition text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_kept_unique(p_table regclass, p_definition text) FROM PUBLIC;

-- Name: FUNCTION is_left_to_creator(p_child app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_left_to_creator(p_child app.family_members) FROM PUBLIC;

-- Name: FUNCTION is_player(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_player(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION is_recording_unfinished(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_recording_unfinished() FROM PUBLIC;

GRANT ALL ON FUNCTION app.is_recording_unfinished() TO hearth_admin;

-- Name: FUNCTION is_short_text(p_text text, p_limit integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_short_text(p_text text, p_limit integer) FROM PUBLIC;

-- Name: FUNCTION is_unseen(p_change app.role_changes, p_seen bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.is_unseen(p_change app.role_changes, p_seen bigint) FROM PUBLIC;

-- Name: FUNCTION issue_graduation(p_child app.family_members, p_inviter app.family_members, p_email text, p_role text, p_household_role text, p_delivery text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.issue_graduation(p_child app.family_members, p_inviter app.family_members, p_email text, p_role text, p_household_role text, p_delivery text) FROM PUBLIC;

-- Name: FUNCTION join_by_code(p_code text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.join_by_code(p_code text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.join_by_code(p_code text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION join_by_invitation(p_token_hash bytea, p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.join_by_invitation(p_token_hash bytea, p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.join_by_invitation(p_token_hash bytea, p_invitation uuid) TO hearth_api;

-- Name: FUNCTION join_family_by_code(p_code text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.join_family_by_code(p_code text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.join_family_by_code(p_code text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION join_or_wait_by_code(p_code text, p_address text, p_network text, p_waits boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.join_or_wait_by_code(p_code text, p_address text, p_network text, p_waits boolean) FROM PUBLIC;

-- Name: FUNCTION keep_creator(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.keep_creator() FROM PUBLIC;

-- Name: FUNCTION keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) TO hearth_api;

-- Name: FUNCTION keep_membership_identity(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.keep_membership_identity() FROM PUBLIC;

-- Name: FUNCTION keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.keep_provider_token(p_issuer text, p_subject_hash bytea, p_client text, p_sealed bytea) TO hearth_api;

-- Name: FUNCTION keep_slots_within_limit(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.keep_slots_within_limit() FROM PUBLIC;

-- Name: FUNCTION kept_changes(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.kept_changes() FROM PUBLIC;

-- Name: FUNCTION kept_mark(p_subject_hash bytea, p_email text, p_email_verified boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.kept_mark(p_subject_hash bytea, p_email text, p_email_verified boolean) FROM PUBLIC;

-- Name: FUNCTION kind_of_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.kind_of_invitation(p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.kind_of_invitation(p_invitation uuid) TO hearth_api;

GRANT ALL ON FUNCTION app.kind_of_invitation(p_invitation uuid) TO hearth_worker;

-- Name: FUNCTION leave_family(p_family uuid, p_reassign_to uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.leave_family(p_family uuid, p_reassign_to uuid) TO hearth_api;

-- Name: FUNCTION leave_own_family(p_family uuid, p_user uuid, p_to uuid, p_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.leave_own_family(p_family uuid, p_user uuid, p_to uuid, p_role text) FROM PUBLIC;

-- Name: FUNCTION limit_families(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.limit_families() FROM PUBLIC;

-- Name: FUNCTION limit_families_created(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.limit_families_created() FROM PUBLIC;

-- Name: FUNCTION lives_alone(p_family uuid, p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lives_alone(p_family uuid, p_user uuid) FROM PUBLIC;

-- Name: FUNCTION locale_of_account(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.locale_of_account(p_user uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.locale_of_account(p_user uuid) TO hearth_worker;

-- Name: FUNCTION locale_of_erasure(p_erasure uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.locale_of_erasure(p_erasure uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.locale_of_erasure(p_erasure uuid) TO hearth_worker;

-- Name: FUNCTION locale_of_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.locale_of_invitation(p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.locale_of_invitation(p_invitation uuid) TO hearth_worker;

-- Name: FUNCTION locale_of_ticket(p_ticket uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.locale_of_ticket(p_ticket uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.locale_of_ticket(p_ticket uuid) TO hearth_worker;

-- Name: FUNCTION lock_account(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_account(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION lock_account_for_operator(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_account_for_operator(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION lock_child_for_operator(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_child_for_operator(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION lock_families(p_families uuid[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_families(p_families uuid[]) FROM PUBLIC;

-- Name: FUNCTION lock_family_as_member(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_family_as_member(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION lock_family_for_operator(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_family_for_operator(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION lock_family_of_code(p_code text, OUT family_id uuid, OUT refusal text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_family_of_code(p_code text, OUT family_id uuid, OUT refusal text) FROM PUBLIC;

-- Name: FUNCTION lock_family_of_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_family_of_invitation(p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION lock_family_of_member(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_family_of_member(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION lock_for_approval(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_for_approval(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION lock_idempotency_key(p_route text, p_key text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_idempotency_key(p_route text, p_key text) FROM PUBLIC;

-- Name: FUNCTION lock_invitation_for_operator(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_invitation_for_operator(p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION lock_inviting_families(p_notes text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_inviting_families(p_notes text[]) FROM PUBLIC;

-- Name: FUNCTION lock_member_for_operator(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_member_for_operator(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION lock_noted_addresses(p_notes text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_noted_addresses(p_notes text[]) FROM PUBLIC;

-- Name: FUNCTION lock_own_family_member(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_own_family_member(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION lock_person(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_person(p_user uuid) FROM PUBLIC;

-- Name: TABLE webhook_endpoints; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.webhook_endpoints TO hearth_admin;

-- Name: FUNCTION lock_webhook_for_operator(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lock_webhook_for_operator(p_endpoint uuid) FROM PUBLIC;

-- Name: FUNCTION locked_player_family(p_user uuid, p_seen uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.locked_player_family(p_user uuid, p_seen uuid) FROM PUBLIC;

-- Name: FUNCTION rank_of_household_role(p_household_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.rank_of_household_role(p_household_role text) FROM PUBLIC;

-- Name: FUNCTION lower_household_role(p_one text, p_other text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lower_household_role(p_one text, p_other text) FROM PUBLIC;

-- Name: FUNCTION lowest_free_slot(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.lowest_free_slot(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION mail_of_account(p_recipient uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mail_of_account(p_recipient uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.mail_of_account(p_recipient uuid) TO hearth_worker;

-- Name: FUNCTION mail_of_change(p_reason text, p_family uuid, p_recipient uuid, p_other uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mail_of_change(p_reason text, p_family uuid, p_recipient uuid, p_other uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.mail_of_change(p_reason text, p_family uuid, p_recipient uuid, p_other uuid) TO hearth_worker;

-- Name: FUNCTION mail_of_erasure(p_erasure uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mail_of_erasure(p_erasure uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.mail_of_erasure(p_erasure uuid) TO hearth_worker;

-- Name: FUNCTION mail_of_invitation(p_invitation uuid, p_generation integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mail_of_invitation(p_invitation uuid, p_generation integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.mail_of_invitation(p_invitation uuid, p_generation integer) TO hearth_worker;

-- Name: FUNCTION mail_of_ticket(p_ticket uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mail_of_ticket(p_ticket uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.mail_of_ticket(p_ticket uuid) TO hearth_worker;

-- Name: FUNCTION mailed_code_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mailed_code_time() FROM PUBLIC;

-- Name: FUNCTION mailed_codes_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mailed_codes_window() FROM PUBLIC;

-- Name: FUNCTION mailed_invitation_of_token(p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mailed_invitation_of_token(p_token_hash bytea) FROM PUBLIC;

-- Name: FUNCTION maintain_audit_months(p_age interval, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.maintain_audit_months(p_age interval, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.maintain_audit_months(p_age interval, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION maintain_webhooks(p_age interval, p_batch integer, OUT enqueued integer, OUT purged integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.maintain_webhooks(p_age interval, p_batch integer, OUT enqueued integer, OUT purged integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.maintain_webhooks(p_age interval, p_batch integer, OUT enqueued integer, OUT purged integer) TO hearth_worker;

-- Name: FUNCTION make_audit_months(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.make_audit_months() FROM PUBLIC;

-- Name: FUNCTION make_guardian(p_child app.family_members, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.make_guardian(p_child app.family_members, p_guardian_member uuid) FROM PUBLIC;

-- Name: FUNCTION make_primary_guardian(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.make_primary_guardian(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.make_primary_guardian(p_member uuid, p_guardian_member uuid) TO hearth_api;

-- Name: FUNCTION mark_member_changed(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.mark_member_changed(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION masked_email(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.masked_email(p_email text) FROM PUBLIC;

-- Name: FUNCTION max_code_attempts_of_account(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_code_attempts_of_account() FROM PUBLIC;

-- Name: FUNCTION max_code_attempts_of_address(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_code_attempts_of_address() FROM PUBLIC;

-- Name: FUNCTION max_code_attempts_of_network(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_code_attempts_of_network() FROM PUBLIC;

-- Name: FUNCTION max_code_days(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_code_days() FROM PUBLIC;

-- Name: FUNCTION max_code_tries(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_code_tries() FROM PUBLIC;

-- Name: FUNCTION max_consent_attempts(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_consent_attempts() FROM PUBLIC;

-- Name: FUNCTION max_deletion_attempts(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_deletion_attempts() FROM PUBLIC;

-- Name: FUNCTION max_distinct_codes(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_distinct_codes() FROM PUBLIC;

-- Name: FUNCTION max_exports(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_exports() FROM PUBLIC;

-- Name: FUNCTION max_families(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_families() FROM PUBLIC;

-- Name: FUNCTION max_families_created(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_families_created() FROM PUBLIC;

-- Name: FUNCTION max_further_details(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_further_details() FROM PUBLIC;

-- Name: FUNCTION max_guardians(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_guardians() FROM PUBLIC;

-- Name: FUNCTION max_idempotency_keys(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_idempotency_keys() FROM PUBLIC;

-- Name: FUNCTION max_invitation_looks(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_invitation_looks() FROM PUBLIC;

GRANT ALL ON FUNCTION app.max_invitation_looks() TO hearth_api;

-- Name: FUNCTION max_invitations_made(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_invitations_made() FROM PUBLIC;

-- Name: FUNCTION max_mailed_codes_of_address(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_mailed_codes_of_address() FROM PUBLIC;

-- Name: FUNCTION max_mailed_codes_of_network(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_mailed_codes_of_network() FROM PUBLIC;

-- Name: FUNCTION max_mailed_codes_of_place(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_mailed_codes_of_place() FROM PUBLIC;

-- Name: FUNCTION max_members_waiting(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_members_waiting() FROM PUBLIC;

-- Name: FUNCTION max_passkey_attempts_of_address(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_passkey_attempts_of_address() FROM PUBLIC;

-- Name: FUNCTION max_passkey_attempts_of_network(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_passkey_attempts_of_network() FROM PUBLIC;

-- Name: FUNCTION max_passkeys(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_passkeys() FROM PUBLIC;

-- Name: FUNCTION max_password_attempts_of_account(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_password_attempts_of_account() FROM PUBLIC;

-- Name: FUNCTION max_password_attempts_of_address(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_password_attempts_of_address() FROM PUBLIC;

-- Name: FUNCTION max_password_attempts_of_network(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_password_attempts_of_network() FROM PUBLIC;

-- Name: FUNCTION max_request_mails(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_request_mails() FROM PUBLIC;

-- Name: FUNCTION max_request_mails_of_account(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_request_mails_of_account() FROM PUBLIC;

-- Name: FUNCTION max_sessions(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.max_sessions() FROM PUBLIC;

-- Name: FUNCTION may_bring_back(p_invitation app.family_invitations); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.may_bring_back(p_invitation app.family_invitations) FROM PUBLIC;

-- Name: FUNCTION seat_is_reserved(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.seat_is_reserved(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION may_give_admin_seat(p_me app.family_members, p_target app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.may_give_admin_seat(p_me app.family_members, p_target app.family_members) FROM PUBLIC;

-- Name: FUNCTION may_handle_invitation(p_me app.family_members, p_invitation app.family_invitations); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.may_handle_invitation(p_me app.family_members, p_invitation app.family_invitations) FROM PUBLIC;

-- Name: FUNCTION may_regenerate_code(p_me app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.may_regenerate_code(p_me app.family_members) FROM PUBLIC;

-- Name: FUNCTION may_send_invitation(p_me app.family_members, p_invitation app.family_invitations); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.may_send_invitation(p_me app.family_members, p_invitation app.family_invitations) FROM PUBLIC;

-- Name: FUNCTION public_id(p_id uuid, p_kind text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.public_id(p_id uuid, p_kind text) FROM PUBLIC;

-- Name: FUNCTION member_event_data(p_member app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.member_event_data(p_member app.family_members) FROM PUBLIC;

-- Name: FUNCTION member_in_family_of(p_me app.family_members, p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.member_in_family_of(p_me app.family_members, p_member uuid) FROM PUBLIC;

-- Name: FUNCTION merge_patch(p_target jsonb, p_patch jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.merge_patch(p_target jsonb, p_patch jsonb) FROM PUBLIC;

-- Name: FUNCTION my_identities(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.my_identities() FROM PUBLIC;

GRANT ALL ON FUNCTION app.my_identities() TO hearth_api;

-- Name: FUNCTION my_passkey_account(p_token_issued_at bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.my_passkey_account(p_token_issued_at bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.my_passkey_account(p_token_issued_at bigint) TO hearth_api;

-- Name: FUNCTION my_passkeys(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.my_passkeys() FROM PUBLIC;

GRANT ALL ON FUNCTION app.my_passkeys() TO hearth_api;

-- Name: FUNCTION my_password(p_session uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.my_password(p_session uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.my_password(p_session uuid) TO hearth_api;

-- Name: FUNCTION my_version_raised_at(p_version bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.my_version_raised_at(p_version bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.my_version_raised_at(p_version bigint) TO hearth_api;

-- Name: FUNCTION next_guardian(p_child uuid, p_besides uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.next_guardian(p_child uuid, p_besides uuid) FROM PUBLIC;

-- Name: FUNCTION no_user_id(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.no_user_id() FROM PUBLIC;

-- Name: FUNCTION normalise_family(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.normalise_family() FROM PUBLIC;

-- Name: FUNCTION normalise_person(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.normalise_person() FROM PUBLIC;

-- Name: FUNCTION unassignable_characters(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.unassignable_characters() FROM PUBLIC;

-- Name: FUNCTION normalised_email(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.normalised_email(p_email text) FROM PUBLIC;

-- Name: FUNCTION note_attributes(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_attributes() FROM PUBLIC;

-- Name: FUNCTION note_audit_export(p_before timestamp with time zone, p_entries bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_audit_export(p_before timestamp with time zone, p_entries bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.note_audit_export(p_before timestamp with time zone, p_entries bigint) TO hearth_admin;

-- Name: FUNCTION note_change(p_line text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_change(p_line text) FROM PUBLIC;

-- Name: FUNCTION note_delivery(p_invitation uuid, p_generation integer, p_status text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_delivery(p_invitation uuid, p_generation integer, p_status text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.note_delivery(p_invitation uuid, p_generation integer, p_status text) TO hearth_worker;

-- Name: FUNCTION note_emptiness(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_emptiness() FROM PUBLIC;

-- Name: FUNCTION note_family(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_family() FROM PUBLIC;

-- Name: FUNCTION note_guardianship(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_guardianship() FROM PUBLIC;

-- Name: FUNCTION note_invitation(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_invitation() FROM PUBLIC;

-- Name: FUNCTION note_member(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_member() FROM PUBLIC;

-- Name: FUNCTION note_new_user(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_new_user() FROM PUBLIC;

-- Name: FUNCTION note_preferences(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_preferences() FROM PUBLIC;

-- Name: FUNCTION note_primary_guardian(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_primary_guardian() FROM PUBLIC;

-- Name: FUNCTION note_provider_check(p_token uuid, p_is_good boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_provider_check(p_token uuid, p_is_good boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.note_provider_check(p_token uuid, p_is_good boolean) TO hearth_api;

-- Name: FUNCTION note_purge(p_counts jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_purge(p_counts jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.note_purge(p_counts jsonb) TO hearth_admin;

-- Name: FUNCTION note_role_change(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_role_change() FROM PUBLIC;

-- Name: FUNCTION note_user(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_user() FROM PUBLIC;

-- Name: FUNCTION note_webhook_failure(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_webhook_failure(p_endpoint uuid) FROM PUBLIC;

-- Name: FUNCTION note_webhook_success(p_endpoint app.webhook_endpoints); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_webhook_success(p_endpoint app.webhook_endpoints) FROM PUBLIC;

-- Name: FUNCTION note_wrong_code(p_account uuid, p_code text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.note_wrong_code(p_account uuid, p_code text) FROM PUBLIC;

-- Name: FUNCTION noted_families(p_notes text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.noted_families(p_notes text[]) FROM PUBLIC;

-- Name: COLUMN family_changes.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.family_changes TO hearth_api;

-- Name: COLUMN family_changes.version; Type: ACL; Schema: app
GRANT SELECT(version) ON TABLE app.family_changes TO hearth_api;

-- Name: COLUMN family_changes.kind; Type: ACL; Schema: app
GRANT SELECT(kind) ON TABLE app.family_changes TO hearth_api;

-- Name: COLUMN family_changes.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.family_changes TO hearth_api;

-- Name: COLUMN family_changes.audience; Type: ACL; Schema: app
GRANT SELECT(audience) ON TABLE app.family_changes TO hearth_api;

-- Name: COLUMN family_changes.is_managed; Type: ACL; Schema: app
GRANT SELECT(is_managed) ON TABLE app.family_changes TO hearth_api;

-- Name: FUNCTION noted_family_changes(p_notes text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.noted_family_changes(p_notes text[]) FROM PUBLIC;

-- Name: COLUMN user_changes.user_id; Type: ACL; Schema: app
GRANT SELECT(user_id) ON TABLE app.user_changes TO hearth_api;

-- Name: COLUMN user_changes.version; Type: ACL; Schema: app
GRANT SELECT(version) ON TABLE app.user_changes TO hearth_api;

-- Name: COLUMN user_changes.kind; Type: ACL; Schema: app
GRANT SELECT(kind) ON TABLE app.user_changes TO hearth_api;

-- Name: COLUMN user_changes.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.user_changes TO hearth_api;

-- Name: COLUMN user_changes.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.user_changes TO hearth_api;

-- Name: COLUMN user_changes.is_managed; Type: ACL; Schema: app
GRANT SELECT(is_managed) ON TABLE app.user_changes TO hearth_api;

-- Name: FUNCTION noted_guardian_changes(p_notes text[], p_children uuid[], p_changes app.user_changes[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.noted_guardian_changes(p_notes text[], p_children uuid[], p_changes app.user_changes[]) FROM PUBLIC;

-- Name: FUNCTION noted_user_changes(p_notes text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.noted_user_changes(p_notes text[]) FROM PUBLIC;

-- Name: FUNCTION obstacle_to_graduate(p_was app.family_members, p_family uuid, p_own uuid[], p_account uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.obstacle_to_graduate(p_was app.family_members, p_family uuid, p_own uuid[], p_account uuid) FROM PUBLIC;

-- Name: FUNCTION obstacle_to_membership(p_role text, p_own_family uuid, p_account uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.obstacle_to_membership(p_role text, p_own_family uuid, p_account uuid) FROM PUBLIC;

-- Name: FUNCTION oldest_transaction_seconds(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.oldest_transaction_seconds() FROM PUBLIC;

GRANT ALL ON FUNCTION app.oldest_transaction_seconds() TO hearth_api;

GRANT ALL ON FUNCTION app.oldest_transaction_seconds() TO hearth_worker;

-- Name: FUNCTION open_invitation(p_token_hash bytea, p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.open_invitation(p_token_hash bytea, p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb) TO hearth_api;

-- Name: FUNCTION open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.open_mailed_ticket(p_ticket uuid, p_purpose text, p_email text, p_ticket_hash bytea, p_link_hash bytea, p_password_hash text, p_full_name text, p_role text, p_network text, p_mail jsonb, p_locale text, p_return_path bytea) TO hearth_api;

-- Name: FUNCTION open_session(p_session uuid, p_user uuid, p_method text, p_issuer text, p_device text, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.open_session(p_session uuid, p_user uuid, p_method text, p_issuer text, p_device text, p_token_hash bytea) FROM PUBLIC;

-- Name: FUNCTION operator_add_guardian(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_add_guardian(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_add_guardian(p_member uuid, p_guardian_member uuid) TO hearth_admin;

-- Name: FUNCTION operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_add_managed_member(p_guardian_member uuid, p_display_name text, p_avatar_key text) TO hearth_admin;

-- Name: FUNCTION operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_add_member(p_family uuid, p_user uuid, p_role text, p_household_role text) TO hearth_admin;

-- Name: FUNCTION operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_add_webhook(p_endpoint uuid, p_url text, p_description text, p_event_types text[], p_secret_hash bytea) TO hearth_admin;

-- Name: FUNCTION operator_audit_parts(p_before timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_audit_parts(p_before timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_audit_parts(p_before timestamp with time zone) TO hearth_admin;

-- Name: FUNCTION operator_cancel_job(p_job bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_cancel_job(p_job bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_cancel_job(p_job bigint) TO hearth_admin;

-- Name: FUNCTION operator_create_family(p_owner uuid, p_family_name text, p_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text) TO hearth_admin;

-- Name: FUNCTION operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_create_invitation(p_inviter_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) TO hearth_admin;

-- Name: FUNCTION operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_delete_audit_entries(p_before timestamp with time zone, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_admin;

-- Name: FUNCTION operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_drop_audit_part(p_before timestamp with time zone, p_exported_only boolean, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_admin;

-- Name: FUNCTION operator_end_sessions(p_user uuid, p_session uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_end_sessions(p_user uuid, p_session uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_end_sessions(p_user uuid, p_session uuid) TO hearth_admin;

-- Name: FUNCTION operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_keep_invitation_secret(p_invitation uuid, p_generation integer, p_token_hash bytea) TO hearth_admin;

-- Name: FUNCTION operator_label(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_label() FROM PUBLIC;

-- Name: FUNCTION operator_make_audit_months(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_make_audit_months() FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_make_audit_months() TO hearth_admin;

-- Name: FUNCTION operator_pause_webhook(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_pause_webhook(p_endpoint uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_pause_webhook(p_endpoint uuid) TO hearth_admin;

-- Name: FUNCTION operator_promote_guardian(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_promote_guardian(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_promote_guardian(p_member uuid, p_guardian_member uuid) TO hearth_admin;

-- Name: FUNCTION operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_purge(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_admin;

-- Name: FUNCTION operator_reassign_managed_member(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_reassign_managed_member(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_reassign_managed_member(p_member uuid, p_guardian_member uuid) TO hearth_admin;

-- Name: FUNCTION operator_remove_guardian(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_remove_guardian(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_remove_guardian(p_member uuid, p_guardian_member uuid) TO hearth_admin;

-- Name: FUNCTION operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) TO hearth_admin;

-- Name: FUNCTION operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) TO hearth_admin;

-- Name: FUNCTION operator_remove_webhook(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_remove_webhook(p_endpoint uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_remove_webhook(p_endpoint uuid) TO hearth_admin;

-- Name: FUNCTION operator_rename_family(p_family uuid, p_family_name text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_rename_family(p_family uuid, p_family_name text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_rename_family(p_family uuid, p_family_name text) TO hearth_admin;

-- Name: FUNCTION operator_replace_code(p_family uuid, p_expires_in_days integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer) TO hearth_admin;

-- Name: FUNCTION operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_replay_webhook(p_endpoint uuid, p_failed boolean, p_event uuid, p_since timestamp with time zone) TO hearth_admin;

-- Name: FUNCTION operator_resend_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_resend_invitation(p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_resend_invitation(p_invitation uuid) TO hearth_admin;

-- Name: FUNCTION operator_resume_webhook(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_resume_webhook(p_endpoint uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_resume_webhook(p_endpoint uuid) TO hearth_admin;

-- Name: FUNCTION operator_retry_job(p_job bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_retry_job(p_job bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_retry_job(p_job bigint) TO hearth_admin;

-- Name: FUNCTION operator_revoke_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_revoke_invitation(p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_revoke_invitation(p_invitation uuid) TO hearth_admin;

-- Name: FUNCTION operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_rotate_webhook(p_endpoint uuid, p_generation integer, p_secret_hash bytea, p_overlap interval) TO hearth_admin;

-- Name: FUNCTION operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) TO hearth_admin;

-- Name: FUNCTION operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) TO hearth_admin;

-- Name: FUNCTION operator_suppress_address(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_suppress_address(p_email text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_suppress_address(p_email text) TO hearth_admin;

-- Name: FUNCTION operator_test_webhook(p_endpoint uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_test_webhook(p_endpoint uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_test_webhook(p_endpoint uuid) TO hearth_admin;

-- Name: FUNCTION operator_transfer_admin(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_transfer_admin(p_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_transfer_admin(p_member uuid) TO hearth_admin;

-- Name: FUNCTION operator_unsuppress_address(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.operator_unsuppress_address(p_email text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.operator_unsuppress_address(p_email text) TO hearth_admin;

-- Name: FUNCTION outcome_of_joining(p_family app.family_units, p_was app.family_members, p_role text, p_own_family uuid, p_account uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.outcome_of_joining(p_family app.family_units, p_was app.family_members, p_role text, p_own_family uuid, p_account uuid) FROM PUBLIC;

-- Name: FUNCTION outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.outdated_versions(p_ids uuid[], p_versions bigint[], p_raised_at timestamp with time zone[]) TO hearth_api;

-- Name: FUNCTION passkey_buckets(p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.passkey_buckets(p_address text, p_network text) FROM PUBLIC;

-- Name: FUNCTION passkey_of_credential(p_credential_id bytea, p_challenge_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.passkey_of_credential(p_credential_id bytea, p_challenge_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.passkey_of_credential(p_credential_id bytea, p_challenge_hash bytea) TO hearth_api;

-- Name: FUNCTION password_attempts_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.password_attempts_window() FROM PUBLIC;

-- Name: FUNCTION password_buckets(p_email text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.password_buckets(p_email text, p_address text, p_network text) FROM PUBLIC;

-- Name: FUNCTION password_of_address(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.password_of_address(p_email text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.password_of_address(p_email text) TO hearth_api;

-- Name: FUNCTION patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.patch_attributes(p_family uuid, p_patch jsonb, p_versions bigint[]) TO hearth_api;

-- Name: FUNCTION pause_webhook(p_endpoint uuid, p_reason text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.pause_webhook(p_endpoint uuid, p_reason text) FROM PUBLIC;

-- Name: FUNCTION pending_invitation_of_family(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.pending_invitation_of_family(p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION player_family_of(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.player_family_of(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION preview_code(p_code text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.preview_code(p_code text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.preview_code(p_code text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION preview_invitation(p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.preview_invitation(p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.preview_invitation(p_token_hash bytea) TO hearth_api;

-- Name: FUNCTION prolong_session(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.prolong_session() FROM PUBLIC;

GRANT ALL ON FUNCTION app.prolong_session() TO hearth_api;

-- Name: FUNCTION promote_guardian(p_child app.family_members, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.promote_guardian(p_child app.family_members, p_guardian_member uuid) FROM PUBLIC;

-- Name: FUNCTION prove_address(p_email text, p_full_name text, p_role text, OUT user_id uuid, OUT is_new boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.prove_address(p_email text, p_full_name text, p_role text, OUT user_id uuid, OUT is_new boolean) FROM PUBLIC;

-- Name: FUNCTION provider_check_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.provider_check_time() FROM PUBLIC;

-- Name: FUNCTION purge_answered_challenges(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_answered_challenges(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_answered_challenges(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_audit_entries(p_age interval, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_audit_entries(p_age interval, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_audit_entries(p_age interval, p_exported_only boolean, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_code_lookups(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_code_lookups(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_code_lookups(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_code_usage_log(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_code_usage_log(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_code_usage_log(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_empty_families(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_empty_families(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_empty_families(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_family_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_family_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_family_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_idempotency_keys(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_idempotency_keys(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_idempotency_keys(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_invitations(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_invitations(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_invitations(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_mailed_tickets(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_mailed_tickets(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_mailed_tickets(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_rate_limits(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_rate_limits(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_rate_limits(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_retired_codes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_retired_codes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_retired_codes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_sessions(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_sessions(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_sessions(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_user_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_user_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_user_changes(p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.purge_wrong_codes(p_batch integer, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION put_password(p_user uuid, p_hash text, p_except uuid, p_mail jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.put_password(p_user uuid, p_hash text, p_except uuid, p_mail jsonb) FROM PUBLIC;

-- Name: FUNCTION queue_webhook(p_endpoint uuid, p_event bigint, p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.queue_webhook(p_endpoint uuid, p_event bigint, p_family uuid) FROM PUBLIC;

-- Name: FUNCTION raise_family_version(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.raise_family_version(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION raise_user_version(p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.raise_user_version(p_user uuid) FROM PUBLIC;

-- Name: FUNCTION raise_versions(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.raise_versions() FROM PUBLIC;

-- Name: FUNCTION raise_versions_at_commit(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.raise_versions_at_commit() FROM PUBLIC;

-- Name: FUNCTION random_code(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.random_code() FROM PUBLIC;

-- Name: FUNCTION readers_missing_standbys(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.readers_missing_standbys() FROM PUBLIC;

GRANT ALL ON FUNCTION app.readers_missing_standbys() TO hearth_admin;

-- Name: FUNCTION reassign_child(p_child app.family_members, p_guardian app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reassign_child(p_child app.family_members, p_guardian app.family_members) FROM PUBLIC;

-- Name: FUNCTION reassign_children_of(p_from app.family_members, p_to_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reassign_children_of(p_from app.family_members, p_to_member uuid) FROM PUBLIC;

-- Name: FUNCTION reassign_managed_member(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reassign_managed_member(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reassign_managed_member(p_member uuid, p_guardian_member uuid) TO hearth_api;

-- Name: TABLE audit_log; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.audit_log TO hearth_authz;

GRANT SELECT ON TABLE app.audit_log TO hearth_admin;

-- Name: FUNCTION record_audit(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.record_audit(p_action text, p_family uuid, p_subject uuid, p_target uuid, p_details jsonb) FROM PUBLIC;

-- Name: FUNCTION record_event(p_type text, p_family uuid, p_data jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.record_event(p_type text, p_family uuid, p_data jsonb) FROM PUBLIC;

-- Name: FUNCTION recorded_definitions(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.recorded_definitions() FROM PUBLIC;

GRANT ALL ON FUNCTION app.recorded_definitions() TO hearth_admin;

-- Name: FUNCTION refresh_grace_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refresh_grace_time() FROM PUBLIC;

-- Name: FUNCTION refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.refresh_session(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean, p_next_hashes bytea[], p_mail jsonb) TO hearth_api;

-- Name: FUNCTION refusable_invitation(p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refusable_invitation(p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.refusable_invitation(p_token_hash bytea) TO hearth_api;

-- Name: FUNCTION refuse(p_state text, p_reason text, p_message text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refuse(p_state text, p_reason text, p_message text) FROM PUBLIC;

-- Name: FUNCTION refuse_field(p_field text, p_message text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refuse_field(p_field text, p_message text) FROM PUBLIC;

-- Name: FUNCTION refuse_invitations(p_token_hash bytea, p_of_all boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refuse_invitations(p_token_hash bytea, p_of_all boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.refuse_invitations(p_token_hash bytea, p_of_all boolean) TO hearth_api;

-- Name: FUNCTION refuses_invitations(p_email text, p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.refuses_invitations(p_email text, p_family uuid) FROM PUBLIC;

-- Name: FUNCTION regenerate_code(p_family uuid, p_expires_in_days integer); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer) FROM PUBLIC;

GRANT ALL ON FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer) TO hearth_api;

-- Name: FUNCTION release_hits(p_buckets text[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.release_hits(p_buckets text[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.release_hits(p_buckets text[]) TO hearth_api;

-- Name: FUNCTION release_password_attempt(p_email text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.release_password_attempt(p_email text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.release_password_attempt(p_email text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION remove_children_left_to_creator(p_me app.family_members, p_guardian app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_children_left_to_creator(p_me app.family_members, p_guardian app.family_members) FROM PUBLIC;

-- Name: FUNCTION remove_guardian(p_member uuid, p_guardian_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_guardian(p_member uuid, p_guardian_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.remove_guardian(p_member uuid, p_guardian_member uuid) TO hearth_api;

-- Name: FUNCTION remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean) TO hearth_api;

-- Name: FUNCTION remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.remove_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) TO hearth_api;

-- Name: FUNCTION remove_member_for_operator(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_member_for_operator(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_was text) FROM PUBLIC;

-- Name: FUNCTION remove_my_identity(p_identity uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_my_identity(p_identity uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.remove_my_identity(p_identity uuid) TO hearth_api;

-- Name: FUNCTION remove_my_passkey(p_passkey uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_my_passkey(p_passkey uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.remove_my_passkey(p_passkey uuid) TO hearth_api;

-- Name: FUNCTION remove_other_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.remove_other_member(p_member uuid, p_reassign_to uuid, p_rotate_code boolean, p_only_waiting boolean) FROM PUBLIC;

-- Name: FUNCTION renew_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.renew_invitation(p_invitation uuid) FROM PUBLIC;

-- Name: FUNCTION renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.renew_standby_reader(p_id uuid, p_number bigint, p_standbys bigint[], OUT readers integer, OUT standbys bigint[]) TO hearth_api;

-- Name: FUNCTION repair_fault(p_kind text, p_family uuid, p_subject uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid) TO hearth_admin;

-- Name: FUNCTION repair_guardianships(p_family uuid, p_child uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.repair_guardianships(p_family uuid, p_child uuid) FROM PUBLIC;

-- Name: FUNCTION repair_slot(p_family uuid, p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.repair_slot(p_family uuid, p_member uuid) FROM PUBLIC;

-- Name: FUNCTION replace_code(p_family uuid, p_expires_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.replace_code(p_family uuid, p_expires_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION request_mails_window(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.request_mails_window() FROM PUBLIC;

-- Name: FUNCTION request_to_join_by_code(p_code text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.request_to_join_by_code(p_code text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION require_account(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_account() FROM PUBLIC;

-- Name: FUNCTION require_allowed(p_allowed boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_allowed(p_allowed boolean) FROM PUBLIC;

-- Name: FUNCTION require_audit_end(p_before timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_audit_end(p_before timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION require_audit_export(p_before timestamp with time zone, p_exported_only boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_audit_export(p_before timestamp with time zone, p_exported_only boolean) FROM PUBLIC;

-- Name: FUNCTION require_expected_version(p_id uuid, p_version bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_expected_version(p_id uuid, p_version bigint) FROM PUBLIC;

-- Name: FUNCTION require_export(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_export(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION require_graduation_form(p_child app.family_members, p_given text, p_email text, p_role text, p_household_role text, p_delivery text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_graduation_form(p_child app.family_members, p_given text, p_email text, p_role text, p_household_role text, p_delivery text) FROM PUBLIC;

-- Name: FUNCTION require_guarded_child(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_guarded_child(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION require_members_of_own_families(p_account uuid, p_members uuid[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_members_of_own_families(p_account uuid, p_members uuid[]) FROM PUBLIC;

-- Name: FUNCTION require_operator(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_operator() FROM PUBLIC;

-- Name: FUNCTION require_primarily_guarded_child(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_primarily_guarded_child(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION require_resend_pause(p_last_sent_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_resend_pause(p_last_sent_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION require_role_change(p_me app.family_members, p_target app.family_members, p_household_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_role_change(p_me app.family_members, p_target app.family_members, p_household_role text) FROM PUBLIC;

-- Name: FUNCTION require_room_for(p_family uuid, p_user uuid, p_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.require_room_for(p_family uuid, p_user uuid, p_role text) FROM PUBLIC;

-- Name: FUNCTION resend_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.resend_invitation(p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.resend_invitation(p_invitation uuid) TO hearth_api;

-- Name: FUNCTION resend_pause(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.resend_pause() FROM PUBLIC;

-- Name: FUNCTION reserve_code_attempt(p_code text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_code_attempt(p_code text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION reserve_consent_attempt(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_consent_attempt() FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_consent_attempt() TO hearth_api;

-- Name: FUNCTION reserve_deletion_attempt(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_deletion_attempt() FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_deletion_attempt() TO hearth_api;

-- Name: FUNCTION reserve_export(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_export() FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_export() TO hearth_api;

-- Name: FUNCTION reserve_hits(p_buckets text[], p_limits integer[], p_window interval); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_hits(p_buckets text[], p_limits integer[], p_window interval) TO hearth_api;

-- Name: FUNCTION reserve_mailed_code(p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_mailed_code(p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_mailed_code(p_network text) TO hearth_api;

-- Name: FUNCTION reserve_passkey_attempt(p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_passkey_attempt(p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_passkey_attempt(p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION reserve_password_attempt(p_email text, p_address text, p_network text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reserve_password_attempt(p_email text, p_address text, p_network text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reserve_password_attempt(p_email text, p_address text, p_network text) TO hearth_api;

-- Name: FUNCTION reset_link_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reset_link_time() FROM PUBLIC;

-- Name: FUNCTION reset_of_link(p_link_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reset_of_link(p_link_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reset_of_link(p_link_hash bytea) TO hearth_api;

-- Name: FUNCTION reset_password(p_link_hash bytea, p_hash text, p_mail jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.reset_password(p_link_hash bytea, p_hash text, p_mail jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.reset_password(p_link_hash bytea, p_hash text, p_mail jsonb) TO hearth_api;

-- Name: FUNCTION retire_code(p_family uuid, p_user uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.retire_code(p_family uuid, p_user uuid) FROM PUBLIC;

-- Name: FUNCTION return_path_of_ticket(p_ticket uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.return_path_of_ticket(p_ticket uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.return_path_of_ticket(p_ticket uuid) TO hearth_worker;

-- Name: FUNCTION revocation_of(p_token uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.revocation_of(p_token uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.revocation_of(p_token uuid) TO hearth_worker;

-- Name: FUNCTION revoke_invitation(p_invitation uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.revoke_invitation(p_invitation uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.revoke_invitation(p_invitation uuid) TO hearth_api;

-- Name: FUNCTION revoke_invitations_beyond_rights(p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.revoke_invitations_beyond_rights(p_member uuid) FROM PUBLIC;

-- Name: FUNCTION revoke_provider_tokens(p_user uuid, p_subject_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.revoke_provider_tokens(p_user uuid, p_subject_hash bytea) FROM PUBLIC;

-- Name: FUNCTION role_meant_at(p_change app.role_changes); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.role_meant_at(p_change app.role_changes) FROM PUBLIC;

-- Name: FUNCTION role_was_changed_later(p_member uuid, p_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.role_was_changed_later(p_member uuid, p_at timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.role_was_changed_later(p_member uuid, p_at timestamp with time zone) TO hearth_api;

-- Name: FUNCTION roles_on_entry(p_invitation app.family_invitations, p_was app.family_members, p_account uuid, OUT role text, OUT household_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.roles_on_entry(p_invitation app.family_invitations, p_was app.family_members, p_account uuid, OUT role text, OUT household_role text) FROM PUBLIC;

-- Name: FUNCTION seat_is_taken(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.seat_is_taken(p_family uuid) FROM PUBLIC;

-- Name: FUNCTION see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.see_user(p_issuer text, p_subject_hash bytea, p_adopt_id uuid, p_email text, p_email_verified boolean, p_full_name text, p_role text, p_acting_as uuid, p_issued_at bigint) TO hearth_api;

-- Name: FUNCTION session_idle_time(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.session_idle_time() FROM PUBLIC;

-- Name: FUNCTION session_life(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.session_life() FROM PUBLIC;

-- Name: FUNCTION set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.set_household_role(p_member uuid, p_household_role text, p_reassign_to uuid) TO hearth_api;

-- Name: FUNCTION set_locale_if_unknown(p_locale text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.set_locale_if_unknown(p_locale text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.set_locale_if_unknown(p_locale text) TO hearth_api;

-- Name: FUNCTION set_player_details(p_family uuid, p_details jsonb); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.set_player_details(p_family uuid, p_details jsonb) FROM PUBLIC;

GRANT ALL ON FUNCTION app.set_player_details(p_family uuid, p_details jsonb) TO hearth_api;

-- Name: FUNCTION settings_of_audit_months(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.settings_of_audit_months() FROM PUBLIC;

-- Name: FUNCTION settle_webhook_delivery(p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_error text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.settle_webhook_delivery(p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_error text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.settle_webhook_delivery(p_endpoint uuid, p_event bigint, p_outcome text, p_status smallint, p_error text) TO hearth_worker;

-- Name: FUNCTION shards_of_wrong_codes(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.shards_of_wrong_codes() FROM PUBLIC;

-- Name: FUNCTION sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.sign_in_by_mail(p_ticket uuid, p_link_hash bytea, p_session uuid, p_device text, p_token_hash bytea) TO hearth_api;

-- Name: FUNCTION sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.sign_in_by_passkey(p_passkey uuid, p_user uuid, p_counter bigint, p_is_backed_up boolean, p_challenge_hash bytea, p_challenge_expires timestamp with time zone, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) TO hearth_api;

-- Name: FUNCTION sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.sign_in_by_password(p_user uuid, p_seen_hash text, p_new_hash text, p_email text, p_address text, p_network text, p_session uuid, p_device text, p_token_hash bytea) TO hearth_api;

-- Name: FUNCTION sign_preferences(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.sign_preferences() FROM PUBLIC;

-- Name: FUNCTION standby_delay(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.standby_delay() FROM PUBLIC;

-- Name: FUNCTION standbys_in_use(OUT readers integer, OUT standbys bigint[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[]) TO hearth_api;

GRANT ALL ON FUNCTION app.standbys_in_use(OUT readers integer, OUT standbys bigint[]) TO hearth_admin;

-- Name: FUNCTION start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.start_graduation(p_member uuid, p_email text, p_role text, p_household_role text, p_delivery text) TO hearth_api;

-- Name: FUNCTION state_of_invitation(p_invitation app.family_invitations); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.state_of_invitation(p_invitation app.family_invitations) FROM PUBLIC;

-- Name: FUNCTION state_of_refresh_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.state_of_refresh_token(p_session uuid, p_generation integer, p_token_hash bytea, p_is_authentic boolean) FROM PUBLIC;

-- Name: FUNCTION store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.store_idempotent_response(p_route text, p_key text, p_request_digest bytea, p_status smallint, p_format smallint, p_answer text) TO hearth_api;

-- Name: FUNCTION store_invitation_secret(p_invitation app.family_invitations, p_generation integer, p_token_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.store_invitation_secret(p_invitation app.family_invitations, p_generation integer, p_token_hash bytea) FROM PUBLIC;

-- Name: FUNCTION store_invited_membership(p_invitation app.family_invitations, p_account uuid, p_role text, p_household_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.store_invited_membership(p_invitation app.family_invitations, p_account uuid, p_role text, p_household_role text) FROM PUBLIC;

-- Name: FUNCTION suppress_address(p_email text, p_reason text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.suppress_address(p_email text, p_reason text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.suppress_address(p_email text, p_reason text) TO hearth_worker;

-- Name: FUNCTION tell_of_changed_member(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_changed_member() FROM PUBLIC;

-- Name: FUNCTION tell_of_erased_user(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_erased_user() FROM PUBLIC;

-- Name: FUNCTION tell_of_family(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_family() FROM PUBLIC;

-- Name: FUNCTION tell_of_invitation(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_invitation() FROM PUBLIC;

-- Name: FUNCTION tell_of_new_member(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_new_member() FROM PUBLIC;

-- Name: FUNCTION tell_of_overwriting(p_me app.family_members, p_last app.role_changes, p_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_overwriting(p_me app.family_members, p_last app.role_changes, p_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION tell_of_removal(p_was app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_removal(p_was app.family_members) FROM PUBLIC;

-- Name: FUNCTION tell_of_request(p_family uuid, p_account uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.tell_of_request(p_family uuid, p_account uuid) FROM PUBLIC;

-- Name: FUNCTION touch(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.touch() FROM PUBLIC;

-- Name: FUNCTION transfer_admin(p_family uuid, p_member uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.transfer_admin(p_family uuid, p_member uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.transfer_admin(p_family uuid, p_member uuid) TO hearth_api;

-- Name: FUNCTION transfer_admin_seat(p_from app.family_members, p_to app.family_members); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.transfer_admin_seat(p_from app.family_members, p_to app.family_members) FROM PUBLIC;

-- Name: FUNCTION try_mailed_code(p_ticket_hash bytea); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.try_mailed_code(p_ticket_hash bytea) FROM PUBLIC;

GRANT ALL ON FUNCTION app.try_mailed_code(p_ticket_hash bytea) TO hearth_api;

-- Name: FUNCTION unsuppress_address(p_email text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.unsuppress_address(p_email text) FROM PUBLIC;

-- Name: FUNCTION update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION app.update_family(p_family uuid, p_family_name text, p_home_latitude double precision, p_home_longitude double precision, p_clear_home boolean, p_approval_required boolean) TO hearth_api;

-- Name: FUNCTION update_managed_member(p_member uuid, p_display_name text, p_avatar_key text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.update_managed_member(p_member uuid, p_display_name text, p_avatar_key text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.update_managed_member(p_member uuid, p_display_name text, p_avatar_key text) TO hearth_api;

-- Name: FUNCTION update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.update_profile(p_full_name text, p_avatar_key text, p_avatar_url text, p_role text) TO hearth_api;

-- Name: FUNCTION upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION app.upkeep_batch(p_object text, p_age interval, p_batch integer, p_from timestamp with time zone, OUT changed integer, OUT reached timestamp with time zone) TO hearth_worker;

-- Name: FUNCTION user_id(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.user_id() FROM PUBLIC;

GRANT ALL ON FUNCTION app.user_id() TO hearth_api;

GRANT ALL ON FUNCTION app.user_id() TO hearth_worker;

GRANT ALL ON FUNCTION app.user_id() TO hearth_admin;

GRANT ALL ON FUNCTION app.user_id() TO hearth_authz;

GRANT ALL ON FUNCTION app.user_id() TO authenticated;

-- Name: FUNCTION users_missing(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.users_missing() FROM PUBLIC;

-- Name: FUNCTION usual_wrong_codes(p_at timestamp with time zone); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.usual_wrong_codes(p_at timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]) FROM PUBLIC;

GRANT ALL ON FUNCTION app.versions_of_callers(p_issuers text[], p_subject_hashes bytea[], p_emails text[], p_emails_verified boolean[], p_bring_names boolean[], p_sessions uuid[], p_accounts uuid[], p_families uuid[]) TO hearth_api;

-- Name: FUNCTION was_erased(p_subject_hash bytea, p_issued_at bigint); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.was_erased(p_subject_hash bytea, p_issued_at bigint) FROM PUBLIC;

GRANT ALL ON FUNCTION app.was_erased(p_subject_hash bytea, p_issued_at bigint) TO hearth_api;

-- Name: FUNCTION webhook_patience(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.webhook_patience() FROM PUBLIC;

-- Name: FUNCTION webhook_stats(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.webhook_stats() FROM PUBLIC;

GRANT ALL ON FUNCTION app.webhook_stats() TO hearth_api;

GRANT ALL ON FUNCTION app.webhook_stats() TO hearth_worker;

-- Name: FUNCTION why_audit_month_is_open(p_before timestamp with time zone, p_now timestamp with time zone, p_oldest_seconds double precision); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.why_audit_month_is_open(p_before timestamp with time zone, p_now timestamp with time zone, p_oldest_seconds double precision) FROM PUBLIC;

-- Name: FUNCTION withdraw_consent(p_member uuid, p_purpose text); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.withdraw_consent(p_member uuid, p_purpose text) FROM PUBLIC;

GRANT ALL ON FUNCTION app.withdraw_consent(p_member uuid, p_purpose text) TO hearth_api;

-- Name: FUNCTION withdraw_request(p_family uuid); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.withdraw_request(p_family uuid) FROM PUBLIC;

GRANT ALL ON FUNCTION app.withdraw_request(p_family uuid) TO hearth_api;

-- Name: FUNCTION wrong_code_rate(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.wrong_code_rate() FROM PUBLIC;

GRANT ALL ON FUNCTION app.wrong_code_rate() TO hearth_admin;

-- Name: FUNCTION wrong_codes_of_last_minute(); Type: ACL; Schema: app
REVOKE ALL ON FUNCTION app.wrong_codes_of_last_minute() FROM PUBLIC;

-- Name: FUNCTION acting_as(); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.acting_as() FROM PUBLIC;

-- Name: FUNCTION begin_request(); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.begin_request() FROM PUBLIC;

GRANT ALL ON FUNCTION gateway.begin_request() TO authenticated;

-- Name: FUNCTION begin_session(p_claims jsonb, p_acting uuid); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.begin_session(p_claims jsonb, p_acting uuid) FROM PUBLIC;

-- Name: FUNCTION email_is_verified(p_kind text, p_emails_confirmed boolean, p_claims jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.email_is_verified(p_kind text, p_emails_confirmed boolean, p_claims jsonb) FROM PUBLIC;

-- Name: FUNCTION insert_family(p_id uuid, p_creator uuid, p_name text); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text) FROM PUBLIC;

GRANT ALL ON FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text) TO authenticated;

-- Name: FUNCTION insert_family(p_id uuid, p_creator uuid, p_name text, p_code text); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text, p_code text) FROM PUBLIC;

GRANT ALL ON FUNCTION gateway.insert_family(p_id uuid, p_creator uuid, p_name text, p_code text) TO authenticated;

-- Name: FUNCTION insert_member(p_id uuid, p_family uuid, p_user uuid, p_role text); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.insert_member(p_id uuid, p_family uuid, p_user uuid, p_role text) FROM PUBLIC;

GRANT ALL ON FUNCTION gateway.insert_member(p_id uuid, p_family uuid, p_user uuid, p_role text) TO authenticated;

-- Name: FUNCTION is_anonymous(p_kind text, p_claims jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.is_anonymous(p_kind text, p_claims jsonb) FROM PUBLIC;

-- Name: FUNCTION text_or_null(p_value jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.text_or_null(p_value jsonb) FROM PUBLIC;

-- Name: FUNCTION is_for_us(p_kind text, p_audiences text[], p_claims jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.is_for_us(p_kind text, p_audiences text[], p_claims jsonb) FROM PUBLIC;

-- Name: FUNCTION issue_time(p_claims jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.issue_time(p_claims jsonb) FROM PUBLIC;

-- Name: FUNCTION name_claim(p_kind text, p_claims jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.name_claim(p_kind text, p_claims jsonb) FROM PUBLIC;

-- Name: FUNCTION refuse_token(); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.refuse_token() FROM PUBLIC;

-- Name: FUNCTION subject(p_is_primary boolean, p_claims jsonb); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.subject(p_is_primary boolean, p_claims jsonb) FROM PUBLIC;

-- Name: FUNCTION take_family(); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.take_family() FROM PUBLIC;

-- Name: FUNCTION take_member(); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.take_member() FROM PUBLIC;

-- Name: FUNCTION text_claim(p_claims jsonb, p_name text); Type: ACL; Schema: gateway
REVOKE ALL ON FUNCTION gateway.text_claim(p_claims jsonb, p_name text) FROM PUBLIC;

-- Name: FUNCTION beat(p_worker integer, p_queues text[], p_channel text); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.beat(p_worker integer, p_queues text[], p_channel text) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.beat(p_worker integer, p_queues text[], p_channel text) TO hearth_worker;

-- Name: FUNCTION cancel(p_id bigint); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.cancel(p_id bigint) FROM PUBLIC;

-- Name: FUNCTION claim(p_worker integer, p_queue text, p_kinds text[], p_limit integer, p_after_at timestamp with time zone[], p_after_id bigint[], p_starting integer, p_noted text[]); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.claim(p_worker integer, p_queue text, p_kinds text[], p_limit integer, p_after_at timestamp with time zone[], p_after_id bigint[], p_starting integer, p_noted text[]) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.claim(p_worker integer, p_queue text, p_kinds text[], p_limit integer, p_after_at timestamp with time zone[], p_after_id bigint[], p_starting integer, p_noted text[]) TO hearth_worker;

-- Name: FUNCTION complete(p_ids bigint[], p_tokens bigint[]); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.complete(p_ids bigint[], p_tokens bigint[]) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.complete(p_ids bigint[], p_tokens bigint[]) TO hearth_worker;

-- Name: FUNCTION drop_history_day(p_age interval); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.drop_history_day(p_age interval) FROM PUBLIC;

-- Name: FUNCTION end_lease(p_worker integer); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.end_lease(p_worker integer) FROM PUBLIC;

-- Name: FUNCTION enlist(p_label text); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.enlist(p_label text) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.enlist(p_label text) TO hearth_worker;

-- Name: FUNCTION enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint, p_run_at timestamp with time zone, p_not_after timestamp with time zone, p_unique_key text, p_max_attempts smallint); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint, p_run_at timestamp with time zone, p_not_after timestamp with time zone, p_unique_key text, p_max_attempts smallint) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint, p_run_at timestamp with time zone, p_not_after timestamp with time zone, p_unique_key text, p_max_attempts smallint) TO hearth_api;

GRANT ALL ON FUNCTION jobs.enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint, p_run_at timestamp with time zone, p_not_after timestamp with time zone, p_unique_key text, p_max_attempts smallint) TO hearth_worker;

GRANT ALL ON FUNCTION jobs.enqueue(p_queue text, p_kind text, p_family uuid, p_payload jsonb, p_priority smallint, p_run_at timestamp with time zone, p_not_after timestamp with time zone, p_unique_key text, p_max_attempts smallint) TO hearth_admin;

-- Name: TABLE schedules; Type: ACL; Schema: jobs
GRANT SELECT ON TABLE jobs.schedules TO hearth_worker;

GRANT SELECT ON TABLE jobs.schedules TO hearth_admin;

-- Name: FUNCTION is_too_far_ahead(p_schedule jobs.schedules, p_now timestamp with time zone); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.is_too_far_ahead(p_schedule jobs.schedules, p_now timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION keep_history(p_age interval); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.keep_history(p_age interval) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.keep_history(p_age interval) TO hearth_worker;

-- Name: FUNCTION lease_lock_class(); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.lease_lock_class() FROM PUBLIC;

-- Name: FUNCTION make_history_days(); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.make_history_days() FROM PUBLIC;

-- Name: FUNCTION move_to_dead(p_id bigint, p_error text); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.move_to_dead(p_id bigint, p_error text) FROM PUBLIC;

-- Name: FUNCTION next_tick(p_every interval, p_at_local time without time zone, p_zone text, p_after timestamp with time zone); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.next_tick(p_every interval, p_at_local time without time zone, p_zone text, p_after timestamp with time zone) FROM PUBLIC;

-- Name: FUNCTION old_history_days(p_age interval); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.old_history_days(p_age interval) FROM PUBLIC;

-- Name: FUNCTION pause(p_queue text, p_reason text); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.pause(p_queue text, p_reason text) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.pause(p_queue text, p_reason text) TO hearth_worker;

-- Name: FUNCTION put_schedule(p_name text, p_queue text, p_kind text, p_every interval, p_at_local time without time zone, p_zone text); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.put_schedule(p_name text, p_queue text, p_kind text, p_every interval, p_at_local time without time zone, p_zone text) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.put_schedule(p_name text, p_queue text, p_kind text, p_every interval, p_at_local time without time zone, p_zone text) TO hearth_worker;

-- Name: FUNCTION resume(p_queue text); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.resume(p_queue text) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.resume(p_queue text) TO hearth_worker;

-- Name: FUNCTION retire(p_worker integer); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.retire(p_worker integer) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.retire(p_worker integer) TO hearth_worker;

-- Name: FUNCTION revive(p_id bigint); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.revive(p_id bigint) FROM PUBLIC;

-- Name: FUNCTION settle(p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[]); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.settle(p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[]) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.settle(p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_delays_ms bigint[], p_errors text[]) TO hearth_worker;

-- Name: FUNCTION start(p_ids bigint[], p_tokens bigint[]); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.start(p_ids bigint[], p_tokens bigint[]) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.start(p_ids bigint[], p_tokens bigint[]) TO hearth_worker;

-- Name: FUNCTION stats(); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.stats() FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.stats() TO hearth_api;

GRANT ALL ON FUNCTION jobs.stats() TO hearth_worker;

GRANT ALL ON FUNCTION jobs.stats() TO hearth_admin;

-- Name: FUNCTION succeed(p_worker integer, p_label text, p_known bigint[], OUT worker integer, OUT was_held boolean); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.succeed(p_worker integer, p_label text, p_known bigint[], OUT worker integer, OUT was_held boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.succeed(p_worker integer, p_label text, p_known bigint[], OUT worker integer, OUT was_held boolean) TO hearth_worker;

-- Name: FUNCTION tick(p_now timestamp with time zone); Type: ACL; Schema: jobs
REVOKE ALL ON FUNCTION jobs.tick(p_now timestamp with time zone) FROM PUBLIC;

GRANT ALL ON FUNCTION jobs.tick(p_now timestamp with time zone) TO hearth_worker;

-- Name: TABLE my_trusting_families; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_trusting_families TO hearth_api;

GRANT SELECT ON TABLE app.my_trusting_families TO authenticated;

-- Name: TABLE family_invitations; Type: ACL; Schema: api
GRANT SELECT,DELETE ON TABLE api.family_invitations TO authenticated;

-- Name: TABLE family_members; Type: ACL; Schema: api
GRANT SELECT ON TABLE api.family_members TO authenticated;

-- Name: COLUMN family_members.id; Type: ACL; Schema: api
GRANT INSERT(id) ON TABLE api.family_members TO authenticated;

-- Name: COLUMN family_members.family_unit_id; Type: ACL; Schema: api
GRANT INSERT(family_unit_id) ON TABLE api.family_members TO authenticated;

-- Name: COLUMN family_members.user_id; Type: ACL; Schema: api
GRANT INSERT(user_id) ON TABLE api.family_members TO authenticated;

-- Name: COLUMN family_members.role; Type: ACL; Schema: api
GRANT INSERT(role) ON TABLE api.family_members TO authenticated;

-- Name: COLUMN family_members.added_at; Type: ACL; Schema: api
GRANT INSERT(added_at) ON TABLE api.family_members TO authenticated;

-- Name: TABLE resident_families_of_account; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.resident_families_of_account TO hearth_api;

GRANT SELECT ON TABLE app.resident_families_of_account TO authenticated;

-- Name: TABLE family_units; Type: ACL; Schema: api
GRANT SELECT ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.id; Type: ACL; Schema: api
GRANT INSERT(id) ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.created_by_user_id; Type: ACL; Schema: api
GRANT INSERT(created_by_user_id) ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.family_name; Type: ACL; Schema: api
GRANT INSERT(family_name),UPDATE(family_name) ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.family_code; Type: ACL; Schema: api
GRANT INSERT(family_code) ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.code_generated_at; Type: ACL; Schema: api
GRANT INSERT(code_generated_at) ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.created_at; Type: ACL; Schema: api
GRANT INSERT(created_at) ON TABLE api.family_units TO authenticated;

-- Name: COLUMN family_units.updated_at; Type: ACL; Schema: api
GRANT INSERT(updated_at) ON TABLE api.family_units TO authenticated;

-- Name: TABLE my_contacts; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_contacts TO hearth_api;

GRANT SELECT ON TABLE app.my_contacts TO authenticated;

-- Name: TABLE users; Type: ACL; Schema: api
GRANT SELECT ON TABLE api.users TO authenticated;

-- Name: COLUMN users.full_name; Type: ACL; Schema: api
GRANT UPDATE(full_name) ON TABLE api.users TO authenticated;

-- Name: COLUMN users.avatar_key; Type: ACL; Schema: api
GRANT UPDATE(avatar_key) ON TABLE api.users TO authenticated;

-- Name: COLUMN users.avatar_url; Type: ACL; Schema: api
GRANT UPDATE(avatar_url) ON TABLE api.users TO authenticated;

-- Name: TABLE my_governed_families; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_governed_families TO hearth_api;

GRANT SELECT ON TABLE app.my_governed_families TO authenticated;

-- Name: TABLE user_aliases; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.user_aliases TO hearth_authz;

GRANT SELECT ON TABLE app.user_aliases TO hearth_admin;

-- Name: TABLE audit_trail; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.audit_trail TO hearth_api;

-- Name: TABLE children_of_account; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.children_of_account TO hearth_api;

GRANT SELECT ON TABLE app.children_of_account TO authenticated;

-- Name: TABLE children_of_actor; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.children_of_actor TO hearth_api;

-- Name: TABLE consent_purposes; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.consent_purposes TO hearth_authz;

GRANT SELECT ON TABLE app.consent_purposes TO hearth_admin;

-- Name: TABLE consents; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.consents TO hearth_authz;

GRANT SELECT ON TABLE app.consents TO hearth_admin;

GRANT SELECT ON TABLE app.consents TO hearth_api;

-- Name: TABLE children_of_actor_without_consent; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.children_of_actor_without_consent TO hearth_api;

-- Name: TABLE family_attributes; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_attributes TO hearth_api;

-- Name: TABLE family_code_usage_log; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_code_usage_log TO hearth_admin;

-- Name: TABLE family_versions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_versions TO hearth_authz;

-- Name: COLUMN family_versions.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.family_versions TO hearth_api;

-- Name: COLUMN family_versions.version; Type: ACL; Schema: app
GRANT SELECT(version) ON TABLE app.family_versions TO hearth_api;

-- Name: COLUMN family_versions.purged_version; Type: ACL; Schema: app
GRANT SELECT(purged_version) ON TABLE app.family_versions TO hearth_api;

-- Name: COLUMN family_versions.raised_at; Type: ACL; Schema: app
GRANT SELECT(raised_at) ON TABLE app.family_versions TO hearth_api;

-- Name: TABLE family_versions_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.family_versions_of_batch TO hearth_api;

-- Name: TABLE former_member_list; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.former_member_list TO hearth_api;

-- Name: TABLE invitation_list; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.invitation_list TO hearth_api;

-- Name: TABLE invitations_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.invitations_of_batch TO hearth_api;

-- Name: TABLE invitations_to_me; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.invitations_to_me TO hearth_api;

-- Name: TABLE member_list; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.member_list TO hearth_api;

-- Name: TABLE member_preferences; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.member_preferences TO hearth_api;

-- Name: COLUMN member_preferences.family_unit_id; Type: ACL; Schema: app
GRANT INSERT(family_unit_id) ON TABLE app.member_preferences TO hearth_api;

-- Name: COLUMN member_preferences.user_id; Type: ACL; Schema: app
GRANT INSERT(user_id) ON TABLE app.member_preferences TO hearth_api;

-- Name: COLUMN member_preferences.preferences; Type: ACL; Schema: app
GRANT INSERT(preferences),UPDATE(preferences) ON TABLE app.member_preferences TO hearth_api;

-- Name: TABLE members_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.members_of_batch TO hearth_api;

-- Name: TABLE my_charges_without_consent; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_charges_without_consent TO hearth_api;

-- Name: TABLE my_families; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_families TO hearth_api;

GRANT SELECT ON TABLE app.my_families TO authenticated;

-- Name: TABLE my_families_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_families_of_batch TO hearth_api;

-- Name: TABLE my_family_list; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_family_list TO hearth_api;

-- Name: TABLE my_memberless_families; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_memberless_families TO hearth_api;

GRANT SELECT ON TABLE app.my_memberless_families TO authenticated;

-- Name: TABLE my_own_families; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_own_families TO hearth_api;

-- Name: TABLE my_profile; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_profile TO hearth_api;

-- Name: TABLE my_profiles; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_profiles TO hearth_api;

-- Name: TABLE my_relatives; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_relatives TO hearth_api;

GRANT SELECT ON TABLE app.my_relatives TO authenticated;

-- Name: TABLE my_requests; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_requests TO hearth_api;

-- Name: TABLE my_resident_families; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_resident_families TO hearth_api;

-- Name: TABLE my_sessions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_sessions TO hearth_api;

-- Name: TABLE my_wards; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.my_wards TO hearth_api;

-- Name: TABLE profiles_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.profiles_of_batch TO hearth_api;

-- Name: TABLE refused_invitations; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.refused_invitations TO hearth_admin;

-- Name: TABLE requests_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.requests_of_batch TO hearth_api;

-- Name: COLUMN role_conflicts.user_id; Type: ACL; Schema: app
GRANT SELECT(user_id) ON TABLE app.role_conflicts TO hearth_api;

-- Name: COLUMN role_conflicts.member_id; Type: ACL; Schema: app
GRANT SELECT(member_id) ON TABLE app.role_conflicts TO hearth_api;

-- Name: COLUMN role_conflicts.family_unit_id; Type: ACL; Schema: app
GRANT SELECT(family_unit_id) ON TABLE app.role_conflicts TO hearth_api;

-- Name: COLUMN role_conflicts.version; Type: ACL; Schema: app
GRANT SELECT(version) ON TABLE app.role_conflicts TO hearth_api;

-- Name: COLUMN role_conflicts.by_member_id; Type: ACL; Schema: app
GRANT SELECT(by_member_id) ON TABLE app.role_conflicts TO hearth_api;

-- Name: COLUMN role_conflicts.at; Type: ACL; Schema: app
GRANT SELECT(at) ON TABLE app.role_conflicts TO hearth_api;

-- Name: TABLE user_versions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.user_versions TO hearth_authz;

-- Name: COLUMN user_versions.user_id; Type: ACL; Schema: app
GRANT SELECT(user_id) ON TABLE app.user_versions TO hearth_api;

-- Name: COLUMN user_versions.version; Type: ACL; Schema: app
GRANT SELECT(version) ON TABLE app.user_versions TO hearth_api;

-- Name: COLUMN user_versions.purged_version; Type: ACL; Schema: app
GRANT SELECT(purged_version) ON TABLE app.user_versions TO hearth_api;

-- Name: COLUMN user_versions.raised_at; Type: ACL; Schema: app
GRANT SELECT(raised_at) ON TABLE app.user_versions TO hearth_api;

-- Name: TABLE session_versions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.session_versions TO hearth_api;

-- Name: TABLE sign_in_versions; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.sign_in_versions TO hearth_api;

-- Name: COLUMN standby_readers.id; Type: ACL; Schema: app
GRANT SELECT(id) ON TABLE app.standby_readers TO hearth_api;

-- Name: COLUMN standby_readers.number; Type: ACL; Schema: app
GRANT SELECT(number) ON TABLE app.standby_readers TO hearth_api;

-- Name: TABLE suppressed_addresses; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.suppressed_addresses TO hearth_admin;

-- Name: TABLE trusted_issuers; Type: ACL; Schema: app
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE app.trusted_issuers TO hearth_admin;

-- Name: TABLE user_versions_of_batch; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.user_versions_of_batch TO hearth_api;

-- Name: TABLE webhook_deliveries; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.webhook_deliveries TO hearth_admin;

-- Name: TABLE webhook_events; Type: ACL; Schema: app
GRANT SELECT ON TABLE app.webhook_events TO hearth_admin;

-- Name: TABLE dead; Type: ACL; Schema: jobs
GRANT SELECT ON TABLE jobs.dead TO hearth_worker;

GRANT SELECT ON TABLE jobs.dead TO hearth_admin;

-- Name: TABLE history; Type: ACL; Schema: jobs
GRANT SELECT ON TABLE jobs.history TO hearth_worker;

GRANT SELECT ON TABLE jobs.history TO hearth_admin;

-- Name: TABLE live; Type: ACL; Schema: jobs
GRANT SELECT ON TABLE jobs.live TO hearth_worker;

GRANT SELECT ON TABLE jobs.live TO hearth_admin;

-- Name: TABLE paused_queues; Type: ACL; Schema: jobs
GRANT SELECT ON TABLE jobs.paused_queues TO hearth_worker;

GRANT SELECT ON TABLE jobs.paused_queues TO hearth_admin;

-- Name: TABLE workers; Type: ACL; Schema: jobs
GRANT SELECT ON TABLE jobs.workers TO hearth_worker;

GRANT SELECT ON TABLE jobs.workers TO hearth_admin;

-- Name: DEFAULT PRIVILEGES FOR TYPES; Type: DEFAULT ACL; Schema: -
ALTER DEFAULT PRIVILEGES FOR ROLE hearth_owner REVOKE ALL ON TYPES  FROM PUBLIC;

-- Name: DEFAULT PRIVILEGES FOR FUNCTIONS; Type: DEFAULT ACL; Schema: -
ALTER DEFAULT PRIVILEGES FOR ROLE hearth_owner REVOKE ALL ON FUNCTIONS  FROM PUBLIC;
