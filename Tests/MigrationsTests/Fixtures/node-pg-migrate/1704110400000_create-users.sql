-- Up Migration
CREATE TABLE IF NOT EXISTS users (id bigserial PRIMARY KEY, email text NOT NULL);

-- Down Migration
DROP TABLE users;
