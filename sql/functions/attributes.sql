-- Attributes of a family, changed by a JSON merge patch (RFC 7396).

-- Applies a merge patch to a value. An object sets the members that it contains and removes those
-- that it sets to null; any other value replaces the target. There is one query for each object,
-- because a loop would copy the whole object for each member.
CREATE OR REPLACE FUNCTION app.merge_patch(p_target jsonb, p_patch jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE SET search_path = '' AS $$
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

COMMENT ON FUNCTION app.merge_patch(jsonb, jsonb) IS 'Applies a JSON merge patch (RFC 7396).';

-- Creator, admin and adults may call this function. If p_versions is not null, the patch applies
-- only if the current version is one of them; otherwise nothing changes and is_expected is false. A
-- patch without effect keeps the version and writes no audit row.
CREATE OR REPLACE FUNCTION app.patch_attributes(
    p_family uuid, p_patch jsonb, p_versions bigint[])
RETURNS TABLE (attributes jsonb, version bigint, is_expected boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
    v_after jsonb;
BEGIN
    PERFORM app.require_consent_to('attributes.write');
    PERFORM app.require_allowed(v_caller.governs OR app.is_adult(v_caller));
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
        PERFORM app.record_audit('attributes.write', p_family, v_caller.user_id, p_family);
    END IF;
    RETURN NEXT;
END $$;

COMMENT ON FUNCTION app.patch_attributes(uuid, jsonb, bigint[]) IS
    'Merges a patch into the family''s attributes; returns the attributes and their version.';

GRANT EXECUTE ON FUNCTION app.patch_attributes(uuid, jsonb, bigint[]) TO hearth_api;
