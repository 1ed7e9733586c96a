-- When a membership was first made, which stays when the member leaves and comes back: added_at
-- tells of the last time. Null for memberships that are older than this column.
--
-- Locks: app.family_members (ACCESS EXCLUSIVE) for a moment; no row is written.

ALTER TABLE app.family_members ADD COLUMN created_at timestamptz;
ALTER TABLE app.family_members ALTER COLUMN created_at SET DEFAULT now();
