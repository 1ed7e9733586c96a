-- Who sees and changes which row, and which columns.
--
-- The same policies for Hearth's own API and for direct clients; only rows that a direct client
-- inserts itself (a family, and itself as its first member) and deletes (an invitation) are
-- granted to `authenticated` alone, because the API changes those by functions that state their
-- rule. What no policy names is refused; no policy names PUBLIC; `anon` has nothing.
--
-- Columns: an address, a code, a home and player details are shown by standing, which no policy
-- can do by column. The API gets no right to them here, and reads them through views that mask;
-- `authenticated` needs the right, because its views run as their caller, but can name no table:
-- it has no USAGE on this schema.
--
-- One's own memberships are visible in any status: otherwise nobody could leave, since an UPDATE
-- checks the new row against this policy as well.
--
-- Locks: ACCESS EXCLUSIVE on the tables named, for an instant; they are new.

-- Families.
CREATE POLICY family_units_member_reads ON app.family_units
    FOR SELECT TO hearth_api, authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)));
-- INSERT ... RETURNING has to see what it wrote, before the creator is a member.
CREATE POLICY family_units_creator_reads_memberless ON app.family_units
    FOR SELECT TO authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_memberless_families AS f)));
CREATE POLICY family_units_account_creates ON app.family_units
    FOR INSERT TO authenticated
    WITH CHECK (created_by_user_id = (SELECT app.account_id()));
CREATE POLICY family_units_governor_changes ON app.family_units
    FOR UPDATE TO hearth_api, authenticated
    USING (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f)))
    WITH CHECK (id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_governed_families AS f)));

GRANT SELECT (id, created_by_user_id, family_name, code_generated_at, code_expires_at,
    member_limit, approval_required, created_at, updated_at)
    ON app.family_units TO hearth_api;
GRANT SELECT (id, created_by_user_id, family_name, family_code, code_generated_at,
    code_expires_at, home_latitude, home_longitude, player_details, created_at, updated_at)
    ON app.family_units TO authenticated;
GRANT INSERT (id, created_by_user_id, family_name) ON app.family_units TO authenticated;
GRANT UPDATE (family_name, home_latitude, home_longitude, approval_required)
    ON app.family_units TO hearth_api;
GRANT UPDATE (family_name) ON app.family_units TO authenticated;

-- Members: the active ones of one's families. Who waits for approval is shown by member_list to
-- those who may give it; here that rule would be paid for by every query. No status, role,
-- standing or slot changes but by function: there is no UPDATE.
CREATE POLICY family_members_family_reads ON app.family_members
    FOR SELECT TO hearth_api, authenticated
    USING (
        (status = 'active'
         AND family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f)))
        OR user_id = (SELECT app.user_id()));
CREATE POLICY family_members_creator_enters ON app.family_members
    FOR INSERT TO authenticated
    WITH CHECK (
        user_id = (SELECT app.account_id())
        AND status = 'active'
        AND joined_via = 'created'
        AND family_unit_id = ANY (ARRAY(
            SELECT f.family_unit_id FROM app.my_memberless_families AS f)));

GRANT SELECT (id, family_unit_id, user_id, user_kind, role, household_role, status,
    parent_user_id, joined_via, added_at, removed_at, removed_by, updated_at)
    ON app.family_members TO hearth_api, authenticated;
GRANT INSERT (id, family_unit_id, user_id, role) ON app.family_members TO authenticated;

-- Users: oneself, and who is in one's families. One changes oneself, and the children one guards.
CREATE POLICY users_relative_reads ON app.users
    FOR SELECT TO hearth_api, authenticated
    USING (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT r.user_id FROM app.my_relatives AS r)));
CREATE POLICY users_self_or_guardian_changes ON app.users
    FOR UPDATE TO hearth_api, authenticated
    USING (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)))
    WITH CHECK (
        id = (SELECT app.user_id())
        OR id = ANY (ARRAY(SELECT w.user_id FROM app.my_wards AS w)));

GRANT SELECT (id, kind, full_name, role, avatar_key, avatar_url, created_at, updated_at)
    ON app.users TO hearth_api;
GRANT SELECT (id, kind, email, full_name, role, avatar_key, avatar_url, created_at, updated_at)
    ON app.users TO authenticated;
GRANT UPDATE (full_name, avatar_key, avatar_url) ON app.users TO hearth_api, authenticated;

-- Invitations: members but visitors see them; whoever may revoke one may delete it.
CREATE POLICY family_invitations_member_reads ON app.family_invitations
    FOR SELECT TO hearth_api, authenticated
    USING (family_unit_id = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_own_families AS f)));
CREATE POLICY family_invitations_inviter_or_governor_deletes ON app.family_invitations
    FOR DELETE TO authenticated
    USING (
        status = 'pending'
        AND ((invited_by = (SELECT app.account_id())
              AND family_unit_id = ANY (ARRAY(
                  SELECT f.family_unit_id FROM app.my_trusting_families AS f)))
             OR family_unit_id = ANY (ARRAY(
                  SELECT f.family_unit_id FROM app.my_governed_families AS f))));

GRANT SELECT (id, family_unit_id, invited_by, role, household_role, status, delivery, generation,
    expires_at, created_at, accepted_at, accepted_by, closed_at, sent_count, last_sent_at)
    ON app.family_invitations TO hearth_api;
GRANT SELECT (id, family_unit_id, invited_by, invited_email, role, household_role, status,
    delivery, expires_at, created_at, accepted_at)
    ON app.family_invitations TO authenticated;
GRANT DELETE ON app.family_invitations TO authenticated;

-- Preferences: one's own, and those of the children one guards, in families one is active in.
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
