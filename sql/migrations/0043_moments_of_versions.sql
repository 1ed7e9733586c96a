-- When each version was given, so that its number means the same for ever.
--
-- A restored backup, and a standby that is promoted without the last commits, give numbers of
-- versions a second time, to other changes. Clients remember the moment of a version beside its
-- number; a version of another moment is one of a history that was lost, and they begin anew.
--
-- raised_at: when the version was given. purged_raised_at: the same of purged_version, whose
-- changes are no longer there. Both are null for versions that were given before these columns were
-- here; they are compared by their numbers alone.
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
