package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of a family's members.
package struct MemberService: Sendable {
    let database: Database
    /// The purposes to store before preferences are written, unless this instance has stored them;
    /// nil if there are none to store.
    let register: ConsentRegister?

    package init(_ database: Database, _ register: ConsentRegister? = nil) {
        self.database = database
        self.register = register
    }

    /// Reads a member of one of the caller's families.
    ///
    /// - Parameter isManaged: Whether only a managed member is accepted.
    /// - Throws: ``Refusal``: `memberNotFound`, the same for a member of another family.
    package static func read(
        by context: RequestContext, member: MemberID, isManaged: Bool = false
    ) -> Read<MemberWithGuardians> {
        Read(by: context) { batch in
            let roster = FamilyScope.familyOf(member).roster(for: .memberList, in: &batch)
            let row = batch.add(Members.one, member)
            return { results, subject in
                let roster = try roster(results, subject)
                try roster.require(roster.facts)
                context.trace?.record(family: roster.family)
                guard let listed = try results.first(row), listed.isManaged || !isManaged else {
                    throw Refusal(.memberNotFound)
                }
                return listed
            }
        }
    }

    /// Approves a person who joined by code and waits for approval.
    ///
    /// The person is notified by e-mail. A player who lives alone in another family leaves that
    /// one.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`, `memberIsNotWaiting`; `familyFull` and
    ///   `playerHasFamily` if these arose while the person waited; `roleMismatch` if the account
    ///   has another role than the one in which it asked to join; the person is then notified by
    ///   e-mail.
    package func approve(by context: RequestContext, member: MemberID) throws -> MemberWithGuardians
    {
        let approval = try database.change(.memberApprove, in: .familyOf(member), by: context) {
            roster, batch in
            let target = try roster.member(member)
            try roster.require(roster.facts(about: target))
            if target.status != .invited { throw Refusal(.memberIsNotWaiting) }
            let outcome = batch.add(Memberships.approve, member)
            let approved = batch.add(Members.one, member)
            return {
                (
                    outcome: try $0.row(outcome).value, member: try $0.row(approved),
                    role: target.role
                )
            }
        }
        // In either case the person is notified, and so are people who were waiting for approval to
        // join the family that a player has left.
        database.notifyWorkers(of: MailJob.queue, for: context)
        if approval.outcome == .roleMismatch {
            context.transaction?.commitRefusals()
            throw Refusal(.roleMismatch, .waiting(approval.role))
        }
        return approval.member
    }

    /// Removes a member from its family, or rejects a person who waits for approval.
    ///
    /// The member loses access with its next request, and its pending invitations are revoked. The
    /// person is notified by e-mail.
    ///
    /// If the family's creator removes a guardian for whom nobody vouches while nobody has the
    /// Parent Admin's seat, those of the guardian's children who have no other guardian are removed
    /// as well.
    ///
    /// - Parameters:
    ///   - newGuardian: The new guardian of the removed member's children; only the Parent Admin
    ///     may name one.
    ///   - rotatingCode: Whether the family gets a new code as well.
    ///   - onlyIfWaiting: Whether only a request to join may be rejected, and no membership ended.
    /// - Throws: ``Refusal``: `memberNotFound`, `oneself`, `guardianHasManagedMembers`,
    ///   `guardianNotAdult`; `memberIsNotWaiting` for a request that was approved meanwhile.
    package func remove(
        by context: RequestContext, member: MemberID, reassigningTo newGuardian: MemberID? = nil,
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
            if newGuardian != nil || !roster.leavesWithChildren(target) {
                try roster.requireHandover(from: target, to: newGuardian)
            }
            batch.add(Memberships.remove, member, newGuardian, rotatingCode, onlyIfWaiting)
            return { _ in }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
    }

    /// Ends the caller's membership in a family, or its request to join.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one. A waiting person is
    ///     not in a family yet and must name it.
    ///   - newGuardian: The new guardian of the caller's children.
    /// - Throws: ``Refusal``: `transferAdminFirst`, `guardianHasManagedMembers`,
    ///   `guardianNotAdult`.
    package func leave(
        by context: RequestContext, family: FamilyID?, reassigningTo newGuardian: MemberID? = nil
    ) throws {
        try database.transaction(by: context, reading: { Self.departure(from: family, in: &$0) }) {
            departure, transaction in
            context.trace?.record(family: departure.family)
            if let roster = departure.roster {
                try Self.requireDeparture(roster, newGuardian: newGuardian)
            }
            var batch = Batch()
            batch.add(Memberships.leave, departure.family, newGuardian)
            _ = try transaction.sendAndCommit(batch)
        }
    }

    /// Withdraws the caller's request to join. Never ends a membership.
    ///
    /// - Throws: ``Refusal``: `memberIsNotWaiting` if the family has approved the caller meanwhile;
    ///   `familyNotFound` if there is no request: it was rejected or withdrawn.
    package func withdraw(by context: RequestContext, from family: FamilyID) throws {
        try database.transaction(
            by: context, reading: { Self.departure(from: family, in: &$0) }
        ) { departure, transaction in
            context.trace?.record(family: departure.family)
            if let roster = departure.roster {
                try roster.require(roster.facts)
                throw Refusal(.memberIsNotWaiting)
            }
            var batch = Batch()
            batch.add(Memberships.withdraw, departure.family)
            _ = try transaction.sendAndCommit(batch)
        }
    }

    /// Reads the membership or the request to join that the caller ends. The members are nil for a
    /// waiting person, who may not see them.
    private static func departure(
        from family: FamilyID?, in batch: inout Batch
    ) -> (BatchResults, Subject) throws -> (family: FamilyID, roster: Roster?) {
        let roster = FamilyScope.family(family).roster(for: .memberLeave, in: &batch)
        let waiting = family.map { ($0, batch.add(Memberships.isWaiting, $0)) }
        return { results, subject in
            if let (family, key) = waiting, try results.row(key).value {
                try subject.facts(nil).waiting.require(.memberLeave)
                return (family, nil)
            }
            let roster = try roster(results, subject)
            return (roster.family, roster)
        }
    }

    static func requireDeparture(
        _ roster: Roster, newGuardian: MemberID?
    ) throws(Refusal) {
        try roster.require(roster.facts)
        if roster.mustTransferSeat { throw Refusal(.transferAdminFirst) }
        try roster.requireHandover(from: roster.me, to: newGuardian)
    }

    /// The time of a change, and the version that its author had seen.
    package struct OfflineEdit: Sendable {
        /// Time of the change; nil for now.
        package var at: Timestamp?
        /// The family's version that the author had seen; nil if it is unknown.
        package var baseVersion: Int64?

        package init(at: Timestamp? = nil, baseVersion: Int64? = nil) {
            self.at = at
            self.baseVersion = baseVersion
        }
    }

    /// Changes a member's household role, or claims the vacant Parent Admin's seat.
    ///
    /// A member may choose any household role up to its ceiling, the highest role that it had on
    /// entry or was given by others, and may return to it after choosing a lower one.
    ///
    /// Of two changes, the one with the later time takes effect, whichever arrives first: an
    /// allowed change that is older than the stored one has no effect, and the member's `conflict`
    /// says so.
    ///
    /// - Parameter newGuardian: The new guardian of the children of a guardian who stops being an
    ///   adult.
    /// - Returns: The member after the change.
    /// - Throws: ``Refusal``: `memberNotFound`, `memberIsWaiting`, `guardianHasManagedMembers`,
    ///   `guardianNotAdult`; `parentAdminExists`, and the other reasons of the policy.
    package func setHouseholdRole(
        by context: RequestContext, member: MemberID, to role: HouseholdRole,
        reassigningTo newGuardian: MemberID? = nil, offlineEdit: OfflineEdit = OfflineEdit()
    ) throws -> MemberWithGuardians {
        let changed = try database.transaction(
            by: context, for: .memberSetRole, in: .familyOf(member),
            reading: { batch in
                let isLate = batch.add(RoleChanges.wasChangedLater, member, offlineEdit.at)
                return { try $0.row(isLate).value }
            }
        ) { roster, isLate, transaction in
            var batch = Batch()
            let target = try roster.member(member)
            try roster.require(
                roster.facts(about: target).with(
                    newRole: role, present: target.householdRole,
                    ceiling: target.ceiling ?? target.householdRole,
                    isSeatTaken: roster.isSeatTaken, isSeatReserved: roster.isSeatReserved))
            if target.status != .active { throw Refusal(.memberIsWaiting) }
            if role < .adult, !isLate { try roster.requireHandover(from: target, to: newGuardian) }
            let conflict = batch.add(
                RoleChanges.changeHouseholdRole, member, role, newGuardian, offlineEdit.at,
                offlineEdit.baseVersion, isLate)
            let row = batch.add(Members.one, member)
            let results = try transaction.sendAndCommit(batch)
            return MemberWithGuardians(
                try results.row(row), conflict: try results.first(conflict))
        }
        if role == .parentAdmin || newGuardian != nil {
            database.notifyWorkers(of: MailJob.queue, for: context)
        }
        return changed
    }

    /// Transfers the caller's seat as Parent Admin to another adult of the family.
    ///
    /// It is one transaction, so nobody ever sees two Parent Admins, or none.
    ///
    /// - Returns: The two changed members, the new Parent Admin first.
    /// - Throws: ``Refusal``: `memberNotFound`, `adminNotAdult`.
    package func transferAdmin(
        by context: RequestContext, family: FamilyID?, to member: MemberID
    ) throws -> [MemberWithGuardians] {
        let changed = try database.change(
            .adminTransfer, in: .family(family), by: context
        ) { roster, batch in
            let target = try roster.member(member)
            try roster.facts(about: target).require(.adminTransfer, unlessNotAdult: .adminNotAdult)
            batch.add(Memberships.transferAdmin, roster.family, member)
            let admin = batch.add(Members.one, member)
            let former = batch.add(Members.one, roster.me.id)
            return { [try $0.row(admin), try $0.row(former)] }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return changed
    }
}
