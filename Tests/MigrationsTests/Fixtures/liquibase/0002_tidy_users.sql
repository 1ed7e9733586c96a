CREATE INDEX IF NOT EXISTS users_email ON users (email);

-- rollback
DROP TABLE users;
