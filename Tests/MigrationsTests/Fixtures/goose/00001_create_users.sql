-- +goose Up
CREATE TABLE IF NOT EXISTS users (
    id    bigserial PRIMARY KEY,
    email text NOT NULL
);

-- +goose Down
DROP TABLE users;
