-- Somebody who signs up may have been invited already. So the commit that creates an account with a
-- verified address locks versions, as does the commit that gives an account an address later
-- (changes.sql). The account therefore misses no change of what its invitations show.
--
-- Locks: SHARE ROW EXCLUSIVE on app.users, for a moment.

CREATE CONSTRAINT TRIGGER raise_versions_of_new AFTER INSERT ON app.users
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.email_verified)
    EXECUTE FUNCTION app.raise_versions_at_commit();
