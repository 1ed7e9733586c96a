import Domain

/// One actor: how `me` stands in both families, how it signs in, and for whom it acts.
struct Case: Sendable {
    struct First: Sendable, Equatable {
        let role: MemberRole
        let householdRole: HouseholdRole
        let status: MembershipStatus
        let via: JoinedVia
        let isCreator: Bool
        let isVouched: Bool
        /// A household role that it has stepped down from.
        var higherCeiling: HouseholdRole?

        /// Whether it is vouched for as most who came so are.
        var isUsual: Bool {
            isCreator || via == .operator || isVouched == (via == .invitation)
        }
    }

    /// How `me` stands in the other family.
    enum Second: CaseIterable, Sendable {
        case none, adult, governor, kid, visitor, player, removed, waiting
        /// Not in the other: as a player or as a parent in a family of its own, with nobody else.
        case alone, parentAlone

        /// As a player where the account is one in the first family.
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

        /// Whether an account can stand so that has the role in the first family: one role in all
        /// families that it is in or waits for, and a player active in one only.
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
    /// Whether the founder is there: as a visitor by others (`visiting`) or by itself (`resting`).
    enum Founder: CaseIterable, Sendable { case active, visiting, resting, gone }

    /// How a request begins.
    enum SignIn: CaseIterable, Sendable {
        /// A token of an account that is known.
        case account
        /// Nothing begins the request.
        case nothing
        /// A token of somebody else's making: an unknown subject, a foreign issuer.
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
    /// Whether an adult beside `me` is vouched for.
    var isChiefVouched = false
    var isVerified = true
    var signIn = SignIn.account
    var acting: SamplePerson?

    /// Whether a child's guardian is no active adult, which a constraint rules out.
    var breaksConstraint: Bool {
        guard isGuardian, let first else { return isGuardian }
        return first.status != .active || first.role != .parent || first.householdRole < .adult
    }

    /// Whether the delegation holds: by the words of the policy, not by its code.
    var isActingHonoured: Bool {
        guard acting == .child || acting == .niece || acting == .toddler, isGuardian,
            signIn == .account, let first
        else {
            return false
        }
        return first.status == .active && first.role == .parent && first.householdRole >= .adult
    }

    /// For whom the request is: nobody, where it did not begin.
    var subject: SamplePerson? {
        guard signIn == .account else { return nil }
        return acting == nil ? .me : isActingHonoured ? acting : nil
    }
    var isActing: Bool { subject != nil && acting != nil }

    /// The same account, signed in and acting for itself.
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
        return words.joined(separator: ", ")
    }
}

extension Case {
    private static let rolePairs: [(MemberRole, HouseholdRole)] = [
        (.parent, .parentAdmin), (.parent, .adult), (.parent, .kid), (.parent, .visitor),
        (.player, .adult), (.player, .kid), (.player, .visitor),
    ]

    /// Every way to stand in the first family.
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
                        // By constraint only an active adult guards. The others are there all the
                        // same, past the constraint: no rule may lean on it.
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

    /// Who made the family or was put in by an operator is vouched. Of the others of each kind one
    /// is and one is not, while they are members.
    private static func ways(
        _ status: MembershipStatus, _ via: JoinedVia
    ) -> [(isCreator: Bool, isVouched: Bool)] {
        let usual = via == .invitation || via == .operator
        let both = status == .active && (via == .code || via == .invitation)
        return [(true, true), (false, usual)] + (both ? [(false, !usual)] : [])
    }

    /// The whole product, without what can't be.
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

    /// What `scripts/test` plays: two of five cases of the core, one after the other, so that each
    /// role, way to act and seat is among them, though not in every combination.
    static let sample: [Case] = core.enumerated().filter { $0.offset % 5 < 2 }.map(\.element)

    /// What every change to the rules is looked at with: the product of all roles with the ways to
    /// act and with the seats; of the ways to have come, by code and by invitation; by code beside
    /// no other family, as an adult in one and alone in one; and every way to sign in.
    static let core: [Case] = all.filter { played in
        if played.signIn != .account { return true }
        let via = played.first?.via ?? .code
        if played.second.isAlone { return via == .code && played.acting == nil }
        return via == .code
            ? played.second == .none || played.second == .adult
            : via == .invitation && played.second == .none
    }

    /// The case itself, and acting: for its own child, and (once) for whom it may not.
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

    /// Having stepped down, from each household role above the present one.
    private var withCeilings: [Case] {
        guard let first, first.via == .code, first.isUsual, !isGuardian else { return [] }
        return [HouseholdRole.adult, .kid].filter { $0 > first.householdRole }.map { ceiling in
            var played = self
            played.first?.higherCeiling = ceiling
            return played
        }
    }

    /// With the seat vacant, with the founder gone or visiting, with a vouched adult beside: what
    /// claims depend on.
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

    /// In an order that mixes them, the same on every run: so that a few tell much.
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
