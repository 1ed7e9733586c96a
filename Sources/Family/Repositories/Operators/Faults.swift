package import Domain
package import Postgres

/// A fault in the data.
package struct FoundFault: RowDecodable, Sendable, Hashable {
    /// The kind, as in `app.find_faults_of`.
    package let kind: String
    /// The family; nil if no single one is concerned.
    package let family: FamilyID?
    /// Id of the member, user or invitation concerned.
    package let subject: UserID?
    /// Whether the database can repair the fault by itself.
    package let isMendable: Bool

    package static let row = RowDecoder(Self.init)
}

/// A column with timestamps in the future, which only a fast clock can have stored.
package struct FutureTimestamps: RowDecodable, Sendable {
    /// The table, with its schema.
    package let table: String
    /// Name of the column.
    package let column: String
    /// Number of rows with such a timestamp.
    package let count: Int
    /// The latest of these timestamps.
    package let furthest: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// An issuer that the database trusts.
package struct FoundIssuer: RowDecodable, Sendable, Hashable {
    /// The issuer's name, as in its tokens.
    package let name: String
    /// The kind: `supabase`, `cognito`, `apple`, `generic` or `hearth`.
    package let kind: String
    /// Whether the subjects of the issuer's tokens are UUIDs, which become the ids of accounts.
    package let isPrimary: Bool
    /// Whether addresses in the issuer's tokens count as verified; for Supabase only.
    package let confirmsEmails: Bool
    /// Accepted audiences of the issuer's tokens; at least one.
    package let audiences: [String]
    /// The accepted one of Cognito's two kinds of token; nil for both, and for other issuers.
    package let tokenUse: String?
    /// Whether a new sign-in with a verified address is added to the account that has proved this
    /// address.
    package let linksAddresses: Bool

    package static let row = RowDecoder(Self.init)
}

/// The definition of a database object, as hearth-migrate recorded it.
package struct RecordedDefinition: RowDecodable, Sendable {
    package let kind: String
    package let name: String
    /// The table or view that the object belongs to, or its schema; nil for a schema.
    package let place: String?
    /// The SQL that creates the object, as the server printed it.
    package let statement: String
    /// Version of the server that printed it, such as 150018.
    package let serverVersion: Int32

    package static let row = RowDecoder(Self.init)
}

/// The statements of `doctor`.
package enum Faults {
    /// Returns the names of all checks of the data.
    package static let checks = Statement<Scalar<String>>(
        """
        SELECT c.name FROM unnest(app.fault_checks()) WITH ORDINALITY AS c (name, position)
        ORDER BY c.position
        """)

    /// Returns the faults that a check finds. Parameters: check, maximum number of each kind.
    package static let find = Statement<FoundFault, String, Int32>(
        "SELECT kind, family_unit_id, subject_id, mendable FROM app.find_faults_of($1, $2)")

    /// Repairs a fault; returns false if it could not be repaired. Parameters: kind, family,
    /// subject.
    package static let repair = Statement<Scalar<Bool>, String, FamilyID, UserID?>(
        "SELECT app.repair_fault($1, $2, $3)")

    /// Returns the tables with timestamps that must not be in the future.
    package static let timestampTables = Statement<Scalar<String>>(
        """
        SELECT DISTINCT table_name FROM app.timestamp_columns() WHERE kind <> 'free'
        ORDER BY table_name
        """
    )

    /// Returns the columns of a table with timestamps in the future.
    package static let futureTimestamps = Statement<FutureTimestamps, String>(
        "SELECT table_name, column_name, ahead, furthest FROM app.future_timestamps($1)")

    /// Repairs the timestamps of a column that are in the future and returns their number.
    /// Parameters: table, column.
    package static let repairTimestamps = Statement<Scalar<Int64>, String, String>(
        "SELECT app.repair_timestamps($1, $2)")

    /// Returns the issuers whose tokens direct clients may use.
    package static let issuers = Statement<FoundIssuer>(
        """
        SELECT issuer, kind, is_primary, emails_confirmed, audiences, token_use,
            links_verified_addresses
        FROM app.trusted_issuers ORDER BY issuer LIMIT 1000
        """)

    /// Returns the applied migrations in their order, such as `0001_schemas`; no row if there is no
    /// ledger.
    package static let migrations = Statement<Scalar<String>>(
        """
        SELECT lpad(version::text, 4, '0') || '_' || name FROM app.applied_migrations()
        ORDER BY version
        """)

    /// Returns the definitions that hearth-migrate recorded.
    package static let definitions = Statement<RecordedDefinition>(
        "SELECT kind, name, place, statement, server_version FROM app.recorded_definitions()")

    /// Returns whether a run of hearth-migrate has yet to record its changes.
    package static let isRecordingUnfinished = Statement<Scalar<Bool>>(
        "SELECT app.is_recording_unfinished()")
}
