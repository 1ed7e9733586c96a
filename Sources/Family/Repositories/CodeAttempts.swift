package import Domain
package import Postgres

/// The outcome of an attempt to join.
package struct JoinAttempt: RowDecodable, Sendable {
    package enum Success: String, PostgresWord, Sendable {
        case joined, waiting

        package static var specimen: Success { .joined }
    }

    package let outcome: CodeOutcome<Success>
    /// The family that the code leads to; with `playerHasFamily` the caller's own, which stands in
    /// the way.
    package let family: FamilyID?
    package let familyName: String?
    package let member: MemberID?
    /// How many members the family may have; nil when the code led to none.
    package let memberLimit: Int?
    /// The family in which the caller lived alone, and which it has left for this one.
    package let leftFamily: FamilyID?

    package init(row: inout RowReader) throws(PostgresError) {
        outcome = try row.read()
        family = try row.read()
        familyName = try row.read()
        member = try row.read()
        memberLimit = try row.read()
        leftFamily = try row.read()
    }
}

/// Attempts at family codes: counted first, in a transaction of their own, then made. Without a
/// caller these statements do nothing.
package enum CodeAttempts {
    /// Counts an attempt: code, client address, its network. A row means that it must not be made.
    package static let reserve = Statement<LimitReached, String, String?, String?>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_code_attempt($1, $2, $3)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Joins by a code: code, client address, its network, as in `reserve`. Its transaction has to
    /// be committed whatever the outcome, since it takes a needless count back.
    package static let join = Statement<JoinAttempt, String, String?, String?>(
        """
        SELECT outcome, family_unit_id, family_name, member_id, member_limit, left_family_id
        FROM app.enter_by_code($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)
}
