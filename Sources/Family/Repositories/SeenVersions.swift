package import Domain
package import Postgres

/// A version of what a caller follows, and when it was given.
package struct DatedVersion: RowDecodable, Sendable {
    /// Each change has the next one.
    package let number: Int64
    /// When the version was given; nil if that was not recorded yet.
    package let raisedAt: Timestamp?

    package static let row = RowDecoder(Self.init)

    /// That of one of the subject's families, which decides what is shown of it but its code; no
    /// row where there is none to be seen.
    package static let ofFamily = Statement<DatedVersion, FamilyID>(
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
    package struct Family: RowDecodable, Sendable {
        package let id: FamilyID
        /// Nil where there is none to be seen.
        package let version: DatedVersion?
        /// What time alone has changed: the code is shown no more.
        package let isCodeOver: Bool

        package static let row = RowDecoder {
            (id: FamilyID, version: DatedVersion?, isCodeOver: Bool?) in
            Family(id: id, version: version, isCodeOver: isCodeOver ?? false)
        }
    }

    /// Nil for nobody.
    package let own: DatedVersion?
    /// Nil in the row of who has none.
    package let family: Family?

    package static let row = RowDecoder(Self.init)

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

/// The version of one family, of a caller who was found.
package struct FoundVersion: RowDecodable, Sendable {
    /// Nil for who was not found, or does not see the family.
    package let user: UserID?
    /// Nil with ``user``.
    package let version: DatedVersion?

    package static let row = RowDecoder(Self.init)

    /// As `RequestIdentities.beginAsOneself`, and the family.
    package static let bySignIn = Statement<
        FoundVersion, String, PostgresBytes, String?, Bool?, Bool, FamilyID
    >("\(columns) \(ConditionalRead.signIn) AND s.family_unit_id = $6")

    /// As `RequestIdentities.beginSessionAsOneself`, and the family.
    package static let bySession = Statement<FoundVersion, SessionID, UserID, FamilyID>(
        "\(columns) \(ConditionalRead.session) AND s.family_unit_id = $3")

    private static let columns = "SELECT s.user_id, s.version, s.raised_at"
}

/// The versions that decide all that a caller sees who was found.
package struct FoundVersions: RowDecodable, Sendable {
    /// Nil for who was not found.
    package let user: UserID?
    /// Empty for who was not found.
    package let seen: SeenVersions

    package static let row = RowDecoder(Self.init)

    /// As `RequestIdentities.beginAsOneself`.
    package static let bySignIn = Statement<
        FoundVersions, String, PostgresBytes, String?, Bool?, Bool
    >("\(columns) \(ConditionalRead.signIn)")

    /// As `RequestIdentities.beginSessionAsOneself`.
    package static let bySession = Statement<FoundVersions, SessionID, UserID>(
        "\(columns) \(ConditionalRead.session)")

    private static let columns = """
        SELECT s.user_id, s.own_version, s.own_raised_at, s.family_unit_id, s.version, s.raised_at,
            s.code_expires_at <= now()
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

/// What these statements read: nothing may come before the LEFT JOIN's left side, which says for
/// whom the view is.
private enum ConditionalRead {
    static let signIn = """
        FROM (SELECT set_config('hearth.sign_in', encode($2, 'hex'), true)) AS named
        LEFT JOIN app.sign_in_versions AS s ON s.issuer = $1
            AND app.tells_nothing_new(s.claims_mark, s.lacks_name, $3, $4, $5)
        """

    static let session = """
        FROM (SELECT set_config('hearth.session', $1::text, true)) AS named
        LEFT JOIN app.session_versions AS s ON s.user_id = $2
        """
}
