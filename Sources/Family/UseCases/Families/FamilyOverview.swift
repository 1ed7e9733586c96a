package import Domain
package import Policy
import Postgres
package import Repositories

/// A family as one of its members sees it, and the actions that the policy allows this member.
///
/// Pages use it to offer nothing that would be refused. The policy decides about every change again
/// when it is made.
package struct FamilyOverview: Sendable {
    package let family: ListedFamily
    /// The active members in the order of joining, followed by people waiting for approval.
    package let members: [MemberWithGuardians]
    /// Pending invitations, the newest first; empty if the caller may not list them.
    package let invitations: [ListedInvitation]
    /// Digest of the versions that the caller follows. A page compares it with the events of its
    /// stream (``FollowVersions/Versions/digest``).
    package let version: String
    /// The family's version, as the base version of role changes that are made from this overview.
    package let baseVersion: Int64
    /// The caller's role changes in this family that somebody undid without having seen them,
    /// newest first.
    package let conflicts: [UndoneChange]
    private let roster: Roster

    /// The caller's families and requests to join, and an overview of one of the families.
    package struct Reading: Sendable {
        package let profile: ProfileService.Profile
        /// The overview; nil if the caller belongs to no family.
        package let overview: FamilyOverview?
        /// Digest of the versions that the caller follows, as in ``FamilyOverview/version``.
        package let version: String
    }

    /// Maximum number of invitations that are read, over all families of the caller.
    private static let mostInvitations: Int32 = 200

    /// Reads one of the caller's families in one round trip.
    ///
    /// - Parameter family: The family; nil for the family that was last chosen in the caller's
    ///   session, otherwise the caller's family: if there are several, the oldest with other active
    ///   members, otherwise the one that the caller created.
    /// - Throws: ``Refusal``: `familyNotFound` unless the caller is an active member of `family`.
    package static func read(
        by context: RequestContext, family: FamilyID?
    ) throws -> Read<Reading> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            // The versions are read first. Data read later may be newer; then the page only reads
            // them once more.
            let state = SyncState.reading(&batch)
            let profile = ProfileService.read(isActing: false, in: &batch)
            let rows =
                family.map { batch.add(Members.ofFamily, $0) } ?? batch.add(Members.ofShownFamily)
            let invitations = batch.add(
                Invitations.pending, family, nil, nil, mostInvitations)
            let undone = batch.add(RoleChanges.unseen)
            return { answers, subject in
                let state = try state(answers, subject)
                let version = state.digest
                let profile = try profile(answers, subject)
                let rows = try answers.rows(rows)
                guard let id = family ?? rows.first?.member.family else {
                    return Reading(profile: profile, overview: nil, version: version)
                }
                let listed = try FamilyService.require(
                    .familyRead, of: profile.families.first { $0.id == id }, subject)
                let me = rows.first { $0.user == subject.user && $0.status == .active }
                guard let me else { throw Refusal(.familyNotFound) }
                let roster = Roster(
                    action: .memberList, family: id, rows: rows.map(\.member), me: me.member,
                    subject: subject)
                try roster.require(roster.facts)
                let members = MemberWithGuardians.list(rows)
                let conflicts = try answers.rows(undone).filter { conflict in
                    members.contains { $0.member.id == conflict.member }
                }
                let pending = try answers.rows(invitations).filter { $0.family == id }
                return Reading(
                    profile: profile,
                    overview: FamilyOverview(
                        family: listed, members: members,
                        invitations:
                            decide(.invitationList, roster.facts) == .allowed ? pending : [],
                        version: version,
                        baseVersion: state.families.first { $0.id == id.rawValue }?.version ?? 0,
                        conflicts: conflicts, roster: roster), version: version)
            }
        }
    }

    /// The caller's own membership.
    package var me: FamilyMember { roster.me }

    /// Returns a member of the family; nil if there is none with this id.
    package func member(_ id: MemberID) -> MemberWithGuardians? {
        members.first { $0.member.id == id }
    }

    /// Whether the family has all the members that it can have, so that nobody else can join, and
    /// no child can be added.
    package var isFull: Bool { family.memberCount >= family.memberLimit }

    // MARK: What the caller may do

    /// Whether the policy allows the caller an action that has no target member.
    package func allows(_ action: Action) -> Bool { decide(action, roster.facts) == .allowed }

    /// Whether the policy allows the caller an action on a member.
    package func allows(_ action: Action, about member: FamilyMember) -> Bool {
        decide(action, roster.facts(about: member)) == .allowed
    }

    /// Whether the policy allows the caller an action on an adult's guardianship of a child.
    package func allows(
        _ action: Action, of guardian: FamilyMember, for child: FamilyMember
    ) -> Bool {
        decide(action, roster.facts(about: guardian, of: child)) == .allowed
    }

    /// Whether the caller may end an adult's guardianship of a child; the child must have another
    /// guardian.
    package func mayEndGuardianship(of guardian: FamilyMember, for child: FamilyMember) -> Bool {
        roster.hasGuardian(child, besides: guardian)
            && allows(.guardianRemove, of: guardian, for: child)
    }

    /// Whether the caller may resend or revoke an invitation.
    package func allows(_ action: Action, about invitation: ListedInvitation) -> Bool {
        let facts = roster.facts(handling: invitation)
            .with(isInviter: invitation.invitedBy == roster.subject.user)
        return decide(action, facts) == .allowed
    }

    /// The sides on which the caller may invite people.
    package var invitableSides: [MemberRole] {
        [.parent, .player].filter {
            decide(.invitationCreate, roster.facts.with(inviting: $0, as: nil)) == .allowed
        }
    }

    /// Returns the household roles below Parent Admin that the caller may give a member, except the
    /// member's current one, the highest first.
    package func roles(for member: FamilyMember) -> [HouseholdRole] {
        guard member.status == .active else { return [] }
        return [.adult, .kid, .visitor].filter {
            $0 != member.householdRole && mayGive($0, to: member)
        }
    }

    /// Whether the caller may claim the vacant seat of the Parent Admin, or give it to a member.
    package func mayGiveSeat(to member: FamilyMember) -> Bool {
        member.status == .active && member.householdRole != .parentAdmin
            && mayGive(.parentAdmin, to: member)
    }

    private func mayGive(_ role: HouseholdRole, to member: FamilyMember) -> Bool {
        let facts = roster.facts(about: member).with(
            newRole: role, present: member.householdRole,
            ceiling: member.ceiling ?? member.householdRole, isSeatTaken: roster.isSeatTaken,
            isSeatReserved: roster.isSeatReserved)
        return decide(.memberSetRole, facts) == .allowed
    }

    /// Whether the caller may transfer the seat of the Parent Admin to a member.
    package func mayTransferSeat(to member: FamilyMember) -> Bool {
        member.status == .active && allows(.adminTransfer, about: member)
    }

    /// Whether the caller may end a membership other than its own.
    package func mayRemove(_ member: FamilyMember) -> Bool {
        if member.id == me.id { return false }
        return allows(member.isManaged ? .managedRemove : .memberRemove, about: member)
    }

    // MARK: Children of a guardian who goes

    /// Whether another adult must take over a guardian's children before the guardian leaves.
    package func needsHeir(_ guardian: FamilyMember) -> Bool {
        do {
            try roster.requireHandover(from: guardian, to: nil)
            return false
        } catch {
            return guardian.id == me.id || !roster.leavesWithChildren(guardian)
        }
    }

    /// Returns the adults whom the caller may name as the new guardian of a guardian's children.
    package func heirs(of guardian: FamilyMember) -> [FamilyMember] {
        members.map(\.member).filter { heir in
            do {
                try roster.requireHandover(from: guardian, to: heir.id)
                return heir.status == .active
            } catch {
                return false
            }
        }
    }

    /// The reason why the caller can't leave, whichever new guardian the caller names; nil if there
    /// is none.
    package var obstacleToLeaving: RefusalCode? {
        do {
            try MemberService.requireDeparture(roster, newGuardian: nil)
            return nil
        } catch {
            return error.code == .guardianHasManagedMembers && !heirs(of: me).isEmpty
                ? nil : error.code
        }
    }

    /// The children who would have no guardian without the caller.
    package var onlyWards: [FamilyMember] { roster.children(guardedOnlyBy: me) }
}
