package import Domain
package import Postgres

/// A person as operators see it: erased people too, with their sign-ins.
package struct AdminUser: RowDecodable, Sendable {
    package let id: UserID
    /// Whether the person signs in, or is a managed child.
    package let kind: UserKind
    /// E-mail address; nil if there is none, as for every managed member.
    package let email: String?
    /// Whether the person has proved the address.
    package let isEmailVerified: Bool
    /// The person's name; nil if there is none.
    package let fullName: String?
    /// Whether the account is a player or a parent; a membership may have the other role.
    package let role: MemberRole
    /// Issuers whose sign-ins belong to the account.
    package let issuers: [String]
    /// Number of families in which the person is an active member.
    package let familyCount: Int
    package let createdAt: Timestamp
    /// Time at which the person's data was erased.
    package let erasedAt: Timestamp?
    /// Time at which an operator blocked the account; nil unless it is blocked.
    package let blockedAt: Timestamp?
    /// Label of who blocked the account, and the reason.
    package let blockedBy, blockedReason: String?

    package static let row = RowDecoder(Self.init)
}

/// Statements that read people for operators.
package enum AdminUsers {
    private static let columns = """
        u.id, u.kind, u.email, u.email_verified, u.full_name, u.role,
        ARRAY(SELECT i.issuer FROM app.user_identities AS i
              WHERE i.user_id = u.id ORDER BY i.created_at, i.issuer),
        (SELECT count(*)::integer FROM app.family_members AS m
         WHERE m.user_id = u.id AND m.status = 'active'),
        u.created_at, u.deleted_at, u.blocked_at, u.blocked_by, u.blocked_reason
        """

    /// Returns a page of people, newest first. Parameters: text that the name or address contains
    /// (null: all), time and id of the person after which to begin (null: from the newest), maximum
    /// number.
    package static let page = Statement<AdminUser, String?, Timestamp?, UserID?, Int32>(
        """
        SELECT \(columns) FROM app.users AS u
        WHERE ($1::text IS NULL OR strpos(lower(u.full_name), lower($1)) > 0
               OR strpos(u.email, lower($1)) > 0 OR strpos(u.mailbox, lower($1)) > 0)
            AND ($2::timestamptz IS NULL OR (u.created_at, u.id) < ($2, $3))
        ORDER BY u.created_at DESC, u.id DESC LIMIT $4
        """)

    /// Blocks an account. Parameters: account, reason. Returns false if it is blocked already.
    package static let block = Statement<Scalar<Bool>, UserID, String>(
        "SELECT app.operator_block_user($1, $2)")
    /// Lifts the block of an account; returns false if there is none.
    package static let unblock = Statement<Scalar<Bool>, UserID>(
        "SELECT app.operator_unblock_user($1)")

    /// Returns the person with an id; without an id, up to six people who have an address or sign
    /// in with it.
    package static let ofIDOrEmail = Statement<AdminUser, UserID?, String?>(
        """
        SELECT \(columns) FROM app.users AS u WHERE u.id IN (
            SELECT $1 UNION ALL
            SELECT p.id FROM app.people_of_address($2) AS p WHERE $1 IS NULL)
        ORDER BY u.created_at DESC, u.id DESC LIMIT 6
        """)
}
