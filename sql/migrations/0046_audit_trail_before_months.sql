-- hearth: no-transaction
-- Prepares the audit trail for monthly partitions. The present table will become one partition,
-- which ends three months after the beginning of the month in which this file is applied. A
-- constraint states this end. It is checked here while programs go on, so the next file needs to
-- check no row. The unique index on time and id is built here too, so the next file needs to build
-- none.
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
