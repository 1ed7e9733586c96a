-- Permanent verdicts of mail servers that don't say that an address is dead: a spam filter, a full
-- mailbox, a policy. Three within a day hold the address off: for a day it gets no invitations and no
-- notices. What its owner asks for is tried all the same.
--
-- Locks: none, all objects are new.

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

COMMENT ON TABLE app.mail_verdicts IS
    'Addresses that mail servers have refused lately for a reason that may pass.';
COMMENT ON COLUMN app.mail_verdicts.verdicts IS 'When they did, the last three times at most.';
COMMENT ON COLUMN app.mail_verdicts.reason IS 'The last verdict.';
COMMENT ON COLUMN app.mail_verdicts.held_since IS 'Since when the address is or was held off.';
COMMENT ON COLUMN app.mail_verdicts.tried_at IS
    'When an e-mail that its owner had asked for was last tried while the address was held off.';

ALTER TABLE app.mail_verdicts ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.mail_verdicts FORCE ROW LEVEL SECURITY;
CREATE POLICY mail_verdicts_owner ON app.mail_verdicts TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY mail_verdicts_operator_reads ON app.mail_verdicts
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.mail_verdicts TO hearth_admin;
