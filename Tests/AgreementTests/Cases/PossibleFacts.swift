import Domain
import Policy

/// All combinations of facts that a request can have. They show whether a changed rule decides
/// differently in any request.
enum PossibleFacts {
    /// Possible facts of an action, restricted to the facts in `mentioned`.
    static func about(_ action: Action, mentioned: Facts) -> Set<Facts> {
        var found: Set<Facts> = []
        // People who join by code are judged by their standing outside of any family.
        let actors = action == .codeEnter ? pairs.filter { $0.0.isSubset(of: outside) } : pairs
        for (facts, target) in actors {
            if action == .memberSetRole {
                found.formUnion(changes(facts, of: target))
            } else {
                let free: [Facts] =
                    [
                        .guardianGoes, .guardianStays, .guardianUnvouched, .seatVacant, .inviter,
                        .addressee, .link, .invitesPlayer, .consentMissing, .graduation,
                        .approvalRequired, .approvalAutomatic, .invited, .barred,
                    ]
                    .filter { mentioned.contains($0) }
                    + (mentioned.contains(.claimsSeat) ? [.claimsSeat] : [])
                // The only invitations about a child are those for a graduation.
                let needsGraduation = mentioned.contains(.graduation) && facts.contains(.guardian)
                for some in subsets(free)
                where isPossible(some, facts) && (!needsGraduation || some.contains(.graduation)) {
                    found.insert(facts.union(some))
                }
            }
        }
        return found
    }

    private static let outside: Facts = [
        .account, .acting, .targetManaged, .targetAdult, .targetAdmin,
    ]

    /// Whether the facts of the request are possible for its sender: only an account can be an
    /// addressee or an inviter.
    private static func isPossible(_ some: Facts, _ facts: Facts) -> Bool {
        if some.contains(.guardianStays), !some.contains(.guardianGoes) { return false }
        if some.contains(.guardianUnvouched) {
            if !facts.contains(.targetManaged) || facts.contains([.guardian, .vouched]) {
                return false
            }
        }
        // Missing consents of a child's guardians are visible only to people involved with the
        // child.
        if some.contains(.consentMissing),
            !facts.contains(.targetManaged) || facts.isDisjoint(with: [.guardian, .oneself])
        {
            return false
        }
        // A Parent Admin who is gone is no adult to whom something can be given.
        if some.contains(.seatVacant),
            facts.contains(.admin) || facts.contains([.targetAdmin, .targetAdult])
        {
            return false
        }
        return facts.contains(.account)
            || some.isDisjoint(with: [.addressee, .inviter, .invited, .barred])
    }

    private static func changes(_ facts: Facts, of target: Membership) -> [Facts] {
        HouseholdRole.allCases.flatMap { newRole in
            ceilings(target).flatMap { ceiling in
                [(false, false), (false, true), (true, false), (true, true)].map { seat in
                    facts.with(
                        newRole: newRole, present: target.householdRole, ceiling: ceiling,
                        isSeatTaken: seat.0, isSeatReserved: seat.1)
                }
            }
        }
    }

    private static func ceilings(_ target: Membership) -> [HouseholdRole] {
        [.adult, .kid, .visitor].filter { $0 >= min(target.householdRole, .adult) }
    }

    private static func subsets(_ facts: [Facts]) -> [Facts] {
        facts.reduce([[]]) { sets, fact in sets + sets.map { $0.union(fact) } }
    }

    /// Possible facts of the caller, each with the target member of the action.
    private static let pairs: [(Facts, Membership)] = {
        var pairs: [Pair: Void] = [:]
        for actor in actors {
            for target in memberships {
                var ways: [(isOneself: Bool, guardianship: Guardianship?)] = [(false, nil)]
                if actor.membership == target { ways.append((true, nil)) }
                if target.isManaged, !actor.isAnonymous, !actor.isActing {
                    ways += Guardianship.allCases.map { (false, $0) }
                }
                for way in ways {
                    let facts = Facts(
                        isAnonymous: actor.isAnonymous, isActing: actor.isActing,
                        membership: actor.membership
                    ).with(target: target, isOneself: way.isOneself, guardianship: way.guardianship)
                    pairs[Pair(facts: facts, householdRole: target.householdRole, target: target)] =
                        ()
                }
            }
        }
        return pairs.keys.map { ($0.facts, $0.target) }
    }()

    /// Facts and target. Two pairs are equal if facts and current household role are.
    private struct Pair: Hashable {
        let facts: Facts
        let householdRole: HouseholdRole
        let target: Membership

        static func == (left: Pair, right: Pair) -> Bool {
            left.facts == right.facts && left.householdRole == right.householdRole
        }
        func hash(into hasher: inout Hasher) {
            hasher.combine(facts)
            hasher.combine(householdRole)
        }
    }

    private struct Actor {
        var isAnonymous = false
        var isActing = false
        var membership: Membership?
    }

    private static let actors: [Actor] =
        [Actor(), Actor(isAnonymous: true), Actor(isActing: true)]
        + memberships.filter { !$0.isGone }.map {
            Actor(isActing: $0.isManaged, membership: $0)
        }

    /// Every membership that the database's constraints allow; those of accounts twice: present
    /// and gone.
    private static let memberships: [Membership] = allowed.flatMap { member in
        var gone = member
        gone.isGone = true
        return member.isManaged || member.isStandIn ? [member] : [member, gone]
    }

    private static let allowed: [Membership] = MemberRole.allCases.flatMap { role in
        HouseholdRole.allCases.flatMap { householdRole in
            MembershipStatus.allCases.flatMap { status in
                [false, true].flatMap { vouched in
                    [
                        (false, false, false), (false, true, false), (true, false, false),
                        (false, false, true),
                    ].map { managed, creator, standsIn in
                        Membership(
                            role: role, householdRole: householdRole, status: status,
                            isManaged: managed, isCreator: creator, isVouched: vouched,
                            isStandIn: standsIn)
                    }
                }
            }
        }
    }.filter { member in
        if member.householdRole == .parentAdmin, member.role != .parent || member.isManaged {
            return false
        }
        if member.isStandIn,
            member.role != .parent || member.householdRole != .adult || member.status != .active
        {
            return false
        }
        return !member.isManaged
            || (member.role == .player && member.householdRole == .kid
                && member.status != .invited)
    }
}
