-- Attributes of a family: one JSON object in which apps store settings for which Hearth has no
-- table.
--
-- Every member except a visitor may read the attributes, and so may a guardian who acts for its
-- child. Only app.patch_attributes changes them, by a merge under the family's lock, so no client
-- has a right to write. version counts the changes: the API returns it as the entity tag.
--
-- Locks: none, all objects are new. The foreign key takes app.family_units for a moment (SHARE ROW
-- EXCLUSIVE).

CREATE TABLE app.family_attributes (
    family_unit_id uuid NOT NULL,
    attributes jsonb NOT NULL,
    version bigint NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by uuid,
    CONSTRAINT family_attributes_pkey PRIMARY KEY (family_unit_id),
    CONSTRAINT family_attributes_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE,
    CONSTRAINT family_attributes_is_object CHECK (jsonb_typeof(attributes) = 'object'),
    CONSTRAINT family_attributes_size CHECK (octet_length(attributes::text) <= 16384),
    CONSTRAINT family_attributes_version_positive CHECK (version > 0)
);

COMMENT ON TABLE app.family_attributes IS 'What apps keep about a family, in their own words.';

-- The families in which the subject is more than a visitor. While an account acts for a child,
-- these are the child's families.
CREATE VIEW app.my_resident_families WITH (security_barrier) AS
SELECT m.family_unit_id
FROM app.family_members AS m
WHERE m.user_id = app.user_id() AND m.status = 'active' AND m.household_role <> 'visitor';

ALTER VIEW app.my_resident_families OWNER TO hearth_authz;
GRANT SELECT ON app.my_resident_families TO hearth_api;

ALTER TABLE app.family_attributes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_attributes FORCE ROW LEVEL SECURITY;
CREATE POLICY family_attributes_owner ON app.family_attributes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_attributes_resident_reads ON app.family_attributes
    FOR SELECT TO hearth_api
    USING (family_unit_id = ANY (ARRAY(
        SELECT f.family_unit_id FROM app.my_resident_families AS f)));

GRANT SELECT ON app.family_attributes TO hearth_api;
