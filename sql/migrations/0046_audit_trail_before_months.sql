-- hearth: no-transaction
-- Prepares the audit trail for being divided into months: what there is becomes one part, which
-- ends at the beginning of the month after the next two. A constraint says so now, is checked while
-- programs go on, and spares the next file to look at any row; and so does the key, by moment and
-- id.
--
-- Locks: ACCESS EXCLUSIVE on app.audit_log for a moment, to add the constraint unchecked; then
-- SHARE UPDATE EXCLUSIVE while it is checked and while the index is built, which stops neither
-- reads nor writes.

DO $$
BEGIN
    EXECUTE format(
        'ALTER TABLE app.audit_log ADD CONSTRAINT audit_log_earlier_end CHECK (at < %L) NOT VALID',
        (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '3 months') AT TIME ZONE 'UTC');
END $$;

ALTER TABLE app.audit_log VALIDATE CONSTRAINT audit_log_earlier_end;

CREATE UNIQUE INDEX CONCURRENTLY audit_log_earlier_key ON app.audit_log (at, id);
