-- created_at is when a membership was first made. It stays the same when the member leaves and
-- comes back, while added_at is the time of the last entry. Null for memberships that are older
-- than this column.
--
-- Locks: app.family_members (ACCESS EXCLUSIVE) for a moment; no row is written.

ALTER TABLE app.family_members ADD COLUMN created_at timestamptz;
ALTER TABLE app.family_members ALTER COLUMN created_at SET DEFAULT now();
