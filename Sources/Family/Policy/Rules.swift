/// One way to be allowed: every fact of `all` holds and none of `none`.
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

/// Who may perform an action: callers whose facts satisfy one of the clauses.
package struct Rule: Sendable {
    /// The scope of the action: decides whether outsiders may know that the family exists.
    package enum Scope: Sendable, CaseIterable {
        /// Needs no membership.
        case anywhere
        /// Happens within a family; for everyone else the family does not exist.
        case family
        /// Happens within a family, which also exists for a person who waits for its approval.
        case familyOrWaiting

        /// Whether the family exists for somebody with these facts.
        package func isOpen(to facts: Facts) -> Bool {
            switch self {
            case .anywhere: true
            case .family: facts.contains(.member)
            case .familyOrWaiting: facts.contains(.member) || facts.contains(.waiting)
            }
        }
    }

    package let scope: Scope
    /// Whether a managed member may do it, through its guardian.
    package let whileActing: Bool
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
    /// The table of rules. An action that no clause allows is refused.
    package static func of(_ action: Action) -> Rule { table[Int(action.rawValue)] }

    private static let table: [Rule] = Action.allCases.map(rule)

    private static func rule(_ action: Action) -> Rule {
        switch action {
        case .familyCreate, .codeJoin, .codePreview, .accountManage, .userErase, .userExport:
            Rule(.anywhere, Clause(.account))
        // An anonymous caller reads an empty profile and can't change it.
        case .profileRead: Rule(.anywhere, acting: true, Clause([]))
        case .profileUpdate: Rule(.anywhere, acting: true, Clause(.account))
        case .invitationPreview: Rule(.anywhere, acting: true, Clause([]))
        case .invitationAccept, .invitationDecline:
            Rule(.anywhere, Clause([.account, .addressee]), Clause([.account, .link]))

        case .familyRead, .memberList: Rule(.family, acting: true, Clause(.member))
        case .codeRead, .invitationList: Rule(.family, Clause(.member, not: .visitor))
        case .codeRegenerate: Rule(.family, Clause(.creator), Clause(.admin), Clause(.player))
        case .familyUpdate, .memberApprove, .memberListRemoved, .auditRead:
            Rule(.family, Clause(.creator), Clause(.admin))

        case .memberLeave: Rule(.familyOrWaiting, Clause(.member), Clause(.waiting))
        case .memberRemove:
            Rule(
                .family, Clause(.admin, not: .oneself),
                Clause(.creator, not: [.oneself, .targetAdmin, .targetManaged]),
                Clause([.creator, .guardianUnvouched, .seatVacant]),
                Clause([.adult, .primaryGuardian, .targetManaged]))
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
        // Whoever has the link of a graduation may become the child and read its preferences.
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
        // About the child, on behalf of the guardian in question.
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
