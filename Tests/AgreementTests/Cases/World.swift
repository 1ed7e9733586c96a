import Domain

/// A membership as it stands in the database.
struct Row: Sendable, Equatable {
    let household: Household
    let person: Person
    var role = MemberRole.parent
    var householdRole = HouseholdRole.adult
    var status = MembershipStatus.active
    var via = JoinedVia.code
    var isVouched = false
    var guardian: Person?
    var removedBy: Person?

    var isActive: Bool { status == .active }
    var isAdult: Bool {
        isActive && !person.isManaged && role == .parent && householdRole >= .adult
    }
    var id: String { person.memberID(in: household) }
}

/// Who belongs where, as it is while one case is played.
struct World: Sendable {
    private(set) var rows: [Row] = []
    private(set) var creators: [Household: Person] = [
        .a: .founder, .b: .boss, .packed: .stranger, .gated: .stranger, .hollow: .me,
        .foreign: .stranger,
    ]
    let isVerified: Bool
    private let index: [Int]

    /// The world with `me` in it as the case says.
    init(_ played: Case) {
        isVerified = played.isVerified
        if played.first?.isCreator ?? played.isCreatorWithoutRow { creators[.a] = .me }
        if played.second == .governor { creators[.b] = .me }
        let isAdmin = played.first.map { $0.householdRole == .parentAdmin && $0.status == .active }
        let seated = played.seat == .taken && isAdmin != true
        rows = [
            Row(
                household: .a, person: .chief, householdRole: seated ? .parentAdmin : .adult,
                via: .invitation, isVouched: played.isChiefVouched),
            Self.founder(played),
            Row(household: .a, person: .aunt),
            // Vouched for, and yet none that could claim the seat.
            Row(household: .a, person: .sitter, householdRole: .kid, isVouched: true),
            Row(
                household: .a, person: .guest, householdRole: .visitor, via: .invitation,
                isVouched: true),
            Row(household: .a, person: .teen, role: .player, householdRole: .kid, isVouched: true),
            Row(household: .a, person: .gone, status: .removed, removedBy: .chief),
            Row(household: .a, person: .waiting, status: .invited, isVouched: true),
            Self.ward(.niece, of: .aunt), Self.ward(.moved, of: .aunt),
            Self.ward(.lost, of: .me, status: .removed),
            Row(
                household: .b, person: .boss,
                householdRole: played.second == .governor ? .adult : .parentAdmin, via: .created),
            Row(household: .b, person: .rival, role: .player, householdRole: .kid),
            Self.ward(.other, of: .boss, in: .b),
            // Whom the first family has let go, or not yet let in, belongs to the other.
            Row(household: .b, person: .gone, householdRole: .kid),
            Row(household: .b, person: .waiting, householdRole: .visitor),
            Row(household: .packed, person: .stranger, householdRole: .parentAdmin, via: .created),
            Row(household: .gated, person: .stranger, householdRole: .parentAdmin, via: .created),
        ]
        if let first = played.first {
            rows.append(
                Row(
                    household: .a, person: .me, role: first.role,
                    householdRole: first.householdRole,
                    status: first.status, via: first.via, isVouched: first.isVouched,
                    removedBy: first.status == .removed
                        ? (first.via == .invitation ? .me : .chief) : nil))
        }
        if played.isGuardian { rows.append(Self.ward(.child, of: .me)) }
        if let row = played.second.row { rows.append(row) }
        for place in rows.indices where creators[rows[place].household] == rows[place].person {
            rows[place].isVouched = true
        }
        var index = [Int](repeating: -1, count: 256)
        for (place, row) in rows.enumerated() {
            index[Self.slot(row.household, row.person)] = place
        }
        self.index = index
    }

    private static func founder(_ played: Case) -> Row {
        var row = Row(household: .a, person: .founder, via: .created)
        switch played.founder {
        case .active: break
        case .visiting: row.householdRole = .visitor
        case .gone:
            row.status = .removed
            row.removedBy = .founder
        }
        return row
    }

    private static func ward(
        _ child: Person, of guardian: Person, in household: Household = .a,
        status: MembershipStatus = .active
    ) -> Row {
        Row(
            household: household, person: child, role: .player, householdRole: .kid, status: status,
            via: .created, guardian: guardian, removedBy: status == .removed ? guardian : nil)
    }

    private static func slot(_ household: Household, _ person: Person) -> Int {
        household.rawValue << 5 | person.rawValue
    }

    /// The membership of a person, in whatever status.
    func row(_ person: Person?, in household: Household?) -> Row? {
        guard let person, let household else { return nil }
        let place = index[Self.slot(household, person)]
        return place < 0 ? nil : rows[place]
    }

    func active(_ person: Person?, in household: Household?) -> Row? {
        row(person, in: household).flatMap { $0.isActive ? $0 : nil }
    }

    /// Whether somebody sits in the seat of the Parent Admin.
    func isSeatTaken(in household: Household) -> Bool {
        rows.contains {
            $0.household == household && $0.isActive && $0.householdRole == .parentAdmin
        }
    }

    /// Whether the creator is there and acts as such: as adult or as player.
    func isCreatorActive(in household: Household) -> Bool {
        guard let row = active(creators[household], in: household) else { return false }
        return row.householdRole != .visitor && (row.isAdult || row.role == .player)
    }

    /// Whether the person is admin of it, or a creator who acts as such.
    func governs(_ person: Person, in household: Household) -> Bool {
        active(person, in: household)?.householdRole == .parentAdmin
            || (creators[household] == person && isCreatorActive(in: household))
    }

    /// Whether somebody active has a right to the seat: the creator, or a vouched adult.
    func isSeatReserved(in household: Household) -> Bool {
        isCreatorActive(in: household)
            || rows.contains { $0.household == household && $0.isAdult && $0.isVouched }
    }

    func hasWards(_ person: Person, in household: Household) -> Bool {
        rows.contains { $0.household == household && $0.isActive && $0.guardian == person }
    }

    func isActivePlayer(_ person: Person, besides household: Household?) -> Bool {
        rows.contains {
            $0.person == person && $0.isActive && $0.role == .player && $0.household != household
        }
    }

    /// The side that `me`'s account has: that of a membership, if there is one.
    var roleOfMe: MemberRole {
        row(.me, in: .a)?.role ?? row(.me, in: .b)?.role ?? .parent
    }

    /// Whose preferences are stored, in which family.
    var preferences: [Row] {
        let stored: [Person] = [.me, .child, .niece, .moved, .lost, .chief, .teen, .rival, .other]
        return rows.filter {
            stored.contains($0.person) && !($0.person == .me && $0.household == .b)
        }
    }
}
