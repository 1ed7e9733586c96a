-- A new code for a family; the old one stops with the same commit.
--
-- Locks: none, all objects are new. At run time: the family's row.

-- The family's row must be locked by the caller. A family whose code has expired just gets one.
CREATE FUNCTION app.replace_code(p_family uuid, p_expires_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    UPDATE app.family_codes AS c SET
            state = 'retired', retired_at = now(),
            reason = CASE WHEN f.code_expires_at <= now() THEN 'expired' ELSE 'regenerated' END
        FROM app.family_units AS f
        WHERE c.family_unit_id = p_family AND c.state = 'live' AND f.id = p_family;
    UPDATE app.family_units AS f SET
            family_code = app.mint_code(p_family), code_generated_at = now(),
            code_expires_at = p_expires_at
        WHERE f.id = p_family;
    INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
        VALUES (p_family, app.actor_id(), 'regenerated');
END $$;

-- Creator, admin, any player; not a parent who merely joined.
CREATE FUNCTION app.may_regenerate_code(p_me app.family_members) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN (p_me).governs OR app.is_player(p_me);

CREATE FUNCTION app.regenerate_code(p_family uuid, p_expires_in_days integer)
RETURNS TABLE (family_code text, code_generated_at timestamptz, code_expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
BEGIN
    PERFORM app.require_allowed(app.may_regenerate_code(v_me));
    IF p_expires_in_days NOT BETWEEN 1 AND 365 THEN
        PERFORM app.refuse('HF400', 'expiry_out_of_range', 'A code lasts from 1 to 365 days.');
    END IF;
    PERFORM app.replace_code(p_family, now() + make_interval(days => p_expires_in_days));
    PERFORM app.record_audit('code.regenerate', p_family, v_me.user_id, p_family);
    RETURN QUERY SELECT f.family_code, f.code_generated_at, f.code_expires_at
        FROM app.family_units AS f WHERE f.id = p_family;
END $$;

COMMENT ON FUNCTION app.regenerate_code(uuid, integer) IS
    'Gives the family a new code, for so many days or (null) for good.';

GRANT EXECUTE ON FUNCTION app.regenerate_code(uuid, integer) TO hearth_api;
