package import Domain
package import Postgres

/// The statements by which the audit trail is exported and dropped, month by month.
///
/// Each names a month by its first day, such as 2026-03-01, and means what is older.
package enum AuditMonths {
    private static let begin = "$1::text::date::timestamp AT TIME ZONE 'UTC'"

    /// Leaves the audit row of an export. `part` follows in later transactions.
    package static let beginExport = Statement<NoRow, String>(
        "SELECT FROM app.begin_audit_export(\(begin))")

    /// Month, the moment and id to begin after (null: at the oldest), how many.
    package static let part = Statement<
        OperatedAuditEntry, String, Timestamp?, ID<AuditRecord>?, Int32
    >(
        """
        SELECT family_unit_id, id, at, actor_user_id, actor_label, subject_user_id, action,
            target_id, details,
            EXISTS (SELECT FROM app.users AS u WHERE u.id = subject_user_id AND u.kind = 'managed'),
            EXISTS (SELECT FROM app.users AS u WHERE u.id = target_id AND u.kind = 'managed')
        FROM app.audit_log
        WHERE at < \(begin)
            AND ($2::timestamptz IS NULL OR (at >= $2 AND (at, id) > ($2, $3)))
        ORDER BY at, id LIMIT $4
        """)

    /// Month, how many entries: they are in a file that is complete and in its place.
    package static let noteExport = Statement<NoRow, String, Int64>(
        "SELECT FROM app.note_audit_export(\(begin), $2)")

    /// Drops one part that is free. Month, whether only what was exported may go, and the moment
    /// that the drop before has reached (null: this is the first, and leaves an audit row).
    package static let dropPart = Statement<UpkeepBatch, String, Bool, PostgresTimestamp?>(
        """
        SELECT \(UpkeepBatch.columns) FROM app.operator_drop_audit_part(\(begin), $2, $3)
        """)

    /// The same for entries that are not in parts of their own: so many of them, from a moment on
    /// (null: from the oldest).
    package static let deleteEntries = Statement<
        UpkeepBatch, String, Bool, Int32, PostgresTimestamp?
    >(
        """
        SELECT \(UpkeepBatch.columns)
        FROM app.operator_delete_audit_entries(\(begin), $2, $3, $4)
        """)

    /// The months whose part should be there by now and is not, such as `2026-03`.
    package static let missing = Statement<Scalar<String>>(
        "SELECT m.month FROM app.audit_months_missing() AS m (month)")

    /// Makes those parts; the months that have one now.
    package static let makeMissing = Statement<Scalar<String>>(
        "SELECT m.month FROM app.operator_make_audit_months() AS m (month)")

    /// Which parts end by then and are still there, because something else used them.
    package static let partsLeft = Statement<Scalar<String>, String>(
        "SELECT name FROM app.operator_audit_parts(\(begin))")
}
