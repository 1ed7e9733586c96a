package import Domain
package import Postgres

/// A family that was created, or that existed already. This is the function's result and not a
/// ``ListedFamily``, because a statement that creates a family can't read it through a view.
package struct CreatedFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    /// The code; empty if it has expired or the caller may not see it.
    package let code: String
    /// Time at which the family got its last code, even if it has expired or is masked; nil if it
    /// never had one.
    package let codeGeneratedAt: Timestamp?
    /// Whether the family existed already, and nothing was created.
    package let existed: Bool

    package static let row = RowDecoder(Self.init)
}

/// A family as one of its members sees it.
package struct ListedFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    /// The code; empty if it has expired or the caller may not see it.
    package let code: String
    /// Time at which the family got its last code, even if it has expired or is masked; nil if it
    /// never had one.
    package let codeGeneratedAt: Timestamp?
    /// Expiry of the code; nil if it does not expire.
    package let codeExpiresAt: Timestamp?
    /// The user who created the family. This user may have left it since.
    package let creator: UserID
    /// Maximum number of active members.
    package let memberLimit: Int
    /// Whether the family must approve people who join by its code.
    package let isApprovalRequired: Bool
    /// The caller's own membership.
    package let member: MemberID
    /// The caller's role in this family: player or parent.
    package let role: MemberRole
    /// The caller's household role.
    package let householdRole: HouseholdRole
    /// Number of active members.
    package let memberCount: Int
    /// Latitude of the home; nil if none is stored or the caller may not see it.
    package let homeLatitude: Double?
    /// Longitude of the home; nil with ``homeLatitude``.
    package let homeLongitude: Double?
    /// Whether the caller's own membership is that of a managed child, for whom a guardian acts.
    package let isManaged: Bool
    /// The highest household role that the caller may choose for themselves.
    package let ceiling: HouseholdRole
    /// Whether somebody vouches for the caller.
    package let isVouched: Bool
    /// Whether the family has a Parent Admin.
    package let isSeatTaken: Bool
    /// Whether a member has a prior right to the Parent Admin's seat.
    package let isSeatReserved: Bool
    /// Time at which the family was created.
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// Statements that create, read and change families, with the API's role.
package enum Families {
    /// Callers who share statements never act for a child.
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

    /// Creates a family and makes the caller its first member. Parameters: name, role, whether to
    /// create another family if the caller has one. Returns no row without a caller.
    package static let create = Statement<CreatedFamily, String?, MemberRole?, Bool>(
        """
        SELECT family_unit_id, family_name, coalesce(family_code, ''), code_generated_at, existed
        FROM app.create_family($1, $2, $3) WHERE app.user_id() IS NOT NULL
        """)

    /// Returns the families in which the subject is an active member: first the one that the
    /// subject created, then the others in the order in which the subject joined them.
    package static let mine = Statement<ListedFamily>(
        selectMine(columns, "app.my_family_list"),
        forEach: selectMine(
            sharedColumns, "app.my_families_of_batch WHERE caller_index = q.caller_index"))

    private static func selectMine(_ columns: String, _ seen: String) -> String {
        """
        SELECT \(columns) FROM \(seen)
        ORDER BY created_by_user_id <> viewer_id, added_at, family_unit_id LIMIT 100
        """
    }

    /// Returns one of the subject's families; no row if the subject is not an active member.
    package static let one = Statement<ListedFamily, FamilyID>(
        "SELECT \(columns) FROM app.my_family_list WHERE family_unit_id = $1",
        forEach: """
            SELECT \(sharedColumns) FROM app.my_families_of_batch
            WHERE caller_index = q.caller_index AND family_unit_id = q.p1
            """)

    /// The id of the subject's first family. Of the families with other active members, it is the
    /// one that the subject joined first; if there is none, the one that the subject created, or
    /// else the one joined first.
    static let selectFirst = """
        SELECT l.family_unit_id FROM app.my_family_list AS l
        ORDER BY l.member_count > 1 DESC,
            l.member_count = 1 AND l.created_by_user_id <> app.user_id(), l.added_at,
            l.family_unit_id
        LIMIT 1
        """

    /// Returns the subject's first family; no row if the subject has none.
    package static let first = Statement<ListedFamily>(
        "SELECT \(columns) FROM app.my_family_list WHERE family_unit_id = (\(selectFirst))")

    /// Changes a family. Parameters: name, latitude and longitude of its home, whether to remove
    /// the home, whether newcomers need approval. Null keeps a value.
    package static let update = Statement<
        NoRow, FamilyID, String?, Double?, Double?, Bool, Bool?
    >("SELECT FROM app.update_family($1, $2, $3, $4, $5, $6)")
}
