-- Player details are changed field by field: whoever wrote one field took the others away, and of two
-- who wrote different fields at once one lost its own. And who comes to a full family by an
-- invitation is told how many it takes, as who comes by a code.
--
-- app.set_player_details stays for programs that run while this is applied.
--
-- Locks: those of CREATE (OR REPLACE) FUNCTION, for an instant. At run time: the family's row.

-- Adults write. What the object does not name stays; null takes away.
CREATE FUNCTION app.change_player_details(p_family uuid, p_changes jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_me constant app.family_members := app.enter_family(p_family);
BEGIN
    PERFORM app.require_allowed(app.is_adult(v_me));
    UPDATE app.family_units AS f
        SET player_details = jsonb_strip_nulls(f.player_details || p_changes)
        WHERE f.id = p_family;
    PERFORM app.record_audit('player_details.write', p_family, v_me.user_id, p_family);
END $$;

COMMENT ON FUNCTION app.change_player_details(uuid, jsonb) IS
    'Changes what the family notes about its player: the fields that are given, null taking away.';

GRANT EXECUTE ON FUNCTION app.change_player_details(uuid, jsonb) TO hearth_api;

-- As before, but the refusal of a full family tells its limit, in the error's detail.
CREATE OR REPLACE FUNCTION app.seat_person(p_family uuid, p_user uuid, p_role text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;
    IF p_role = 'player' AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.user_id = p_user AND m.status = 'active' AND m.role = 'player') THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    ELSIF app.lowest_free_slot(p_family) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'HF409', CONSTRAINT = 'family_full',
            MESSAGE = 'This family is full.',
            DETAIL = (SELECT f.member_limit FROM app.family_units AS f WHERE f.id = p_family);
    END IF;
END $$;
