package import Domain
import Policy
import Repositories

/// Removes a member from its family, or refuses one who waits for approval.
package struct RemoveMember: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The member loses access with its next request, and its pending invitations are revoked. The
    /// person is told by e-mail.
    ///
    /// A guardian for whom nobody answers goes together with its children, if the family's creator
    /// removes it while nobody has the Parent Admin's seat.
    ///
    /// - Parameters:
    ///   - heir: The new guardian of the removed member's children; only the Parent Admin may name
    ///     one.
    ///   - rotatingCode: Whether the family gets a new code as well.
    ///   - onlyIfWaiting: Whether a request is turned down, but no membership ended.
    /// - Throws: ``Refusal``: `memberNotFound`, `oneself`, `guardianHasManagedMembers`,
    ///   `guardianNotAdult`; `memberIsNotWaiting` for a request that was approved meanwhile.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, reassigningTo heir: MemberID? = nil,
        rotatingCode: Bool = false, onlyIfWaiting: Bool = false
    ) throws {
        try database.change(.memberRemove, in: .familyOf(member), by: context) { roster, batch in
            let target = try roster.member(member)
            if target.id == roster.me.id, !roster.subject.isActing {
                throw Refusal(.oneself, .removal)
            }
            try roster.require(roster.facts(about: target))
            if onlyIfWaiting, target.status != .invited { throw Refusal(.memberIsNotWaiting) }
            if rotatingCode { try roster.facts.require(.codeRegenerate) }
            if heir != nil || !roster.takesChildrenAlong(target) {
                try roster.requireHandover(from: target, to: heir)
            }
            batch.add(Memberships.remove, member, heir, rotatingCode, onlyIfWaiting)
            try roster.tellFormerGuardian(target, heir: heir, in: &batch)
            return { _ in }
        }
        database.wake(MailJob.queue, for: context)
    }
}
