-- Whoever signs up may have been invited already: like everybody who gets an address, a new account
-- takes its place in the order of changes, so that it misses none of what an invitation shows.
--
-- Locks: SHARE ROW EXCLUSIVE on app.users, for a moment.

CREATE CONSTRAINT TRIGGER raise_versions_of_new AFTER INSERT ON app.users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.email_verified)
    EXECUTE FUNCTION app.raise_versions_at_commit();
