-- Triggers that set updated_at. Other tables set theirs in their own functions and triggers.

CREATE OR REPLACE FUNCTION app.set_updated_at() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;

-- A block is not a change that others see.
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.users
    FOR EACH ROW WHEN (
        NEW.blocked_at IS NOT DISTINCT FROM OLD.blocked_at
        OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
    EXECUTE FUNCTION app.set_updated_at();
-- Nobody can read entered_by_key, so its change does not count as a change of the family.
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.entered_by_key = OLD.entered_by_key)
    EXECUTE FUNCTION app.set_updated_at();
-- Nor is a change of stands_in, which follows changes of other members.
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.stands_in = OLD.stands_in) EXECUTE FUNCTION app.set_updated_at();
CREATE OR REPLACE TRIGGER set_updated_at BEFORE UPDATE ON app.trusted_issuers
    FOR EACH ROW EXECUTE FUNCTION app.set_updated_at();
