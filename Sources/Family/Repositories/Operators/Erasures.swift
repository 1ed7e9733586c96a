package import Domain
package import Postgres

/// How much was known of somebody who was erased.
package struct Erased: RowDecodable, Sendable {
    package let membershipCount: Int
    package let signInCount: Int
    package let invitationCount: Int

    package init(row: inout RowReader) throws(PostgresError) {
        membershipCount = try row.read()
        signInCount = try row.read()
        invitationCount = try row.read()
    }
}

/// Preferences of a member, as its family's export has them.
package struct ExportedPreferences: RowDecodable, Sendable {
    package let user: UserID
    package let preferences: PostgresJSON
    package let updatedAt: Timestamp

    package init(row: inout RowReader) throws(PostgresError) {
        user = try row.read()
        preferences = try row.read()
        updatedAt = try row.read()
    }
}

/// Data that only the family's members and its export see.
package struct ExportedHome: RowDecodable, Sendable {
    package let latitude: Double?
    package let longitude: Double?
    package let playerDetails: PostgresJSON
    package let attributes: PostgresJSON

    package init(row: inout RowReader) throws(PostgresError) {
        latitude = try row.read()
        longitude = try row.read()
        playerDetails = try row.read()
        attributes = try row.read()
    }
}

/// A use of a code.
package struct CodeUse: RowDecodable, Sendable {
    package let id: ID<CodeUse>
    package let at: Timestamp
    package let user: UserID?
    package let action: String

    package init(row: inout RowReader) throws(PostgresError) {
        id = try row.read()
        at = try row.read()
        user = try row.read()
        action = try row.read()
    }
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
