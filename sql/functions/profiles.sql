-- The caller's profile, and the profiles that it can switch to.
--
-- A user that was erased after its token was accepted can neither change nor read its own data.

-- Profile of each person, for that person. full_name and email are null when unknown; display_name
-- is shown then, as in app.visible_members. Clients can't read this view. It has no
-- security_barrier, for the reason given at app.visible_members.
CREATE OR REPLACE VIEW app.own_profiles AS
SELECT u.id, u.kind, u.email, u.email_verified, u.full_name, u.role, u.avatar_key, u.avatar_url,
    u.created_at, u.updated_at, u.locale, u.role_is_default,
    app.display_name(u.full_name, u.email, u.email_verified) AS display_name
FROM app.users AS u
WHERE u.deleted_at IS NULL;

-- Profile of the subject.
CREATE OR REPLACE VIEW app.my_profile WITH (security_barrier) AS
SELECT p.* FROM app.own_profiles AS p WHERE p.id = app.user_id();

-- Profile of each caller of a batch.
CREATE OR REPLACE VIEW app.profiles_of_batch WITH (security_barrier) AS
SELECT c.caller_index, p.* FROM app.callers AS c JOIN app.own_profiles AS p ON p.id = c.user_id;

-- Profiles that the account can switch to: itself and its children. Readers sort by is_managed and
-- created_at. The view depends on the actor, so that it stays the guardian's while the guardian
-- acts for a child. Each profile has a display name, as in app.visible_members.
CREATE OR REPLACE VIEW app.my_profiles WITH (security_barrier) AS
SELECT u.id AS user_id, u.full_name, u.avatar_key, false AS is_managed,
    NULL::uuid AS parent_user_id, NULL::uuid AS family_unit_id, u.created_at,
    app.display_name(u.full_name, u.email, u.email_verified) AS display_name,
    NULL::bytea[] AS guardians
FROM app.users AS u
WHERE u.id = app.actor_id()
UNION ALL
SELECT u.id, u.full_name, u.avatar_key, true, m.parent_user_id, m.family_unit_id, m.added_at,
    app.display_name(u.full_name, NULL, false),
    theirs.guardians
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
JOIN app.users AS u ON u.id = m.user_id
CROSS JOIN LATERAL (
    -- Encoded as in app.visible_members.
    SELECT array_agg(
        uuid_send(a.guardian_user_id) || uuid_send(b.id) || timestamptz_send(a.since)
            || convert_to(
                app.display_name(n.full_name, n.email, n.email_verified), 'UTF8')
        ORDER BY a.guardian_user_id <> m.parent_user_id, a.since, a.slot) AS guardians
    FROM app.guardianships AS a
    JOIN app.family_members AS b
        ON b.family_unit_id = a.family_unit_id AND b.user_id = a.guardian_user_id
    JOIN app.users AS n ON n.id = a.guardian_user_id
    WHERE a.member_id = m.id) AS theirs
WHERE w.guardian_user_id = app.actor_id() AND m.status = 'active' AND g.status = 'active';

ALTER VIEW app.own_profiles OWNER TO hearth_authz;
ALTER VIEW app.my_profile OWNER TO hearth_authz;
ALTER VIEW app.profiles_of_batch OWNER TO hearth_authz;
ALTER VIEW app.my_profiles OWNER TO hearth_authz;

-- Records that an account's role was stated, if the stated role is the account's default one. (An
-- account that enters a family in the other role takes that role: slots.sql.)
CREATE OR REPLACE FUNCTION app.record_stated_role(p_account uuid, p_role text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
BEGIN
    IF EXISTS (
        SELECT FROM app.users AS u
        WHERE u.id = p_account AND u.role = p_role AND u.role_is_default) THEN
        UPDATE app.users AS u SET role_is_default = false
            WHERE u.id = p_account AND u.role = p_role AND u.role_is_default;
    END IF;
END $$;

-- Records the role that a direct client states when it adds itself to its own family.
CREATE OR REPLACE FUNCTION app.apply_stated_role() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.record_stated_role(NEW.user_id, NEW.role);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER apply_stated_role AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.status = 'active' AND current_user <> 'hearth_owner')
    EXECUTE FUNCTION app.apply_stated_role();

-- Gives an account the other role, and its membership too in a family in which it is the only
-- person. The creator gets the household role with which it would create the family in this role;
-- anybody else keeps the household role that others gave it. p_locked holds the families that were
-- locked before the account's row.
CREATE OR REPLACE FUNCTION app.switch_role(p_account uuid, p_role text, p_locked uuid[])
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_families constant uuid[] := app.families_of(p_account);
BEGIN
    IF NOT v_families <@ p_locked THEN
        RAISE EXCEPTION 'the account has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    ELSIF NOT app.may_switch_role(p_account, NULL)
        OR (p_role = 'player' AND cardinality(v_families) > 1) THEN
        PERFORM app.refuse('HF409', 'role_fixed_in_family',
            'The role can''t change while you are in a family with others or wait for one.');
    END IF;
    UPDATE app.users AS u SET role = p_role, role_is_default = false
        WHERE u.id = p_account;
    UPDATE app.family_members AS m SET role = p_role, household_role = n.household_role,
            household_ceiling = CASE n.household_role WHEN 'parent_admin' THEN 'adult'
                                                      WHEN 'visitor' THEN 'visitor'
                                                      ELSE m.household_ceiling END
        FROM (
            SELECT o.id, CASE
                WHEN p_role = 'parent' AND o.is_creator AND o.household_ceiling <> 'visitor'
                    THEN 'parent_admin'
                ELSE app.household_role_of_returning(
                    o, p_role, CASE p_role WHEN 'player' THEN 'kid' ELSE 'adult' END)
                END AS household_role
            FROM app.family_members AS o
            WHERE o.user_id = p_account AND o.status = 'active') AS n
        WHERE m.id = n.id;
END $$;

-- Whether somebody else gave the member its household role, or confirmed it.
CREATE OR REPLACE FUNCTION app.household_role_set_by_others(p_member app.family_members)
RETURNS boolean
LANGUAGE sql STABLE
RETURN (p_member).joined_via = 'operator' OR EXISTS (
    SELECT FROM app.role_changes AS c
    WHERE c.member_id = (p_member).id
        AND (c.changed_by IS DISTINCT FROM (p_member).user_id
             OR (c.confirmed_at IS NOT NULL
                 AND c.confirmed_by IS DISTINCT FROM (p_member).user_id)));

-- Families in which the account is an active member or which it waits for approval to join.
CREATE OR REPLACE FUNCTION app.families_and_requests_of(p_user uuid) RETURNS uuid[]
LANGUAGE sql STABLE
RETURN ARRAY(
    SELECT m.family_unit_id FROM app.family_members AS m
    WHERE m.user_id = p_user AND m.status IN ('active', 'invited') ORDER BY m.family_unit_id);

-- Turns an account that is a parent only because nobody had stated its role into a player, in its
-- family and its requests to join as well. There it becomes a kid, unless others have given it its
-- household role. p_locked holds the families that were locked before the account's row.
CREATE OR REPLACE FUNCTION app.become_player(p_account uuid, p_locked uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_former app.family_members;
    v_keeps_role boolean;
    v_household_role text;
BEGIN
    IF NOT app.families_and_requests_of(p_account) <@ p_locked THEN
        RAISE EXCEPTION 'the account has entered another family in the meantime'
            USING ERRCODE = 'serialization_failure';
    ELSIF cardinality(app.families_of(p_account)) > 1 THEN
        PERFORM app.refuse('HF409', 'player_has_family', 'A player belongs to one family only.');
    END IF;
    UPDATE app.users AS u SET role = 'player', role_is_default = false WHERE u.id = p_account;
    FOR v_former IN
        SELECT m.* FROM app.family_members AS m
        WHERE m.user_id = p_account AND m.status IN ('active', 'invited') ORDER BY m.id
    LOOP
        v_keeps_role := app.household_role_set_by_others(v_former);
        IF v_keeps_role AND v_former.household_role = 'parent_admin' THEN
            PERFORM app.refuse('HF409', 'role_fixed_in_family',
                'The role can be changed only while you belong to no family.');
        END IF;
        PERFORM app.reassign_children_of(v_former, NULL);
        v_household_role := CASE WHEN v_keeps_role THEN v_former.household_role
            ELSE app.lower_household_role(v_former.household_role, 'kid') END;
        UPDATE app.family_members AS m SET role = 'player', household_role = v_household_role,
                household_ceiling = CASE WHEN v_keeps_role THEN m.household_ceiling
                    ELSE app.lower_household_role(m.household_ceiling, 'kid') END
            WHERE m.id = v_former.id;
        PERFORM app.revoke_invitations_beyond_rights(v_former.id);
        IF v_former.status = 'active' THEN
            PERFORM app.fill_player_name(v_former.family_unit_id, p_account);
        END IF;
        IF v_former.status = 'active' AND v_former.household_role <> v_household_role THEN
            PERFORM app.record_audit(
                'member.set_role', v_former.family_unit_id, p_account, v_former.id,
                jsonb_build_object('from', v_former.household_role, 'to', v_household_role));
        END IF;
    END LOOP;
END $$;

-- Changes the profile of the subject, which is the child while acting. Null leaves a value
-- unchanged, an empty string clears it. An account may change its role while it waits for approval
-- to join no family, and nobody else is in its families or waits to join them. An account whose
-- role nobody has stated may state it once in any case.
--
-- Lock order: the account's families by their ids, then the account.
CREATE OR REPLACE FUNCTION app.update_profile(
    p_full_name text, p_avatar_key text, p_avatar_url text, p_role text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_subject constant uuid := app.user_id();
    v_own_families uuid[];
    v_user app.users;
BEGIN
    PERFORM app.require_consent_to('profile.update');
    IF p_role IS NOT NULL THEN
        PERFORM app.require_account();
        IF p_role NOT IN ('player', 'parent') THEN
            PERFORM app.refuse_field('role', 'A role is player or parent.');
        END IF;
        SELECT CASE WHEN u.role_is_default THEN app.families_and_requests_of(u.id)
                    ELSE app.families_of(u.id) END
            INTO v_own_families FROM app.users AS u WHERE u.id = v_subject AND u.role <> p_role;
        PERFORM app.lock_families(v_own_families);
    END IF;
    SELECT u.* INTO v_user FROM app.users AS u
        WHERE u.id = v_subject AND u.deleted_at IS NULL AND u.blocked_at IS NULL
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM app.refuse_absent_account(v_subject);
    END IF;
    -- The guardian, while it acts for the child.
    PERFORM app.require_not_blocked(app.actor_id());
    IF v_user.role <> p_role AND v_user.role_is_default THEN
        PERFORM app.become_player(v_subject, coalesce(v_own_families, '{}'));
    ELSIF v_user.role <> p_role THEN
        PERFORM app.switch_role(v_subject, p_role, coalesce(v_own_families, '{}'));
    END IF;
    UPDATE app.users AS u SET
            full_name = coalesce(p_full_name, u.full_name),
            avatar_key = CASE WHEN p_avatar_key IS NULL THEN u.avatar_key
                              ELSE nullif(p_avatar_key, '') END,
            avatar_url = CASE WHEN p_avatar_url IS NULL THEN u.avatar_url
                              ELSE nullif(p_avatar_url, '') END,
            role_is_default = u.role_is_default AND p_role IS NULL
        WHERE u.id = v_subject;
    PERFORM app.record_audit('profile.update',
        (SELECT m.family_unit_id FROM app.family_members AS m
         WHERE m.id = v_subject AND m.user_kind = 'managed'),
        v_subject, v_subject);
END $$;

COMMENT ON FUNCTION app.update_profile(text, text, text, text) IS
    'Changes the profile of the subject of the request.';

GRANT SELECT ON app.my_profile, app.profiles_of_batch, app.my_profiles TO hearth_api;
GRANT EXECUTE ON FUNCTION app.update_profile(text, text, text, text) TO hearth_api;
