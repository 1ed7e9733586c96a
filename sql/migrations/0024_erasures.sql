-- Accounts that were erased, for as long as something of them may still be on its way.
--
-- A token that was issued before the erasure would otherwise create the person anew: sign_ins holds
-- the hashes of the sign-ins that led to the account, and see_user refuses such tokens. The address
-- is kept until the e-mail that confirms the erasure has been sent. The row names no user.
--
-- Locks: none, all objects are new.

CREATE TABLE app.erasures (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    erased_at timestamptz NOT NULL DEFAULT now(),
    sign_ins bytea[] NOT NULL,
    email text,
    CONSTRAINT erasures_pkey PRIMARY KEY (id),
    CONSTRAINT erasures_email_size CHECK (octet_length(email) <= 254)
);

CREATE INDEX erasures_sign_ins ON app.erasures USING gin (sign_ins);
CREATE INDEX erasures_at ON app.erasures (erased_at);

COMMENT ON TABLE app.erasures IS 'Erasures of accounts, without the account.';
COMMENT ON COLUMN app.erasures.sign_ins IS
    'SHA-256 of issuer and subject: their earlier tokens create nobody.';
COMMENT ON COLUMN app.erasures.email IS 'Until the confirmation has been sent.';

ALTER TABLE app.erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY erasures_owner ON app.erasures TO hearth_owner USING (true) WITH CHECK (true);
