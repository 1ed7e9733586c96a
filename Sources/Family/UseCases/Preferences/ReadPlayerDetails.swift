package import Domain
import Policy
import Repositories

/// Reads what a family has noted about its player.
package struct ReadPlayerDetails: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameter family: The family; nil if the caller is a member of exactly one.
    /// - Throws: ``Refusal``: that there is no such family, or what the policy says.
    package func callAsFunction(by context: RequestContext, family: FamilyID?) throws
        -> PlayerDetails
    {
        try database.read(.playerDetailsRead, in: family, by: context) { family, batch in
            let note = batch.add(PlayerNotes.read, family)
            return { roster, answers in
                try roster.require(roster.facts)
                return try answers.row(note).details
            }
        }
    }
}
