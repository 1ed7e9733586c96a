-- +goose up
-- +goose statementbegin
CREATE OR REPLACE FUNCTION lowercase_email() RETURNS trigger AS $$
BEGIN
    NEW.email := lower(NEW.email);
    RETURN NEW;
END;
$$ LANGUAGE plpgsql;
-- +goose statementend
CREATE TRIGGER lowercase_email BEFORE INSERT OR UPDATE ON users
    FOR EACH ROW EXECUTE FUNCTION lowercase_email();

-- +goose down
DROP TRIGGER lowercase_email ON users;
-- +goose statementbegin
DROP FUNCTION lowercase_email();
-- +goose statementend
DELETE FROM users;
