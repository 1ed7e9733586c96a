package import Domain
package import Postgres

/// A way into an account, in its list.
package struct ListedIdentity: RowDecodable, Sendable {
    package let id: IdentityID
    package let kind: IdentityKind
    /// The issuer or the address.
    package let name: String?
    /// When it was added to the account.
    package let since: Timestamp

    package init(row: inout RowReader) throws(PostgresError) {
        id = try row.read()
        kind = try row.read()
        name = try row.read()
        since = try row.read()
    }
}

/// The statements about the ways to sign in to an account.
package enum Identities {
    /// The account's own, the oldest first; none without a caller.
    package static let mine = Statement<ListedIdentity>(
        "SELECT id, kind, name, since FROM app.my_identities()")

    /// Does nothing without a caller.
    package static let remove = Statement<NoRow, IdentityID>(
        "SELECT FROM app.remove_my_identity($1) WHERE app.user_id() IS NOT NULL")

    /// Issuer, subject hash, address, whether it is verified, when the token was made. Does nothing
    /// without a caller.
    package static let adopt = Statement<
        NoRow, String, PostgresBytes, String?, Bool, Int64?
    >(
        """
        SELECT FROM app.add_sign_in($1, $2, $3, $4, $5) WHERE app.user_id() IS NOT NULL
        """)
}
