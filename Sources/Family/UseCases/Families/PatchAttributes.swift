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
    /// - Parameters:
    ///   - patch: A valid JSON object in UTF-8.
    ///   - versions: The versions that it may be made to; nil for any.
    /// - Returns: The attributes as they are now; nil if they had another version, and nothing has
    ///   changed.
    /// - Throws: ``Refusal``: `attributesTooLarge`; `invalidField` for what can't be stored.
    package func callAsFunction(
        by caller: Caller, family: FamilyID, patch: [UInt8], ifVersion versions: [Int64]? = nil
    ) throws -> ReadAttributes.Attributes? {
        try PostgresJSON.storing("attributes") {
            try database.change(.attributesWrite, in: .family(family), by: caller) {
                roster, batch in
                try roster.require(roster.facts)
                let changed = batch.add(
                    FamilyAttributes.patch, family, PostgresJSON(utf8: patch), versions)
                return { answers in
                    let row = try answers.row(changed)
                    return row.isExpected ? ReadAttributes.Attributes(row) : nil
                }
            }
        }
    }
}
