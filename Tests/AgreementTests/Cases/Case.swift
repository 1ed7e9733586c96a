import Domain

/// One caller: the memberships of `me` in both families, its sign-in, and the member it acts for.
struct Case: Sendable {
    struct First: Sendable, Equatable {
        let role: MemberRole
        let householdRole: HouseholdRole
        let status: MembershipStatus
        let via: JoinedVia
        let isCreator: Bool
        let isVouched: Bool
        /// A higher household role from which the member has stepped down.
        var higherCeiling: HouseholdRole?

        /// Whether `me` is vouched for exactly if members who join in this way usually are.
        var isUsual: Bool {
            isCreator || via == .operator || isVouched == (via == .invitation)
        }
    }

    /// The membership of `me` in the other family.
    enum Second: CaseIterable, Sendable {
        case none, adult, governor, kid, visitor, player, removed, waiting
        /// Outside the other family: alone in a family of its own, as a player or as a parent.
        case alone, parentAlone

        /// The membership, in the role that the account has in the first family.
        func row(asPlayer isPlayer: Bool) -> Row? {
            var row = Row(family: isAlone ? .nest : .b, person: .me)
            switch self {
            case .none: return nil
            case .adult: break
            case .governor:
                row.householdRole = .parentAdmin
                row.via = .created
            case .kid: row.householdRole = .kid
            case .visitor: row.householdRole = .visitor
            case .player:
                row.role = .player
                row.householdRole = .kid
            case .removed:
                row.status = .removed
                row.removedBy = .boss
            case .waiting:
                row.status = .invited
                if isPlayer {
                    row.role = .player
                    row.householdRole = .kid
                }
            case .alone:
                row.role = .player
                row.householdRole = .kid
                row.via = .created
            case .parentAlone:
                row.householdRole = .parentAdmin
                row.via = .created
            }
            return row
        }

        var isAlone: Bool { self == .alone || self == .parentAlone }

        /// Whether an account with this role in the first family can have this membership. An
        /// account has one role in all families that it is in or waits to join, and a player is
        /// active in one family only.
        func goes(with first: First?) -> Bool {
            guard let first, first.status != .removed else { return true }
            return switch self {
            case .none, .removed, .waiting: true
            case .adult, .governor, .kid, .visitor, .parentAlone: first.role == .parent
            case .player, .alone: first.role == .player && first.status == .invited
            }
        }
    }

    enum Seat: Sendable { case taken, vacant }
    /// The founder's state: `visiting` after a demotion by others, `resting` after stepping down.
    enum Founder: CaseIterable, Sendable { case active, visiting, resting, gone }

    /// The way in which a request begins.
    enum SignIn: CaseIterable, Sendable {
        /// A token of a known account.
        case account
        /// Absence of a begun request.
        case nothing
        /// A token with an unknown subject, or of a foreign issuer.
        case unknown
        case anonymous
        case service
        case wrongAudience
    }

    var first: First?
    var isCreatorWithoutRow = false
    var isGuardian = false
    var second = Second.none
    var seat = Seat.taken
    var founder = Founder.active
    /// Whether an adult other than `me` is vouched for.
    var isChiefVouched = false
    var isVerified = true
    var signIn = SignIn.account
    var acting: SamplePerson?
    /// People whose accounts are blocked.
    var blocked: Set<SamplePerson> = []

    /// Whether a child's guardian is no active adult, which a constraint prevents.
    var breaksConstraint: Bool {
        guard isGuardian, let first else { return isGuardian }
        return first.status != .active || first.role != .parent || first.householdRole < .adult
    }

    /// Whether the delegation is valid, derived from the documented rules and not from the policy's
    /// code.
    var isActingHonoured: Bool {
        guard acting == .child || acting == .niece || acting == .toddler, isGuardian,
            signIn == .account, !blocked.contains(.me), let first
        else {
            return false
        }
        return first.status == .active && first.role == .parent && first.householdRole >= .adult
    }

    /// The person the request is for; nil where no request has begun.
    var subject: SamplePerson? {
        guard signIn == .account, !blocked.contains(.me) else { return nil }
        return acting == nil ? .me : isActingHonoured ? acting : nil
    }
    var isActing: Bool { subject != nil && acting != nil }

    /// This case's account, signed in and acting for itself.
    var itself: Case {
        var account = self
        account.signIn = .account
        account.acting = nil
        return account
    }

    var name: String {
        var words: [String] = []
        if let first {
            words.append("\(first.role) \(first.householdRole) \(first.status) via \(first.via)")
            if first.isCreator { words.append("creator") }
            if first.isVouched { words.append("vouched") }
            if let ceiling = first.higherCeiling { words.append("under \(ceiling)") }
        } else {
            words.append(isCreatorWithoutRow ? "creator without row" : "no member")
        }
        if isGuardian { words.append("guardian") }
        words.append("second \(second)")
        words.append("seat \(seat), founder \(founder)")
        if isChiefVouched { words.append("chief vouched") }
        if !isVerified { words.append("unverified") }
        if signIn != .account { words.append("signed in: \(signIn)") }
        if let acting { words.append("acting as \(acting)") }
        if !blocked.isEmpty { words.append("blocked: \(blockedNames)") }
        return words.joined(separator: ", ")
    }
}

extension Case {
    /// The names of the blocked people, in a fixed order.
    var blockedNames: String {
        SamplePerson.allCases.filter(blocked.contains).map { "\($0)" }.joined(separator: " and ")
    }

    private static let rolePairs: [(MemberRole, HouseholdRole)] = [
        (.parent, .parentAdmin), (.parent, .adult), (.parent, .kid), (.parent, .visitor),
        (.player, .adult), (.player, .kid), (.player, .visitor),
    ]

    /// This case with each possible membership in the first family.
    private static var firsts: [Case] {
        var cases = [Case(), Case(isCreatorWithoutRow: true)]
        for (role, householdRole) in rolePairs {
            for status in MembershipStatus.allCases {
                for via in JoinedVia.allCases {
                    for (isCreator, isVouched) in ways(status, via) {
                        let first = First(
                            role: role, householdRole: householdRole, status: status, via: via,
                            isCreator: isCreator, isVouched: isVouched)
                        cases.append(Case(first: first))
                        if !first.isUsual { continue }
                        // By constraint, only an active adult can guard. The other cases exist all
                        // the same, without the constraint: no rule may depend on it.
                        let canGuard =
                            role == .parent && status == .active && householdRole >= .adult
                        if canGuard || via == .code {
                            cases.append(Case(first: first, isGuardian: true))
                        }
                    }
                }
            }
        }
        return cases
    }

    /// Combinations of creator and vouching. Creators and members added by an operator are always
    /// vouched for. Active members who joined by code or invitation occur both vouched for and not.
    private static func ways(
        _ status: MembershipStatus, _ via: JoinedVia
    ) -> [(isCreator: Bool, isVouched: Bool)] {
        let usual = via == .invitation || via == .operator
        let both = status == .active && (via == .code || via == .invitation)
        return [(true, true), (false, usual)] + (both ? [(false, !usual)] : [])
    }

    /// All combinations of the properties, without impossible ones.
    static let all: [Case] = {
        var cases: [Case] = []
        for base in firsts {
            for second in Second.allCases {
                if second != .none, !(base.first?.isUsual ?? true) { continue }
                if !second.goes(with: base.first) { continue }
                if second != .none, second != .adult, base.first.map({ $0.via != .code }) ?? false {
                    continue
                }
                var played = base
                played.second = second
                cases += played.withDelegations
            }
            cases += base.withSeats
            cases += base.withCeilings
            cases += base.withBlocks
            if base.first?.via == .code || base.first == nil {
                var unverified = base
                unverified.isVerified = false
                cases.append(unverified)
            }
        }
        for signIn in SignIn.allCases where signIn != .account {
            for acting in [nil, SamplePerson.child] {
                var played = Case(
                    first: First(
                        role: .parent, householdRole: .parentAdmin, status: .active, via: .created,
                        isCreator: true, isVouched: true), isGuardian: true)
                played.signIn = signIn
                played.acting = acting
                cases.append(played)
            }
        }
        return shuffled(cases)
    }()

    /// Cases that `scripts/test` runs: core cases in which each pair of traits occurs, such as a
    /// role and a delegation.
    static let sample: [Case] = PairwiseOrder.covering(core)

    /// Cases that are run after every change of the rules: all roles with all delegations, seats
    /// and blocked accounts; joining by code and by invitation; joining by code without another
    /// family, as an adult of another family, and alone in one; and every sign-in.
    static let core: [Case] = all.filter { played in
        if played.signIn != .account { return true }
        let via = played.first?.via ?? .code
        if played.second.isAlone { return via == .code && played.acting == nil }
        return via == .code
            ? played.second == .none || played.second == .adult
            : via == .invitation && played.second == .none
    }

    /// The case without a delegation, with one for its own child, and (once) with one for each kind
    /// of member that it may not act for.
    private var withDelegations: [Case] {
        var cases = [self]
        var targets: [SamplePerson] = isGuardian ? [.child] : []
        if second == .none, first?.via == .code, first?.isUsual ?? true {
            if isGuardian { targets.append(.toddler) }
            targets += [.niece, .moved, .lost, .other, .formerly]
        }
        for target in targets {
            var played = self
            played.acting = target
            cases.append(played)
        }
        return cases
    }

    /// The case after stepping down from each household role above the current one.
    private var withCeilings: [Case] {
        guard let first, first.via == .code, first.isUsual, !isGuardian else { return [] }
        return [HouseholdRole.adult, .kid].filter { $0 > first.householdRole }.map { ceiling in
            var played = self
            played.first?.higherCeiling = ceiling
            return played
        }
    }

    /// The case with each condition for claiming the seat: the seat vacant, the founder gone or
    /// visiting, another adult vouched for.
    private var withSeats: [Case] {
        guard let first, first.status == .active else { return [] }
        var cases: [Case] = []
        for seat in [Seat.taken, .vacant] {
            for founder in Founder.allCases where (seat, founder) != (.taken, .active) {
                if first.householdRole == .parentAdmin, seat == .vacant { continue }
                if first.isCreator, founder != .active { continue }
                var played = self
                played.seat = seat
                played.founder = founder
                cases.append(played)
                if seat == .vacant {
                    played.isChiefVouched = true
                    cases.append(played)
                }
            }
        }
        return cases
    }

    /// The case with blocked accounts: its own; the Parent Admin's, the founder's, both, and both
    /// while the seat is vacant and another adult is vouched for; and those of guardians.
    private var withBlocks: [Case] {
        let via = first?.via ?? .code
        guard first?.isUsual ?? true, via == .code || (via == .invitation && !isGuardian) else {
            return []
        }
        var cases: [Case] = []
        func add(
            _ blocked: Set<SamplePerson>, seat: Seat = .taken, founder: Founder = .active,
            isChiefVouched: Bool = false, acting: SamplePerson? = nil
        ) {
            if seat == .vacant, first?.householdRole == .parentAdmin { return }
            var played = self
            played.blocked = blocked
            (played.seat, played.founder, played.isChiefVouched) = (seat, founder, isChiefVouched)
            played.acting = acting
            cases.append(played)
        }
        add([.me])
        if isGuardian { add([.me], acting: .child) }
        guard let first, first.status == .active else { return cases }
        add([.aunt])
        add([.uncle])
        for isChiefVouched in [false, true] {
            add([.chief], isChiefVouched: isChiefVouched)
            add([.chief], seat: .vacant, founder: .visiting, isChiefVouched: isChiefVouched)
        }
        if first.isCreator { return cases }
        add([.founder])
        add([.founder], seat: .vacant)
        add([.founder], seat: .vacant, founder: .resting)
        add([.founder], seat: .vacant, isChiefVouched: true)
        add([.chief, .founder])
        add([.chief, .founder], isChiefVouched: true)
        add([.chief, .founder], seat: .vacant, isChiefVouched: true)
        add([.chief, .founder, .aunt])
        return cases
    }

    /// The cases in a shuffled order, the same on every run, so that the first few cover much.
    private static func shuffled(_ cases: [Case]) -> [Case] {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        var mixed = cases
        for index in mixed.indices.dropFirst().reversed() {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            mixed.swapAt(index, Int((state >> 33) % UInt64(index + 1)))
        }
        return mixed
    }
}
