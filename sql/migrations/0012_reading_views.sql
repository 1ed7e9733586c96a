-- What the API reads: one view per question, masked by the caller's standing.
--
-- Owned by hearth_authz, like the views that policies use: each joins to the subject's own active
-- membership (`me`), which decides which rows there are and what is masked in them. So row-level
-- security costs one look-up per query, not one per table. They are the rule for what they show:
-- the proof of the policies covers them as well. While acting `me` is the managed member, which
-- neither confides nor governs.
--
-- Masked is the empty string for text that clients decode as present, null for the rest.
--
-- Locks: none, all objects are new.

GRANT CREATE ON SCHEMA app TO hearth_authz;

-- The families of the subject, as each may see its own.
CREATE VIEW app.my_family_list WITH (security_barrier) AS
SELECT
    f.id AS family_unit_id,
    f.family_name,
    CASE WHEN f.family_code IS NOT NULL
              AND me.user_kind = 'account' AND me.household_role <> 'visitor'
              AND (f.code_expires_at IS NULL OR f.code_expires_at > now())
         THEN f.family_code ELSE '' END AS family_code,
    f.code_generated_at,
    f.code_expires_at,
    f.created_by_user_id,
    f.member_limit,
    f.approval_required,
    me.id AS member_id,
    me.role,
    me.household_role,
    me.added_at,
    (SELECT count(*)::integer FROM app.family_members AS c
     WHERE c.family_unit_id = f.id AND c.status = 'active') AS member_count,
    CASE WHEN me.confides THEN f.home_latitude END AS home_latitude,
    CASE WHEN me.confides THEN f.home_longitude END AS home_longitude,
    CASE WHEN me.confides THEN f.player_details END AS player_details
FROM app.family_members AS me
JOIN app.family_units AS f ON f.id = me.family_unit_id
WHERE me.user_id = app.user_id() AND me.status = 'active';

-- The members of the subject's families; who waits for approval, for those who may give it.
CREATE VIEW app.member_list WITH (security_barrier) AS
SELECT
    m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.added_at,
    m.user_kind = 'managed' AS is_managed,
    m.parent_user_id,
    m.joined_via,
    u.avatar_key,
    u.avatar_url,
    u.full_name,
    u.role AS account_role,
    CASE WHEN me.confides OR m.user_id = me.user_id THEN u.email END AS email
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
JOIN app.users AS u ON u.id = m.user_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND me.governs));

-- The subject itself. full_name and email are null when unknown.
CREATE VIEW app.my_profile WITH (security_barrier) AS
SELECT u.id, u.kind, u.email, u.email_verified, u.full_name, u.role, u.avatar_key, u.avatar_url,
    u.created_at, u.updated_at
FROM app.users AS u
WHERE u.id = app.user_id();

-- Profiles that the account can switch to: itself first, then the children it guards, in order of
-- creation. Asked of the actor, so that it stays the guardian's while acting.
CREATE VIEW app.my_profiles WITH (security_barrier) AS
SELECT u.id AS user_id, u.full_name, u.avatar_key, false AS is_managed,
    NULL::uuid AS parent_user_id, NULL::uuid AS family_unit_id, u.created_at
FROM app.users AS u
WHERE u.id = app.actor_id()
UNION ALL
SELECT u.id, u.full_name, u.avatar_key, true, m.parent_user_id, m.family_unit_id, m.added_at
FROM app.family_members AS m
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = m.active_guardian_id
JOIN app.users AS u ON u.id = m.user_id
WHERE m.parent_user_id = app.actor_id() AND m.status = 'active' AND g.status = 'active';

-- Invitations of the account's families; addresses for those who may know addresses.
CREATE VIEW app.invitation_list WITH (security_barrier) AS
SELECT i.id, i.family_unit_id, i.invited_by,
    CASE WHEN me.confides THEN coalesce(i.invited_email, '') ELSE '' END AS invited_email,
    i.role, i.household_role,
    CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired' ELSE i.status END
        AS status,
    i.delivery, i.expires_at, i.created_at, i.accepted_at, i.sent_count, i.last_sent_at
FROM app.family_members AS me
JOIN app.family_invitations AS i ON i.family_unit_id = me.family_unit_id
WHERE me.user_id = app.account_id() AND me.status = 'active' AND me.household_role <> 'visitor';

-- Pending invitations to the account's verified address, whatever the family.
CREATE VIEW app.invitations_to_me WITH (security_barrier) AS
SELECT i.id, f.family_name, coalesce(b.full_name, '') AS inviter_name, i.role, i.expires_at,
    i.created_at
FROM app.users AS u
JOIN app.family_invitations AS i ON i.invited_email = u.email
JOIN app.family_units AS f ON f.id = i.family_unit_id
JOIN app.users AS b ON b.id = i.invited_by
WHERE u.id = app.account_id() AND u.email_verified AND i.status = 'pending'
    AND i.expires_at > now();

-- The trail of the families that the account governs.
CREATE VIEW app.audit_trail WITH (security_barrier) AS
SELECT a.id, a.at, a.family_unit_id, a.actor_user_id, a.actor_label, a.subject_user_id, a.action,
    a.target_id, a.details
FROM app.audit_log AS a
WHERE a.family_unit_id = ANY (ARRAY(SELECT g.family_unit_id FROM app.my_governed_families AS g));

ALTER VIEW app.my_family_list OWNER TO hearth_authz;
ALTER VIEW app.member_list OWNER TO hearth_authz;
ALTER VIEW app.my_profile OWNER TO hearth_authz;
ALTER VIEW app.my_profiles OWNER TO hearth_authz;
ALTER VIEW app.invitation_list OWNER TO hearth_authz;
ALTER VIEW app.invitations_to_me OWNER TO hearth_authz;
ALTER VIEW app.audit_trail OWNER TO hearth_authz;

REVOKE CREATE ON SCHEMA app FROM hearth_authz;

GRANT SELECT ON app.my_family_list, app.member_list, app.my_profile, app.my_profiles,
    app.invitation_list, app.invitations_to_me, app.audit_trail
    TO hearth_api;
