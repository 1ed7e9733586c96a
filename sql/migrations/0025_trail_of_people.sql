-- hearth: no-transaction
-- The rows of the audit trail that are about a person and no family, for the person's own export.
-- The family's rows are found by audit_log_of_family.
--
-- Locks: SHARE UPDATE EXCLUSIVE on app.audit_log while the index is built, which stops neither
-- reads nor writes.

CREATE INDEX CONCURRENTLY audit_log_of_person ON app.audit_log (subject_user_id, at)
    WHERE family_unit_id IS NULL;
