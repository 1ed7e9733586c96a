-- Checks that people who are stored already satisfy the constraint of 0070.
--
-- Locks: app.users against changes of its definition. Programs continue to read and write.

ALTER TABLE app.users VALIDATE CONSTRAINT users_default_role_form;
