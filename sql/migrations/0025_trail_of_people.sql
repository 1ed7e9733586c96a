-- hearth: no-transaction
-- An index for a person's own export: the entries of the audit trail that are about a person and
-- belong to no family. (audit_log_of_family finds the entries of a family.)
--
-- Locks: SHARE UPDATE EXCLUSIVE on app.audit_log while the index is built, which stops neither
-- reads nor writes.

CREATE INDEX CONCURRENTLY audit_log_of_person ON app.audit_log (subject_user_id, at)
    WHERE family_unit_id IS NULL;
