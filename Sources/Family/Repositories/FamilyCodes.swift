package import Domain
package import Postgres

/// A family's new code.
package struct RegeneratedCode: RowDecodable, Sendable {
    package let code: String
    package let generatedAt: Timestamp
    /// Nil when it is for good.
    package let expiresAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// The caller's membership in the family of a code.
package struct MembershipAtCode: RowDecodable, Sendable {
    package let family: FamilyID
    /// `active`, or `invited` for one that waits.
    package let status: MembershipStatus

    package static let row = RowDecoder(Self.init)
}

/// The preview of a family by its code, before joining.
package struct CodePreview: RowDecodable, Sendable {
    /// The outcomes that are no refusal.
    package enum Success: String, PostgresWord, Sendable {
        case found
    }

    /// Whether the family was found, or why not.
    package let outcome: CodeOutcome<Success>
    /// Nil unless found.
    package let familyName: String?
    /// Active members; nil unless found.
    package let memberCount: Int?

    package static let row = RowDecoder(Self.init)
}

/// The statements about codes of families and about guesses at them.
package enum FamilyCodes {
    /// Gives a family a new code that lasts so many days, or (null) for good.
    package static let regenerate = Statement<RegeneratedCode, FamilyID, Int32?>(
        """
        SELECT family_code, code_generated_at, code_expires_at FROM app.regenerate_code($1, $2)
        """)

    /// Looks a code up after `CodeAttempts.reserve`, with the same values. Its transaction has to
    /// be committed whatever the outcome.
    package static let preview = Statement<CodePreview, String, String?, String?>(
        "SELECT outcome, family_name, member_count FROM app.preview_code($1, $2, $3)")

    /// The caller's membership in the family of a code, as typed; no row without one.
    package static let ownStatus = Statement<MembershipAtCode, String>(
        "SELECT family_unit_id, status FROM app.own_status_at_code($1)")

    /// Stores how many characters new codes have, and how many wrong ones a minute, above the
    /// usual, begin automatic approval.
    package static let applySettings = Statement<NoRow, Int32, Int32>(
        "SELECT FROM app.apply_code_settings($1, $2)")

    /// How many characters new codes have.
    package static let length = Statement<Scalar<Int32>>("SELECT app.code_length()")

    /// How many wrong codes come in, and whether approval is automatic because of them.
    package static let guessing = Statement<GuessingState>(
        """
        SELECT is_automatic, began_at, wrong_codes, usual, rate FROM app.guessing_state()
        """)
}

/// How many wrong codes come in, at all processes together, and what follows from it.
package struct GuessingState: RowDecodable, Sendable {
    /// Whether joining by a code waits for approval in every family.
    package let isApprovalAutomatic: Bool
    /// Since when it does, or did last; nil if it never has.
    package let beganAt: Timestamp?
    /// Wrong codes in the last minute.
    package let wrongCodes: Int
    /// How many are usual at this time of day.
    package let usual: Int
    /// How many more than that begin it.
    package let rate: Int

    package static let row = RowDecoder(Self.init)
}

/// On which terms an account joins the family of a code.
package struct TermsOfCode: RowDecodable, Sendable {
    /// Whether the family approves who joins by its code.
    package let isApprovalRequired: Bool
    /// Whether every family approves at present: ``GuessingState/isApprovalAutomatic``.
    package let isApprovalAutomatic: Bool
    /// Whether the family has an open invitation to a verified address of the account.
    package let isInvited: Bool
    /// Whether somebody else ended the account's membership or request, and nobody has let it in
    /// since.
    package let isBarred: Bool

    package static let row = RowDecoder(Self.init)
}

/// The outcome of an attempt to join.
package struct JoinAttempt: RowDecodable, Sendable {
    /// The outcomes that are no refusal: an active member, or one who waits for approval.
    package enum Success: String, PostgresWord, Sendable {
        case joined, waiting
    }

    /// Whether the caller is in or waits, or why neither.
    package let outcome: CodeOutcome<Success>
    /// The family that the code leads to; with `playerHasFamily` the caller's own, which stands in
    /// the way.
    package let family: FamilyID?
    /// The name of ``family``; nil with it.
    package let familyName: String?
    /// The caller's membership, also while it waits; after a refusal an earlier one, if there was.
    package let member: MemberID?
    /// How many members the family may have; nil when the code led to none.
    package let memberLimit: Int?
    /// The family in which the caller lived alone, and which it has left for this one.
    package let leftFamily: FamilyID?

    package static let row = RowDecoder(Self.init)
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

    /// The terms of a code's family; no row for a code that leads nowhere.
    package static let terms = Statement<TermsOfCode, String>(
        """
        SELECT approval_required, approval_is_automatic, is_invited, is_barred
        FROM app.approval_terms_of_code($1)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Joins by a code: code, client address, its network, as in `reserve`. Its transaction has to
    /// be committed whatever the outcome, since it takes a needless count back.
    package static let join = Statement<JoinAttempt, String, String?, String?>(
        """
        SELECT outcome, family_unit_id, family_name, member_id, member_limit, left_family_id
        FROM app.join_family_by_code($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)

    /// The same, but waits for the family's approval in any case.
    package static let askIn = Statement<JoinAttempt, String, String?, String?>(
        """
        SELECT outcome, family_unit_id, family_name, member_id, member_limit, left_family_id
        FROM app.request_to_join_by_code($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)
}

/// What came of an attempt at a family code. Its refusals are answers, not errors: the transaction
/// that returns them counts the attempt.
package enum CodeOutcome<Success: PostgresWord & Sendable>: Sendable {
    case success(Success)
    case refused(RefusalCode)
}

extension CodeOutcome: PostgresDecodable {
    package static func reads(_ type: PostgresType) -> Bool { String.reads(type) }

    package static func decode(_ column: ColumnValue) throws(ColumnError) -> CodeOutcome {
        let word = try String.decode(column)
        if let success = Success(rawValue: word) { return .success(success) }
        guard let code = RefusalCode(rawValue: word) else {
            throw ColumnError("neither a word of \(Success.self) nor the code of a refusal")
        }
        return .refused(code)
    }
}
