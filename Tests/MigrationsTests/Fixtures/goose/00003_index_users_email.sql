-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_email ON users (email);

-- +goose Down
DROP INDEX CONCURRENTLY users_email;
DROP TABLE users;
