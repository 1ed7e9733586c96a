-- What is kept for some days about an account that was erased.
--
-- Without these rows, a token that was issued before the erasure would create the person anew.
-- sign_ins has the hashes of the sign-ins that led to the account, and see_user refuses tokens of
-- these sign-ins that were issued before the erasure. The address is kept until the e-mail that
-- confirms the erasure has been sent. A row does not say which user was erased.
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
