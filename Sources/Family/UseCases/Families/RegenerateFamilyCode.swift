package import Domain
import Policy
package import Repositories

/// Gives a family a new code; the old one stops at once.
package struct RegenerateFamilyCode: Sendable {
    /// How many days a code can last.
    package static let allowedDays = 1...365

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameter expiresInDays: For how long the new code is good; nil: until the next one.
    /// - Throws: ``Refusal``: `familyNotFound`, what the policy says, or `invalidField` for days
    ///   out of range.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID, expiresInDays: Int? = nil
    ) throws -> RegeneratedCode {
        if let expiresInDays, !Self.allowedDays.contains(expiresInDays) {
            let expected = "from 1 to \(Self.allowedDays.upperBound)"
            throw Refusal(.invalidField, .field("expiresInDays", expected: expected))
        }
        return try database.change(.codeRegenerate, in: .family(family), by: context) {
            roster, batch in
            try roster.require(roster.facts)
            let code = batch.add(FamilyCodes.regenerate, family, expiresInDays.map { Int32($0) })
            return { try $0.row(code) }
        }
    }
}
