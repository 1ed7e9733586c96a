---- tern: disable-tx ----
CREATE INDEX CONCURRENTLY users_email ON users (email);
---- create above / drop below ----
DROP INDEX users_email;
