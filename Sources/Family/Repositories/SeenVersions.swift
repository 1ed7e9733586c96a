package import Domain
package import Postgres

/// A version, and when it was given: nil if that was not recorded yet.
package struct DatedVersion: Sendable {
    /// Each change has the next one.
    package let number: Int64
    /// When the version was given.
    package let raisedAt: Timestamp?

    /// Nil where there is none.
    init?(row: inout RowReader) throws(PostgresError) {
        let number: Int64? = try row.read()
        raisedAt = try row.read()
        guard let number else { return nil }
        self.number = number
    }
}

/// The version of one family, which decides what is shown of it but its code; nil where there is
/// none to be seen.
package struct SeenVersion: RowDecodable, Sendable {
    /// Nil where there is none to be seen.
    package let version: DatedVersion?

    package init(row: inout RowReader) throws(PostgresError) {
        version = try DatedVersion(row: &row)
    }

    /// Of one of the subject's families.
    package static let ofFamily = Statement<SeenVersion, FamilyID>(
        select("app.family_versions AS v WHERE", "$1"),
        forEach: select("app.family_versions_of_batch AS v WHERE v.place = q.place AND", "q.p1"))

    private static func select(_ seen: String, _ family: String) -> String {
        "SELECT v.version, v.raised_at FROM \(seen) v.family_unit_id = \(family)"
    }
}

/// The versions that decide all that a person sees: its own and those of its families, in a row for
/// each family, or one row for who has none.
package struct SeenVersions: RowDecodable, Sendable {
    /// One of the person's families, as far as it decides what is shown.
    package struct Family: Sendable {
        package let id: FamilyID
        /// Nil where there is none to be seen.
        package let version: DatedVersion?
        /// What time alone has changed: the code is shown no more.
        package let isCodeOver: Bool
    }

    /// Nil for nobody.
    package let own: DatedVersion?
    /// Nil in the row of who has none.
    package let family: Family?

    package init(row: inout RowReader) throws(PostgresError) {
        own = try DatedVersion(row: &row)
        let id: FamilyID? = try row.read()
        let version = try DatedVersion(row: &row)
        let isCodeOver: Bool? = try row.read()
        family = id.map { Family(id: $0, version: version, isCodeOver: isCodeOver ?? false) }
    }

    /// The subject's. `OFFSET 0` as in `Changes.followed`.
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
            "app.user_versions_of_batch AS u", of: "u.place = q.place",
            families: "app.family_versions_of_batch AS v WHERE v.place = q.place"))

    private static func select(_ own: String, of caller: String, families: String) -> String {
        """
        SELECT u.version, u.raised_at, v.family_unit_id, v.version, v.raised_at,
            v.code_expires_at <= now()
        FROM \(own) LEFT JOIN LATERAL (SELECT v.* FROM \(families)) AS v ON true
        WHERE \(caller)
        """
    }
}

// For conditional reads: the same by one statement that finds the caller as well, and begins no
// request (sql/functions/conditional_reads.sql). It finds a caller who acts for nobody, whose token
// tells nothing new, or whose session lasts. Of anybody else it tells nothing.

/// The version of one family, of a caller who was found and sees it.
package struct FoundVersion: RowDecodable, Sendable {
    /// The caller.
    package let user: UserID
    /// The family's version.
    package let seen: SeenVersion

    package init(row: inout RowReader) throws(PostgresError) {
        user = try row.read()
        seen = try SeenVersion(row: &row)
    }

    /// As `RequestIdentities.begin` of who acts for nobody, and the family.
    package static let bySignIn = Statement<
        FoundVersion, String, PostgresBytes, String?, Bool?, Bool, FamilyID
    >("\(columns) app.versions_of_caller($1, $2, $3, $4, $5, NULL, NULL, $6)")

    /// As `RequestIdentities.beginSession` of who acts for nobody, and the family.
    package static let bySession = Statement<FoundVersion, SessionID, UserID, FamilyID>(
        "\(columns) app.versions_of_caller(NULL, NULL, NULL, NULL, NULL, $1, $2, $3)")

    private static let columns = "SELECT user_id, version, raised_at FROM"
}

/// The versions that decide all that a caller sees who was found.
package struct FoundVersions: RowDecodable, Sendable {
    /// The caller.
    package let user: UserID
    /// The caller's own version, and that of one of its families.
    package let seen: SeenVersions

    package init(row: inout RowReader) throws(PostgresError) {
        user = try row.read()
        seen = try SeenVersions(row: &row)
    }

    /// As `RequestIdentities.begin` of who acts for nobody.
    package static let bySignIn = Statement<
        FoundVersions, String, PostgresBytes, String?, Bool?, Bool
    >("\(columns) app.versions_of_caller($1, $2, $3, $4, $5, NULL, NULL, NULL)")

    /// As `RequestIdentities.beginSession` of who acts for nobody.
    package static let bySession = Statement<FoundVersions, SessionID, UserID>(
        "\(columns) app.versions_of_caller(NULL, NULL, NULL, NULL, NULL, $1, $2, NULL)")

    private static let columns = """
        SELECT user_id, own_version, own_raised_at, family_unit_id, version, raised_at, is_code_over
        FROM
        """

    /// The same for several callers: of each what `bySignIn` or `bySession` is given, nil for the
    /// other, and a family (nil: all of the caller's). For who names a family there is at most one
    /// row, without the caller's own version and without the code's end.
    package static let together = SharedStatement<
        FoundVersions, String?, PostgresBytes?, String?, Bool?, Bool?, SessionID?, UserID?,
        FamilyID?
    >(
        """
        SELECT place::bigint, user_id, own_version, own_raised_at, family_unit_id, version,
            raised_at, is_code_over
        FROM app.versions_of_callers($1, $2, $3, $4, $5, $6, $7, $8)
        """)
}
