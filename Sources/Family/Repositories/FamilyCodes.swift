package import Domain
package import Postgres

/// A family's new code.
package struct RegeneratedCode: RowDecodable, Sendable {
    package let code: String
    package let generatedAt: Timestamp
    /// Expiry of the code; nil if it does not expire.
    package let expiresAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// The caller's membership in the family of a code.
package struct MembershipAtCode: RowDecodable, Sendable {
    package let family: FamilyID
    /// Status of the membership: `active`, or `invited` if it waits for approval.
    package let status: MembershipStatus

    package static let row = RowDecoder(Self.init)
}

/// The preview of a family by its code, before joining.
package struct CodePreview: RowDecodable, Sendable {
    /// The outcomes that are not refusals.
    package enum Success: String, PostgresWord, Sendable {
        case found
    }

    /// Whether the family was found, or the refusal.
    package let outcome: CodeOutcome<Success>
    /// Name of the family; nil unless it was found.
    package let familyName: String?
    /// Number of active members; nil unless the family was found.
    package let memberCount: Int?

    package static let row = RowDecoder(Self.init)
}

/// Statements about the codes of families and about attempts to guess them.
package enum FamilyCodes {
    /// Assigns a family a new code. Parameters: family, days until it expires (null: never).
    package static let regenerate = Statement<RegeneratedCode, FamilyID, Int32?>(
        """
        SELECT family_code, code_generated_at, code_expires_at FROM app.regenerate_code($1, $2)
        """)

    /// Looks up a code after `CodeAttempts.reserve`, with the same values. Its transaction has to
    /// be committed whatever the outcome.
    package static let preview = Statement<CodePreview, String, String?, String?>(
        "SELECT outcome, family_name, member_count FROM app.preview_code($1, $2, $3)")

    /// Returns the caller's membership in the family of a code, as typed; no row if there is none.
    package static let ownStatus = Statement<MembershipAtCode, String>(
        "SELECT family_unit_id, status FROM app.own_status_at_code($1)")

    /// Returns what joining by a code would do to the caller now, after `preview` has found it.
    package static let prospect = Statement<EntryProspect, String>(
        "SELECT outcome, families_left, new_role FROM app.prospect_of_code($1)")

    /// Stores the length of new codes, and the number of wrong codes a minute, above the usual
    /// number, from which on approval is required.
    package static let applySettings = Statement<NoRow, Int32, Int32>(
        "SELECT FROM app.apply_code_settings($1, $2)")

    /// Returns the length of new codes.
    package static let length = Statement<Scalar<Int32>>("SELECT app.code_length()")

    /// Returns the rate of wrong codes, and whether approval is required because of them.
    package static let guessingState = Statement<GuessingState>(
        """
        SELECT is_automatic, began_at, wrong_codes, usual, rate FROM app.code_guess_status()
        """)
}

/// The rate of wrong codes in all processes together, and its effect.
package struct GuessingState: RowDecodable, Sendable {
    /// Whether everybody who joins by a code needs approval, in every family.
    package let isApprovalAutomatic: Bool
    /// Time at which wrong codes last began to make approval required; nil if they never did.
    package let beganAt: Timestamp?
    /// Number of wrong codes in the last minute.
    package let wrongCodes: Int
    /// Usual number of wrong codes a minute at this time of day.
    package let usual: Int
    /// Number of wrong codes a minute, above the usual number, from which on approval is required.
    package let rate: Int

    package static let row = RowDecoder(Self.init)
}

/// Conditions on which an account joins the family of a code.
package struct ApprovalTerms: RowDecodable, Sendable {
    /// Whether the family must approve people who join by its code.
    package let isApprovalRequired: Bool
    /// Whether every family must approve at present: ``GuessingState/isApprovalAutomatic``.
    package let isApprovalAutomatic: Bool
    /// Whether the family has an open invitation to a verified address of the account.
    package let isInvited: Bool
    /// Whether somebody else has ended the account's membership or request, and nobody has admitted
    /// it since.
    package let isBarred: Bool

    package static let row = RowDecoder(Self.init)
}

/// The outcome of an attempt to join.
package struct JoinAttempt: RowDecodable, Sendable {
    /// The outcomes that are not refusals: an active member, or one who waits for approval.
    package enum Success: String, PostgresWord, Sendable {
        case joined, waiting
    }

    /// Whether the caller has joined or waits for approval, or the refusal.
    package let outcome: CodeOutcome<Success>
    /// The family of the code; with `playerHasFamily`, the caller's own family, which is the
    /// obstacle.
    package let family: FamilyID?
    /// Name of ``family``; nil if ``family`` is nil.
    package let familyName: String?
    /// The caller's membership, even while it waits for approval; after a refusal, an earlier
    /// membership of the caller, if there was any.
    package let member: MemberID?
    /// Maximum number of members of the family; nil if there is no such code.
    package let memberLimit: Int?
    /// The family that the caller, its only member, has left for this one; nil if there is none.
    package let leftFamily: FamilyID?

    package static let row = RowDecoder(Self.init)
}

/// Attempts at family codes: counted first, in a separate transaction, then made. These statements
/// do nothing without a caller.
package enum CodeAttempts {
    /// Counts an attempt. Parameters: code, client address, its network. A row means that the
    /// attempt must not be made.
    package static let reserve = Statement<LimitReached, String, String?, String?>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_code_attempt($1, $2, $3)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Returns the conditions for joining the family of a code; no row for an unknown code.
    package static let approvalTerms = Statement<ApprovalTerms, String>(
        """
        SELECT approval_required, approval_is_automatic, is_invited, is_barred
        FROM app.approval_terms_of_code($1)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Joins by a code. Parameters: code, client address, its network, as in `reserve`. The
    /// transaction has to be committed whatever the outcome, because joining may undo the count of
    /// the attempt.
    package static let join = Statement<JoinAttempt, String, String?, String?>(
        """
        SELECT outcome, family_unit_id, family_name, member_id, member_limit, left_family_id
        FROM app.join_family_by_code($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)

    /// Requests to join by a code, like `join`, but always waits for the family's approval.
    package static let requestToJoin = Statement<JoinAttempt, String, String?, String?>(
        """
        SELECT outcome, family_unit_id, family_name, member_id, member_limit, left_family_id
        FROM app.request_to_join_by_code($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)
}

/// The outcome of an attempt at a family code. Refusals are returned as values, not errors: the
/// transaction that returns them counts the attempt.
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
