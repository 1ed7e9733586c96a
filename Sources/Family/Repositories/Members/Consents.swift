package import Domain
package import Postgres

/// A consent in force.
package struct StandingConsent: RowDecodable, Sendable {
    /// Name of the purpose, as in the settings.
    package let purpose: String
    /// The version of the purpose's text that the guardian saw.
    package let version: String
    /// The method by which the guardian proved their identity.
    package let method: ConsentMethod
    /// The guardian who gave the consent.
    package let givenBy: UserID
    package let givenAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A consent as operators see it, whether in force or not.
package struct RecordedConsent: RowDecodable, Sendable {
    /// The child for whom the consent was given.
    package let member: MemberID
    package let consent: StandingConsent
    /// The user who withdrew or replaced the consent; nil while it is in force.
    package let endedBy: UserID?
    /// Time at which the consent was withdrawn or replaced; nil while it is in force.
    package let endedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// A consent in force that an account has given for itself.
package struct OwnConsent: RowDecodable, Sendable {
    /// Name of the purpose, as in the settings.
    package let purpose: String
    /// The version of the purpose's text that was shown.
    package let version: String
    package let givenAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A consent of an account for itself as operators see it, whether in force or not.
package struct RecordedOwnConsent: RowDecodable, Sendable {
    package let consent: OwnConsent
    /// Time at which the consent was withdrawn or given again; nil while it is in force.
    package let endedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// A consent that an account is asked for.
package struct MissingConsent: RowDecodable, Sendable {
    /// Name of the purpose.
    package let purpose: String
    /// Current version of its text.
    package let version: String

    package static let row = RowDecoder(Self.init)
}

/// Statements about the consents of guardians and accounts. Each function checks its rule again
/// under the family's lock.
package enum Consents {
    private static let columns = "purpose, version, method, given_by, given_at"

    /// Returns the consents in force for a child of the caller; none for any other member.
    package static let ofChild = Statement<StandingConsent, MemberID>(
        """
        SELECT \(columns) FROM app.consents
        WHERE member_id = $1 AND ended_at IS NULL ORDER BY purpose LIMIT 1000
        """)

    /// Returns the children of the acting account who lack a required consent for children. The
    /// result does not change while the account acts for one of them.
    package static let childrenWithoutConsent = Statement<Scalar<UserID>>(
        "SELECT user_id FROM app.children_of_actor_without_consent")

    /// Returns how often a consent was given or ended. Parameters: child, purpose.
    package static let generation = Statement<Scalar<Int>, MemberID, String>(
        """
        SELECT count(*) + count(ended_at) FROM app.consents WHERE member_id = $1 AND purpose = $2
        """)

    /// Gives a consent. Parameters: child, purpose, version, method, generation for which the
    /// mailed code was right.
    package static let give = Statement<NoRow, MemberID, String, String, ConsentMethod, Int?>(
        "SELECT FROM app.give_consent($1, $2, $3, $4, $5)")

    /// Withdraws a consent. Parameters: child, purpose.
    package static let withdraw = Statement<NoRow, MemberID, String>(
        "SELECT FROM app.withdraw_consent($1, $2)")

    /// Counts an attempt at a mailed code. A row means that the code must not be checked.
    package static let reserveAttempt = Statement<LimitReached>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_consent_attempt()
        WHERE app.user_id() IS NOT NULL
        """)

    /// Replaces the purposes. Parameters: names, versions of their texts, names of the required
    /// ones, names of those for accounts, actions refused without each.
    package static let applyPurposes = Statement<
        NoRow, [String], [String], [String], [String], [String]
    >("SELECT FROM app.apply_consent_purposes($1, $2, $3, $4, $5)")

    /// Returns the account's own consents in force.
    package static let own = Statement<OwnConsent>(
        """
        SELECT purpose, version, given_at FROM app.account_consents
        WHERE user_id = app.user_id() AND ended_at IS NULL ORDER BY purpose LIMIT 1000
        """)

    /// Returns the consents that the account is asked for and has not given.
    package static let missing = Statement<MissingConsent>(
        "SELECT purpose, version FROM app.my_missing_consents ORDER BY purpose LIMIT 100",
        forEach: """
            SELECT purpose, version FROM app.missing_consents_of_batch
            WHERE caller_index = q.caller_index
            ORDER BY purpose LIMIT 100
            """)

    /// Gives a consent of the account for itself. Parameters: purpose, version.
    package static let giveOwn = Statement<NoRow, String, String>(
        "SELECT FROM app.give_own_consent($1, $2)")

    /// Withdraws a consent of the account for itself. Parameter: purpose.
    package static let withdrawOwn = Statement<NoRow, String>(
        "SELECT FROM app.withdraw_own_consent($1)")

    /// Returns all consents ever given for a member, newest first.
    package static let ofMember = Statement<RecordedConsent, MemberID>(
        """
        SELECT member_id, \(columns), ended_by, ended_at FROM app.consents
        WHERE member_id = $1 ORDER BY given_at DESC, id LIMIT 1000
        """)

    /// Returns all consents that an account ever gave for itself, newest first.
    package static let ofAccount = Statement<RecordedOwnConsent, UserID>(
        """
        SELECT purpose, version, given_at, ended_at FROM app.account_consents
        WHERE user_id = $1 ORDER BY given_at DESC, id LIMIT 1000
        """)

    /// Returns all consents ever given for a family's children, oldest first.
    package static let ofFamily = Statement<RecordedConsent, FamilyID>(
        """
        SELECT member_id, \(columns), ended_by, ended_at FROM app.consents
        WHERE family_unit_id = $1 ORDER BY given_at, id
        """)
}
