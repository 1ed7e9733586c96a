-- Deploy shop:users to pg

BEGIN;

CREATE TABLE IF NOT EXISTS users (
    id    bigserial PRIMARY KEY,
    email text NOT NULL
);

COMMIT;
