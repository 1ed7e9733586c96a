-- Codes and links that are mailed to an address, and the addresses that people proved with them.
--
-- A ticket is opened for an address, whether or not anybody has that address. The ticket's code and
-- link are derived from its id and a key that the database does not have. link_hash is for finding
-- the ticket of a link. A code is valid only together with the secret that the client was given for
-- the ticket; ticket_hash is the hash of that secret.
--
-- Whoever proves an address by mail is signed in to one account. If the account's owner removes
-- this way to sign in, the row stays (removed_at), so that the address does not lead to the account
-- again.
--
-- Locks: none, all objects are new. The foreign key takes app.users for a moment (SHARE ROW
-- EXCLUSIVE).

CREATE TABLE app.mailed_tickets (
    id uuid NOT NULL,
    purpose text NOT NULL,
    email text NOT NULL,
    ticket_hash bytea,
    link_hash bytea NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    opened_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    password_hash text,
    full_name text,
    role text,
    CONSTRAINT mailed_tickets_pkey PRIMARY KEY (id),
    CONSTRAINT mailed_tickets_purpose_known CHECK (purpose IN ('sign_in', 'sign_up', 'reset')),
    CONSTRAINT mailed_tickets_email_form CHECK (
        email IS NFC NORMALIZED
        AND email ~ '^[^@A-Z[:space:][:cntrl:]]+@[^@A-Z[:space:][:cntrl:]]+$'
        AND octet_length(email) <= 254),
    CONSTRAINT mailed_tickets_hash_sizes CHECK (
        octet_length(ticket_hash) = 32 AND octet_length(link_hash) = 32),
    CONSTRAINT mailed_tickets_code_has_ticket CHECK ((ticket_hash IS NULL) = (purpose = 'reset')),
    CONSTRAINT mailed_tickets_tries_range CHECK (tries BETWEEN 0 AND 5),
    CONSTRAINT mailed_tickets_sign_up_has_password CHECK (
        (password_hash IS NOT NULL) = (purpose = 'sign_up' AND used_at IS NULL)),
    CONSTRAINT mailed_tickets_role_known CHECK (role IN ('player', 'parent'))
);

CREATE UNIQUE INDEX mailed_tickets_ticket ON app.mailed_tickets (ticket_hash);
CREATE UNIQUE INDEX mailed_tickets_link ON app.mailed_tickets (link_hash);
CREATE INDEX mailed_tickets_email ON app.mailed_tickets (email);
CREATE INDEX mailed_tickets_expiry ON app.mailed_tickets (expires_at);

COMMENT ON TABLE app.mailed_tickets IS 'Codes and links on their way to an address.';

CREATE TABLE app.email_sign_ins (
    user_id uuid NOT NULL,
    user_kind text NOT NULL DEFAULT 'account',
    email text NOT NULL,
    proved_at timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    CONSTRAINT email_sign_ins_pkey PRIMARY KEY (user_id, email),
    CONSTRAINT email_sign_ins_user_fkey FOREIGN KEY (user_id, user_kind)
        REFERENCES app.users (id, kind) ON DELETE CASCADE,
    CONSTRAINT email_sign_ins_only_accounts CHECK (user_kind = 'account')
);

CREATE UNIQUE INDEX email_sign_ins_email ON app.email_sign_ins (email) WHERE removed_at IS NULL;

COMMENT ON TABLE app.email_sign_ins IS 'As which account an address signs in that was proved.';

ALTER TABLE app.mailed_tickets ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.mailed_tickets FORCE ROW LEVEL SECURITY;
CREATE POLICY mailed_tickets_owner ON app.mailed_tickets TO hearth_owner
    USING (true) WITH CHECK (true);
ALTER TABLE app.email_sign_ins ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.email_sign_ins FORCE ROW LEVEL SECURITY;
CREATE POLICY email_sign_ins_owner ON app.email_sign_ins TO hearth_owner
    USING (true) WITH CHECK (true);
