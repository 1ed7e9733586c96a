-- An entry of the audit trail names other people only while app.former_ids leads from the one to the
-- other (app.change_account_id).
--
-- audit_log_of_declining finds what the trail of a family says about an account that was never a
-- member of it.
--
-- Locks: SHARE on app.audit_log while the index is built, for which the trail is read once; ACCESS
-- EXCLUSIVE on it for a moment.

CREATE POLICY audit_log_owner_renames ON app.audit_log FOR UPDATE TO hearth_owner
    USING (EXISTS (
        SELECT FROM app.former_ids AS o
        WHERE o.former_id IN (actor_user_id, subject_user_id, target_id)))
    WITH CHECK (true);

CREATE INDEX audit_log_of_declining ON app.audit_log (actor_user_id)
    WHERE action = 'invitation.decline';
