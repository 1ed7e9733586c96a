package import Domain
package import Postgres

/// A family as operators see it: no values are masked, because there is no reader with a
/// membership.
package struct AdminFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    /// The code; nil once it has expired, even if it is still stored.
    package let code: String?
    /// Time at which the family got its last code, even if it has expired; nil if it never had one.
    package let codeGeneratedAt: Timestamp?
    /// Expiry of the code; nil if it does not expire.
    package let codeExpiresAt: Timestamp?
    /// The user who created the family. This user may have left it since.
    package let creator: UserID
    /// Number of active members.
    package let memberCount: Int
    /// Maximum number of active members.
    package let memberLimit: Int
    /// Whether the family must approve people who join by its code.
    package let isApprovalRequired: Bool
    package let createdAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A family that an operator has created.
package struct AdminNewFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let code: String

    package static let row = RowDecoder(Self.init)
}

/// Statements that read and change families for operators. `OperatorSessions.begin` goes first.
package enum AdminFamilies {
    private static let columns = """
        f.id, f.family_name,
        CASE WHEN f.code_expires_at <= now() THEN NULL ELSE f.family_code END,
        f.code_generated_at, f.code_expires_at,
        f.created_by_user_id,
        (SELECT count(*)::integer FROM app.family_members AS m
         WHERE m.family_unit_id = f.id AND m.status = 'active'),
        f.member_limit, f.approval_required, f.created_at
        """

    /// Returns a page of families, newest first. Parameters: text that the name contains (null:
    /// all), time and id of the family after which to begin (null: from the newest), maximum
    /// number.
    package static let page = Statement<
        AdminFamily, String?, Timestamp?, FamilyID?, Int32
    >(
        """
        SELECT \(columns) FROM app.family_units AS f
        WHERE ($1::text IS NULL OR strpos(lower(f.family_name), lower($1)) > 0)
            AND ($2::timestamptz IS NULL OR (f.created_at, f.id) < ($2, $3))
        ORDER BY f.created_at DESC, f.id DESC LIMIT $4
        """)

    /// Returns the family with an id or a code, either of which may be null.
    package static let ofIDOrCode = Statement<AdminFamily, FamilyID?, String?>(
        "SELECT \(columns) FROM app.family_units AS f WHERE f.id = $1 OR f.id = ("
            + "SELECT c.family_unit_id FROM app.family_codes AS c "
            + "WHERE c.code = $2 AND c.state = 'live')")

    /// Returns the families with exactly this name, ignoring letter case; if there is none, those
    /// whose names contain the text. At most six.
    package static let named = Statement<AdminFamily, String>(
        """
        SELECT \(columns) FROM app.family_units AS f
        WHERE strpos(lower(f.family_name), lower($1)) > 0
            AND (lower(f.family_name) = lower($1) OR NOT EXISTS (
                SELECT FROM app.family_units AS e WHERE lower(e.family_name) = lower($1)))
        ORDER BY f.created_at DESC, f.id DESC LIMIT 6
        """)

    /// Creates a family. Parameters: owner, name (null: the default), owner's role (null: the
    /// account's own).
    package static let create = Statement<AdminNewFamily, UserID, String?, MemberRole?>(
        "SELECT family_unit_id, family_code FROM app.operator_create_family($1, $2, $3)")

    /// Renames a family. Parameters: family, new name.
    package static let rename = Statement<NoRow, FamilyID, String>(
        "SELECT FROM app.operator_rename_family($1, $2)")

    /// Replaces a family's code. Parameters: family, days until the new code expires (null: never).
    package static let replaceCode = Statement<NoRow, FamilyID, Int32?>(
        "SELECT FROM app.operator_replace_code($1, $2)")

    /// Makes a member Parent Admin, and enqueues the e-mails to the adults.
    package static let transferAdmin = Statement<NoRow, MemberID>(
        "SELECT FROM app.operator_transfer_admin($1)")
}
