-- Accounts get the role (player or parent) that they have in their families, where all of these
-- agree: it becomes the account's own. The next file makes that a rule.
--
-- Locks: the rows that it changes.

UPDATE app.users AS u SET role = m.role
    FROM (
        SELECT f.user_id, min(f.role) AS role FROM app.family_members AS f
        WHERE f.status <> 'removed' AND f.user_kind = 'account'
        GROUP BY f.user_id HAVING min(f.role) = max(f.role)) AS m
    WHERE u.id = m.user_id AND u.role <> m.role;
