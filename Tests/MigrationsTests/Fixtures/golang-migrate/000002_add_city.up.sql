ALTER TABLE users ADD COLUMN city text;
