package import Domain
package import Postgres

/// A family that was created, or was there already.
package struct CreatedFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    /// Empty when it has expired or the caller may not see it.
    package let code: String
    /// When the family got its last code, also if that is over or masked; nil if it never had one.
    package let codeGeneratedAt: Timestamp?
    /// Whether the family was there already, and nothing was created.
    package let existed: Bool

    package static let row = RowDecoder(Self.init)
}

/// A family as one of its members sees it.
package struct ListedFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    /// Empty when it has expired or the caller may not see it.
    package let code: String
    /// When the family got its last code, also if that is over or masked; nil if it never had one.
    package let codeGeneratedAt: Timestamp?
    /// Nil when the code is for good.
    package let codeExpiresAt: Timestamp?
    /// Who made the family; may have left it since.
    package let creator: UserID
    /// How many active members the family may have.
    package let memberLimit: Int
    /// Whether the family approves who joins by its code.
    package let isApprovalRequired: Bool
    /// The caller's own membership.
    package let member: MemberID
    /// The caller's side in this family.
    package let role: MemberRole
    /// The caller's.
    package let householdRole: HouseholdRole
    /// How many active members there are.
    package let memberCount: Int
    /// Nil if there is none or the caller may not see it.
    package let homeLatitude: Double?
    /// Nil with ``homeLatitude``.
    package let homeLongitude: Double?
    /// Whether the caller's own membership is a managed member's: it is acted for.
    package let isManaged: Bool
    /// The highest household role that the caller may choose for itself.
    package let ceiling: HouseholdRole
    /// Whether somebody answers for the caller.
    package let isVouched: Bool
    /// Whether somebody is Parent Admin.
    package let isSeatTaken: Bool
    /// Whether a member has a prior right to the Parent Admin's seat.
    package let isSeatReserved: Bool
    /// When the family was created.
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// The statements that create, read and change families, as the API's role.
package enum Families {
    /// Who shares statements acts for nobody.
    private static let sharedColumns = columns(isManaged: "false")
    static let columns = columns(isManaged: "app.account_id() IS NULL")

    private static func columns(isManaged: String) -> String {
        """
        family_unit_id, family_name, family_code, code_generated_at, code_expires_at,
        created_by_user_id, member_limit, approval_required, member_id, role, household_role,
        member_count, home_latitude, home_longitude, \(isManaged), household_ceiling,
        vouched, seat_taken, seat_reserved, created_at, updated_at
        """
    }

    /// Creates a family and makes the caller its first member: name, role, whether to create
    /// another family if the caller has one. No row without a caller.
    package static let create = Statement<CreatedFamily, String?, MemberRole?, Bool>(
        """
        SELECT family_unit_id, family_name, coalesce(family_code, ''), code_generated_at, existed
        FROM app.create_family($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)

    /// The families that the subject is an active member of: the one it made first, then in the
    /// order in which it came.
    package static let mine = Statement<ListedFamily>(
        selectMine(columns, "app.my_family_list"),
        forEach: selectMine(sharedColumns, "app.my_families_of_batch WHERE place = q.place"))

    private static func selectMine(_ columns: String, _ seen: String) -> String {
        """
        SELECT \(columns) FROM \(seen)
        ORDER BY created_by_user_id <> viewer_id, added_at, family_unit_id LIMIT 100
        """
    }

    /// One of them; no row when the subject is no active member.
    package static let one = Statement<ListedFamily, FamilyID>(
        "SELECT \(columns) FROM app.my_family_list WHERE family_unit_id = $1",
        forEach: """
            SELECT \(sharedColumns) FROM app.my_families_of_batch
            WHERE place = q.place AND family_unit_id = q.p1
            """)

    /// The id of the subject's first family: of several the oldest with other active members,
    /// otherwise the one that it made, otherwise the oldest.
    static let selectFirst = """
        SELECT l.family_unit_id FROM app.my_family_list AS l
        ORDER BY l.member_count > 1 DESC,
            l.member_count = 1 AND l.created_by_user_id <> app.user_id(), l.added_at,
            l.family_unit_id
        LIMIT 1
        """

    /// The subject's first family; no row when it has none.
    package static let first = Statement<ListedFamily>(
        "SELECT \(columns) FROM app.my_family_list WHERE family_unit_id = (\(selectFirst))")

    /// Changes a family: name, latitude and longitude of its home, whether to forget the home,
    /// whether newcomers wait for approval. Null leaves as it is.
    package static let update = Statement<
        NoRow, FamilyID, String?, Double?, Double?, Bool, Bool?
    >("SELECT FROM app.update_family($1, $2, $3, $4, $5, $6)")
}
