-- What operators may read.
--
-- An operator signs in to the database as `hearth_admin`. This role is not a superuser, and
-- row-level security applies to it: it reads what policies allow, and makes changes by functions
-- that check their own conditions. It writes directly to one table only, trusted_issuers, where a
-- trigger records each change in the audit trail.
--
-- It can't read the secrets of invitations, the hashes of subjects, the limits or the stored
-- responses. It can read members' preferences only by export_preferences, which requires an entry
-- in the audit trail.
--
-- Locks: none that anybody waits for, all tables are new.

CREATE POLICY users_operator_reads ON app.users FOR SELECT TO hearth_admin USING (true);
CREATE POLICY user_identities_operator_reads ON app.user_identities
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_units_operator_reads ON app.family_units
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_codes_operator_reads ON app.family_codes
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_members_operator_reads ON app.family_members
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_invitations_operator_reads ON app.family_invitations
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY family_code_usage_log_operator_reads ON app.family_code_usage_log
    FOR SELECT TO hearth_admin USING (true);
CREATE POLICY audit_log_operator_reads ON app.audit_log FOR SELECT TO hearth_admin USING (true);
CREATE POLICY trusted_issuers_admin ON app.trusted_issuers TO hearth_admin
    USING (true) WITH CHECK (true);

GRANT SELECT (id, kind, email, email_verified, full_name, role, avatar_key, avatar_url, created_at,
    updated_at, deleted_at) ON app.users TO hearth_admin;
GRANT SELECT (issuer, user_id, created_at) ON app.user_identities TO hearth_admin;
GRANT SELECT ON app.family_units, app.family_codes, app.family_members, app.family_invitations,
    app.family_code_usage_log, app.audit_log TO hearth_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON app.trusted_issuers TO hearth_admin;
