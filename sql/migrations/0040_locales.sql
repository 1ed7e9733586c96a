-- The languages that people are written to in, and where a mailed link leads on.
--
-- users.locale: the language tag of an account (RFC 5646), as its owner's devices asked for it first
-- or as its owner chose. Null where none is known. Children without an account have none.
--
-- mailed_tickets.locale: the language of the page or app on which the ticket was opened, for an
-- address that nobody has. mailed_tickets.return_path: where its link leads after signing in. That
-- can be the link of an invitation, so it is sealed with a key that the database does not have.
--
-- erasures.locale: the language of the e-mail that confirms the erasure, for as long as the address.
--
-- Locks: ACCESS EXCLUSIVE on app.users, app.mailed_tickets and app.erasures, for a moment each. What
-- is stored already is checked by the next file.

ALTER TABLE app.users
    ADD COLUMN locale text COLLATE "C",
    ADD CONSTRAINT users_locale_form CHECK (
        locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND octet_length(locale) <= 35) NOT VALID,
    ADD CONSTRAINT users_only_accounts_have_locale CHECK (
        locale IS NULL OR kind = 'account') NOT VALID;

COMMENT ON COLUMN app.users.locale IS 'The language that the person is written to in.';

ALTER TABLE app.mailed_tickets
    ADD COLUMN locale text COLLATE "C",
    ADD COLUMN return_path bytea,
    ADD CONSTRAINT mailed_tickets_locale_form CHECK (
        locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND octet_length(locale) <= 35) NOT VALID,
    ADD CONSTRAINT mailed_tickets_return_path_size CHECK (
        octet_length(return_path) <= 1024) NOT VALID;

COMMENT ON COLUMN app.mailed_tickets.return_path IS
    'Where its link leads after signing in, sealed.';

ALTER TABLE app.erasures
    ADD COLUMN locale text COLLATE "C",
    ADD CONSTRAINT erasures_locale_form CHECK (
        locale ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND octet_length(locale) <= 35) NOT VALID;
