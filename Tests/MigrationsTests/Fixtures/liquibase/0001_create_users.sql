--liquibase formatted sql

--changeset jane:create-users
CREATE TABLE IF NOT EXISTS users (
    id    bigserial PRIMARY KEY,
    email text NOT NULL
);
--rollback DROP TABLE users;

--changeset jane:index-email runInTransaction:false
CREATE INDEX CONCURRENTLY users_email ON users (email);
--rollback DROP INDEX users_email;
