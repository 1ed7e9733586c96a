-- Managed children: children without an account, added by an adult who becomes their guardian.
--
-- A child's user and membership share one uuid. Only its guardians may change a child
-- (guardianships.sql). Its primary guardian may hand it over to another adult and remove it;
-- remove_other_member says who else may remove it.

-- Makes another adult the guardian of those children of p_from in the family who have no other
-- guardian. For the other children, the next guardian becomes primary when p_from goes. If a child
-- has no other guardian and p_to_member is null, the change is refused. The calling function
-- decides who may name a guardian; but nobody may name itself if each of the children has another
-- guardian. Returns the user of p_to_member; null if nobody had to take over a child.
CREATE OR REPLACE FUNCTION app.reassign_children_of(p_from app.family_members, p_to_member uuid)
RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_to app.family_members;
    v_children app.family_members[] := ARRAY(
        SELECT m FROM app.guardianships AS w JOIN app.family_members AS m ON m.id = w.member_id
        WHERE w.family_unit_id = p_from.family_unit_id AND w.guardian_user_id = p_from.user_id
            AND app.longest_serving_guardian(m.id, p_from.user_id) IS NULL
        ORDER BY m.id);
    v_child app.family_members;
BEGIN
    IF p_to_member IS NOT NULL AND EXISTS (
        SELECT FROM app.guardianships AS w
        WHERE w.family_unit_id = p_from.family_unit_id AND w.guardian_user_id = p_from.user_id)
    THEN
        v_to := app.member_in_family_of(p_from, p_to_member);
        PERFORM app.require_allowed(
            cardinality(v_children) > 0 OR v_to.user_id IS DISTINCT FROM app.account_id());
    END IF;
    IF cardinality(v_children) = 0 THEN
        RETURN NULL;
    ELSIF p_to_member IS NULL THEN
        PERFORM app.refuse('HF409', 'guardian_has_managed_members',
            'This member is the guardian of managed members. Name who takes over.');
    ELSIF v_to.id = p_from.id THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    END IF;
    FOREACH v_child IN ARRAY v_children LOOP
        PERFORM app.reassign_child(v_child, p_from.user_id, v_to);
    END LOOP;
    RETURN v_to.user_id;
END $$;

-- Reassigns children with reassign_children_of, and enqueues an e-mail to the former guardian if
-- another adult has taken over. A caller who gives up its own children gets none.
CREATE OR REPLACE FUNCTION app.hand_over_children(p_from app.family_members, p_to_member uuid)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_guardian constant uuid := app.reassign_children_of(p_from, p_to_member);
BEGIN
    IF v_guardian IS NOT NULL AND p_from.user_id IS DISTINCT FROM app.account_id() THEN
        PERFORM app.enqueue_family_mail(
            'mail.guardian_replaced', p_from.family_unit_id, p_from.user_id, v_guardian);
    END IF;
END $$;

-- Adds a child with the adult p_guardian as its guardian. Returns its id, as member and as user.
-- The calling function decides who may do so.
CREATE OR REPLACE FUNCTION app.insert_child(
    p_guardian app.family_members, p_display_name text, p_avatar_key text, p_joined_via text
) RETURNS uuid
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_family constant uuid := p_guardian.family_unit_id;
    v_child constant uuid := gen_random_uuid();
    v_slot constant smallint := app.require_slot(v_family);
BEGIN
    INSERT INTO app.users (id, kind, full_name, role, avatar_key)
        VALUES (v_child, 'managed', p_display_name, 'player', p_avatar_key);
    INSERT INTO app.family_members
            (id, family_unit_id, user_id, role, household_role, slot, parent_user_id, joined_via)
        VALUES (v_child, v_family, v_child, 'player', 'kid', v_slot, p_guardian.user_id,
                p_joined_via);
    PERFORM app.record_audit('managed.create', v_family, v_child, v_child);
    RETURN v_child;
END $$;

CREATE OR REPLACE FUNCTION app.add_managed_member(
    p_family uuid, p_display_name text, p_avatar_key text)
RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_as_member(p_family);
BEGIN
    PERFORM app.require_consent_to('managed.create');
    PERFORM app.require_allowed(app.is_adult(v_caller));
    RETURN app.insert_child(v_caller, p_display_name, p_avatar_key, 'created');
END $$;

COMMENT ON FUNCTION app.add_managed_member(uuid, text, text) IS
    'Adds a child with the caller as its guardian; returns its id, as member and as user.';

-- Null leaves a value unchanged; an empty avatar key clears it.
CREATE OR REPLACE FUNCTION app.update_managed_member(
    p_member uuid, p_display_name text, p_avatar_key text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
BEGIN
    PERFORM app.require_consent_to('managed.update');
    UPDATE app.users AS u SET
            full_name = coalesce(p_display_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END
        WHERE u.id = v_child.user_id;
    PERFORM app.record_audit(
        'managed.update', v_child.family_unit_id, v_child.user_id, v_child.id);
END $$;

COMMENT ON FUNCTION app.update_managed_member(uuid, text, text) IS
    'Changes the name or avatar of a child whose guardian the caller is.';

-- Makes another adult the primary guardian of a child, in place of the guardian p_from, who stops
-- being one. The calling function decides who may do so. p_from is the primary guardian or, while
-- that one is blocked, perhaps the one who has its rights.
DROP FUNCTION IF EXISTS app.reassign_child(app.family_members, app.family_members);
CREATE OR REPLACE FUNCTION app.reassign_child(
    p_child app.family_members, p_from uuid, p_guardian app.family_members)
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF app.is_adult(p_guardian) IS NOT TRUE OR app.is_blocked(p_guardian.user_id)
        OR p_guardian.user_id = p_from THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    END IF;
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = p_child.id AND w.guardian_user_id = p_from;
    UPDATE app.family_members AS m SET parent_user_id = p_guardian.user_id
        WHERE m.id = p_child.id;
    PERFORM app.record_audit('managed.reassign', p_child.family_unit_id, p_child.user_id,
        p_guardian.id);
END $$;

CREATE OR REPLACE FUNCTION app.reassign_managed_member(p_member uuid, p_guardian_member uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_primarily_guarded_child(p_member);
BEGIN
    PERFORM app.require_consent_to('managed.reassign');
    PERFORM app.reassign_child(
        v_child, app.account_id(), app.member_in_family_of(v_child, p_guardian_member));
END $$;

COMMENT ON FUNCTION app.reassign_managed_member(uuid, uuid) IS
    'Makes another adult the primary guardian of a child, in place of the caller.';

GRANT EXECUTE ON FUNCTION
    app.add_managed_member(uuid, text, text), app.update_managed_member(uuid, text, text),
    app.reassign_managed_member(uuid, uuid)
    TO hearth_api;
