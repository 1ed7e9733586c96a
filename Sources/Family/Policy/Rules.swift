package import DomainCore

/// A set of conditions that allows an action: every fact of `all` holds and none of `none`.
package struct Clause: Sendable {
    package let all: Facts
    package let none: Facts

    package init(_ all: Facts, not none: Facts = []) {
        self.all = all
        self.none = none
    }

    func holds(_ facts: Facts) -> Bool {
        facts.contains(all) && facts.isDisjoint(with: none)
    }
}

/// The rule of an action: it is allowed if the caller's facts satisfy one of the clauses.
package struct Rule: Sendable {
    /// The scope of an action, which decides whether outsiders may know that the family exists.
    package enum Scope: Sendable, CaseIterable {
        /// The action needs no membership.
        case anywhere
        /// The action needs a membership; for everybody else the family does not exist.
        case family
        /// The action needs a membership or a pending request; otherwise the family does not exist.
        case familyOrWaiting

        /// Whether the family exists for a caller with these facts.
        package func isOpen(to facts: Facts) -> Bool {
            switch self {
            case .anywhere: true
            case .family: facts.contains(.member)
            case .familyOrWaiting: facts.contains(.member) || facts.contains(.waiting)
            }
        }
    }

    package let scope: Scope
    /// Whether a managed member may take the action, through its guardian.
    package let whileActing: Bool
    /// Alternatives: one satisfied clause is enough. Without clauses, nobody is allowed.
    package let clauses: [Clause]

    package init(_ scope: Scope, acting: Bool = false, _ clauses: [Clause]) {
        self.scope = scope
        whileActing = acting
        self.clauses = clauses
    }

    init(_ scope: Scope, acting: Bool = false, _ clauses: Clause...) {
        self.init(scope, acting: acting, clauses)
    }
}

extension Rule {
    /// Looks up the rule of an action. An action without clauses is refused.
    package static func of(_ action: Action) -> Rule { table[Int(action.rawValue)] }

    private static let table: [Rule] = Action.allCases.map(rule)

    private static func rule(_ action: Action) -> Rule {
        switch action {
        case .familyCreate, .codeJoin, .codePreview, .accountManage, .userErase, .userExport:
            Rule(.anywhere, Clause(.account))
        // A caller refused here waits for the family's approval instead.
        case .codeEnter:
            Rule(
                .anywhere,
                Clause(.account, not: [.approvalRequired, .approvalAutomatic, .barred]),
                Clause([.account, .invited], not: [.approvalRequired, .barred]))
        // An anonymous caller reads an empty profile and can't change it.
        case .profileRead: Rule(.anywhere, acting: true, Clause([]))
        case .profileUpdate: Rule(.anywhere, acting: true, Clause(.account))
        case .invitationPreview: Rule(.anywhere, acting: true, Clause([]))
        case .invitationAccept, .invitationDecline:
            Rule(.anywhere, Clause([.account, .addressee]), Clause([.account, .link]))

        case .familyRead, .memberList: Rule(.family, acting: true, Clause(.member))
        case .codeRead, .invitationList: Rule(.family, Clause(.member, not: .visitor))
        case .codeRegenerate:
            Rule(
                .family, Clause(.creator), Clause(.admin), Clause(.player),
                Clause([.adult, .standIn]))
        case .memberApprove:
            Rule(.family, Clause(.creator), Clause(.admin), Clause([.adult, .standIn]))
        case .familyUpdate, .memberListRemoved, .auditRead:
            Rule(.family, Clause(.creator), Clause(.admin))

        case .memberLeave: Rule(.familyOrWaiting, Clause(.member), Clause(.waiting))
        case .memberRemove:
            Rule(
                .family, Clause(.admin, not: .oneself),
                Clause(.creator, not: [.oneself, .targetAdmin, .targetManaged]),
                Clause([.creator, .guardianUnvouched, .seatVacant]),
                Clause([.adult, .primaryGuardian, .targetManaged]),
                Clause([.adult, .standIn, .targetWaiting]))
        case .memberSetRole:
            Rule(
                .family, Clause(.admin, not: [.oneself, .targetManaged, .claimsSeat]),
                Clause([.member, .oneself, .withinCeiling]),
                Clause(
                    [.adult, .oneself, .claimsSeat], not: [.seatTaken, .seatReserved]),
                Clause([.adult, .oneself, .claimsSeat, .vouched], not: .seatTaken),
                Clause([.creator, .targetAdult, .claimsSeat], not: [.oneself, .seatTaken]))
        case .adminTransfer: Rule(.family, Clause([.admin, .targetAdult], not: .oneself))

        case .invitationCreate:
            Rule(
                .family, Clause(.player, not: [.invitesPlayer, .claimsSeat]),
                Clause(.adult, not: .claimsSeat))
        case .invitationRevoke:
            Rule(
                .family, Clause([.inviter, .adult]), Clause([.inviter, .player]),
                Clause(.creator), Clause(.admin))
        // The holder of a graduation link may become the child and read its preferences.
        case .invitationResend:
            Rule(
                .family, Clause([.inviter, .adult], not: .graduation),
                Clause([.inviter, .player], not: .graduation),
                Clause(.creator, not: .graduation), Clause(.admin, not: .graduation),
                Clause([.adult, .primaryGuardian, .graduation]))

        case .managedCreate: Rule(.family, Clause(.adult))
        case .managedUpdate, .actAs: Rule(.family, Clause([.adult, .guardian, .targetManaged]))
        case .managedRemove:
            Rule(
                .family, Clause([.adult, .primaryGuardian, .targetManaged]),
                Clause([.creator, .guardianUnvouched, .seatVacant]),
                Clause([.admin, .targetManaged]))
        case .managedReassign:
            Rule(
                .family, Clause([.adult, .primaryGuardian, .targetAdult], not: .oneself),
                Clause([.admin, .guardianGoes, .targetAdult], not: .oneself),
                Clause([.admin, .guardianGoes, .targetAdult], not: .guardianStays))
        case .managedGraduate: Rule(.family, Clause([.adult, .primaryGuardian, .targetManaged]))
        // The target is the child; `targetAdult` is about the guardian in question.
        case .guardianAdd: Rule(.family, Clause([.adult, .guardian, .targetAdult]))
        case .guardianRemove:
            Rule(
                .family, Clause([.adult, .guardian, .oneself]),
                Clause([.adult, .primaryGuardian]))
        case .guardianPromote: Rule(.family, Clause([.adult, .primaryGuardian]))

        case .preferencesRead:
            Rule(
                .family, acting: true, Clause([.member, .oneself]),
                Clause([.adult, .guardian, .targetManaged]))
        case .preferencesWrite:
            Rule(
                .family, acting: true, Clause([.member, .oneself], not: .consentMissing),
                Clause([.adult, .guardian, .targetManaged], not: .consentMissing))
        case .consentRead, .consentGive, .consentWithdraw:
            Rule(.family, Clause([.adult, .guardian, .targetManaged]))
        case .playerDetailsRead, .emailRead: Rule(.family, Clause(.player), Clause(.adult))
        case .playerDetailsWrite: Rule(.family, Clause(.adult))
        case .attributesRead: Rule(.family, acting: true, Clause(.member, not: .visitor))
        case .attributesWrite:
            Rule(.family, Clause(.adult), Clause(.creator), Clause(.admin))
        }
    }
}

/// The policy's decision.
package enum Decision: Sendable, Hashable {
    case allowed
    case refused(RefusalCode)
}

extension RefusalCode {
    /// The refusals that the policy may return to a member, or for an action that needs no family.
    /// Everybody else gets the same response as for a family that never existed.
    package static let ofPolicy: Set<RefusalCode> = [
        .accountRequired, .notWhileActing, .visitorsOnlyRead, .oneself, .targetIsParentAdmin,
        .targetIsManaged, .parentAdminExists, .seatReserved, .roleTooHigh, .notTheAddressee,
        .standingTooLow, .consentRequired,
    ]
}

/// Decides whether `action` is allowed for a request with these `facts`.
///
/// Pure: the same facts give the same decision. Allocates nothing.
package func decide(_ action: Action, _ facts: Facts) -> Decision {
    Rule.of(action).decide(facts)
}

extension Rule {
    /// Decides whether this rule allows a request with these `facts`.
    package func decide(_ facts: Facts) -> Decision {
        if facts.contains(.acting), !whileActing { return .refused(.notWhileActing) }
        if !scope.isOpen(to: facts) { return .refused(.familyNotFound) }
        // By index, because an array's iterator allocates memory where it isn't specialised.
        for index in clauses.indices where clauses[index].holds(facts) { return .allowed }
        return .refused(reason(facts))
    }

    private static let claimOfTakenSeat: Facts = [.oneself, .claimsSeat, .seatTaken]
    private static let waitsForApproval: Facts = [.approvalRequired, .approvalAutomatic, .barred]

    /// Returns the most helpful reason for a refusal: the fact because of which a nearly satisfied
    /// clause fails, otherwise the household role.
    private func reason(_ facts: Facts) -> RefusalCode {
        if facts.contains(.account), !facts.isDisjoint(with: Self.waitsForApproval) {
            return .standingTooLow
        }
        if scope == .anywhere {
            return facts.contains(.account) ? .notTheAddressee : .accountRequired
        }
        // Claiming a taken seat is always refused as such, whatever the caller's household role.
        if facts.contains(Self.claimOfTakenSeat) { return .parentAdminExists }
        if facts.contains(.visitor) { return .visitorsOnlyRead }
        for index in clauses.indices where facts.contains(clauses[index].all) {
            let forbidden = clauses[index].none.intersection(facts)
            if forbidden.contains(.consentMissing) { return .consentRequired }
            if forbidden.contains(.oneself) { return .oneself }
            if forbidden.contains(.targetManaged) { return .targetIsManaged }
            if forbidden.contains(.seatTaken) { return .parentAdminExists }
            if forbidden.contains(.seatReserved) { return .seatReserved }
            if forbidden.contains(.claimsSeat) {
                return facts.contains(.seatTaken) ? .parentAdminExists : .roleTooHigh
            }
            if forbidden.contains(.targetAdmin) { return .targetIsParentAdmin }
            if forbidden.contains(.invitesPlayer) { return .roleTooHigh }
        }
        return .standingTooLow
    }
}
