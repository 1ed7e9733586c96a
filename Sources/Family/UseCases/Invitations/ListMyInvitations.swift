import Policy
package import Repositories

/// Lists the pending invitations to the caller's verified address, over all families.
package struct ListMyInvitations: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The newest first, at most a hundred.
    package func callAsFunction(by context: RequestContext) throws -> [ReceivedInvitation] {
        // A caller who could accept an invitation may see it.
        try context.caller.facts.with(isAddressee: true, isLink: false).require(.invitationAccept)
        return try database.request(by: context) { batch in
            let invitations = batch.add(ReceivedInvitations.mine)
            return { answers, _ in try answers.rows(invitations) }
        }
    }
}
