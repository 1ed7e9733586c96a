-- The caller's profile, and the profiles that it can switch to.
--
-- A user that was erased after its token was first seen can change and read nothing of itself.

-- What each person sees of itself. full_name and email are null when unknown. As with
-- app.members_seen, no client reads it, and it has no security_barrier.
CREATE OR REPLACE VIEW app.own_profiles AS
SELECT u.id, u.kind, u.email, u.email_verified, u.full_name, u.role, u.avatar_key, u.avatar_url,
    u.created_at, u.updated_at, u.locale
FROM app.users AS u
WHERE u.deleted_at IS NULL;

-- The subject itself.
CREATE OR REPLACE VIEW app.my_profile WITH (security_barrier) AS
SELECT p.* FROM app.own_profiles AS p WHERE p.id = app.user_id();

-- Each caller of a batch.
CREATE OR REPLACE VIEW app.profiles_of_batch WITH (security_barrier) AS
SELECT c.place, p.* FROM app.callers AS c JOIN app.own_profiles AS p ON p.id = c.user_id;

-- Profiles that the account can switch to: itself first, then its children, in order of creation.
-- It depends on the actor, so that it stays the guardian's while acting. Nobody is without a name
-- to show: see app.member_list.
CREATE OR REPLACE VIEW app.my_profiles WITH (security_barrier) AS
SELECT u.id AS user_id, u.full_name, u.avatar_key, false AS is_managed,
    NULL::uuid AS parent_user_id, NULL::uuid AS family_unit_id, u.created_at,
    coalesce(u.full_name,
        CASE WHEN u.email_verified THEN regexp_replace(u.email, '@[^@]*$', '') END, 'Member')
        AS display_name
FROM app.users AS u
WHERE u.id = app.actor_id()
UNION ALL
SELECT u.id, u.full_name, u.avatar_key, true, m.parent_user_id, m.family_unit_id, m.added_at,
    coalesce(u.full_name, 'Member')
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
JOIN app.users AS u ON u.id = m.user_id
WHERE w.guardian_user_id = app.actor_id() AND m.status = 'active' AND g.status = 'active';

ALTER VIEW app.own_profiles OWNER TO hearth_authz;
ALTER VIEW app.my_profile OWNER TO hearth_authz;
ALTER VIEW app.profiles_of_batch OWNER TO hearth_authz;
ALTER VIEW app.my_profiles OWNER TO hearth_authz;

-- The subject's own profile; while acting, the child's. Null keeps a value, empty clears it. An
-- account may choose its role while it is in no family and waits for none.
CREATE OR REPLACE FUNCTION app.update_profile(
    p_full_name text, p_avatar_key text, p_avatar_url text, p_role text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
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

COMMENT ON FUNCTION app.update_profile(text, text, text, text) IS
    'Changes the profile of the subject of the request.';

GRANT SELECT ON app.my_profile, app.profiles_of_batch, app.my_profiles TO hearth_api;
GRANT EXECUTE ON FUNCTION app.update_profile(text, text, text, text) TO hearth_api;
