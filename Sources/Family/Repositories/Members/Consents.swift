package import Domain
package import Postgres

/// A consent that stands.
package struct StandingConsent: RowDecodable, Sendable {
    /// What is consented to: the name of a purpose of the settings.
    package let purpose: String
    /// The version of the purpose's text that the guardian saw.
    package let version: String
    /// How the guardian proved it.
    package let method: ConsentMethod
    /// The guardian.
    package let givenBy: UserID
    package let givenAt: Timestamp

    package init(row: inout RowReader) throws(PostgresError) {
        purpose = try row.read()
        version = try row.read()
        method = try row.read()
        givenBy = try row.read()
        givenAt = try row.read()
    }
}

/// A consent as operators see it, whether it stands or not.
package struct RecordedConsent: RowDecodable, Sendable {
    /// The child that it was given for.
    package let member: MemberID
    package let consent: StandingConsent
    /// Who withdrew or replaced it; nil while it stands.
    package let endedBy: UserID?
    /// Nil while it stands.
    package let endedAt: Timestamp?

    package init(row: inout RowReader) throws(PostgresError) {
        member = try row.read()
        consent = try StandingConsent(row: &row)
        endedBy = try row.read()
        endedAt = try row.read()
    }
}

/// What guardians have consented to. Each function checks its rule again under the family's lock.
package enum Consents {
    private static let columns = "purpose, version, method, given_by, given_at"

    /// Those that stand for a child of the caller's; none for any other member.
    package static let ofChild = Statement<StandingConsent, MemberID>(
        """
        SELECT \(columns) FROM app.consents
        WHERE member_id = $1 AND ended_at IS NULL ORDER BY purpose LIMIT 1000
        """)

    /// The children of the caller, or the one it acts for, who lack a required consent.
    package static let lacking = Statement<Scalar<UserID>>(
        "SELECT user_id FROM app.children_of_actor_without_consent")

    /// Gives one: child, purpose, version, method, whether the mailed code was right.
    package static let give = Statement<NoRow, MemberID, String, String, ConsentMethod, Bool>(
        "SELECT FROM app.give_consent($1, $2, $3, $4, $5)")

    /// Withdraws one: child, purpose.
    package static let withdraw = Statement<NoRow, MemberID, String>(
        "SELECT FROM app.withdraw_consent($1, $2)")

    /// Counts an attempt at a mailed code. A row means that it must not be looked at.
    package static let reserveAttempt = Statement<LimitReached>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_consent_attempt()
        WHERE app.user_id() IS NOT NULL
        """)

    /// Replaces the purposes: names, the versions of their texts, the names of those required.
    package static let applyPurposes = Statement<NoRow, [String], [String], [String]>(
        "SELECT FROM app.apply_consent_purposes($1, $2, $3)")

    /// All that were ever given for a member, the newest first.
    package static let ofMember = Statement<RecordedConsent, MemberID>(
        """
        SELECT member_id, \(columns), ended_by, ended_at FROM app.consents
        WHERE member_id = $1 ORDER BY given_at DESC, id LIMIT 1000
        """)

    /// All that were ever given for a family's children, the oldest first.
    package static let ofFamily = Statement<RecordedConsent, FamilyID>(
        """
        SELECT member_id, \(columns), ended_by, ended_at FROM app.consents
        WHERE family_unit_id = $1 ORDER BY given_at, id
        """)
}
