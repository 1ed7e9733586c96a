import Crypto
package import Domain
import Jobs
import Policy
import Postgres
import Repositories

/// The use cases of changing the address of the caller's account.
///
/// The new address gets a code, which proves that the caller reads its e-mail; the current address
/// gets a notice.
package struct AddressChangeService: Sendable {
    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// Mails a code to the new address, and a notice to the current one. An earlier code stops
    /// working.
    ///
    /// Behaves alike for every new address, so that nobody can find out who has an account.
    ///
    /// - Returns: The secret that complements the code.
    /// - Throws: ``Refusal``: `signInAgain`; `invalidField` for the account's current address;
    ///   `tooManyAttempts`.
    package func sendCode(
        to email: EmailAddress, by context: RequestContext, from client: ClientAddress,
        language: LanguageTag? = nil
    ) throws -> CreatedEmailToken {
        try context.caller.facts.require(.accountManage)
        let id = EmailTokenID.random()
        let secrets = try keys.secrets(of: id)
        let token = Base64URL.text(try .random(count: 32))
        let limit = try database.request(by: context, writes: true) { batch in
            batch.storeLabel(of: email)
            let key = batch.add(
                AddressChanges.request, id, email.text,
                PostgresBytes(SHA256Digest(of: token).bytes),
                PostgresBytes(secrets.linkHash.bytes), context.caller.tokenIssuedAt, client.network,
                MailJob(.emailToken(id)).job(in: nil).payload,
                MailJob(.addressChanging(id)).job(in: nil).payload, language?.text)
            return { results, _ in try results.first(key) }
        }
        if let limit { throw limit.refusal }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return CreatedEmailToken(token: token, expiresInSeconds: CreatedEmailToken.codeSeconds)
    }

    /// Changes the address if the code is right. Nobody can sign in with the previous address any
    /// more, and all sessions but the caller's end.
    ///
    /// The attempt is counted before the code is compared, as for signing in.
    ///
    /// - Throws: ``Refusal``: `codeMalformed`, `codeWrong`, `codeExpired`, `tooManyAttempts`;
    ///   `identityInUse` if another account is signed in to with the address.
    package func change(
        emailToken: String, code: String, by context: RequestContext
    ) throws {
        try context.caller.facts.require(.accountManage)
        let id = try database.emailToken(emailToken, code: code, keys)
        do {
            try database.request(by: context, writes: true) { batch in
                batch.add(AddressChanges.complete, id, context.caller.session?.id)
                return { _, _ in }
            }
        } catch let refusal as Refusal where refusal.code == .codeExpired {
            throw Refusal(.codeExpired, .mailedCode, underlying: refusal.underlying)
        }
    }
}

extension OperatorSession {
    /// Mails the owner of an account a link to reset the password, and returns the address.
    ///
    /// - Parameter links: Shows whether the running programs have the same key.
    /// - Throws: ``OperatorRefusal`` if the account has no address to sign in with, or if that
    ///   address gets no e-mail; if the account is blocked, or is an operator's; if the running
    ///   programs have another key, and could not send the link.
    package func sendReset(
        of user: UserID, _ keys: SignInKeys, _ links: InvitationKeys
    ) throws -> String {
        let id = EmailTokenID.random()
        let secrets = try keys.secrets(of: id)
        return try transaction { transaction in
            guard try links.haveMadeNewestLink(in: transaction) != false else {
                throw afterReplication(.secretKeyDiffers)
            }
            var batch = Batch()
            let address = batch.add(
                StoredPasswords.sendResetByOperator, user, id,
                PostgresBytes(secrets.linkHash.bytes),
                MailJob(.emailToken(id)).job(in: nil).payload)
            batch.notifyWorkers(MailJob.queue)
            return try transaction.sendAndCommit(batch).row(address).value
        }
    }

    /// Mails a link to a new address of an account, and a notice to the current one. Opening the
    /// link changes the address and signs in.
    ///
    /// - Parameter links: Shows whether the running programs have the same key.
    /// - Throws: ``OperatorRefusal`` if another account is signed in to with the address, or the
    ///   address is already the account's; if the running programs have another key, and could not
    ///   send the link.
    package func requestAddressChange(
        of user: UserID, to email: EmailAddress, _ keys: SignInKeys, _ links: InvitationKeys
    ) throws {
        let id = EmailTokenID.random()
        let secrets = try keys.secrets(of: id)
        try transaction { transaction in
            guard try links.haveMadeNewestLink(in: transaction) != false else {
                throw afterReplication(.secretKeyDiffers)
            }
            var batch = Batch()
            batch.storeLabel(of: email)
            batch.add(
                AddressChanges.requestByOperator, user, id, email.text,
                PostgresBytes(secrets.linkHash.bytes),
                MailJob(.emailToken(id)).job(in: nil).payload,
                MailJob(.addressChanging(id)).job(in: nil).payload)
            _ = try transaction.sendAndCommit(batch)
        }
    }
}
