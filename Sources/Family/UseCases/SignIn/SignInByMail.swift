import Crypto
package import Domain
import Postgres
package import Repositories

/// Signs in somebody who has read what was mailed to an address: by the code, together with the
/// ticket, or by the link. The first time it makes an account.
package struct SignInByMail: Sendable {
    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// Signs in by a code, for the client that has the ticket.
    ///
    /// The try is counted before the code is compared: of the ticket for good, of the account until
    /// a code is right. What can't be a code is no try.
    /// - Throws: ``Refusal``: `codeMalformed`, `codeWrong`, `codeExpired`, `tooManyAttempts`.
    package func callAsFunction(
        ticket: String, code: String, device: Label?, language: LanguageTag? = nil
    ) throws -> SignedIn {
        let code = try MailedCode(judging: code)
        let hash = PostgresBytes(SHA256Digest(of: PastedToken.text(of: ticket)).bytes)
        guard let counted = try count(hash) else {
            throw Refusal(.codeExpired, .mailedCode)
        }
        if let limit = counted.limit { throw limit.refusal }
        let secrets = try keys.secrets(
            of: counted.ticket, havingLinkHash: counted.linkHash.bytes)
        guard let secrets else { throw Refusal(.codeExpired, .mailedCode) }
        guard constantTimeEqual(Array(secrets.code.utf8), Array(code.digits.utf8)) else {
            throw Refusal(.codeWrong, .attemptsLeft(counted.triesLeft))
        }
        return try signIn(counted.ticket, nil, device, language)
    }

    /// Signs in by the token of a link, when its page's button is pressed; opening the page uses
    /// nothing up.
    ///
    /// - Throws: ``Refusal``: `codeExpired`.
    package func callAsFunction(
        linkToken: String, device: Label?, language: LanguageTag? = nil
    ) throws -> SignedIn {
        let hash = SHA256Digest(of: PastedToken.text(of: linkToken))
        return try signIn(nil, PostgresBytes(hash.bytes), device, language)
    }

    /// Tells which account a link signs in. Uses nothing up.
    ///
    /// - Throws: ``Refusal``: `codeExpired`.
    package func account(ofLink token: String) throws -> LinkedAccount {
        let hash = PostgresBytes(SHA256Digest(of: token).bytes)
        guard let account = try database.query(MailedTickets.accountOfLink, hash).first else {
            throw Refusal(.codeExpired, .mailedCode)
        }
        return account
    }

    private func count(_ ticketHash: PostgresBytes) throws -> CodeTry? {
        try database.leased { connection in
            var batch = Batch()
            let place = batch.add(MailedTickets.tryCode, ticketHash)
            return try connection.send(batch, writes: true).first(place)
        }
    }

    private func signIn(
        _ ticket: TicketID?, _ linkHash: PostgresBytes?, _ device: Label?,
        _ language: LanguageTag?
    ) throws -> SignedIn {
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        do {
            return try database.leased { connection in
                var batch = Batch()
                let place = batch.add(
                    MailedTickets.signIn, ticket, linkHash, session, device?.text,
                    PostgresBytes(token.hash.bytes))
                if let language { batch.add(Locales.take, language.text) }
                let profile = ReadProfile.reading(isActing: false, in: &batch)
                let answers = try connection.send(batch, writes: true)
                let row = try answers.row(place)
                return SignedIn(
                    row.session, session, .email, token,
                    profile: try profile(answers, Subject(signedIn: row.session.user)),
                    isNew: row.isNew)
            }
        } catch let refusal as Refusal where refusal.code == .codeExpired {
            throw Refusal(.codeExpired, .mailedCode, underlying: refusal.underlying)
        }
    }
}

extension MailedCode {
    /// - Throws: ``Refusal``: `codeMalformed` for what can't be a mailed code.
    init(judging typed: String) throws(Refusal) {
        guard let code = MailedCode(typed) else { throw Refusal(.codeMalformed, .mailedCode) }
        self = code
    }
}
