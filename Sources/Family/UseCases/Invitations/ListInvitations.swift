package import Domain
import Policy
package import Repositories

/// Lists a family's pending invitations.
package struct ListInvitations: Sendable {
    /// A page of invitations.
    package struct Page: Sendable {
        package let invitations: [ListedInvitation]
        /// Nil at the end.
        package let nextCursor: String?
    }

    /// How many a page has at most.
    package static let pageLimit = 100

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The newest first; never a token.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - cursor: The previous page's cursor; nil for the newest.
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page gave.
    package func callAsFunction(
        by caller: Caller, family: FamilyID?, cursor: String? = nil
    ) throws -> Page {
        let start = try PageCursor.reading(cursor)
        return try database.read(.invitationList, in: family, by: caller) { family, batch in
            // One more row than the page shows whether there are more.
            let rows = batch.add(
                Invitations.pending, family, start?.at, start?.id(), Int32(Self.pageLimit + 1))
            return { roster, answers in
                try roster.require(roster.facts)
                let rows = try answers.rows(rows)
                let shown = Array(rows.prefix(Self.pageLimit))
                let next = rows.count > shown.count ? shown.last : nil
                return Page(
                    invitations: shown,
                    nextCursor: next.map { PageCursor($0.createdAt, $0.id).text })
            }
        }
    }
}
