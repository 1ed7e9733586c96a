package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of children without accounts, the managed members of their family.
package struct ChildService: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Adds a child without an account to a family; the caller becomes its guardian.
    ///
    /// - Parameter family: The family; nil if the caller is a member of exactly one.
    /// - Throws: ``Refusal``: `familyFull`.
    package func add(
        by context: RequestContext, family: FamilyID?, name: DisplayName,
        avatarKey: AvatarKey? = nil
    ) throws -> MemberWithGuardians {
        try database.namingField("displayName") {
            try database.transaction(by: context, for: .managedCreate, in: .family(family)) {
                roster, transaction in
                try roster.require(roster.facts)
                var adding = Batch()
                let avatar = avatarKey.flatMap { $0.text.isEmpty ? nil : $0.text }
                let id = adding.add(Memberships.addManaged, roster.family, name.text, avatar)
                let member = try transaction.send(adding).row(id).value
                var reading = Batch()
                let added = reading.add(Members.one, member)
                return try transaction.sendAndCommit(reading).row(added)
            }
        }
    }

    /// Changes the name or avatar of a child whose guardian the caller is.
    ///
    /// - Parameters:
    ///   - name: The new name; nil keeps the old one.
    ///   - avatarKey: The new avatar; nil keeps the old one, an empty key removes it.
    /// - Throws: ``Refusal``: `memberNotFound`, even for a member with an account.
    package func update(
        by context: RequestContext, member: MemberID, name: DisplayName? = nil,
        avatarKey: AvatarKey? = nil
    ) throws -> MemberWithGuardians {
        try database.namingField("displayName") {
            try database.change(.managedUpdate, in: .familyOf(member), by: context) {
                roster, batch in
                let child = try roster.managedMember(member)
                try roster.require(roster.facts(about: child))
                batch.add(Memberships.updateManaged, member, name?.text, avatarKey?.text)
                let changed = batch.add(Members.one, member)
                return { try $0.row(changed) }
            }
        }
    }

    /// Makes another adult of the family the primary guardian of a child. The caller stops being
    /// the child's guardian.
    ///
    /// - Returns: The child after the change.
    /// - Throws: ``Refusal``: `memberNotFound` for the child or the adult, `guardianNotAdult`.
    package func reassign(
        by context: RequestContext, member: MemberID, to guardian: MemberID
    ) throws -> MemberWithGuardians {
        try database.change(.managedReassign, in: .familyOf(member), by: context) { roster, batch in
            let child = try roster.managedMember(member)
            try roster.requireReassignment(of: child, to: try roster.member(guardian))
            batch.add(Memberships.reassignManaged, member, guardian)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
    }

    /// Removes a child without an account from its family.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`, even for a member with an account.
    package func remove(by context: RequestContext, member: MemberID) throws {
        try database.change(.managedRemove, in: .familyOf(member), by: context) { roster, batch in
            let child = try roster.managedMember(member)
            try roster.require(roster.facts(about: child))
            batch.add(Memberships.remove, member, nil, false, false)
            return { _ in }
        }
    }
}
