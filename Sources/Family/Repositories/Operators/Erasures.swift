package import Domain
package import Postgres

/// How much was known of somebody who was erased.
package struct Erased: RowDecodable, Sendable {
    /// Memberships that were ended, waiting ones included.
    package let membershipCount: Int
    /// Sign-ins of other issuers that led to the account.
    package let signInCount: Int
    /// Pending invitations by the user, and all that it accepted or that went to its verified
    /// address.
    package let invitationCount: Int

    package static let row = RowDecoder(Self.init)
}

/// Preferences of a member, as its family's export has them.
package struct ExportedPreferences: RowDecodable, Sendable {
    package let user: UserID
    /// A JSON object.
    package let preferences: PostgresJSON
    package let updatedAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// Data that only the family's members and its export see.
package struct ExportedHome: RowDecodable, Sendable {
    /// Nil where no home is stored.
    package let latitude: Double?
    /// Nil with ``latitude``.
    package let longitude: Double?
    /// A JSON object: the family's notes about its player.
    package let playerDetails: PostgresJSON
    /// A JSON object; empty if nothing is stored.
    package let attributes: PostgresJSON

    package static let row = RowDecoder(Self.init)
}

/// A use of a code.
package struct CodeUse: RowDecodable, Sendable {
    package let id: ID<CodeUse>
    /// When it was used.
    package let at: Timestamp
    /// Nil where no account did it, such as an operator or the clearing of an expired code.
    package let user: UserID?
    /// `generated`, `joined`, `regenerated`, `rejected` or `retired`.
    package let action: String

    package static let row = RowDecoder(Self.init)
}

/// The statements of erasing a person and of exporting a family.
package enum Erasures {
    /// User, new guardians of the user's children.
    package static let erase = Statement<Erased, UserID, [UInt128]>(
        "SELECT memberships, sign_ins, invitations FROM app.erase_user($1, $2)")

    /// Leaves the audit row of an export. `exportPreferences` follows in a later transaction.
    package static let beginExport = Statement<NoRow, FamilyID>("SELECT FROM app.begin_export($1)")

    /// Refused unless the same operator has begun an export of the family.
    package static let exportPreferences = Statement<ExportedPreferences, FamilyID>(
        "SELECT user_id, preferences, updated_at FROM app.export_preferences($1)")

    /// Refused like `exportPreferences`.
    package static let home = Statement<ExportedHome, FamilyID>(
        """
        SELECT home_latitude, home_longitude, player_details, app.export_attributes(id)
        FROM app.family_units WHERE id = $1
        """)

    /// Family, the moment and id to begin after (null: at the oldest), how many.
    package static let codeUses = Statement<
        CodeUse, FamilyID, Timestamp?, ID<CodeUse>?, Int32
    >(
        """
        SELECT id, at, user_id, action FROM app.family_code_usage_log
        WHERE family_unit_id = $1 AND ($2::timestamptz IS NULL OR (at, id) > ($2, $3))
        ORDER BY at, id LIMIT $4
        """)

    /// The same of the audit trail.
    package static let trail = Statement<
        AuditEntry, FamilyID, Timestamp?, ID<AuditRecord>?, Int32
    >(
        """
        SELECT id, at, actor_user_id, actor_label, subject_user_id, action, target_id, details,
            EXISTS (SELECT FROM app.users AS u WHERE u.id = subject_user_id AND u.kind = 'managed'),
            EXISTS (SELECT FROM app.users AS u WHERE u.id = target_id AND u.kind = 'managed')
        FROM app.audit_log
        WHERE family_unit_id = $1 AND ($2::timestamptz IS NULL OR (at, id) > ($2, $3))
        ORDER BY at, id LIMIT $4
        """)
}
