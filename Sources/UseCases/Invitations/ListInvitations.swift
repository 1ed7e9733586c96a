package import Domain
import Policy
package import Repositories

/// Lists a family's pending invitations.
package struct ListInvitations: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The newest first, at most a hundred; never a token.
    ///
    /// - Parameter family: Which one; nil is enough for a member of exactly one.
    package func callAsFunction(
        by caller: Caller, family: FamilyID?
    ) throws -> [ListedInvitation] {
        try database.read(.invitationList, in: family, by: caller) { family, batch in
            let invitations = batch.add(Invitations.pending, family)
            return { roster, answers in
                try roster.require(roster.facts)
                return try answers.rows(invitations)
            }
        }
    }
}
