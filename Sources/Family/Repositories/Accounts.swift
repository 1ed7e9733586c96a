package import Domain
package import Postgres

/// A row of an account's erasure: an obstacle, or an adult to notify.
package struct ErasureStep: RowDecodable, Sendable {
    /// The kind of a row.
    package enum Outcome: String, PostgresWord, Sendable {
        /// Obstacle: `member` is a child who would have no guardian.
        case guardianHasManagedMembers = "guardian_has_managed_members"
        /// Obstacle: `member` holds a seat that another adult could take.
        case transferAdminFirst = "transfer_admin_first"
        /// Notification of an adult about the new Parent Admin.
        case adminChanged = "admin_changed"
        /// The last row of a completed erasure.
        case erased
    }

    /// The kind of this row; the other fields depend on it.
    package let outcome: Outcome
    /// The family; nil with `erased`.
    package let family: FamilyID?
    /// The member that the row is about; nil with `erased`.
    package let member: MemberID?
    /// The adult to notify with `adminChanged`; else nil.
    package let user: UserID?
    /// The new Parent Admin; with `erased`, the erasure's id if there is an address to confirm it
    /// to.
    package let other: UInt128?

    package static let row = RowDecoder(Self.init)
}

/// The address of the caller's account.
package struct OwnAddress: RowDecodable, Sendable {
    package let user: UserID
    /// The address; nil if the account has none.
    package let email: String?
    /// Whether the account's owner has proved the address.
    package let isVerified: Bool

    package static let row = RowDecoder(Self.init)
}

/// Statements about a person's own account. They do nothing without a caller.
package enum Accounts {
    /// The caller's own address.
    package static let address = Statement<OwnAddress>(
        "SELECT id, email, email_verified FROM app.my_profile")

    /// Counts an e-mail with a code. Parameter: the caller's network. A row means that the e-mail
    /// must not be sent.
    package static let reserveMailedCode = Statement<LimitReached, String>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_mailed_code($1)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Counts an e-mail with the code that confirms an erasure, like ``reserveMailedCode``. Refuses
    /// an operator's account, which can't be erased.
    package static let reserveDeletionCode = Statement<LimitReached, String>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_deletion_code($1)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Returns whether the caller's own account has the role of an operator of the service; always
    /// one row.
    package static let isOperator = Statement<Scalar<Bool>>("SELECT app.caller_is_operator()")

    /// Counts an attempt at the code that confirms an erasure. A row means that the code must not
    /// be checked.
    package static let reserveDeletionAttempt = Statement<LimitReached>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_deletion_attempt()
        WHERE app.user_id() IS NOT NULL
        """)

    /// Erases the account. Parameters: time at which the token was issued (seconds since 1970),
    /// whether the code is right, new guardians, new Parent Admins, whether children without a new
    /// guardian are erased.
    package static let erase = Statement<
        ErasureStep, Int64?, Bool, [UInt128], [UInt128], Bool
    >(
        """
        SELECT outcome, family_unit_id, member_id, user_id, other_id
        FROM app.erase_my_account($1, $2, $3, $4, $5)
        """)

    /// Returns whether the account of a sign-in was erased. Parameters: hash of the sign-in, time
    /// at which its token was issued (seconds since 1970).
    package static let wasErased = Statement<Scalar<Bool>, PostgresBytes, Int64?>(
        "SELECT app.was_erased($1, $2)")

    /// Returns whether the account of a session was erased.
    package static let sessionWasErased = Statement<Scalar<Bool>, SessionID>(
        "SELECT app.session_was_erased($1)")

    /// Returns whether an id is an earlier id of an account. Parameters: account, id.
    package static let wasIDOf = Statement<Scalar<Bool>, UserID, UserID>(
        "SELECT app.was_id_of($1, $2)")

    /// Counts an export. A row means that the limit is reached.
    package static let reserveExport = Statement<LimitReached>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_export()
        WHERE app.user_id() IS NOT NULL
        """)

    /// Returns all data stored about the account and the children whose guardian it is, as a JSON
    /// object. Writes an audit entry; refused without a caller.
    package static let export = Statement<Scalar<PostgresJSON>>("SELECT app.export_my_data()")
}
