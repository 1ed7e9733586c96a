package import Domain

/// What the policy says.
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
        .standingTooLow,
    ]
}

/// Decides whether `action` is allowed to a request of which `facts` hold.
///
/// Pure: the same facts give the same decision. Allocates nothing.
package func decide(_ action: Action, _ facts: Facts) -> Decision {
    Rule.of(action).decide(facts)
}

extension Rule {
    /// What this rule says to a request of which `facts` hold.
    package func decide(_ facts: Facts) -> Decision {
        if facts.contains(.acting), !whileActing { return .refused(.notWhileActing) }
        if !scope.isOpen(to: facts) { return .refused(.familyNotFound) }
        // By index: an array's iterator asks for memory wherever it isn't specialised.
        for index in clauses.indices where clauses[index].holds(facts) { return .allowed }
        return .refused(reason(facts))
    }

    /// The reason that helps most: what a nearly satisfied clause forbids, else the standing.
    private func reason(_ facts: Facts) -> RefusalCode {
        if scope == .anywhere {
            return facts.contains(.account) ? .notTheAddressee : .accountRequired
        }
        if facts.contains(.visitor) { return .visitorsOnlyRead }
        for index in clauses.indices where facts.contains(clauses[index].all) {
            let forbidden = clauses[index].none.intersection(facts)
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
