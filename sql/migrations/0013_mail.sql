-- What the mailer stores. (The outcome of an invitation's e-mail is in app.family_invitations.)
--
-- An address that a mail server has permanently refused gets no more e-mails until an operator
-- allows it again.
--
-- Locks: none, all objects are new.

CREATE TABLE app.suppressed_addresses (
    email text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    reason text NOT NULL,
    CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (email),
    CONSTRAINT suppressed_addresses_reason_size CHECK (octet_length(reason) <= 500)
);

COMMENT ON TABLE app.suppressed_addresses IS 'Addresses that mail servers refuse for good.';

ALTER TABLE app.suppressed_addresses ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.suppressed_addresses FORCE ROW LEVEL SECURITY;
CREATE POLICY suppressed_addresses_owner ON app.suppressed_addresses TO hearth_owner
    USING (true) WITH CHECK (true);
