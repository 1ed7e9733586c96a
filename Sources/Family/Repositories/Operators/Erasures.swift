package import Domain
package import Postgres

/// Amounts of data that an erasure removed.
package struct ErasureResult: RowDecodable, Sendable {
    /// Memberships that were ended, including waiting ones.
    package let membershipCount: Int
    /// Sign-ins of other issuers to the account.
    package let signInCount: Int
    /// Pending invitations by the user, and all those that the user accepted or that went to their
    /// verified address.
    package let invitationCount: Int

    package static let row = RowDecoder(Self.init)
}

/// Data that only members of a family see, and that the family's export contains.
package struct ExportedFamilyData: RowDecodable, Sendable {
    /// Latitude of the home; nil if none is stored.
    package let latitude: Double?
    /// Longitude of the home; nil with ``latitude``.
    package let longitude: Double?
    /// The family's notes about its player, as a JSON object.
    package let playerDetails: PostgresJSON
    /// The attributes, as a JSON object; empty if nothing is stored.
    package let attributes: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// An entry in the history of a family code.
package struct CodeUse: RowDecodable, Sendable {
    package let id: ID<CodeUse>
    /// Time of the action.
    package let at: Timestamp
    /// The account; nil if none was involved, as for an operator or the removal of an expired code.
    package let user: UserID?
    /// Name of the action: `generated`, `joined`, `regenerated`, `rejected` or `retired`.
    package let action: String

    package static let row = RowDecoder(Self.init)
}

/// Statements that erase a person or export a family.
package enum Erasures {
    /// Erases a user. Parameters: user, new guardians of the user's children.
    package static let eraseUser = Statement<ErasureResult, UserID, [UInt128]>(
        "SELECT memberships, sign_ins, invitations FROM app.erase_user($1, $2)")

    /// Writes the audit entry of an export. `exportPreferences` follows in a later transaction.
    package static let beginExport = Statement<NoRow, FamilyID>("SELECT FROM app.begin_export($1)")

    /// Writes the audit entry of an account's export. `exportUser` follows in a later transaction.
    package static let beginUserExport = Statement<NoRow, UserID>(
        "SELECT FROM app.operator_begin_user_export($1)")

    /// Returns the export of an account for its owner, as one JSON document. Refused unless the
    /// same operator has begun it.
    package static let exportUser = Statement<Scalar<PostgresJSON>, UserID>(
        "SELECT app.operator_export_user($1)")

    /// Returns all preferences. Refused unless the same operator has begun an export of the family.
    package static let exportPreferences = Statement<OwnedPreferences, FamilyID>(
        "SELECT $1, user_id, \(Preferences.columns) FROM app.export_preferences($1)")

    /// Returns the home, the notes and the attributes. Refused like `exportPreferences`.
    package static let exportFamilyData = Statement<ExportedFamilyData, FamilyID>(
        """
        SELECT home_latitude, home_longitude, player_details, app.export_attributes(id)
        FROM app.family_units WHERE id = $1
        """)

    /// Returns the next uses of codes. Parameters: family, time and id after which to begin (null:
    /// at the oldest), maximum number.
    package static let codeUses = Statement<
        CodeUse, FamilyID, Timestamp?, ID<CodeUse>?, Int32
    >(
        """
        SELECT id, at, user_id, action FROM app.family_code_usage_log
        WHERE family_unit_id = $1 AND ($2::timestamptz IS NULL OR (at, id) > ($2, $3))
        ORDER BY at, id LIMIT $4
        """)

    /// Returns the next entries of the audit log; parameters as for `codeUses`.
    package static let auditLog = Statement<
        AuditEntry, FamilyID, Timestamp?, ID<AuditRecord>?, Int32
    >(
        """
        SELECT id, at, actor_user_id, actor_label, subject_user_id, action, target_id, details,
            \(AuditEntry.isManaged("subject_user_id")),
            \(AuditEntry.isManaged("target_id"))
        FROM app.audit_log
        WHERE family_unit_id = $1 AND ($2::timestamptz IS NULL OR (at, id) > ($2, $3))
        ORDER BY at, id LIMIT $4
        """)
}
