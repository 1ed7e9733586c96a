-- upgrade --
CREATE TABLE IF NOT EXISTS "users" (
    "id" SERIAL NOT NULL PRIMARY KEY,
    "email" VARCHAR(200) NOT NULL
);
-- downgrade --
DROP TABLE IF EXISTS "users";
