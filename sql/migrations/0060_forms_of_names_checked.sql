-- Checks the rows that were stored before the previous file added the constraints.
--
-- Locks: users and family_units against changes of their definition only; programs continue to read
-- and write.

ALTER TABLE app.users VALIDATE CONSTRAINT users_full_name_form;
ALTER TABLE app.users VALIDATE CONSTRAINT users_avatar_key_form;
ALTER TABLE app.family_units VALIDATE CONSTRAINT family_units_name_form;
