-- Reads the members of a family with their users, without any check of rights, as the baseline for
-- protected reads. Run with -D families=N -M prepared as a superuser.
\set k random(1, :families)
SELECT m.id, m.user_id, m.role, m.household_role, m.status, m.added_at,
    m.user_kind = 'managed' AS is_managed, m.parent_user_id, u.avatar_key, u.email, u.full_name,
    u.role AS account_role
FROM app.family_members AS m
JOIN app.users AS u ON u.id = m.user_id
WHERE m.family_unit_id = :family AND m.status = 'active'
ORDER BY m.added_at, m.id;
