package import Domain
package import Postgres

/// The type tag of audit entries' ids; has no values.
package enum AuditRecord {}

/// One thing that somebody did in a family.
package struct AuditEntry: RowDecodable, Sendable {
    package let id: ID<AuditRecord>
    /// When it was done.
    package let at: Timestamp
    /// Nil if the actor is not an account; then `actorLabel` names it.
    package let actor: UserID?
    /// Who acted without an account, such as `operator:NAME`; nil for an account.
    package let actorLabel: String?
    /// The person whom the action concerned; nil if there is none in particular.
    package let subject: UserID?
    /// What was done, such as `member.remove`.
    package let action: String
    /// The object of the action: a member, family or invitation.
    package let target: UInt128?
    /// A JSON object.
    package let details: PostgresJSON
    /// Whether the subject is a managed member.
    package let isSubjectManaged: Bool
    /// Whether the target is a managed member.
    package let isTargetManaged: Bool

    package static let row = RowDecoder(Self.init)
}

/// The statement that reads a family's audit trail.
package enum AuditTrail {
    /// A family's entries, newest first, from after the one of a moment and id (null: from the
    /// newest), so many.
    ///
    /// Empty for who does not govern the family.
    package static let page = Statement<
        AuditEntry, FamilyID, Timestamp?, ID<AuditRecord>?, Int32
    >(
        """
        SELECT id, at, actor_user_id, actor_label, subject_user_id, action, target_id, details,
            subject_is_managed, target_is_managed
        FROM app.audit_page($1, $2, $3, $4)
        """)
}
