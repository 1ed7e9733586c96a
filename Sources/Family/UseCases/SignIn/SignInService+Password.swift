import Crypto
package import Domain
import Jobs
import Policy
import Postgres
import Repositories

extension SignInService {
    /// Signs in with address and password.
    ///
    /// The attempt is counted in a separate transaction before the password is checked, and the
    /// count is undone if the password is right. For an address without a password, the typed
    /// password is compared as well, so that timing reveals nothing. If too many passwords are
    /// being compared, no statement is sent to the database: in a flood most attempts are refused,
    /// and that must be cheap.
    ///
    /// - Throws: ``Refusal``: `invalidCredentials`, `tooManyAttempts`; ``PasswordsBusy``.
    package func signIn(
        _ email: EmailAddress, password: String, device: Label?, from client: ClientAddress,
        language: LanguageTag? = nil
    ) throws -> SignedIn {
        let turn = try passwords.turn()
        let limit = try database.query(
            StoredPasswords.reserveAttempt, email.mailbox, client.address, client.network
        ).first
        if let limit { throw limit.refusal }
        let stored = try database.query(StoredPasswords.ofAddress, email.mailbox).first
        let isValid: Bool
        do {
            isValid = try passwords.isValid(stored?.hash, for: password, in: turn)
        } catch let busy as PasswordsBusy {
            // Acquiring the permit took too long. No password was compared, so the attempt must not
            // be counted.
            _ = try database.query(
                StoredPasswords.releaseAttempt, email.mailbox, client.address, client.network)
            throw busy
        }
        guard isValid, let stored else { throw Refusal(.invalidCredentials) }
        let renewed = passwords.renewed(stored.hash, of: password)
        let signedIn = try database.beginSession(by: .password, keys, language) {
            session, tokenHash, batch in
            let key = batch.add(
                StoredPasswords.signIn, stored.user, stored.hash, renewed, email.mailbox,
                client.address, client.network, session, device?.text, tokenHash)
            return { try $0.first(key).map { ($0, isNew: false) } }
        }
        guard let signedIn else { throw Refusal(.invalidCredentials) }
        return signedIn
    }

    /// Mails a link to reset the password, if an account is signed in to with the address.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func sendResetLink(
        to email: EmailAddress, from client: ClientAddress, _ origin: EmailTokenOrigin = .init()
    ) throws {
        _ = try createEmailToken(.reset, for: email, from: client, origin)
    }

    /// Sets a new password with a link that was mailed to the account's address, and uses the link
    /// up. Every session of the account ends, and the owner is notified by e-mail.
    ///
    /// - Throws: ``Refusal``: `codeExpired`, `passwordTooWeak`; ``PasswordsBusy``.
    package func resetPassword(linkToken: String, password: String) throws {
        let hash = Self.hash(ofLink: linkToken)
        let owner = try owner(ofLink: hash)
        let password = try NewPassword(password, ownWords: [owner.email, owner.fullName ?? ""])
        let stored = try passwords.hash(password)
        let isDone = try database.withConnection { connection in
            var batch = Batch()
            let key = batch.add(
                StoredPasswords.reset, hash, stored, MailJob.payloadOfPasswordChange)
            return try connection.send(batch, writes: true).row(key).value
        }
        guard isDone else { throw Refusal(.codeExpired, .mailedCode) }
        database.notifier.notifyWorkers(MailJob.queue)
    }

    /// Requires that a link to reset a password still works. Does not use up the link.
    ///
    /// - Throws: ``Refusal``: `codeExpired`.
    package func requireResetLink(_ linkToken: String) throws {
        _ = try owner(ofLink: Self.hash(ofLink: linkToken))
    }

    private static func hash(ofLink token: String) -> PostgresBytes {
        PostgresBytes(SHA256Digest(of: PastedToken.text(of: token)).bytes)
    }

    private func owner(ofLink hash: PostgresBytes) throws -> PasswordResetUser {
        guard let owner = try database.query(StoredPasswords.resetUser, hash).first else {
            throw Refusal(.codeExpired, .mailedCode)
        }
        return owner
    }

    /// Changes the password of the caller's account, or sets its first one. Ends all sessions but
    /// the caller's, and invalidates links to reset the password.
    ///
    /// - Parameter current: Nil if there is no password yet; then the sign-in must be recent.
    /// - Throws: ``Refusal``: `invalidCredentials`, `signInAgain`, `passwordTooWeak`,
    ///   `tooManyAttempts`, `accountRequired`; ``PasswordsBusy``.
    package func changePassword(
        by context: RequestContext, current: String?, new: String, from client: ClientAddress
    ) throws {
        try context.caller.facts.require(.accountManage)
        let own = try database.request(by: context) { batch in
            let key = batch.add(StoredPasswords.mine, context.caller.tokenIssuedAt)
            return { results, _ in try results.first(key) }
        }
        guard let own else { throw Refusal(.accountRequired) }
        if own.hash != nil {
            // Without a current password, nothing is guessed and nothing counted.
            guard let current else { throw Refusal(.invalidCredentials) }
            try compare(current, with: own, from: client)
        } else if !own.isFresh {
            throw Refusal(.signInAgain)
        }
        let password = try NewPassword(
            new, ownWords: [own.email ?? "", own.fullName ?? ""])
        let hash = try passwords.hash(password)
        let isDone = try database.request(by: context, writes: true) { batch in
            let key = batch.add(
                StoredPasswords.change, own.hash, hash, context.caller.session?.id,
                context.caller.tokenIssuedAt, MailJob.payloadOfPasswordChange)
            return { results, _ in try results.first(key)?.value ?? false }
        }
        guard isDone else { throw Refusal(.invalidCredentials) }
        database.notifyWorkers(of: MailJob.queue, for: context)
    }

    /// Compares the current password. The comparison is counted like an attempt to sign in, because
    /// it is a guess at the same password.
    private func compare(
        _ typed: String, with own: OwnPassword, from client: ClientAddress
    ) throws {
        let email = own.email.map { EmailAddress($0)?.mailbox ?? $0 } ?? ""
        let turn = try passwords.turn()
        let limit = try database.query(
            StoredPasswords.reserveAttempt, email, client.address, client.network
        ).first
        if let limit { throw limit.refusal }
        guard try passwords.isValid(own.hash, for: typed, in: turn) else {
            throw Refusal(.invalidCredentials)
        }
        _ = try database.query(
            StoredPasswords.releaseAttempt, email, client.address, client.network)
    }
}

extension MailJob {
    /// The payload of the e-mail's job. The database adds the recipient, since it knows the
    /// account.
    fileprivate static var payloadOfPasswordChange: PostgresJSON {
        payload(of: { .account(.passwordChanged, recipient: $0) })
    }
}
