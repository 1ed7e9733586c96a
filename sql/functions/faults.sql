-- Faults in the data: found, and repaired where possible.
--
-- Constraints prevent most of them. They arise where constraints were switched off: a restore with
-- triggers disabled, manual changes as superuser, a broken index. find_faults checks all families
-- at once. repair_fault repairs one fault under the family's lock, and returns false where a person
-- must decide.

CREATE OR REPLACE FUNCTION app.best_guardian(p_family uuid) RETURNS uuid
LANGUAGE sql STABLE
RETURN (
    SELECT m.user_id FROM app.family_members AS m
    WHERE m.family_unit_id = p_family AND m.active_adult_user_id IS NOT NULL
    ORDER BY m.household_role = 'parent_admin' DESC, m.added_at, m.id LIMIT 1);

-- Whether a guardianship of the child is left over from a guardian or child who is not active any
-- more, or its primary guardian's is missing.
CREATE OR REPLACE FUNCTION app.has_wrong_guardianship(p_child app.family_members) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
        SELECT FROM app.guardianships AS w
        WHERE w.member_id = (p_child).id AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id
                AND (p_child).status = 'active'))
    OR EXISTS (
        SELECT FROM app.family_members AS g
        WHERE g.family_unit_id = (p_child).family_unit_id
            AND g.active_adult_user_id = (p_child).active_guardian_id AND NOT EXISTS (
                SELECT FROM app.guardianships AS w
                WHERE w.member_id = (p_child).id AND w.guardian_user_id = g.user_id));

-- kind, the family (null: none in particular), the member, user or invitation concerned, and
-- whether repair_fault can repair it. At most p_limit of each kind.
CREATE OR REPLACE FUNCTION app.find_faults(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    (SELECT 'child_without_guardian', m.family_unit_id, m.id,
            app.best_guardian(m.family_unit_id) IS NOT NULL
        FROM app.family_members AS m
        WHERE m.status = 'active' AND m.user_kind = 'managed' AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = m.family_unit_id
                AND g.active_adult_user_id = m.parent_user_id)
        ORDER BY m.id LIMIT p_limit)
    UNION ALL
    (SELECT 'guardianship_wrong', m.family_unit_id, m.id, true
        FROM app.family_members AS m
        WHERE m.user_kind = 'managed' AND app.has_wrong_guardianship(m)
        ORDER BY m.id LIMIT p_limit)
    UNION ALL
    -- A player's new family has no grown-up yet: that is no fault for a month.
    (SELECT 'family_without_adult', f.id, NULL::uuid, false
        FROM app.family_units AS f
        WHERE f.emptied_at IS NULL
            AND EXISTS (SELECT FROM app.family_members AS m
                        WHERE m.family_unit_id = f.id AND m.status = 'active')
            AND NOT EXISTS (SELECT FROM app.family_members AS m
                            WHERE m.family_unit_id = f.id AND m.active_adult_user_id IS NOT NULL)
            AND (f.created_at < now() - interval '30 days' OR EXISTS (
                SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id
                    AND (m.user_kind = 'managed' OR m.role = 'parent')))
        ORDER BY f.id LIMIT p_limit)
    UNION ALL
    (SELECT 'several_parent_admins', m.family_unit_id, NULL, false
        FROM app.family_members AS m
        WHERE m.status = 'active' AND m.household_role = 'parent_admin'
        GROUP BY m.family_unit_id HAVING count(*) > 1
        ORDER BY m.family_unit_id LIMIT p_limit)
    UNION ALL
    (SELECT 'slot_wrong', m.family_unit_id, m.id, true
        FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE (m.status = 'active') <> (m.slot IS NOT NULL) OR m.slot > f.member_limit
            OR EXISTS (SELECT FROM app.family_members AS o
                       WHERE o.family_unit_id = m.family_unit_id AND o.slot = m.slot
                           AND o.id < m.id)
        ORDER BY m.id LIMIT p_limit)
    UNION ALL
    (SELECT 'player_in_several_families', NULL, m.user_id, false
        FROM app.family_members AS m
        WHERE m.status = 'active' AND m.role = 'player'
        GROUP BY m.user_id HAVING count(*) > 1 ORDER BY m.user_id LIMIT p_limit)
    UNION ALL
    (SELECT 'member_kind_wrong', m.family_unit_id, m.id, false
        FROM app.family_members AS m LEFT JOIN app.users AS u ON u.id = m.user_id
        WHERE u.kind IS DISTINCT FROM m.user_kind ORDER BY m.id LIMIT p_limit)
    UNION ALL
    (SELECT 'creator_mark_wrong', m.family_unit_id, m.id, false
        FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE m.is_creator <> (f.created_by_user_id = m.user_id) ORDER BY m.id LIMIT p_limit)
    UNION ALL
    (SELECT 'code_wrong', f.id, NULL, true
        FROM app.family_units AS f
        LEFT JOIN app.family_codes AS c ON c.family_unit_id = f.id AND c.state = 'live'
        WHERE c.code IS DISTINCT FROM f.family_code
            OR (f.family_code IS NULL
                AND (f.code_expires_at IS NULL OR f.code_expires_at > now()))
        ORDER BY f.id LIMIT p_limit)
    UNION ALL
    (SELECT 'emptiness_wrong', f.id, NULL, true
        FROM app.family_units AS f
        WHERE (f.emptied_at IS NULL) <> EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.status = 'active')
        ORDER BY f.id LIMIT p_limit)
    UNION ALL
    -- The worker does this every minute.
    (SELECT 'invitation_overdue', i.family_unit_id, i.id, true
        FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at < now() - interval '1 hour'
        ORDER BY i.id LIMIT p_limit)
    UNION ALL
    (SELECT 'code_overdue', f.id, NULL, true
        FROM app.family_units AS f
        WHERE f.family_code IS NOT NULL AND f.code_expires_at < now() - interval '1 hour'
        ORDER BY f.id LIMIT p_limit)
    UNION ALL
    (SELECT 'invitation_without_secret', i.family_unit_id, i.id, false
        FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at > now() AND NOT EXISTS (
            SELECT FROM app.invitation_secrets AS s
            WHERE s.invitation_id = i.id AND s.generation = i.generation)
        ORDER BY i.id LIMIT p_limit)
    UNION ALL
    (SELECT 'erased_user_left_over', NULL, u.id, false
        FROM app.users AS u
        WHERE u.deleted_at IS NOT NULL AND (
            u.full_name IS NOT NULL OR u.email IS NOT NULL
            OR EXISTS (SELECT FROM app.user_identities AS i WHERE i.user_id = u.id)
            OR EXISTS (SELECT FROM app.family_members AS m
                       WHERE m.user_id = u.id AND m.status = 'active'))
        ORDER BY u.id LIMIT p_limit)
$$;

COMMENT ON FUNCTION app.find_faults(integer) IS 'What should not be; nothing in a sound database.';

CREATE OR REPLACE FUNCTION app.repair_guardianships(p_family uuid, p_child uuid) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
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

-- Repairs a fault only if it still exists.
CREATE OR REPLACE FUNCTION app.repair_fault(p_kind text, p_family uuid, p_subject uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family app.family_units;
    v_count integer := 0;
BEGIN
    v_family := app.operate_on_family(p_family);
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
        WHERE m.id = p_subject AND m.family_unit_id = p_family
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
            AND (v_family.code_expires_at IS NULL OR v_family.code_expires_at > now()))) THEN
        UPDATE app.family_units AS f SET family_code = NULL WHERE f.id = p_family;
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

COMMENT ON FUNCTION app.repair_fault(text, uuid, uuid) IS
    'Mends a fault that find_faults told; false where it could not.';

-- A slot is assigned when a member becomes active, so getting another one takes removing and
-- reactivating the member.
CREATE OR REPLACE FUNCTION app.repair_slot(p_family uuid, p_member uuid) RETURNS integer
LANGUAGE plpgsql SET search_path = '' AS $$
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

GRANT EXECUTE ON FUNCTION
    app.find_faults(integer), app.repair_fault(text, uuid, uuid)
    TO hearth_admin;
