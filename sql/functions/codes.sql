-- Family codes: drawn, assigned to families, replaced.
--
-- A trigger draws the code, from pg_strong_random (gen_random_uuid), or assigns the one that a
-- direct client has chosen. ON CONFLICT and another draw resolve a collision; there is no lookup
-- and no error. A client that does not get its chosen code learns that the code exists or existed.
-- So every choice is counted as a wrong code (automatic_approval.sql), and no choice is granted
-- while wrong codes make approval required. An account can choose five times at most, because it
-- can create five families.

-- Draws as many characters as codes have (code_settings.sql) from an alphabet of 31, without those
-- that are easily confused. Bytes 6 and 8 of a version 4 UUID have fixed bits and are skipped.
-- Bytes of 248 or more are discarded, because otherwise the first characters of the alphabet would
-- be more frequent.
CREATE OR REPLACE FUNCTION app.random_code() RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
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

-- Draws until a code is free. A draw waits for a concurrent draw of the same code, and is then
-- repeated. After 100 collisions in a row, practically all codes are in use.
CREATE OR REPLACE FUNCTION app.draw_code(p_family uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
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

-- Assigns the chosen code if it is well-formed, has the length of new codes and is free; returns
-- null otherwise. A shorter code would be easier to guess than the operator allows. A well-formed
-- choice, free or not, is counted as a wrong code of the account; otherwise choices would be
-- guesses that are not counted. The result is always null while wrong codes make approval required,
-- even if this choice is what made it required.
CREATE OR REPLACE FUNCTION app.claim_chosen_code(p_code text, p_family uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    v_account constant uuid := app.account_id();
    drawn text;
BEGIN
    IF p_code ~ '^FAM-[A-Z0-9]+$' AND length(p_code) = 4 + app.code_length() THEN
        -- Without an account, the tables' owner made the choice, not a client.
        IF v_account IS NOT NULL THEN
            PERFORM app.record_wrong_code(v_account, p_code);
            IF app.approval_is_automatic() THEN
                RETURN NULL;
            END IF;
        END IF;
        INSERT INTO app.family_codes (code, family_unit_id) VALUES (p_code, p_family)
            ON CONFLICT (code) DO NOTHING
            RETURNING code INTO drawn;
    END IF;
    RETURN drawn;
END $$;

CREATE OR REPLACE FUNCTION app.assign_family_code() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_chosen constant text := NEW.family_code;
BEGIN
    NEW.family_code := NULL;
    NEW.code_generated_at := NULL;
    -- Locks the caller's own account before the foreign key does, so that an account that was
    -- erased meanwhile gets the refusal for erased accounts.
    IF NEW.created_by_user_id = app.account_id() THEN
        PERFORM app.lock_account(NEW.created_by_user_id);
    END IF;
    -- If the family's id is in use, the policy's check and then the primary key refuse it. An error
    -- raised here, before them, would be a different response.
    IF NOT EXISTS (SELECT FROM app.family_codes AS c WHERE c.family_unit_id = NEW.id) THEN
        IF v_chosen IS NOT NULL THEN
            NEW.family_code := app.claim_chosen_code(v_chosen, NEW.id);
        END IF;
        NEW.family_code := coalesce(NEW.family_code, app.draw_code(NEW.id));
        NEW.code_generated_at := now();
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER assign_code BEFORE INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.assign_family_code();

-- Replaces a family's code; the old one ends with the same commit. The caller must have locked the
-- family's row. A family whose code has expired gets a new one, too.
CREATE OR REPLACE FUNCTION app.replace_code(p_family uuid, p_expires_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
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

-- Ends the code of a family that nobody should join any more. The caller has locked the family's
-- row.
CREATE OR REPLACE FUNCTION app.retire_code(p_family uuid, p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
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

-- Whether a family has no code because nobody belongs to it any more: its only player left it for
-- another family, or its last member left and it requires approval. Parallel safe, because
-- check_codes scans all families with several processes.
CREATE OR REPLACE FUNCTION app.code_was_given_up(p_family uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce((
    SELECT c.reason = 'given_up' FROM app.family_codes AS c
    WHERE c.family_unit_id = p_family
    ORDER BY c.retired_at DESC NULLS FIRST LIMIT 1), false);

CREATE OR REPLACE FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer)
RETURNS TABLE (family_code text, code_generated_at timestamptz, code_expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
BEGIN
    PERFORM app.require_consent_to('code.regenerate');
    PERFORM app.require_allowed(app.may_regenerate_code(v_caller));
    IF p_expires_in_days NOT BETWEEN 1 AND app.max_code_days() THEN
        PERFORM app.refuse_field('expiresInDays',
            format('A code lasts from 1 to %s days.', app.max_code_days()));
    END IF;
    PERFORM app.replace_code(p_family, now() + make_interval(days => p_expires_in_days));
    PERFORM app.record_audit('code.regenerate', p_family, v_caller.user_id, p_family);
    RETURN QUERY SELECT f.family_code, f.code_generated_at, f.code_expires_at
        FROM app.family_units AS f WHERE f.id = p_family;
END $$;

COMMENT ON FUNCTION app.regenerate_code(uuid, integer) IS
    'Gives the family a new code that is valid for this number of days or, if null, without '
    'expiry.';

GRANT EXECUTE ON FUNCTION app.regenerate_code(uuid, integer) TO hearth_api;
