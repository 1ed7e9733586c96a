package import Domain
package import Postgres

/// A provider's refresh token as it is stored: encrypted.
package struct StoredProviderToken: RowDecodable, Sendable {
    package let issuer: String
    /// The app or service to which the token was issued.
    package let client: String
    /// The token, encrypted with a key that the database does not have.
    package let sealed: PostgresBytes

    package static let row = RowDecoder(Self.init)
}

/// A provider's refresh token that must be checked now.
package struct ProviderTokenToCheck: RowDecodable, Sendable {
    package let id: ProviderTokenID
    /// The encrypted token.
    package let token: StoredProviderToken

    package static let row = RowDecoder(Self.init)
}

/// Statements about refresh tokens of identity providers.
package enum ProviderTokens {
    /// Stores the token of the caller's sign-in. Parameters: issuer, subject hash, client,
    /// encrypted token. Does nothing without a caller.
    package static let store = Statement<NoRow, String, PostgresBytes, String, PostgresBytes>(
        """
        SELECT FROM app.store_provider_token($1, $2, $3, $4) WHERE app.user_id() IS NOT NULL
        """)

    /// Claims the check of a provider's token that is due, when a session is refreshed. Returns at
    /// most one row.
    package static let claimCheck = Statement<ProviderTokenToCheck, SessionID>(
        "SELECT token, issuer, client, sealed FROM app.claim_provider_check($1)")

    /// Records whether a token of the caller is still valid. Does nothing without a caller.
    package static let recordCheck = Statement<NoRow, ProviderTokenID, Bool>(
        "SELECT FROM app.record_provider_check($1, $2) WHERE app.user_id() IS NOT NULL")

    /// Returns a token to revoke; no row if it is revoked already.
    package static let revocation = Statement<StoredProviderToken, ProviderTokenID>(
        "SELECT issuer, client, sealed FROM app.provider_token_to_revoke($1)")

    /// Deletes a revoked token. Does nothing if an account still has it.
    package static let delete = Statement<NoRow, ProviderTokenID>(
        "SELECT FROM app.delete_provider_token($1)")
}
