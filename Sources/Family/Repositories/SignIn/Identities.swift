package import Domain
package import Postgres

/// A way to sign in to an account, in the account's list.
package struct ListedIdentity: RowDecodable, Sendable {
    package let id: IdentityID
    package let kind: IdentityKind
    /// The issuer or the address.
    package let name: String?
    /// Time at which the sign-in method was added to the account.
    package let since: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// Statements about the ways to sign in to an account.
package enum Identities {
    /// Returns the account's own ways to sign in, oldest first; none without a caller.
    package static let mine = Statement<ListedIdentity>(
        "SELECT id, kind, name, since FROM app.my_identities()")

    /// Returns whether the sign-in of the request created the account, rather than being added to
    /// an existing one; false without a caller.
    package static let beganWithSignIn = Statement<Scalar<Bool>>(
        "SELECT app.sign_in_created_account()")

    /// Removes a way to sign in. Parameters: its id, time at which the caller signed in, offered
    /// ways to sign in, trusted issuers, payload of the e-mail's job. Does nothing without a
    /// caller.
    package static let remove = Statement<
        NoRow, IdentityID, Int64?, [String], [String], PostgresJSON
    >(
        """
        SELECT FROM app.remove_my_identity($1, $2, $3, $4, $5) WHERE app.user_id() IS NOT NULL
        """)

    /// Adds another issuer's sign-in to the account. Parameters: issuer, subject hash, address,
    /// whether it is verified, time at which the token was issued, time at which the caller signed
    /// in, payload of the e-mail's job, subject of a primary issuer, which becomes the account's
    /// id. Does nothing without a caller.
    package static let addSignIn = Statement<
        NoRow, String, PostgresBytes, String?, Bool, Int64?, Int64?, PostgresJSON, UserID?
    >(
        """
        SELECT FROM app.add_sign_in($1, $2, $3, $4, $5, $6, $7, $8)
        WHERE app.user_id() IS NOT NULL
        """)
}
