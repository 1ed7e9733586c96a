package import Domain
package import Postgres

/// Statements that export and drop the audit log, month by month.
///
/// Each statement takes a month, given by its first day, such as 2026-03-01, and concerns all
/// entries from before it.
package enum AuditMonths {
    private static let monthStart = "$1::text::date::timestamp AT TIME ZONE 'UTC'"

    /// Writes the audit entry of an export. `entries` follows in later transactions.
    package static let beginExport = Statement<NoRow, String>(
        "SELECT FROM app.begin_audit_export(\(monthStart))")

    /// Returns the next entries. Parameters: month, time and id of the entry after which to begin
    /// (null: at the oldest), maximum number.
    package static let entries = Statement<
        AdminAuditEntry, String, Timestamp?, ID<AuditRecord>?, Int32
    >(
        """
        SELECT family_unit_id, id, at, actor_user_id, actor_label, subject_user_id, action,
            target_id, details,
            \(AuditEntry.isManaged("subject_user_id")),
            \(AuditEntry.isManaged("target_id")),
            request_id
        FROM app.audit_log
        WHERE at < \(monthStart)
            AND ($2::timestamptz IS NULL OR (at >= $2 AND (at, id) > ($2, $3)))
        ORDER BY at, id LIMIT $4
        """)

    /// Records an export whose file is complete and has its final name. Parameters: month, number
    /// of entries.
    package static let recordExport = Statement<NoRow, String, Int64>(
        "SELECT FROM app.record_audit_export(\(monthStart), $2)")

    /// Drops one partition that no other session uses. Parameters: month, whether only exported
    /// entries may be dropped, time that the previous drop has reached (null: this is the first
    /// one, which writes an audit entry).
    package static let dropPartition = Statement<UpkeepBatch, String, Bool, PostgresTimestamp?>(
        """
        SELECT \(UpkeepBatch.columns) FROM app.operator_drop_audit_part(\(monthStart), $2, $3)
        """)

    /// Deletes entries that are not in partitions of their own. Parameters: as for `dropPartition`,
    /// with the maximum number and the time from which to begin (null: from the oldest).
    package static let deleteEntries = Statement<
        UpkeepBatch, String, Bool, Int32, PostgresTimestamp?
    >(
        """
        SELECT \(UpkeepBatch.columns)
        FROM app.operator_delete_audit_entries(\(monthStart), $2, $3, $4)
        """)

    /// Returns the months whose partition should exist by now and does not, such as `2026-03`.
    package static let missingMonths = Statement<Scalar<String>>(
        "SELECT m.month FROM app.audit_months_missing() AS m (month)")

    /// Creates the missing partitions and returns their months.
    package static let makeMonths = Statement<Scalar<String>>(
        "SELECT m.month FROM app.operator_make_audit_months() AS m (month)")

    /// Returns the partitions that end before the month and still exist because other sessions used
    /// them.
    package static let remainingPartitions = Statement<Scalar<String>, String>(
        "SELECT name FROM app.operator_audit_parts(\(monthStart))")
}
