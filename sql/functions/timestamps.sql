-- Triggers that set updated_at. Other tables set theirs in their own functions and triggers.

CREATE OR REPLACE FUNCTION app.set_updated_at() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.users
    FOR EACH ROW EXECUTE FUNCTION app.set_updated_at();
-- Nobody can read entered_by_key, so its change is no change of the family.
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.entered_by_key = OLD.entered_by_key)
    EXECUTE FUNCTION app.set_updated_at();
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.set_updated_at();
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.trusted_issuers
    FOR EACH ROW EXECUTE FUNCTION app.set_updated_at();
