package import Domain
package import Postgres

/// Something in the data that should not be.
package struct FoundFault: RowDecodable, Sendable, Hashable {
    /// As `app.find_faults_of` names it.
    package let kind: String
    /// Nil where no family in particular is concerned.
    package let family: FamilyID?
    /// The member, user or invitation concerned.
    package let subject: UserID?
    /// Whether the database can repair it by itself.
    package let isMendable: Bool

    package static let row = RowDecoder(Self.init)
}

/// A column with moments that only a clock that was ahead can have stored.
package struct MomentsAhead: RowDecodable, Sendable {
    /// The table, with its schema.
    package let place: String
    /// The column.
    package let moment: String
    /// How many rows have such a moment.
    package let count: Int
    /// The furthest of them.
    package let furthest: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// An issuer as the database trusts it.
package struct FoundIssuer: RowDecodable, Sendable, Hashable {
    /// The issuer, as its tokens give it.
    package let name: String
    /// `supabase`, `cognito`, `apple`, `generic` or `hearth`.
    package let kind: String
    /// Whether its subjects are UUIDs that people are known by.
    package let isPrimary: Bool
    /// Whether the addresses in its tokens count as verified; of Supabase only.
    package let confirmsEmails: Bool
    /// For whom its tokens may be; at least one.
    package let audiences: [String]
    /// Of Cognito's issuers only: which of its two tokens is accepted; nil: both.
    package let tokenUse: String?
    /// Whether a new sign-in leads to the account that has proved its verified address.
    package let linksAddresses: Bool

    package static let row = RowDecoder(Self.init)
}

/// The definition of a database object, as hearth-migrate recorded it.
package struct RecordedDefinition: RowDecodable, Sendable {
    package let kind: String
    package let name: String
    /// The table or view that it belongs to, or its schema; nil for a schema.
    package let place: String?
    /// The SQL that makes it, as the server printed it.
    package let statement: String
    /// The version of the server that printed it, such as 150018.
    package let serverVersion: Int32

    package static let row = RowDecoder(Self.init)
}

/// The statements of `doctor`.
package enum Faults {
    /// The names of all checks of the data.
    package static let checks = Statement<Scalar<String>>(
        """
        SELECT c.name FROM unnest(app.fault_checks()) WITH ORDINALITY AS c (name, place)
        ORDER BY c.place
        """)

    /// The faults that a check finds, at most so many of each kind.
    package static let find = Statement<FoundFault, String, Int32>(
        "SELECT kind, family_unit_id, subject_id, mendable FROM app.find_faults_of($1, $2)")

    /// Kind, family, subject; false if it could not be repaired.
    package static let repair = Statement<Scalar<Bool>, String, FamilyID, UserID?>(
        "SELECT app.repair_fault($1, $2, $3)")

    /// The tables with moments that must not be ahead of the clock.
    package static let placesOfMoments = Statement<Scalar<String>>(
        "SELECT DISTINCT place FROM app.stored_moments() WHERE kind <> 'free' ORDER BY place")

    /// The columns of a table with moments that are ahead of the clock.
    package static let momentsAhead = Statement<MomentsAhead, String>(
        "SELECT place, moment, ahead, furthest FROM app.moments_ahead($1)")

    /// Repairs the moments of a column that are ahead: table, column. Returns how many.
    package static let mendMoments = Statement<Scalar<Int64>, String, String>(
        "SELECT app.mend_moments($1, $2)")

    /// The issuers that direct clients' tokens may come from.
    package static let issuers = Statement<FoundIssuer>(
        """
        SELECT issuer, kind, is_primary, emails_confirmed, audiences, token_use,
            links_verified_addresses
        FROM app.trusted_issuers ORDER BY issuer LIMIT 1000
        """)

    /// The files that are applied, in their order, as `0001_schemas`; none without a ledger.
    package static let migrations = Statement<Scalar<String>>(
        """
        SELECT lpad(version::text, 4, '0') || '_' || name FROM app.applied_migrations()
        ORDER BY version
        """)

    /// The definitions that hearth-migrate recorded.
    package static let definitions = Statement<RecordedDefinition>(
        "SELECT kind, name, place, statement, server_version FROM app.recorded_definitions()")

    /// Whether a run of hearth-migrate has yet to record what it changed.
    package static let isRecordingUnfinished = Statement<Scalar<Bool>>(
        "SELECT app.is_recording_unfinished()")
}
