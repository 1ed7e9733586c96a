import Postgres
package import Repositories

extension OperatorSession {
    /// Faults in the data, at most `limit` of each kind.
    package func faults(limit: Int) throws -> [FoundFault] {
        try rows(Faults.find, Int32(limit))
    }

    /// Mends a fault, with an audit row; false where only a person can.
    package func repair(_ fault: FoundFault) throws -> Bool {
        guard fault.isMendable, let family = fault.family else { return false }
        return try change(Faults.repair, fault.kind, family, fault.subject)
    }

    /// Whether every statement of the API fits the schema.
    package func schemaFits() throws -> Bool {
        try CheckReadiness.fits(connection, .after(seconds: 60))
    }

    /// The issuers that the database trusts, for direct clients.
    package func trustedIssuers() throws -> [FoundIssuer] { try rows(Faults.issuers) }

    /// The database's name as statements write it: quoted, where it has to be.
    package func databaseName() throws -> String {
        try rows(Rights.database).first?.value ?? ""
    }

    /// What the database says of roles and rights and which migrations it has: a line each.
    package func rights() throws -> [String] {
        let migrations = try rows(Faults.migrations).map { "migration \($0.value)" }
        return ["server \(connection.serverVersion / 10_000)"] + migrations
            + (try rows(Rights.list).map(\.value))
    }
}

extension FoundFault {
    /// Whether two faults are the same, found at different times.
    package var identity: [String] { [kind, "\(family, default: "")", "\(subject, default: "")"] }
}
