/// Why something is refused. Closed, so that an answer can say why, a test can tell the right
/// refusal from a lucky one, and a metric can count each.
package enum Reason: String, Sendable, CaseIterable, Error {
    /// No account of its own: an anonymous token.
    case notSignedIn = "not_signed_in"
    /// A managed member may not do this, whatever its guardian may.
    case notWhileActing = "not_while_acting"
    /// Not an active member: for the caller the family does not exist.
    case notAMember = "not_a_member"
    case visitorsOnlyRead = "visitors_only_read"
    case oneself = "oneself"
    case targetIsParentAdmin = "target_is_parent_admin"
    case targetIsManaged = "target_is_managed"
    case seatTaken = "parent_admin_exists"
    /// The seat is vacant, but while the creator or a vouched adult is active not everyone may
    /// claim it.
    case seatReserved = "seat_reserved"
    case roleTooHigh = "role_too_high"
    case notTheAddressee = "not_the_addressee"
    case standingTooLow = "standing_too_low"
}

/// What the policy says.
package enum Decision: Sendable, Hashable {
    case allowed
    case refused(Reason)

    /// - Throws: The reason when it was refused.
    package func require() throws(Reason) {
        if case .refused(let reason) = self { throw reason }
    }
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
        if !scope.isOpen(to: facts) { return .refused(.notAMember) }
        // By index: an array's iterator asks for memory wherever it isn't specialised.
        for index in clauses.indices where clauses[index].holds(facts) { return .allowed }
        return .refused(reason(facts))
    }

    /// The reason that helps most: what a nearly satisfied clause forbids, else the standing.
    private func reason(_ facts: Facts) -> Reason {
        if scope == .anywhere {
            return facts.contains(.account) ? .notTheAddressee : .notSignedIn
        }
        if facts.contains(.visitor) { return .visitorsOnlyRead }
        for index in clauses.indices where facts.contains(clauses[index].all) {
            let forbidden = clauses[index].none.intersection(facts)
            if forbidden.contains(.oneself) { return .oneself }
            if forbidden.contains(.targetManaged) { return .targetIsManaged }
            if forbidden.contains(.seatTaken) { return .seatTaken }
            if forbidden.contains(.seatReserved) { return .seatReserved }
            if forbidden.contains(.claimsSeat) {
                return facts.contains(.seatTaken) ? .seatTaken : .roleTooHigh
            }
            if forbidden.contains(.targetAdmin) { return .targetIsParentAdmin }
            if forbidden.contains(.invitesPlayer) { return .roleTooHigh }
        }
        return .standingTooLow
    }
}
