package import Domain
package import Postgres

/// The type tag of audit entries' ids; has no values.
package enum AuditRecord {}

/// An action in a family, as the audit log records it.
package struct AuditEntry: RowDecodable, Sendable {
    package let id: ID<AuditRecord>
    /// Time of the action.
    package let at: Timestamp
    /// The account that acted; nil if the actor is not an account. `actorLabel` then names the
    /// actor.
    package let actor: UserID?
    /// Label of an actor without an account, such as `operator:NAME`; nil for an account.
    package let actorLabel: String?
    /// The person whom the action concerned; nil if there is none in particular.
    package let subject: UserID?
    /// Name of the action, such as `member.remove`.
    package let action: String
    /// The object of the action: a member, family or invitation.
    package let target: UInt128?
    /// Details as a JSON object.
    package let details: PostgresJSON
    /// Whether the subject is a managed member.
    package let isSubjectManaged: Bool
    /// Whether the target is a managed member.
    package let isTargetManaged: Bool

    package static let row = RowDecoder(Self.init)

    /// Returns SQL for whether the person whose id is in `column` is a managed member. It compares
    /// the kind that a subquery returns. For `EXISTS`, PostgreSQL would read all managed members
    /// into a hash, because it expects to answer for every entry of the log.
    static func isManaged(_ column: String) -> String {
        """
        coalesce((SELECT u.kind = 'managed' FROM app.users AS u WHERE u.id = \(column)), false)
        """
    }
}

/// The statement that reads a family's audit log.
package enum AuditLog {
    /// Returns a page of a family's entries, newest first. Parameters: family, time and id of the
    /// entry after which to begin (null: from the newest), maximum number, person who is the actor
    /// or the subject of the entries (null: anybody).
    ///
    /// Empty for callers who do not govern the family.
    package static let page = Statement<
        AuditEntry, FamilyID, Timestamp?, ID<AuditRecord>?, Int32, UserID?
    >(
        """
        SELECT id, at, actor_user_id, actor_label, subject_user_id, action, target_id, details,
            subject_is_managed, target_is_managed
        FROM app.audit_page($1, $2, $3, $4, $5)
        """)
}
