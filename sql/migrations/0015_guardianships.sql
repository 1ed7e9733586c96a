-- Who acts for a child without an account. A child has one to four guardians, each an active adult
-- of its family. One of them is the primary guardian: the child's parent_user_id.
--
-- The table has a row for a guardian and a child as long as both are active. Three foreign keys
-- ensure at every commit, whoever writes, that a guardian is an active adult of the family
-- (guardianships_guardian_is_active_adult), that a child is a member of the same family
-- (guardianships_child_fkey), and that the primary guardian of an active child is one of its
-- guardians (family_members_primary_guardian_fkey). Triggers in guardianships.sql insert and delete
-- rows when members change.
--
-- slot is a number from 1 to 4, and the guardians of a child have different slots: so a child has
-- at most four. (In the same way the slots of a family limit its members.)
--
-- Locks: ACCESS EXCLUSIVE on app.family_members, while its constraints are added and checked, and
-- on app.my_wards, for a moment.

CREATE UNIQUE INDEX family_members_family_id_key ON app.family_members (family_unit_id, id);
ALTER TABLE app.family_members ADD CONSTRAINT family_members_family_id_key
    UNIQUE USING INDEX family_members_family_id_key;

CREATE TABLE app.guardianships (
    member_id uuid NOT NULL,
    guardian_user_id uuid NOT NULL,
    family_unit_id uuid NOT NULL,
    slot smallint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    added_by uuid,
    CONSTRAINT guardianships_pkey PRIMARY KEY (member_id, guardian_user_id),
    CONSTRAINT guardianships_slot_key UNIQUE (member_id, slot),
    CONSTRAINT guardianships_at_most_four CHECK (slot BETWEEN 1 AND 4),
    CONSTRAINT guardianships_child_fkey FOREIGN KEY (family_unit_id, member_id)
        REFERENCES app.family_members (family_unit_id, id) ON DELETE CASCADE,
    CONSTRAINT guardianships_guardian_is_active_adult
        FOREIGN KEY (family_unit_id, guardian_user_id)
        REFERENCES app.family_members (family_unit_id, active_adult_user_id)
        DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX guardianships_guardian ON app.guardianships (guardian_user_id, member_id);
CREATE INDEX guardianships_family ON app.guardianships (family_unit_id, guardian_user_id);

COMMENT ON TABLE app.guardianships IS 'Who acts for which child without an account.';
COMMENT ON COLUMN app.guardianships.added_by IS 'Who made this adult a guardian; null: operators.';

INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot, since)
    SELECT m.id, m.active_guardian_id, m.family_unit_id, 1, m.added_at
    FROM app.family_members AS m WHERE m.active_guardian_id IS NOT NULL;

ALTER TABLE app.family_members ADD CONSTRAINT family_members_primary_guardian_fkey
    FOREIGN KEY (id, active_guardian_id)
    REFERENCES app.guardianships (member_id, guardian_user_id)
    DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE app.guardianships ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.guardianships FORCE ROW LEVEL SECURITY;
CREATE POLICY guardianships_owner ON app.guardianships TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY guardianships_authz ON app.guardianships FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.guardianships TO hearth_authz;

-- Members see the guardians of their family's children.
CREATE POLICY guardianships_family_reads ON app.guardianships
    FOR SELECT TO hearth_api, authenticated
    USING (family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
GRANT SELECT (member_id, guardian_user_id, family_unit_id, since)
    ON app.guardianships TO hearth_api, authenticated;

-- The managed members of which the account is a guardian. The constraints ensure that child and
-- guardian are active; the view checks it again, so the policies do not rely on the constraints.
CREATE OR REPLACE VIEW app.my_wards WITH (security_barrier) AS
SELECT m.user_id, m.family_unit_id
FROM app.guardianships AS w
JOIN app.family_members AS m ON m.id = w.member_id
JOIN app.family_members AS g
    ON g.family_unit_id = m.family_unit_id AND g.active_adult_user_id = w.guardian_user_id
WHERE w.guardian_user_id = app.account_id() AND m.status = 'active' AND g.status = 'active';

CREATE POLICY guardianships_operator_reads ON app.guardianships
    FOR SELECT TO hearth_admin USING (true);
GRANT SELECT ON app.guardianships TO hearth_admin;
