import Crypto
package import Domain
import Jobs
import Postgres
package import Repositories

extension SignInService {
    /// Mails a code and a link to an address, to sign in with.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func sendCode(
        _ email: EmailAddress, from client: ClientAddress, _ origin: EmailTokenOrigin = .init()
    ) throws -> CreatedEmailToken {
        try createEmailToken(.signIn, for: email, from: client, origin)
    }

    /// Begins an account with a password: mails a code, with which the account is created.
    ///
    /// If there is an account already, the e-mail informs its owner; the response does not reveal
    /// this.
    ///
    /// - Throws: ``Refusal``: `passwordTooWeak`, `tooManyAttempts`; `PasswordsBusy`.
    package func signUp(
        _ email: EmailAddress, password: String, fullName: PersonName?, role: MemberRole?,
        from client: ClientAddress, _ origin: EmailTokenOrigin = .init()
    ) throws -> CreatedEmailToken {
        let password = try NewPassword(
            password, ownWords: [email.text, fullName?.text ?? ""])
        let hash = try passwords.hash(password)
        return try createEmailToken(
            .signUp(passwordHash: hash, fullName: fullName?.text, role: role), for: email,
            from: client, origin)
    }

    /// Signs in with a mailed code, for the client that has the e-mail token. Creates an account
    /// the first time.
    ///
    /// The attempt is counted before the code is compared: for the e-mail token permanently, for
    /// the account until a correct code is entered. A text that can't be a code is not counted.
    ///
    /// - Throws: ``Refusal``: `codeMalformed`, `codeWrong`, `codeExpired`, `tooManyAttempts`.
    package func signIn(
        emailToken: String, code: String, device: Label?, language: LanguageTag? = nil
    ) throws -> SignedIn {
        let id = try database.emailToken(emailToken, code: code, keys)
        return try signIn(id, nil, device, language)
    }

    /// Signs in with the token of a mailed link, when the person presses the button on the link's
    /// page. Opening the page does not use up the link. Creates an account the first time.
    ///
    /// - Throws: ``Refusal``: `codeExpired`.
    package func signIn(
        linkToken: String, device: Label?, language: LanguageTag? = nil
    ) throws -> SignedIn {
        let hash = SHA256Digest(of: PastedToken.text(of: linkToken))
        return try signIn(nil, PostgresBytes(hash.bytes), device, language)
    }

    /// Returns the account that a link signs in. Does not use up the link.
    ///
    /// - Throws: ``Refusal``: `codeExpired`.
    package func account(ofLink token: String) throws -> LinkedAccount {
        let hash = PostgresBytes(SHA256Digest(of: token).bytes)
        guard let account = try database.query(EmailTokens.accountOfLink, hash).first else {
            throw Refusal(.codeExpired, .mailedCode)
        }
        return account
    }

    private func signIn(
        _ emailToken: EmailTokenID?, _ linkHash: PostgresBytes?, _ device: Label?,
        _ language: LanguageTag?
    ) throws -> SignedIn {
        do {
            let signedIn = try database.beginSession(by: .email, keys, language) {
                session, tokenHash, batch in
                let key = batch.add(
                    EmailTokens.signIn, emailToken, linkHash, session, device?.text, tokenHash)
                return { try $0.first(key).map { ($0.session, $0.isNew) } }
            }
            guard let signedIn else { throw Refusal(.codeExpired) }
            return signedIn
        } catch let refusal as Refusal where refusal.code == .codeExpired {
            throw Refusal(.codeExpired, .mailedCode, underlying: refusal.underlying)
        }
    }

    /// Creates an e-mail token for an address and enqueues its e-mail.
    ///
    /// Behaves alike for every address, so that nobody can find out who has an account.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    func createEmailToken(
        _ purpose: EmailTokenPurpose, for email: EmailAddress, from client: ClientAddress,
        _ origin: EmailTokenOrigin
    ) throws -> CreatedEmailToken {
        let id = EmailTokenID.random()
        let secrets = try keys.secrets(of: id)
        let token = Base64URL.text(try .random(count: 32))
        var (password, name, role): (String?, String?, MemberRole?) = (nil, nil, nil)
        if case .signUp(let hash, let fullName, let side) = purpose {
            (password, name, role) = (hash, fullName, side)
        }
        var tokenHash: PostgresBytes? = PostgresBytes(SHA256Digest(of: token).bytes)
        if case .reset = purpose { tokenHash = nil }
        let path = try origin.returnPath.map { try keys.seal($0, of: id) }
        let mail = MailJob(.emailToken(id)).job(in: nil).payload
        // In a transaction, so that an address over a limit leaves nothing stored about its domain.
        try database.withConnection { connection in
            try connection.transaction { transaction in
                var batch = Batch()
                batch.storeLabel(of: email)
                let key = batch.add(
                    EmailTokens.create, id, purpose.word, email.text, tokenHash,
                    PostgresBytes(secrets.linkHash.bytes), password, name, role, client.network,
                    mail, origin.language?.text, path.map { PostgresBytes($0) })
                let limit = try transaction.send(batch).first(key)
                if let limit { throw limit.refusal }
            }
        }
        database.notifier.notifyWorkers(MailJob.queue)
        return CreatedEmailToken(token: token, expiresInSeconds: CreatedEmailToken.codeSeconds)
    }
}

extension Database {
    /// Returns the id of an e-mail token whose code is right. Counts the attempt first.
    ///
    /// - Throws: ``Refusal``: `codeMalformed`, `codeWrong`, `codeExpired`, `tooManyAttempts`.
    func emailToken(
        _ token: String, code: String, _ keys: SignInKeys
    ) throws -> EmailTokenID {
        let code = try MailedCode(judging: code)
        let hash = PostgresBytes(SHA256Digest(of: PastedToken.text(of: token)).bytes)
        let attempt = try withConnection { connection in
            var batch = Batch()
            let key = batch.add(EmailTokens.tryCode, hash)
            return try connection.send(batch, writes: true).first(key)
        }
        guard let attempt else { throw Refusal(.codeExpired, .mailedCode) }
        if let limit = attempt.limit { throw limit.refusal }
        let secrets = try keys.secrets(
            of: attempt.emailToken, havingLinkHash: attempt.linkHash.bytes)
        guard let secrets else { throw Refusal(.codeExpired, .mailedCode) }
        guard constantTimeEqual(Array(secrets.code.utf8), Array(code.digits.utf8)) else {
            throw Refusal(.codeWrong, .attemptsLeft(attempt.attemptsLeft))
        }
        return attempt.emailToken
    }
}

/// The purpose of an e-mail token.
enum EmailTokenPurpose {
    case signIn
    case signUp(passwordHash: String, fullName: String?, role: MemberRole?)
    case reset

    fileprivate var word: String {
        switch self {
        case .signIn: "sign_in"
        case .signUp: "sign_up"
        case .reset: "reset"
        }
    }
}

/// An e-mail token that was created for an address: it signs in together with the mailed code.
package struct CreatedEmailToken: Sendable {
    /// The token itself, for the client only.
    package let token: String
    package let expiresInSeconds: Int

    /// Validity of a code, in seconds.
    package static let codeSeconds = 600
}

/// The context in which an e-mail token was requested.
package struct EmailTokenOrigin: Sendable {
    /// Language of the page or app; nil if it is unknown.
    package var language: LanguageTag?
    /// Path that the mailed link opens after signing in; nil for the account's page.
    package var returnPath: ReturnPath?

    package init(language: LanguageTag? = nil, returnPath: ReturnPath? = nil) {
        self.language = language
        self.returnPath = returnPath
    }
}
