-- An index of the few blocked accounts. Views and functions that ask whether a member counts as
-- gone (blocking.sql) look here, at next to no cost while nobody is blocked.
--
-- Locks: writes to app.users wait while the table is scanned once.

CREATE INDEX users_blocked ON app.users (id) WHERE blocked_at IS NOT NULL;
