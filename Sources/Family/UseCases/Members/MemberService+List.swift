package import Domain
import Policy
import Postgres
package import Repositories

extension MemberService {
    /// The members of one family in the order of joining, followed by people waiting for approval.
    package struct Listing: Sendable {
        /// The requested family, or the caller's only one.
        package let family: FamilyID
        package var members: [MemberWithGuardians]
        /// The household roles that the caller may choose.
        package let choices: OwnRoleChoices
        /// Cursor of the next page; nil at the end.
        package var nextCursor: String?
        /// Whether the listed members are former members.
        package var isFormer = false
    }

    /// Maximum number of former members on a page.
    package static let formerLimit = 100

    /// Lists the members of one of the caller's families.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - status: Only members with this status; nil for the active ones and, for callers who may
    ///     approve them, people waiting for approval.
    ///   - cursor: For former members: the previous page's cursor; nil to begin with the most
    ///     recent departure.
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page returned; a refusal if the
    ///   caller may not list former members.
    package static func list(
        by context: RequestContext, family: FamilyID?, status: MembershipStatus? = nil,
        cursor: String? = nil
    ) throws -> Read<Listing> {
        if status == .removed { return try listFormer(by: context, family, cursor) }
        return Read(by: context) { batch in
            let present = present(in: family, &batch)
            return { results, subject in
                var listing = try present(results, subject)
                if let status { listing.value.members.removeAll { $0.status != status } }
                return listing
            }
        }
    }

    /// Lists former members, the most recent departure first.
    private static func listFormer(
        by context: RequestContext, _ family: FamilyID?, _ cursor: String?
    ) throws -> Read<Listing> {
        let start = try PageCursor.reading(cursor)
        return Read(by: context) { batch in
            let present = present(in: family, &batch)
            let row = family.map { batch.add(Families.one, $0) } ?? batch.add(Families.first)
            // Reading one row more than a page holds shows whether there are more.
            let rows = batch.add(
                Members.former, family, start?.at, start?.id(), Int32(formerLimit + 1))
            return { results, subject in
                var listing = try present(results, subject).value
                _ = try FamilyService.require(
                    .memberListRemoved, of: try results.first(row), subject)
                let page = FamilyPage(
                    try results.rows(rows), of: listing.family, limit: formerLimit
                ) { former in former.removedAt.map { PageCursor($0, former.id) } }
                listing.isFormer = true
                listing.members = page.items
                listing.nextCursor = page.nextCursor
                return listing
            }
        }
    }

    /// Reads the active members and the people waiting for approval.
    private static func present(
        in family: FamilyID?, _ batch: inout Batch
    ) -> (BatchResults, Subject) throws -> Versioned<Listing> {
        let rows = family.map { batch.add(Members.ofFamily, $0) } ?? batch.add(Members.ofMyFamilies)
        return { results, subject in
            let rows = try results.rows(rows)
            if let family { return try listing(of: family, rows, subject) }
            guard let only = rows.first?.family, rows.last?.family == only,
                rows.count < Members.ownFamiliesLimit
            else {
                throw Refusal(.familyRequired)
            }
            return try listing(of: only, rows, subject)
        }
    }

    private static func listing(
        of family: FamilyID, _ rows: [MemberWithGuardians], _ subject: Subject
    ) throws(Refusal) -> Versioned<Listing> {
        let own = rows.first { $0.user == subject.user }?.member
        try subject.facts(own?.membership).require(.memberList)
        guard let own else { throw Refusal(.familyNotFound) }
        let choices = OwnRoleChoices(
            of: own.membership, isActing: subject.isActing,
            ceiling: own.ceiling ?? own.householdRole,
            isSeatTaken: rows.contains(where: \.member.hasSeat),
            isSeatReserved: own.hasEnteredAfterKey
                || rows.contains(where: \.member.hasRightToSeat))
        return Versioned(
            value: Listing(
                family: family, members: MemberWithGuardians.list(rows), choices: choices),
            version: own.version)
    }
}

/// The household roles that a member may choose, so that an app offers nothing that would be
/// refused.
package struct OwnRoleChoices: Sendable, Equatable {
    /// The state of the Parent Admin's seat for the member.
    package enum Seat: String, Sendable, CaseIterable {
        /// The member may claim the seat.
        case free
        /// The seat is taken, perhaps by the member itself.
        case taken
        /// The seat is vacant, and the member may not claim it.
        case reserved
    }

    /// Household roles below Parent Admin, the highest first.
    package let selectableRoles: [HouseholdRole]
    package let parentAdmin: Seat

    private static let selectable: [HouseholdRole] = [.adult, .kid, .visitor]

    /// - Parameters:
    ///   - isActing: Whether a guardian acts for the member, who then may choose nothing.
    ///   - ceiling: The highest household role that the member may choose for itself.
    init(
        of membership: Membership, isActing: Bool, ceiling: HouseholdRole, isSeatTaken: Bool,
        isSeatReserved: Bool
    ) {
        let facts = Facts(isAnonymous: false, isActing: isActing, membership: membership)
            .with(target: membership, isOneself: true, guardianship: nil)
        func may(_ role: HouseholdRole) -> Bool {
            decide(
                .memberSetRole,
                facts.with(
                    newRole: role, present: membership.householdRole, ceiling: ceiling,
                    isSeatTaken: isSeatTaken, isSeatReserved: isSeatReserved)) == .allowed
        }
        var roles: [HouseholdRole] = []
        roles.reserveCapacity(Self.selectable.count)
        for role in Self.selectable where may(role) { roles.append(role) }
        selectableRoles = roles
        parentAdmin = isSeatTaken ? .taken : may(.parentAdmin) ? .free : .reserved
    }
}
