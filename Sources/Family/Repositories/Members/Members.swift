package import Domain
package import Postgres

/// Outcome of approving a request to join. All other outcomes are raised as refusals.
package enum ApprovalOutcome: String, PostgresWord, Sendable {
    case approved
    /// The account has another role than the request. Nothing has changed.
    case roleMismatch = "role_mismatch"
}

/// A member as another member of the family may see it: a row of the views of members.
package struct FamilyMember: RowDecodable, Sendable {
    package let id: MemberID
    package let family: FamilyID
    package let user: UserID
    /// Whether the member is a player or a parent in this family; ``accountRole`` is the account's
    /// own role.
    package let role: MemberRole
    package let householdRole: HouseholdRole
    package let status: MembershipStatus
    /// Time at which the membership began; if the person left and came back, when it came back.
    package let addedAt: Timestamp
    /// Whether the member is a child without an account, for whom its guardians act.
    package let isManaged: Bool
    /// The primary guardian of a managed member.
    package let guardian: UserID?
    /// The guardianships of a managed member, in no order; nil for an account.
    package let guardianships: [RecordedGuardianship]?
    /// The way in which the person joined the last time.
    package let joinedVia: JoinedVia
    /// The app's name of a picture, such as `fox`; nil if none is chosen.
    package let avatarKey: String?
    /// The person's name; nil if there is none. Show ``displayName`` instead.
    package let fullName: String?
    /// The role of the person's account; ``role`` is the role in this family.
    package let accountRole: MemberRole
    /// E-mail address; nil if there is none or the caller may not see it.
    package let email: String?
    /// Whether somebody vouches for this person.
    package let isVouched: Bool
    /// Whether this user created the family.
    package let isCreator: Bool
    /// The highest household role that the member may choose; nil in rows of members other than the
    /// subject.
    package let ceiling: HouseholdRole?
    /// Display name, even for a person without a name.
    package let displayName: String
    /// An https address of a picture; nil if there is none, as for every managed member.
    package let avatarURL: String?
    /// Time at which the membership was first created; `addedAt` is when it last began.
    package let createdAt: Timestamp
    /// Time at which the membership or its person last changed.
    package let updatedAt: Timestamp
    /// Time at which the membership ended; nil unless the person is a former member.
    package let removedAt: Timestamp?
    /// Whether the member stands in for the creator and the Parent Admin while both are gone.
    package let isStandIn: Bool
    /// Whether the member is the family's creator and has stepped down voluntarily.
    package let isRestingCreator: Bool
    /// Whether nobody vouches for the member, who entered with an API key's invitation, or after
    /// somebody had entered the family with one.
    package let hasEnteredAfterKey: Bool
    /// Whether the account is blocked, so that decisions about others treat the member as absent.
    /// No response shows this.
    package let isGone: Bool
    /// The family's version, in the reader's own row; nil in all others.
    package let version: DatedVersion?

    package static let row = RowDecoder(Self.init)

    /// The guardians of a managed member, in no order; empty for an account.
    package var guardians: [UserID] { guardianships?.map(\.guardian) ?? [] }
}

/// A member with the names of its guardians, and with the outcome of a conflicting role change.
///
/// A class, because its fields are read one by one: a value of so many fields would be copied for
/// each.
@dynamicMemberLookup
package final class MemberWithGuardians: RowDecodable, Sendable {
    package let member: FamilyMember
    /// All guardians of a managed member, the primary one first; empty for an account.
    package let guardians: [ListedGuardian]
    /// Outcome of a conflict about the member's household role; nil for readers whom the conflict
    /// does not concern.
    package let conflict: RoleConflict?

    init(_ member: FamilyMember, guardians: [ListedGuardian], conflict: RoleConflict? = nil) {
        self.member = member
        self.guardians = guardians
        self.conflict = conflict
    }

    /// Creates a copy with another conflict.
    package convenience init(_ other: MemberWithGuardians, conflict: RoleConflict?) {
        self.init(other.member, guardians: other.guardians, conflict: conflict)
    }

    package static let row = RowDecoder { (member: FamilyMember, guardians: [ListedGuardian]?) in
        MemberWithGuardians(
            member, guardians: ListedGuardian.list(guardians, primary: member.guardian))
    }

    package subscript<Value>(dynamicMember property: KeyPath<FamilyMember, Value>) -> Value {
        member[keyPath: property]
    }
}

extension MemberWithGuardians {
    /// Adds the guardians to the members of a family, and sorts the members in the order in which
    /// they joined; people who wait for approval come last.
    ///
    /// A guardian without a row is left out: only an active member can be a guardian, and a reader
    /// who sees a child sees all active members.
    package static func list(_ rows: [MemberWithGuardians]) -> [MemberWithGuardians] {
        var members = rows
        for (index, row) in rows.enumerated() {
            guard let guardianships = row.member.guardianships, !guardianships.isEmpty else {
                continue
            }
            members[index] = MemberWithGuardians(
                row.member, guardians: row.member.listed(guardianships, among: rows))
        }
        members.sort { $0.member.isListed(before: $1.member) }
        return members
    }
}

extension FamilyMember {
    /// Returns the guardians with their names, which their own rows contain.
    fileprivate func listed(
        _ guardianships: [RecordedGuardianship], among rows: [MemberWithGuardians]
    ) -> [ListedGuardian] {
        var guardians: [ListedGuardian] = []
        guardians.reserveCapacity(guardianships.count)
        let inOrder =
            guardianships.count > 1
            ? guardianships.sorted { $0.isListed(before: $1, primary: guardian) } : guardianships
        for guardianship in inOrder {
            for other in rows where other.member.user == guardianship.guardian {
                guardians.append(
                    ListedGuardian(
                        user: guardianship.guardian, member: other.member.id,
                        name: other.member.displayName, since: guardianship.since,
                        isPrimary: guardianship.guardian == guardian))
            }
        }
        return guardians
    }

    fileprivate func isListed(before other: FamilyMember) -> Bool {
        if status != other.status { return status.rawValue < other.status.rawValue }
        return (addedAt.microseconds, id.rawValue) < (other.addedAt.microseconds, other.id.rawValue)
    }
}

/// Statements that read members, with the API's role.
package enum Members {
    static let columns = """
        id, family_unit_id, user_id, role, household_role, status, added_at, is_managed,
        parent_user_id, guardianships, joined_via, avatar_key, full_name, account_role, email,
        vouched, is_creator, household_ceiling, display_name, avatar_url, created_at, updated_at,
        removed_at, stands_in, creator_lowered_own_role, entered_after_key, is_gone,
        family_version, family_raised_at
        """
    /// The columns with the guardians' names.
    static let listedColumns = columns + ", guardians"
    /// The columns for lists of whole families: the guardians' own rows contain their names.
    private static let columnsOfList = columns + ", NULL::bytea[]"

    /// Returns the members of one of the subject's families, in no order; no row if the subject is
    /// not a member. A family has at most 64 slots and 30 waiting people.
    package static let ofFamily = Statement<MemberWithGuardians, FamilyID>(
        selectFamily("app.member_list WHERE", "$1"),
        forEach: selectFamily(
            "app.members_of_batch WHERE caller_index = q.caller_index AND", "q.p1"))

    private static func selectFamily(_ seen: String, _ family: String) -> String {
        "SELECT \(columnsOfList) FROM \(seen) family_unit_id = \(family)"
    }

    /// Returns the members of all the subject's families, family by family. The limit exceeds the
    /// size of one family, so the result shows whether the subject has more than one family.
    package static let ofMyFamilies = Statement<MemberWithGuardians>(
        selectMine("app.member_list"),
        forEach: selectMine("app.members_of_batch WHERE caller_index = q.caller_index")
    )

    private static func selectMine(_ seen: String) -> String {
        "SELECT \(columnsOfList) FROM \(seen) ORDER BY family_unit_id LIMIT \(ownFamiliesLimit)"
    }

    /// Returns a page of former members, the most recent departure first, without e-mail addresses
    /// and guardians. Parameters: family (null: all that the account governs), time and id of the
    /// member after which to begin (null: from the last), maximum number.
    package static let former = Statement<
        MemberWithGuardians, FamilyID?, Timestamp?, MemberID?, Int32
    >(
        """
        SELECT \(listedColumns) FROM app.former_member_list
        WHERE ($1::uuid IS NULL OR family_unit_id = $1)
            AND ($2::timestamptz IS NULL OR (removed_at, id) < ($2, $3))
        ORDER BY removed_at DESC, id DESC LIMIT $4
        """)

    /// Returns the members of the subject's first family (``Families/first``), in no order.
    package static let ofFirstFamily = Statement<MemberWithGuardians>(
        """
        SELECT \(columnsOfList) FROM app.member_list
        WHERE family_unit_id = (\(Families.selectFirst))
        """)

    /// Returns the members of the family that the pages of the caller's session show, in no order:
    /// the family that was chosen last, otherwise the subject's first one.
    package static let ofShownFamily = Statement<MemberWithGuardians>(
        """
        SELECT \(columnsOfList) FROM app.member_list
        WHERE family_unit_id = (SELECT app.shown_family())
        """)

    /// Maximum number of rows. A family has at most 64 slots and 30 waiting people. If there are as
    /// many rows as this limit, rows may be missing.
    package static let ownFamiliesLimit = 101

    /// Returns one member of the subject's families.
    package static let one = Statement<MemberWithGuardians, MemberID>(
        "SELECT \(listedColumns) FROM app.member_list WHERE id = $1")
}

/// Statements that return the members of a family, for decisions. They return no rows unless the
/// caller is an active member.
package enum Rosters {
    private static let select = "SELECT \(Members.columns) FROM app.member_list AS m"

    /// Returns the active members of a family.
    package static let ofFamily = Statement<FamilyMember, FamilyID>(
        """
        \(select) WHERE m.family_unit_id = $1 AND m.status = 'active' ORDER BY m.id LIMIT 100
        """)

    /// Returns the active members of all the subject's families, family by family.
    package static let ofMyFamilies = Statement<FamilyMember>(
        """
        \(select) WHERE m.status = 'active' ORDER BY m.family_unit_id, m.id LIMIT 1000
        """)

    /// Returns the active members of a member's family, and the member even while it waits for
    /// approval.
    package static let ofMember = Statement<FamilyMember, MemberID>(
        """
        \(select)
        WHERE m.family_unit_id = (SELECT o.family_unit_id FROM app.member_list AS o WHERE o.id = $1)
            AND (m.status = 'active' OR m.id = $1)
        ORDER BY m.id LIMIT 100
        """)

    /// Returns the active members of the family of an invitation.
    package static let ofInvitation = Statement<FamilyMember, InvitationID>(
        """
        \(select)
        WHERE m.family_unit_id = (
                SELECT i.family_unit_id FROM app.invitation_list AS i WHERE i.id = $1)
            AND m.status = 'active'
        ORDER BY m.id LIMIT 100
        """)
}
