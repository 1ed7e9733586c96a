package import Domain
package import Postgres

/// A provider's refresh token as it is kept: sealed.
package struct KeptProviderToken: RowDecodable, Sendable {
    package let issuer: String
    /// The app or service that it was given to.
    package let client: String
    /// The token, encrypted with a key that the database does not have.
    package let sealed: PostgresBytes

    package static let row = RowDecoder(Self.init)
}

/// One that is to be checked now.
package struct ProviderTokenToCheck: RowDecodable, Sendable {
    package let id: ProviderTokenID
    /// The token itself, sealed.
    package let token: KeptProviderToken

    package static let row = RowDecoder(Self.init)
}

/// Statements about refresh tokens of identity providers.
package enum ProviderTokens {
    /// For the caller's sign-in: issuer, hash, client, sealed token. Does nothing without a caller.
    package static let keep = Statement<NoRow, String, PostgresBytes, String, PostgresBytes>(
        """
        SELECT FROM app.keep_provider_token($1, $2, $3, $4) WHERE app.user_id() IS NOT NULL
        """)

    /// The session that is refreshed. At most one row.
    package static let claimCheck = Statement<ProviderTokenToCheck, SessionID>(
        "SELECT token, issuer, client, sealed FROM app.claim_provider_check($1)")

    /// Whether one of the caller's still holds. Does nothing without a caller.
    package static let noteCheck = Statement<NoRow, ProviderTokenID, Bool>(
        "SELECT FROM app.note_provider_check($1, $2) WHERE app.user_id() IS NOT NULL")

    /// One to be revoked; no row: it is already.
    package static let toRevoke = Statement<KeptProviderToken, ProviderTokenID>(
        "SELECT issuer, client, sealed FROM app.revocation_of($1)")

    /// Removes one that is revoked. Does nothing for one that an account still has.
    package static let forget = Statement<NoRow, ProviderTokenID>(
        "SELECT FROM app.forget_provider_token($1)")
}
