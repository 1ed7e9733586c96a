package import Domain
package import Postgres

/// The statements that begin an operator's transaction. Without one, every change is refused.
package enum OperatorSessions {
    /// Sets the operator's name for the audit log.
    package static let begin = Statement<NoRow, String>("SELECT FROM app.begin_operation($1)")
    /// Locks the role of the operator of a session of the console, and sets the name. Parameters:
    /// hash of the session's token, the lowest role that the change allows.
    package static let beginInConsole = Statement<NoRow, PostgresBytes, OperatorRole>(
        "SELECT FROM app.begin_console_change($1, $2)")
}

/// The operator in whose name transactions are made.
package enum OperatorIdentity: Sendable {
    /// An operator at the command line, who is trusted with the name.
    case named(String)
    /// The operator of a session of the console: hash of the session's token, the lowest role that
    /// the change allows, and the operator's name. Each transaction checks the role again.
    case ofSession(PostgresBytes, atLeast: OperatorRole, name: String)

    /// The operator's name, without the `operator:` that precedes it in the audit log.
    package var name: String {
        switch self {
        case .named(let name), .ofSession(_, _, let name): name
        }
    }

    /// Adds the statement that begins a transaction in the operator's name.
    package func begin(_ batch: inout Batch) {
        switch self {
        case .named(let name): batch.add(OperatorSessions.begin, name)
        case .ofSession(let hash, let role, _):
            batch.add(OperatorSessions.beginInConsole, hash, role)
        }
    }
}

/// An entry of the audit log with its family and its request.
package struct AdminAuditEntry: RowDecodable, Sendable {
    /// The family; nil if none is concerned.
    package let family: FamilyID?
    package let entry: AuditEntry
    /// Id of the request that made the change; nil for a change without a request.
    package let requestID: String?

    package static let row = RowDecoder(Self.init)
}

/// An entry of the audit log with the current names of the people and the family concerned.
package struct NamedAuditEntry: RowDecodable, Sendable {
    package let entry: AdminAuditEntry
    /// Names of the person who acted, of the person concerned and of the family; nil if there is
    /// none, or if it was erased.
    package let actorName, subjectName, familyName: String?

    package static let row = RowDecoder(Self.init)
}

/// The audit log of all families.
package enum AdminAudit {
    /// Returns a page of entries, newest first. Parameters: family, user who acted or is concerned,
    /// label of the actor, action (null: any), time and id of the entry after which to begin (null:
    /// from the newest), maximum number, start and end of a period (null: none; the end is
    /// excluded), id of the request (null: any).
    package static let page = Statement<
        NamedAuditEntry, FamilyID?, UserID?, String?, String?, Timestamp?, ID<AuditRecord>?,
        Int32, Timestamp?, Timestamp?, String?
    >(
        """
        SELECT family_unit_id, id, at, actor_user_id, actor_label, subject_user_id, action,
            target_id, details,
            \(AuditEntry.isManaged("subject_user_id")),
            \(AuditEntry.isManaged("target_id")),
            request_id, (SELECT u.full_name FROM app.users AS u WHERE u.id = actor_user_id),
            (SELECT u.full_name FROM app.users AS u WHERE u.id = subject_user_id),
            (SELECT f.family_name FROM app.family_units AS f WHERE f.id = family_unit_id)
        FROM app.audit_log
        WHERE ($1::uuid IS NULL OR family_unit_id = $1)
            AND ($2::uuid IS NULL OR $2 IN (actor_user_id, subject_user_id))
            AND ($3::text IS NULL OR actor_label = $3)
            AND ($4::text IS NULL OR action = $4)
            AND at <= coalesce($5::timestamptz, 'infinity')
            AND (at, id) < (coalesce($5, 'infinity'),
                coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
            AND at >= coalesce($8::timestamptz, '-infinity')
            AND at < coalesce($9::timestamptz, 'infinity')
            AND ($10::text IS NULL OR request_id = $10)
        ORDER BY at DESC, id DESC LIMIT $7
        """)
}
