package import Domain
import Policy
import Postgres
package import Repositories

/// Lists a family's pending invitations.
package enum ListInvitations {
    /// A page of invitations.
    package struct Page: Sendable {
        /// The family that was asked for, or the caller's only one.
        package let family: FamilyID
        package let invitations: [ListedInvitation]
        /// Nil at the end.
        package let nextCursor: String?
    }

    /// How many a page has at most.
    package static let pageLimit = 100

    /// The newest first; never a token.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - cursor: The previous page's cursor; nil for the newest.
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page gave.
    package static func reading(
        by context: RequestContext, family: FamilyID?, cursor: String? = nil
    ) throws -> Read<Page> {
        let start = try PageCursor.reading(cursor)
        return Read(by: context) { batch in
            let families = family.map { batch.add(Families.one, $0) } ?? batch.add(Families.mine)
            // One more row than the page shows whether there are more.
            let rows = batch.add(
                Invitations.pending, family, start?.at, start?.id(), Int32(Self.pageLimit + 1))
            return { answers, subject in
                let family = try Self.only(
                    try answers.rows(families), subject,
                    absence: family == nil ? .familyRequired : .familyNotFound)
                let rows = try answers.rows(rows)
                let shown = Array(rows.prefix(Self.pageLimit))
                let next = rows.count > shown.count ? shown.last : nil
                return Page(
                    family: family.id, invitations: shown,
                    nextCursor: next.map { PageCursor($0.createdAt, $0.id).text })
            }
        }
    }

    /// The one family whose invitations the subject may list.
    private static func only(
        _ families: [ListedFamily], _ subject: Subject, absence: RefusalCode
    ) throws(Refusal) -> ListedFamily {
        guard let family = families.first else {
            try subject.facts(nil).require(.invitationList, orAbsent: absence)
            throw Refusal(absence)
        }
        guard families.count == 1 else { throw Refusal(.familyRequired) }
        try family.facts(of: subject).require(.invitationList)
        return family
    }
}
