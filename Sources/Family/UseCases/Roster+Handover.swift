import Domain
import Policy
import Repositories

// Reassigning the children of a guardian who leaves or stops being an adult.

extension Roster {
    /// Checks that the member `heir` can become the guardian of `guardian`'s children, and that the
    /// caller may name this member.
    ///
    /// Children with another guardian stay with that one.
    ///
    /// - Parameter heir: Nil if the request names none; then each child must have another guardian.
    func requireHandover(from guardian: FamilyMember, to heir: MemberID?) throws(Refusal) {
        let children = rows.filter { $0.guardians.contains(guardian.user) }
        let isReplaced = !children.isEmpty && children.allSatisfy { $0.guardians.count > 1 }
        guard let heir else {
            if !children.isEmpty, !isReplaced { throw Refusal(.guardianHasManagedMembers) }
            return
        }
        let successor = try member(heir)
        if successor.id == guardian.id { throw Refusal(.guardianNotAdult) }
        let facts = facts.with(
            target: successor.membership, isOneself: successor.user == subject.user,
            guardianship: guardian.user == subject.user ? .primary : nil
        ).withGuardianGoing(isReplaced: isReplaced)
        try facts.require(.managedReassign, unlessNotAdult: .guardianNotAdult)
    }

    /// Whether the children who have no other guardian go with this one: the creator may remove
    /// them all, since nobody answers for the guardian.
    func takesChildrenAlong(_ guardian: FamilyMember) -> Bool {
        let children = rows.filter { $0.guardians == [guardian.user] }
        return children.allSatisfy {
            facts(about: $0).contains([.creator, .guardianUnvouched, .seatVacant])
        }
    }

    /// Checks that the caller may make `successor` the child's primary guardian in its own place.
    func requireReassignment(of child: FamilyMember, to successor: FamilyMember) throws(Refusal) {
        try facts(about: successor, of: child)
            .require(.managedReassign, unlessNotAdult: .guardianNotAdult)
    }
}
