-- When each version was given: no two different versions have the same number and the same time.
--
-- After a backup is restored, or a standby is promoted that lacks the last commits, the database
-- gives some version numbers a second time, to other changes. Clients remember a version's number
-- and time. If the time differs, the client has seen a version that was lost, and begins anew.
--
-- raised_at: when the present version was given. purged_raised_at: when the version that
-- purged_version names was given; the changes up to that version have been deleted. Both are null
-- for versions that were given before these columns existed; such versions are compared by number
-- only.
--
-- Locks: ACCESS EXCLUSIVE on family_versions and user_versions, for a moment.

ALTER TABLE app.family_versions
    ADD COLUMN raised_at timestamptz,
    ADD COLUMN purged_raised_at timestamptz;
ALTER TABLE app.user_versions
    ADD COLUMN raised_at timestamptz,
    ADD COLUMN purged_raised_at timestamptz;

GRANT SELECT (raised_at) ON app.family_versions TO hearth_api;
GRANT SELECT (raised_at) ON app.user_versions TO hearth_api;
