import Domain
import Policy
import Repositories

// Reassigning the children of a guardian who leaves or stops being an adult.

extension Roster {
    /// Checks that the member `heir` can become the guardian of `guardian`'s children, and that the
    /// caller may name this member.
    ///
    /// - Parameter heir: Nil if the request names none; then there must be no such children.
    func requireHandover(from guardian: RosterRow, to heir: MemberID?) throws(Refusal) {
        guard let heir else {
            if rows.contains(where: { $0.guardian == guardian.user && $0.status == .active }) {
                throw Refusal(.guardianHasManagedMembers)
            }
            return
        }
        let successor = try member(heir)
        if successor.member == guardian.member { throw Refusal(.guardianNotAdult) }
        try requireReassignment(
            from: guardian.user, to: successor, isGuardianGoing: true)
    }

    /// Checks that the caller may make `successor` a guardian in place of another.
    func requireReassignment(
        from guardian: UserID, to successor: RosterRow, isGuardianGoing: Bool
    ) throws(Refusal) {
        var facts = self.facts.with(
            target: successor.membership, isOneself: successor.user == subject.user,
            isGuardian: guardian == subject.user)
        if isGuardianGoing { facts = facts.withGuardianGoing }
        try facts.require(.managedReassign, unlessNotAdult: .guardianNotAdult)
    }
}
