import Crypto
package import Domain
import Jobs
import Postgres
package import Repositories

extension SignInService {
    /// Has a code and a link mailed to an address, to sign in with.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func sendCode(
        _ email: EmailAddress, from client: ClientAddress, _ origin: TicketOrigin = .init()
    ) throws -> OpenedTicket {
        try openTicket(.signIn, for: email, from: client, origin)
    }

    /// Begins an account with a password: a code is mailed, and the account comes with the code.
    ///
    /// If there is an account already, the e-mail tells its owner so; the response does not show
    /// it.
    ///
    /// - Throws: ``Refusal``: `passwordTooWeak`, `tooManyAttempts`; `PasswordsBusy`.
    package func signUp(
        _ email: EmailAddress, password: String, fullName: PersonName?, role: MemberRole?,
        from client: ClientAddress, _ origin: TicketOrigin = .init()
    ) throws -> OpenedTicket {
        let password = try NewPassword(
            password, ownWords: [email.text, fullName?.text ?? ""])
        let hash = try passwords.hash(password)
        return try openTicket(
            .signUp(passwordHash: hash, fullName: fullName?.text, role: role), for: email,
            from: client, origin)
    }

    /// Signs in by a mailed code, for the client that has the ticket. The first time it makes an
    /// account.
    ///
    /// The try is counted before the code is compared: of the ticket for good, of the account until
    /// a code is right. What can't be a code is no try.
    /// - Throws: ``Refusal``: `codeMalformed`, `codeWrong`, `codeExpired`, `tooManyAttempts`.
    package func signIn(
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

    /// Signs in by the token of a mailed link, when its page's button is pressed; opening the page
    /// uses nothing up. The first time it makes an account.
    ///
    /// - Throws: ``Refusal``: `codeExpired`.
    package func signIn(
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
        do {
            let signedIn = try database.beginSession(by: .email, keys, language) {
                session, tokenHash, batch in
                let place = batch.add(
                    MailedTickets.signIn, ticket, linkHash, session, device?.text, tokenHash)
                return { try $0.first(place).map { ($0.session, $0.isNew) } }
            }
            guard let signedIn else { throw Refusal(.codeExpired) }
            return signedIn
        } catch let refusal as Refusal where refusal.code == .codeExpired {
            throw Refusal(.codeExpired, .mailedCode, underlying: refusal.underlying)
        }
    }

    /// Opens a ticket for an address, and has its e-mail sent.
    ///
    /// It does the same for every address, so nobody learns from it who has an account.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    func openTicket(
        _ purpose: TicketPurpose, for email: EmailAddress, from client: ClientAddress,
        _ origin: TicketOrigin
    ) throws -> OpenedTicket {
        let id = TicketID.random()
        let secrets = try keys.secrets(of: id)
        let ticket = Base64URL.text(try .random(count: 32))
        var (password, name, role): (String?, String?, MemberRole?) = (nil, nil, nil)
        if case .signUp(let hash, let fullName, let side) = purpose {
            (password, name, role) = (hash, fullName, side)
        }
        var ticketHash: PostgresBytes? = PostgresBytes(SHA256Digest(of: ticket).bytes)
        if case .reset = purpose { ticketHash = nil }
        let path = try origin.returnPath.map { try keys.seal($0, of: id) }
        let mail = MailJob(.ticket(id)).job(in: nil).payload
        // In a transaction, so that an address beyond a limit leaves nothing of its domain.
        try database.leased { connection in
            try connection.transaction { transaction in
                var batch = Batch()
                batch.know(email)
                let place = batch.add(
                    MailedTickets.open, id, purpose.word, email.text, ticketHash,
                    PostgresBytes(secrets.linkHash.bytes), password, name, role, client.network,
                    mail, origin.language?.text, path.map { PostgresBytes($0) })
                let limit = try transaction.send(batch).first(place)
                if let limit { throw limit.refusal }
            }
        }
        database.wakeUps.wake(MailJob.queue)
        return OpenedTicket(ticket: ticket, expiresInSeconds: OpenedTicket.codeSeconds)
    }
}

/// What a ticket is opened for.
enum TicketPurpose {
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

/// A ticket that was opened for an address: with the mailed code it signs in.
package struct OpenedTicket: Sendable {
    /// For the client alone.
    package let ticket: String
    package let expiresInSeconds: Int

    /// How long a code counts.
    package static let codeSeconds = 600
}

/// What a ticket remembers of where it was asked for.
package struct TicketOrigin: Sendable {
    /// The language of page or app; nil where none is known.
    package var language: LanguageTag?
    /// Where the mailed link leads after signing in; nil: to the account.
    package var returnPath: ReturnPath?

    package init(language: LanguageTag? = nil, returnPath: ReturnPath? = nil) {
        self.language = language
        self.returnPath = returnPath
    }
}
