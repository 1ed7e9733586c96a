-- People who wait for a family's approval see their requests in their profiles from now on: devices
-- that follow changes get these profiles once more. Requests to families without members end:
-- nobody could answer them.
--
-- Locks: the rows that it changes, two for each person who waits.

UPDATE app.family_members AS w
    SET status = 'removed', removed_at = now(), removed_by = w.user_id
    WHERE w.status = 'invited' AND NOT EXISTS (
        SELECT FROM app.family_members AS m
        WHERE m.family_unit_id = w.family_unit_id AND m.status = 'active');

WITH raised AS (
    UPDATE app.user_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.user_id IN (
            SELECT m.user_id FROM app.family_members AS m WHERE m.status = 'invited')
        RETURNING v.user_id, v.version, v.raised_at)
INSERT INTO app.user_changes (user_id, version, kind, id, changed_at)
    SELECT r.user_id, r.version, 'profile', r.user_id, r.raised_at FROM raised AS r;
