package import Domain
import Policy
package import Repositories

/// Reads what was done in a family, newest first.
package struct ReadAudit: Sendable {
    /// A page of entries.
    package struct Page: Sendable {
        /// The family that was asked for, or the caller's only one.
        package let family: FamilyID
        package let entries: [AuditEntry]
        /// Nil at the end.
        package let nextCursor: String?
    }

    /// How many entries a page can have.
    package static let allowedLimits = 1...100

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - cursor: The previous page's cursor; nil for the newest entries.
    ///   - limit: The maximum number of entries, clamped to the allowed range.
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page gave.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID?, cursor: String? = nil, limit: Int = 50
    ) throws -> Page {
        let start = try PageCursor.reading(cursor)
        let count = min(max(limit, Self.allowedLimits.lowerBound), Self.allowedLimits.upperBound)
        return try database.read(.auditRead, in: family, by: context) { family, batch in
            // One more row than requested shows whether there are more.
            let rows = batch.add(
                AuditTrail.page, family, start?.at, start?.id(), Int32(count + 1))
            return { roster, answers in
                try roster.require(roster.facts)
                let rows = try answers.rows(rows)
                let entries = Array(rows.prefix(count))
                let next = rows.count > count ? entries.last.map { PageCursor($0.at, $0.id) } : nil
                return Page(family: family, entries: entries, nextCursor: next?.text)
            }
        }
    }
}
