-- Who gave a member once more the role that it has, and when. The moment counts against changes that
-- arrive later; the change stays its author's. Confirmations of before moved the moment of the
-- change itself, and stay as they are.
--
-- Locks: ACCESS EXCLUSIVE on app.role_changes, for a moment.

ALTER TABLE app.role_changes
    ADD COLUMN confirmed_at timestamptz,
    ADD COLUMN confirmed_by uuid;

COMMENT ON COLUMN app.role_changes.confirmed_at IS
    'When the same role was last given once more; null if it was not.';
COMMENT ON COLUMN app.role_changes.confirmed_by IS
    'Who gave it once more; null if nobody did.';
