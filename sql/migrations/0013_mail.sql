-- Addresses that get no e-mails, or no invitations. (The outcome of an invitation's e-mail is in
-- app.family_invitations.) Operators may list these addresses.

-- An address that a mail server has permanently rejected, or that an operator has suppressed, gets
-- no e-mails until an operator allows it again.
CREATE TABLE app.suppressed_addresses (
    email text NOT NULL,
    email_domain text,
    mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    since timestamptz NOT NULL DEFAULT now(),
    reason text NOT NULL,
    CONSTRAINT suppressed_addresses_pkey PRIMARY KEY (email),
    CONSTRAINT suppressed_addresses_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$'),
    CONSTRAINT suppressed_addresses_reason_size CHECK (octet_length(reason) <= 500)
);

CREATE UNIQUE INDEX suppressed_addresses_mailbox ON app.suppressed_addresses (mailbox);
-- This and the two other indexes of the newest rows are for the console.
CREATE INDEX suppressed_addresses_newest ON app.suppressed_addresses (since DESC, email);

COMMENT ON TABLE app.suppressed_addresses IS
    'Addresses that mail servers reject for good, or that an operator has suppressed.';

ALTER TABLE app.suppressed_addresses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY suppressed_addresses_owner ON app.suppressed_addresses TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY suppressed_addresses_operator_reads ON app.suppressed_addresses
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.suppressed_addresses TO hearth_admin;

-- Permanent rejections by mail servers that don't mean that an address is dead: a spam filter, a
-- full mailbox, a policy. Three within a day put the address on hold: for a day it gets no
-- invitations and no notices. E-mails that its owner asks for are tried all the same.
CREATE TABLE app.mail_verdicts (
    mailbox text NOT NULL,
    verdicts timestamptz[] NOT NULL,
    reason text NOT NULL,
    held_since timestamptz,
    tried_at timestamptz,
    CONSTRAINT mail_verdicts_pkey PRIMARY KEY (mailbox),
    CONSTRAINT mail_verdicts_are_few CHECK (cardinality(verdicts) BETWEEN 1 AND 3),
    CONSTRAINT mail_verdicts_reason_size CHECK (octet_length(reason) <= 500)
);

CREATE INDEX mail_verdicts_newest ON app.mail_verdicts (held_since DESC, mailbox)
    WHERE held_since IS NOT NULL;

COMMENT ON TABLE app.mail_verdicts IS
    'Addresses that mail servers have recently rejected for a reason that may pass.';
COMMENT ON COLUMN app.mail_verdicts.verdicts IS 'Times of the last rejections, three at most.';
COMMENT ON COLUMN app.mail_verdicts.reason IS 'Text of the last rejection.';
COMMENT ON COLUMN app.mail_verdicts.held_since IS 'Beginning of the present or last hold.';
COMMENT ON COLUMN app.mail_verdicts.tried_at IS
    'When an e-mail that its owner had asked for was last tried while the address was on hold.';

ALTER TABLE app.mail_verdicts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY mail_verdicts_owner ON app.mail_verdicts TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY mail_verdicts_operator_reads ON app.mail_verdicts
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.mail_verdicts TO hearth_admin;

-- Addresses whose owners want no invitations by e-mail: from one family (family_unit_id), or from
-- any family (family_unit_id is null). The owner of an address refuses by a link in such an e-mail.
-- Other e-mails are still sent to the address.
CREATE TABLE app.refused_invitations (
    email text NOT NULL,
    email_domain text,
    mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    family_unit_id uuid,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT refused_invitations_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT refused_invitations_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$')
);

CREATE INDEX refused_invitations_newest
    ON app.refused_invitations (since DESC, email, family_unit_id);
CREATE INDEX refused_invitations_family ON app.refused_invitations (family_unit_id);
CREATE UNIQUE INDEX refused_invitations_of_family
    ON app.refused_invitations (mailbox, family_unit_id) WHERE family_unit_id IS NOT NULL;
CREATE UNIQUE INDEX refused_invitations_of_all
    ON app.refused_invitations (mailbox) WHERE family_unit_id IS NULL;
CREATE INDEX refused_invitations_without_a_label ON app.refused_invitations (email)
    WHERE mailbox IS NULL;

COMMENT ON TABLE app.refused_invitations IS
    'Addresses whose owners want no invitations by e-mail: from one family, or from any if '
    'family_unit_id is null.';

ALTER TABLE app.refused_invitations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY refused_invitations_owner ON app.refused_invitations TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY refused_invitations_operator_reads ON app.refused_invitations
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.refused_invitations TO hearth_admin;
