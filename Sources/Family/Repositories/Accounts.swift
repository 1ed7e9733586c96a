package import Domain
package import Postgres

/// A row of an account's erasure: what stands in its way, or whom to tell.
package struct ErasureStep: RowDecodable, Sendable {
    /// What the row says.
    package enum Outcome: String, PostgresWord, Sendable {
        /// A blocker: `member` is a child who would have no guardian.
        case guardianHasManagedMembers = "guardian_has_managed_members"
        /// A blocker: `member` holds a seat that another adult could take.
        case transferAdminFirst = "transfer_admin_first"
        /// An adult is to be told who is Parent Admin now.
        case adminChanged = "admin_changed"
        /// The last row of an erasure that was done.
        case erased
    }

    /// Which kind of row this is; the other fields depend on it.
    package let outcome: Outcome
    /// Nil with `erased`.
    package let family: FamilyID?
    /// Nil with `erased`.
    package let member: MemberID?
    /// With `adminChanged`, the adult to be told; else nil.
    package let user: UserID?
    /// The new Parent Admin; of `erased`, the erasure, if there is an address to confirm it to.
    package let other: UInt128?

    package static let row = RowDecoder(Self.init)
}

/// The address of the caller's account.
package struct OwnAddress: RowDecodable, Sendable {
    package let user: UserID
    /// Nil where the account has none.
    package let email: String?
    /// Whether the account's owner has proved the address.
    package let isVerified: Bool

    package static let row = RowDecoder(Self.init)
}

/// The statements about a person's own account. Without a caller they do nothing.
package enum Accounts {
    /// The caller's own address.
    package static let address = Statement<OwnAddress>(
        "SELECT id, email, email_verified FROM app.my_profile")

    /// Counts an e-mail with a code: the caller's network. A row means that none must be sent.
    package static let reserveMailedCode = Statement<LimitReached, String>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_mailed_code($1)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Counts an attempt at the code that confirms an erasure. A row means that it must not be
    /// looked at.
    package static let reserveDeletionAttempt = Statement<LimitReached>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_deletion_attempt()
        WHERE app.user_id() IS NOT NULL
        """)

    /// When the token was issued (seconds since 1970), whether the code is right, new guardians,
    /// new Parent Admins, whether children without a new guardian are erased.
    package static let erase = Statement<
        ErasureStep, Int64?, Bool, [UInt128], [UInt128], Bool
    >(
        """
        SELECT outcome, family_unit_id, member_id, user_id, other_id
        FROM app.erase_my_account($1, $2, $3, $4, $5)
        """)

    /// The hash of a sign-in, when its token was issued (seconds since 1970).
    package static let wasErased = Statement<Scalar<Bool>, PostgresBytes, Int64?>(
        "SELECT app.was_erased($1, $2)")

    /// Whether the account of a session was erased.
    package static let sessionWasErased = Statement<Scalar<Bool>, SessionID>(
        "SELECT app.session_was_erased($1)")

    /// Whether an account has had an id before its present one: the account, that id.
    package static let wasID = Statement<Scalar<Bool>, UserID, UserID>(
        "SELECT app.was_id_of($1, $2)")

    /// Counts an export. A row means that there were too many.
    package static let reserveExport = Statement<LimitReached>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_export()
        WHERE app.user_id() IS NOT NULL
        """)

    /// All that is stored about the account and the children whose guardian it is, as a JSON
    /// object. Leaves an audit row; refused without a caller.
    package static let export = Statement<Scalar<PostgresJSON>>("SELECT app.export_my_data()")
}
