-- The form in which addresses are compared: local part and the domain's A-label (IDNA 2008), in the
-- column `mailbox` beside the address as it was typed. The programs compute A-labels and store them
-- in app.domain_labels; a trigger copies the A-label of a domain that is not ASCII to
-- `email_domain`. A domain in ASCII is its own A-label. The mailbox is null while the A-label is
-- unknown: such an address matches nothing.
--
-- Locks: ACCESS EXCLUSIVE on six tables, which are rewritten.

CREATE TABLE app.domain_labels (
    spelling text NOT NULL,
    a_label text NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT domain_labels_pkey PRIMARY KEY (spelling),
    CONSTRAINT domain_labels_spelling_size CHECK (octet_length(spelling) <= 254),
    CONSTRAINT domain_labels_a_label_ascii CHECK (
        a_label ~ '^[a-z0-9-]+(\.[a-z0-9-]+)+$' AND octet_length(a_label) <= 253)
);

COMMENT ON TABLE app.domain_labels IS
    'The A-labels of domains that are not ASCII, by their spelling in lower case.';

ALTER TABLE app.domain_labels ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.domain_labels FORCE ROW LEVEL SECURITY;
CREATE POLICY domain_labels_owner ON app.domain_labels TO hearth_owner
    USING (true) WITH CHECK (true);

-- hearth: allow rewrite: the column has to be filled before anything compares by it
ALTER TABLE app.users
    ADD COLUMN email_domain text,
    ADD COLUMN mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    ADD CONSTRAINT users_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$');
ALTER TABLE app.family_invitations
    ADD COLUMN email_domain text,
    ADD COLUMN mailbox text GENERATED ALWAYS AS (CASE WHEN invited_email ~ '@[!-~]+$'
        THEN invited_email
        ELSE split_part(invited_email, '@', 1) || '@' || email_domain END) STORED,
    ADD CONSTRAINT family_invitations_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$');
ALTER TABLE app.mailed_tickets
    ADD COLUMN email_domain text,
    ADD COLUMN mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    ADD CONSTRAINT mailed_tickets_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$');
ALTER TABLE app.email_sign_ins
    ADD COLUMN email_domain text,
    ADD COLUMN mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    ADD CONSTRAINT email_sign_ins_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$');
ALTER TABLE app.suppressed_addresses
    ADD COLUMN email_domain text,
    ADD COLUMN mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    ADD CONSTRAINT suppressed_addresses_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$');
ALTER TABLE app.refused_invitations
    ADD COLUMN email_domain text,
    ADD COLUMN mailbox text GENERATED ALWAYS AS (CASE WHEN email ~ '@[!-~]+$' THEN email
        ELSE split_part(email, '@', 1) || '@' || email_domain END) STORED,
    ADD CONSTRAINT refused_invitations_email_domain_ascii CHECK (email_domain ~ '^[a-z0-9.-]+$');

COMMENT ON COLUMN app.users.email_domain IS
    'The A-label of a domain that is not ASCII; null if the domain is its own, or it is unknown.';
COMMENT ON COLUMN app.users.mailbox IS
    'The form in which the address is compared: its local part and the A-label of its domain.';

-- In place of the indexes by the address as typed.
DROP INDEX app.users_email;
CREATE INDEX users_mailbox ON app.users (mailbox) WHERE mailbox IS NOT NULL;
-- So that an A-label that becomes known finds the few rows that lack it.
CREATE INDEX users_without_a_label ON app.users (email)
    WHERE mailbox IS NULL AND email IS NOT NULL;

DROP INDEX app.family_invitations_one_pending;
CREATE UNIQUE INDEX family_invitations_one_pending
    ON app.family_invitations (family_unit_id, mailbox) WHERE status = 'pending';
DROP INDEX app.family_invitations_to_address;
CREATE INDEX family_invitations_to_address ON app.family_invitations (mailbox)
    WHERE status = 'pending';
CREATE INDEX family_invitations_without_a_label ON app.family_invitations (invited_email)
    WHERE mailbox IS NULL AND invited_email IS NOT NULL;

DROP INDEX app.mailed_tickets_email;
CREATE INDEX mailed_tickets_mailbox ON app.mailed_tickets (mailbox);

DROP INDEX app.email_sign_ins_email;
CREATE UNIQUE INDEX email_sign_ins_mailbox ON app.email_sign_ins (mailbox)
    WHERE removed_at IS NULL;
CREATE INDEX email_sign_ins_without_a_label ON app.email_sign_ins (user_id)
    WHERE mailbox IS NULL;

CREATE UNIQUE INDEX suppressed_addresses_mailbox ON app.suppressed_addresses (mailbox);

DROP INDEX app.refused_invitations_of_family;
CREATE UNIQUE INDEX refused_invitations_of_family
    ON app.refused_invitations (mailbox, family_unit_id) WHERE family_unit_id IS NOT NULL;
DROP INDEX app.refused_invitations_of_all;
CREATE UNIQUE INDEX refused_invitations_of_all
    ON app.refused_invitations (mailbox) WHERE family_unit_id IS NULL;

CREATE INDEX refused_invitations_without_a_label ON app.refused_invitations (email)
    WHERE mailbox IS NULL;

-- Operators search by address.
GRANT SELECT (email_domain, mailbox) ON app.users TO hearth_admin;
