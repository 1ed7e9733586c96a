-- Records the author and the time of changes to members' preferences.

-- Sets the author and the time, which writers can't choose. When a child grows up, its preferences
-- follow its membership and keep the author who wrote them.
CREATE OR REPLACE FUNCTION app.sign_preferences() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.updated_at := now();
    NEW.updated_by := app.actor_id();
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sign_preferences
    BEFORE INSERT OR UPDATE OF preferences ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.sign_preferences();
