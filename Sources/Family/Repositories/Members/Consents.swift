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

    package static let row = RowDecoder(Self.init)
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

    package static let row = RowDecoder(Self.init)
}

/// A consent of an account for itself that stands.
package struct OwnConsent: RowDecodable, Sendable {
    /// What is consented to: the name of a purpose of the settings.
    package let purpose: String
    /// The version of the purpose's text that was shown.
    package let version: String
    package let givenAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A consent of an account for itself as operators see it, whether it stands or not.
package struct RecordedOwnConsent: RowDecodable, Sendable {
    package let consent: OwnConsent
    /// When it was withdrawn or given anew; nil while it stands.
    package let endedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// A consent that an account is asked for.
package struct MissingConsent: RowDecodable, Sendable {
    /// The name of the purpose.
    package let purpose: String
    /// The present version of its text.
    package let version: String

    package static let row = RowDecoder(Self.init)
}

/// What guardians and accounts have consented to. Each function checks its rule again under the
/// family's lock.
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

    /// How often one was given or ended.
    package static let generation = Statement<Scalar<Int>, MemberID, String>(
        """
        SELECT count(*) + count(ended_at) FROM app.consents WHERE member_id = $1 AND purpose = $2
        """)

    /// Gives one: child, purpose, version, method, for which generation the mailed code was right.
    package static let give = Statement<NoRow, MemberID, String, String, ConsentMethod, Int?>(
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

    /// Replaces the purposes: names, the versions of their texts, the names of those required, the
    /// names of those for accounts, what is refused without each.
    package static let applyPurposes = Statement<
        NoRow, [String], [String], [String], [String], [String]
    >("SELECT FROM app.apply_consent_purposes($1, $2, $3, $4, $5)")

    /// The account's own that stand.
    package static let own = Statement<OwnConsent>(
        """
        SELECT purpose, version, given_at FROM app.account_consents
        WHERE user_id = app.user_id() AND ended_at IS NULL ORDER BY purpose LIMIT 1000
        """)

    /// What the account is asked to consent to and has not consented to.
    package static let missing = Statement<MissingConsent>(
        "SELECT purpose, version FROM app.my_missing_consents ORDER BY purpose LIMIT 100",
        forEach: """
            SELECT purpose, version FROM app.missing_consents_of_batch WHERE place = q.place
            ORDER BY purpose LIMIT 100
            """)

    /// Gives the account's own: purpose, version.
    package static let giveOwn = Statement<NoRow, String, String>(
        "SELECT FROM app.give_own_consent($1, $2)")

    /// Withdraws the account's own.
    package static let withdrawOwn = Statement<NoRow, String>(
        "SELECT FROM app.withdraw_own_consent($1)")

    /// All that were ever given for a member, the newest first.
    package static let ofMember = Statement<RecordedConsent, MemberID>(
        """
        SELECT member_id, \(columns), ended_by, ended_at FROM app.consents
        WHERE member_id = $1 ORDER BY given_at DESC, id LIMIT 1000
        """)

    /// All that an account ever gave for itself, the newest first.
    package static let ofAccount = Statement<RecordedOwnConsent, UserID>(
        """
        SELECT purpose, version, given_at, ended_at FROM app.account_consents
        WHERE user_id = $1 ORDER BY given_at DESC, id LIMIT 1000
        """)

    /// All that were ever given for a family's children, the oldest first.
    package static let ofFamily = Statement<RecordedConsent, FamilyID>(
        """
        SELECT member_id, \(columns), ended_by, ended_at FROM app.consents
        WHERE family_unit_id = $1 ORDER BY given_at, id
        """)
}
