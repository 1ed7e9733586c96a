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

    package static let row = RowDecoder(Self.init)
}

/// The statements about the ways to sign in to an account.
package enum Identities {
    /// The account's own, the oldest first; none without a caller.
    package static let mine = Statement<ListedIdentity>(
        "SELECT id, kind, name, since FROM app.my_identities()")

    /// Whether the account was made by the sign-in of the request, which may also have been added
    /// to an account that there was; false without a caller.
    package static let beganWithSignIn = Statement<Scalar<Bool>>("SELECT app.began_with_sign_in()")

    /// The way in, when the caller signed in, the ways that are offered, the trusted issuers,
    /// payload of the e-mail's job. Does nothing without a caller.
    package static let remove = Statement<
        NoRow, IdentityID, Int64?, [String], [String], PostgresJSON
    >(
        """
        SELECT FROM app.remove_my_identity($1, $2, $3, $4, $5) WHERE app.user_id() IS NOT NULL
        """)

    /// Issuer, subject hash, address, whether it is verified, when the token was made; when the
    /// caller signed in, payload of the e-mail's job, the subject of a primary issuer, which
    /// becomes the account's id. Does nothing without a caller.
    package static let adopt = Statement<
        NoRow, String, PostgresBytes, String?, Bool, Int64?, Int64?, PostgresJSON, UserID?
    >(
        """
        SELECT FROM app.add_sign_in($1, $2, $3, $4, $5, $6, $7, $8)
        WHERE app.user_id() IS NOT NULL
        """)
}
