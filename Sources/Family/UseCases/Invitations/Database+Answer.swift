import Domain
import Policy
import Postgres
import Repositories

extension Database {
    /// Lets the invited answer: decides whether the invitation is the caller's to answer, then runs
    /// `statement` upon it; one transaction of two round trips.
    ///
    /// Reasons are checked in this order: absent, expired, answered, for another address.
    func answer<Row>(
        _ action: Action, _ answer: InvitationAnswer, by context: RequestContext,
        with statement: Statement<Row, PostgresBytes?, InvitationID?>
    ) throws -> Row? {
        try transaction(
            by: context,
            reading: { batch in
                let facts = Self.facts(of: answer, for: action, in: &batch)
                return { answers, _ in try facts(answers) }
            }
        ) { facts, transaction in
            // Nil: it is absent or answered already. The database knows by whom, and raises the
            // reason.
            if let facts { try context.caller.facts.union(facts).require(action) }
            var batch = Batch()
            let row = batch.add(statement, answer.tokenHash, answer.id)
            return try transaction.sendAndCommit(batch).rows(row).first
        }
    }

    /// The facts about a pending invitation's recipient; nil if it isn't pending.
    private static func facts(
        of answer: InvitationAnswer, for action: Action, in batch: inout Batch
    ) -> (Answers) throws -> Facts? {
        if let hash = answer.tokenHash {
            let found = batch.add(ReceivedInvitations.ofToken, hash)
            return { answers in
                let found = try answers.row(found)
                try found.requireOpen()
                guard found.state == .pending else { return nil }
                return Facts().with(
                    isAddressee: found.isToCaller, isLink: found.email?.isEmpty ?? false)
            }
        }
        guard let id = answer.id else { return { _ in nil } }
        let isMine = batch.add(ReceivedInvitations.isMine, id)
        return { answers in
            try answers.row(isMine).value
                ? Facts().with(isAddressee: true, isLink: false) : nil
        }
    }
}
