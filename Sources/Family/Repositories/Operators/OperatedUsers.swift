package import Domain
package import Postgres

/// A person as operators see it.
package struct OperatedUser: RowDecodable, Sendable {
    package let id: UserID
    /// Whether the person signs in, or is acted for.
    package let kind: UserKind
    /// Nil where there is none, as for every managed member.
    package let email: String?
    /// Whether the person has proved the address.
    package let isEmailVerified: Bool
    /// Nil where the person has none.
    package let fullName: String?
    /// The person's side; that of a membership may differ.
    package let role: MemberRole
    /// Issuers whose sign-ins lead here.
    package let issuers: [String]
    /// In how many families it is active.
    package let familyCount: Int
    package let createdAt: Timestamp
    /// When what was known of the person was erased.
    package let erasedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// People, as operators read them.
package enum OperatedUsers {
    private static let columns = """
        u.id, u.kind, u.email, u.email_verified, u.full_name, u.role,
        ARRAY(SELECT i.issuer FROM app.user_identities AS i
              WHERE i.user_id = u.id ORDER BY i.created_at, i.issuer),
        (SELECT count(*)::integer FROM app.family_members AS m
         WHERE m.user_id = u.id AND m.status = 'active'),
        u.created_at, u.deleted_at
        """

    /// The people whose name or address holds a text (null: all), newest first, from after the one
    /// of a moment and id (null: from the newest), so many.
    package static let page = Statement<OperatedUser, String?, Timestamp?, UserID?, Int32>(
        """
        SELECT \(columns) FROM app.users AS u
        WHERE ($1::text IS NULL OR strpos(lower(u.full_name), lower($1)) > 0
               OR strpos(u.email, lower($1)) > 0 OR strpos(u.mailbox, lower($1)) > 0)
            AND ($2::timestamptz IS NULL OR (u.created_at, u.id) < ($2, $3))
        ORDER BY u.created_at DESC, u.id DESC LIMIT $4
        """)

    /// The person of an id; without one, the people of a mailbox, six of them at most.
    package static let ofIDOrEmail = Statement<OperatedUser, UserID?, String?>(
        """
        SELECT \(columns) FROM app.users AS u WHERE u.id IN (
            SELECT $1 UNION ALL
            SELECT e.id FROM app.users AS e WHERE $1 IS NULL AND e.mailbox = $2)
        ORDER BY u.created_at DESC, u.id DESC LIMIT 6
        """)
}
