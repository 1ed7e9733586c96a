CREATE TABLE IF NOT EXISTS users (
  id bigserial PRIMARY KEY,
  email text NOT NULL
);

---- create above / drop below ----

DROP TABLE users;
