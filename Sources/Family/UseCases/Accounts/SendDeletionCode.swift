import Domain
import Policy
import Postgres
import Repositories

/// Mails the caller the code that confirms the erasure of the account.
package struct SendDeletionCode: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``Refusal``: `noVerifiedAddress`; `tooManyAttempts` after five in an hour.
    package func callAsFunction(by context: RequestContext, from client: ClientAddress) throws {
        try context.caller.facts.require(.userErase)
        try database.count(by: context) { $0.add(Accounts.reserveMailedCode, client.network) }
        try database.transaction(
            by: context,
            reading: { batch in
                let own = batch.add(Accounts.address)
                return { answers, _ in try answers.first(own) }
            }
        ) { own, transaction in
            guard let own, own.isVerified else { throw Refusal(.noVerifiedAddress) }
            let mail = MailJob(.account(.deletionCode, recipient: own.user))
            // Later the code would be too old.
            let end = Timestamp(microseconds: (mail.date + DeletionCodes.validSeconds) * 1_000_000)
            var batch = Batch()
            batch.enqueue(mail.job(in: nil, notAfter: end))
            _ = try transaction.sendAndCommit(batch)
        }
        database.wake(MailJob.queue, for: context)
    }
}
