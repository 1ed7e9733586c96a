-- +migrate Up
CREATE TABLE IF NOT EXISTS users (id bigserial PRIMARY KEY, email text NOT NULL);

-- +migrate Down
DROP TABLE users;
