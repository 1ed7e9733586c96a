package import Domain
package import Policy
import Postgres
package import Repositories

/// The use cases of families, except those of their codes and members.
///
/// Reads are static: callers pass them to a database, which runs them alone or with others.
package struct FamilyService: Sendable {
    let database: Database

    package init(_ database: Database) { self.database = database }

    /// Creates a family with the caller as its first member, or returns the caller's existing one.
    /// Any number of concurrent calls create one family.
    ///
    /// - Parameters:
    ///   - name: The family's name; nil for the standard name.
    ///   - role: The caller's role in the family; nil for the account's own role.
    /// - Throws: ``Refusal``: the policy's refusal, such as to a caller who acts for a child.
    package func create(
        by context: RequestContext, name: FamilyName?, role: MemberRole?
    ) throws -> CreatedFamily {
        try create(by: context, name, role, isAnother: false)
    }

    /// Creates another family for the caller, even if the caller has one already.
    ///
    /// - Throws: ``Refusal``: `tooManyFamilies` for more than five; `playerHasFamily`, since a
    ///   player belongs to only one.
    package func createAnother(by context: RequestContext, name: FamilyName) throws
        -> CreatedFamily
    {
        try create(by: context, name, nil, isAnother: true)
    }

    private func create(
        by context: RequestContext, _ name: FamilyName?, _ role: MemberRole?, isAnother: Bool
    ) throws -> CreatedFamily {
        try context.caller.facts.require(.familyCreate)
        return try database.request(by: context, writes: true) { batch in
            let created = batch.add(Families.create, name?.text, role, isAnother)
            return { results, _ in try results.row(created) }
        }
    }

    /// Lists the families in which the caller is an active member: first the earliest one that the
    /// caller created, then the others in the order of joining.
    package static func list(by context: RequestContext) -> Read<[ListedFamily]> {
        Read(by: context) { batch in
            let families = batch.add(Families.mine)
            return { results, subject in
                let families = try results.rows(families)
                for family in families { try family.facts(of: subject).require(.familyRead) }
                return families
            }
        }
    }

    /// Reads a family of the caller. Also shows whether the caller is still a member.
    ///
    /// - Throws: ``Refusal``: `familyNotFound` unless the caller is an active member.
    package static func read(by context: RequestContext, family: FamilyID) -> Read<ListedFamily> {
        Read(by: context) { batch in
            let row = batch.add(Families.one, family)
            return { try Self.require(.familyRead, of: try $0.first(row), $1) }
        }
    }

    /// Requires that the caller may do `action` in a family. Used before a stored response about
    /// the family is replayed.
    ///
    /// - Parameter action: An action whose rule depends only on the caller's own membership.
    /// - Throws: ``Refusal``: `familyNotFound` if the caller is no longer a member, or a refusal.
    package func require(_ action: Action, in family: FamilyID, by context: RequestContext) throws {
        try database.request(by: context) { batch in
            let row = batch.add(Families.one, family)
            return { _ = try Self.require(action, of: try $0.first(row), $1) }
        }
    }

    /// Returns the family if it exists and `action` is allowed.
    static func require(
        _ action: Action, of family: ListedFamily?, _ subject: Subject
    ) throws(Refusal) -> ListedFamily {
        guard let family else {
            try subject.facts(nil).require(action)
            throw Refusal(.familyNotFound)
        }
        try family.facts(of: subject).require(action)
        return family
    }

    /// The requested change; a field that is nil keeps its value.
    package struct Change: Sendable {
        /// A new home, or none.
        package enum Home: Sendable, Hashable {
            case set(Coordinates)
            case forget
        }

        package var name: FamilyName?
        package var home: Home?
        /// Whether the family must approve everybody who joins by its code.
        package var isApprovalRequired: Bool?

        package init(
            name: FamilyName? = nil, home: Home? = nil, isApprovalRequired: Bool? = nil
        ) {
            self.name = name
            self.home = home
            self.isApprovalRequired = isApprovalRequired
        }

        fileprivate var coordinates: Coordinates? {
            if case .set(let coordinates) = home { coordinates } else { nil }
        }
    }

    /// Changes a family's name, its home, or whether it must approve newcomers.
    ///
    /// - Returns: The family after the change.
    /// - Throws: ``Refusal``: `familyNotFound`, or the policy's refusal.
    package func update(
        by context: RequestContext, family: FamilyID, _ change: Change
    ) throws -> ListedFamily {
        try database.change(.familyUpdate, in: .family(family), by: context) { roster, batch in
            try roster.require(roster.facts)
            batch.add(
                Families.update, family, change.name?.text, change.coordinates?.latitude,
                change.coordinates?.longitude, change.home == .forget, change.isApprovalRequired)
            let row = batch.add(Families.one, family)
            return { try $0.row(row) }
        }
    }

    /// Reads the attributes that apps store about a family: a JSON object in UTF-8; `{}` if nothing
    /// is stored.
    package static func readAttributes(
        by context: RequestContext, family: FamilyID
    ) -> Read<[UInt8]> {
        Read(by: context) { batch in
            let row = batch.add(Families.one, family)
            let stored = batch.add(FamilyAttributes.read, family)
            return { results, subject in
                _ = try Self.require(.attributesRead, of: try results.first(row), subject)
                return try results.first(stored)?.value.utf8 ?? Array("{}".utf8)
            }
        }
    }

    /// Changes the attributes that apps store about a family, by a JSON merge patch (RFC 7396).
    ///
    /// Concurrent patches don't overwrite each other: each is merged under the family's lock.
    ///
    /// - Parameter patch: A valid JSON object in UTF-8.
    /// - Returns: The attributes after the change.
    /// - Throws: ``Refusal``: `attributesTooLarge`; `invalidField` for data that can't be stored.
    package func patchAttributes(
        by context: RequestContext, family: FamilyID, patch: [UInt8]
    ) throws -> [UInt8] {
        try PostgresJSON.storing("attributes") {
            try database.change(.attributesWrite, in: .family(family), by: context) {
                roster, batch in
                try roster.require(roster.facts)
                let changed = batch.add(FamilyAttributes.patch, family, PostgresJSON(utf8: patch))
                return { try $0.row(changed).value.utf8 }
            }
        }
    }

    /// Allowed number of entries on a page of the audit log.
    package static let auditLimits = 1...100

    /// Reads a family's audit log, newest entries first.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - cursor: The previous page's cursor; nil for the newest entries.
    ///   - limit: The maximum number of entries, clamped to the allowed range.
    ///   - person: The actor or subject of the entries; nil for anybody.
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page returned.
    package func readAudit(
        by context: RequestContext, family: FamilyID?, cursor: String? = nil, limit: Int = 50,
        person: UserID? = nil
    ) throws -> FamilyPage<AuditEntry> {
        let start = try PageCursor.reading(cursor)
        let count = min(max(limit, Self.auditLimits.lowerBound), Self.auditLimits.upperBound)
        return try database.read(.auditRead, in: family, by: context) { family, batch in
            // Reading one row more than requested shows whether there are more.
            let rows = batch.add(
                AuditLog.page, family, start?.at, start?.id(), Int32(count + 1), person)
            return { roster, results in
                try roster.require(roster.facts)
                return FamilyPage(try results.rows(rows), of: family, limit: count) {
                    PageCursor($0.at, $0.id)
                }
            }
        }
    }

    /// A family and its members.
    package struct Group: Sendable {
        package let family: ListedFamily
        /// The family's attribute `streaming_services`; empty for callers who may not read it.
        package let streamingServices: [String]
        /// Active members, in the order of joining.
        package let members: [MemberWithGuardians]
    }

    /// Reads a family with its members, as one group.
    package static func readGroup(by context: RequestContext, family: FamilyID) -> Read<Group> {
        Read(by: context) { batch in
            let row = batch.add(Families.one, family)
            let members = batch.add(Members.ofFamily, family)
            let services = batch.add(FamilyAttributes.streamingServices, family)
            return { results, subject in
                try Self.group(
                    try results.first(row), try results.rows(members), try results.first(services),
                    subject)
            }
        }
    }

    /// Reads the caller's own group; nil if the caller belongs to no family. If the caller is in
    /// several families, this is the oldest with other active members, otherwise the one that the
    /// caller created, otherwise the oldest.
    package static func readOwnGroup(by context: RequestContext) -> Read<Group?> {
        Read(by: context) { batch in
            let row = batch.add(Families.first)
            let members = batch.add(Members.ofFirstFamily)
            let services = batch.add(FamilyAttributes.streamingServicesOfFirst)
            return { results, subject in
                guard let family = try results.first(row) else { return nil }
                return try Self.group(
                    family, try results.rows(members), try results.first(services), subject)
            }
        }
    }

    private static func group(
        _ family: ListedFamily?, _ members: [MemberWithGuardians], _ services: Scalar<[String]>?,
        _ subject: Subject
    ) throws -> Group {
        let family = try Self.require(.familyRead, of: family, subject)
        try family.facts(of: subject).require(.memberList)
        return Group(
            family: family, streamingServices: services?.value ?? [],
            members: MemberWithGuardians.list(members).filter { $0.status == .active })
    }
}

extension ListedFamily {
    /// Returns the facts of the caller in this family.
    func facts(of subject: Subject) -> Facts {
        subject.facts(membership(isCreator: creator == subject.user))
    }

    private func membership(isCreator: Bool) -> Membership {
        Membership(
            role: role, householdRole: householdRole, status: .active, isManaged: isManaged,
            isCreator: isCreator, isVouched: isVouched)
    }

    /// Household roles that the caller may choose. Whether the caller is the creator makes no
    /// difference: every creator is vouched for.
    package var choices: OwnRoleChoices {
        OwnRoleChoices(
            of: membership(isCreator: false), isActing: isManaged, ceiling: ceiling,
            isSeatTaken: isSeatTaken, isSeatReserved: isSeatReserved)
    }
}
