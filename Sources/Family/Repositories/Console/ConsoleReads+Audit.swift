package import Domain
package import Postgres

/// Reads of the audit log, by the console and by operators at the command line.
extension ConsoleReads {
    private static let auditColumns = """
        a.family_unit_id, a.id, a.at, a.actor_user_id, a.actor_label, a.subject_user_id,
        a.action, a.target_id, a.details, a.is_subject_managed, a.is_target_managed,
        a.request_id, a.actor_name, a.subject_name, a.family_name
        """
    /// The conditions of a page of the audit log that two statements share.
    private static let auditConditions = """
        ($3::text IS NULL OR a.actor_label = $3) AND ($4::text IS NULL OR a.action = $4)
        AND a.at <= coalesce($5::timestamptz, 'infinity')
        AND (a.at, a.id) < (coalesce($5, 'infinity'),
            coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        AND a.at >= coalesce($8::timestamptz, '-infinity')
        AND a.at < coalesce($9::timestamptz, 'infinity')
        AND ($10::text IS NULL OR a.request_id = $10)
        """

    /// Returns a page of the audit log, newest first: the entries of a family, of a request, with
    /// an action or all. Parameters: family, user who acted or is concerned, label of the actor,
    /// action (null: any), time and id of the entry after which to begin (null: from the newest),
    /// maximum number, start and end of a period (null: none; the end is excluded), id of the
    /// request (null: any). Planned by their values, it uses the index of what is given. For a
    /// person without a family, or for a label, use the statements below.
    package static let audit = Statement<
        NamedAuditEntry, FamilyID?, UserID?, String?, String?, Timestamp?, ID<AuditRecord>?,
        Int32, Timestamp?, Timestamp?, String?
    >(
        """
        SELECT \(auditColumns) FROM app.console_audit AS a
        WHERE ($1::uuid IS NULL OR a.family_unit_id = $1)
            AND ($2::uuid IS NULL OR $2 IN (a.actor_user_id, a.subject_user_id))
            AND \(auditConditions)
        ORDER BY a.at DESC, a.id DESC LIMIT $7
        """)
    /// Returns a page of the entries of an actor's label, with the index of labels. The label is
    /// that which the role sees.
    package static let auditOfLabel = Statement<
        NamedAuditEntry, FamilyID?, UserID?, String?, String?, Timestamp?, ID<AuditRecord>?,
        Int32, Timestamp?, Timestamp?, String?
    >(
        """
        SELECT \(auditColumns)
        FROM app.console_audit_of_label($3, $4, $5, $6, $8, $9, $7) AS p
        JOIN app.console_audit AS a ON a.at = p.at AND a.id = p.id
        WHERE $1::uuid IS NULL AND $2::uuid IS NULL AND $10::text IS NULL
        ORDER BY a.at DESC, a.id DESC LIMIT $7
        """)
    /// Returns whether the audit log has entries of a request. Parameter: its id.
    package static let isRequest = Statement<Scalar<Bool>, String>(
        "SELECT EXISTS (SELECT FROM app.console_audit AS a WHERE a.request_id = $1)")
    /// Returns a page of entries by or about a person, with an index for either.
    package static let auditOfPerson = Statement<
        NamedAuditEntry, FamilyID?, UserID?, String?, String?, Timestamp?, ID<AuditRecord>?,
        Int32, Timestamp?, Timestamp?, String?
    >(
        """
        SELECT \(auditColumns) FROM (
            (SELECT \(auditColumns) FROM app.console_audit AS a
             WHERE a.actor_user_id = $2 AND $1::uuid IS NULL AND \(auditConditions)
             ORDER BY a.at DESC, a.id DESC LIMIT $7)
            UNION ALL
            (SELECT \(auditColumns) FROM app.console_audit AS a
             WHERE a.subject_user_id = $2 AND a.actor_user_id IS DISTINCT FROM $2
                AND \(auditConditions)
             ORDER BY a.at DESC, a.id DESC LIMIT $7)) AS a
        ORDER BY a.at DESC, a.id DESC LIMIT $7
        """)
}
