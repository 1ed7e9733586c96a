import Domain
import Policy

/// Content of `docs/permissions.md`: the permissions of each standing, generated from the policy's
/// rules.
enum PermissionReference {
    static var text: String {
        var notes: [String] = []
        func row(
            _ name: String, _ action: Action, of standings: [Standing] = Self.standings,
            never impossible: Facts = []
        ) -> String {
            let cells = standings.map { standing in
                let rule = Rule.of(action)
                switch permission(of: standing.facts, for: rule, never: impossible) {
                case .yes: return "yes"
                case .no: return "–"
                case .when(let condition):
                    let number = notes.firstIndex(of: condition) ?? notes.count
                    if number == notes.count { notes.append(condition) }
                    return "[\(number + 1)]"
                }
            }
            return "| \(name) | " + cells.joined(separator: " | ") + " |"
        }
        let rows = Action.allCases.map { row("`\($0.name)`", $0) }
        let readers = standings.filter {
            $0.facts.contains(.account) && !$0.facts.contains(.acting)
        }
        let sections = FamilySections.all.map {
            row("\($0.page): \($0.name)", $0.action, of: readers, never: $0.impossible)
        }
        let list = notes.enumerated().map { "\($0.offset + 1). \($0.element)." }
        let keys = ServerAction.allCases.map { action in
            let cells = KeyScope.allCases.map { scope in
                decide(action, [scope]) == .allowed ? "yes" : "–"
            }
            return "| `\(action.name)` | " + cells.joined(separator: " | ") + " |"
        }
        let scopes = KeyScope.allCases.map { "`\($0.rawValue)`" }
        return """
            # Permissions

            Made from `Rules.swift` by `scripts/update-docs`; don't edit it by hand. \
            [Concepts](concepts.md) explains the words.

            A row is an action, with the name that the audit log uses too. A column is a standing \
            in the family. A person who has several standings, such as a creator who is Parent \
            Admin, may do what any of them allows. `yes`: always. `–`: never. A number: under the \
            condition with that number.

            | action | \(standings.map(\.name).joined(separator: " | ")) |
            |---|\(String(repeating: "---|", count: standings.count))
            \(rows.joined(separator: "\n"))

            Conditions:

            \(list.joined(separator: "\n"))

            A waiting person asked to join and is not approved yet. A stranger is signed in and in \
            no way part of the family. A child is a managed member for whom its guardian acts. \
            A parent as kid is a parent whose household role was reduced to `kid`. The column \
            `nobody` is for anonymous callers.

            A member whose account is [blocked](security.md#blocked-accounts) is treated as \
            absent: its seat is vacant, it has no prior right to the seat, its being vouched for \
            does not count for its children, neither the seat nor a child can be given to it, and \
            another guardian has the rights of the primary one. Only the primary guardian can \
            resend the invitation by which a child gets an account.

            ## What the pages show

            The [pages](pages.md) offer what the policy allows. The conditions are those above. \
            A waiting person sees no family yet, and withdraws the request instead of leaving.

            | page: section | \(readers.map(\.name).joined(separator: " | ")) |
            |---|\(String(repeating: "---|", count: readers.count))
            \(sections.joined(separator: "\n"))

            ## What API keys may do

            A row is an action of an [API key](servers.md), a column is a scope. A key with \
            several scopes may do what any of them allows. `address.read` adds the e-mail \
            addresses to what the key may read anyway. No key invites a Parent Admin.

            | action | \(scopes.joined(separator: " | ")) |
            |---|\(String(repeating: "---|", count: scopes.count))
            \(keys.joined(separator: "\n"))

            """
    }

    // MARK: Standings

    private typealias Standing = (name: String, facts: Facts)

    private static let standings: [Standing] = [
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

    /// The facts that the caller's kind of membership determines; all others depend on the request.
    private static let ofStanding: Facts = [
        .account, .acting, .member, .admin, .creator, .adult, .player, .visitor, .waiting,
    ]

    // MARK: Permissions

    private enum Permission { case yes, no, when(String) }

    /// - Parameter impossible: Facts that a request never has.
    private static func permission(
        of standing: Facts, for rule: Rule, never impossible: Facts
    ) -> Permission {
        if standing.contains(.acting), !rule.whileActing { return .no }
        if !rule.scope.isOpen(to: standing) { return .no }
        let ways = rule.clauses.filter { $0.all.isDisjoint(with: impossible) }
            .compactMap { Alternative(of: $0, for: standing) }
        // An alternative that requires more than another one adds nothing.
        let widest = ways.enumerated().filter { index, way in
            !ways.enumerated().contains { other, wider in
                other != index && way.asksFor(wider) && (other < index || !wider.asksFor(way))
            }
        }.map(\.element)
        if widest.isEmpty { return .no }
        return widest.contains { $0.words.isEmpty }
            ? .yes : .when(widest.map(\.words).joined(separator: "; or "))
    }

    /// Conditions that a request must meet in addition to a standing.
    private struct Alternative {
        private let needed: Facts
        private let excluded: Facts

        /// Returns nil if the clause never holds for this standing.
        init?(of clause: Clause, for standing: Facts) {
            needed = clause.all.subtracting(standing)
            excluded = clause.none.subtracting(ofStanding)
            guard needed.isDisjoint(with: ofStanding), clause.none.isDisjoint(with: standing)
            else { return nil }
        }

        /// Returns true if this alternative requires everything that another one requires.
        func asksFor(_ other: Alternative) -> Bool {
            needed.contains(other.needed) && excluded.contains(other.excluded)
        }

        var words: String {
            var (needed, excluded) = (needed, excluded)
            var parts: [Phrase.Kind: [String]] = [:]
            for phrase in phrases
            where needed.contains(phrase.needed) && excluded.contains(phrase.excluded) {
                needed.subtract(phrase.needed)
                excluded.subtract(phrase.excluded)
                parts[phrase.kind, default: []].append(phrase.words)
            }
            precondition(
                needed.isEmpty && excluded.isEmpty, "`phrases` has no phrase for a fact")
            return Phrase.Kind.allCases.compactMap { kind in
                parts[kind].map { kind.opening + $0.joined(separator: " and ") }
            }.joined(separator: ", ")
        }
    }

    /// Wording of facts that a request must have or must not have.
    private struct Phrase {
        /// Position of the phrase in the sentence.
        enum Kind: CaseIterable {
            /// The resource or person that the request is about.
            case subject
            /// The new value, or the person who receives something.
            case target
            case condition

            var opening: String { self == .condition ? "if " : "" }
        }

        let kind: Kind
        let needed: Facts
        let excluded: Facts
        let words: String

        init(_ kind: Kind, _ needed: Facts, not excluded: Facts = [], _ words: String) {
            self.kind = kind
            self.needed = needed
            self.excluded = excluded
            self.words = words
        }
    }

    /// Wordings of facts. A wording of several facts precedes the wordings of each of them.
    private static let phrases = [
        Phrase(
            .subject, [], not: [.oneself, .targetAdmin, .targetManaged],
            "another member with an account who is not the Parent Admin"),
        Phrase(
            .subject, [], not: [.oneself, .targetManaged, .claimsSeat],
            "another member with an account, but not to the Parent Admin's seat"),
        Phrase(
            .subject, [.targetAdult, .claimsSeat], not: .oneself,
            "another adult with an account, to the Parent Admin's seat"),
        Phrase(
            .target, .targetAdult, not: .oneself,
            "to an adult who has an account and is not the caller"),
        Phrase(.target, .targetAdult, "to any adult who has an account"),
        Phrase(.subject, .oneself, "oneself"),
        Phrase(.subject, [], not: .oneself, "another member"),
        Phrase(
            .subject, .guardianUnvouched,
            "a managed member none of whose present guardians is vouched for"),
        Phrase(.subject, .targetManaged, "a managed member"),
        Phrase(.subject, .targetWaiting, "a person who waits for approval"),
        Phrase(
            .subject, .inviter, not: .graduation,
            "an invitation that the caller sent, but not one by which a child gets an account"),
        Phrase(.subject, .inviter, "an invitation that the caller sent"),
        Phrase(.subject, .graduation, "an invitation by which a child gets an account"),
        Phrase(
            .subject, [], not: .graduation,
            "any invitation but one by which a child gets an account"),
        Phrase(.subject, .addressee, "an invitation to the caller's verified address"),
        Phrase(.subject, .link, "an invitation by a link"),
        Phrase(
            .subject, [], not: [.invitesPlayer, .claimsSeat],
            "someone as a parent, but not for the Parent Admin's seat"),
        Phrase(.subject, [], not: .claimsSeat, "anyone, but not for the Parent Admin's seat"),
        Phrase(
            .target, .withinCeiling, "to at most the household role given on entry or by others"),
        Phrase(.target, .claimsSeat, "to the Parent Admin's seat"),
        Phrase(.condition, .guardianGoes, "the same request removes or demotes the guardian"),
        Phrase(.condition, [], not: .guardianStays, "a child has no other guardian"),
        Phrase(.condition, .guardian, "the caller is a guardian of the child"),
        Phrase(.condition, .primaryGuardian, "the caller is the child's primary guardian"),
        Phrase(.condition, [], not: .consentMissing, "no required consent is missing"),
        Phrase(.condition, .seatVacant, "the seat is vacant"),
        Phrase(.condition, [], not: .seatTaken, "the seat is vacant"),
        Phrase(.condition, [], not: .seatReserved, "nobody has a prior right to it"),
        Phrase(.condition, .vouched, "the caller is vouched for"),
        Phrase(
            .condition, .standIn,
            "the caller stands in for the creator and the Parent Admin, who are gone"),
        Phrase(
            .condition, [], not: [.approvalRequired, .approvalAutomatic],
            "neither the family nor Hearth (because of wrong codes) requires approval"),
        Phrase(.condition, [], not: .approvalRequired, "the family does not require approval"),
        Phrase(.condition, [], not: .barred, "others have neither removed nor rejected the caller"),
        Phrase(.condition, .invited, "the family has invited the caller's verified address"),
    ]
}
