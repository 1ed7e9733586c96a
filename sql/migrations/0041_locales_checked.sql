-- Checks that people, tickets and erasures that are stored already satisfy the new constraints.
--
-- Locks: app.users, app.mailed_tickets and app.erasures against changes of their definition.
-- Programs continue to read and write.

ALTER TABLE app.users VALIDATE CONSTRAINT users_locale_form;
ALTER TABLE app.users VALIDATE CONSTRAINT users_only_accounts_have_locale;
ALTER TABLE app.mailed_tickets VALIDATE CONSTRAINT mailed_tickets_locale_form;
ALTER TABLE app.mailed_tickets VALIDATE CONSTRAINT mailed_tickets_return_path_size;
ALTER TABLE app.erasures VALIDATE CONSTRAINT erasures_locale_form;
