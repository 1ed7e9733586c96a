package import Domain
import Policy
import Postgres
import Repositories

/// Changes what apps keep about a family, by a JSON merge patch (RFC 7396).
package struct PatchAttributes: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Concurrent patches don't overwrite each other: each is merged under the family's lock.
    ///
    /// - Parameter patch: A valid JSON object in UTF-8.
    /// - Returns: The attributes as they are now.
    /// - Throws: ``Refusal``: `attributesTooLarge`; `invalidField` for what can't be stored.
    package func callAsFunction(
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
}
