import Domain
import Jobs
import Policy
import Postgres
import Repositories

/// Changes the password of the caller's account, or sets its first one.
package struct ChangePassword: Sendable {
    private let database: Database
    private let passwords: PasswordKeeper

    package init(_ database: Database, _ passwords: PasswordKeeper) {
        self.database = database
        self.passwords = passwords
    }

    /// All sessions but the caller's end, and links to reset the password.
    ///
    /// - Parameter current: Nil where there is no password yet; then the sign-in must be recent.
    /// - Throws: ``Refusal``: `invalidCredentials`, `signInAgain`, `passwordTooWeak`,
    ///   `tooManyAttempts`, `accountRequired`; ``PasswordsBusy``.
    package func callAsFunction(
        by context: RequestContext, current: String?, new: String, from client: ClientAddress
    ) throws {
        try context.caller.facts.require(.accountManage)
        let own = try database.request(by: context) { batch in
            let place = batch.add(StoredPasswords.mine, context.caller.tokenIssuedAt)
            return { answers, _ in try answers.first(place) }
        }
        guard let own else { throw Refusal(.accountRequired) }
        if own.hash != nil {
            // Without one nothing is guessed, and nothing counted.
            guard let current else { throw Refusal(.invalidCredentials) }
            try compare(current, with: own, from: client)
        } else if !own.isFresh {
            throw Refusal(.signInAgain)
        }
        let password = try NewPassword(
            new, ownWords: [own.email ?? "", own.fullName ?? ""])
        let hash = try passwords.hash(password)
        let isDone = try database.request(by: context, writes: true) { batch in
            let place = batch.add(
                StoredPasswords.change, own.hash, hash, context.caller.session?.id,
                context.caller.tokenIssuedAt,
                MailJob.payloadOfPasswordChange)
            return { answers, _ in try answers.first(place)?.value ?? false }
        }
        guard isDone else { throw Refusal(.invalidCredentials) }
        database.wake(MailJob.queue, for: context)
    }

    /// Counted like an attempt to sign in, because it guesses the same.
    private func compare(
        _ typed: String, with own: OwnPassword, from client: ClientAddress
    ) throws {
        let email = own.email.map { EmailAddress($0)?.mailbox ?? $0 } ?? ""
        let turn = try passwords.turn()
        let limit = try database.query(
            StoredPasswords.reserve, email, client.address, client.network
        ).first
        if let limit { throw limit.refusal }
        guard try passwords.isValid(own.hash, for: typed, in: turn) else {
            throw Refusal(.invalidCredentials)
        }
        _ = try database.query(StoredPasswords.release, email, client.address, client.network)
    }
}
