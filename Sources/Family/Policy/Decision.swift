package import Domain

/// The policy's decision.
package enum Decision: Sendable, Hashable {
    case allowed
    case refused(RefusalCode)
}

extension RefusalCode {
    /// What the policy can say to a member, or of what needs no family. To everybody else it says
    /// of a family that it isn't there, in the same words as of one that never was.
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
    /// This rule's decision for a request with these `facts`.
    package func decide(_ facts: Facts) -> Decision {
        if facts.contains(.acting), !whileActing { return .refused(.notWhileActing) }
        if !scope.isOpen(to: facts) { return .refused(.familyNotFound) }
        // By index, because an array's iterator allocates memory where it isn't specialised.
        for index in clauses.indices where clauses[index].holds(facts) { return .allowed }
        return .refused(reason(facts))
    }

    private static let claimOfTakenSeat: Facts = [.oneself, .claimsSeat, .seatTaken]

    /// The most helpful reason: what a nearly satisfied clause forbids, otherwise the household
    /// role.
    private func reason(_ facts: Facts) -> RefusalCode {
        if scope == .anywhere {
            return facts.contains(.account) ? .notTheAddressee : .accountRequired
        }
        // Whoever claims a seat that is taken is told so, in whatever household role.
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
