package import Postgres

/// The issuers whose tokens direct clients may use. Only operators change them.
package enum TrustedIssuers {
    /// Adds or changes an issuer. Parameters: name, kind, whether it is primary, whether its e-mail
    /// addresses are confirmed, audiences, kind of token to accept, whether new sign-ins are added
    /// to accounts by their addresses.
    package static let upsert = Statement<
        NoRow, String, String, Bool, Bool, [String], String?, Bool
    >(
        """
        INSERT INTO app.trusted_issuers (
            issuer, kind, is_primary, emails_confirmed, audiences, token_use,
            links_verified_addresses)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (issuer) DO UPDATE SET
            kind = excluded.kind, is_primary = excluded.is_primary,
            emails_confirmed = excluded.emails_confirmed, audiences = excluded.audiences,
            token_use = excluded.token_use,
            links_verified_addresses = excluded.links_verified_addresses
        """)

    /// Removes all issuers but the given ones and returns their names. Parameters: issuers that
    /// remain, whether to remove Hearth itself, whether to remove providers.
    package static let removeOthers = Statement<Scalar<String>, [String], Bool, Bool>(
        """
        DELETE FROM app.trusted_issuers
        WHERE issuer <> ALL ($1) AND CASE WHEN kind = 'hearth' THEN $2 ELSE $3 END
        RETURNING issuer
        """)
}
