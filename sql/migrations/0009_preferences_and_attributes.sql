-- Data about members and families in formats that apps define. (player_details, the data about a
-- family's player, is a column of the family.)

-- Preferences of a member. A trigger records who wrote them, and when. When the user of a
-- membership changes (graduation), the foreign key moves the preferences with it, and updated_by
-- still names the person who wrote them.
CREATE TABLE app.member_preferences (
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    preferences jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by uuid,
    CONSTRAINT member_preferences_pkey PRIMARY KEY (family_unit_id, user_id),
    CONSTRAINT member_preferences_member_fkey FOREIGN KEY (family_unit_id, user_id)
        REFERENCES app.family_members (family_unit_id, user_id)
        ON UPDATE CASCADE ON DELETE CASCADE,
    CONSTRAINT member_preferences_is_object CHECK (jsonb_typeof(preferences) = 'object'),
    CONSTRAINT member_preferences_size CHECK (octet_length(preferences::text) <= 16384)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX member_preferences_user ON app.member_preferences (user_id);

COMMENT ON TABLE app.member_preferences IS
    'Preferences of members; a member and its guardians may write them.';

ALTER TABLE app.member_preferences ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY member_preferences_owner ON app.member_preferences TO hearth_owner
    USING (true) WITH CHECK (true);
GRANT SELECT ON app.member_preferences TO hearth_api;
GRANT INSERT (family_unit_id, user_id, preferences) ON app.member_preferences TO hearth_api;
GRANT UPDATE (preferences) ON app.member_preferences TO hearth_api;
-- A person's own preferences, and those of the children in children_of_actor, in families in which
-- the subject is an active member. A child's preferences can be written only if no required consent
-- is missing.
CREATE POLICY member_preferences_self_or_guardian ON app.member_preferences
    TO hearth_api
    USING (
        (user_id = (SELECT app.account_id())
         OR user_id = ANY (ARRAY(SELECT c.user_id FROM app.children_of_actor AS c)))
        AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
    WITH CHECK (
        (user_id = (SELECT app.account_id())
         OR (user_id = ANY (ARRAY(SELECT c.user_id FROM app.children_of_actor AS c))
             AND user_id <> ALL (ARRAY(
                 SELECT c.user_id FROM app.children_of_actor_without_consent AS c))))
        AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));

-- Attributes of a family: one JSON object in which apps store settings for which Hearth has no
-- table. Every member except a visitor may read the attributes, and so may a guardian who acts for
-- its child. Only app.patch_attributes changes them, by a merge under the family's lock, so no
-- client has a right to write. version counts the changes: the API returns it as the entity tag.
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
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

COMMENT ON TABLE app.family_attributes IS 'Attributes of families, in formats that apps define.';

ALTER TABLE app.family_attributes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY family_attributes_owner ON app.family_attributes TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_attributes_resident_reads ON app.family_attributes
    FOR SELECT TO hearth_api
    USING (family_unit_id = ANY (ARRAY(
        SELECT f.family_unit_id FROM app.my_resident_families AS f)));
GRANT SELECT ON app.family_attributes TO hearth_api;
