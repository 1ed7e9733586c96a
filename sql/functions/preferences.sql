-- Preferences of a member: who wrote them, and when.

-- Who wrote, and when, is nobody's to say.
CREATE OR REPLACE FUNCTION app.sign_preferences() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.updated_at := now();
    NEW.updated_by := app.actor_id();
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sign BEFORE INSERT OR UPDATE ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.sign_preferences();
