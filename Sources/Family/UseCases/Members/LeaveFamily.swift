package import Domain
import Policy
import Postgres
import Repositories

/// Ends what the caller is to a family: a member, or one who waits for its approval.
package struct LeaveFamily: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one. A waiting person is
    ///     not in a family yet and must name it.
    ///   - heir: The new guardian of the caller's children.
    /// - Throws: ``Refusal``: `transferAdminFirst`, `guardianHasManagedMembers`,
    ///   `guardianNotAdult`.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID?, reassigningTo heir: MemberID? = nil
    ) throws {
        try database.transaction(by: context, reading: { Self.departure(from: family, in: &$0) }) {
            departure, transaction in
            context.trace?.note(family: departure.family)
            if let roster = departure.roster { try Self.requireDeparture(roster, heir: heir) }
            var batch = Batch()
            batch.add(Memberships.leave, departure.family, heir)
            _ = try transaction.sendAndCommit(batch)
        }
    }

    /// Withdraws the caller's request to join, and ends no membership.
    ///
    /// - Throws: ``Refusal``: `memberIsNotWaiting` if the family has let the caller in meanwhile;
    ///   `familyNotFound` if there is no request: it was turned down or withdrawn.
    package func withdraw(by context: RequestContext, from family: FamilyID) throws {
        try database.transaction(
            by: context, reading: { Self.departure(from: family, in: &$0) }
        ) { departure, transaction in
            context.trace?.note(family: departure.family)
            if let roster = departure.roster {
                try roster.require(roster.facts)
                throw Refusal(.memberIsNotWaiting)
            }
            var batch = Batch()
            batch.add(Memberships.withdraw, departure.family)
            _ = try transaction.sendAndCommit(batch)
        }
    }

    /// What the caller leaves: a membership, or only a request to join.
    private struct Departure {
        let family: FamilyID
        /// Nil for a waiting person, who may not see the members.
        let roster: Roster?
    }

    private static func departure(
        from family: FamilyID?, in batch: inout Batch
    ) -> (Answers, Subject) throws -> Departure {
        let roster = Scope.family(family).roster(for: .memberLeave, in: &batch)
        let waiting = family.map { ($0, batch.add(Memberships.isWaiting, $0)) }
        return { answers, subject in
            if let (family, place) = waiting, try answers.row(place).value {
                try subject.facts(nil).waiting.require(.memberLeave)
                return Departure(family: family, roster: nil)
            }
            let roster = try roster(answers, subject)
            return Departure(family: roster.family, roster: roster)
        }
    }

    private static func requireDeparture(
        _ roster: Roster, heir: MemberID?
    ) throws(Refusal) {
        try roster.require(roster.facts)
        let me = roster.me
        let hasOtherAdult = roster.rows.contains {
            $0.id != me.id && $0.membership.standing.contains(.adult)
        }
        if me.householdRole == .parentAdmin, hasOtherAdult {
            throw Refusal(.transferAdminFirst)
        }
        try roster.requireHandover(from: me, to: heir)
    }
}
