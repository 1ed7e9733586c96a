-- A role (player or parent) is the account's: one in all families that it is in or waits for.
--
-- held_role: the role of such a membership, which must be its user's; null once it has ended. The
-- foreign key is checked at commit, so that a function can change both. It is not validated: an
-- account that had both roles before keeps them until somebody decides, and hearth-admin doctor
-- names it.
--
-- Locks: ACCESS EXCLUSIVE on app.family_members while its rows are written anew, and on app.users
-- while the index is built.

-- hearth: allow table-rewrite: no column that is written later could be compared by a foreign key
ALTER TABLE app.family_members
    ADD COLUMN held_role text GENERATED ALWAYS AS (
        CASE WHEN status <> 'removed' THEN role END) STORED;

COMMENT ON COLUMN app.family_members.held_role IS
    'The role, which is the account''s own; null once the membership has ended.';

-- hearth: allow index-not-concurrent: the table before it is written anew in the same transaction
ALTER TABLE app.users ADD CONSTRAINT users_id_role_key UNIQUE (id, role);

ALTER TABLE app.family_members
    ADD CONSTRAINT family_members_role_of_account FOREIGN KEY (user_id, held_role)
        REFERENCES app.users (id, role) DEFERRABLE INITIALLY DEFERRED NOT VALID;

-- The first answers what came of it from now on, the second looks at the account's role itself.
DROP FUNCTION IF EXISTS app.approve_member(uuid);
DROP FUNCTION IF EXISTS app.obstacle_to_membership(text, uuid, uuid);
