-- Preferences of a member: records author and time.

-- Writers can't choose the author or the time. When a child grows up, its preferences follow its
-- membership and stay signed by who wrote them.
CREATE OR REPLACE FUNCTION app.sign_preferences() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.updated_at := now();
    NEW.updated_by := app.actor_id();
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sign
    BEFORE INSERT OR UPDATE OF preferences ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.sign_preferences();
