-- migrate:up
CREATE TABLE IF NOT EXISTS users (
  id bigserial PRIMARY KEY,
  email text NOT NULL
);

-- migrate:down
DROP TABLE users;

