import Crypto
package import Domain
import Jobs
import Postgres
import Repositories

/// Sets a new password by a link that is mailed to the account's address.
package struct ResetPassword: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let passwords: PasswordKeeper

    package init(_ database: Database, _ keys: SignInKeys, _ passwords: PasswordKeeper) {
        self.database = database
        self.keys = keys
        self.passwords = passwords
    }

    /// Has the link mailed, if somebody signs in with the address.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func sendLink(
        to email: EmailAddress, from client: ClientAddress, _ origin: TicketOrigin = .init()
    ) throws {
        _ = try OpenTicket(database: database, keys: keys)(
            .reset, for: email, from: client, origin)
    }

    /// Uses the link up. Every session of the account ends, and the owner is told by e-mail.
    ///
    /// - Throws: ``Refusal``: `codeExpired`, `passwordTooWeak`; ``PasswordsBusy``.
    package func callAsFunction(linkToken: String, password: String) throws {
        let hash = PostgresBytes(SHA256Digest(of: PastedToken.text(of: linkToken)).bytes)
        guard let owner = try database.query(StoredPasswords.ofLink, hash).first else {
            throw Refusal(.codeExpired, .mailedCode)
        }
        let password = try NewPassword(password, ownWords: [owner.email, owner.fullName ?? ""])
        let stored = try passwords.hash(password)
        let isDone = try database.leased { connection in
            var batch = Batch()
            let place = batch.add(
                StoredPasswords.reset, hash, stored, MailJob.payloadOfPasswordChange)
            return try connection.send(batch, writes: true).row(place).value
        }
        guard isDone else { throw Refusal(.codeExpired, .mailedCode) }
        database.wakeUps.wake(MailJob.queue)
    }
}

extension MailJob {
    /// The database, which knows the account, names the recipient.
    static var payloadOfPasswordChange: PostgresJSON {
        payload { .account(.passwordChanged, recipient: $0) }
    }
}
