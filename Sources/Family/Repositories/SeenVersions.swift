package import Domain
package import Postgres

/// A version of a family or person that a caller follows, and the time at which it was assigned.
package struct DatedVersion: RowDecodable, Sendable {
    /// The version; each change increments it.
    package let number: Int64
    /// Time at which the version was assigned; nil if it was not recorded yet.
    package let raisedAt: Timestamp?

    package static let row = RowDecoder(Self.init)

    /// Returns the version of one of the subject's families, on which all fields of the family but
    /// the code depend; no row if none is visible.
    package static let ofFamily = Statement<DatedVersion, FamilyID>(
        select("app.family_versions AS v WHERE", "$1"),
        forEach: select(
            "app.family_versions_of_batch AS v WHERE v.caller_index = q.caller_index AND", "q.p1"))

    private static func select(_ seen: String, _ family: String) -> String {
        "SELECT v.version, v.raised_at FROM \(seen) v.family_unit_id = \(family)"
    }
}

/// The versions on which everything that a person sees depends: their own and those of their
/// families, in a row for each family, or in one row if there is none.
package struct SeenVersions: RowDecodable, Sendable {
    /// One of the person's families, with the values on which its fields depend.
    package struct Family: RowDecodable, Sendable {
        package let id: FamilyID
        /// The version; nil if none is visible.
        package let version: DatedVersion?
        /// Whether the code has expired and is hidden, which changes no version.
        package let isCodeOver: Bool

        package static let row = RowDecoder {
            (id: FamilyID, version: DatedVersion?, isCodeOver: Bool?) in
            Family(id: id, version: version, isCodeOver: isCodeOver ?? false)
        }
    }

    /// The person's own version; nil without a caller.
    package let own: DatedVersion?
    /// A family; nil if the person has none.
    package let family: Family?

    package static let row = RowDecoder(Self.init)

    /// Returns the subject's versions. `OFFSET 0` as in `Changes.followed`.
    package static let mine = Statement<SeenVersions>(
        select(
            "app.user_versions AS u", of: "u.user_id = app.user_id()",
            families: """
                app.my_families AS m CROSS JOIN LATERAL (
                    SELECT v.family_unit_id, v.version, v.raised_at, f.code_expires_at
                    FROM app.family_versions AS v
                    JOIN app.family_units AS f ON f.id = v.family_unit_id
                    WHERE v.family_unit_id = m.family_unit_id OFFSET 0) AS v
                """),
        forEach: select(
            "app.user_versions_of_batch AS u", of: "u.caller_index = q.caller_index",
            families: "app.family_versions_of_batch AS v WHERE v.caller_index = q.caller_index"))

    private static func select(_ own: String, of caller: String, families: String) -> String {
        """
        SELECT u.version, u.raised_at, v.family_unit_id, v.version, v.raised_at,
            v.code_expires_at <= now()
        FROM \(own) LEFT JOIN LATERAL (SELECT v.* FROM \(families)) AS v ON true
        WHERE \(caller)
        """
    }
}

// Conditional reads: each statement identifies the caller and reads the versions, without beginning
// a request (sql/functions/conditional_reads.sql). Only callers who act for nobody are identified,
// and only if their token has no new claims or their session is active. For others no data is
// returned.

/// The version of one family, with the caller whom the same statement identified.
package struct CallerFamilyVersion: RowDecodable, Sendable {
    /// The caller; nil if the statement identified none, or the caller may not see the family.
    package let user: UserID?
    /// The version; nil with ``user``.
    package let version: DatedVersion?

    package static let row = RowDecoder(Self.init)

    /// Parameters: those of `RequestIdentities.beginWithoutActing`, and the family.
    package static let bySignIn = Statement<
        CallerFamilyVersion, String, PostgresBytes, String?, Bool?, Bool, FamilyID
    >("\(columns) \(ConditionalRead.signIn) AND s.family_unit_id = $6")

    /// Parameters: those of `RequestIdentities.beginSessionWithoutActing`, and the family.
    package static let bySession = Statement<CallerFamilyVersion, SessionID, UserID, FamilyID>(
        "\(columns) \(ConditionalRead.session) AND s.family_unit_id = $3")

    private static let columns = "SELECT s.user_id, s.version, s.raised_at"
}

/// The versions on which everything depends that the caller sees.
package struct CallerVersions: RowDecodable, Sendable {
    /// The caller; nil if the statement identified none.
    package let user: UserID?
    /// The versions; empty if the statement identified no caller.
    package let seen: SeenVersions

    package static let row = RowDecoder(Self.init)

    /// Parameters: those of `RequestIdentities.beginWithoutActing`.
    package static let bySignIn = Statement<
        CallerVersions, String, PostgresBytes, String?, Bool?, Bool
    >("\(columns) \(ConditionalRead.signIn)")

    /// Parameters: those of `RequestIdentities.beginSessionWithoutActing`.
    package static let bySession = Statement<CallerVersions, SessionID, UserID>(
        "\(columns) \(ConditionalRead.session)")

    private static let columns = """
        SELECT s.user_id, s.own_version, s.own_raised_at, s.family_unit_id, s.version, s.raised_at,
            s.code_expires_at <= now()
        """

    /// Returns the versions for several callers. Parameters of each caller: those of `bySignIn` or
    /// `bySession`, the others nil, and a family (nil: all of the caller's). If a family is given,
    /// there is at most one row for the caller, without the caller's own version and the code's
    /// expiry.
    package static let batched = SharedStatement<
        CallerVersions, String?, PostgresBytes?, String?, Bool?, Bool?, SessionID?, UserID?,
        FamilyID?
    >(
        """
        SELECT caller_index::bigint, user_id, own_version, own_raised_at, family_unit_id, version,
            raised_at, is_code_over
        FROM app.versions_of_callers($1, $2, $3, $4, $5, $6, $7, $8)
        """)
}

/// The FROM clauses of these statements. The left side of the LEFT JOIN must be evaluated first,
/// because it stores the sign-in or session that the view looks up.
private enum ConditionalRead {
    static let signIn = """
        FROM (SELECT set_config('hearth.sign_in', encode($2, 'hex'), true)) AS named
        LEFT JOIN app.sign_in_versions AS s ON s.issuer = $1
            AND app.claims_unchanged(s.claims_mark, s.lacks_name, $3, $4, $5)
        """

    static let session = """
        FROM (SELECT set_config('hearth.session', $1::text, true)) AS named
        LEFT JOIN app.session_versions AS s ON s.user_id = $2
        """
}
