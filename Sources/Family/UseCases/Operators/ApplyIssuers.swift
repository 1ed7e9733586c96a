package import Postgres
package import Repositories

/// Makes the database trust the issuers that the API trusts, and no others, for direct clients.
///
/// The policy is not involved: only the role of operators may write the table. Each issuer that is
/// added, changed or removed leaves an audit row.
package struct ApplyIssuers {
    /// An issuer, as the database stores it.
    package struct TrustedIssuer: Sendable, Hashable {
        /// The `iss` of the issuer's tokens.
        package let name: String
        /// `supabase`, `cognito`, `apple`, `generic`, or `hearth` for Hearth itself.
        package let kind: String
        /// Whether the issuer's subjects are UUIDs that become the ids of users in the database.
        package let isPrimary: Bool
        /// Supabase only: whether an e-mail address in a token is treated as confirmed.
        package let confirmsEmails: Bool
        /// Accepted audiences, at least one; a token must be for one of them.
        package let audiences: [String]
        /// Cognito only: `id` or `access`; nil accepts both.
        package let tokenUse: String?
        /// Whether a new sign-in is added to the account that has proved its verified address.
        package let linksAddresses: Bool

        package init(
            name: String, kind: String, isPrimary: Bool, confirmsEmails: Bool,
            audiences: [String], tokenUse: String?, linksAddresses: Bool = false
        ) {
            self.name = name
            self.kind = kind
            self.isPrimary = isPrimary
            self.confirmsEmails = confirmsEmails
            self.audiences = audiences
            self.tokenUse = tokenUse
            self.linksAddresses = linksAddresses
        }

        package var origin: Origin { kind == "hearth" ? .hearth : .provider }
    }

    /// The origin of issuers. Each has a setting of its own.
    package enum Origin: Sendable, CaseIterable {
        case provider
        /// Hearth itself.
        case hearth
    }

    private let connection: Connection
    private let `operator`: OperatorIdentity?

    /// - Parameter operator: The operator for the audit log; if nil, the log records the role.
    package init(_ connection: Connection, as operator: OperatorIdentity?) {
        self.connection = connection
        self.operator = `operator`
    }

    /// Replaces the list in one transaction. Waits until no server that serves reads trusts the
    /// removed issuers, and returns these issuers.
    ///
    /// - Parameter origins: Origins whose issuers the list contains completely. Issuers of other
    ///   origins stay as they are.
    package func callAsFunction(
        _ issuers: [TrustedIssuer], replacing origins: Set<Origin> = Set(Origin.allCases)
    ) throws(PostgresError) -> [String] {
        var batch = Batch()
        `operator`?.begin(&batch, locks: true)
        let removedRows = batch.add(
            TrustedIssuers.removeOthers, issuers.map(\.name), origins.contains(.hearth),
            origins.contains(.provider))
        for issuer in issuers {
            batch.add(
                TrustedIssuers.upsert, issuer.name, issuer.kind, issuer.isPrimary,
                issuer.confirmsEmails, issuer.audiences, issuer.tokenUse, issuer.linksAddresses)
        }
        let removed = try connection.confirmingCommits { (connection) throws(PostgresError) in
            try connection.send(batch, writes: true).rows(removedRows).map(\.value)
        }
        connection.awaitReplication()
        return removed
    }
}
