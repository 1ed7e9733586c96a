-- What operators may read, and how they change families.
--
-- An operator signs in to the database as `hearth_admin`, which is no superuser and passes no
-- row-level security by: policies let it read, functions that state their rule let it change.
-- It belongs to no family, so none of the rules about standings speaks of it; every invariant
-- holds for it as for everybody. A transaction begins with begin_operation, which says who the
-- person is; without it every change is refused. The audit row has the label `operator:<name>`
-- and no actor.
--
-- Out of its reach: the secrets of invitations, hashes of subjects, limits, kept answers. Members'
-- preferences are read by export_preferences alone, which leaves an audit row.
--
-- Locks: ACCESS EXCLUSIVE on the tables that get a policy, for an instant.

CREATE POLICY users_operator_reads ON app.users FOR SELECT TO hearth_admin USING (true);
CREATE POLICY user_identities_operator_reads ON app.user_identities
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_units_operator_reads ON app.family_units
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_codes_operator_reads ON app.family_codes
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_members_operator_reads ON app.family_members
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_invitations_operator_reads ON app.family_invitations
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_code_usage_log_operator_reads ON app.family_code_usage_log
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY audit_log_operator_reads ON app.audit_log FOR SELECT TO hearth_admin USING (true);

GRANT SELECT (id, kind, email, email_verified, full_name, role, avatar_key, avatar_url, created_at,
    updated_at, deleted_at) ON app.users TO hearth_admin;
GRANT SELECT (issuer, user_id, created_at) ON app.user_identities TO hearth_admin;
GRANT SELECT ON app.family_units, app.family_codes, app.family_members, app.family_invitations,
    app.family_code_usage_log, app.audit_log TO hearth_admin;

-- The setting lasts as long as the transaction. What a request may have left in it is cleared:
-- the operator is not somebody's account.
CREATE FUNCTION app.begin_operation(p_operator text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF p_operator IS NULL OR p_operator !~ '^[^[:cntrl:]]{1,80}$' THEN
        PERFORM app.refuse('HF400', 'operator_malformed',
            'The name of an operator has 1 to 80 characters, none of them a control character.');
    END IF;
    PERFORM set_config('hearth.operator', p_operator, true),
        set_config('hearth.user_id', '', true), set_config('hearth.guardian_id', '', true);
    PERFORM app.require_operator();
END $$;

COMMENT ON FUNCTION app.begin_operation(text) IS
    'Begins an operator''s transaction, in this name.';

CREATE FUNCTION app.require_operator() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    IF app.operator_label() IS NULL THEN
        PERFORM app.refuse('HF403', 'not_an_operator', 'This is for operators only.');
    END IF;
END $$;

-- The family's row is locked before anything of it is read, as everywhere.
CREATE FUNCTION app.operate_on_family(p_family uuid) RETURNS app.family_units
LANGUAGE plpgsql SET search_path = '' AS $$
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

-- A member who is active or waits for approval, its family's row locked.
CREATE FUNCTION app.operate_on_member(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
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

-- An account that can be given something, its row locked; the family's comes first.
CREATE FUNCTION app.operate_on_account(p_user uuid) RETURNS app.users
LANGUAGE plpgsql SET search_path = '' AS $$
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

-- Families.

CREATE FUNCTION app.operator_create_family(p_owner uuid, p_family_name text, p_role text)
RETURNS TABLE (family_unit_id uuid, family_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_owner constant app.users := app.operate_on_account(p_owner);
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

COMMENT ON FUNCTION app.operator_create_family(uuid, text, text) IS
    'Creates a family for an account, which becomes its creator and first member.';

CREATE FUNCTION app.operator_rename_family(p_family uuid, p_family_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.operate_on_family(p_family);
    UPDATE app.family_units AS f SET family_name = p_family_name WHERE f.id = p_family;
    PERFORM app.record_audit('family.update', p_family, NULL, p_family,
        '{"changed": ["family_name"]}');
END $$;

COMMENT ON FUNCTION app.operator_rename_family(uuid, text) IS 'Gives a family another name.';

CREATE FUNCTION app.operator_replace_code(p_family uuid, p_expires_in_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.operate_on_family(p_family);
    IF p_expires_in_days NOT BETWEEN 1 AND 365 THEN
        PERFORM app.refuse('HF400', 'expiry_out_of_range', 'A code lasts from 1 to 365 days.');
    END IF;
    PERFORM app.replace_code(p_family, now() + make_interval(days => p_expires_in_days));
    PERFORM app.record_audit('code.regenerate', p_family, NULL, p_family);
END $$;

COMMENT ON FUNCTION app.operator_replace_code(uuid, integer) IS
    'Gives a family a new code, for so many days or (null) for good; the old one is dead.';

-- The seat moves, vacant or not: so there are never two.
CREATE FUNCTION app.operator_transfer_admin(p_member uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.operate_on_member(p_member);
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
    UPDATE app.family_members AS m SET household_role = 'parent_admin' WHERE m.id = p_member;
    PERFORM app.record_audit('admin.transfer', v_target.family_unit_id, v_target.user_id, p_member,
        jsonb_build_object('from', v_before));
END $$;

COMMENT ON FUNCTION app.operator_transfer_admin(uuid) IS
    'Makes an adult the Parent Admin; whoever was it is an adult from then on.';

-- Members.

-- Nobody is made Parent Admin beside another. A standing kept from before may be raised; who had
-- been removed comes back.
CREATE FUNCTION app.operator_add_member(
    p_family uuid, p_user uuid, p_role text, p_household_role text
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_family constant app.family_units := app.operate_on_family(p_family);
    v_user constant app.users := app.operate_on_account(p_user);
    v_role constant text := coalesce(p_role, v_user.role);
    v_household_role constant text := coalesce(
        p_household_role, CASE v_role WHEN 'player' THEN 'kid' ELSE 'adult' END);
    v_member uuid;
BEGIN
    IF EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = v_family.id AND m.user_id = p_user AND m.status = 'active') THEN
        PERFORM app.refuse('HF409', 'already_member',
            'This person is already a member of the family.');
    ELSIF v_household_role = 'parent_admin' AND app.seat_is_taken(p_family) THEN
        PERFORM app.refuse('HF409', 'parent_admin_exists',
            'A Parent Admin already exists for this family.');
    ELSIF v_household_role = 'parent_admin' AND v_role <> 'parent' THEN
        PERFORM app.refuse('HF409', 'admin_not_adult',
            'The next Parent Admin is another adult with an account.');
    END IF;
    PERFORM app.seat_person(p_family, p_user, v_role);
    INSERT INTO app.family_members AS m
            (family_unit_id, user_id, role, household_role, joined_via)
        VALUES (p_family, p_user, v_role, v_household_role, 'operator')
        ON CONFLICT ON CONSTRAINT family_members_family_user_key DO UPDATE SET
            role = excluded.role, household_role = excluded.household_role,
            status = 'active', joined_via = 'operator', added_at = now(),
            removed_at = NULL, removed_by = NULL
        RETURNING m.id INTO v_member;
    IF v_role = 'player' THEN
        PERFORM app.fill_player_name(p_family, p_user);
    END IF;
    PERFORM app.record_audit('member.add', p_family, p_user, v_member,
        jsonb_build_object('role', v_role, 'householdRole', v_household_role));
    RETURN v_member;
END $$;

COMMENT ON FUNCTION app.operator_add_member(uuid, uuid, text, text) IS
    'Puts an account into a family; its membership.';

CREATE FUNCTION app.operator_remove_member(
    p_member uuid, p_reassign_to uuid, p_rotate_code boolean
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.operate_on_member(p_member);
BEGIN
    IF app.is_admin(v_target) AND EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = v_target.family_unit_id AND m.active_adult_user_id IS NOT NULL
            AND m.id <> p_member) THEN
        PERFORM app.refuse('HF409', 'transfer_admin_first',
            'This member is the Parent Admin: make another adult Parent Admin first.');
    END IF;
    PERFORM app.hand_over_wards(v_target, p_reassign_to);
    PERFORM app.end_membership(v_target);
    IF p_rotate_code THEN
        PERFORM app.replace_code(v_target.family_unit_id, NULL);
    END IF;
    PERFORM app.record_audit(
        CASE v_target.user_kind WHEN 'managed' THEN 'managed.remove' ELSE 'member.remove' END,
        v_target.family_unit_id, v_target.user_id, p_member,
        jsonb_build_object('was', v_target.status, 'rotatedCode', coalesce(p_rotate_code, false)));
END $$;

COMMENT ON FUNCTION app.operator_remove_member(uuid, uuid, boolean) IS
    'Removes a member; the children it guards go to the adult named, or stand in the way.';

CREATE FUNCTION app.operator_set_household_role(
    p_member uuid, p_household_role text, p_reassign_to uuid
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_target constant app.family_members := app.operate_on_member(p_member);
BEGIN
    IF app.rank_of(p_household_role) IS NULL THEN
        PERFORM app.refuse('HF400', 'household_role_unknown',
            'A household role is parent_admin, adult, kid or visitor.');
    ELSIF v_target.user_kind <> 'account' THEN
        PERFORM app.refuse('HF403', 'not_allowed', 'A managed member stays a kid.');
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
    IF app.rank_of(p_household_role) < app.rank_of('adult') THEN
        PERFORM app.hand_over_wards(v_target, p_reassign_to);
    END IF;
    UPDATE app.family_members AS m SET household_role = p_household_role WHERE m.id = p_member;
    PERFORM app.record_audit('member.set_role', v_target.family_unit_id, v_target.user_id,
        p_member, jsonb_build_object('from', v_target.household_role, 'to', p_household_role));
END $$;

COMMENT ON FUNCTION app.operator_set_household_role(uuid, text, uuid) IS
    'Changes a member''s standing; the seat of the Parent Admin only while it is vacant.';

-- Managed members.

CREATE FUNCTION app.operator_add_managed_member(
    p_guardian_member uuid, p_display_name text, p_avatar_key text
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_guardian constant app.family_members := app.operate_on_member(p_guardian_member);
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

COMMENT ON FUNCTION app.operator_add_managed_member(uuid, text, text) IS
    'Adds a child with the adult named as its guardian; its id.';

CREATE FUNCTION app.operator_reassign_managed_member(p_member uuid, p_guardian_member uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.operate_on_member(p_member);
    v_guardian app.family_members;
BEGIN
    IF v_child.user_kind <> 'managed' THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'This is no managed member.');
    END IF;
    v_guardian := app.member_in_family_of(v_child, p_guardian_member);
    IF app.is_adult(v_guardian) IS NOT TRUE OR v_guardian.user_id = v_child.parent_user_id THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    END IF;
    UPDATE app.family_members AS m SET parent_user_id = v_guardian.user_id WHERE m.id = p_member;
    PERFORM app.record_audit('managed.reassign', v_child.family_unit_id, v_child.user_id,
        v_guardian.id);
END $$;

COMMENT ON FUNCTION app.operator_reassign_managed_member(uuid, uuid) IS
    'Hands a child to another adult of its family.';

GRANT EXECUTE ON FUNCTION
    app.begin_operation(text),
    app.operator_create_family(uuid, text, text),
    app.operator_rename_family(uuid, text),
    app.operator_replace_code(uuid, integer),
    app.operator_transfer_admin(uuid),
    app.operator_add_member(uuid, uuid, text, text),
    app.operator_remove_member(uuid, uuid, boolean),
    app.operator_set_household_role(uuid, text, uuid),
    app.operator_add_managed_member(uuid, text, text),
    app.operator_reassign_managed_member(uuid, uuid)
    TO hearth_admin;
