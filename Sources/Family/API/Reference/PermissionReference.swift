import Domain
import Policy

/// `docs/permissions.md`: who may do what, made from the rules.
enum PermissionReference {
    static var text: String {
        var notes: [String] = []
        let rows = Action.allCases.map { action in
            let cells = standings.map { standing in
                switch permission(of: standing.facts, for: Rule.of(action)) {
                case .yes: return "yes"
                case .no: return "–"
                case .when(let condition):
                    let number = notes.firstIndex(of: condition) ?? notes.count
                    if number == notes.count { notes.append(condition) }
                    return "[\(number + 1)]"
                }
            }
            return "| `\(action.name)` | " + cells.joined(separator: " | ") + " |"
        }
        let list = notes.enumerated().map { "\($0.offset + 1). \($0.element)." }
        return """
            # Permissions

            Made from `Rules.swift` by `scripts/update-docs`; don't edit it by hand. \
            [Concepts](concepts.md) explains the words.

            A row is an action, by the name that the audit trail uses too. A column is a standing \
            in the family; who has several, such as a creator who is Parent Admin, may do what any \
            of them may. `yes`: always. `–`: never. A number: under the condition of that number.

            | action | \(standings.map(\.name).joined(separator: " | ")) |
            |---|\(String(repeating: "---|", count: standings.count))
            \(rows.joined(separator: "\n"))

            Conditions:

            \(list.joined(separator: "\n"))

            A waiting person asked to join and is not approved yet. A stranger is signed in and in \
            no way part of the family. A child is a managed member for whom its guardian acts.

            """
    }

    // MARK: Standings

    private static let standings: [(name: String, facts: Facts)] = [
        ("Parent Admin", member(.parent, .parentAdmin).union(.seatTaken)),
        ("creator (adult)", member(.parent, .adult, isCreator: true)),
        ("creator (player)", member(.player, .kid, isCreator: true)),
        ("adult", member(.parent, .adult)),
        ("player", member(.player, .kid)),
        ("parent as kid", member(.parent, .kid)),
        ("visitor", member(.parent, .visitor)),
        ("waiting person", member(.parent, .adult, .invited)),
        ("stranger", Facts(isAnonymous: false, isActing: false, membership: nil)),
        ("child", member(.player, .kid, isManaged: true, isActing: true)),
        ("nobody", Facts(isAnonymous: true, isActing: false, membership: nil)),
    ]

    private static func member(
        _ role: MemberRole, _ householdRole: HouseholdRole, _ status: MembershipStatus = .active,
        isCreator: Bool = false, isManaged: Bool = false, isActing: Bool = false
    ) -> Facts {
        Facts(
            isAnonymous: false, isActing: isActing,
            membership: Membership(
                role: role, householdRole: householdRole, status: status, isManaged: isManaged,
                isCreator: isCreator, isVouched: false))
    }

    /// The facts that a standing settles; all others depend on the request.
    private static let ofStanding: Facts = [
        .account, .acting, .member, .admin, .creator, .adult, .player, .visitor, .waiting,
    ]

    // MARK: Permissions

    private enum Permission { case yes, no, when(String) }

    private static func permission(of standing: Facts, for rule: Rule) -> Permission {
        if standing.contains(.acting), !rule.whileActing { return .no }
        if !rule.scope.isOpen(to: standing) { return .no }
        let ways = rule.clauses.compactMap { Way(of: $0, for: standing) }
        // What asks for more than another way adds nothing.
        let widest = ways.enumerated().filter { index, way in
            !ways.enumerated().contains { other, wider in
                other != index && way.asksFor(wider) && (other < index || !wider.asksFor(way))
            }
        }.map(\.element)
        if widest.isEmpty { return .no }
        return widest.contains { $0.words.isEmpty }
            ? .yes : .when(widest.map(\.words).joined(separator: "; or "))
    }

    /// What a request must be besides, for somebody of a standing.
    private struct Way {
        private let needed: Facts
        private let excluded: Facts

        /// Nil where the clause never holds.
        init?(of clause: Clause, for standing: Facts) {
            needed = clause.all.subtracting(standing)
            excluded = clause.none.subtracting(ofStanding)
            guard needed.isDisjoint(with: ofStanding), clause.none.isDisjoint(with: standing)
            else { return nil }
        }

        /// Whether this asks for everything that another asks for.
        func asksFor(_ other: Way) -> Bool {
            needed.contains(other.needed) && excluded.contains(other.excluded)
        }

        var words: String {
            let known = conditions.reduce(Facts()) { $0.union($1.fact) }
            precondition(
                known.contains(needed.union(excluded)), "`conditions` has no words for a fact")
            let met = conditions.filter { needed.contains($0.fact) }.map(\.met)
            let unmet = conditions.filter { excluded.contains($0.fact) }.map(\.unmet)
            return (met + unmet).joined(separator: ", ")
        }
    }

    /// How a condition reads where a fact is needed, and where it must not be.
    private static let conditions: [(fact: Facts, met: String, unmet: String)] = [
        (.oneself, "oneself", "not oneself"),
        (.targetManaged, "a managed member", "not a managed member"),
        (.guardian, "guarded by the caller", "not guarded by the caller"),
        (
            .primaryGuardian, "whose primary guardian is the caller",
            "whose primary guardian is somebody else"
        ),
        (
            .guardianStays, "while each child has another guardian",
            "while a child has no other guardian"
        ),
        (.targetAdult, "an adult with an account", "not an adult with an account"),
        (.targetAdmin, "the Parent Admin", "not the Parent Admin"),
        (.guardianGoes, "in the request that removes or demotes the guardian", "on its own"),
        (
            .guardianUnvouched, "a managed member for whose guardian nobody answers",
            "a managed member for whose guardian somebody answers"
        ),
        (
            .consentMissing, "while a required consent is missing",
            "while no required consent is missing"
        ),
        (.seatVacant, "while the seat is vacant", "while the seat is taken"),
        (
            .withinCeiling, "to at most the household role given at entry or by others",
            "to a household role above that given at entry or by others"
        ),
        (.claimsSeat, "to the Parent Admin's seat", "not to the Parent Admin's seat"),
        (.seatTaken, "while the seat is taken", "while the seat is vacant"),
        (.seatReserved, "while somebody has a prior right to it", "while nobody has a prior right"),
        (.vouched, "if the caller is vouched for", "if the caller is not vouched for"),
        (.inviter, "an invitation that the caller sent", "an invitation of somebody else"),
        (.addressee, "an invitation to the caller's verified address", "to another address"),
        (.link, "an invitation by a link", "an invitation by e-mail"),
        (.invitesPlayer, "inviting a player", "not inviting a player"),
        (.graduation, "an invitation to grow up", "no invitation to grow up"),
        (
            .invited, "if the family has invited the caller's verified address",
            "if the family has not invited the caller's verified address"
        ),
        (
            .approvalRequired, "in a family that approves who joins",
            "in a family that does not approve who joins"
        ),
        (
            .approvalAutomatic, "while approval is automatic",
            "while approval is not automatic"
        ),
    ]
}
