import Domain

/// A membership as it stands in the database.
struct Row: Sendable, Equatable {
    let family: SampleFamily
    let person: SamplePerson
    var role = MemberRole.parent
    var householdRole = HouseholdRole.adult
    var status = MembershipStatus.active
    var via = JoinedVia.code
    var isVouched = false
    /// The primary guardian.
    var guardian: SamplePerson?
    var furtherGuardian: SamplePerson?
    var removedBy: SamplePerson?
    /// The highest household role that the member may choose, if it is above the current one.
    var higherCeiling: HouseholdRole?

    var ceiling: HouseholdRole { higherCeiling ?? min(householdRole, .adult) }

    var isActive: Bool { status == .active }
    var isAdult: Bool {
        isActive && !person.isManaged && role == .parent && householdRole >= .adult
    }
    /// Whether another member has ended the membership.
    var isBarred: Bool { status == .removed && !person.isManaged && removedBy != person }
    var id: String { person.memberID(in: family) }

    /// All guardians of an active managed member.
    var guardians: [SamplePerson] {
        isActive ? [guardian, furtherGuardian].compactMap { $0 } : []
    }
}

/// A consent's purpose and version, and whether it was withdrawn.
struct ConsentMark: Sendable {
    let purpose: String
    let version: String
    var isEnded = false

    /// A consent to the current text of the required purpose.
    static let sufficient = ConsentMark(purpose: "profile", version: "1")
    /// Insufficient consents: one to an older text, a withdrawn one, and one to another purpose.
    static let insufficient = [
        ConsentMark(purpose: "profile", version: "0"),
        ConsentMark(purpose: "profile", version: "1", isEnded: true),
        ConsentMark(purpose: "news", version: "1"),
    ]

    /// The consent in the text of a ``Reading``, for example `p1e`: the purpose's initial, the
    /// version, and `e` if it was withdrawn.
    var mark: String { purpose.prefix(1) + version + (isEnded ? "e" : "") }
}

/// The memberships of one case.
struct World: Sendable {
    private(set) var rows: [Row] = []
    private(set) var creators: [SampleFamily: SamplePerson] = [
        .a: .founder, .b: .boss, .packed: .stranger, .gated: .stranger, .hollow: .me,
        .foreign: .stranger, .nest: .stranger,
    ]
    let isVerified: Bool
    /// People whose accounts are blocked, who are treated as absent.
    let blocked: Set<SamplePerson>
    private let index: [Int]

    /// Creates the memberships of a case.
    init(_ played: Case) {
        isVerified = played.isVerified
        blocked = played.blocked
        if played.first?.isCreator ?? played.isCreatorWithoutRow { creators[.a] = .me }
        if played.second == .governor { creators[.b] = .me }
        if played.second.isAlone { creators[.nest] = .me }
        let isAdmin = played.first.map { $0.householdRole == .parentAdmin && $0.status == .active }
        let seated = played.seat == .taken && isAdmin != true
        rows = [
            Row(
                family: .a, person: .chief, householdRole: seated ? .parentAdmin : .adult,
                via: .invitation, isVouched: played.isChiefVouched),
            Self.founder(played),
            Row(family: .a, person: .aunt), Row(family: .a, person: .uncle),
            // Vouched for, but not eligible to claim the seat.
            Row(family: .a, person: .sitter, householdRole: .kid, isVouched: true),
            Row(
                family: .a, person: .guest, householdRole: .visitor, via: .invitation,
                isVouched: true),
            Row(family: .a, person: .teen, role: .player, householdRole: .kid, isVouched: true),
            Row(
                family: .a, person: .grown, role: .player, householdRole: .kid, via: .created),
            Row(family: .a, person: .gone, status: .removed, removedBy: .chief),
            Row(family: .a, person: .waiting, status: .invited, isVouched: true),
            Self.ward(
                .niece, of: played.isChiefVouched ? .chief : .aunt,
                and: played.isGuardian ? .me : nil),
            Self.ward(.moved, of: .aunt), Self.ward(.cousin, of: .uncle, and: .aunt),
            Self.ward(.lost, of: .me, status: .removed),
            Row(
                family: .b, person: .boss,
                householdRole: played.second == .governor ? .adult : .parentAdmin, via: .created),
            Row(family: .b, person: .rival, role: .player, householdRole: .kid),
            Self.ward(.other, of: .boss, in: .b),
            // A person removed from the first family, or not yet admitted, belongs to the other.
            Row(family: .b, person: .gone, householdRole: .kid),
            Row(family: .b, person: .waiting, householdRole: .visitor),
            Row(family: .packed, person: .stranger, householdRole: .parentAdmin, via: .created),
            Row(family: .gated, person: .stranger, householdRole: .parentAdmin, via: .created),
        ]
        if let first = played.first {
            rows.append(
                Row(
                    family: .a, person: .me, role: first.role,
                    householdRole: first.householdRole,
                    status: first.status, via: first.via, isVouched: first.isVouched,
                    removedBy: first.status == .removed
                        ? (first.via == .invitation ? .me : .chief) : nil,
                    higherCeiling: first.higherCeiling))
        }
        if played.isGuardian {
            rows += [Self.ward(.child, of: .me), Self.ward(.toddler, of: .me, and: .aunt)]
        }
        let isPlayer = played.first.map { $0.role == .player && $0.status != .removed } ?? false
        if let row = played.second.row(asPlayer: isPlayer) { rows.append(row) }
        for position in rows.indices where creators[rows[position].family] == rows[position].person
        {
            rows[position].isVouched = true
        }
        var index = [Int](repeating: -1, count: 512)
        for (position, row) in rows.enumerated() {
            index[Self.slot(row.family, row.person)] = position
        }
        self.index = index
    }

    private static func founder(_ played: Case) -> Row {
        var row = Row(family: .a, person: .founder, via: .created)
        switch played.founder {
        case .active: break
        case .visiting: row.householdRole = .visitor
        case .resting:
            row.householdRole = .visitor
            row.higherCeiling = .adult
        case .gone:
            row.status = .removed
            row.removedBy = .founder
        }
        return row
    }

    private static func ward(
        _ child: SamplePerson, of guardian: SamplePerson, and further: SamplePerson? = nil,
        in family: SampleFamily = .a, status: MembershipStatus = .active
    ) -> Row {
        Row(
            family: family, person: child, role: .player, householdRole: .kid, status: status,
            via: .created, guardian: guardian, furtherGuardian: further,
            removedBy: status == .removed ? guardian : nil)
    }

    private static func slot(_ family: SampleFamily, _ person: SamplePerson) -> Int {
        family.rawValue << 5 | person.rawValue
    }

    /// A person's membership, in any status.
    func row(_ person: SamplePerson?, in family: SampleFamily?) -> Row? {
        guard let person, let family else { return nil }
        let position = index[Self.slot(family, person)]
        return position < 0 ? nil : rows[position]
    }

    func active(_ person: SamplePerson?, in family: SampleFamily?) -> Row? {
        row(person, in: family).flatMap { $0.isActive ? $0 : nil }
    }

    func isBlocked(_ person: SamplePerson) -> Bool { blocked.contains(person) }

    /// Whether the member is an adult who can become Parent Admin or a guardian.
    func isEligible(_ row: Row) -> Bool { row.isAdult && !isBlocked(row.person) }

    /// Whether the seat of the Parent Admin is taken by a member who is not blocked.
    func isSeatTaken(in family: SampleFamily) -> Bool {
        rows.contains {
            $0.family == family && $0.isActive && $0.householdRole == .parentAdmin
                && !isBlocked($0.person)
        }
    }

    /// Whether the creator is a member who is not blocked, and acts as such: as an adult or a
    /// player.
    func isCreatorActive(in family: SampleFamily) -> Bool {
        guard let row = active(creators[family], in: family), !isBlocked(row.person) else {
            return false
        }
        return actsAsCreator(row)
    }

    private func actsAsCreator(_ row: Row) -> Bool {
        row.householdRole != .visitor && (row.isAdult || row.role == .player)
    }

    /// Whether the person is the family's admin, or a creator who acts as such.
    func governs(_ person: SamplePerson, in family: SampleFamily) -> Bool {
        active(person, in: family)?.householdRole == .parentAdmin
            || (creators[family] == person && isCreatorActive(in: family))
    }

    /// Whether the person stands in for the creator and the Parent Admin: an adult, while the seat
    /// is vacant and the creator gone. Where one is vouched for, only vouched adults stand in.
    func isStandIn(_ person: SamplePerson, in family: SampleFamily) -> Bool {
        guard let row = active(person, in: family), isEligible(row), !isSeatTaken(in: family),
            !isCreatorActive(in: family)
        else { return false }
        return !hasPresentRestingCreator(in: family)
            && (row.isVouched
                || !rows.contains { $0.family == family && isEligible($0) && $0.isVouched })
    }

    /// Whether the creator has stepped down by itself, and so is not treated as gone unless
    /// blocked.
    func isCreatorResting(in family: SampleFamily) -> Bool {
        guard let row = active(creators[family], in: family) else { return false }
        return !actsAsCreator(row)
            && row.ceiling == (row.role == .player ? .kid : .adult)
    }

    private func hasPresentRestingCreator(in family: SampleFamily) -> Bool {
        isCreatorResting(in: family) && !(creators[family].map(isBlocked) ?? false)
    }

    /// Whether an active member who is not blocked has a right to the seat: the creator, or a
    /// vouched adult.
    func isSeatReserved(in family: SampleFamily) -> Bool {
        isCreatorActive(in: family) || hasPresentRestingCreator(in: family)
            || rows.contains { $0.family == family && isEligible($0) && $0.isVouched }
    }

    /// Whether the person is a child's only guardian, or its other guardians are blocked.
    func isLastGuardian(_ person: SamplePerson, in family: SampleFamily) -> Bool {
        rows.contains { $0.family == family && isLastGuardian(person, of: $0) }
    }

    /// Whether the person is this child's only guardian, or its other guardians are blocked.
    func isLastGuardian(_ person: SamplePerson, of child: Row) -> Bool {
        child.guardians.contains(person)
            && !child.guardians.contains { $0 != person && !isBlocked($0) }
    }

    /// The guardian with the rights of a child's primary one.
    func actingGuardian(of child: Row) -> SamplePerson? {
        guard let primary = child.guardian, isBlocked(primary) else { return child.guardian }
        return child.guardians.first { !isBlocked($0) } ?? primary
    }

    /// Whether the person is a guardian, and each of its children has another one.
    func isReplacedGuardian(_ person: SamplePerson?, in family: SampleFamily?) -> Bool {
        guard let person, let family else { return false }
        return !isLastGuardian(person, in: family)
            && rows.contains { $0.family == family && $0.guardians.contains(person) }
    }

    /// Whether a managed member has a guardian who is vouched for and not blocked.
    func isGuardianVouched(of child: Row) -> Bool {
        child.guardians.contains {
            !isBlocked($0) && row($0, in: child.family)?.isVouched ?? false
        }
    }

    func isActivePlayer(_ person: SamplePerson, besides family: SampleFamily?) -> Bool {
        rows.contains {
            $0.person == person && $0.isActive && $0.role == .player && $0.family != family
        }
    }

    /// Whether `me` is a player in a family with other members, which it can't leave by joining
    /// another.
    var isPlayerInCompany: Bool {
        rows.contains {
            $0.person == .me && $0.isActive && $0.role == .player && $0.family != .nest
        }
    }

    /// Whether `me` can't change its role, because it is in another family with others or waits to
    /// join one.
    func keepsRole(besides family: SampleFamily? = nil) -> Bool {
        rows.contains {
            $0.person == .me && $0.status != .removed && $0.family != family
                && !($0.isActive && $0.family == .nest)
        }
    }

    /// The reason why `me` can't enter a family in this role, from its other families.
    func reasonNotToEnter(_ family: SampleFamily, as role: MemberRole) -> RefusalCode? {
        if role != roleOfMe, keepsRole(besides: family) { return .roleMismatch }
        return role == .player && isPlayerInCompany ? .playerHasFamily : nil
    }

    /// Whether `me` is in a family, or waits to join one, in the other role.
    func hasOtherRole(than role: MemberRole) -> Bool {
        role != roleOfMe && rows.contains { $0.person == .me && $0.status != .removed }
    }

    /// The role of `me`'s account: that of its current families and requests, otherwise that of a
    /// former family.
    var roleOfMe: MemberRole {
        let own = [SampleFamily.a, .b, .nest].compactMap { row(.me, in: $0) }
        return (own.first { $0.status != .removed } ?? own.first)?.role ?? .parent
    }

    /// Members whose preferences are stored, with their families.
    var preferences: [Row] {
        let stored: [SamplePerson] = [
            .me, .child, .niece, .moved, .lost, .chief, .teen, .rival, .other, .toddler, .grown,
        ]
        return rows.filter {
            stored.contains($0.person) && !($0.person == .me && $0.family == .b)
        }
    }

    /// Members for whom a guardian has given the required consent.
    var consents: [Row] {
        rows.filter { [.child, .niece, .lost, .cousin, .other].contains($0.person) }
    }

    /// The consents in the database for a member.
    func consents(for row: Row) -> [ConsentMark] {
        if consents.contains(row) { return [.sufficient] }
        return row.person == .toddler ? ConsentMark.insufficient : []
    }

    /// Whether a missing consent prevents everybody from writing a child's preferences.
    func lacksConsent(_ row: Row) -> Bool {
        row.person.isManaged && !consents.contains { $0.person == row.person }
    }
}
