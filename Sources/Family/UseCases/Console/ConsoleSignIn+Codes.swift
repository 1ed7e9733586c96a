import Crypto
package import Domain
import Jobs
import Postgres
import Repositories

extension ConsoleSignIn {
    /// Mails a code for the console to an operator's address, and returns a token for the browser.
    /// The code works only together with this token.
    ///
    /// Behaves alike for every address, so that nobody can find out who is an operator.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func sendCode(
        to email: EmailAddress, from client: ClientAddress
    ) throws -> ConsoleToken {
        let id = EmailTokenID.random()
        let secrets = try keys.secrets(of: id)
        let token = try ConsoleToken.random()
        let mail = MailJob(.emailToken(id)).job(in: nil).payload
        // In a transaction, so that an address over a limit leaves nothing stored about its domain.
        try OperatorSession.translatingRefusals {
            try pool.withConnection { connection in
                try connection.transaction { transaction in
                    var batch = Batch()
                    batch.storeLabel(of: email)
                    let key = batch.add(
                        ConsoleEntries.requestCode, id, email.text, token.hash,
                        PostgresBytes(secrets.linkHash.bytes), client.network, mail)
                    batch.notifyWorkers(MailJob.queue)
                    let limit = try transaction.send(batch).first(key)
                    if let limit { throw limit.refusal }
                }
            }
        }
        return token
    }

    /// Signs in with a mailed code, for the browser that asked for it, and returns the token of the
    /// session.
    ///
    /// The attempt is counted before the code is compared, as it is for the app's codes.
    /// - Throws: ``Refusal``: `codeMalformed`, `codeWrong`, `codeExpired`, `tooManyAttempts`.
    package func signIn(
        code typed: String, of asked: ConsoleToken, browser: Label?
    ) throws -> ConsoleToken {
        let code = try MailedCode(judging: typed)
        guard let attempt = try rows(EmailTokens.tryCode, asked.hash).first else {
            throw Refusal(.codeExpired, .mailedCode)
        }
        if let limit = attempt.limit { throw limit.refusal }
        let secrets = try keys.secrets(
            of: attempt.emailToken, havingLinkHash: attempt.linkHash.bytes)
        guard let secrets else { throw Refusal(.codeExpired, .mailedCode) }
        guard constantTimeEqual(Array(secrets.code.utf8), Array(code.digits.utf8)) else {
            throw Refusal(.codeWrong, .attemptsLeft(attempt.attemptsLeft))
        }
        let token = try ConsoleToken.random()
        let isOpen = try rows(
            ConsoleEntries.enterByCode, attempt.emailToken, token.hash, Int32(sessionHours),
            browser?.text
        ).first?.value
        guard isOpen == true else { throw Refusal(.codeExpired, .mailedCode) }
        return token
    }
}
