-- The languages in which people get their e-mails, and the page to which a mailed link leads.
--
-- users.locale: the language tag of an account (RFC 5646). It is the language that the owner's
-- device first asked for, or the one that the owner chose. Null if none is known. Children without
-- an account have none.
--
-- mailed_tickets.locale: the language of the page or app on which the ticket was opened, used if no
-- account has the address. mailed_tickets.return_path: the page to which the ticket's link leads
-- after signing in. This can be the link of an invitation, so it is encrypted with a key that the
-- database does not have.
--
-- erasures.locale: the language of the e-mail that confirms the erasure, kept as long as the
-- address.
--
-- Locks: ACCESS EXCLUSIVE on app.users, app.mailed_tickets and app.erasures, for a moment each. The
-- next file checks the rows that are stored already.

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
