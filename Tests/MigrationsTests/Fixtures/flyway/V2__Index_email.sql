CREATE INDEX CONCURRENTLY users_email ON users (email);
