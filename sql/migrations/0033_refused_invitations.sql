-- Addresses whose owners want no invitations by e-mail: from one family (family_unit_id), or from
-- any family (family_unit_id is null).
--
-- The owner of an address refuses by a link in such an e-mail. Other e-mails are still sent to the
-- address.
--
-- Operators may list both these addresses and those in app.suppressed_addresses.
--
-- Locks: ACCESS EXCLUSIVE on app.suppressed_addresses for its policy, SHARE ROW EXCLUSIVE on
-- app.family_units for the foreign key, for a moment each.

CREATE TABLE app.refused_invitations (
    email text NOT NULL,
    family_unit_id uuid,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT refused_invitations_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX refused_invitations_of_family
    ON app.refused_invitations (email, family_unit_id) WHERE family_unit_id IS NOT NULL;
CREATE UNIQUE INDEX refused_invitations_of_all
    ON app.refused_invitations (email) WHERE family_unit_id IS NULL;
CREATE INDEX refused_invitations_family ON app.refused_invitations (family_unit_id);

COMMENT ON TABLE app.refused_invitations IS
    'Addresses that want no invitations by e-mail; without a family: of no family.';

ALTER TABLE app.refused_invitations ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.refused_invitations FORCE ROW LEVEL SECURITY;
CREATE POLICY refused_invitations_owner ON app.refused_invitations TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY refused_invitations_operator_reads ON app.refused_invitations
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.refused_invitations TO hearth_admin;
CREATE POLICY suppressed_addresses_operator_reads ON app.suppressed_addresses
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.suppressed_addresses TO hearth_admin;
