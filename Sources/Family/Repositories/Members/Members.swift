package import Domain
package import Postgres

/// What came of letting in a person who waits; anything else raises a refusal.
package enum ApprovalOutcome: String, PostgresWord, Sendable {
    case approved
    /// The account has the other role than it asked in. Nothing has changed.
    case roleMismatch = "role_mismatch"

    package static var specimen: ApprovalOutcome { .approved }
}

/// A member as its family sees it.
///
/// A class, because what is shown of it is read field by field: a value of so many fields would be
/// copied for each.
package final class ListedMember: RowDecodable, Sendable {
    package let id: MemberID
    package let family: FamilyID
    package let user: UserID
    /// The side of this membership; ``accountRole`` is that of the account.
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let status: MembershipStatus
    /// When the membership began, for the last time if it has ended in between.
    package let addedAt: Timestamp
    /// Whether it is a child without an account, for whom its guardians act.
    package let isManaged: Bool
    /// The primary guardian of a managed member.
    package let guardian: UserID?
    /// All guardians of a managed member, the primary one first; none of an account.
    package let guardians: [ListedGuardian]
    /// How the person came in, for the last time.
    package let joinedVia: JoinedVia
    /// The app's name of a picture, such as `fox`; nil where none is chosen.
    package let avatarKey: String?
    /// Nil where the person has none; ``displayName`` is for showing.
    package let fullName: String?
    /// The side of the person's account; ``role`` is the side of this membership.
    package let accountRole: MemberRole
    /// Nil if there is none or the caller may not see it.
    package let email: String?
    /// Whether somebody answers for this person.
    package let isVouched: Bool
    /// Whether this is the user who made the family.
    package let isCreator: Bool
    /// The highest household role that this person may choose for itself; nil for others than the
    /// subject.
    package let ceiling: HouseholdRole?
    /// The name to show, which a person without one has too.
    package let displayName: String
    /// An https address; nil where there is none, as for every managed member.
    package let avatarURL: String?
    /// When the membership was first made; `addedAt` is when it last began.
    package let createdAt: Timestamp
    /// When the membership or the person behind it last changed.
    package let updatedAt: Timestamp
    /// What became of a change of its household role; nil for readers whom it does not concern.
    package let conflict: RoleConflict?

    package convenience init(row: inout RowReader) throws(PostgresError) {
        try self.init(&row, withGuardians: true)
    }

    /// - Parameter withGuardians: Whether the row tells them; otherwise there are none.
    init(_ row: inout RowReader, withGuardians: Bool) throws(PostgresError) {
        id = try row.read()
        family = try row.read()
        user = try row.read()
        role = try row.read()
        householdRole = try row.read()
        status = try row.read()
        addedAt = try row.read()
        isManaged = try row.read()
        guardian = try row.read()
        guardians = withGuardians ? try ListedGuardian.list(&row, primary: guardian) : []
        joinedVia = try row.read()
        avatarKey = try row.read()
        fullName = try row.read()
        accountRole = try row.read()
        email = try row.read()
        isVouched = try row.read()
        isCreator = try row.read()
        ceiling = try row.read()
        displayName = try row.read()
        avatarURL = try row.read()
        createdAt = try row.read()
        updatedAt = try row.read()
        conflict = nil
    }

    /// The same member with another conflict.
    package convenience init(_ other: ListedMember, conflict: RoleConflict?) {
        self.init(other, guardians: other.guardians, conflict: conflict)
    }

    init(
        _ other: ListedMember, guardians: [ListedGuardian], conflict: RoleConflict?
    ) {
        id = other.id
        family = other.family
        user = other.user
        role = other.role
        householdRole = other.householdRole
        status = other.status
        addedAt = other.addedAt
        isManaged = other.isManaged
        guardian = other.guardian
        self.guardians = guardians
        joinedVia = other.joinedVia
        avatarKey = other.avatarKey
        fullName = other.fullName
        accountRole = other.accountRole
        email = other.email
        isVouched = other.isVouched
        isCreator = other.isCreator
        ceiling = other.ceiling
        displayName = other.displayName
        avatarURL = other.avatarURL
        createdAt = other.createdAt
        updatedAt = other.updatedAt
        self.conflict = conflict
    }
}

/// Who was a member of a family.
package struct FormerMember: RowDecodable, Sendable {
    /// Without an e-mail address and without guardians.
    package let member: ListedMember
    package let removedAt: Timestamp

    package init(row: inout RowReader) throws(PostgresError) {
        member = try ListedMember(row: &row)
        removedAt = try row.read()
    }
}

/// The statements that read and change memberships, as the API's role.
package enum Members {
    static let columns = columns(guardians: "guardians, ")

    private static func columns(guardians: String) -> String {
        """
        id, family_unit_id, user_id, role, household_role, status, added_at, is_managed,
        parent_user_id, \(guardians)joined_via, avatar_key, full_name, account_role, email,
        vouched, is_creator, household_ceiling, display_name, avatar_url, created_at, updated_at
        """
    }

    /// As `MemberOfList` reads them.
    private static let columnsOfList =
        columns(guardians: "")
        + ", guardianships, family_version, family_raised_at, is_resting_creator"

    /// The members of one of the subject's families, in no order; no row if the subject is not in
    /// it. A family has at most 64 slots and 30 waiting people.
    package static let ofFamily = Statement<MemberOfList, FamilyID>(
        selectFamily("app.member_list WHERE", "$1"),
        forEach: selectFamily("app.members_of_batch WHERE place = q.place AND", "q.p1"))

    private static func selectFamily(_ seen: String, _ family: String) -> String {
        "SELECT \(columnsOfList) FROM \(seen) family_unit_id = \(family)"
    }

    /// The members of all the subject's families, family by family; enough to see whether there is
    /// more than one.
    package static let ofMyFamilies = Statement<MemberOfList>(
        selectMine("app.member_list"),
        forEach: selectMine("app.members_of_batch WHERE place = q.place")
    )

    private static func selectMine(_ seen: String) -> String {
        """
        SELECT \(columnsOfList) FROM \(seen) ORDER BY family_unit_id LIMIT \(limitOfMine)
        """
    }

    /// Who was a member, the last who went first: of one family (null: of all that the account
    /// governs), from after the one of a moment and id (null: from the last), so many.
    package static let former = Statement<
        FormerMember, FamilyID?, Timestamp?, MemberID?, Int32
    >(
        """
        SELECT \(columns), removed_at FROM app.former_member_list
        WHERE ($1::uuid IS NULL OR family_unit_id = $1)
            AND ($2::timestamptz IS NULL OR (removed_at, id) < ($2, $3))
        ORDER BY removed_at DESC, id DESC LIMIT $4
        """)

    /// The members of the subject's first family (``Families/first``), in no order.
    package static let ofFirstFamily = Statement<MemberOfList>(
        """
        SELECT \(columnsOfList) FROM app.member_list
        WHERE family_unit_id = (\(Families.selectFirst))
        """)

    /// A family has at most 64 slots and 30 waiting people. If there are as many rows as this
    /// limit, rows may be missing.
    package static let limitOfMine = 101

    /// One member of a family of the subject's.
    package static let one = Statement<ListedMember, MemberID>(
        "SELECT \(columns) FROM app.member_list WHERE id = $1")
}

/// Changes of memberships. Each function checks its rule again under the family's lock.
package enum Memberships {
    /// Removes a member: member, new guardian of its children, whether the family gets a new code,
    /// whether only a request to join is turned down. Enqueues the e-mail to the person.
    package static let remove = Statement<NoRow, MemberID, MemberID?, Bool, Bool>(
        "SELECT FROM app.remove_member($1, $2, $3, $4)")

    /// Ends the caller's own membership, or its waiting for one: family, which member takes its
    /// managed members over.
    package static let leave = Statement<NoRow, FamilyID, MemberID?>(
        "SELECT FROM app.leave_family($1, $2)")

    /// Ends the account's request to join; refuses a member's.
    package static let withdraw = Statement<NoRow, FamilyID>("SELECT FROM app.withdraw_request($1)")

    /// Whether the subject waits for a family's approval.
    package static let isWaiting = Statement<Scalar<Bool>, FamilyID>(
        """
        SELECT EXISTS (SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = $1 AND m.user_id = app.user_id() AND m.status = 'invited')
        """)

    /// Lets in who waits for approval, or says why not. A player who lives alone in its family
    /// leaves that one.
    package static let approve = Statement<Scalar<ApprovalOutcome>, MemberID>(
        "SELECT app.approve_member($1)")

    /// Transfers the caller's seat as Parent Admin to another member.
    package static let transferAdmin = Statement<NoRow, FamilyID, MemberID>(
        "SELECT FROM app.transfer_admin($1, $2)")

    /// Adds a child with the caller as guardian: family, name, avatar key.
    package static let addManaged = Statement<Scalar<MemberID>, FamilyID, String, String?>(
        "SELECT id FROM app.add_managed_member($1, $2, $3) AS id")

    /// Changes a child: name, avatar key (empty to take it away). Null leaves as it is.
    package static let updateManaged = Statement<NoRow, MemberID, String?, String?>(
        "SELECT FROM app.update_managed_member($1, $2, $3)")

    /// Hands a child to another guardian.
    package static let reassignManaged = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.reassign_managed_member($1, $2)")
}

/// Changes of who guards a child. Each function checks its rule again under the family's lock.
package enum Guardianships {
    /// Adds a guardian: child, guardian.
    package static let add = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.add_guardian($1, $2)")

    /// Ends a guardianship: child, guardian.
    package static let remove = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.remove_guardian($1, $2)")

    /// Makes a guardian the primary one: child, guardian.
    package static let promote = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.make_primary_guardian($1, $2)")
}
