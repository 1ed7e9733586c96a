-- Preferences of a member. What a family notes about its player (player_details) is a column of the
-- family.
--
-- A trigger records who wrote preferences, and when.
--
-- Locks: none, all objects are new.

CREATE TABLE app.member_preferences (
    family_unit_id uuid NOT NULL,
    user_id uuid NOT NULL,
    preferences jsonb NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by uuid,
    CONSTRAINT member_preferences_pkey PRIMARY KEY (family_unit_id, user_id),
    CONSTRAINT member_preferences_member_fkey FOREIGN KEY (family_unit_id, user_id)
        REFERENCES app.family_members (family_unit_id, user_id) ON DELETE CASCADE,
    CONSTRAINT member_preferences_is_object CHECK (jsonb_typeof(preferences) = 'object'),
    CONSTRAINT member_preferences_size CHECK (octet_length(preferences::text) <= 16384)
);

CREATE INDEX member_preferences_user ON app.member_preferences (user_id);

COMMENT ON TABLE app.member_preferences IS 'What a member likes; its own and its guardian''s.';

ALTER TABLE app.member_preferences ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.member_preferences FORCE ROW LEVEL SECURITY;
CREATE POLICY member_preferences_owner ON app.member_preferences TO hearth_owner
    USING (true) WITH CHECK (true);

-- The subject's own preferences, and those of the children of which the account is the guardian, in
-- families in which the subject is an active member. 0039_consents.sql changes this policy.
CREATE POLICY member_preferences_self_or_guardian ON app.member_preferences
    TO hearth_api
    USING (
        (user_id = (SELECT app.user_id())
         OR user_id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)))
        AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
    WITH CHECK (
        (user_id = (SELECT app.user_id())
         OR user_id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)))
        AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));

GRANT SELECT ON app.member_preferences TO hearth_api;
GRANT INSERT (family_unit_id, user_id, preferences) ON app.member_preferences TO hearth_api;
GRANT UPDATE (preferences) ON app.member_preferences TO hearth_api;
