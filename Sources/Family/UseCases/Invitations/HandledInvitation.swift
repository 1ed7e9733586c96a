import Domain
import Policy
import Postgres
import Repositories

extension Database {
    /// Begins a transaction about an invitation of the caller's family that `action` is allowed on.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound` if it is no longer pending or the caller may not
    ///   see it.
    func transaction<Value>(
        by context: RequestContext, for action: Action, on id: InvitationID,
        _ body: (ListedInvitation, Transaction) throws -> Value
    ) throws -> Value {
        try transaction(
            by: context,
            reading: { batch in
                let roster = Scope.familyInviting(id).roster(for: action, in: &batch)
                let invitation = batch.add(Invitations.one, id)
                return { answers, subject in
                    (try roster(answers, subject), try answers.first(invitation))
                }
            }
        ) { known, transaction in
            let (roster, invitation) = known
            context.trace?.note(family: roster.family)
            guard let invitation, invitation.status == .pending else {
                throw Refusal(.invitationNotFound)
            }
            try roster.require(
                roster.facts(handling: invitation)
                    .with(isInviter: invitation.invitedBy == roster.subject.user))
            return try body(invitation, transaction)
        }
    }
}

extension Roster {
    /// The facts of a request about an invitation; of a graduation with those about the child.
    fileprivate func facts(handling invitation: ListedInvitation) -> Facts {
        guard invitation.kind == .graduation else { return facts }
        let child = rows.first { $0.id == invitation.graduate }
        return (child.map { facts(about: $0) } ?? facts).with(isGraduation: true)
    }
}
