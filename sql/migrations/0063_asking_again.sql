-- Somebody whom others removed, or turned down, may ask to join by the code again, and waits for
-- the family's approval. After two refusals within 30 days it can't ask for 30 days.
--
-- barred_at: when somebody else last ended the membership or the request; null since somebody let
-- the person in. It stays while the person waits and when it withdraws. rejected_at: when a request
-- was last turned down; blocked_at: when that was the second time within 30 days.
--
-- Locks: ACCESS EXCLUSIVE on app.family_members for a moment, and the rows that others removed.

ALTER TABLE app.family_members
    ADD COLUMN barred_at timestamptz,
    ADD COLUMN rejected_at timestamptz,
    ADD COLUMN blocked_at timestamptz,
    ADD CONSTRAINT family_members_active_is_not_barred CHECK (
        status <> 'active' OR (barred_at IS NULL AND rejected_at IS NULL AND blocked_at IS NULL))
        NOT VALID;

COMMENT ON COLUMN app.family_members.barred_at IS
    'When somebody else ended the membership or the request, unless somebody let it in since.';
COMMENT ON COLUMN app.family_members.rejected_at IS
    'When a request was last turned down, unless somebody let the person in since.';
COMMENT ON COLUMN app.family_members.blocked_at IS
    'When a request was turned down for the second time within 30 days.';

UPDATE app.family_members AS m SET barred_at = m.removed_at
    WHERE m.status = 'removed' AND m.user_kind = 'account'
        AND m.removed_by IS DISTINCT FROM m.user_id;

-- It answers from now on whether others removed the account as well.
DROP FUNCTION IF EXISTS app.approval_terms_of_code(text);
